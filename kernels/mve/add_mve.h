// SPDX-License-Identifier: Apache-2.0
// The additions of elementwise/elementwise.h, four at a time. The caller clamps the results.
#ifndef RL_KERNELS_MVE_ADD_MVE_H
#define RL_KERNELS_MVE_ADD_MVE_H

#include <stdbool.h>

#include "elementwise/elementwise.h"
#include "mve/requantize_mve.h"
#include "mve/rescale_mve.h"

// Takes any shifts.
static inline int32x4_t rl_add_any_mve(const struct rl_add *add, int32x4_t a, int32x4_t b)
{
    const int32x4_t left = vdupq_n_s32(add->left_shift);
    const struct rl_addend *in = add->input;
    a = vshlq_s32(vaddq_n_s32(a, in[0].offset), left);
    b = vshlq_s32(vaddq_n_s32(b, in[1].offset), left);
    const int32x4_t sum = vaddq_s32(rl_requantize_mve(a, in[0].scale.multiplier, in[0].scale.shift),
                                    rl_requantize_mve(b, in[1].scale.multiplier, in[1].scale.shift));
    const int32x4_t scaled = rl_requantize_mve(sum, add->scale.multiplier, add->scale.shift);
    return vaddq_n_s32(scaled, add->output_offset);
}

// Whether neither input shifts left and the output shifts right, as in all but contrived layers.
static inline bool rl_add_shifts_right(const struct rl_add *add)
{
    return add->input[0].scale.shift <= 0 && add->input[1].scale.shift <= 0 && add->scale.shift < 0 &&
           add->left_shift <= 30;
}

// Takes only the shifts of rl_add_shifts_right. (value + offset) * 2^left_shift is one multiply-accumulate.
static inline int32x4_t rl_add_right_mve(const struct rl_add *add, int32x4_t a, int32x4_t b)
{
    const struct rl_addend *in = add->input;
    const int32x4_t unit = vdupq_n_s32(INT32_C(1) << add->left_shift);
    a = vmlasq_n_s32(a, unit, rl_shift_left_s32(in[0].offset, add->left_shift));
    b = vmlasq_n_s32(b, unit, rl_shift_left_s32(in[1].offset, add->left_shift));
    a = rl_rescale_or_keep_mve(a, in[0].scale.multiplier, in[0].scale.shift, rl_sign_shift_mve(in[0].scale.shift));
    b = rl_rescale_or_keep_mve(b, in[1].scale.multiplier, in[1].scale.shift, rl_sign_shift_mve(in[1].scale.shift));
    const int32x4_t scaled = rl_rescale_mve(vaddq_s32(a, b), add->scale.multiplier, add->scale.shift);
    return vaddq_n_s32(scaled, add->output_offset);
}

#endif
