// SPDX-License-Identifier: Apache-2.0
// As in scalar/scale_s4_tile.h.
#ifndef RL_KERNELS_MVE_SCALE_S4_TILE_H
#define RL_KERNELS_MVE_SCALE_S4_TILE_H

#include "mve/requantize_mve.h"
#include "rushlight/kernels/fully_connected.h"

enum { RL_SUMS_S4 = 64 };

static inline void rl_scale_s4(const struct rl_fully_connected *layer, int32_t *sums, int32_t first, int32_t count,
                               int8_t *output)
{
    const int32_t *bias = layer->bias ? layer->bias + first : sums;
    const int32x4_t low = vdupq_n_s32(layer->range.min), high = vdupq_n_s32(layer->range.max);
    for (; count > 0; count -= 4, sums += 4, bias += 4, output += 4) {
        const mve_pred16_t active = vctp32q((uint32_t)count);
        int32x4_t sum = vldrwq_z_s32(sums, active);
        if (layer->bias) {
            sum = vaddq_s32(sum, vldrwq_z_s32(bias, active));
        }
        const int32x4_t scaled = rl_requantize_mve(sum, layer->scale.multiplier, layer->scale.shift);
        const int32x4_t value = vmaxq_s32(vaddq_n_s32(scaled, layer->output_offset), low);
        vstrbq_p_s32(output, vminq_s32(value, high), active);
    }
}

#endif
