// SPDX-License-Identifier: Apache-2.0
// Copies in words.
#ifndef RL_KERNELS_SCALAR_COPY_LINES_H
#define RL_KERNELS_SCALAR_COPY_LINES_H

#include <stdint.h>

#include "isa.h"

// Copies `count` >= 0 elements, to and from any address. The areas do not overlap.
static inline void rl_copy_lines_s8(int8_t *to, const int8_t *from, int32_t count);

// The same as the last statement of a function that is not inlined.
static inline void rl_copy_lines_last(int8_t *to, const int8_t *from, int32_t count);

#include RL_LOOP(copy_lines)

#endif
