// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_SCALAR_AVERAGE_S16_TILE_H
#define RL_KERNELS_SCALAR_AVERAGE_S16_TILE_H

#include "pooling/sums_s16.h"

// Averages four neighbouring channels.
static inline void rl_average_of_channels_s16(const struct rl_pool_window *w, const int16_t *input, int16_t *output)
{
    const struct rl_sums_of_four sums = rl_sums_of_four_s16(w, input);
    output[0] = rl_average_by_division_s16(w, sums.sum_0);
    output[1] = rl_average_by_division_s16(w, sums.sum_1);
    output[2] = rl_average_by_division_s16(w, sums.sum_2);
    output[3] = rl_average_by_division_s16(w, sums.sum_3);
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
        output[c] = rl_average_by_division_s16(&w, rl_sum_of_channel_s16(&w, input + c));
    }
}

#endif
