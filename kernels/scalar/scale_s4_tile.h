// SPDX-License-Identifier: Apache-2.0
// The outputs of a layer with one scale from its sums: those of int4 weights, and of SVDF.
#ifndef RL_KERNELS_SCALAR_SCALE_S4_TILE_H
#define RL_KERNELS_SCALAR_SCALE_S4_TILE_H

#include "elementwise/rescale.h"
#include "isa.h"
#include "requantize.h"
#include "rushlight/kernels/fully_connected.h"
#include RL_TILE(rescale_tile.h)

enum { RL_SUMS_S4 = 16 }; // sums kept at a time, a multiple of four

// Adds the biases from channel `first` on to `count` sums, and scales them with layer->scale. Of the layer it reads
// `bias`, `scale`, `output_offset` and `range`.
static inline void rl_scale_s4(const struct rl_fully_connected *layer, const int32_t *sums, int32_t first,
                               int32_t count, int8_t *output)
{
    const struct rl_scale scale = layer->scale;
    const int32_t low = layer->range.min, high = layer->range.max, most = INT32_C(1) << 29;
    struct rl_rescale rescale = {0, 0, 0};
    const bool is_short = !RL_SMALL && rl_rescale_init(layer->output_offset, scale.multiplier, scale.shift, &rescale);
    for (int32_t i = 0; i < count; i++) {
        const int32_t sum = sums[i] + (layer->bias ? layer->bias[first + i] : 0);
        if (!RL_SMALL && is_short && sum >= -most && sum <= most) {
            output[i] = (int8_t)rl_clamp_s32(rl_rescale(rescale, sum * 2), low, high);
            continue;
        }
        const int32_t scaled = rl_requantize(sum, scale.multiplier, scale.shift);
        output[i] = rl_output_s8(scaled, layer->output_offset, low, high);
    }
}

#endif
