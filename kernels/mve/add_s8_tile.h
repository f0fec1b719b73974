// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_MVE_ADD_S8_TILE_H
#define RL_KERNELS_MVE_ADD_S8_TILE_H

#include <stdbool.h>

#include "elementwise/elementwise.h"
#include "mve/requantize_mve.h"
#include "mve/rescale_mve.h"

// Up to four sums, for any shifts.
static inline int32x4_t rl_add_s8_any(const struct rl_add_s8 *add, int32x4_t a, int32x4_t b)
{
    const int32x4_t left = vdupq_n_s32(add->left_shift);
    const struct rl_scaling *in = add->input;
    a = vshlq_s32(vaddq_n_s32(a, in[0].offset), left);
    b = vshlq_s32(vaddq_n_s32(b, in[1].offset), left);
    const int32x4_t sum = vaddq_s32(rl_requantize_mve(a, in[0].multiplier, in[0].shift),
                                    rl_requantize_mve(b, in[1].multiplier, in[1].shift));
    const int32x4_t scaled = rl_requantize_mve(sum, add->output.multiplier, add->output.shift);
    return vaddq_n_s32(scaled, add->output.offset);
}

static inline void rl_add_s8_slowly(const struct rl_add_s8 *add, const int8_t *a, const int8_t *b,
                                    int8_t *output, int32_t count)
{
    for (; count > 0; count -= 4, a += 4, b += 4, output += 4) {
        const mve_pred16_t active = vctp32q((uint32_t)count);
        const int32x4_t sum = rl_add_s8_any(add, vldrbq_z_s32(a, active), vldrbq_z_s32(b, active));
        const int32x4_t raised = vmaxq_s32(sum, vdupq_n_s32(add->min));
        vstrbq_p_s32(output, vminq_s32(raised, vdupq_n_s32(add->max)), active);
    }
}

// Four sums where the inputs do not shift left and the output shifts right. (value + offset) * 2^left_shift
// is one multiplication with accumulation.
static inline int32x4_t rl_add_s8_right(const struct rl_add_s8 *add, int32x4_t a, int32x4_t b)
{
    const struct rl_scaling *in = add->input;
    const int32x4_t unit = vdupq_n_s32(INT32_C(1) << add->left_shift);
    a = vmlasq_n_s32(a, unit, rl_shift_left_s32(in[0].offset, add->left_shift));
    b = vmlasq_n_s32(b, unit, rl_shift_left_s32(in[1].offset, add->left_shift));
    a = rl_rescale_or_keep_mve(a, in[0].multiplier, in[0].shift, rl_sign_shift_mve(in[0].shift));
    b = rl_rescale_or_keep_mve(b, in[1].multiplier, in[1].shift, rl_sign_shift_mve(in[1].shift));
    const int32x4_t scaled = rl_rescale_mve(vaddq_s32(a, b), add->output.multiplier, add->output.shift);
    return vaddq_n_s32(scaled, add->output.offset);
}

// output[i] = a[i] + b[i] for i < count. The output may be one of the inputs.
static inline void rl_add_s8_tile(const struct rl_add_s8 *add, const int8_t *a, const int8_t *b,
                                  int8_t *output, int32_t count)
{
    const struct rl_add_s8 plain = *add;
    if (plain.input[0].shift > 0 || plain.input[1].shift > 0 || plain.output.shift >= 0 ||
        plain.left_shift > 30) {
        rl_add_s8_slowly(&plain, a, b, output, count);
        return;
    }
    const int32x4_t low = vdupq_n_s32(plain.min), high = vdupq_n_s32(plain.max);
    for (int32_t vectors = count >> 2; vectors > 0; vectors--, a += 4, b += 4, output += 4) {
        const int32x4_t sum = rl_add_s8_right(&plain, vldrbq_s32(a), vldrbq_s32(b));
        vstrbq_s32(output, vminq_s32(vmaxq_s32(sum, low), high));
    }
    rl_add_s8_slowly(&plain, a, b, output, count & 3);
}

#endif
