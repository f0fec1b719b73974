// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_SCALAR_AVERAGE_S16_TILE_H
#define RL_KERNELS_SCALAR_AVERAGE_S16_TILE_H

#include "isa.h"
#include "pooling/window.h"
#include "requantize.h"

#include RL_WORDS(words)

static inline int16_t rl_average_s16(const struct rl_pool_window *w, int32_t sum)
{
    const int32_t count = w->rows * w->columns;
    const int32_t rounded = sum > 0 ? sum + count / 2 : sum - count / 2;
    return (int16_t)rl_clamp_s32(rounded / count, w->min, w->max);
}

static inline void rl_average_of_channel_s16(const struct rl_pool_window *w, const int16_t *input, int16_t *output)
{
    int32_t sum = 0;
    for (int32_t y = w->rows; y > 0; y--) {
        const int16_t *pixel = input;
        for (int32_t x = w->columns; x > 0; x--) {
            sum += *pixel;
            pixel += w->channels;
        }
        input += w->row_stride;
    }
    *output = rl_average_s16(w, sum);
}

// Adds two neighbouring channels, which one load serves where words may have any address.
static inline void rl_add_two_s16(const int16_t *pixel, int32_t *first, int32_t *second)
{
    if (RL_HAS_UNALIGNED_WORDS) {
        const int32_t both = (int32_t)rl_load_word(pixel);
        *first += (int16_t)both;
        *second += both >> 16;
    } else {
        *first += pixel[0];
        *second += pixel[1];
    }
}

// Averages four neighbouring channels.
static inline void rl_average_of_channels_s16(const struct rl_pool_window *w, const int16_t *input, int16_t *output)
{
    int32_t sum_0 = 0, sum_1 = 0, sum_2 = 0, sum_3 = 0;
    for (int32_t y = w->rows; y > 0; y--) {
        const int16_t *pixel = input;
        for (int32_t x = w->columns; x > 0; x--) {
            rl_add_two_s16(pixel, &sum_0, &sum_1);
            rl_add_two_s16(pixel + 2, &sum_2, &sum_3);
            pixel += w->channels;
        }
        input += w->row_stride;
    }
    output[0] = rl_average_s16(w, sum_0);
    output[1] = rl_average_s16(w, sum_1);
    output[2] = rl_average_s16(w, sum_2);
    output[3] = rl_average_s16(w, sum_3);
}

// Averages each channel over a window of at least one pixel, rounds ties away from zero, and clamps.
static inline void rl_average_s16_tile(const struct rl_pool_window *window, const int16_t *input, int16_t *output)
{
    const struct rl_pool_window w = *window;
    int32_t c = 0;
    for (; c + 4 <= w.channels; c += 4) {
        rl_average_of_channels_s16(&w, input + c, output + c);
    }
    for (; c < w.channels; c++) {
        rl_average_of_channel_s16(&w, input + c, output + c);
    }
}

#endif
