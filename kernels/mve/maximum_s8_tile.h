// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_MVE_MAXIMUM_S8_TILE_H
#define RL_KERNELS_MVE_MAXIMUM_S8_TILE_H

#include <arm_mve.h>

#include "pooling/window.h"

// Maximum of each channel over a window, then the activation limits. An empty window gives the lower limit.
static inline void rl_maximum_s8_tile(const struct rl_pool_window *window, const int8_t *input,
                                      int8_t *output)
{
    const struct rl_pool_window w = *window;
    for (int32_t c = 0; c < w.channels; c += 16) {
        const mve_pred16_t active = vctp8q((uint32_t)(w.channels - c));
        int8x16_t maxima = vdupq_n_s8((int8_t)w.min);
        const int8_t *row = input + c;
        for (int32_t y = w.rows; y > 0; y--) {
            const int8_t *pixel = row;
            for (int32_t x = w.columns; x > 0; x--) {
                maxima = vmaxq_s8(maxima, vldrbq_z_s8(pixel, active));
                pixel += w.channels;
            }
            row += w.row_stride;
        }
        vstrbq_p_s8(output + c, vminq_s8(maxima, vdupq_n_s8((int8_t)w.max)), active);
    }
}

#endif
