// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution by blocks: for a few channels a block of the input is copied to the stack in the form
// that the core multiplies best, with padding filled in. No output needs to know of padding, and weights and
// neighbouring values are next to each other. A pixel of a block has RL_PLANE_PIXEL_BYTES, whatever the form:
// four int16 in planes, or eight int8 side by side.
//
// Tile contract (RL_TILE(plane_tile.h)):
// - enum RL_PLANE_CHANNELS, struct rl_plane_group: what the tile prepares for that many channels.
// - rl_plane_fits(axes): whether the tile can run this filter.
// - rl_plane_prepare(d, axes, first, &group): once per group of channels.
// - rl_plane_clear(b, d): makes the whole block padding.
// - rl_plane_expand(b, d, axes, pixels, line, left, count): puts `count` pixels of the input into a line of
// the block,
//   after `left` pixels of padding.
// - rl_plane_run(b, d, axes, &group, rows, columns, output): the outputs that the block is for.
#ifndef RL_KERNELS_DEPTHWISE_PLANES_H
#define RL_KERNELS_DEPTHWISE_PLANES_H

#include "depthwise/depthwise.h"

enum {
    RL_PLANE_PIXEL_BYTES = 8,
    RL_PLANE_PIXELS = 256, // of a block
    RL_PLANE_OUTPUTS = 4,  // a tile may compute this many side by side, and so read beyond the last
    RL_PLANE_TILE = 24,    // outputs side by side in a block, at most
    RL_PLANE_SLACK = 2,    // pixels that a tile may read after those that the last output needs
};

// One of the two directions of the image.
struct rl_plane_axis {
    int32_t input; // pixels
    int32_t output;
    int32_t taps;
    int32_t stride;
    int32_t padding;
    ptrdiff_t input_step; // bytes from one pixel to the next
    ptrdiff_t output_step;
    ptrdiff_t filter_step;
};

// Lines of a block go along the axis that wastes fewer of the outputs computed together.
struct rl_plane_axes {
    struct rl_plane_axis along;
    struct rl_plane_axis across;
};

// A block of the input.
struct rl_plane_block {
    int32_t columns; // outputs along a line, at most
    int32_t rows;    // outputs across, at most
    int32_t pitch;   // pixels per line, even
    int32_t lines;
    _Alignas(8) int8_t bytes[RL_PLANE_PIXELS * RL_PLANE_PIXEL_BYTES];
};

// Runs all channels and returns true, or returns false and has done nothing: a multiplier other than 1,
// dilation, few channels, horizontal strides above 2 or filters that do not fit.
bool rl_depthwise_run_planes(const struct rl_depthwise *d);

#endif
