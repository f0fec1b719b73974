// SPDX-License-Identifier: Apache-2.0
#include <stdbool.h>
#include <stddef.h>

#include "isa.h"
#include "requantize.h"
#include "rushlight/kernels/fully_connected.h"
#include RL_TILE(dot_tile.h)

void rl_fully_connected_s16_run(const struct rl_fully_connected *layer, const int16_t *input, int16_t *output)
{
    const int32_t multiplier = rl_reduce_multiplier(layer->scale.multiplier), shift = layer->scale.shift;
    const int32_t low = layer->range.min, high = layer->range.max;
    const int32_t depth = layer->depth, channels = layer->channels;
    for (int32_t row = 0; row < layer->rows; row++) {
        const int8_t *weights = layer->weights;
        for (int32_t channel = 0; channel < channels; channel += 2) {
            const bool pair = channel + 1 < channels;
            int64_t sums[2] = {0, 0};
            if (layer->wide_bias) {
                sums[0] = layer->wide_bias[channel];
                sums[1] = layer->wide_bias[channel + (pair ? 1 : 0)];
            }
            rl_dot_s16_s8_pair(input, weights, pair ? weights + depth : weights, depth, sums);
            output[channel] = (int16_t)rl_clamp_s32(rl_requantize_s64(sums[0], multiplier, shift), low, high);
            if (pair) {
                output[channel + 1] = (int16_t)rl_clamp_s32(rl_requantize_s64(sums[1], multiplier, shift), low, high);
            }
            weights += 2 * depth;
        }
        input += depth;
        output += channels;
    }
}
