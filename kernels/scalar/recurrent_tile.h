// SPDX-License-Identifier: Apache-2.0
// The rows of a recurrent layer for one step: sums and gates. rushlight/kernels/recurrent.h has the formulas.
#ifndef RL_KERNELS_SCALAR_RECURRENT_TILE_H
#define RL_KERNELS_SCALAR_RECURRENT_TILE_H

#include "recurrent/rows.h"
#include "scalar/fully_connected_tile.h"

// sums[i] = bias[r] + sum_k weights[r][k] * x[k] for the `count` rows r from `first` on. Of the layer, `weights`,
// `bias`, `depth` and `channels` (the rows) are used.
static inline void rl_row_sums(const struct rl_fully_connected *f, const int8_t *x, int32_t first, int32_t count,
                               int32_t *sums)
{
    struct rl_dot_1x4 job;
    job.row = x;
    job.depth = f->depth;
    job.offset = 0;
    for (int32_t i = 0; i < count; i += 4) {
        const int32_t rows = rl_min_s32(count - i, 4);
        rl_fully_connected_sums(&job, f->weights + (ptrdiff_t)(first + i) * f->depth, rows, 0);
        for (int32_t k = 0; k < rows; k++) {
            sums[i + k] = f->bias[first + i + k] + job.sums[k];
        }
    }
}

// a[i] for `count` rows, from both sums and the scales of these rows.
static inline void rl_gate_values(const struct rl_row_scales *scales, const int32_t *of_input, const int32_t *of_hidden,
                                  int32_t count, int16_t *values)
{
    for (int32_t i = 0; i < count; i++) {
        const int32_t shift = scales->shift[i];
        const int32_t sum =
            rl_row_scaled(of_input[i], scales->input[i], shift) + rl_row_scaled(of_hidden[i], scales->hidden[i], shift);
        values[i] = (int16_t)rl_saturate_s16(rl_row_rounded(sum, shift));
    }
}

#endif
