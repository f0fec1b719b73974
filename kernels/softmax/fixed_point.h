// SPDX-License-Identifier: Apache-2.0
// Fixed-point functions of softmax. Formulas: gemmlowp (fixedpoint.h: exp_on_negative_values and
// one_over_one_plus_x_for_x_in_0_1) as used by TFLite and CMSIS-NN. Values with 31 fractional bits are called q31.
#ifndef RL_KERNELS_SOFTMAX_FIXED_POINT_H
#define RL_KERNELS_SOFTMAX_FIXED_POINT_H

#include <stdint.h>

#include "requantize.h"

// value * 2^exponent with saturation; exponent 1..31.
static inline int32_t rl_multiply_by_power_of_two_saturating(int32_t value, int32_t exponent)
{
    const int32_t limit = (int32_t)((UINT32_C(1) << (31 - exponent)) - 1u);
    if (value > limit) {
        return INT32_MAX;
    }
    return value < -limit ? INT32_MIN : rl_shift_left_s32(value, exponent);
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
    const uint32_t remainder = (uint32_t)fraction - (uint32_t)value;

    const int32_t x = fraction * 32 + (INT32_C(1) << 28);
    const int32_t x2 = rl_high_multiply_saturating(x, x);
    const int32_t x3 = rl_high_multiply_saturating(x2, x);
    const int32_t x4 = rl_high_multiply_saturating(x2, x2);
    const int32_t x4_24_plus_x3_6 = rl_high_multiply_saturating(rl_divide_by_power_of_two(x4, 2) + x3, one_third);
    const int32_t polynomial = x + rl_divide_by_power_of_two(x4_24_plus_x3_6 + x2, 1);
    int32_t result = exp_minus_eighth + rl_high_multiply_saturating(exp_minus_eighth, polynomial);
    for (int bit = 0; bit < 7; bit++) {
        if (remainder & (UINT32_C(1) << (24 + bit))) {
            result = rl_high_multiply_saturating(result, factor[bit]);
        }
    }
    return result;
}

// 1 / (1 + value) in q31 for value in q31, 0 <= value < 1: three Newton-Raphson steps from 48/17 - 32/17 d, where d =
// (1 + value) / 2. Also defined for value = -2^31, which stands for 0 - 1 there.
static inline int32_t rl_one_over_one_plus(int32_t value)
{
    const int64_t sum = (int64_t)value + INT32_MAX;
    const int32_t half_denominator = (int32_t)((sum + (sum >= 0 ? 1 : -1)) / 2);
    const int32_t one = INT32_C(1) << 29; // with 2 integer bits
    int32_t x = 1515870810 + rl_high_multiply_saturating(half_denominator, -1010580540);
    for (int step = 0; step < 3; step++) {
        const int32_t error = one - rl_high_multiply_saturating(half_denominator, x);
        x += rl_multiply_by_power_of_two_saturating(rl_high_multiply_saturating(x, error), 2);
    }
    return rl_multiply_by_power_of_two_saturating(x, 1);
}

// Leading zero bits; 32 for 0.
static inline int32_t rl_leading_zeros(uint32_t value)
{
    return value == 0 ? 32 : RL_LEADING_ZEROS(value);
}

#endif
