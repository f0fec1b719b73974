// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_DSP_UNPACK_S4_TILE_H
#define RL_KERNELS_DSP_UNPACK_S4_TILE_H

#include "dsp/instructions.h"
#include "dsp/packed_s8_tile.h"

// The two halves of bytes 0 and 2 of a word, each in a byte of its own.
static inline uint32_t rl_spread_s4x4(uint32_t bytes)
{
    return (bytes | bytes << 4) & UINT32_C(0x0f0f0f0f);
}

// Unpacks eight weights from each word. The lower half of a byte comes before the upper one. With the sign inverted a
// half is a weight plus eight.
static inline int32_t rl_unpack_s4_many(const int8_t *packed, int32_t count, int8_t *weights)
{
    const uint32_t eight = UINT32_C(0x08080808);
    for (int32_t words = count >> 3; words > 0; words--, packed += 4, weights += 8) {
        const uint32_t word = rl_load_s8x4(packed) ^ UINT32_C(0x88888888);
        const uint32_t of_02 = rl_spread_s4x4(rl_even_u16(word)), of_13 = rl_spread_s4x4(rl_odd_u16(word));
        rl_store_s8x4(weights, rl_ssub8(rl_pkhbt(of_02, of_13), eight));
        rl_store_s8x4(weights + 4, rl_ssub8(rl_pkhtb(of_13, of_02), eight));
    }
    return count & ~7;
}

#endif
