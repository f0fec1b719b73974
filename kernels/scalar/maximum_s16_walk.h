// SPDX-License-Identifier: Apache-2.0
// The channels of a maximum pool of int16: four at a time with rl_maximum_of_channels_s16, which a tile defines before
// it includes this file, then the rest one by one.
#ifndef RL_KERNELS_SCALAR_MAXIMUM_S16_WALK_H
#define RL_KERNELS_SCALAR_MAXIMUM_S16_WALK_H

#include "pooling/window.h"
#include "requantize.h"

static inline void rl_maximum_of_channel_s16(const struct rl_pool_window *w, const int16_t *input, int16_t *output)
{
    int32_t maximum = w->min;
    for (int32_t y = w->rows; y > 0; y--) {
        const int16_t *pixel = input;
        for (int32_t x = w->columns; x > 0; x--) {
            maximum = rl_max_s32(maximum, *pixel);
            pixel += w->channels;
        }
        input += w->row_stride;
    }
    *output = (int16_t)rl_min_s32(maximum, w->max);
}

// Maximum of each channel over a window, then the activation limits. An empty window gives the lower limit.
static inline void rl_maximum_s16_tile(const struct rl_pool_window *window, const int16_t *input, int16_t *output)
{
    const struct rl_pool_window w = *window;
    int32_t c = 0;
    for (; c + 4 <= w.channels; c += 4) {
        rl_maximum_of_channels_s16(&w, input + c, output + c);
    }
    for (; c < w.channels; c++) {
        rl_maximum_of_channel_s16(&w, input + c, output + c);
    }
}

#endif
