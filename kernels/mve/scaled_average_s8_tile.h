// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_MVE_SCALED_AVERAGE_S8_TILE_H
#define RL_KERNELS_MVE_SCALED_AVERAGE_S8_TILE_H

#include <arm_mve.h>

#include "mve/requantize_mve.h"
#include "pooling/window.h"

// From the sums of stored values to the results. `offset` is the input offset times the number of values.
static inline int32x4_t rl_scaled_averages(const struct rl_pool_window *w, int32x4_t sums, int32_t offset)
{
    const struct rl_scale *scale = &w->layer->scale;
    const int32x4_t scaled = rl_requantize_mve(vaddq_n_s32(sums, offset), scale->multiplier, scale->shift);
    const int32x4_t raised = vmaxq_s32(vaddq_n_s32(scaled, w->layer->output_offset), vdupq_n_s32(w->min));
    return vminq_s32(raised, vdupq_n_s32(w->max));
}

// Eight channels, which halves the cost of the loops.
static inline void rl_scaled_average_of_8_channels(const struct rl_pool_window *w, int32_t offset, const int8_t *input,
                                                   int8_t *output)
{
    int32x4_t sums = vdupq_n_s32(0), more_sums = vdupq_n_s32(0);
    for (int32_t y = w->rows; y > 0; y--) {
        const int8_t *pixel = input;
        for (int32_t x = w->columns; x > 0; x--) {
            sums = vaddq_s32(sums, vldrbq_s32(pixel));
            more_sums = vaddq_s32(more_sums, vldrbq_s32(pixel + 4));
            pixel += w->channels;
        }
        input += w->row_stride;
    }
    vstrbq_s32(output, rl_scaled_averages(w, sums, offset));
    vstrbq_s32(output + 4, rl_scaled_averages(w, more_sums, offset));
}

// Up to four channels, those that are active.
static inline void rl_scaled_average_of_active_channels(const struct rl_pool_window *w, int32_t offset,
                                                        mve_pred16_t active, const int8_t *input, int8_t *output)
{
    int32x4_t sums = vdupq_n_s32(0);
    for (int32_t y = w->rows; y > 0; y--) {
        const int8_t *pixel = input;
        for (int32_t x = w->columns; x > 0; x--) {
            sums = vaddq_s32(sums, vldrbq_z_s32(pixel, active));
            pixel += w->channels;
        }
        input += w->row_stride;
    }
    vstrbq_p_s32(output, rl_scaled_averages(w, sums, offset), active);
}

static inline void rl_scaled_average_s8_tile(const struct rl_pool_window *window, const int8_t *input, int8_t *output)
{
    const struct rl_pool_window w = *window;
    const int32_t offset = w.layer->input_offset * w.rows * w.columns;
    int32_t c = 0;
    for (; c + 8 <= w.channels; c += 8) {
        rl_scaled_average_of_8_channels(&w, offset, input + c, output + c);
    }
    for (; c < w.channels; c += 4) {
        rl_scaled_average_of_active_channels(&w, offset, vctp32q((uint32_t)(w.channels - c)), input + c, output + c);
    }
}

#endif
