// SPDX-License-Identifier: Apache-2.0
// A row times int4 filters, eight weights of a filter at a time, without unpacking them. Of a word of weights with the
// top bit of each turned, so that they are the weights plus 8,
//     (word >> 4 * k) & 0x000f000f = w_k + w_k+4 * 2^16        for k = 0 to 3.
// Its product with x_k * 2^16 + x_k+4 is, modulo 2^32, x_k+4 * w_k + (x_k * w_k + x_k+4 * w_k+4) * 2^16: one
// multiplication serves two values. Over four such products the lower term is below 2^15 in magnitude, and so is the
// sum that is wanted: it is the upper half of their sum plus 2^15. What 8 times the values adds is subtracted.
//
// Words of weights are read where they are aligned, so filters start at some byte of a word: the values are arranged
// for each such start, with zeros around them.
#ifndef RL_KERNELS_SCALAR_WORDS_S4_H
#define RL_KERNELS_SCALAR_WORDS_S4_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa.h"

enum {
    RL_HAS_WORDS_S4 = RL_HAS_THUMB_LOOP && !RL_HAS_DSP && !RL_SMALL,
    RL_WORDS_S4_VALUES = 512,                                       // at a time, a multiple of eight
    RL_WORDS_S4 = RL_HAS_WORDS_S4 ? RL_WORDS_S4_VALUES / 2 + 4 : 1, // of those, from any byte of a word on
};

// The assembler relies on the offsets of the fields, and changes them.
struct rl_words_s4 {
    const uint32_t *words; // 0: four for each word of weights
    const uint32_t *end;   // 4
    const int8_t *filter;  // 8: the aligned word in which the first filter starts
    ptrdiff_t step;        // 12: bytes from one filter to the next, a multiple of four
    int32_t *sums;         // 16
    ptrdiff_t sum_step;    // 20: bytes from the sum of one filter to the next
    int32_t count;         // 24: filters, at least 1
    int32_t start;         // 28: is added to each sum: -8 times the sum of the values
};

// Adds the products with each filter to its sum. Reads whole words of weights, and so up to three bytes before a filter
// and behind it in the same words.
static inline void rl_words_s4_run(struct rl_words_s4 *job);

#include RL_LOOP(words_s4)

#endif
