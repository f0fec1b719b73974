// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution position by position: all channels of an output, eight at a time, from where input and weights
// lie. Nothing is prepared, so it suits layers with few outputs.
#ifndef RL_KERNELS_MVE_DEPTHWISE_POSITIONS_H
#define RL_KERNELS_MVE_DEPTHWISE_POSITIONS_H

#include <arm_mve.h>

#include "depthwise/choice.h"
#include "depthwise/window.h"
#include "mve/depthwise_sixteen.h"
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

// Whether positions of eight channels take less time than bands (depthwise_bands_nest.h). For eight channels a position
// takes 60 cycles and 15 more for each tap inside the image. Bands take 250 cycles, 8 for each tap of the filter, and 8
// for each tap of each output.
static inline bool rl_depthwise_positions_beat_bands(const struct rl_depthwise *d)
{
    const int32_t taps = d->filter.h * d->filter.w, outputs = d->output.h * d->output.w;
    const int32_t bands = 250 + 8 * taps * (outputs + 1) - 60 * outputs;
    return outputs <= RL_DEPTHWISE_POSITIONS &&
           (15 * taps * outputs < bands || 15 * rl_depthwise_all_taps_inside(d) < bands);
}

// Whether the channels [first, end) are computed 16 at a time, or 9 to 15 together; `bands` if bands could be instead.
// Fewer than 16 channels of a few outputs do not repay the tables.
static inline bool rl_depthwise_suits_sixteens(const struct rl_depthwise *d, int32_t first, int32_t end, bool bands)
{
    enum { FEW = 2 };
    const int32_t channels = end - first, outputs = d->output.h * d->output.w;
    if (channels <= RL_SIXTEEN / 2 || !rl_depthwise_has_sixteens(d)) {
        return false;
    }
    if (channels < RL_SIXTEEN && 56 * outputs < 98 + 18 * d->output.w + d->filter.h * d->filter.w) {
        return false;
    }
    return !bands || outputs <= FEW || rl_depthwise_sixteens_cycles(d) < rl_depthwise_bands_cycles(d);
}

// The taps of all rows of the filter with `columns` columns, one row after the other.
static inline void rl_sixteen_taps(const struct rl_depthwise *d, const struct rl_depthwise_steps *step, int32_t columns,
                                   struct rl_sixteen_tap *tap)
{
    int32_t input = 0, weights = 0;
    for (int32_t i = d->filter.h; i > 0; i--, input += (int32_t)step->x_line, weights += (int32_t)step->w_line) {
        int32_t x = input, w = weights;
        for (int32_t k = columns; k > 0; k--, tap++, x += (int32_t)step->x, w += (int32_t)step->w) {
            tap->input = x;
            tap->weights = w;
        }
    }
}

// What `groups` groups of channels from `channel` on have in common for all outputs.
static inline void rl_sixteen_start(const struct rl_depthwise *d, int32_t channel, int32_t groups,
                                    const struct rl_sixteen_tap *taps, const struct rl_sixteen_row *rows,
                                    struct rl_sixteen *s)
{
    s->bias = d->bias + channel;
    s->multiplier = d->scales.multiplier + channel;
    s->shift = d->scales.shift + channel;
    s->groups = groups;
    s->taps = taps;
    s->input_offset = d->input_offset;
    s->output_offset = d->output_offset;
    vstrhq_s16(s->limits, vdupq_n_s16((int16_t)d->range.min));
    vstrhq_s16(s->limits + RL_SIXTEEN / 2, vdupq_n_s16((int16_t)d->range.max));
    s->next_input = s->next_weights = s->next_output = RL_SIXTEEN / 2;
    s->rows = rows;
    s->line = d->output.w * d->output.c;
}

// The scales of two groups of eight channels that overlap.
struct rl_eights_scales {
    int32_t bias[RL_SIXTEEN], multiplier[RL_SIXTEEN], shift[RL_SIXTEEN];
};

static inline const int32_t *rl_eights_copy(const int32_t *from, int32_t distance, int32_t *to)
{
    vstrwq_s32(to, vldrwq_s32(from));
    vstrwq_s32(to + 4, vldrwq_s32(from + 4));
    vstrwq_s32(to + 8, vldrwq_s32(from + distance));
    vstrwq_s32(to + 12, vldrwq_s32(from + distance + 4));
    return to;
}

// Changes what rl_sixteen_start wrote for 9 to 15 channels: two groups of eight that overlap.
static inline void rl_eights_start(int32_t channels, struct rl_eights_scales *scales, struct rl_sixteen *s)
{
    const int32_t distance = channels - RL_SIXTEEN / 2;
    s->groups = 1;
    s->bias = rl_eights_copy(s->bias, distance, scales->bias);
    s->multiplier = rl_eights_copy(s->multiplier, distance, scales->multiplier);
    s->shift = rl_eights_copy(s->shift, distance, scales->shift);
    s->next_input = s->next_weights = s->next_output = distance;
}

