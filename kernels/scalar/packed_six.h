// SPDX-License-Identifier: Apache-2.0
// Six int8 rows times filters, for cores whose multiplier gives 32 bits and no more: the inner loop of
// scalar/packed_rows_thumb.h on a Cortex-M0. Two words hold a value of three rows a, b and c, so that two
// multiplications serve three rows:
//     word_1 = -(a + c * 2^11)        word_2 = -(b + c * 2^21)
// Let A, B and C be the sums of the products of up to 64 negated values, or of more with weights whose magnitudes add
// up to less than 2^13, and sum_1 and sum_2 those of the words times the same weights, modulo 2^32. A, B and C are
// within -2^20..2^20 - 1: without the minus sign they could be 2^20. So
//     B is the lower 21 bits of sum_2, and sum_2 - B = C * 2^21, which has the lower 11 bits of C.
//     sum_1 - 2^11 * (the lower 11 bits of C) = A + 2^22 * (the upper bits of C), of which A is the lower 22 bits.
#ifndef RL_KERNELS_SCALAR_PACKED_SIX_H
#define RL_KERNELS_SCALAR_PACKED_SIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa.h"

enum {
    RL_SIX_DEPTH = 64,     // values at a time, at most
    RL_SIX_WEIGHTS = 8191, // the most that the magnitudes of the weights of more values may add up to
    RL_SIX_WORDS = 4,      // words of a value of six rows; half as many of three rows
    RL_SIX_BEHIND = 3,     // values behind the last one, whose words are 0
};

// Writes words of `count` >= 1 values of three rows, from number `at` on, `step` words apart.
static inline void rl_pack_three(const int8_t *const rows[3], int32_t at, int32_t count, int32_t step, uint32_t *words);

// Filters and what their products are added to.
struct rl_packed_six {
    const uint32_t *words;
    const uint32_t *end; // of the words
    const int8_t *filter;
    ptrdiff_t step;    // from one filter to the next
    int32_t *sums;     // six of each filter
    int32_t *sums_end; // there is at least one filter
    const int32_t *start;
};

// Where the sums start, in fast code: at what `sums` has, at one value of each filter, or at six values of the rows,
// which all filters share. The last two are at `start`; the sums of three rows then leave others undefined.
enum rl_six_start { RL_SIX_FROM_SUMS, RL_SIX_FROM_EACH, RL_SIX_FROM_SHARED };

// Adds the products of 1 to RL_SIX_DEPTH values of the rows, or more if the weights are small, with the weights of each
// filter to the filter's sums. A value has four words: two of the first three rows, two of the others. Where there are
// but three rows, it has the first two only, and the last three sums of a filter keep their values. Behind `end` lie
// the words of RL_SIX_BEHIND values of 0. Reads whole words of weights, and so up to three bytes before a filter and
// behind it in the same words. Changes the job.
static inline void rl_packed_six(struct rl_packed_six *job, bool three, enum rl_six_start from);

#include RL_LOOP(packed_six)

#endif
