// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_MVE_MUL_S16_TILE_H
#define RL_KERNELS_MVE_MUL_S16_TILE_H

#include "elementwise/elementwise.h"
#include "mve/requantize_mve.h"

// Multiplies and rescales up to four elements, those that are active.
static inline int32x4_t rl_mul_s16_mve(const struct rl_mul *mul, const int16_t *a, const int16_t *b,
                                       mve_pred16_t active)
{
    const int32x4_t product = vmulq_s32(vldrhq_z_s32(a, active), vldrhq_z_s32(b, active));
    return rl_requantize_mve(product, mul->scale.multiplier, mul->scale.shift);
}

static inline int32x4_t rl_mul_s16_limit(const struct rl_mul *mul, int32x4_t value)
{
    return vminq_s32(vmaxq_s32(value, vdupq_n_s32(mul->range.min)), vdupq_n_s32(mul->range.max));
}

// output[i] = a[i] * b[i] for all elements. The output may be one of the inputs.
static inline void rl_mul_s16_tile(const struct rl_mul *mul, const int16_t *a, const int16_t *b, int16_t *output)
{
    for (int32_t count = mul->count; count > 0; count -= 4, a += 4, b += 4, output += 4) {
        const mve_pred16_t active = vctp32q((uint32_t)count);
        vstrhq_p_s32(output, rl_mul_s16_limit(mul, rl_mul_s16_mve(mul, a, b, active)), active);
    }
}

// output[i] += a[i] * b[i] for all elements.
static inline void rl_mul_accumulate_s16_tile(const struct rl_mul *mul, const int16_t *a, const int16_t *b,
                                              int16_t *output)
{
    for (int32_t count = mul->count; count > 0; count -= 4, a += 4, b += 4, output += 4) {
        const mve_pred16_t active = vctp32q((uint32_t)count);
        const int32x4_t sum = vaddq_s32(vldrhq_z_s32(output, active), rl_mul_s16_mve(mul, a, b, active));
        vstrhq_p_s32(output, rl_mul_s16_limit(mul, sum), active);
    }
}

#endif
