// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution of any window, four channels at a time and output by output. It serves layers that planes do
// not take or take too long to prepare: those with few outputs, large filters or small multipliers.
#ifndef RL_KERNELS_DSP_DEPTHWISE_S8_TILE_H
#define RL_KERNELS_DSP_DEPTHWISE_S8_TILE_H

#include <string.h>

#include "depthwise/choice.h"
#include "depthwise/window.h"
#include "dsp/depthwise_four.h"
#include "dsp/instructions.h"
#include "dsp/points_nest.h"
#include "dsp/rescale_tile.h"
#include "dsp/simd.h"
#include "isa.h"

enum { RL_DEPTHWISE_SHIFTS_LEFT = 1, RL_DEPTHWISE_OVERLAPS = !RL_SMALL };

// The sums of four channels that read one input channel or, if `pairs`, two neighbouring ones.
static inline __attribute__((always_inline)) void
rl_depthwise_sum_shared(int32_t offset, const struct rl_depthwise_steps *step, const struct rl_depthwise_window *window,
                        const int8_t *x_line, const int8_t *w_line, bool pairs, int32_t sums[4])
{
    const int16x2_t offsets = (int16x2_t)(rl_repeat_s16x2(offset));
    int32_t sum_0 = 0, sum_1 = 0, sum_2 = 0, sum_3 = 0;
    for (int32_t rows = window->rows; rows > 0; rows--, x_line += step->x_line, w_line += step->w_line) {
        const int8_t *x = x_line, *w = w_line;
        int32_t columns = window->columns;
        do {
            const uint32_t weights = rl_load_s8x4(w);
            const int16x2_t even_weights = rl_even_s16(weights), odd_weights = rl_odd_s16(weights);
            if (pairs) {
                const int16x2_t values = rl_even_s16_add(offsets, (uint8_t)x[0] | (uint32_t)(uint8_t)x[1] << 16);
                sum_0 = __smlabb(values, even_weights, sum_0);
                sum_1 = __smlabb(values, odd_weights, sum_1);
                sum_2 = __smlatt(values, even_weights, sum_2);
                sum_3 = __smlatt(values, odd_weights, sum_3);
            } else {
                const int32_t value = *x + offset;
                sum_0 = __smlabb(value, even_weights, sum_0);
                sum_1 = __smlabb(value, odd_weights, sum_1);
                sum_2 = __smlabt(value, even_weights, sum_2);
                sum_3 = __smlabt(value, odd_weights, sum_3);
            }
            x += step->x;
            w += step->w;
        } while (--columns != 0);
    }
    sums[0] = sum_0;
    sums[1] = sum_1;
    sums[2] = sum_2;
    sums[3] = sum_3;
}

// The outputs of four channels of which one does not shift right.
static __attribute__((noinline)) void rl_depthwise_store_any(const struct rl_depthwise *d, int32_t channel,
                                                             const int32_t sums[4], int8_t *output)
{
    const int32_t rounding = rl_rescale_rounding(d->output_offset);
    for (int32_t i = channel; i < channel + 4; i++) {
        const int32_t multiplier = d->scales.multiplier[i], shift = d->scales.shift[i], sum = *sums++;
        int32_t scaled;
        if (shift < 0) {
            scaled = rl_rescale(rl_rescale_of(rounding, multiplier, shift), sum * 2);
        } else {
            scaled = rl_requantize(sum, multiplier, shift) + d->output_offset;
        }
        *output++ = (int8_t)rl_clamp_s32(scaled, d->range.min, d->range.max);
    }
}

