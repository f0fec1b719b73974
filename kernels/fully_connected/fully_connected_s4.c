// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>

#include "isa.h"
#include "requantize.h"
#include "rushlight/kernels/fully_connected.h"
#include RL_TILE(dot_s4_tile.h)
#include RL_TILE(scale_s4_tile.h)

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

// Adds the products of two filters that both start in the same half of a byte.
static void sum_pair(struct rl_row_s4 *row, int32_t offset, int32_t depth, struct filter f_0, struct filter f_1,
                     int32_t sums[2])
{
    const int32_t first = depth > 0 ? f_0.first : 0;
    if (first != 0) {
        const int32_t value = *row->values + offset;
        sums[0] += value * rl_high_s4(*f_0.weights++);
        sums[1] += value * rl_high_s4(*f_1.weights++);
    }
    rl_dot_s4_pair(row, first, offset, f_0.weights, f_1.weights, depth - first, sums);
}

// The sums of the channels [first, first + count), without biases.
static void sum_channels(const struct rl_fully_connected *layer, struct rl_row_s4 *row, int32_t first, int32_t count,
                         int32_t *sums)
{
    const int32_t depth = layer->depth, apart = 1 + (depth & 1); // from a filter to the next that starts as it does
    if (rl_dots_s4(row, layer->input_offset, filter_of(layer->weights, first, depth).weights, count, sums)) {
        return;
    }
    for (int32_t i = 0; i < count; i += 2 * apart) {
        for (int32_t k_0 = i; k_0 < rl_min_s32(i + apart, count); k_0++) {
            const int32_t k_1 = k_0 + apart < count ? k_0 + apart : k_0;
            int32_t pair[2] = {0, 0};
            sum_pair(row, layer->input_offset, depth, filter_of(layer->weights, first + k_0, depth),
                     filter_of(layer->weights, first + k_1, depth), pair);
            sums[k_1] = pair[1];
            sums[k_0] = pair[0];
        }
    }
}

void rl_fully_connected_s4_run(const struct rl_fully_connected *layer, const int8_t *input, int8_t *output)
{
    const int32_t depth = layer->depth, channels = layer->channels;
    for (int32_t i = 0; i < layer->rows; i++, input += depth) {
        struct rl_row_s4 row;
        rl_row_s4_start(&row, input, depth);
        for (int32_t first = 0; first < channels; first += RL_SUMS_S4) {
            int32_t sums[RL_SUMS_S4];
            const int32_t count = rl_min_s32(channels - first, RL_SUMS_S4);
            sum_channels(layer, &row, first, count, sums);
            rl_scale_s4(layer, sums, first, count, output);
            output += count;
        }
    }
}
