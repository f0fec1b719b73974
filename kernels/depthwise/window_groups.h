// SPDX-License-Identifier: Apache-2.0
// Some outputs of a depthwise layer at a time, for cores that have loops for the sums of four channels of each and for
// the outputs of one channel at all of them (scalar/window_fours.h). Scales are taken apart once for these outputs.
#ifndef RL_KERNELS_DEPTHWISE_WINDOW_GROUPS_H
#define RL_KERNELS_DEPTHWISE_WINDOW_GROUPS_H

#include "depthwise/choice_scalar.h"
#include "depthwise/window.h"
#include "depthwise/window_sums.h"
#include "scalar/window_fours.h"

enum {
    RL_WINDOW_GROUP = 6, // outputs
    // At most: the scales of more would take too much memory, or too long for each group.
    RL_WINDOW_CHANNELS = RL_DEPTHWISE_FEW_CHANNELS,
};

// Outputs whose channels follow each other.
struct rl_window_group {
    int32_t count;
    int8_t *output; // of the first one, at channel 0
    struct rl_depthwise_window window[RL_WINDOW_GROUP];
    struct rl_rescale scale[RL_WINDOW_CHANNELS];
};

// The sums of `count` channels as rl_window_fours and rl_window_shared take them.
static inline struct rl_window_fours rl_window_fours_of(const struct rl_depthwise_sums *s, const int8_t *x,
                                                        const int8_t *w, const int32_t *bias, int32_t *sums,
                                                        int32_t count)
{
    const int32_t columns = s->window->columns;
    return (struct rl_window_fours){
        .x = x,
        .w = w,
        .sums = sums,
        .end = sums + count,
        .rows = s->window->rows,
        .x_back = s->step->x_line - columns * s->step->x,
        .w_back = s->step->w_line - columns * s->step->w,
        .left_out = RL_WINDOW_COLUMNS - columns,
        .offset = s->offset,
        .step = s->step->w,
        .x_step = s->step->x,
        .bias = bias,
    };
}

// Whether the channels [first, end) run in groups of outputs, if all scales are simple (window.c).
static inline bool rl_window_groups_suit(const struct rl_depthwise *d, int32_t first, int32_t end)
{
    enum { CHANNELS = 4, OUTPUTS = 3 }; // at least
    const int32_t channels = end - first;
    // Layers of fewer outputs, of which a look at all conditions takes a part of the time, come first.
    return d->output.h * d->output.w >= OUTPUTS && channels >= CHANNELS && channels <= RL_WINDOW_CHANNELS &&
           d->multiplier == 1 && d->dilation.w == 1 && d->filter.w <= RL_WINDOW_COLUMNS;
}

// The sums of `count` channels of a window from `channel` on, four or more.
static inline void rl_window_group_sums(const struct rl_depthwise *d, const struct rl_depthwise_steps *step,
                                        const struct rl_depthwise_window *window, int32_t channel, int32_t count,
                                        int32_t *sums)
{
    const struct rl_depthwise_sums s = {d->input_offset, step, window};
    if (window->rows == 0) { // all taps lie beyond the image
        for (int32_t i = 0; i < count; i++) {
            sums[i] = d->bias ? d->bias[channel + i] : 0;
        }
        return;
    }
    const struct rl_window_fours job = rl_window_fours_of(&s, window->x + channel, window->w + channel,
                                                          d->bias ? d->bias + channel : NULL, sums, count);
    rl_window_fours(&job);
}

// Runs the channels [first, end) of a group, and starts the next one.
static __attribute__((noinline)) void rl_window_group_run(const struct rl_depthwise *d,
                                                          const struct rl_depthwise_steps *step, int32_t first,
                                                          int32_t end, struct rl_window_group *g)
{
    const struct rl_limits_s8 limits = {d->range.min, d->range.max};
    int32_t sums[RL_WINDOW_GROUP][RL_WINDOW_CHANNELS];
    for (int32_t i = 0; i < g->count; i++) {
        rl_window_group_sums(d, step, &g->window[i], first, end - first, sums[i]);
    }
    rl_window_store(g->scale, limits, end - first, sums[0], (int32_t)sizeof sums[0], g->count, g->output + first,
                    d->output.c);
    g->output += g->count * d->output.c;
    g->count = 0;
}

// Runs the channels [first, end) of an image. `output` is at channel 0.
static __attribute__((noinline)) void rl_window_groups_run(const struct rl_depthwise *d, int32_t first, int32_t end,
                                                           const int8_t *image, int8_t *output)
{
    const struct rl_depthwise_steps step = rl_depthwise_steps_of(d);
    struct rl_window_group g;
    g.count = 0;
    g.output = output;
    for (int32_t i = first; i < end; i++) {
        (void)rl_rescale_init(d->output_offset, d->scales.multiplier[i], d->scales.shift[i], &g.scale[i - first]);
    }
    for (int32_t y = 0; y < d->output.h; y++) {
        const struct rl_taps rows = rl_taps_of(y * d->stride.h - d->padding.h, d->dilation.h, d->filter.h, d->input.h);
        for (int32_t x = 0; x < d->output.w; x++) {
            const struct rl_taps columns = rl_taps_of(x * d->stride.w - d->padding.w, 1, d->filter.w, d->input.w);
            g.window[g.count] = rl_depthwise_window_of(d, image, rows, columns);
            if (++g.count == RL_WINDOW_GROUP) {
                rl_window_group_run(d, &step, first, end, &g);
            }
        }
    }
    if (g.count > 0) {
        rl_window_group_run(d, &step, first, end, &g);
    }
}

#endif
