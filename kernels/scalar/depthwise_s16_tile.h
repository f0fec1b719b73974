// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_SCALAR_DEPTHWISE_S16_TILE_H
#define RL_KERNELS_SCALAR_DEPTHWISE_S16_TILE_H

#include "depthwise/window_s16.h"

// Channels that rl_depthwise_sums_s16 takes at most.
enum { RL_DEPTHWISE_S16_CHANNELS = 4 };

static inline int32_t rl_depthwise_sum_s16(const struct rl_window_s16 *w, int32_t channel)
{
    const int16_t *input_row = w->input + channel;
    const int8_t *filter_row = w->filter + channel;
    int32_t sum = 0;
    for (int32_t y = w->rows; y > 0; y--) {
        const int16_t *input = input_row;
        const int8_t *filter = filter_row;
        for (int32_t x = w->columns; x > 0; x--) {
            sum += *input * *filter;
            input += w->input_column;
            filter += w->filter_column;
        }
        input_row += w->input_row;
        filter_row += w->filter_row;
    }
    return sum;
}

// Sums of the window for `count` channels from `channel` on, one input channel each, at most
// RL_WINDOW_S16_LIMIT taps.
static inline void rl_depthwise_sums_s16(const struct rl_window_s16 *w, int32_t channel, int32_t count,
                                         int32_t sums[RL_DEPTHWISE_S16_CHANNELS])
{
    if (count < RL_DEPTHWISE_S16_CHANNELS) {
        for (int32_t i = 0; i < count; i++) {
            sums[i] = rl_depthwise_sum_s16(w, channel + i);
        }
        return;
    }
    int32_t sum_0 = 0, sum_1 = 0, sum_2 = 0, sum_3 = 0;
    const int16_t *input_row = w->input + channel;
    const int8_t *filter_row = w->filter + channel;
    for (int32_t y = w->rows; y > 0; y--) {
        const int16_t *input = input_row;
        const int8_t *filter = filter_row;
        for (int32_t x = w->columns; x > 0; x--) {
            sum_0 += input[0] * filter[0];
            sum_1 += input[1] * filter[1];
            sum_2 += input[2] * filter[2];
            sum_3 += input[3] * filter[3];
            input += w->input_column;
            filter += w->filter_column;
        }
        input_row += w->input_row;
        filter_row += w->filter_row;
    }
    sums[0] = sum_0;
    sums[1] = sum_1;
    sums[2] = sum_2;
    sums[3] = sum_3;
}

#endif
