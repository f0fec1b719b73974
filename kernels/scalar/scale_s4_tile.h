// SPDX-License-Identifier: Apache-2.0
// The outputs of a fully connected layer with int4 weights.
#ifndef RL_KERNELS_SCALAR_SCALE_S4_TILE_H
#define RL_KERNELS_SCALAR_SCALE_S4_TILE_H

#include "requantize.h"
#include "rushlight/kernels/fully_connected.h"

enum { RL_SUMS_S4 = 4 }; // sums kept at a time, a multiple of four

// Adds the biases from channel `first` on to `count` sums, and scales them with layer->scale.
static inline void rl_scale_s4(const struct rl_fully_connected *layer, const int32_t *sums, int32_t first,
                               int32_t count, int8_t *output)
{
    for (int32_t i = 0; i < count; i++) {
        const int32_t sum = sums[i] + (layer->bias ? layer->bias[first + i] : 0);
        const int32_t scaled = rl_requantize(sum, layer->scale.multiplier, layer->scale.shift);
        output[i] = rl_output_s8(scaled, layer->output_offset, layer->range.min, layer->range.max);
    }
}

#endif
