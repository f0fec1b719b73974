// SPDX-License-Identifier: Apache-2.0
// Four int8 rows times filters on a host, in loops that compilers turn into vectors. The sums are those of
// scalar/packed_dot.h.
#ifndef RL_KERNELS_SCALAR_PACKED_VECTORS_H
#define RL_KERNELS_SCALAR_PACKED_VECTORS_H

#include "scalar/packed_dot.h"

// sums[r] = values[r * count] * weights[0] + values[r * count + 1] * weights[1] + ...
static inline void rl_dot_vectors(const int16_t *restrict values, const int8_t *restrict weights, int32_t count,
                                  int32_t sums[4])
{
    const int16_t *restrict a = values, *restrict b = a + count, *restrict c = b + count, *restrict d = c + count;
    int32_t sum_a = 0, sum_b = 0, sum_c = 0, sum_d = 0;
    for (int32_t k = 0; k < count; k++) {
        const int16_t weight = weights[k];
        sum_a += a[k] * weight;
        sum_b += b[k] * weight;
        sum_c += c[k] * weight;
        sum_d += d[k] * weight;
    }
    sums[0] = sum_a;
    sums[1] = sum_b;
    sums[2] = sum_c;
    sums[3] = sum_d;
}

// Adds sums of products of the rows of a word, which stand for `pairs` additions of rl_packed_add.
static inline void rl_packed_add_rows(struct rl_packed_sums *sums, int32_t word, int32_t pairs, int32_t v, int32_t u)
{
    sums->whole[word] += (uint32_t)pairs * RL_PACKED_HALF - ((uint32_t)v << 16) - (uint32_t)u;
    sums->upper[word] -= (uint32_t)v;
}

// Adds the products of `count` values of four rows with filters `step` bytes apart. `values` takes four times as many.
static inline void rl_multiply_vectors(const int8_t *const rows[4], const int8_t *filter, ptrdiff_t step, int32_t count,
                                       struct rl_packed_sums *sums, int32_t channels, int16_t *values)
{
    for (int32_t row = 0; row < 4; row++) {
        for (int32_t k = 0; k < count; k++) {
            values[row * count + k] = rows[row][k];
        }
    }
    for (; channels > 0; channels--, filter += step, sums++) {
        int32_t products[4];
        rl_dot_vectors(values, filter, count, products);
        rl_packed_add_rows(sums, 0, (count + 1) / 2, products[0], products[1]);
        rl_packed_add_rows(sums, 1, (count + 1) / 2, products[2], products[3]);
    }
}

#endif
