// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_MVE_ADD_S16_TILE_H
#define RL_KERNELS_MVE_ADD_S16_TILE_H

#include "mve/add_mve.h"

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

// output[i] = a[i] + b[i] for all elements. The output may be one of the inputs.
static inline void rl_add_s16_tile(const struct rl_add *add, const int16_t *a, const int16_t *b, int16_t *output)
{
    if (!rl_add_shifts_right(add)) {
        rl_add_s16_slowly(add, a, b, output);
        return;
    }
    const struct rl_add plain = *add;
    const int32x4_t low = vdupq_n_s32(plain.range.min), high = vdupq_n_s32(plain.range.max);
    for (int32_t vectors = plain.count >> 2; vectors > 0; vectors--, a += 4, b += 4, output += 4) {
        const int32x4_t sum = rl_add_right_mve(&plain, vldrhq_s32(a), vldrhq_s32(b));
        vstrhq_s32(output, vminq_s32(vmaxq_s32(sum, low), high));
    }
    if ((plain.count & 3) != 0) {
        const mve_pred16_t active = vctp32q((uint32_t)plain.count & 3u);
        const int32x4_t sum = rl_add_right_mve(&plain, vldrhq_z_s32(a, active), vldrhq_z_s32(b, active));
        vstrhq_p_s32(output, vminq_s32(vmaxq_s32(sum, low), high), active);
    }
}

#endif
