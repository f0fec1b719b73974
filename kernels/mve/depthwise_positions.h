// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution position by position: all channels of an output, eight at a time, from where input and weights
// lie. Nothing is prepared, so it suits layers with few outputs.
#ifndef RL_KERNELS_MVE_DEPTHWISE_POSITIONS_H
#define RL_KERNELS_MVE_DEPTHWISE_POSITIONS_H

#include <arm_mve.h>

#include "depthwise/choice.h"
#include "depthwise/window.h"
#include "mve/requantize_mve.h"

enum { RL_DEPTHWISE_POSITIONS = 16 }; // outputs above which bands are always faster

// The sums of eight channels, the even ones before the odd ones; `x` and `w` are at their first tap.
static inline __attribute__((always_inline)) int32x4x2_t
rl_depthwise_position_sums(const struct rl_depthwise *d, const struct rl_depthwise_steps *step, int32_t rows,
                           int32_t columns, const int8_t *x, const int8_t *w, int32x4x2_t sums)
{
    const int16_t offset = (int16_t)d->input_offset;
    const ptrdiff_t x_step = step->x, w_step = step->w;
    for (; rows > 0; rows--, x += step->x_line, w += step->w_line) {
        const int8_t *value = x, *weight = w;
        for (int32_t i = columns; i > 0; i--, value += x_step, weight += w_step) {
            const int16x8_t values = vaddq_n_s16(vldrbq_s16(value), offset), weights = vldrbq_s16(weight);
            sums.val[0] = vaddq_s32(sums.val[0], vmullbq_int_s16(values, weights));
            sums.val[1] = vaddq_s32(sums.val[1], vmulltq_int_s16(values, weights));
        }
    }
    return sums;
}

// rl_requantize_eight_mve for shifts of -1 or less: see requantize_mve.h.
static inline int16x8_t rl_depthwise_position_scale(int32x4x2_t sums, const int32x4x2_t *multiplier,
                                                    const int32x4x2_t *shift, int16_t offset)
{
    int32x4_t half[2];
    for (int32_t i = 0; i < 2; i++) {
        const int32x4_t high = vqrdmulhq_s32(sums.val[i], multiplier->val[i]);
        half[i] = vrshlq_s32(vaddq_s32(high, vshrq_n_s32(sums.val[i], 31)), shift->val[i]);
    }
    return vqaddq_n_s16(vqmovntq_s32(vqmovnbq_s32(vuninitializedq_s16(), half[0]), half[1]), offset);
}

// Computes the channels [first, end), eight or more, of a position; `right` if all of them shift right. `output` is at
// channel 0.
static inline __attribute__((always_inline)) void rl_depthwise_position_run(const struct rl_depthwise *d,
                                                                            const struct rl_depthwise_steps *step,
                                                                            const struct rl_depthwise_window *window,
                                                                            int32_t first, int32_t end, bool right,
                                                                            int8_t *output)
{
    const int32_t rows = window->rows, columns = window->columns;
    const int16_t offset = (int16_t)d->output_offset;
    const int16x8_t low = vdupq_n_s16((int16_t)d->range.min), high = vdupq_n_s16((int16_t)d->range.max);
    for (int32_t next = first; next < end; next += 8) {
        // The last eight overlap those before when there are no eight left.
        const int32_t channel = rl_min_s32(next, end - 8);
        int32x4x2_t sums = {{vdupq_n_s32(0), vdupq_n_s32(0)}};
        if (d->bias) {
            sums = vld2q_s32(d->bias + channel);
        }
        sums = rl_depthwise_position_sums(d, step, rows, columns, window->x + channel, window->w + channel, sums);
        const int32x4x2_t multiplier = vld2q_s32(d->scales.multiplier + channel);
        const int32x4x2_t shift = vld2q_s32(d->scales.shift + channel);
        const int16x8_t result = right ? rl_depthwise_position_scale(sums, &multiplier, &shift, offset)
                                       : rl_requantize_eight_mve(sums, &multiplier, &shift, offset);
        vstrbq_s16(output + channel, vminq_s16(vmaxq_s16(result, low), high));
    }
}

