// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_SCALAR_BATCH_MATMUL_S8_TILE_H
#define RL_KERNELS_SCALAR_BATCH_MATMUL_S8_TILE_H

#include "batch_matmul/broadcast.h"
#include "requantize.h"

static inline int8_t rl_matmul_s8_output(const struct rl_matmul_s8 *m, int32_t sum)
{
    const int32_t scaled = rl_requantize(sum, m->multiplier, m->shift) + m->output_offset;
    return (int8_t)rl_clamp_s32(scaled, m->min, m->max);
}

// One product of matrices.
static inline void rl_matmul_s8_tile(const struct rl_matmul_s8 *matmul, const int8_t *lhs, const int8_t *rhs,
                                     int8_t *output)
{
    const struct rl_matmul_s8 m = *matmul;
    for (int32_t row = 0; row < m.rows; row++) {
        for (int32_t column = 0; column < m.columns; column++) {
            const int8_t *a = lhs + row * m.depth;
            const int8_t *b = rhs + column * m.depth;
            int32_t sum = 0;
            for (int32_t k = 0; k < m.depth; k++) {
                sum += (a[k] + m.lhs_offset) * (b[k] + m.rhs_offset);
            }
            *output++ = rl_matmul_s8_output(&m, sum);
        }
    }
}

#endif
