// SPDX-License-Identifier: Apache-2.0
// Windows of up to four outputs that hang over the input, where they lie: only what is on the input meets the filters,
// four at a time, and nothing is copied. On a map of 2x2, that is four of the nine taps of a 3x3 filter.
#ifndef RL_KERNELS_MVE_FEW_WINDOWS_TILE_H
#define RL_KERNELS_MVE_FEW_WINDOWS_TILE_H

#include "convolution/convolution.h"
#include "mve/dot_few_windows.h"
#include "mve/few_rows.h"
#include "requantize.h"
#include "taps.h"

// What the outputs of an axis see of their windows: all taps that lie on the input, and vectors of so many values each.
struct rl_axis_windows {
    int32_t taps;
    int32_t vectors;
};

// Returns no taps if an output sees none.
static inline struct rl_axis_windows rl_axis_windows_of(int32_t outputs, int32_t start, int32_t stride, int32_t window,
                                                        int32_t input, int32_t values)
{
    struct rl_axis_windows all = {0, 0};
    for (int32_t i = 0; i < outputs; i++, start += stride) {
        const int32_t count = rl_taps_of(start, 1, window, input).count;
        if (count < 1) {
            return (struct rl_axis_windows){0, 0};
        }
        all.taps += count;
        all.vectors += (count * values + 15) / 16;
    }
    return all;
}

// Whether windows in place take less time than rows of copies (few_rows.h, or dot_1x4.h for one output): by what four
// filters take, in cycles, and what copies take.
static inline bool rl_few_windows_pay(const struct rl_convolution *c)
{
    enum { WINDOW = 50, LINE = 26, VECTOR = 13, ROW = 40, ROW_VECTOR = 9, COPY = 150 };
    const int32_t outputs = rl_convolution_outputs(c);
    const struct rl_axis_windows lines =
        rl_axis_windows_of(c->output.h, -c->padding.h, c->stride.h, c->filter.h, c->input.h, 0);
    const struct rl_axis_windows runs =
        rl_axis_windows_of(c->output.w, -c->padding.w, c->stride.w, c->filter.w, c->input.w, c->input.c);
    if (lines.taps == 0 || runs.taps == 0) {
        return false;
    }
    const int32_t vectors = (rl_convolution_depth(c) + 15) / 16, fours = c->output.c / 4;
    const int32_t in_place = outputs * WINDOW + lines.taps * (LINE * c->output.w + VECTOR * runs.vectors);
    const int32_t copied = outputs * (ROW + (outputs == 1 ? VECTOR : ROW_VECTOR) * vectors);
    return (in_place - copied) * fours < outputs * COPY;
}

// Computes the sums of `channels` >= 4 channels. The last group may repeat channels.
static inline __attribute__((always_inline)) void rl_few_window_sums(struct rl_few_windows *w, const int8_t *filter,
                                                                     int32_t channels, int32_t *sums)
{
    w->filter = filter;
    w->sums = sums;
    w->groups = channels / 4;
    rl_call_assembler(rl_dot_few_windows, w);
    if (channels % 4 != 0) {
        w->filter = filter + (ptrdiff_t)(channels - 4) * w->depth;
        w->sums = sums + channels - 4;
        w->groups = 1;
        rl_call_assembler(rl_dot_few_windows, w);
    }
}

// Computes the sums of all outputs with `channels` filters.
static inline void rl_few_windows_sums(const struct rl_convolution *c, const int8_t *input, const int8_t *filters,
                                       int32_t channels, int32_t *sums)
{
    const int32_t pixel = c->input.c, input_line = c->input.w * pixel, filter_line = c->filter.w * pixel;
    struct rl_few_windows w;
    w.depth = c->filter.h * filter_line;
    w.offset = c->input_offset;
    int32_t in_y = -c->padding.h;
    for (int32_t y = 0; y < c->output.h; y++, in_y += c->stride.h) {
        const struct rl_taps rows = rl_taps_of(in_y, 1, c->filter.h, c->input.h);
        const int8_t *line = input + (ptrdiff_t)rows.input * input_line;
        const int8_t *filter = filters + rows.first * filter_line;
        int32_t in_x = -c->padding.w;
        w.lines = rows.count;
        for (int32_t x = 0; x < c->output.w; x++, in_x += c->stride.w, sums += RL_SUM_BLOCK) {
            const struct rl_taps columns = rl_taps_of(in_x, 1, c->filter.w, c->input.w);
            w.run = columns.count * pixel;
            w.input = line + columns.input * pixel;
            w.input_back = input_line - ((w.run + 15) & ~15);
            w.filter_back = filter_line - ((w.run + 15) & ~15);
            w.start = -128 * w.lines * w.run * w.offset;
            rl_few_window_sums(&w, filter + columns.first * pixel, channels, sums);
        }
    }
}

// Runs such a layer.
static __attribute__((noinline)) void rl_few_windows_run(const struct rl_convolution *c, const int8_t *input,
                                                         int8_t *output)
{
    int32_t sums[RL_CONVOLUTION_FEW_ROWS * RL_SUM_BLOCK];
    const int32_t outputs = rl_convolution_outputs(c), channels = c->output.c;
    struct rl_two_sums two; // other fields are those of a block
    two.weights = sums;     // which count no more
    two.less = two.input_offset = 0;
    two.output_offset = c->output_offset;
    two.min = c->range.min;
    two.max = c->range.max;
    for (int32_t first = 0; first < channels; first += two.channels) {
        const int32_t left = channels - first, least = 4;
        two.channels = left < RL_FEW_ROWS_BLOCK + least ? left : RL_FEW_ROWS_BLOCK;
        rl_few_windows_sums(c, input, c->weights + (ptrdiff_t)first * rl_convolution_depth(c), two.channels, sums);
        rl_few_rows_scale(&two, c->bias, c->scales, first, sums, outputs, channels, output + first);
    }
}

#endif
