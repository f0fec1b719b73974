// SPDX-License-Identifier: Apache-2.0
// The depthwise nest of scalar and DSP cores: for four channels a block of the input is copied to the stack
// in the form that the tile multiplies, and each channel is done by itself. Outputs are computed in pairs of
// rows and columns; blocks have room for the second of a last pair. See depthwise/planes.h for the contract.
//
// RL_TILE(plane_tile.h) provides, beside struct rl_plane_group and rl_plane_prepare:
// - rl_plane_fits(axes): whether it can run this filter.
// - rl_plane_pairs_of_two(across): pairs of lines that two rows of outputs need; two more rows need as many
// more as
//   the stride.
// - rl_plane_group_words(axes), rl_plane_place_group(axes, memory, &group): memory of a group.
// - rl_plane_expand(b, d, axes, pixels): fills the block; `pixels` are the first that lie on the input.
// - rl_plane_run(b, d, axes, &group, output): the outputs that the block is for.
#ifndef RL_KERNELS_SCALAR_PLANE_NEST_H
#define RL_KERNELS_SCALAR_PLANE_NEST_H

#include "isa.h"

#include RL_TILE(plane_tile.h)

// What `outputs` of them see whose first tap is at `start`.
static __attribute__((noinline)) struct rl_plane_span rl_plane_span_of(const struct rl_plane_axis *a,
                                                                       int32_t start, int32_t outputs)
{
    const int32_t needed = (outputs - 1) * a->stride + a->reach;
    const int32_t before = rl_clamp_s32(-start, 0, needed);
    const int32_t inside = rl_clamp_s32(a->input - start - before, 0, needed - before);
    return (struct rl_plane_span){before, inside, needed - before - inside};
}

// The outputs of the block from (row, column) on. `input` and `output` begin at the first channel of the
// group.
static void rl_plane_run_block(const struct rl_depthwise *d, const struct rl_plane_axes *axes,
                               struct rl_plane_block *b, const struct rl_plane_group *group,
                               const int8_t *input, int32_t row, int32_t column, int8_t *output)
{
    const struct rl_plane_axis *along = &axes->along;
    const struct rl_plane_axis *across = &axes->across;
    const int32_t top = row * across->stride - across->padding;
    const int32_t left = column * along->stride - along->padding;
    b->lines = rl_plane_span_of(across, top, b->rows);
    b->pixels = rl_plane_span_of(along, left, b->columns);
    rl_plane_expand(b, d, axes,
                    input + (top + b->lines.before) * across->input_step +
                        (left + b->pixels.before) * along->input_step);
    rl_plane_run(b, d, axes, group, output + row * across->output_step + column * along->output_step);
}

static int32_t rl_plane_most_columns(const struct rl_plane_axis *along)
{
    return (int32_t)((uint32_t)((RL_PLANE_PITCH - along->reach) / along->stride + 1) & ~1u);
}

enum { RL_PLANE_PAIR_BYTES = RL_PLANE_LINE_WORDS * 4 };

// As many rows as the lines are enough for, or as there are, an even number.
static int32_t rl_plane_most_rows(const struct rl_plane_axis *across)
{
    const int32_t more = RL_PLANE_LINES / 2 - rl_plane_pairs_of_two(across);
    return more < 0 ? 0 : rl_min_s32(2 * (more / across->stride + 1), (across->output + 1) & ~1);
}

static bool rl_plane_fit_block(const struct rl_plane_axes *axes, int32_t room, struct rl_plane_block *b)
{
    (void)room; // blocks are as large as the image asks
    const struct rl_plane_axis *along = &axes->along;
    const struct rl_plane_axis *across = &axes->across;
    if (along->stride < 1 || across->stride < 1 || along->dilation < 1 || across->dilation < 1 ||
        along->reach < 1 || along->reach > RL_PLANE_PITCH || across->reach < 1 ||
        across->reach > RL_PLANE_LINES || !rl_plane_fits(axes)) {
        return false;
    }
    b->group_words = rl_plane_group_words(axes);
    b->most_columns = rl_plane_most_columns(along);
    b->most_rows = rl_plane_most_rows(across);
    return b->most_columns >= 2 && b->most_rows >= 2;
}

static int32_t rl_plane_bytes(const struct rl_plane_axes *axes, const struct rl_plane_block *b)
{
    const int32_t pairs = rl_plane_pairs_of_two(&axes->across) + (b->most_rows / 2 - 1) * axes->across.stride;
    return 4 * b->group_words + pairs * RL_PLANE_PAIR_BYTES;
}

static void rl_plane_place(const struct rl_plane_axes *axes, void *memory, struct rl_plane_block *b,
                           struct rl_plane_group *group)
{
    rl_plane_place_group(axes, memory, group);
    b->words = (uint32_t *)memory + b->group_words;
}

// One image: the input and output of the first channel of the group. Not inlined: beside the block and the
// group, the loops' variables would be out of reach of a Cortex-M0's short offsets.
static __attribute__((noinline)) void
rl_plane_image(const struct rl_depthwise *d, const struct rl_plane_axes *axes, struct rl_plane_block *b,
               const struct rl_plane_group *group, const int8_t *input, int8_t *output)
{
    for (int32_t column = 0; column < axes->along.output; column += b->most_columns) {
        b->columns = rl_min_s32(axes->along.output - column, b->most_columns);
        for (int32_t row = 0; row < axes->across.output; row += b->most_rows) {
            b->rows = rl_min_s32(axes->across.output - row, b->most_rows);
            rl_plane_run_block(d, axes, b, group, input, row, column, output);
        }
    }
}

// Pairs of rows and columns; what surrounds a line takes about as long as one.
static int32_t rl_plane_computed(const struct rl_plane_axis *along, const struct rl_plane_axis *across)
{
    return ((along->output + 3) / 2) * ((across->output + 1) / 2);
}

#endif
