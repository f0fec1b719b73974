// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_SCALAR_DEPTHWISE_S8_TILE_H
#define RL_KERNELS_SCALAR_DEPTHWISE_S8_TILE_H

#include <string.h>

#include "depthwise/window.h"
#include "isa.h"
#include "scalar/depthwise_channels.h"
#include "scalar/depthwise_none.h"

enum {
    RL_DEPTHWISE_OVERLAPS = RL_HAS_THUMB2_LOOP && !RL_SMALL,
    RL_DEPTHWISE_SHIFTS_LEFT = RL_DEPTHWISE_OVERLAPS,
};

// What the outputs of a layer have in common; rl_depthwise_run_together takes the channels [first, end).
struct rl_depthwise_together {
    int32_t first, end;
    bool left; // some channel does not shift right
    int32_t no_bias[4];
    ptrdiff_t x_line, w_line;
    struct rl_depthwise_channels job; // its first fields and the window's are set for each output
};

static inline int32_t rl_depthwise_start_together(struct rl_depthwise_together *t, const struct rl_depthwise *d,
                                                  const struct rl_depthwise_steps *step, int32_t first, int32_t end,
                                                  bool left)
{
    if (!RL_DEPTHWISE_OVERLAPS || d->multiplier != 1 || d->dilation.w != 1 || end - first < 4) {
        return first;
    }
    t->first = first;
    t->left = left;
    t->end = rl_depthwise_together_end(first, end);
    t->x_line = step->x_line;
    t->w_line = step->w_line;
    memset(t->no_bias, 0, sizeof t->no_bias);
    t->job.bias_step = d->bias ? 16 : 0;
    t->job.step = step->w;
    t->job.offset = d->input_offset;
    t->job.rounding = rl_rescale_rounding(d->output_offset);
    t->job.low = d->range.min;
    t->job.high = d->range.max;
    return t->end;
}

// The channels [first, end) of one position, whole fours.
static inline void rl_depthwise_run_fours(struct rl_depthwise_together *t, const struct rl_depthwise *d, int32_t first,
                                          int32_t end, const struct rl_depthwise_window *window, int8_t *output)
{
    struct rl_depthwise_channels *job = &t->job;
    const ptrdiff_t columns = window->columns * job->step;
    job->x = window->x + first;
    job->w = window->w + first;
    job->multiplier = d->scales.multiplier + first;
    job->shift = d->scales.shift + first;
    job->bias = d->bias ? d->bias + first : t->no_bias;
    job->output = output + first;
    job->end = output + end;
    job->rows = window->rows;
    job->columns = window->columns;
    job->x_back = t->x_line - columns;
    job->w_back = t->w_line - columns;
    rl_depthwise_channels(job, t->left);
}

static inline void rl_depthwise_run_together(struct rl_depthwise_together *t, const struct rl_depthwise *d,
                                             const struct rl_depthwise_steps *step,
                                             const struct rl_depthwise_window *window, int8_t *output)
{
    (void)step;
    const int32_t first = t->first, end = t->end, left = (end - first) & 3;
    rl_depthwise_run_fours(t, d, first, end - left, window, output);
    if (left != 0) {
        rl_depthwise_run_fours(t, d, end - 4, end, window, output);
    }
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
