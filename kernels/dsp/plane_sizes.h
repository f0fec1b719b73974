// SPDX-License-Identifier: Apache-2.0
// The sizes of the DSP tile for scalar/plane_blocks.h.
#ifndef RL_KERNELS_DSP_PLANE_SIZES_H
#define RL_KERNELS_DSP_PLANE_SIZES_H

#include <stdbool.h>
#include <stdint.h>

#include "depthwise/planes.h"
#include "isa.h"
#include "scalar/plane_block.h"

enum { RL_PLANE_WEIGHTS = 28 }; // the most pixels of weights, those of 7x7

// The filters for which a loop over the taps is made.
enum rl_plane_shape {
    RL_PLANE_ANY,
    RL_PLANE_3X3_STRIDE_1,
    RL_PLANE_3X3_STRIDE_2,
    RL_PLANE_WIDE, // stride 1 both ways, no dilation along the lines; not with RL_SMALL
};

static inline bool rl_plane_takes(int32_t channels, int32_t multiplier)
{
    return RL_SMALL ? channels >= RL_PLANE_CHANNELS && multiplier == 1 : channels >= 1 && multiplier >= 1;
}

// The pairs of lines that the weights of each of two rows take.
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

// The words of the weights for one row of outputs.
static inline int32_t rl_plane_row_words(const struct rl_plane_axes *axes)
{
    return rl_plane_pairs(&axes->across) * axes->along.taps * RL_PLANE_CHANNELS;
}

// The words of the weights for both rows. Those of the lower row lie at the fixed distance that the loops use, behind
// room for the largest filter; or right behind the upper row's if they are loaded ahead of the loop.
static inline int32_t rl_plane_group_words(const struct rl_plane_axes *axes)
{
    const enum rl_plane_shape shape = rl_plane_shape_of(axes);
    const int32_t row = rl_plane_row_words(axes);
    const bool are_loaded = shape == RL_PLANE_3X3_STRIDE_1 || shape == RL_PLANE_3X3_STRIDE_2;
    return row + (are_loaded ? row : RL_PLANE_WEIGHTS * RL_PLANE_CHANNELS);
}

#endif
