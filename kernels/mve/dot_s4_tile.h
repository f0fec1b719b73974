// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_MVE_DOT_S4_TILE_H
#define RL_KERNELS_MVE_DOT_S4_TILE_H

#include <arm_mve.h>

static inline int32_t rl_low_s4(int8_t byte)
{
    return (int8_t)((uint32_t)byte << 4) >> 4;
}

static inline int32_t rl_high_s4(int8_t byte)
{
    return byte >> 4;
}

// One filter: 32 weights at a time, then what is left. The offset is applied to the sum of the weights.
static inline int32_t rl_dot_s4_vectors(const int8_t *x, int32_t offset, const int8_t *w, int32_t count)
{
    int32_t sum = 0, weights = 0;
    for (int32_t vectors = count >> 5; vectors > 0; vectors--, x += 32, w += 16) {
        const int8x16x2_t values = vld2q_s8(x);
        const int8x16_t packed = vldrbq_s8(w);
        const int8x16_t even = vshrq_n_s8(vshlq_n_s8(packed, 4), 4), odd = vshrq_n_s8(packed, 4);
        sum = vmladavaq_s8(sum, values.val[0], even);
        weights = vaddvaq_s8(weights, even);
        sum = vmladavaq_s8(sum, values.val[1], odd);
        weights = vaddvaq_s8(weights, odd);
    }
    sum += offset * weights;
    for (int32_t i = 0; i < (count & 31); i++) {
        sum += (x[i] + offset) * (i & 1 ? rl_high_s4(w[i >> 1]) : rl_low_s4(w[i >> 1]));
    }
    return sum;
}

// As in scalar/dot_s4_tile.h.
static inline void rl_dot_s4_pair(const int8_t *x, int32_t offset, const int8_t *w_0, const int8_t *w_1,
                                  int32_t count, int32_t sums[2])
{
    sums[0] += rl_dot_s4_vectors(x, offset, w_0, count);
    sums[1] += rl_dot_s4_vectors(x, offset, w_1, count);
}

#endif
