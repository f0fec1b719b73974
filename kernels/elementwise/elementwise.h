// SPDX-License-Identifier: Apache-2.0
// What the element-by-element drivers hand to their tiles.
#ifndef RL_KERNELS_ELEMENTWISE_ELEMENTWISE_H
#define RL_KERNELS_ELEMENTWISE_ELEMENTWISE_H

#include <stdint.h>

#include "requantize.h"

// Quantization of one tensor of an element-by-element operator.
struct rl_scaling {
    int32_t offset;
    int32_t multiplier;
    int32_t shift;
};

struct rl_add_s8 {
    struct rl_scaling input[2];
    int32_t left_shift;
    struct rl_scaling output;
    int32_t min;
    int32_t max;
};

struct rl_mul_s8 {
    int32_t offset[2];
    struct rl_scaling output;
    int32_t min;
    int32_t max;
};

// An input of an addition on the common scale of the sum.
static inline int32_t rl_add_s8_term(const struct rl_scaling *input, int32_t left_shift, int32_t value)
{
    const int32_t shifted = rl_shift_left_s32(value + input->offset, left_shift);
    return rl_requantize(shifted, input->multiplier, input->shift);
}

// One sum, in the plainest way.
static inline int8_t rl_add_s8_one(const struct rl_add_s8 *add, int32_t a, int32_t b)
{
    const int32_t sum = rl_add_s8_term(&add->input[0], add->left_shift, a) +
                        rl_add_s8_term(&add->input[1], add->left_shift, b);
    const int32_t scaled = rl_requantize(sum, add->output.multiplier, add->output.shift);
    return (int8_t)rl_clamp_s32(scaled + add->output.offset, add->min, add->max);
}

// One product, in the plainest way.
static inline int8_t rl_mul_s8_one(const struct rl_mul_s8 *mul, int32_t a, int32_t b)
{
    const int32_t product = (a + mul->offset[0]) * (b + mul->offset[1]);
    const int32_t scaled = rl_requantize(product, mul->output.multiplier, mul->output.shift);
    return (int8_t)rl_clamp_s32(scaled + mul->output.offset, mul->min, mul->max);
}

#endif
