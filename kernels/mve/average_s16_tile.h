// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_MVE_AVERAGE_S16_TILE_H
#define RL_KERNELS_MVE_AVERAGE_S16_TILE_H

#include <arm_mve.h>

#include "pooling/window.h"
#include "requantize.h"

// Four sums become averages, as many as are active.
static inline void rl_average_store_s16(const struct rl_pool_window *w, int32x4_t sums, mve_pred16_t active,
                                        int16_t *output)
{
    const int32_t count = w->rows * w->columns;
    int32_t values[4];
    vstrwq_s32(values, sums);
    for (int i = 0; i < 4; i++) { // Helium does not divide
        const int32_t rounded = values[i] > 0 ? values[i] + count / 2 : values[i] - count / 2;
        values[i] = rl_clamp_s32(rounded / count, w->min, w->max);
    }
    vstrhq_p_s32(output, vldrwq_s32(values), active);
}

// Eight channels.
static inline void rl_average_of_channels_s16(const struct rl_pool_window *w, const int16_t *input,
                                              int16_t *output)
{
    int32x4_t sums = vdupq_n_s32(0), more_sums = vdupq_n_s32(0);
    for (int32_t y = w->rows; y > 0; y--) {
        const int16_t *pixel = input;
        for (int32_t x = w->columns; x > 0; x--) {
            sums = vaddq_s32(sums, vldrhq_s32(pixel));
            more_sums = vaddq_s32(more_sums, vldrhq_s32(pixel + 4));
            pixel += w->channels;
        }
        input += w->row_stride;
    }
    rl_average_store_s16(w, sums, vctp32q(4), output);
    rl_average_store_s16(w, more_sums, vctp32q(4), output + 4);
}

// The four channels (or fewer) that are active.
static inline void rl_average_of_active_channels_s16(const struct rl_pool_window *w, mve_pred16_t active,
                                                     const int16_t *input, int16_t *output)
{
    int32x4_t sums = vdupq_n_s32(0);
    for (int32_t y = w->rows; y > 0; y--) {
        const int16_t *pixel = input;
        for (int32_t x = w->columns; x > 0; x--) {
            sums = vaddq_s32(sums, vldrhq_z_s32(pixel, active));
            pixel += w->channels;
        }
        input += w->row_stride;
    }
    rl_average_store_s16(w, sums, active, output);
}

// Average of each channel over a window of at least one pixel, ties away from zero, then the activation
// limits.
static inline void rl_average_s16_tile(const struct rl_pool_window *window, const int16_t *input,
                                       int16_t *output)
{
    const struct rl_pool_window w = *window;
    int32_t c = 0;
    for (; c + 8 <= w.channels; c += 8) {
        rl_average_of_channels_s16(&w, input + c, output + c);
    }
    for (; c < w.channels; c += 4) {
        rl_average_of_active_channels_s16(&w, vctp32q((uint32_t)(w.channels - c)), input + c, output + c);
    }
}

#endif
