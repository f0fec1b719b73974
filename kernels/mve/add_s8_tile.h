// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_MVE_ADD_S8_TILE_H
#define RL_KERNELS_MVE_ADD_S8_TILE_H

#include "isa.h"
#include "mve/add_mve.h"
#include "scratch.h"

// Adds `count` elements, a multiple of four, of an input and of one whose term is exactly (value + offset) * factor.
// The layer has the shifts of rl_add_shifts_right.
static inline void rl_add_exact_mve(const struct rl_add *add, const struct rl_addend *input, const int8_t *from,
                                    int32_t exact_offset, int32_t factor, const int8_t *exact, int8_t *output,
                                    int32_t count)
{
    const struct rl_scale scale = input->scale, sum_scale = add->scale;
    const int32x4_t unit = vdupq_n_s32(INT32_C(1) << add->left_shift), factors = vdupq_n_s32(factor);
    const int32_t offset = rl_shift_left_s32(input->offset, add->left_shift), constant = exact_offset * factor;
    const int32x4_t sign_shift = rl_sign_shift_mve(scale.shift);
    const int32x4_t low = vdupq_n_s32(add->range.min), high = vdupq_n_s32(add->range.max);
    for (; count > 0; count -= 4, from += 4, exact += 4, output += 4) {
        const int32x4_t value = vmlasq_n_s32(vldrbq_s32(from), unit, offset);
        const int32x4_t term = rl_rescale_or_keep_mve(value, scale.multiplier, scale.shift, sign_shift);
        const int32x4_t sum = vaddq_s32(term, vmlasq_n_s32(vldrbq_s32(exact), factors, constant));
        const int32x4_t scaled = rl_rescale_mve(sum, sum_scale.multiplier, sum_scale.shift);
        vstrbq_s32(output, vminq_s32(vmaxq_s32(vaddq_n_s32(scaled, add->output_offset), low), high));
    }
}

// From this many elements on, looking for an exact factor pays.
enum { RL_ADD_EXACT_MINIMUM = 512 };

// Runs rl_add_exact_mve where one term is exact: with the larger scale, whose multiplier is one half.
static inline bool rl_add_exact(const struct rl_add *add, const int8_t *a, const int8_t *b, int8_t *output,
                                int32_t count)
{
    const struct rl_addend *in = add->input;
    int32_t doubled;
    if (RL_SMALL || count < RL_ADD_EXACT_MINIMUM || add->left_shift > 20) {
        return false;
    }
    if (rl_add_exact_factor(&in[1], add->left_shift, &doubled)) {
        rl_add_exact_mve(add, &in[0], a, in[1].offset, doubled / 2, b, output, count);
        return true;
    }
    if (rl_add_exact_factor(&in[0], add->left_shift, &doubled)) {
        rl_add_exact_mve(add, &in[1], b, in[0].offset, doubled / 2, a, output, count);
        return true;
    }
    return false;
}

// Takes any shifts. Not inlined, so that the usual layer does not prepare for it.
static __attribute__((noinline)) void rl_add_s8_slowly(const struct rl_add *add, const int8_t *a, const int8_t *b,
                                                       int8_t *output)
{
    const struct rl_add plain = *add;
    const int32x4_t low = vdupq_n_s32(plain.range.min), high = vdupq_n_s32(plain.range.max);
    for (int32_t count = plain.count; count > 0; count -= 4, a += 4, b += 4, output += 4) {
        const mve_pred16_t active = vctp32q((uint32_t)count);
        const int32x4_t sum = rl_add_any_mve(&plain, vldrbq_z_s32(a, active), vldrbq_z_s32(b, active));
        vstrbq_p_s32(output, vminq_s32(vmaxq_s32(sum, low), high), active);
    }
}

// output[i] = a[i] + b[i] for all elements. The output may be one of the inputs.
static inline void rl_add_s8_tile(const struct rl_add *add, const int8_t *a, const int8_t *b, int8_t *output,
                                  struct rl_scratch scratch)
{
    (void)scratch; // no table
    if (!rl_add_shifts_right(add)) {
        rl_add_s8_slowly(add, a, b, output);
        return;
    }
    const struct rl_add plain = *add;
    const int32_t count = plain.count;
    const int32x4_t low = vdupq_n_s32(plain.range.min), high = vdupq_n_s32(plain.range.max);
    const int32_t whole = rl_add_exact(&plain, a, b, output, count & ~3) ? count & ~3 : 0;
    a += whole, b += whole, output += whole;
    for (int32_t vectors = (count - whole) >> 2; vectors > 0; vectors--, a += 4, b += 4, output += 4) {
        const int32x4_t sum = rl_add_right_mve(&plain, vldrbq_s32(a), vldrbq_s32(b));
        vstrbq_s32(output, vminq_s32(vmaxq_s32(sum, low), high));
    }
    if ((count & 3) != 0) {
        const mve_pred16_t active = vctp32q((uint32_t)count & 3u);
        const int32x4_t sum = rl_add_right_mve(&plain, vldrbq_z_s32(a, active), vldrbq_z_s32(b, active));
        vstrbq_p_s32(output, vminq_s32(vmaxq_s32(sum, low), high), active);
    }
}

#endif
