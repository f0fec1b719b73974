// SPDX-License-Identifier: Apache-2.0
// Fixed-point functions of softmax. Formulas: gemmlowp (fixedpoint.h: exp_on_negative_values and
// one_over_one_plus_x_for_x_in_0_1) as used by TFLite and CMSIS-NN. Values with 31 fractional bits are called q31.
#ifndef RL_KERNELS_SOFTMAX_FIXED_POINT_H
#define RL_KERNELS_SOFTMAX_FIXED_POINT_H

#include <stdint.h>

#include "requantize.h"

// rl_high_multiply of factors that are not negative, plus `addend`, modulo 2^32: on most cores a single instruction.
static inline uint32_t rl_high_multiply_add(int32_t a, int32_t b, uint32_t addend)
{
    if (!RL_HAS_LONG_MULTIPLY) {
        return (uint32_t)rl_high_multiply(a, b) + addend;
    }
    const uint64_t rounding = (uint64_t)addend << 32 | UINT32_C(0x80000000);
    return (uint32_t)(((uint64_t)(uint32_t)a * ((uint32_t)b * 2u) + rounding) >> 32);
}

// exp(value / 2^26) in q31, for value <= 0.
// e^value = e^(value mod -1/4) * product of e^(-2^(i - 2)) over the bits i set in the multiple of -1/4: the first
// factor by a Taylor polynomial of degree 4 around -1/8, the others from a table.
static inline int32_t rl_exp_on_negative(int32_t value)
{
    static const int32_t factor[7] = {1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};
    static const int32_t exp_minus_eighth = 1895147668;
    static const int32_t one_third = 715827883;
    if (value == 0) {
        return INT32_MAX;
    }
    const int32_t quarter = INT32_C(1) << 24;
    const int32_t fraction = (value & (quarter - 1)) - quarter;

    // rl_high_word of a doubled factor is rl_high_multiply, because |x| <= 2^28, and so are the others.
    const int32_t x = fraction * 32 + (INT32_C(1) << 28);
    const int32_t x2 = rl_high_word(2 * x, x);
    const int32_t x3 = rl_high_word(2 * x, x2);
    const int32_t x4 = rl_high_word(2 * x2, x2);
    const int32_t x4_24_plus_x3_6 = rl_high_word(2 * one_third, ((x4 + 2) >> 2) + x3);
    const int32_t polynomial = x + rl_divide_by_power_of_two(x4_24_plus_x3_6 + x2, 1);
    int32_t result = exp_minus_eighth + rl_high_word(2 * polynomial, exp_minus_eighth);
    const int32_t *next = factor;
    // value - fraction is this multiple of -1/4.
    for (uint32_t multiple = ~(uint32_t)value >> 24 & 127; multiple != 0; multiple >>= 1, next++) {
        if (multiple & 1) {
            result = (int32_t)rl_high_multiply_add(result, *next, 0);
        }
    }
    return result;
}

// 1 / (1 + value) in q31 for value in q31, 0 <= value < 1: three Newton-Raphson steps from 48/17 - 32/17 d, where d =
// (1 + value) / 2.
static inline int32_t rl_one_over_one_plus(int32_t value)
{
    const int32_t half_denominator = (INT32_C(1) << 30) + (value >> 1);
    const int32_t one = INT32_C(1) << 29; // with 2 integer bits
    int32_t x = 1515870810 + rl_high_word(2 * -1010580540, half_denominator);
    for (int step = 0; step < 3; step++) {
        const int32_t error = one - (int32_t)rl_high_multiply_add(half_denominator, x, 0);
        x += 4 * rl_high_word(2 * error, x);
    }
    return x < INT32_C(1) << 30 ? 2 * x : INT32_MAX;
}

// Leading zero bits; 32 for 0.
static inline int32_t rl_leading_zeros(uint32_t value)
{
    return value == 0 ? 32 : RL_LEADING_ZEROS(value);
}

#endif
