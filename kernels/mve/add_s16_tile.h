// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_MVE_ADD_S16_TILE_H
#define RL_KERNELS_MVE_ADD_S16_TILE_H

#include "mve/add_mve.h"
#include "mve/rescale_mve.h"

// Takes any shifts. Not inlined, so that the usual layer does not prepare for it.
static __attribute__((noinline)) void rl_add_s16_slowly(const struct rl_add *add, const int16_t *a, const int16_t *b,
                                                        int16_t *output)
{
    const struct rl_add plain = *add;
    const int32x4_t low = vdupq_n_s32(plain.range.min), high = vdupq_n_s32(plain.range.max);
    for (int32_t count = plain.count; count > 0; count -= 4, a += 4, b += 4, output += 4) {
        const mve_pred16_t active = vctp32q((uint32_t)count);
        const int32x4_t sum = rl_add_any_mve(&plain, vldrhq_z_s32(a, active), vldrhq_z_s32(b, active));
        vstrhq_p_s32(output, vminq_s32(vmaxq_s32(sum, low), high), active);
    }
}

// Four elements, with the shifts of rl_add_shifts_right; the caller clamps. (value + offset) * 2^left_shift is one
// multiply-accumulate.
static inline int32x4_t rl_add_right_s16(const struct rl_add *add, int32x4_t a, int32x4_t b)
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

enum { RL_ADD_S16_MANY = 128 };

// Many elements, for which a loop over whole vectors pays. Not inlined, because few elements need fewer registers.
static __attribute__((noinline)) void rl_add_s16_many(const struct rl_add *add, const int16_t *a, const int16_t *b,
                                                      int16_t *output)
{
    const struct rl_add plain = *add;
    const int32x4_t low = vdupq_n_s32(plain.range.min), high = vdupq_n_s32(plain.range.max);
    for (int32_t vectors = plain.count >> 2; vectors > 0; vectors--, a += 4, b += 4, output += 4) {
        const int32x4_t sum = rl_add_right_s16(&plain, vldrhq_s32(a), vldrhq_s32(b));
        vstrhq_s32(output, vminq_s32(vmaxq_s32(sum, low), high));
    }
    if ((plain.count & 3) != 0) {
        const mve_pred16_t active = vctp32q((uint32_t)plain.count & 3u);
        const int32x4_t sum = rl_add_right_s16(&plain, vldrhq_z_s32(a, active), vldrhq_z_s32(b, active));
        vstrhq_p_s32(output, vminq_s32(vmaxq_s32(sum, low), high), active);
    }
}

// clang-format off
static __attribute__((naked, noinline)) void
rl_add_s16_fours(__attribute__((unused)) const struct rl_add *add, __attribute__((unused)) const int16_t *a,
                 __attribute__((unused)) const int16_t *b, __attribute__((unused)) int16_t *output)
{
    __asm__(RL_ADD_FOURS("vldrh.s32", "vstrh.32", "8", "", ""));
}
// clang-format on

// output[i] = a[i] + b[i] for all elements. The output may be one of the inputs.
static inline void rl_add_s16_tile(const struct rl_add *add, const int16_t *a, const int16_t *b, int16_t *output)
{
    if (!rl_add_shifts_right(add)) {
        rl_add_s16_slowly(add, a, b, output);
        return;
    }
    if (add->count >= RL_ADD_S16_MANY) {
        rl_add_s16_many(add, a, b, output);
        return;
    }
    // The empty statements tell the compiler that memory behind the pointers is read and written.
    __asm__ volatile("" : : "r"(add) : "memory");
    rl_add_s16_fours(add, a, b, output);
    __asm__ volatile("" : : "r"(add) : "memory");
}

#endif
