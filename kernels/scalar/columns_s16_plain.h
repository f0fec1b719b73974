// SPDX-License-Identifier: Apache-2.0
// A row of int16 times columns, with scaled outputs, in C.
#ifndef RL_KERNELS_SCALAR_COLUMNS_S16_PLAIN_H
#define RL_KERNELS_SCALAR_COLUMNS_S16_PLAIN_H

#include "batch_matmul/columns_s16.h"
#include "isa.h"

#include RL_TILE(dot_tile.h)

enum { RL_COLUMNS_S16_BLOCK = 16 }; // sums kept at a time, an even number

// The sums of a row and `count` columns. Not inlined, because the loops around it would take its registers.
static __attribute__((noinline)) void rl_sum_columns_s16(const int16_t *row, const int16_t *columns, int32_t depth,
                                                         int32_t count, int64_t *sums)
{
    for (; count > 1; count -= 2, columns += 2 * (ptrdiff_t)depth, sums += 2) {
        rl_dot_s16_s16_pair(row, columns, columns + depth, depth, sums);
    }
    if (count > 0) {
        *sums = rl_dot_s16_s16(row, columns, depth);
    }
}

// output[i] = clamp(requantize(sum_k row[k] * columns[i][k])) for each column.
static inline void rl_columns_s16_any(const struct rl_columns_s16 *job)
{
    const int16_t *columns = job->columns;
    int16_t *output = job->output;
    for (int32_t left = job->count; left > 0; left -= RL_COLUMNS_S16_BLOCK) {
        int64_t sums[RL_COLUMNS_S16_BLOCK];
        const int32_t count = rl_min_s32(left, RL_COLUMNS_S16_BLOCK);
        rl_sum_columns_s16(job->row, columns, job->depth, count, sums);
        columns += RL_COLUMNS_S16_BLOCK * (ptrdiff_t)job->depth;
        for (int32_t i = 0; i < count; i++) {
            *output++ = rl_columns_s16_output(job, sums[i]);
        }
    }
}

#endif
