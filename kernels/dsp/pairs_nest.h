// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions with filters of 3x3 and a stride of 2 from where their inputs lie: pairs of outputs whose
// columns of taps all lie on the input, and the others one by one. For each group of four channels, weights and scales
// are prepared once for the image.
#ifndef RL_KERNELS_DSP_PAIRS_NEST_H
#define RL_KERNELS_DSP_PAIRS_NEST_H

#include "depthwise/choice.h"
#include "depthwise/window.h"
#include "dsp/depthwise_pairs.h"
#include "dsp/depthwise_s8_tile.h"
#include "dsp/instructions.h"
#include "dsp/packed_s8_tile.h"
#include "dsp/simd.h"

// Columns of outputs: [first, end).
struct rl_columns {
    int32_t first;
    int32_t end;
};

// Those whose columns of taps all lie on the input.
static inline struct rl_columns rl_pairs_columns(const struct rl_depthwise *d)
{
    struct rl_columns columns = {(d->padding.w + 1) / 2, d->output.w};
    while (columns.end > columns.first && (columns.end - 1) * 2 - d->padding.w + 3 > d->input.w) {
        columns.end--;
    }
    return columns;
}

// Prepares four channels. Returns false if one of them does not shift right.
static __attribute__((noinline)) bool rl_pairs_prepare(const struct rl_depthwise *d, int32_t channel,
                                                       struct rl_depthwise_pairs *job)
{
    const int32_t rounding = rl_rescale_rounding(d->output_offset);
    const int32_t *multiplier = d->scales.multiplier + channel, *shift = d->scales.shift + channel;
    const int32_t no_bias[4] = {0}, *bias = d->bias ? d->bias + channel : no_bias;
    const int8_t *w = d->weights + channel;
    if ((shift[0] & shift[1] & shift[2] & shift[3]) >= 0) {
        return false;
    }
    for (int32_t i = 0; i < 4; i++) {
        struct rl_depthwise_half *half = &job->half[i & 1];
        half->bias[i >> 1] = 2 * bias[i];
        half->scale[i >> 1] = rl_rescale_of(rounding, multiplier[i], shift[i]);
    }
    uint32_t *even = job->half[0].weights, *odd = job->half[1].weights;
    for (int32_t tap = 9; tap > 0; tap--, w += d->output.c) {
        const uint32_t word = rl_load_s8x4(w);
        *even++ = rl_double_pair(rl_even_s16(word));
        *odd++ = rl_double_pair(rl_odd_s16(word));
    }
    return true;
}

// Moves the rows of weights down, so that `rows` of them are the last ones.
static void rl_pairs_lower_weights(struct rl_depthwise_pairs *job, int32_t rows)
{
    for (int32_t half = 0; half < 2; half++) {
        uint32_t *weights = job->half[half].weights;
        for (int32_t i = 3 * rows - 1; i >= 0; i--) {
            weights[9 - 3 * rows + i] = weights[i];
        }
    }
}

// Runs the columns of outputs of the group that was prepared. `image` and `output` are at its first channel.
static __attribute__((noinline)) void rl_pairs_run(const struct rl_depthwise *d, struct rl_depthwise_pairs *job,
                                                   struct rl_columns columns, const int8_t *image, int8_t *output)
{
    const int32_t count = columns.end - columns.first;
    const int8_t *const left = image + (columns.first * 2 - d->padding.w) * job->pixel;
    int32_t lowered = 0;
    output += columns.first * job->output_right;
    for (int32_t y = 0, lines; y < d->output.h; y += lines, output += lines * job->output_down) {
        const int32_t top = y * d->stride.h - d->padding.h;
        const struct rl_taps rows = rl_taps_of(top, d->dilation.h, 3, d->input.h);
        const int8_t *const x = left + (ptrdiff_t)rows.input * d->input.w * job->pixel;
        lines = 1;
        while (rows.count == 3 && y + lines < d->output.h &&
               top + lines * d->stride.h + 2 * d->dilation.h < d->input.h) {
            lines++;
        }
        for (; lowered < 3 - rows.count - rows.first; lowered++) {
            rl_pairs_lower_weights(job, 2 - lowered);
        }
        job->rows = rows.count;
        // The last pair of an odd number begins with an output that was computed before.
        for (int32_t at = 0, pairs = count / 2; at >= 0; at = at + 2 * pairs < count ? count - 2 : -1, pairs = 1) {
            job->x = x + 2 * at * job->pixel;
            job->output = output + at * job->output_right;
            job->pairs = pairs;
            job->lines = lines;
            rl_depthwise_pairs(job);
        }
    }
}

