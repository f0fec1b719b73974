// SPDX-License-Identifier: Apache-2.0
#include <stdbool.h>
#include <stddef.h>

#include "elementwise/rescale.h"
#include "isa.h"
#include "requantize.h"
#include "rushlight/kernels/fully_connected.h"
#include RL_TILE(dot_s4_tile.h)
#include RL_TILE(rescale_tile.h)

// The filters are one row of int4 weights after the other, so with an odd depth every second filter starts in the upper
// half of a byte. Its first product is computed apart, and the rest starts in a lower half. Filters that start alike
// are multiplied together: neighbours, or with an odd depth every second one.
// sums[i] = the sum of channel `first` or `next`, bias included. `is_odd`, a constant, tells whether the depth is.
static inline __attribute__((always_inline)) void find_sums(const struct rl_fully_connected *layer,
                                                            struct rl_row_s4 *row, int32_t first, int32_t next,
                                                            bool is_odd, int32_t sums[2])
{
    const int32_t depth = layer->depth, offset = layer->input_offset;
    const int8_t *filter = layer->weights + (first * depth >> 1), *next_filter = layer->weights + (next * depth >> 1);
    const int32_t apart = is_odd ? first & 1 : 0; // weights that are in an upper half
    sums[0] = sums[1] = 0;
    if (layer->bias) {
        sums[0] = layer->bias[first];
        sums[1] = layer->bias[next];
    }
    if (apart != 0) {
        const int32_t value = *row->values + offset;
        sums[0] += value * rl_high_s4(*filter++);
        sums[1] += value * rl_high_s4(*next_filter++);
    }
    rl_dot_s4_pair(row, apart, offset, filter, next_filter, depth - apart, sums);
}

// The scale of a layer, short if `is_short`.
struct scaling {
    bool is_short;
    struct rl_rescale rescale;
};

static inline __attribute__((always_inline)) int8_t output_of(const struct rl_fully_connected *layer,
                                                              const struct scaling *scaling, int32_t sum)
{
    const int32_t low = layer->range.min, high = layer->range.max;
    if (!RL_SMALL && scaling->is_short && sum >= -(INT32_C(1) << 29) && sum <= (INT32_C(1) << 29)) {
        return (int8_t)rl_clamp_s32(rl_rescale(scaling->rescale, sum * 2), low, high);
    }
    const int32_t scaled = rl_requantize(sum, layer->scale.multiplier, layer->scale.shift);
    return rl_output_s8(scaled, layer->output_offset, low, high);
}

static inline __attribute__((always_inline)) void run_pair(const struct rl_fully_connected *layer,
                                                           const struct scaling *scaling, struct rl_row_s4 *row,
                                                           int32_t first, bool is_odd, int8_t *output)
{
    const int32_t distance = is_odd ? 2 : 1;
    const int32_t next = first + distance < layer->channels ? first + distance : first;
    int32_t sums[2];
    find_sums(layer, row, first, next, is_odd, sums);
    output[first] = output_of(layer, scaling, sums[0]);
    output[next] = output_of(layer, scaling, sums[1]);
}

// Computes all channels of a row with an odd depth: 0 and 2, 1 and 3, 4 and 6, and so on.
static __attribute__((noinline)) void run_odd_row(const struct rl_fully_connected *layer, const struct scaling *scaling,
                                                  struct rl_row_s4 *row, int8_t *output)
{
    for (int32_t first = 0; first < layer->channels; first += (first & 1) != 0 ? 3 : 1) {
        run_pair(layer, scaling, row, first, true, output);
    }
}

void rl_fully_connected_s4_run(const struct rl_fully_connected *layer, const int8_t *input, int8_t *output)
{
    const struct rl_scale scale = layer->scale;
    struct scaling scaling;
    scaling.is_short =
        !RL_SMALL && rl_rescale_init(layer->output_offset, scale.multiplier, scale.shift, &scaling.rescale);
    for (int32_t rows = layer->rows; rows > 0; rows--, input += layer->depth, output += layer->channels) {
        struct rl_row_s4 row;
        rl_row_s4_start(&row, input, layer->depth);
        if ((layer->depth & 1) != 0) {
            run_odd_row(layer, &scaling, &row, output);
            continue;
        }
        for (int32_t first = 0; first < layer->channels; first += 2) {
            run_pair(layer, &scaling, &row, first, false, output);
        }
    }
}
