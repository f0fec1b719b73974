// SPDX-License-Identifier: Apache-2.0
// The depthwise nest of scalar and DSP cores: for four channels a block of the input is copied to the stack
// as int16 planes. See depthwise/planes.h for the contract.
//
// RL_TILE(plane_tile.h) provides, beside what scalar/plane_channels.h needs of it:
// - rl_plane_fits(axes): whether it can run this filter.
// - rl_plane_clear(b, d): makes the whole block padding.
// - rl_plane_expand(b, d, axes, pixels, line, left, count): puts `count` pixels of the input into a line of
//   the block, after `left` pixels of padding.
// - rl_plane_run(b, d, axes, &group, rows, columns, output): the outputs that the block is for.
#ifndef RL_KERNELS_SCALAR_PLANE_NEST_H
#define RL_KERNELS_SCALAR_PLANE_NEST_H

#include "isa.h"

#include RL_TILE(plane_tile.h)

// What of a block is not padding: pixels and lines, and what lies before them.
struct rl_plane_margins {
    int32_t left;
    int32_t pixels;
    int32_t above;
    int32_t lines;
};

static bool rl_plane_equal_margins(struct rl_plane_margins a, struct rl_plane_margins b)
{
    return a.left == b.left && a.pixels == b.pixels && a.above == b.above && a.lines == b.lines;
}

// The largest block that there is room for; false if there is none. Long lines have fewer margins, many lines
// are read twice less often.
static bool rl_plane_fit_block(const struct rl_plane_axes *axes, struct rl_plane_block *b)
{
    const struct rl_plane_axis *along = &axes->along;
    const struct rl_plane_axis *across = &axes->across;
    if (along->stride < 1 || along->stride > 2 || across->stride < 1 || !rl_plane_fits(axes)) {
        return false;
    }
    const int32_t widest = RL_PLANE_TILE / along->stride;
    for (b->columns = rl_min_s32(along->output, widest); b->columns > 0; b->columns -= RL_PLANE_OUTPUTS) {
        const int32_t computed = (b->columns + RL_PLANE_OUTPUTS - 1) & ~(RL_PLANE_OUTPUTS - 1);
        const int32_t needed = (computed - 1) * along->stride + along->taps;
        b->pitch = (needed + RL_PLANE_SLACK + 1) & ~1;
        const int32_t room = RL_PLANE_PIXELS / b->pitch;
        if (room >= across->taps) {
            b->rows = rl_min_s32((room - across->taps) / across->stride + 1, across->output);
            b->lines = (b->rows - 1) * across->stride + across->taps;
            return true;
        }
    }
    return false;
}

// Fills the block with what the outputs from (row, column) on see of `input`, whose first channel is the
// group's. Padding stays from one block to the next where the margins do.
static void rl_plane_expand_block(const struct rl_depthwise *d, const struct rl_plane_axes *axes,
                                  struct rl_plane_block *b, struct rl_plane_margins *before,
                                  const int8_t *input, int32_t row, int32_t column, int32_t rows)
{
    const struct rl_plane_axis *along = &axes->along;
    const struct rl_plane_axis *across = &axes->across;
    const int32_t top = row * across->stride - across->padding;
    const int32_t start = column * along->stride - along->padding;
    const int32_t bottom = rl_min_s32(top + (rows - 1) * across->stride + across->taps, across->input);
    const int32_t first = rl_max_s32(top, 0);
    const int32_t left = rl_clamp_s32(-start, 0, b->pitch);
    const int32_t pixels = rl_clamp_s32(along->input - start - left, 0, b->pitch - left);
    const struct rl_plane_margins margins = {left, pixels, first - top, bottom - first};
    if (!rl_plane_equal_margins(margins, *before)) {
        rl_plane_clear(b, d);
        *before = margins;
    }
    const int8_t *from = input + first * across->input_step + (start + left) * along->input_step;
    for (int32_t line = first; line < bottom; line++, from += across->input_step) {
        rl_plane_expand(b, d, axes, from, line - top, left, pixels);
    }
}

// The outputs of one image, whose first channel is the group's.
static void rl_plane_image(const struct rl_depthwise *d, const struct rl_plane_axes *axes,
                           struct rl_plane_block *b, const struct rl_plane_group *group, const int8_t *input,
                           int8_t *output)
{
    const struct rl_plane_axis *along = &axes->along;
    const struct rl_plane_axis *across = &axes->across;
    struct rl_plane_margins margins = {-1, 0, 0, 0};
    for (int32_t column = 0; column < along->output; column += b->columns) {
        const int32_t columns = rl_min_s32(b->columns, along->output - column);
        for (int32_t row = 0; row < across->output; row += b->rows) {
            const int32_t rows = rl_min_s32(b->rows, across->output - row);
            int8_t *first = output + row * across->output_step + column * along->output_step;
            rl_plane_expand_block(d, axes, b, &margins, input, row, column, rows);
            rl_plane_run(b, d, axes, group, rows, columns, first);
        }
    }
}

// Outputs that are computed when lines go along `a`, those beyond the end of a line included.
static int32_t rl_plane_computed(const struct rl_plane_axis *a, const struct rl_plane_axis *other)
{
    return ((a->output + RL_PLANE_OUTPUTS - 1) & ~(RL_PLANE_OUTPUTS - 1)) * other->output;
}

#endif
