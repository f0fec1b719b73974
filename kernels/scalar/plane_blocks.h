// SPDX-License-Identifier: Apache-2.0
// How the depthwise loops in plane_nest.h divide an image, and the memory that they take. It is plain arithmetic on top
// of three functions that a file defines before it includes this one. Kernels take them from their tile. The memory
// planner on the host takes them from the tile of its target core.
// - rl_plane_fits(axes): whether the tile can run this filter.
// - rl_plane_pairs_of_two(across): the pairs of lines that two rows of outputs need; two more rows need `stride` more.
// - rl_plane_group_words(axes): the words of memory for a group.
#ifndef RL_KERNELS_SCALAR_PLANE_BLOCKS_H
#define RL_KERNELS_SCALAR_PLANE_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "depthwise/planes.h"
#include "requantize.h"
#include "scalar/plane_block.h"

static inline int32_t rl_plane_most_columns(const struct rl_plane_axis *along)
{
    return (int32_t)((uint32_t)((RL_PLANE_PITCH - along->reach) / along->stride + 1) & ~1u);
}

enum { RL_PLANE_PAIR_BYTES = RL_PLANE_LINE_WORDS * 4 };

// The most rows of outputs that the lines of a block serve, limited to those that there are; an even number.
static inline int32_t rl_plane_most_rows(const struct rl_plane_axis *across)
{
    const int32_t more = RL_PLANE_LINES / 2 - rl_plane_pairs_of_two(across);
    return more < 0 ? 0 : rl_min_s32(2 * (more / across->stride + 1), (across->output + 1) & ~1);
}

// Not inlined into the function that calls it twice.
static __attribute__((noinline)) bool rl_plane_fit_block(const struct rl_plane_axes *axes, int32_t room,
                                                         struct rl_plane_block *b)
{
    (void)room; // the image decides the size of blocks
    const struct rl_plane_axis *along = &axes->along;
    const struct rl_plane_axis *across = &axes->across;
    if (along->stride < 1 || across->stride < 1 || along->dilation < 1 || across->dilation < 1 || along->reach < 1 ||
        along->reach > RL_PLANE_PITCH || across->reach < 1 || across->reach > RL_PLANE_LINES || !rl_plane_fits(axes)) {
        return false;
    }
    b->group_words = rl_plane_group_words(axes);
    b->most_columns = (int16_t)rl_plane_most_columns(along);
    b->most_rows = (int16_t)rl_plane_most_rows(across);
    return b->most_columns >= 2 && b->most_rows >= 2;
}

static inline int32_t rl_plane_bytes(const struct rl_plane_axes *axes, const struct rl_plane_block *b)
{
    const int32_t pairs = rl_plane_pairs_of_two(&axes->across) + (b->most_rows / 2 - 1) * axes->across.stride;
    return 4 * b->group_words + pairs * RL_PLANE_PAIR_BYTES;
}

// The pairs of rows and columns. The code around a line takes about as long as one more.
static inline int32_t rl_plane_computed(const struct rl_plane_axis *along, const struct rl_plane_axis *across)
{
    return ((along->output + 3) / 2) * ((across->output + 1) / 2);
}

#endif
