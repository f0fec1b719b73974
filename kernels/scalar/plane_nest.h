// SPDX-License-Identifier: Apache-2.0
// The depthwise loops of scalar and DSP cores. A block of four channels of the input is copied to the stack in the form
// that the tile multiplies. Each channel is then computed alone, in pairs of rows and columns of outputs; blocks have
// room for the second of a last pair. See depthwise/planes.h for the contract.
//
// RL_TILE(plane_tile.h) provides, beside struct rl_plane_group and rl_plane_prepare:
// - the functions that scalar/plane_blocks.h needs.
// - rl_plane_place_group(axes, memory, end, &group): gives a group its memory, all up to `end`.
// - rl_plane_expand(b, d, axes, &group, pixels): fills the block; `pixels` are the first that lie on the input.
// - rl_plane_run(b, d, axes, &group, output): computes the outputs of the block.
#ifndef RL_KERNELS_SCALAR_PLANE_NEST_H
#define RL_KERNELS_SCALAR_PLANE_NEST_H

#include "isa.h"

#include RL_TILE(plane_tile.h)
#include "scalar/plane_blocks.h"

// The pixels that `outputs` outputs read, whose first tap is at `start`.
static __attribute__((noinline)) struct rl_plane_span rl_plane_span_of(const struct rl_plane_axis *a, int32_t start,
                                                                       int32_t outputs)
{
    const int32_t needed = (outputs - 1) * a->stride + a->reach;
    const int32_t before = rl_clamp_s32(-start, 0, needed);
    const int32_t inside = rl_clamp_s32(a->input - start - before, 0, needed - before);
    return (struct rl_plane_span){before, inside, needed - before - inside};
}

// Computes the outputs of the block from (row, column) on. `input` and `output` are at the group's first channel.
static void rl_plane_run_block(const struct rl_depthwise *d, const struct rl_plane_axes *axes, struct rl_plane_block *b,
                               const struct rl_plane_group *group, const int8_t *input, int32_t row, int32_t column,
                               int8_t *output)
{
    const struct rl_plane_axis *along = &axes->along;
    const struct rl_plane_axis *across = &axes->across;
    const int32_t top = row * across->stride - across->padding;
    const int32_t left = column * along->stride - along->padding;
    b->lines = rl_plane_span_of(across, top, b->rows);
    b->pixels = rl_plane_span_of(along, left, b->columns);
    rl_plane_expand(b, d, axes, group,
                    input + (top + b->lines.before) * across->input_step +
                        (left + b->pixels.before) * along->input_step);
    rl_plane_run(b, d, axes, group, output + row * across->output_step + column * along->output_step);
}

static void rl_plane_place(const struct rl_plane_axes *axes, void *memory, struct rl_plane_block *b,
                           struct rl_plane_group *group)
{
    b->words = (uint32_t *)memory + b->group_words;
    rl_plane_place_group(axes, memory, b->words, group);
}

// Computes one image; `input` and `output` point to the first channel of the group. Not inlined, because beside the
// block and the group on the stack, the loops' variables would be out of reach of a Cortex-M0's short offsets.
static __attribute__((noinline)) void rl_plane_image(const struct rl_depthwise *d, const struct rl_plane_axes *axes,
                                                     struct rl_plane_block *b, const struct rl_plane_group *group,
                                                     const int8_t *input, int8_t *output)
{
    for (int32_t column = 0; column < axes->along.output; column += b->most_columns) {
        b->columns = rl_min_s32(axes->along.output - column, b->most_columns);
        for (int32_t row = 0; row < axes->across.output; row += b->most_rows) {
            b->rows = rl_min_s32(axes->across.output - row, b->most_rows);
            rl_plane_run_block(d, axes, b, group, input, row, column, output);
        }
    }
}

#endif
