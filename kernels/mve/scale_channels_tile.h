// SPDX-License-Identifier: Apache-2.0
// As in scalar/scale_channels_tile.h.
#ifndef RL_KERNELS_MVE_SCALE_CHANNELS_TILE_H
#define RL_KERNELS_MVE_SCALE_CHANNELS_TILE_H

#include "mve/requantize_mve.h"
#include "rushlight/kernels/fully_connected.h"

static inline void rl_scale_channels_s4(const struct rl_fully_connected *layer, const int32_t *sums, int32_t first,
                                        int32_t count, int8_t *output)
{
    const int32_t *bias = layer->bias ? layer->bias + first : NULL;
    const int32_t *multiplier = layer->scales.multiplier + first, *shift = layer->scales.shift + first;
    const int32x4_t low = vdupq_n_s32(layer->range.min), high = vdupq_n_s32(layer->range.max);
    for (int32_t i = 0; i < count; i += 4) {
        const mve_pred16_t active = vctp32q((uint32_t)(count - i));
        int32x4_t sum = vldrwq_z_s32(sums + i, active);
        if (bias) {
            sum = vaddq_s32(sum, vldrwq_z_s32(bias + i, active));
        }
        const int32x4_t multipliers = vldrwq_z_s32(multiplier + i, active), shifts = vldrwq_z_s32(shift + i, active);
        const int32x4_t scaled = rl_requantize_lanes_mve(sum, multipliers, shifts);
        const int32x4_t value = vmaxq_s32(vaddq_n_s32(scaled, layer->output_offset), low);
        vstrbq_p_s32(output + i, vminq_s32(value, high), active);
    }
}

#endif
