// SPDX-License-Identifier: Apache-2.0
// Copies of words on a Cortex-M0, for which copy_lines.h has no loop.
#ifndef RL_KERNELS_SCALAR_COPY_BLOCKS_H
#define RL_KERNELS_SCALAR_COPY_BLOCKS_H

#include <stdint.h>

#include "isa.h"

enum { RL_COPY_BLOCK = 32 }; // bytes

// Copies `blocks` >= 1 blocks. Both addresses are multiples of four. The areas do not overlap.
static inline void rl_copy_blocks_s8(int8_t *to, const int8_t *from, int32_t blocks);

// Defines RL_HAS_COPY_BLOCKS: whether there is such a loop.
#include RL_LOOP(copy_blocks)

#endif