// The outputs of four channels from their sums, bias included.
static inline void rl_depthwise_store_four(const struct rl_depthwise *d, int32_t channel, const int32_t sums[4],
                                           int8_t *output)
{
    const struct rl_limits_s8 limits = {d->range.min, d->range.max};
    const int32_t rounding = rl_rescale_rounding(d->output_offset);
    const int32_t *multiplier = d->scales.multiplier + channel, *shift = d->scales.shift + channel;
    if ((shift[0] & shift[1] & shift[2] & shift[3]) >= 0) {
        rl_depthwise_store_any(d, channel, sums, output);
        return;
    }
    const int32_t scaled_0 = rl_rescale(rl_rescale_of(rounding, multiplier[0], shift[0]), sums[0] * 2);
    const int32_t scaled_1 = rl_rescale(rl_rescale_of(rounding, multiplier[1], shift[1]), sums[1] * 2);
    const int32_t scaled_2 = rl_rescale(rl_rescale_of(rounding, multiplier[2], shift[2]), sums[2] * 2);
    const int32_t scaled_3 = rl_rescale(rl_rescale_of(rounding, multiplier[3], shift[3]), sums[3] * 2);
    output[0] = rl_limit_s8(scaled_0, limits, false);
    output[1] = rl_limit_s8(scaled_1, limits, false);
    output[2] = rl_limit_s8(scaled_2, limits, false);
    output[3] = rl_limit_s8(scaled_3, limits, false);
}

// The channels [first, end) of one position, four at a time. `pairs` is a constant: whether the multiplier is 2.
static inline __attribute__((always_inline)) void rl_depthwise_run_shared(const struct rl_depthwise *d,
                                                                          const struct rl_depthwise_steps *step,
                                                                          const struct rl_depthwise_window *window,
                                                                          int32_t first, int32_t end, int8_t *output,
                                                                          bool pairs)
{
    const int32_t offset = d->input_offset, multiplier = d->multiplier;
    const int8_t *x = window->x + first / multiplier;
    int32_t left = multiplier - first % multiplier; // channels of this input
    for (int32_t channel = first; channel < end; channel += 4) {
        int32_t sums[4];
        rl_depthwise_sum_shared(offset, step, window, x, window->w + channel, pairs, sums);
        for (int32_t i = 0; d->bias && i < 4; i++) {
            sums[i] += d->bias[channel + i];
        }
        rl_depthwise_store_four(d, channel, sums, output + channel);
        left -= 4;
        if (pairs) {
            x += 2;
        } else if (left <= 0) {
            left += multiplier;
            x++;
        }
    }
}

static __attribute__((noinline)) void rl_depthwise_run_twos(const struct rl_depthwise *d,
                                                            const struct rl_depthwise_steps *step,
                                                            const struct rl_depthwise_window *window, int32_t first,
                                                            int32_t end, int8_t *output)
{
    rl_depthwise_run_shared(d, step, window, first, end, output, true);
}

static __attribute__((noinline)) void rl_depthwise_run_multiples(const struct rl_depthwise *d,
                                                                 const struct rl_depthwise_steps *step,
                                                                 const struct rl_depthwise_window *window,
                                                                 int32_t first, int32_t end, int8_t *output)
{
    rl_depthwise_run_shared(d, step, window, first, end, output, false);
}

// What the outputs of a layer have in common; rl_depthwise_run_together takes the channels [first, end).
struct rl_depthwise_together {
    int32_t sharing, first, end;
    int32_t no_bias[4];
    struct rl_depthwise_four job; // its first fields and the window's are set for each output
};

static inline int32_t rl_depthwise_start_together(struct rl_depthwise_together *t, const struct rl_depthwise *d,
                                                  const struct rl_depthwise_steps *step, int32_t first, int32_t end,
                                                  bool left)
{
    (void)left; // fours of channels look at their own shifts
    const int32_t sharing = RL_SMALL ? 0 : rl_depthwise_sharing(d);
    if (sharing == 0 || end - first < 4) {
        return first;
    }
    t->sharing = sharing;
    t->first = first;
    t->end = sharing == 1 ? end : first + ((end - first) & ~3);
    memset(t->no_bias, 0, sizeof t->no_bias);
    t->job.bias_step = d->bias ? 16 : 0;
    t->job.x_line = step->x_line;
    t->job.w_line = step->w_line;
    t->job.offsets = rl_repeat_s16x2(d->input_offset);
    t->job.channels = step->x;
    t->job.rounding = rl_rescale_rounding(d->output_offset);
    t->job.low = (uint8_t)rl_max_s32(d->range.min, INT8_MIN) * UINT32_C(0x01010101);
    t->job.high = (uint8_t)rl_min_s32(d->range.max, INT8_MAX) * UINT32_C(0x01010101);
    return t->end;
}

