// SPDX-License-Identifier: Apache-2.0
// Weights that are brought into the order of prepacked ones (convolution/prepacked.h) just before they are used, for as
// many channels at a time as memory allows.
//
// Filters are as long as a multiple of four, with zeros behind. If the channels are not a multiple of four, the last
// group starts before its place and computes up to three channels again.
#ifndef RL_KERNELS_DSP_INTERLEAVE_H
#define RL_KERNELS_DSP_INTERLEAVE_H

#include <stdint.h>

#include "convolution/prepacked.h"
#include "dsp/instructions.h"
#include "dsp/interleaved_bytes.h"
#include "dsp/packed_s8_tile.h"
#include "dsp/simd.h"

// How many channels before its first one a last block of `count` channels starts, because it takes at least a group.
static inline int32_t rl_interleaved_before(int32_t count)
{
    return rl_max_s32(RL_PREPACKED_GROUP - count, 0);
}

// The words of four weights of two filters, `a` with its signs turned (rl_prepacked_byte).
static inline void rl_interleave_words(uint32_t a, uint32_t b, uint32_t *words)
{
    words[0] = rl_even_u16(a) | rl_even_u16(b) << 8;
    words[2] = rl_odd_u16(a) | rl_odd_u16(b) << 8;
}

// Writes the words of two filters of a group. `words` is the place of the first filter's. Returns both sums of weights.
// Not inlined, because the loop needs all registers.
static __attribute__((noinline)) void rl_interleave_two(const int8_t *first, const int8_t *second, int32_t depth,
                                                        uint32_t *words, int32_t sums[2])
{
    const uint32_t flip = UINT32_C(0x80808080);
    const int32_t most = 128 * ((depth + 3) & ~3), rest = depth & 3;
    int32_t sum_0 = -most, sum_1 = -most;
    for (int32_t fours = depth >> 2; fours > 0; fours--, first += 4, second += 4, words += 4) {
        const uint32_t a = rl_load_s8x4(first) ^ flip, b = rl_load_s8x4(second);
        sum_0 = rl_usada8(a, sum_0);
        sum_1 = rl_usada8(b ^ flip, sum_1);
        rl_interleave_words(a, b, words);
    }
    if (rest > 0) {
        uint32_t a = 0, b = 0;
        for (int32_t k = rest - 1; k >= 0; k--) {
            a = a << 8 | (uint8_t)first[k];
            b = b << 8 | (uint8_t)second[k];
        }
        sum_0 = rl_usada8(a ^ flip, sum_0);
        sum_1 = rl_usada8(b ^ flip, sum_1);
        rl_interleave_words(a ^ flip, b, words);
    }
    sums[0] = sum_0;
    sums[1] = sum_1;
}

#endif
