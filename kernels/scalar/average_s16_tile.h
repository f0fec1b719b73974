// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_SCALAR_AVERAGE_S16_TILE_H
#define RL_KERNELS_SCALAR_AVERAGE_S16_TILE_H

#include "pooling/window.h"
#include "requantize.h"

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

// Averages four neighbouring channels.
static inline void rl_average_of_channels_s16(const struct rl_pool_window *w, const int16_t *input, int16_t *output)
{
    int32_t sum_0 = 0, sum_1 = 0, sum_2 = 0, sum_3 = 0;
    for (int32_t y = w->rows; y > 0; y--) {
        const int16_t *pixel = input;
        for (int32_t x = w->columns; x > 0; x--) {
            sum_0 += pixel[0];
            sum_1 += pixel[1];
            sum_2 += pixel[2];
            sum_3 += pixel[3];
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
