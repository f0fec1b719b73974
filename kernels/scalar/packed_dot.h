// SPDX-License-Identifier: Apache-2.0
// Four int8 rows times filters: the inner loop of scalar/matmul_tile.h. Words hold two rows, v and u, so that one
// multiplication serves both. Two products are added before they are taken apart:
//     word[k] = -(v[k] * 2^16 + u[k])
//     p = word[k] * w[k] + word[k + 1] * w[k + 1] + 2^15
//     floor(p / 2^16) = -(v[k] * w[k] + v[k + 1] * w[k + 1])
// The last line holds for all int8, and p does not overflow, because both halves are within -2^15..2^15 - 1. Without
// the minus sign they could be 2^15. Let `upper` be the sum of these floors and `whole` that of p, less the 2^15, both
// modulo 2^32. Then the sums of the rows are -upper and upper * 2^16 - whole.
#ifndef RL_KERNELS_SCALAR_PACKED_DOT_H
#define RL_KERNELS_SCALAR_PACKED_DOT_H

#include <stddef.h>
#include <stdint.h>

#include "isa.h"

#define RL_PACKED_HALF (UINT32_C(1) << 15)

// The running sums of one filter over two words, that is, four rows.
struct rl_packed_sums {
    uint32_t whole[2];
    uint32_t upper[2];
};

static inline uint32_t rl_packed_word(int32_t v, int32_t u)
{
    return 0u - ((uint32_t)v << 16) - (uint32_t)u;
}

// Sums that start from `bias` and take `pairs` additions.
static inline struct rl_packed_sums rl_packed_start(int32_t bias, int32_t pairs)
{
    const uint32_t upper = 0u - (uint32_t)bias;
    const uint32_t whole = (upper << 16) + upper - (uint32_t)pairs * RL_PACKED_HALF;
    return (struct rl_packed_sums){{whole, whole}, {upper, upper}};
}

// Adds one pair of products, or a single one, to the sums of word 0 or 1.
static inline void rl_packed_add(struct rl_packed_sums *sums, int32_t word, uint32_t products)
{
    const uint32_t rounded = products + RL_PACKED_HALF;
    sums->whole[word] += rounded;
    sums->upper[word] += (uint32_t)((int32_t)rounded >> 16);
}

// The sum of the first row of a word, and below that of the second.
static inline int32_t rl_packed_first(const struct rl_packed_sums *sums, int32_t word)
{
    return (int32_t)(0u - sums->upper[word]);
}

static inline int32_t rl_packed_second(const struct rl_packed_sums *sums, int32_t word)
{
    return (int32_t)((sums->upper[word] << 16) - sums->whole[word]);
}

// Adds the products of each of `channels` >= 1 filters of 2 * pairs weights, `step` bytes apart, to the filter's sums.
// For each of `pairs` >= 1 pairs of values, `words` holds two words of the first two rows, then two of the others.
static inline void rl_packed_dot(const uint32_t *words, int32_t pairs, const int8_t *filter, ptrdiff_t step,
                                 struct rl_packed_sums *sums, int32_t channels);

#include RL_LOOP(packed_dot)

#endif
