// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_DSP_PACKED_S8_TILE_H
#define RL_KERNELS_DSP_PACKED_S8_TILE_H

#include <stdbool.h>
#include <stdint.h>

#include "dsp/eights.h"
#include "dsp/instructions.h"
#include "dsp/simd.h"

// LDR and STR take any address on these cores.
static inline bool rl_words_allowed(uintptr_t addresses)
{
    (void)addresses;
    return true;
}

static inline void rl_store_s8x4(int8_t *to, uint32_t word)
{
    rl_store_word(to, word);
}

static inline uint32_t rl_repeat_s8x4(int32_t value)
{
    return (uint8_t)value * UINT32_C(0x01010101);
}

// Adds bytes to sums of which a word holds two: see scalar/packed_s8_tile.h.
static inline uint32_t rl_add_even_s8(uint32_t sums, uint32_t bytes)
{
    return (uint32_t)rl_even_s16_add((int16x2_t)sums, bytes);
}

static inline uint32_t rl_add_odd_s8(uint32_t sums, uint32_t bytes)
{
    return (uint32_t)rl_odd_s16_add((int16x2_t)sums, bytes);
}

static inline int32_t rl_lower_sum(uint32_t sums, int32_t count)
{
    (void)count;
    return (int16_t)sums;
}

static inline int32_t rl_upper_sum(uint32_t sums, int32_t count)
{
    (void)count;
    return (int32_t)sums >> 16;
}

#endif
