// SPDX-License-Identifier: Apache-2.0
// Sums of rows of weights, four at a time, as the fully connected layer computes them.
#ifndef RL_KERNELS_SCALAR_ROW_SUMS_TILE_H
#define RL_KERNELS_SCALAR_ROW_SUMS_TILE_H

#include "fully_connected/store_s16.h"
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
        rl_dot_few_filters(&job, f->weights + (ptrdiff_t)(first + i) * f->depth, rows, 0);
        for (int32_t k = 0; k < rows; k++) {
            sums[i + k] = f->bias[first + i + k] + job.sums[k];
        }
    }
}

// The int16 outputs of `count` channels from number `first` on. `sums` has room for their sums.
static inline void rl_row_outputs_s16(const struct rl_fully_connected *f, const int8_t *x, int32_t first, int32_t count,
                                      int32_t *sums, int16_t *output)
{
    rl_row_sums(f, x, first, count, sums);
    rl_store_s16(sums, f->scales.multiplier + first, f->scales.shift + first, count, output);
}

#endif
