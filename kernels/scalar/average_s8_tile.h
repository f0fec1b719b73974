// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_SCALAR_AVERAGE_S8_TILE_H
#define RL_KERNELS_SCALAR_AVERAGE_S8_TILE_H

#include "pooling/window.h"
#include "requantize.h"

// Average of each channel over a window of at least one pixel, ties away from zero.
static inline void rl_average_s8_tile(const struct rl_pool_window *window, const int8_t *input,
                                      int8_t *output)
{
    const struct rl_pool_window w = *window;
    const int32_t count = w.rows * w.columns;
    for (int32_t c = 0; c < w.channels; c++) {
        int32_t sum = 0;
        for (int32_t y = 0; y < w.rows; y++) {
            const int8_t *pixel = input + y * w.row_stride + c;
            for (int32_t x = 0; x < w.columns; x++) {
                sum += *pixel;
                pixel += w.channels;
            }
        }
        const int32_t rounded = sum > 0 ? sum + count / 2 : sum - count / 2;
        output[c] = (int8_t)rl_clamp_s32(rounded / count, w.min, w.max);
    }
}

#endif
