// SPDX-License-Identifier: Apache-2.0
// DSP instructions in C, for the plain form of each loop that is in assembler. A pair is a word that holds two int16.
#ifndef RL_KERNELS_DSP_SIMD_PLAIN_H
#define RL_KERNELS_DSP_SIMD_PLAIN_H

#include <stdint.h>

static inline int32_t rl_pair_low(uint32_t pair)
{
    return (int16_t)pair;
}

static inline int32_t rl_pair_high(uint32_t pair)
{
    return (int16_t)(pair >> 16);
}

static inline uint32_t rl_pair_of(int32_t low, int32_t high)
{
    return (uint16_t)low | (uint32_t)high << 16;
}

// SMLAD without the addition.
static inline int32_t rl_pair_product(uint32_t a, uint32_t b)
{
    return rl_pair_low(a) * rl_pair_low(b) + rl_pair_high(a) * rl_pair_high(b);
}

// SXTAB16: bytes 0 and 2, each with its half of `offsets` added.
static inline uint32_t rl_pair_of_bytes(uint32_t offsets, const int8_t *bytes)
{
    return rl_pair_of(rl_pair_low(offsets) + bytes[0], rl_pair_high(offsets) + bytes[2]);
}

// The dot product of four weights and four values, given as the pairs of values 0, 2 and 1, 3.
static inline int32_t rl_pairs_product(uint32_t even, uint32_t odd, const int8_t *weights)
{
    return rl_pair_product(even, rl_pair_of_bytes(0, weights)) + rl_pair_product(odd, rl_pair_of_bytes(0, weights + 1));
}

#endif
