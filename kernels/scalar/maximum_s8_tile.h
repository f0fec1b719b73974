// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_SCALAR_MAXIMUM_S8_TILE_H
#define RL_KERNELS_SCALAR_MAXIMUM_S8_TILE_H

#include "isa.h"
#include "pooling/window.h"
#include "requantize.h"
#include RL_TILE(packed_s8_tile.h)

static inline int8_t rl_maximum_of_channel(const struct rl_pool_window *w, const int8_t *input)
{
    int32_t maximum = INT8_MIN;
    for (int32_t y = 0; y < w->rows; y++) {
        const int8_t *pixel = input + y * w->row_stride;
        for (int32_t x = 0; x < w->columns; x++) {
            maximum = rl_max_s32(maximum, *pixel);
            pixel += w->channels;
        }
    }
    return (int8_t)rl_clamp_s32(maximum, w->min, w->max);
}

static inline uint32_t rl_maximum_limit(const struct rl_pool_window *w, uint32_t maxima)
{
    if (w->min == INT8_MIN && w->max == INT8_MAX) {
        return maxima;
    }
    return rl_minimum_s8x4(rl_maximum_s8x4(maxima, rl_repeat_s8x4(w->min)), rl_repeat_s8x4(w->max));
}

// Stores the maxima of four channels.
static inline void rl_maximum_of_4_channels(const struct rl_pool_window *w, const int8_t *input, int8_t *output)
{
    uint32_t maxima = rl_repeat_s8x4(INT8_MIN);
    for (int32_t y = w->rows; y > 0; y--) {
        const int8_t *pixel = input;
        for (int32_t x = w->columns; x > 0; x--) {
            maxima = rl_maximum_s8x4(maxima, rl_load_s8x4(pixel));
            pixel += w->channels;
        }
        input += w->row_stride;
    }
    rl_store_s8x4(output, rl_maximum_limit(w, maxima));
}

// Stores the maxima of eight channels, which halves the cost of the loops.
static inline void rl_maximum_of_8_channels(const struct rl_pool_window *w, const int8_t *input, int8_t *output)
{
    uint32_t maxima[2] = {rl_repeat_s8x4(INT8_MIN), rl_repeat_s8x4(INT8_MIN)};
    for (int32_t y = w->rows; y > 0; y--, input += w->row_stride) {
        rl_maximum_of_eights_s8(maxima, input, w->columns, w->channels);
    }
    rl_store_s8x4(output, rl_maximum_limit(w, maxima[0]));
    rl_store_s8x4(output + 4, rl_maximum_limit(w, maxima[1]));
}

// Maximum of each channel over a window, then the activation limits. An empty window gives the lower limit.
static inline void rl_maximum_s8_tile(const struct rl_pool_window *window, const int8_t *input, int8_t *output)
{
    const struct rl_pool_window w = *window;
    int32_t c = 0;
    if (w.columns > 0 && rl_words_allowed((uintptr_t)input | (uintptr_t)output | (uintptr_t)w.channels)) {
        for (; c + 8 <= w.channels; c += 8) {
            rl_maximum_of_8_channels(&w, input + c, output + c);
        }
        for (; c + 4 <= w.channels; c += 4) {
            rl_maximum_of_4_channels(&w, input + c, output + c);
        }
        if (RL_HAS_UNALIGNED_WORDS && c > 0 && c < w.channels) { // the last four, some of them again
            c = w.channels - 4;
            rl_maximum_of_4_channels(&w, input + c, output + c);
            return;
        }
    }
    for (; c < w.channels; c++) {
        output[c] = rl_maximum_of_channel(&w, input + c);
    }
}

#endif
