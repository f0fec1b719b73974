// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_MVE_DEPTHWISE_S16_TILE_H
#define RL_KERNELS_MVE_DEPTHWISE_S16_TILE_H

#include <arm_mve.h>

#include "depthwise/window_s16.h"

// Channels that rl_depthwise_sums_s16 takes at most.
enum { RL_DEPTHWISE_S16_CHANNELS = 8 };

// All eight channels. VLDR of bytes into 16 bits extends the weights.
static inline void rl_depthwise_sums_of_8_s16(const struct rl_window_s16 *w, int32_t channel,
                                              int32_t sums[RL_DEPTHWISE_S16_CHANNELS])
{
    int32x4_t even = vdupq_n_s32(0), odd = vdupq_n_s32(0);
    const int16_t *input_row = w->input + channel;
    const int8_t *filter_row = w->filter + channel;
    const int32_t input_column = w->input_column, filter_column = w->filter_column;
    for (int32_t y = w->rows; y > 0; y--) {
        const int16_t *input = input_row;
        const int8_t *filter = filter_row;
        for (int32_t x = w->columns; x > 0; x--) {
            const int16x8_t values = vldrhq_s16(input), weights = vldrbq_s16(filter);
            even = vaddq_s32(even, vmullbq_int_s16(values, weights));
            odd = vaddq_s32(odd, vmulltq_int_s16(values, weights));
            input += input_column;
            filter += filter_column;
        }
        input_row += w->input_row;
        filter_row += w->filter_row;
    }
    vst2q_s32(sums, ((int32x4x2_t){{even, odd}}));
}

// Sums of the window for `count` channels from `channel` on, one input channel each, at most
// RL_WINDOW_S16_LIMIT taps.
static inline void rl_depthwise_sums_s16(const struct rl_window_s16 *w, int32_t channel, int32_t count,
                                         int32_t sums[RL_DEPTHWISE_S16_CHANNELS])
{
    if (count == RL_DEPTHWISE_S16_CHANNELS) {
        rl_depthwise_sums_of_8_s16(w, channel, sums);
        return;
    }
    const mve_pred16_t active = vctp16q((uint32_t)count);
    int32x4x2_t total = {{vdupq_n_s32(0), vdupq_n_s32(0)}}; // even and odd channels
    const int16_t *input_row = w->input + channel;
    const int8_t *filter_row = w->filter + channel;
    for (int32_t y = w->rows; y > 0; y--) {
        const int16_t *input = input_row;
        const int8_t *filter = filter_row;
        for (int32_t x = w->columns; x > 0; x--) {
            const int16x8_t values = vldrhq_z_s16(input, active), weights = vldrbq_z_s16(filter, active);
            total.val[0] = vaddq_s32(total.val[0], vmullbq_int_s16(values, weights));
            total.val[1] = vaddq_s32(total.val[1], vmulltq_int_s16(values, weights));
            input += w->input_column;
            filter += w->filter_column;
        }
        input_row += w->input_row;
        filter_row += w->filter_row;
    }
    vst2q_s32(sums, total);
}

#endif
