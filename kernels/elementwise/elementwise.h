// SPDX-License-Identifier: Apache-2.0
// The arithmetic of one element, which the tiles share.
#ifndef RL_KERNELS_ELEMENTWISE_ELEMENTWISE_H
#define RL_KERNELS_ELEMENTWISE_ELEMENTWISE_H

#include <stdbool.h>
#include <stdint.h>

#include "requantize.h"
#include "rushlight/kernels/elementwise.h"

// An input of an addition on the common scale of the sum.
static inline int32_t rl_add_term(const struct rl_addend *input, int32_t left_shift, int32_t value)
{
    const int32_t shifted = rl_shift_left_s32(value + input->offset, left_shift);
    return rl_requantize(shifted, input->scale.multiplier, input->scale.shift);
}

// One sum, in the plainest way.
static inline int32_t rl_add_one(const struct rl_add *add, int32_t a, int32_t b)
{
    const uint32_t sum = (uint32_t)rl_add_term(&add->input[0], add->left_shift, a) +
                         (uint32_t)rl_add_term(&add->input[1], add->left_shift, b);
    const int32_t scaled = rl_requantize((int32_t)sum, add->scale.multiplier, add->scale.shift);
    return rl_clamp_s32(scaled + add->output_offset, add->range.min, add->range.max);
}

// One product, in the plainest way.
static inline int8_t rl_mul_s8_one(const struct rl_mul *mul, int32_t a, int32_t b)
{
    const uint32_t factors[2] = {(uint32_t)(a + mul->input_offset[0]), (uint32_t)(b + mul->input_offset[1])};
    const int32_t product = (int32_t)(factors[0] * factors[1]); // may wrap, as it does on cores with Helium
    const int32_t scaled = rl_requantize(product, mul->scale.multiplier, mul->scale.shift);
    return rl_output_s8(scaled, mul->output_offset, mul->range.min, mul->range.max);
}

static inline int16_t rl_mul_s16_one(const struct rl_mul *mul, int32_t a, int32_t b)
{
    const int32_t scaled = rl_requantize(a * b, mul->scale.multiplier, mul->scale.shift);
    return (int16_t)rl_clamp_s32(scaled, mul->range.min, mul->range.max);
}

// Whether the term of an input is exactly (value + offset) * 2^n. Sets *factor to 2^n, doubled.
static inline bool rl_add_exact_factor(const struct rl_addend *input, int32_t left_shift, int32_t *factor)
{
    const int32_t multiplier = input->scale.multiplier;
    if (multiplier <= 0 || (multiplier & (multiplier - 1)) != 0) {
        return false;
    }
    const int32_t exponent = left_shift - RL_LEADING_ZEROS((uint32_t)multiplier);
    if (exponent < 0 || exponent + input->scale.shift < 0) {
        return false;
    }
    *factor = INT32_C(2) << (exponent + input->scale.shift);
    return true;
}

#endif
