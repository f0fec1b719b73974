// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_SCALAR_COLUMNS_S16_TILE_H
#define RL_KERNELS_SCALAR_COLUMNS_S16_TILE_H

#include "scalar/columns_s16_plain.h"

// Writes a row of outputs: clamp(requantize(sum_k row[k] * columns[i][k])) for each column i. Nothing is read beyond
// the columns. Changes the job.
static inline void rl_columns_s16(struct rl_columns_s16 *job)
{
    rl_columns_s16_any(job);
}

#endif
