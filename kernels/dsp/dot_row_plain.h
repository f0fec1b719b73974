// SPDX-License-Identifier: Apache-2.0
// A row of int16 times groups of four prepacked filters: dot_row.h in C.
//
// Values are int16 in the order in which SXTB16 leaves four bytes: values 0 and 2, then 1 and 3. The last zero to three
// values take a word each.
#ifndef RL_KERNELS_DSP_DOT_ROW_PLAIN_H
#define RL_KERNELS_DSP_DOT_ROW_PLAIN_H

#include <stddef.h>
#include <stdint.h>

#include "dsp/prepacked_word.h"

// The assembler relies on the offsets of the fields.
struct rl_dot_row {
    const uint32_t *row;  // 0
    const int8_t *filter; // 4: the first group
    const int32_t *start; // 8: may be `sums`
    const int32_t *end;   // 12: of `start`, a multiple of four behind it
    int32_t *sums;        // 16
    int32_t row_start;    // 20: -128 times the sum of the row's values
    ptrdiff_t gap;        // 24: bytes to leave out after each group
    int32_t fours;        // 28: groups of four values, at least 1
    int32_t rest;         // 32: values after them, 0 to 3
};

// sums[c] = start[c] + the dot product of the row and filter c. The products of every second filter add up to less than
// 2^23 in magnitude.
static inline void rl_dot_row_plain(const struct rl_dot_row *job)
{
    const ptrdiff_t count = job->end - job->start;
    const int8_t *filter = job->filter;
    for (ptrdiff_t i = 0; i < count; i += 4, filter += job->gap) {
        // Of filters 0 and 1 in one, and of 0 alone; the same of 2 and 3.
        int32_t both[2] = {job->row_start, job->row_start}, first[2] = {job->row_start, job->row_start};
        const uint32_t *values = job->row;
        for (int32_t k = 0; k < 2 * job->fours; k++, values++) {
            for (int32_t pair = 0; pair < 2; pair++, filter += 4) {
                const struct rl_prepacked_word word = rl_prepacked_word_of(filter);
                both[pair] += rl_pair_product(*values, word.both);
                first[pair] += rl_pair_product(*values, word.first);
            }
        }
        for (int32_t k = 0; k < job->rest; k++, values++, filter += 4) {
            const struct rl_prepacked_word word = rl_prepacked_word_of(filter);
            both[0] += rl_pair_low(*values) * rl_pair_low(word.both);
            first[0] += rl_pair_low(*values) * rl_pair_low(word.first);
            both[1] += rl_pair_low(*values) * rl_pair_high(word.both);
            first[1] += rl_pair_low(*values) * rl_pair_high(word.first);
        }
        for (int32_t pair = 0; pair < 2; pair++) {
            const ptrdiff_t at = i + 2 * pair;
            const int32_t second = (both[pair] - first[pair]) >> 8;
            job->sums[at] = job->start[at] + first[pair];
            job->sums[at + 1] = job->start[at + 1] + second;
        }
    }
}

#endif
