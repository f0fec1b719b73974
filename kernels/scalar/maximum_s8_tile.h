// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_SCALAR_MAXIMUM_S8_TILE_H
#define RL_KERNELS_SCALAR_MAXIMUM_S8_TILE_H

#include "pooling/window.h"
#include "requantize.h"

// Maximum of each channel over a window, then the activation limits. An empty window gives the lower limit.
static inline void rl_maximum_s8_tile(const struct rl_pool_window *window, const int8_t *input,
                                      int8_t *output)
{
    const struct rl_pool_window w = *window;
    for (int32_t c = 0; c < w.channels; c++) {
        int32_t maximum = INT8_MIN;
        for (int32_t y = 0; y < w.rows; y++) {
            const int8_t *pixel = input + y * w.row_stride + c;
            for (int32_t x = 0; x < w.columns; x++) {
                maximum = rl_max_s32(maximum, *pixel);
                pixel += w.channels;
            }
        }
        output[c] = (int8_t)rl_clamp_s32(maximum, w.min, w.max);
    }
}

#endif
