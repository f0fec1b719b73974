// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_MVE_DEPTHWISE_S16_TILE_H
#define RL_KERNELS_MVE_DEPTHWISE_S16_TILE_H

#include <arm_mve.h>

#include "depthwise/window_s16.h"

// Channels that rl_depthwise_sums_s16 takes at most.
enum { RL_DEPTHWISE_S16_CHANNELS = 4 };

// Sums of the window for `count` channels from `channel` on, one input channel each, at most
// RL_WINDOW_S16_LIMIT taps.
static inline void rl_depthwise_sums_s16(const struct rl_window_s16 *w, int32_t channel, int32_t count,
                                         int32_t sums[RL_DEPTHWISE_S16_CHANNELS])
{
    const mve_pred16_t active = vctp32q((uint32_t)count);
    int32x4_t total = vdupq_n_s32(0);
    const int16_t *input_row = w->input + channel;
    const int8_t *filter_row = w->filter + channel;
    for (int32_t y = w->rows; y > 0; y--) {
        const int16_t *input = input_row;
        const int8_t *filter = filter_row;
        for (int32_t x = w->columns; x > 0; x--) {
            const int32x4_t product = vmulq_s32(vldrhq_z_s32(input, active), vldrbq_z_s32(filter, active));
            total = vaddq_s32(total, product);
            input += w->input_column;
            filter += w->filter_column;
        }
        input_row += w->input_row;
        filter_row += w->filter_row;
    }
    vstrwq_s32(sums, total);
}

#endif
