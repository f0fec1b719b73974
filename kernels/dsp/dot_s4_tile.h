// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_DSP_DOT_S4_TILE_H
#define RL_KERNELS_DSP_DOT_S4_TILE_H

#include "dsp/instructions.h"
#include "dsp/simd.h"
#include "scalar/dots_s4.h"

static inline int32_t rl_low_s4(int8_t byte)
{
    return (int8_t)((uint32_t)byte << 4) >> 4;
}

static inline int32_t rl_high_s4(int8_t byte)
{
    return byte >> 4;
}

// Eight values as the pairs (0, 4), (2, 6), (1, 5), (3, 7), the order in which the int4 weights of a word are unpacked.
struct rl_eight_s16 {
    int16x2_t even_low;
    int16x2_t even_high;
    int16x2_t odd_low;
    int16x2_t odd_high;
};

static inline struct rl_eight_s16 rl_eight_values(const int8_t *x, int16x2_t offsets)
{
    const uint32_t first = rl_load_s8x4(x), second = rl_load_s8x4(x + 4);
    const uint32_t low = rl_pkhbt(first, second), high = rl_pkhtb(second, first);
    return (struct rl_eight_s16){rl_even_s16_add(offsets, low), rl_even_s16_add(offsets, high),
                                 rl_odd_s16_add(offsets, low), rl_odd_s16_add(offsets, high)};
}

// Adds eight products, 16 times too large because the weights stay in the upper halves of bytes.
static inline int32_t rl_dot_eight_s4(struct rl_eight_s16 x, uint32_t weights, int32_t sum)
{
    const uint32_t even = (weights << 4) & UINT32_C(0xf0f0f0f0), odd = weights & UINT32_C(0xf0f0f0f0);
    sum = __smlad(x.even_low, rl_even_s16(even), sum);
    sum = __smlad(x.even_high, rl_odd_s16(even), sum);
    sum = __smlad(x.odd_low, rl_even_s16(odd), sum);
    return __smlad(x.odd_high, rl_odd_s16(odd), sum);
}

struct rl_row_s4 {
    const int8_t *values;
};

// Nothing to prepare.
static inline void rl_row_s4_start(struct rl_row_s4 *row, const int8_t *values, int32_t depth)
{
    (void)depth;
    row->values = values;
}

// See scalar/dot_s4_tile.h. The sums of a call stay below 2^27 for 2^16 products, so the factor of 16 fits.
static inline void rl_dot_s4_pair(struct rl_row_s4 *row, int32_t at, int32_t offset, const int8_t *w_0,
                                  const int8_t *w_1, int32_t count, int32_t sums[2])
{
    const int8_t *x = row->values + at;
    const int16x2_t offsets = (int16x2_t)(rl_repeat_s16x2(offset));
    int32_t sum_0 = 0, sum_1 = 0;
    for (int32_t words = count >> 3; words > 0; words--, x += 8, w_0 += 4, w_1 += 4) {
        const struct rl_eight_s16 values = rl_eight_values(x, offsets);
        sum_0 = rl_dot_eight_s4(values, rl_load_s8x4(w_0), sum_0);
        sum_1 = rl_dot_eight_s4(values, rl_load_s8x4(w_1), sum_1);
    }
    sum_0 >>= 4;
    sum_1 >>= 4;
    for (int32_t i = 0; i < (count & 7); i++) {
        const int32_t value = x[i] + offset;
        const int8_t weights_0 = w_0[i >> 1], weights_1 = w_1[i >> 1];
        sum_0 += value * (i & 1 ? rl_high_s4(weights_0) : rl_low_s4(weights_0));
        sum_1 += value * (i & 1 ? rl_high_s4(weights_1) : rl_low_s4(weights_1));
    }
    sums[0] += sum_0;
    sums[1] += sum_1;
}

#endif
