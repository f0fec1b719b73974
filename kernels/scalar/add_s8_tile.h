// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_SCALAR_ADD_S8_TILE_H
#define RL_KERNELS_SCALAR_ADD_S8_TILE_H

#include "elementwise/elementwise.h"
#include "requantize.h"

// An input element on the common scale of the sum.
static inline int32_t rl_add_s8_term(const struct rl_scaling *input, int32_t left_shift, int8_t value)
{
    const int32_t shifted = rl_shift_left_s32(value + input->offset, left_shift);
    return rl_requantize(shifted, input->multiplier, input->shift);
}

// output[i] = a[i] + b[i] for i < count. The output may be one of the inputs.
static inline void rl_add_s8_tile(const struct rl_add_s8 *add, const int8_t *a, const int8_t *b,
                                  int8_t *output, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        const int32_t sum = rl_add_s8_term(&add->input[0], add->left_shift, a[i]) +
                            rl_add_s8_term(&add->input[1], add->left_shift, b[i]);
        const int32_t scaled = rl_requantize(sum, add->output.multiplier, add->output.shift);
        output[i] = (int8_t)rl_clamp_s32(scaled + add->output.offset, add->min, add->max);
    }
}

#endif
