// SPDX-License-Identifier: Apache-2.0
// The arithmetic of the kernels under the names by which users of CMSIS-NN call it.
#include "arm_nnsupportfunctions.h"

#include "requantize.h"
#include "softmax/fixed_point.h"

int32_t arm_nn_requantize(int32_t value, int32_t multiplier, int32_t shift)
{
    return rl_requantize(value, multiplier, shift);
}

int32_t arm_nn_requantize_s64(int64_t value, int32_t reduced_multiplier, int32_t shift)
{
    return rl_requantize_s64(value, reduced_multiplier, shift);
}

int32_t arm_nn_doubling_high_mult(int32_t a, int32_t b)
{
    return rl_high_multiply_saturating(a, b);
}

int32_t arm_nn_doubling_high_mult_no_sat(int32_t a, int32_t b)
{
    return rl_high_multiply(a, b);
}

int32_t arm_nn_divide_by_power_of_two(int32_t value, int32_t exponent)
{
    return rl_divide_by_power_of_two(value, exponent);
}

int32_t arm_nn_mult_by_power_of_two(int32_t value, int32_t exponent)
{
    const int32_t limit = (int32_t)((UINT32_C(1) << (31 - exponent)) - 1u);
    if (value > limit) {
        return INT32_MAX;
    }
    return value < -limit ? INT32_MIN : rl_shift_left_s32(value, exponent);
}

int32_t arm_nn_exp_on_negative_values(int32_t value)
{
    return rl_exp_on_negative(value);
}

int32_t arm_nn_one_over_one_plus_x_for_x_in_0_1(int32_t value)
{
    return rl_one_over_one_plus(value);
}

void arm_q7_to_q15_with_offset(const int8_t *src, int16_t *dst, int32_t count, int16_t offset)
{
    for (int32_t i = 0; i < count; i++) {
        dst[i] = (int16_t)(src[i] + offset);
    }
}
