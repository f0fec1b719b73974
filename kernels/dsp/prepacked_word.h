// SPDX-License-Identifier: Apache-2.0
// A word of prepacked weights (convolution/prepacked.h) in C, for the plain form of the loops that multiply it.
#ifndef RL_KERNELS_DSP_PREPACKED_WORD_H
#define RL_KERNELS_DSP_PREPACKED_WORD_H

#include "convolution/prepacked.h"
#include "dsp/simd_plain.h"

// Both halves of a word of weights, and their lower bytes.
struct rl_prepacked_word {
    uint32_t both, first;
};

static inline struct rl_prepacked_word rl_prepacked_word_of(const int8_t *bytes)
{
    const uint32_t both = rl_pair_of((uint8_t)bytes[0] + 256 * bytes[1], (uint8_t)bytes[2] + 256 * bytes[3]);
    return (struct rl_prepacked_word){both, both & 0xff00ffu};
}

#endif
