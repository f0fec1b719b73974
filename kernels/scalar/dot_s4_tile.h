// SPDX-License-Identifier: Apache-2.0
// Products with int4 weights. A byte holds two, the first one in the low half.
#ifndef RL_KERNELS_SCALAR_DOT_S4_TILE_H
#define RL_KERNELS_SCALAR_DOT_S4_TILE_H

#include <stdbool.h>
#include <stdint.h>

#include "scalar/dot_s4.h"
#include "scalar/dots_s4.h"

static inline int32_t rl_low_s4(int8_t byte)
{
    return (int8_t)((uint32_t)byte << 4) >> 4;
}

static inline int32_t rl_high_s4(int8_t byte)
{
    return byte >> 4;
}

struct rl_row_s4 {
    const int8_t *values;
};

// Prepares a row for many filters.
static inline void rl_row_s4_start(struct rl_row_s4 *row, const int8_t *values, int32_t depth)
{
    (void)depth;
    row->values = values;
}

// Adds the sum of (x[i] + offset) * weight i of each of two filters to sums. x are the `count` values of the row from
// `at` on, which is 0 or 1. Each filter starts in the low half of its first byte.
static inline void rl_dot_s4_pair(struct rl_row_s4 *row, int32_t at, int32_t offset, const int8_t *w_0,
                                  const int8_t *w_1, int32_t count, int32_t sums[2])
{
    struct rl_dot_s4 job = {row->values + at, w_0, w_1, offset, {sums[0], sums[1]}, count >> 1};
    if (job.bytes > 0) {
        rl_dot_s4_bytes(&job);
    }
    if ((count & 1) != 0) {
        const int32_t last = row->values[at + count - 1] + offset;
        job.sums[0] += last * rl_low_s4(w_0[job.bytes]);
        job.sums[1] += last * rl_low_s4(w_1[job.bytes]);
    }
    sums[0] = job.sums[0];
    sums[1] = job.sums[1];
}

#endif
