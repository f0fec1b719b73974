// SPDX-License-Identifier: Apache-2.0
// A row of int16 times columns, with scaled outputs: the work of columns_s16_tile.h.
#ifndef RL_KERNELS_BATCH_MATMUL_COLUMNS_S16_H
#define RL_KERNELS_BATCH_MATMUL_COLUMNS_S16_H

#include <stddef.h>
#include <stdint.h>

#include "requantize.h"

struct rl_columns_s16 {
    const int16_t *row;     // 0
    const int16_t *columns; // 4: `count` columns of `depth` values, one after the other
    int32_t depth;          // 8
    int32_t count;          // 12: at least 1
    int16_t *output;        // 16
    int32_t multiplier;     // 20: from rl_reduce_multiplier
    int32_t shift;          // 24: at most 14
    int32_t low;            // 28: limits of the outputs, which are within int16
    int32_t high;           // 32
};

static inline int16_t rl_columns_s16_output(const struct rl_columns_s16 *job, int64_t sum)
{
    return (int16_t)rl_clamp_s32(rl_requantize_s64(sum, job->multiplier, job->shift), job->low, job->high);
}

#endif
