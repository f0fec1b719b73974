// SPDX-License-Identifier: Apache-2.0
// A depthwise convolution output by output: the taps of an output that meet an input.
//
// Tile contract (RL_TILE(depthwise_s8_tile.h)):
// - struct rl_depthwise_together: what the outputs of a layer have in common.
// - rl_depthwise_start_together(&together, d, &steps, first, end, left): fills it in; `left` if some channel does not
//   shift right. Returns the channel up to which the next function runs the channels [first, end), or `first`.
// - rl_depthwise_run_together(&together, d, &steps, &window, output): runs those channels of the position whose channel
//   0 is at `output`.
// - rl_depthwise_run_positions(&together, d, image, output): runs those channels of all positions of an image, or
//   returns false and does nothing. On DSP cores the function before takes what this one does not.
// - RL_DEPTHWISE_SHIFTS_LEFT: 1 if these functions take shifts of 0 and more, too.
// - RL_DEPTHWISE_OVERLAPS: 1 if these functions run channels that are left over behind fours, of which they run some
//   twice; two or three of them, or on DSP cores also one.
// - rl_depthwise_run_points(d, first, end, image, output): runs the channels [first, end) of an image, whose scales are
//   simple (window.c), some outputs at a time, or returns false and does nothing.
// - rl_depthwise_run_vectors(d, first, end, input, output): runs all images of these channels, or returns false and
//   does nothing.
#ifndef RL_KERNELS_DEPTHWISE_WINDOW_H
#define RL_KERNELS_DEPTHWISE_WINDOW_H

#include "depthwise/depthwise.h"
#include "elementwise/rescale.h"
#include "requantize.h"
#include "taps.h"

// Runs the output channels [first, end) of all images; `input` and `output` are at channel 0. Small code has
// rl_depthwise_run_one_by_one instead.
void rl_depthwise_run_windows(const struct rl_depthwise *d, int32_t first, int32_t end, const int8_t *input,
                              int8_t *output);

// Runs all images of a layer of few channels in one loop, or returns false and does nothing.
bool rl_depthwise_run_narrow(const struct rl_depthwise *d, const int8_t *input, int8_t *output);

// The window of one output: rows and columns of taps, and channel 0 of the first pixel and of its weights. `rows` is 0
// if there are no taps.
struct rl_depthwise_window {
    int32_t rows;
    int32_t columns;
    const int8_t *x;
    const int8_t *w;
};

// The window of the taps on both axes of an image.
static inline struct rl_depthwise_window rl_depthwise_window_of(const struct rl_depthwise *d, const int8_t *image,
                                                                struct rl_taps rows, struct rl_taps columns)
{
    if (rows.count == 0 || columns.count == 0) {
        return (struct rl_depthwise_window){0, 0, image, d->weights};
    }
    const ptrdiff_t pixel = rows.input * d->input.w + columns.input;
    const ptrdiff_t tap = rows.first * d->filter.w + columns.first;
    return (struct rl_depthwise_window){rows.count, columns.count, image + pixel * d->input.c,
                                        d->weights + tap * d->output.c};
}

// The distances in bytes from one tap to the next and to the one below.
struct rl_depthwise_steps {
    ptrdiff_t x;
    ptrdiff_t x_line;
    ptrdiff_t w;
    ptrdiff_t w_line;
};

static inline struct rl_depthwise_steps rl_depthwise_steps_of(const struct rl_depthwise *d)
{
    const struct rl_extent dilation = d->dilation;
    const ptrdiff_t pixel = d->input.c;
    return (struct rl_depthwise_steps){dilation.w * pixel, dilation.h * d->input.w * pixel, d->output.c,
                                       d->filter.w * (ptrdiff_t)d->output.c};
}

// Up to which of the channels [first, end) fours serve: two or three that are left over are run with some of those in
// front of them, once more. A single one takes less time alone.
static inline int32_t rl_depthwise_together_end(int32_t first, int32_t end)
{
    return ((end - first) & 3) == 1 ? end - 1 : end;
}

#endif
