// SPDX-License-Identifier: Apache-2.0
// What scalar/plane_blocks.h asks of the DSP tile.
#ifndef RL_KERNELS_DSP_PLANE_SIZES_H
#define RL_KERNELS_DSP_PLANE_SIZES_H

#include <stdbool.h>
#include <stdint.h>

#include "depthwise/planes.h"
#include "isa.h"
#include "scalar/plane_block.h"

enum { RL_PLANE_WEIGHTS = 28 }; // pixels of weights, at most: 7x7

// What the loop over the taps is made for.
enum rl_plane_shape {
    RL_PLANE_ANY,
    RL_PLANE_3X3_STRIDE_1,
    RL_PLANE_3X3_STRIDE_2,
    RL_PLANE_WIDE, // stride 1 both ways, no dilation along the lines; not where code is to be small
};

// Pairs of lines that the weights of both rows take.
static inline int32_t rl_plane_pairs(const struct rl_plane_axis *across)
{
    return (across->reach + 1 + (across->stride & 1)) / 2;
}

static inline int32_t rl_plane_pairs_of_two(const struct rl_plane_axis *across)
{
    return rl_plane_pairs(across) + (across->stride >> 1);
}

static inline bool rl_plane_fits(const struct rl_plane_axes *axes)
{
    return rl_plane_pairs(&axes->across) * axes->along.taps <= RL_PLANE_WEIGHTS;
}

static inline enum rl_plane_shape rl_plane_shape_of(const struct rl_plane_axes *axes)
{
    const struct rl_plane_axis *along = &axes->along;
    const struct rl_plane_axis *across = &axes->across;
    const bool is_3x3 = along->taps == 3 && along->reach == 3 && across->taps == 3 && across->reach == 3;
    if (along->stride == 1 && across->stride == 1 && along->dilation == 1) {
        if (is_3x3) {
            return RL_PLANE_3X3_STRIDE_1;
        }
        return RL_SMALL ? RL_PLANE_ANY : RL_PLANE_WIDE;
    }
    return is_3x3 && along->stride == 2 && across->stride == 2 ? RL_PLANE_3X3_STRIDE_2 : RL_PLANE_ANY;
}

// Words of the weights of a row of outputs.
static inline int32_t rl_plane_row_words(const struct rl_plane_axes *axes)
{
    return rl_plane_pairs(&axes->across) * axes->along.taps * RL_PLANE_CHANNELS;
}

// The weights of the lower row come behind the largest filter of the upper row, as the loops know, or right behind the
// upper row's where weights are loaded ahead of the loop.
static inline int32_t rl_plane_group_words(const struct rl_plane_axes *axes)
{
    const enum rl_plane_shape shape = rl_plane_shape_of(axes);
    const int32_t row = rl_plane_row_words(axes);
    const bool are_loaded = shape == RL_PLANE_3X3_STRIDE_1 || shape == RL_PLANE_3X3_STRIDE_2;
    return row + (are_loaded ? row : RL_PLANE_WEIGHTS * RL_PLANE_CHANNELS);
}

#endif
