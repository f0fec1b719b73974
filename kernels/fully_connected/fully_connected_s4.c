// SPDX-License-Identifier: Apache-2.0
#include <stdbool.h>
#include <stddef.h>

#include "isa.h"
#include "requantize.h"
#include "rushlight/kernels/fully_connected.h"
#include RL_TILE(dot_s4_tile.h)

// The filters are one row of int4 weights after the other, so with an odd depth every second filter starts in the upper
// half of a byte. Its first product is computed apart, and the rest starts in a lower half.
struct filter {
    const int8_t *weights;
    int32_t first; // 0, or 1 when the first weight is in the upper half
};

static struct filter filter_of(const int8_t *weights, int32_t channel, int32_t depth)
{
    const int32_t start = channel * depth;
    return (struct filter){weights + (start >> 1), start & 1};
}

static int32_t sum_of(struct filter f, struct rl_row_s4 *row, int32_t offset, int32_t depth, int32_t bias)
{
    int32_t sums[2] = {bias, 0};
    const int32_t first = depth > 0 ? f.first : 0;
    if (first != 0) {
        sums[0] += (*row->values + offset) * rl_high_s4(*f.weights++);
    }
    rl_dot_s4_pair(row, first, offset, f.weights, f.weights, depth - first, sums);
    return sums[0];
}

void rl_fully_connected_s4_run(const struct rl_fully_connected *layer, const int8_t *input, int8_t *output)
{
    const int32_t depth = layer->depth, channels = layer->channels, offset = layer->input_offset;
    for (int32_t i = 0; i < layer->rows; i++, input += depth) {
        struct rl_row_s4 row;
        rl_row_s4_start(&row, input, depth);
        for (int32_t channel = 0; channel < channels; channel += 2) {
            const bool pair = channel + 1 < channels;
            const struct filter f_0 = filter_of(layer->weights, channel, depth);
            const struct filter f_1 = filter_of(layer->weights, channel + (pair ? 1 : 0), depth);
            int32_t sums[2] = {0, 0};
            if (layer->bias) {
                sums[0] = layer->bias[channel];
                sums[1] = layer->bias[channel + (pair ? 1 : 0)];
            }
            if (f_0.first == 0 && f_1.first == 0) {
                rl_dot_s4_pair(&row, 0, offset, f_0.weights, f_1.weights, depth, sums);
            } else {
                sums[0] = sum_of(f_0, &row, offset, depth, sums[0]);
                sums[1] = sum_of(f_1, &row, offset, depth, sums[1]);
            }
            for (int32_t k = 0; k < (pair ? 2 : 1); k++) {
                const int32_t scaled = rl_requantize(sums[k], layer->scale.multiplier, layer->scale.shift);
                *output++ = rl_output_s8(scaled, layer->output_offset, layer->range.min, layer->range.max);
            }
        }
    }
}
