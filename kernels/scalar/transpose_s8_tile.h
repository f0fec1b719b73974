// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_SCALAR_TRANSPOSE_S8_TILE_H
#define RL_KERNELS_SCALAR_TRANSPOSE_S8_TILE_H

#include "scalar/transpose_words.h"

// Transposes a plane; input and output do not overlap.
static inline void rl_transpose_plane_s8(const struct rl_transpose_plane *plane, const int8_t *input, int8_t *output)
{
    rl_transpose_plane_words(plane, input, output);
}

#endif
