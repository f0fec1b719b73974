// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_SCALAR_MUL_S8_TILE_H
#define RL_KERNELS_SCALAR_MUL_S8_TILE_H

#include "elementwise/elementwise.h"
#include "requantize.h"

// output[i] = a[i] * b[i] for i < count. The output may be one of the inputs.
static inline void rl_mul_s8_tile(const struct rl_mul_s8 *mul, const int8_t *a, const int8_t *b,
                                  int8_t *output, int32_t count)
{
    const struct rl_mul_s8 m = *mul; // the stores to `output` could alias *mul and would reload it each time
    for (int32_t i = 0; i < count; i++) {
        const int32_t product = (a[i] + m.offset[0]) * (b[i] + m.offset[1]);
        const int32_t scaled = rl_requantize(product, m.output.multiplier, m.output.shift);
        output[i] = (int8_t)rl_clamp_s32(scaled + m.output.offset, m.min, m.max);
    }
}

#endif
