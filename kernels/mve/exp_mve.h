// SPDX-License-Identifier: Apache-2.0
// The exponentials of softmax, four at a time. softmax/fixed_point.h explains the formula.
#ifndef RL_KERNELS_MVE_EXP_MVE_H
#define RL_KERNELS_MVE_EXP_MVE_H

#include <arm_mve.h>

#include "mve/requantize_mve.h"
#include "softmax/exp_table.h"

// exp(value / 2^26) in q31, for values <= 0.
static inline int32x4_t rl_exp_on_negative_mve(int32x4_t value)
{
    static const int32_t factor[7] = {1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};
    const int32_t exp_minus_eighth = 1895147668;
    const int32_t one_third = 715827883;
    const int32_t quarter = INT32_C(1) << 24;
    const int32x4_t zero = vdupq_n_s32(0); // compared as a vector: gcc 12 fails at -Os on the constant
    const int32x4_t fraction = vsubq_n_s32(vandq_s32(value, vdupq_n_s32(quarter - 1)), quarter);
    const int32x4_t remainder = vsubq_s32(fraction, value);

    const int32x4_t x = vaddq_n_s32(vshlq_n_s32(fraction, 5), INT32_C(1) << 28);
    const int32x4_t x2 = vqrdmulhq_s32(x, x);
    const int32x4_t x3 = vqrdmulhq_s32(x2, x);
    const int32x4_t x4 = vqrdmulhq_s32(x2, x2);
    const int32x4_t x4_4_plus_x3 = vaddq_s32(rl_divide_by_power_of_two_mve(x4, vdupq_n_s32(-2)), x3);
    const int32x4_t twice = vaddq_s32(vqrdmulhq_n_s32(x4_4_plus_x3, one_third), x2);
    const int32x4_t polynomial = vaddq_s32(x, rl_divide_by_power_of_two_mve(twice, vdupq_n_s32(-1)));
    int32x4_t result = vaddq_n_s32(vqrdmulhq_n_s32(polynomial, exp_minus_eighth), exp_minus_eighth);
    for (int bit = 0; bit < 7; bit++) {
        const int32x4_t flag = vandq_s32(remainder, vdupq_n_s32(quarter << bit));
        result = vpselq_s32(vqrdmulhq_n_s32(result, factor[bit]), result, vcmpneq_s32(flag, zero));
    }
    return vpselq_s32(vdupq_n_s32(INT32_MAX), result, vcmpeqq_n_s32(value, 0));
}

// The exponentials of four differences, 0 or negative, as the table holds them.
static inline int32x4_t rl_exp_of_differences_mve(const struct rl_exp_table *table, int32x4_t difference)
{
    const struct rl_scale scale = table->layer.scale;
    const int32x4_t scaled = vqrdmulhq_n_s32(vshlq_r_s32(difference, scale.shift), scale.multiplier);
    const mve_pred16_t counts = vcmpgeq_n_s32(difference, table->layer.diff_min);
    return vpselq_s32(rl_exp_on_negative_mve(scaled), vdupq_n_s32(0), counts);
}

// The table's entries index..index + 3.
static inline void rl_exp_table_fill_mve(struct rl_exp_table *table, int32_t index)
{
    const int32x4_t difference = vnegq_s32(vaddq_n_s32(vreinterpretq_s32_u32(vidupq_n_u32(0, 1)), index));
    vstrwq_s32(table->value + index, rl_exp_of_differences_mve(table, difference));
}

// Computes the entries up to `last`, in blocks of four from entry 0 on.
static inline void rl_exp_table_extend_mve(struct rl_exp_table *table, int32_t last)
{
    for (int32_t index = last & ~3; index >= 0 && table->value[index] == RL_EXP_UNKNOWN; index -= 4) {
        rl_exp_table_fill_mve(table, index);
    }
}

// Computes only the entries that a row needs. Do not use it together with the function above.
static inline void rl_exp_table_enter_mve(struct rl_exp_table *table, const int8_t *input, int32_t count,
                                          int32_t maximum)
{
    for (; count > 0; count -= 4, input += 4) {
        const mve_pred16_t active = vctp32q((uint32_t)count);
        const int32x4_t difference = vsubq_n_s32(vldrbq_z_s32(input, active), maximum);
        const uint32x4_t index = vreinterpretq_u32_s32(vnegq_s32(difference));
        vstrwq_scatter_shifted_offset_p_s32(table->value, index, rl_exp_of_differences_mve(table, difference), active);
    }
}

#endif
