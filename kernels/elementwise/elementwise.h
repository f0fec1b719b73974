// SPDX-License-Identifier: Apache-2.0
// What the element-by-element drivers hand to their tiles.
#ifndef RL_KERNELS_ELEMENTWISE_ELEMENTWISE_H
#define RL_KERNELS_ELEMENTWISE_ELEMENTWISE_H

#include <stdbool.h>
#include <stdint.h>

#include "requantize.h"

// Quantization of one tensor of an element-by-element operator.
struct rl_scaling {
    int32_t offset;
    int32_t multiplier;
    int32_t shift;
};

struct rl_add {
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

struct rl_mul_s16 {
    int32_t multiplier;
    int32_t shift;
    int32_t min;
    int32_t max;
};

// An input of an addition on the common scale of the sum.
static inline int32_t rl_add_term(const struct rl_scaling *input, int32_t left_shift, int32_t value)
{
    const int32_t shifted = rl_shift_left_s32(value + input->offset, left_shift);
    return rl_requantize(shifted, input->multiplier, input->shift);
}

// One sum, in the plainest way.
static inline int32_t rl_add_one(const struct rl_add *add, int32_t a, int32_t b)
{
    const uint32_t sum = (uint32_t)rl_add_term(&add->input[0], add->left_shift, a) +
                         (uint32_t)rl_add_term(&add->input[1], add->left_shift, b);
    const int32_t scaled = rl_requantize((int32_t)sum, add->output.multiplier, add->output.shift);
    return rl_clamp_s32(scaled + add->output.offset, add->min, add->max);
}

// One product, in the plainest way.
static inline int8_t rl_mul_s8_one(const struct rl_mul_s8 *mul, int32_t a, int32_t b)
{
    const int32_t product = (a + mul->offset[0]) * (b + mul->offset[1]);
    const int32_t scaled = rl_requantize(product, mul->output.multiplier, mul->output.shift);
    const int32_t shifted = (int32_t)((uint32_t)scaled + (uint32_t)mul->output.offset); // may wrap
    return (int8_t)rl_clamp_s32(shifted, mul->min, mul->max);
}

// Whether the term of an input is (value + offset) * 2^n, without rounding; gives that power of two, doubled.
static inline bool rl_add_exact_factor(const struct rl_scaling *input, int32_t left_shift, int32_t *factor)
{
    const int32_t multiplier = input->multiplier;
    if (multiplier <= 0 || (multiplier & (multiplier - 1)) != 0) {
        return false;
    }
    int32_t exponent = left_shift - 31;
    while ((INT32_C(1) << (exponent + 31 - left_shift)) != multiplier) {
        exponent++;
    }
    if (exponent < 0 || exponent + input->shift < 0) {
        return false;
    }
    *factor = INT32_C(2) << (exponent + input->shift);
    return true;
}

#endif