// Runs the columns [first, end) of an image output by output.
static void rl_pairs_run_others(const struct rl_depthwise *d, struct rl_depthwise_together *t,
                                struct rl_columns columns, const int8_t *image, int8_t *output)
{
    for (int32_t y = 0; y < d->output.h; y++) {
        const struct rl_taps rows = rl_taps_of(y * d->stride.h - d->padding.h, d->dilation.h, 3, d->input.h);
        for (int32_t x = columns.first; x < columns.end; x++) {
            const struct rl_taps taps = rl_taps_of(x * 2 - d->padding.w, 1, 3, d->input.w);
            const struct rl_depthwise_window window = rl_depthwise_window_of(d, image, rows, taps);
            rl_depthwise_run_unshared(t, d, &window, output + (y * d->output.w + x) * d->output.c);
        }
    }
}

// Whether the loops take all scales and sums.
static bool rl_pairs_scales_fit(const struct rl_depthwise *d)
{
    const uint32_t limit = UINT32_C(1) << 28;
    bool fit = rl_offset_is_small(d->output_offset);
    for (int32_t i = 0; fit && i < d->output.c; i++) {
        const int32_t bias = d->bias ? d->bias[i] : 0;
        fit = d->scales.shift[i] >= -22 && (uint32_t)bias + limit <= 2 * limit;
    }
    return fit;
}

static void rl_pairs_run_image(const struct rl_depthwise *d, struct rl_columns columns, const int8_t *image,
                               int8_t *output)
{
    const struct rl_depthwise_steps step = rl_depthwise_steps_of(d);
    struct rl_depthwise_together t;
    struct rl_depthwise_pairs job;
    rl_depthwise_start_together(&t, d, &step, 0, d->output.c, true);
    t.end = d->output.c; // the last four may overlap those before
    rl_pairs_run_others(d, &t, (struct rl_columns){0, columns.first}, image, output);
    rl_pairs_run_others(d, &t, (struct rl_columns){columns.end, d->output.w}, image, output);
    job.pixel = d->input.c;
    job.line = step.x_line;
    job.x_right = 4 * job.pixel;
    job.x_down = (ptrdiff_t)d->stride.h * d->input.w * d->input.c;
    job.output_right = d->output.c;
    job.output_down = (ptrdiff_t)d->output.w * d->output.c;
    job.offsets = t.job.offsets;
    job.low = t.job.low;
    job.high = t.job.high;
    for (int32_t i = 0; i < d->output.c; i += 4) {
        const int32_t channel = rl_min_s32(i, d->output.c - 4);
        if (rl_pairs_prepare(d, channel, &job)) {
            rl_pairs_run(d, &job, columns, image + channel, output + channel);
        } else {
            t.first = channel;
            t.end = channel + 4;
            rl_pairs_run_others(d, &t, columns, image, output);
        }
    }
}

static __attribute__((noinline)) bool rl_pairs_run_layer(const struct rl_depthwise *d, const int8_t *input,
                                                         int8_t *output)
{
    const struct rl_columns columns = rl_pairs_columns(d);
    if (columns.end - columns.first < 2 || !rl_pairs_scales_fit(d)) {
        return false;
    }
    for (int32_t batch = 0; batch < d->input.n; batch++) {
        rl_pairs_run_image(d, columns, input + batch * rl_image_size(d->input),
                           output + batch * rl_image_size(d->output));
    }
    return true;
}

// Words of channels that are not aligned take a cycle more each, on a Cortex-M7 three, and are loaded several times.
static inline bool rl_pairs_suit_channels(const struct rl_depthwise *d)
{
    enum { MANY = 36 };
    return (d->output.c & 3) == 0 || (!RL_DUAL_ISSUE && d->output.c > 4 && d->output.w * d->output.h >= MANY);
}

// Runs a layer that suits pairs; else returns false and does nothing.
static inline bool rl_pairs_layer(const struct rl_depthwise *d, const int8_t *input, int8_t *output)
{
    return !RL_SMALL && rl_depthwise_suits_pairs(d) && rl_pairs_suit_channels(d) &&
           rl_pairs_run_layer(d, input, output);
}

#endif
