// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_SCALAR_MUL_S16_TILE_H
#define RL_KERNELS_SCALAR_MUL_S16_TILE_H

#include "elementwise/elementwise.h"

// output[i] = a[i] * b[i] for all elements. The output may be one of the inputs.
static inline void rl_mul_s16_tile(const struct rl_mul *mul, const int16_t *a, const int16_t *b, int16_t *output)
{
    const struct rl_mul m = *mul;
    for (int32_t i = 0; i < m.count; i++) {
        output[i] = (int16_t)rl_clamp_s32(rl_requantize(a[i] * b[i], m.scale.multiplier, m.scale.shift), m.range.min,
                                          m.range.max);
    }
}

// output[i] += a[i] * b[i] for all elements.
static inline void rl_mul_accumulate_s16_tile(const struct rl_mul *mul, const int16_t *a, const int16_t *b,
                                              int16_t *output)
{
    const struct rl_mul m = *mul;
    for (int32_t i = 0; i < m.count; i++) {
        const int32_t sum = output[i] + rl_requantize(a[i] * b[i], m.scale.multiplier, m.scale.shift);
        output[i] = (int16_t)rl_clamp_s32(sum, m.range.min, m.range.max);
    }
}

// output[i] = a[i] * b[i] + the output offset, for outputs of int8.
static inline void rl_mul_s16_s8_tile(const struct rl_mul *mul, const int16_t *a, const int16_t *b, int8_t *output)
{
    const struct rl_mul m = *mul;
    for (int32_t i = 0; i < m.count; i++) {
        const int32_t scaled = rl_requantize(a[i] * b[i], m.scale.multiplier, m.scale.shift);
        output[i] = rl_output_s8(scaled, m.output_offset, m.range.min, m.range.max);
    }
}

#endif
