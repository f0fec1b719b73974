// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution by planes: for four channels a block of the input is expanded to int16, one plane per
// channel, with the input offset added and zeros where the padding is. Along a plane neighbouring taps are
// neighbouring values, so that weights stay in registers and a word holds two values; and no output needs to
// know of padding. Everything is on the stack.
//
// Tile contract (RL_TILE(plane_tile.h)):
// - rl_plane_words(columns): words that the prepared weights of a filter row take.
// - rl_plane_weights(filter, step, rows, columns, weights): prepares the weights filter[(r * columns + c) *
// step].
// - rl_plane_expand(pixels, step, count, offset, plane, pitch): channels 0-3 of `count` pixels, `step` bytes
// apart, to
//   plane[c * pitch + i].
// - rl_plane_outputs(p): all outputs of struct rl_plane_outputs. For p->columns rounded up to four, values of
// the plane
//   are read, and RL_PLANE_SLACK after those that the last one needs.
#ifndef RL_KERNELS_DEPTHWISE_PLANES_H
#define RL_KERNELS_DEPTHWISE_PLANES_H

#include "depthwise/depthwise.h"
#include "elementwise/rescale.h"

enum {
    RL_PLANE_CHANNELS = 4,
    RL_PLANE_OUTPUTS = 4,   // computed together
    RL_PLANE_TILE = 24,     // outputs side by side in a block, at most
    RL_PLANE_VALUES = 1024, // int16 values of the four planes together
    RL_PLANE_WEIGHTS = 32,  // words per channel
    RL_PLANE_SLACK = 2,
};

// A block of outputs of one channel. Sums are scaled by `scale`, saturated to int8 and stored; or, if sums is
// not NULL, left there: a single row of at most RL_PLANE_TILE.
struct rl_plane_outputs {
    const int16_t *plane;    // first value under the filter; aligned to 4 bytes
    const uint32_t *weights; // as rl_plane_weights made them
    int32_t pitch;           // values from one row of the plane to the next, even
    int32_t row_step;        // values from one row of outputs to the next, even
    int32_t filter_rows;
    int32_t filter_columns;
    int32_t stride; // horizontal: 1 or 2
    int32_t rows;
    int32_t columns;
    int32_t bias;
    struct rl_rescale scale;
    int8_t *output;
    ptrdiff_t output_step; // bytes from one output to the next
    ptrdiff_t output_row;  // and from one row to the next
    int32_t *sums;
};

// Runs all channels and returns true, or returns false and has done nothing: a multiplier other than 1,
// dilation, fewer than four channels, strides above 2 or filters that do not fit.
bool rl_depthwise_run_planes(const struct rl_depthwise *d);

#endif
