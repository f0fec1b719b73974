// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_SCALAR_TRANSPOSE_S8_TILE_H
#define RL_KERNELS_SCALAR_TRANSPOSE_S8_TILE_H

#include "data_movement/transpose.h"

static inline void rl_transpose_plane_s8(const struct rl_transpose_plane *plane, const int8_t *input,
                                         int8_t *output)
{
    const struct rl_transpose_plane p = *plane;
    for (int32_t r = 0; r < p.rows; r++) {
        const int8_t *from = input + r;
        int8_t *to = output + r * p.output_step;
        for (int32_t c = 0; c < p.columns; c++) {
            to[c] = *from;
            from += p.input_step;
        }
    }
}

#endif
