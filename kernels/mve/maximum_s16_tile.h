// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_MVE_MAXIMUM_S16_TILE_H
#define RL_KERNELS_MVE_MAXIMUM_S16_TILE_H

#include <arm_mve.h>

#include "pooling/window.h"

// Maximum of each channel over a window, then the activation limits. An empty window gives the lower limit.
static inline void rl_maximum_s16_tile(const struct rl_pool_window *window, const int16_t *input, int16_t *output)
{
    const struct rl_pool_window w = *window;
    for (int32_t c = 0; c < w.channels; c += 8) {
        const mve_pred16_t active = vctp16q((uint32_t)(w.channels - c));
        int16x8_t maxima = vdupq_n_s16((int16_t)w.min);
        const int16_t *row = input + c;
        for (int32_t y = w.rows; y > 0; y--) {
            const int16_t *pixel = row;
            for (int32_t x = w.columns; x > 0; x--) {
                maxima = vmaxq_s16(maxima, vldrhq_z_s16(pixel, active));
                pixel += w.channels;
            }
            row += w.row_stride;
        }
        vstrhq_p_s16(output + c, vminq_s16(maxima, vdupq_n_s16((int16_t)w.max)), active);
    }
}

#endif
