// SPDX-License-Identifier: Apache-2.0
// Long copies in words.
#ifndef RL_KERNELS_SCALAR_COPY_LINES_H
#define RL_KERNELS_SCALAR_COPY_LINES_H

#include <stdint.h>

#include "isa.h"

enum { RL_COPY_LINE = 32 }; // bytes

// Copies `lines` >= 0 lines. Both addresses are multiples of four. The areas do not overlap.
static inline void rl_copy_lines_s8(int8_t *to, const int8_t *from, int32_t lines);

#include RL_LOOP(copy_lines)

#endif
