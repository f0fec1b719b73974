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

// The products that fill no vectors, one by one.
static inline int32_t rl_dot_s4_rest(const int8_t *x, int32_t offset, const int8_t *w, int32_t count)
{
    int32_t sum = 0;
    for (int32_t i = 0; i < count; i++) {
        sum += (x[i] + offset) * (i & 1 ? rl_high_s4(w[i >> 1]) : rl_low_s4(w[i >> 1]));
    }
    return sum;
}

// As in scalar/dot_s4_tile.h. The values are split into even and odd ones, as the weights are. The offset is
// applied to the sums of the weights.
static inline void rl_dot_s4_pair(const int8_t *x, int32_t offset, const int8_t *w_0, const int8_t *w_1,
                                  int32_t count, int32_t sums[2])
{
    int32_t sum_0 = 0, sum_1 = 0, weights_0 = 0, weights_1 = 0;
    for (int32_t vectors = count >> 5; vectors > 0; vectors--, x += 32, w_0 += 16, w_1 += 16) {
        const int8x16x2_t values = vld2q_s8(x);
        int8x16_t packed = vldrbq_s8(w_0);
        int8x16_t even = vshrq_n_s8(vshlq_n_s8(packed, 4), 4), odd = vshrq_n_s8(packed, 4);
        sum_0 = vmladavaq_s8(sum_0, values.val[0], even);
        sum_0 = vmladavaq_s8(sum_0, values.val[1], odd);
        weights_0 = vaddvaq_s8(weights_0, vaddq_s8(even, odd));
        packed = vldrbq_s8(w_1);
        even = vshrq_n_s8(vshlq_n_s8(packed, 4), 4);
        odd = vshrq_n_s8(packed, 4);
        sum_1 = vmladavaq_s8(sum_1, values.val[0], even);
        sum_1 = vmladavaq_s8(sum_1, values.val[1], odd);
        weights_1 = vaddvaq_s8(weights_1, vaddq_s8(even, odd));
    }
    const int32_t rest = count & 31;
    sums[0] += sum_0 + offset * weights_0 + rl_dot_s4_rest(x, offset, w_0, rest);
    sums[1] += sum_1 + offset * weights_1 + rl_dot_s4_rest(x, offset, w_1, rest);
}

#endif
