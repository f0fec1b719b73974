// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_DSP_UNPACK_S4_TILE_H
#define RL_KERNELS_DSP_UNPACK_S4_TILE_H

#include "dsp/instructions.h"
#include "dsp/packed_s8_tile.h"

// Four weights, given in the lower halves of bytes, as int8. No byte carries into the next: 15 + 0x78 is below 256.
static inline uint32_t rl_extend_s4x4(uint32_t lower_halves)
{
    return ((lower_halves ^ UINT32_C(0x08080808)) + UINT32_C(0x78787878)) ^ UINT32_C(0x80808080);
}

// Unpacks eight weights from each word. The lower half of a byte comes before the upper one.
static inline int32_t rl_unpack_s4_many(const int8_t *packed, int32_t count, int8_t *weights)
{
    const uint32_t lower = UINT32_C(0x0f0f0f0f), even = UINT32_C(0x00ff00ff);
    for (int32_t words = count >> 3; words > 0; words--, packed += 4, weights += 8) {
        const uint32_t word = rl_load_s8x4(packed);
        const uint32_t first = rl_extend_s4x4(word & lower);
        const uint32_t second = rl_extend_s4x4((word >> 4) & lower);
        const uint32_t pairs_02 = (first & even) | (second & even) << 8;
        const uint32_t pairs_13 = ((first >> 8) & even) | (second & ~even);
        rl_store_s8x4(weights, rl_pkhbt(pairs_02, pairs_13));
        rl_store_s8x4(weights + 4, rl_pkhtb(pairs_13, pairs_02));
    }
    return count & ~7;
}

#endif
