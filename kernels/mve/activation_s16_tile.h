// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_MVE_ACTIVATION_S16_TILE_H
#define RL_KERNELS_MVE_ACTIVATION_S16_TILE_H

#include <arm_mve.h>

#include "activation/activation_s16.h"

// rl_activation_scaled for four elements, as many as are active.
static inline int32x4_t rl_activation_load(struct rl_activation_input scale, const int16_t *input,
                                           mve_pred16_t active)
{
    const int32x4_t product = vmulq_n_s32(vldrhq_z_s32(input, active), scale.multiplier);
    return vshlq_r_s32(vaddq_n_s32(product, scale.rounding), -scale.right_shift);
}

// rl_sigmoid_interpolate of four magnitudes. Lanes beyond the table read its end, which is then replaced.
static inline uint32x4_t rl_sigmoid_interpolate_mve(uint32x4_t magnitude, int32_t bits, uint32_t saturated)
{
    const uint32x4_t last = vdupq_n_u32(RL_SIGMOID_TABLE_SIZE - 2);
    const uint32x4_t position = vshlq_r_u32(magnitude, -bits);
    const uint32x4_t index = vminq_u32(position, last);
    const uint32x4_t here = vldrhq_gather_shifted_offset_u32(rl_sigmoid_table, index);
    const uint32x4_t next = vldrhq_gather_shifted_offset_u32(rl_sigmoid_table + 1, index);
    const uint32x4_t offset = vandq_u32(magnitude, vdupq_n_u32((UINT32_C(1) << bits) - 1));
    const uint32x4_t value = vaddq_u32(vshlq_r_u32(here, bits), vmulq_u32(offset, vsubq_u32(next, here)));
    return vpselq_u32(vdupq_n_u32(saturated), value, vcmphiq_u32(position, last));
}

// output[i] = sigmoid(input[i]) for i < count, with 15 fractional bits. In place is allowed.
static inline void rl_sigmoid_s16_tile(struct rl_activation_input scale, const int16_t *input,
                                       int16_t *output, int32_t count)
{
    for (; count > 0; count -= 4, input += 4, output += 4) {
        const mve_pred16_t active = vctp32q((uint32_t)count);
        const int32x4_t value = rl_activation_load(scale, input, active);
        const uint32x4_t magnitude = vreinterpretq_u32_s32(vabsq_s32(value));
        const uint32x4_t right = rl_sigmoid_interpolate_mve(magnitude, 9, UINT32_C(0x7fff) << 10);
        const uint32x4_t left = vsubq_u32(vdupq_n_u32((1u << 25) + (1u << 9) - 1u), right);
        const uint32x4_t rounded = vpselq_u32(left, vaddq_n_u32(right, 1u << 9), vcmpltq_n_s32(value, 0));
        vstrhq_p_u32((uint16_t *)output, vshrq_n_u32(rounded, 10), active);
    }
}

// output[i] = tanh(input[i]) for i < count, with 15 fractional bits. In place is allowed.
static inline void rl_tanh_s16_tile(struct rl_activation_input scale, const int16_t *input, int16_t *output,
                                    int32_t count)
{
    for (; count > 0; count -= 4, input += 4, output += 4) {
        const mve_pred16_t active = vctp32q((uint32_t)count);
        const int32x4_t value = rl_activation_load(scale, input, active);
        const uint32x4_t magnitude = vreinterpretq_u32_s32(vabsq_s32(value));
        const uint32x4_t right = rl_sigmoid_interpolate_mve(magnitude, 8, UINT32_C(0xffff) << 8);
        const uint32x4_t left = vsubq_u32(vdupq_n_u32((1u << 23) + (1u << 7) - 1u), right);
        const uint32x4_t rounded =
            vpselq_u32(left, vsubq_n_u32(right, (1u << 23) - (1u << 7)), vcmpltq_n_s32(value, 0));
        vstrhq_p_u32((uint16_t *)output, vshrq_n_u32(rounded, 8), active);
    }
}

#endif
