// SPDX-License-Identifier: Apache-2.0
// The outputs of int4 filters with scales of each channel, as convolutions have them, from their sums.
#ifndef RL_KERNELS_SCALAR_SCALE_CHANNELS_TILE_H
#define RL_KERNELS_SCALAR_SCALE_CHANNELS_TILE_H

#include "elementwise/rescale.h"
#include "fully_connected/fully_connected.h"
#include "isa.h"
#include "requantize.h"
#include "rushlight/kernels/fully_connected.h"
#include "scalar/store_s8.h"
#include RL_TILE(rescale_tile.h)

// Adds the biases from channel `first` on to `count` sums and scales them with layer->scales. Of the layer it reads
// `bias`, `scales`, `output_offset` and `range`. Not inlined, because the loop over channels would take its registers.
static __attribute__((noinline)) void rl_scale_channels_s4(const struct rl_fully_connected *layer, const int32_t *sums,
                                                           int32_t first, int32_t count, int8_t *output)
{
    if (RL_HAS_STORE_S8) {
        const struct rl_scales scales = {layer->scales.multiplier + first, layer->scales.shift + first};
        const struct rl_limits_s8 limits = {layer->range.min, layer->range.max};
        rl_store_s8(sums, layer->bias ? layer->bias + first : NULL, scales, layer->output_offset, limits, count,
                    output);
        return;
    }
    const int32_t most = INT32_C(1) << 29;
    for (int32_t i = 0; i < count; i++) {
        const struct rl_scale scale = rl_fully_connected_scale_of(layer, first + i);
        const int32_t sum = sums[i] + (layer->bias ? layer->bias[first + i] : 0);
        struct rl_rescale rescale;
        if (sum >= -most && sum <= most &&
            rl_rescale_init(layer->output_offset, scale.multiplier, scale.shift, &rescale)) {
            output[i] = (int8_t)rl_clamp_s32(rl_rescale(rescale, sum * 2), layer->range.min, layer->range.max);
        } else {
            const int32_t scaled = rl_requantize(sum, scale.multiplier, scale.shift);
            output[i] = rl_output_s8(scaled, layer->output_offset, layer->range.min, layer->range.max);
        }
    }
}

#endif
