// SPDX-License-Identifier: Apache-2.0
// One int8 row times four int8 filters: the inner loop of scalar/fully_connected_tile.h, and of rows that are left over
// in scalar/matmul_tile.h. Each value of the row is
// loaded and offset once for all four.
#ifndef RL_KERNELS_SCALAR_DOT_1X4_H
#define RL_KERNELS_SCALAR_DOT_1X4_H

#include <stddef.h>
#include <stdint.h>

#include "isa.h"
#include "scalar/dot_tile.h"

// Filters 0, 1 and 2 lie `step` bytes apart; repeating one is allowed.
struct rl_dot_1x4 {
    const int8_t *row;
    const int8_t *filter; // filter 0
    ptrdiff_t step;
    const int8_t *last; // filter 3
    int32_t depth;      // at least 1
    int32_t offset;     // added to the row
    int32_t sums[4];
};

// Adds the sum of (row[k] + offset) * w[k] of each of the four filters to `sums`, modulo 2^32. Nothing is read beyond
// `depth`, and no alignment is needed.
static inline void rl_dot_1x4(struct rl_dot_1x4 *job);

#include RL_LOOP(dot_1x4)

// A filter alone. Not inlined, because the loop over other filters would save registers for it.
static __attribute__((noinline)) void rl_dot_one_filter(struct rl_dot_1x4 *job, const int8_t *filter, int32_t start)
{
    job->sums[0] = start + rl_dot_s8_s8(job->row, job->offset, filter, job->depth);
    job->sums[1] = job->sums[2] = job->sums[3] = start;
}

// Computes the sums of `count` filters, 1..4, that follow each other, into job->sums; each starts with `start`. Two
// filters become the first and the last of four. Missing filters repeat the first.
static inline void rl_dot_few_filters(struct rl_dot_1x4 *job, const int8_t *filter, int32_t count, int32_t start)
{
    const int32_t depth = job->depth;
    if (RL_SMALL && (count == 1 || depth == 0)) {
        job->sums[0] = start + rl_dot_s8_s8(job->row, job->offset, filter, depth);
        job->sums[1] = job->sums[2] = job->sums[3] = start;
        return;
    }
    if (count == 1 || depth == 0) {
        rl_dot_one_filter(job, filter, start);
        return;
    }
    job->filter = filter;
    job->step = count > 2 ? depth : 0;
    job->last = filter;
    if (count != 3) {
        job->last += count == 4 ? 3 * (ptrdiff_t)depth : depth;
    }
    job->sums[0] = job->sums[1] = job->sums[2] = job->sums[3] = start;
    rl_dot_1x4(job);
    if (count == 2) {
        job->sums[1] = job->sums[3];
    }
}

#endif
