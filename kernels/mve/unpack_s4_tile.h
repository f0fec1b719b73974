// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_MVE_UNPACK_S4_TILE_H
#define RL_KERNELS_MVE_UNPACK_S4_TILE_H

#include <arm_mve.h>

// Unpacks all whole blocks of 32; returns their weights. See scalar/unpack_s4_tile.h.
static inline int32_t rl_unpack_s4_many(const int8_t *packed, int32_t count, int8_t *weights)
{
    for (int32_t blocks = count >> 5; blocks > 0; blocks--, packed += 16, weights += 32) {
        const int8x16_t bytes = vldrbq_s8(packed);
        int8x16x2_t pair;
        pair.val[0] = vshrq_n_s8(vshlq_n_s8(bytes, 4), 4);
        pair.val[1] = vshrq_n_s8(bytes, 4);
        vst2q_s8(weights, pair);
    }
    return count & ~31;
}

#endif
