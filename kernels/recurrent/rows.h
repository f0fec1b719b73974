// SPDX-License-Identifier: Apache-2.0
// The scales of rows, which all tiles share. rushlight/kernels/recurrent.h has the formulas.
#ifndef RL_KERNELS_RECURRENT_ROWS_H
#define RL_KERNELS_RECURRENT_ROWS_H

#include <stdint.h>

#include "requantize.h"

enum { RL_GATE_BLOCK = 48 }; // rows at a time: a multiple of what the tiles take at once

// The scales of some rows that follow one another.
struct rl_row_scales {
    const int32_t *input, *hidden; // multipliers
    const int32_t *shift;
};

// The product of a sum and its multiplier, before the shift to the right.
static inline int32_t rl_row_scaled(int32_t sum, int32_t multiplier, int32_t shift)
{
    return rl_high_word(shift > 0 ? rl_shift_left_s32(sum, shift) : sum, multiplier);
}

static inline int32_t rl_row_rounded(int32_t product, int32_t shift)
{
    return shift < 0 ? (int32_t)((uint32_t)product + (UINT32_C(1) << (-shift - 1))) >> -shift : product;
}

#endif
