// SPDX-License-Identifier: Apache-2.0
// Products with int4 weights. A byte holds two, the first one in the low half.
#ifndef RL_KERNELS_SCALAR_DOT_S4_TILE_H
#define RL_KERNELS_SCALAR_DOT_S4_TILE_H

#include <stdbool.h>
#include <stdint.h>

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

// Computes the sums of the row plus offset times each of `channels` filters whose first one starts in a lower half, and
// returns true. Returns false and does nothing if the loop over pairs is as fast.
static inline bool rl_dots_s4(struct rl_row_s4 *row, int32_t offset, const int8_t *weights, int32_t channels,
                              int32_t *sums)
{
    (void)row;
    (void)offset;
    (void)weights;
    (void)channels;
    (void)sums;
    return false;
}

// Adds the sum of (x[i] + offset) * weight i of each of two filters to sums. x are the `count` values of the row from
// `at` on, which is 0 or 1. Each filter starts in the low half of its first byte.
static inline void rl_dot_s4_pair(struct rl_row_s4 *row, int32_t at, int32_t offset, const int8_t *w_0,
                                  const int8_t *w_1, int32_t count, int32_t sums[2])
{
    const int8_t *x = row->values + at;
    int32_t sum_0 = sums[0], sum_1 = sums[1];
    for (int32_t bytes = count >> 1; bytes > 0; bytes--, x += 2) {
        const int32_t x_0 = x[0] + offset, x_1 = x[1] + offset;
        const int8_t weights_0 = *w_0++, weights_1 = *w_1++;
        sum_0 += x_0 * rl_low_s4(weights_0);
        sum_1 += x_0 * rl_low_s4(weights_1);
        sum_0 += x_1 * rl_high_s4(weights_0);
        sum_1 += x_1 * rl_high_s4(weights_1);
    }
    if (count & 1) {
        const int32_t last = *x + offset;
        sum_0 += last * rl_low_s4(*w_0);
        sum_1 += last * rl_low_s4(*w_1);
    }
    sums[0] = sum_0;
    sums[1] = sum_1;
}

#endif
