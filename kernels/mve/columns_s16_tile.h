// SPDX-License-Identifier: Apache-2.0
// As in scalar/columns_s16_tile.h. Sums are scaled where they are, in pairs of core registers.
#ifndef RL_KERNELS_MVE_COLUMNS_S16_TILE_H
#define RL_KERNELS_MVE_COLUMNS_S16_TILE_H

#include "batch_matmul/columns_s16.h"
#include "mve/dot_tile.h"

static inline void rl_columns_s16(struct rl_columns_s16 *job)
{
    const int32_t depth = job->depth;
    const int16_t *row = job->row, *columns = job->columns;
    int16_t *output = job->output;
    int32_t left = job->count;
    for (; left > 1; left -= 2, columns += 2 * (ptrdiff_t)depth, output += 2) {
        int64_t sums[2];
        rl_dot_s16_s16_pair(row, columns, columns + depth, depth, sums);
        output[0] = rl_columns_s16_output(job, sums[0]);
        output[1] = rl_columns_s16_output(job, sums[1]);
    }
    if (left > 0) {
        *output = rl_columns_s16_output(job, rl_dot_s16_s16(row, columns, depth));
    }
}

#endif