// The rows of taps of `outputs` outputs below each other, the first of which is number `y`.
static inline void rl_sixteen_rows(const struct rl_depthwise *d, int32_t y, int32_t outputs, struct rl_sixteen_row *row)
{
    const int32_t line = d->input.w * d->input.c, filter_line = d->filter.w * d->output.c;
    int32_t in_y = y * d->stride.h - d->padding.h;
    for (; outputs > 0; outputs--, row++, in_y += d->stride.h) {
        const struct rl_taps taps = rl_taps_of(in_y, d->dilation.h, d->filter.h, d->input.h);
        row->input = taps.input * line;
        row->weights = taps.first * filter_line;
        row->count = taps.count;
    }
}

// Runs the column whose first pixel, weights and output these are.
static inline void rl_sixteens_column(rl_assembler *run, struct rl_sixteen *s, int32_t columns, const int8_t *input,
                                      const int8_t *weights, int8_t *output)
{
    s->columns = columns;
    s->input = input;
    s->weights = weights;
    s->output = output;
    rl_call_assembler(run, s);
}

// Runs an image of a layer with biases, for nine channels or more. Not inlined, so that other layers have no tables on
// their stack. It goes down the columns, since windows of a column have taps in the same columns of the filter: the
// first ones of the table, if there are fewer rows.
static __attribute__((noinline)) void rl_sixteens_image(const struct rl_depthwise *d, int32_t first, int32_t end,
                                                        const int8_t *image, int8_t *output)
{
    struct rl_sixteen_tap taps[RL_SIXTEEN_TAPS + RL_SIXTEEN_AHEAD];
    struct rl_sixteen_row rows[RL_SIXTEEN_ROWS];
    struct rl_sixteen s, rest; // the last group overlaps the one before when there are no 16 channels left
    struct rl_eights_scales scales;
    const struct rl_depthwise_steps step = rl_depthwise_steps_of(d);
    const int32_t channels = end - first, last = end - RL_SIXTEEN, line = d->output.w * d->output.c;
    const bool right = rl_depthwise_shifts_right(d, first, end), narrow = channels < RL_SIXTEEN;
    const bool overlaps = !narrow && channels % RL_SIXTEEN != 0;
    rl_assembler *const sixteen = right ? rl_depthwise_sixteen : rl_depthwise_sixteen_any;
    rl_assembler *const eights = right ? rl_depthwise_eights : rl_depthwise_eights_any;
    int32_t listed = 0; // columns of the table
    rl_sixteen_start(d, first, channels / RL_SIXTEEN, taps, rows, &s);
    if (narrow) {
        rl_eights_start(channels, &scales, &s);
    }
    if (overlaps) {
        rl_sixteen_start(d, last, 1, taps, rows, &rest);
    }
    for (int32_t y = 0; y < d->output.h; y += RL_SIXTEEN_ROWS, output += RL_SIXTEEN_ROWS * line) {
        rest.outputs = s.outputs = rl_min_s32(d->output.h - y, RL_SIXTEEN_ROWS);
        rl_sixteen_rows(d, y, s.outputs, rows);
        for (int32_t x = 0; x < d->output.w; x++) {
            const struct rl_taps columns =
                rl_taps_of(x * d->stride.w - d->padding.w, d->dilation.w, d->filter.w, d->input.w);
            if (columns.count != listed) {
                listed = columns.count;
                rl_sixteen_taps(d, &step, listed, taps);
            }
            const int8_t *input = image + columns.input * d->input.c;
            const int8_t *weights = d->weights + columns.first * d->output.c;
            int8_t *to = output + x * d->output.c;
            rl_sixteens_column(narrow ? eights : sixteen, &s, listed, input + first, weights + first, to + first);
            if (overlaps) {
                rl_sixteens_column(sixteen, &rest, listed, input + last, weights + last, to + last);
            }
        }
    }
}

// The same for all images. `input` and `output` are at channel 0.
static inline void rl_depthwise_run_sixteens(const struct rl_depthwise *d, int32_t first, int32_t end,
                                             const int8_t *input, int8_t *output)
{
    for (int32_t batch = 0; batch < d->input.n; batch++) {
        rl_sixteens_image(d, first, end, input + batch * rl_image_size(d->input),
                          output + batch * rl_image_size(d->output));
    }
}

// Runs the channels [first, end), eight or more, of all images of a layer with a multiplier of 1. `input` and `output`
// are at channel 0.
static void rl_depthwise_run_each_position(const struct rl_depthwise *d, int32_t first, int32_t end,
                                           const int8_t *input, int8_t *output)
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
