// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_SCALAR_MAXIMUM_S16_TILE_H
#define RL_KERNELS_SCALAR_MAXIMUM_S16_TILE_H

#include "pooling/window.h"
#include "requantize.h"

// Stores the maxima of four neighbouring channels.
static inline void rl_maximum_of_channels_s16(const struct rl_pool_window *w, const int16_t *input, int16_t *output)
{
    int32_t maximum_0 = w->min, maximum_1 = w->min, maximum_2 = w->min, maximum_3 = w->min;
    for (int32_t y = w->rows; y > 0; y--) {
        const int16_t *pixel = input;
        for (int32_t x = w->columns; x > 0; x--) {
            maximum_0 = rl_max_s32(maximum_0, pixel[0]);
            maximum_1 = rl_max_s32(maximum_1, pixel[1]);
            maximum_2 = rl_max_s32(maximum_2, pixel[2]);
            maximum_3 = rl_max_s32(maximum_3, pixel[3]);
            pixel += w->channels;
        }
        input += w->row_stride;
    }
    output[0] = (int16_t)rl_min_s32(maximum_0, w->max);
    output[1] = (int16_t)rl_min_s32(maximum_1, w->max);
    output[2] = (int16_t)rl_min_s32(maximum_2, w->max);
    output[3] = (int16_t)rl_min_s32(maximum_3, w->max);
}

#include "scalar/maximum_s16_walk.h"

#endif
