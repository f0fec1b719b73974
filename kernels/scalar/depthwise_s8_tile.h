// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_SCALAR_DEPTHWISE_S8_TILE_H
#define RL_KERNELS_SCALAR_DEPTHWISE_S8_TILE_H

#include "depthwise/window.h"
#include "isa.h"
#include "scalar/depthwise_channels.h"

enum { RL_DEPTHWISE_SHIFTS_LEFT = 0 };

static inline int32_t rl_depthwise_run_together(const struct rl_depthwise *d, const struct rl_depthwise_steps *step,
                                                const struct rl_depthwise_window *window, int32_t first, int32_t end,
                                                int8_t *output)
{
    const int32_t fours = (end - first) & ~3;
    if (!RL_HAS_THUMB2_LOOP || RL_SMALL || d->multiplier != 1 || d->dilation.w != 1 || fours == 0) {
        return first;
    }
    const int32_t no_bias[4] = {0, 0, 0, 0};
    struct rl_depthwise_channels job = {
        .x = window->x + first,
        .w = window->w + first,
        .multiplier = d->scales.multiplier + first,
        .shift = d->scales.shift + first,
        .bias = d->bias ? d->bias + first : no_bias,
        .output = output + first,
        .bias_step = d->bias ? 16 : 0,
        .end = output + first + fours,
        .rows = window->rows,
        .columns = window->columns,
        .x_back = step->x_line - window->columns * step->x,
        .w_back = step->w_line - window->columns * step->w,
        .step = step->w,
        .offset = d->input_offset,
        .rounding = rl_rescale_rounding(d->output_offset),
        .low = d->range.min,
        .high = d->range.max,
    };
    rl_depthwise_channels(&job);
    return first + fours;
}

// Scalar cores have no vectors.
static inline bool rl_depthwise_run_vectors(const struct rl_depthwise *d, int32_t first, int32_t end,
                                            const int8_t *input, int8_t *output)
{
    (void)d;
    (void)first;
    (void)end;
    (void)input;
    (void)output;
    return false;
}

#endif