// These are not inlined, because the loops around them would take their registers.
static __attribute__((noinline)) void rl_depthwise_position_right(const struct rl_depthwise *d,
                                                                  const struct rl_depthwise_steps *step,
                                                                  const struct rl_depthwise_window *window,
                                                                  int32_t first, int32_t end, int8_t *output)
{
    rl_depthwise_position_run(d, step, window, first, end, true, output);
}

static __attribute__((noinline)) void rl_depthwise_position_any(const struct rl_depthwise *d,
                                                                const struct rl_depthwise_steps *step,
                                                                const struct rl_depthwise_window *window, int32_t first,
                                                                int32_t end, int8_t *output)
{
    rl_depthwise_position_run(d, step, window, first, end, false, output);
}

static inline bool rl_depthwise_shifts_right(const struct rl_depthwise *d, int32_t first, int32_t end)
{
    int32x4_t most = vdupq_n_s32(INT32_MIN);
    for (int32_t i = first; i < end; i += 4) {
        const int32_t at = rl_min_s32(i, end - 4);
        most = vmaxq_s32(most, vldrwq_s32(d->scales.shift + at));
    }
    return vmaxvq_s32(INT32_MIN, most) < 0;
}

// How many of the taps of all outputs on one axis lie outside the input; without dilation, about as many with one.
static inline int32_t rl_depthwise_taps_outside(int32_t outputs, int32_t stride, int32_t padding, int32_t taps,
                                                int32_t inputs)
{
    int32_t count = 0;
    int32_t before = padding, behind = (outputs - 1) * stride - padding + taps - inputs;
    for (; outputs > 0 && (before > 0 || behind > 0); outputs--, before -= stride, behind -= stride) {
        count += rl_clamp_s32(before, 0, taps) + rl_clamp_s32(behind, 0, taps);
    }
    return count;
}

// Whether positions take less time than bands (depthwise_bands_nest.h). For eight channels a position takes 60 cycles
// and 15 more for each tap inside the image. Bands take 250 cycles, 8 for each tap of the filter, and 8 for each tap of
// each output.
static inline bool rl_depthwise_positions_beat_bands(const struct rl_depthwise *d)
{
    const int32_t taps = d->filter.h * d->filter.w, outputs = d->output.h * d->output.w;
    if (outputs > RL_DEPTHWISE_POSITIONS) {
        return false;
    }
    const int32_t bands = 250 + 8 * taps * (outputs + 1) - 60 * outputs;
    if (15 * taps * outputs < bands) {
        return true;
    }
    const int32_t rows = d->output.h * d->filter.h -
                         rl_depthwise_taps_outside(d->output.h, d->stride.h, d->padding.h, d->filter.h, d->input.h);
    const int32_t columns = d->output.w * d->filter.w -
                            rl_depthwise_taps_outside(d->output.w, d->stride.w, d->padding.w, d->filter.w, d->input.w);
    return 15 * rows * columns < bands;
}

// Runs the channels [first, end), eight or more, of all images of a layer with a multiplier of 1. `input` and `output`
// are at channel 0.
static void rl_depthwise_run_positions(const struct rl_depthwise *d, int32_t first, int32_t end, const int8_t *input,
                                       int8_t *output)
{
    const struct rl_depthwise_steps step = rl_depthwise_steps_of(d);
    const bool right = rl_depthwise_shifts_right(d, first, end);
    for (int32_t batch = 0; batch < d->input.n; batch++, input += rl_image_size(d->input)) {
        for (int32_t y = 0; y < d->output.h; y++) {
            const struct rl_taps rows =
                rl_taps_of(y * d->stride.h - d->padding.h, d->dilation.h, d->filter.h, d->input.h);
            for (int32_t x = 0; x < d->output.w; x++, output += d->output.c) {
                const struct rl_taps columns =
                    rl_taps_of(x * d->stride.w - d->padding.w, d->dilation.w, d->filter.w, d->input.w);
                const struct rl_depthwise_window window = rl_depthwise_window_of(d, input, rows, columns);
                if (right) {
                    rl_depthwise_position_right(d, &step, &window, first, end, output);
                } else {
                    rl_depthwise_position_any(d, &step, &window, first, end, output);
                }
            }
        }
    }
}

#endif