// Channels that share inputs; rl_depthwise_run_positions runs others.
static inline void rl_depthwise_run_together(struct rl_depthwise_together *t, const struct rl_depthwise *d,
                                             const struct rl_depthwise_steps *step,
                                             const struct rl_depthwise_window *window, int8_t *output)
{
    if (t->sharing == 2) {
        rl_depthwise_run_twos(d, step, window, t->first, t->end, output);
    } else {
        rl_depthwise_run_multiples(d, step, window, t->first, t->end, output);
    }
}

// Channels that share none.
static inline void rl_depthwise_run_unshared(struct rl_depthwise_together *t, const struct rl_depthwise *d,
                                             const struct rl_depthwise_window *window, int8_t *output)
{
    const int32_t first = t->first, end = t->end;
    struct rl_depthwise_four *job = &t->job;
    const ptrdiff_t columns = window->columns * job->channels;
    job->x = window->x + columns + first;
    job->w = window->w + columns + first;
    job->multiplier = d->scales.multiplier + first;
    job->shift = d->scales.shift + first;
    job->bias = d->bias ? d->bias + first : t->no_bias;
    job->output = output + first;
    job->last = output + end - 4;
    job->rows = window->rows;
    job->start = -columns;
    rl_depthwise_four(job);
}

// Runs an image if four channels after the other read as many inputs; else returns false and does nothing.
static inline bool rl_depthwise_run_positions(struct rl_depthwise_together *t, const struct rl_depthwise *d,
                                              const int8_t *image, int8_t *output)
{
    if (t->sharing != 1) {
        return false;
    }
    struct rl_depthwise_four *job = &t->job;
    const int32_t first = t->first, behind = t->end - 4 - first, stride = d->stride.w, right = d->output.c;
    const int32_t taps = d->filter.w, inputs = d->input.w;
    const ptrdiff_t pixel = job->channels;
    const int32_t *bias = d->bias ? d->bias + first : t->no_bias;
    output += first;
    for (int32_t y = 0; y < d->output.h; y++) {
        const struct rl_taps rows = rl_taps_of(y * d->stride.h - d->padding.h, d->dilation.h, d->filter.h, d->input.h);
        const bool is_padding = rows.count == 0;
        const int8_t *x = image + first + (is_padding ? 0 : rows.input * inputs * pixel);
        const int8_t *w = d->weights + first + (is_padding ? 0 : rows.first * job->w_line);
        int32_t start = -d->padding.w;
        for (int32_t left = d->output.w; left > 0; left--, start += stride, output += right) {
            // Pixels are as far apart as taps, which lie side by side.
            const int32_t end = rl_min_s32(taps, inputs - start), missing = rl_max_s32(-start, 0);
            const bool is_empty = is_padding || end <= missing;
            job->rows = is_empty ? 0 : rows.count;
            job->x = is_empty ? x : x + (start + end) * pixel;
            job->w = is_empty ? w : w + end * pixel;
            job->start = is_empty ? 0 : (missing - end) * pixel;
            job->multiplier = d->scales.multiplier + first;
            job->shift = d->scales.shift + first;
            job->bias = bias;
            job->output = output;
            job->last = output + behind;
            rl_depthwise_four(job);
        }
    }
    return true;
}

static inline bool rl_depthwise_run_points(const struct rl_depthwise *d, int32_t first, int32_t end,
                                           const int8_t *image, int8_t *output)
{
    if (RL_SMALL || end - first < 4 || !rl_depthwise_suits_points(d)) {
        return false;
    }
    rl_points_run_image(d, first, end, image, output);
    return true;
}

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
