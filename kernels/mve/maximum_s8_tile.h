// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_MVE_MAXIMUM_S8_TILE_H
#define RL_KERNELS_MVE_MAXIMUM_S8_TILE_H

#include <arm_mve.h>

#include "pooling/window.h"

// Stores the maxima of sixteen channels.
static inline void rl_maximum_of_channels(const struct rl_pool_window *w, const int8_t *input, int8_t *output)
{
    int8x16_t maxima = vdupq_n_s8((int8_t)w->min);
    for (int32_t y = w->rows; y > 0; y--) {
        const int8_t *pixel = input;
        for (int32_t x = w->columns; x > 0; x--) {
            maxima = vmaxq_s8(maxima, vldrbq_s8(pixel));
            pixel += w->channels;
        }
        input += w->row_stride;
    }
    vstrbq_s8(output, vminq_s8(maxima, vdupq_n_s8((int8_t)w->max)));
}

// Stores the maxima of up to sixteen channels, those that are active.
static inline void rl_maximum_of_active_channels(const struct rl_pool_window *w, mve_pred16_t active,
                                                 const int8_t *input, int8_t *output)
{
    int8x16_t maxima = vdupq_n_s8((int8_t)w->min);
    for (int32_t y = w->rows; y > 0; y--) {
        const int8_t *pixel = input;
        for (int32_t x = w->columns; x > 0; x--) {
            maxima = vmaxq_s8(maxima, vldrbq_z_s8(pixel, active));
            pixel += w->channels;
        }
        input += w->row_stride;
    }
    vstrbq_p_s8(output, vminq_s8(maxima, vdupq_n_s8((int8_t)w->max)), active);
}

// Maximum of each channel over a window, then the activation limits. An empty window gives the lower limit.
static inline void rl_maximum_s8_tile(const struct rl_pool_window *window, const int8_t *input, int8_t *output)
{
    const struct rl_pool_window w = *window;
    int32_t c = 0;
    for (; c + 16 <= w.channels; c += 16) {
        rl_maximum_of_channels(&w, input + c, output + c);
    }
    if (c < w.channels) {
        rl_maximum_of_active_channels(&w, vctp8q((uint32_t)(w.channels - c)), input + c, output + c);
    }
}

#endif
