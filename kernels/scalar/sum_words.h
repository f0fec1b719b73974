// SPDX-License-Identifier: Apache-2.0
// Sums of int8 values as words, in assembler: see sum_words_thumb.h. Elsewhere compilers have better loops.
#ifndef RL_KERNELS_SCALAR_SUM_WORDS_H
#define RL_KERNELS_SCALAR_SUM_WORDS_H

#include <stddef.h>
#include <stdint.h>

#include "isa.h"

enum {
    RL_SUM_WORDS_LEAST = RL_HAS_THUMB2_LOOP ? 24 : 16, // fewer values take longer than one by one
    RL_SUM_WORDS_MOST = 1024,
};

// The sum of RL_SUM_WORDS_LEAST to RL_SUM_WORDS_MOST int8 values. Reads whole words, and so up to three bytes before
// the first value and behind the last one in the same words.
static inline int32_t rl_sum_words(const int8_t *values, int32_t count);

// Defines RL_HAS_SUM_WORDS: whether there is such a loop.
#include RL_LOOP(sum_words)

#endif
