// SPDX-License-Identifier: Apache-2.0
#include <stdbool.h>
#include <stddef.h>

#include "convolution/unpack_s4.h"
#include "fully_connected/fully_connected.h"
#include "isa.h"
#include "requantize.h"
#include "rushlight/kernels/fully_connected.h"
#include RL_TILE(dot_s4_tile.h)
#include RL_TILE(scale_channels_tile.h)
#include RL_TILE(scale_s4_tile.h)

enum {
    UNPACKED = 1024,                                    // weights unpacked at a time
    SCALAR_WORDS = RL_HAS_THUMB_LOOP && !RL_HAS_DSP,    // scalar/words_s4.h
    SUMS = SCALAR_WORDS && !RL_SMALL ? 64 : RL_SUMS_S4, // kept at a time; a row is arranged for them up to four times
};

// The filters are one row of int4 weights after the other, so with an odd depth every second filter starts in the upper
// half of a byte. Its first product is computed apart, and the rest starts in a lower half. Filters that start alike
// are multiplied together: neighbours, or with an odd depth every second one.
// Computes the sums of the channels `first` and `next`, without biases. `is_odd`, a constant, tells whether the depth
// is.
static inline __attribute__((always_inline)) void sum_pair(const struct rl_fully_connected *layer,
                                                           struct rl_row_s4 *row, int32_t first, int32_t next,
                                                           bool is_odd, int32_t sums[2])
{
    const int32_t depth = layer->depth, offset = layer->input_offset;
    const int8_t *filter = layer->weights + (first * depth >> 1), *next_filter = layer->weights + (next * depth >> 1);
    const int32_t apart = is_odd ? first & 1 : 0; // weights that are in an upper half
    sums[0] = sums[1] = 0;
    if (apart != 0) {
        const int32_t value = *row->values + offset;
        sums[0] += value * rl_high_s4(*filter++);
        sums[1] += value * rl_high_s4(*next_filter++);
    }
    rl_dot_s4_pair(row, apart, offset, filter, next_filter, depth - apart, sums);
}

// The sums of channel first + k and of the one `apart` behind it, which the last channels do not have.
static inline __attribute__((always_inline)) void sum_some(const struct rl_fully_connected *layer,
                                                           struct rl_row_s4 *row, int32_t first, int32_t k,
                                                           int32_t count, bool is_odd, int32_t *sums)
{
    const int32_t apart = is_odd ? 2 : 1, next = k + apart < count ? k + apart : k;
    int32_t pair[2];
    sum_pair(layer, row, first + k, first + next, is_odd, pair);
    sums[next] = pair[1];
    sums[k] = pair[0];
}

// Channels 0 and 2, 1 and 3, 4 and 6, and so on. `first` is even.
static __attribute__((noinline)) void sum_odd(const struct rl_fully_connected *layer, struct rl_row_s4 *row,
                                              int32_t first, int32_t count, int32_t *sums)
{
    for (int32_t k = 0; k < count; k += (k & 1) != 0 ? 3 : 1) {
        sum_some(layer, row, first, k, count, true, sums);
    }
}

// The sums of the channels [first, first + count), without biases.
static void sum_channels(const struct rl_fully_connected *layer, struct rl_row_s4 *row, int32_t first, int32_t count,
                         int32_t *sums)
{
    if (rl_dots_s4(row, layer->input_offset, layer->weights + (first * layer->depth >> 1), count, sums)) {
        return;
    }
    if ((layer->depth & 1) != 0) {
        sum_odd(layer, row, first, count, sums);
        return;
    }
    for (int32_t k = 0; k < count; k += 2) {
        sum_some(layer, row, first, k, count, false, sums);
    }
}

// Runs rows part by part.
static __attribute__((noinline)) void run_packed(const struct rl_fully_connected *layer, const int8_t *input,
                                                 int8_t *output)
{
    const int32_t depth = layer->depth, channels = layer->channels;
    for (int32_t i = 0; i < layer->rows; i++, input += depth) {
        struct rl_row_s4 row;
        rl_row_s4_start(&row, input, depth);
        for (int32_t first = 0; first < channels; first += SUMS) {
            int32_t sums[SUMS];
            const int32_t count = rl_min_s32(channels - first, SUMS);
            sum_channels(layer, &row, first, count, sums);
            if (RL_HAS_ROWS_S4 && layer->scales.multiplier) {
                rl_scale_channels_s4(layer, sums, first, count, output);
            } else {
                rl_scale_s4(layer, sums, first, count, output);
            }
            output += count;
        }
    }
}

// Unpacks the weights of as many channels as fit, and runs them as an int8 layer. An even number of channels starts and
// ends at whole bytes.
static __attribute__((noinline)) void run_unpacked(const struct rl_fully_connected *layer, const int8_t *input,
                                                   int8_t *output)
{
    const int32_t depth = layer->depth, channels = layer->channels;
    const int32_t most = UNPACKED / depth & ~1;
    int8_t weights[UNPACKED];
    struct rl_fully_connected part = *layer;
    part.weights = weights;
    for (int32_t first = 0; first < channels; first += part.channels) {
        part.channels = rl_min_s32(channels - first, most);
        part.bias = layer->bias ? layer->bias + first : NULL;
        rl_unpack_s4(layer->weights + (first * depth >> 1), 0, part.channels * depth, weights);
        rl_fully_connected_begin_with(&part, part.bias, part.input_offset);
        if (part.channels == channels) {
            rl_fully_connected_run(&part, input, output, (struct rl_scratch){NULL, 0});
            return;
        }
        part.rows = 1;
        for (int32_t row = 0; row < layer->rows; row++) {
            rl_fully_connected_run(&part, input + (ptrdiff_t)row * depth, output + (ptrdiff_t)row * channels + first,
                                   (struct rl_scratch){NULL, 0});
        }
    }
}

// Whether unpacking takes less time, which it never does where words of weights are multiplied. It takes three cycles a
// weight on a Cortex-M4, and a product of int8 0.7 more than one of int4, but an output 76 less, and 15 less for each
// value behind the last eight of a row. All of it takes 400 more. Other cores are alike.
static bool suits_unpacking(const struct rl_fully_connected *layer)
{
    const int32_t rows = layer->rows, depth = layer->depth;
    if (RL_SMALL || depth == 0 || depth > UNPACKED / 2 || (SCALAR_WORDS && (depth & 1) == 0)) {
        return false;
    }
    const int32_t saved = rows * 10 * (76 + 15 * (depth & 7)) - depth * (30 + 7 * rows); // tenths a channel
    return saved > 0 && layer->channels > 4000 / saved;
}

void rl_fully_connected_s4_run(const struct rl_fully_connected *layer, const int8_t *input, int8_t *output)
{
    if (suits_unpacking(layer)) {
        run_unpacked(layer, input, output);
    } else {
        run_packed(layer, input, output);
    }
}

void rl_fully_connected_s4_rows(const struct rl_fully_connected *layer, const int8_t *input, int8_t *output)
{
    run_packed(layer, input, output);
}
