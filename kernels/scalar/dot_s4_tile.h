// SPDX-License-Identifier: Apache-2.0
// Products with int4 weights. A byte holds two, the first one in the low half.
#ifndef RL_KERNELS_SCALAR_DOT_S4_TILE_H
#define RL_KERNELS_SCALAR_DOT_S4_TILE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "requantize.h"
#include "scalar/dot_s4.h"
#include "scalar/words_s4.h"

static inline int32_t rl_low_s4(int8_t byte)
{
    return (int8_t)((uint32_t)byte << 4) >> 4;
}

static inline int32_t rl_high_s4(int8_t byte)
{
    return byte >> 4;
}

struct rl_row_s4 {
    const int8_t *values;
    int32_t depth;
    int32_t first; // the place of a word's eight weights at which filters start for which `words` are; -1 for none
    int32_t sum;   // of the values in `words`
    uint32_t words[RL_WORDS_S4];
};

// Prepares a row for many filters.
static inline void rl_row_s4_start(struct rl_row_s4 *row, const int8_t *values, int32_t depth)
{
    row->values = values;
    row->depth = depth;
    row->first = -1;
}

// Adds the sum of (x[i] + offset) * weight i of each of two filters to sums. x are the `count` values of the row from
// `at` on, which is 0 or 1. Each filter starts in the low half of its first byte.
static inline void rl_dot_s4_pair(struct rl_row_s4 *row, int32_t at, int32_t offset, const int8_t *w_0,
                                  const int8_t *w_1, int32_t count, int32_t sums[2])
{
    int32_t pair[2] = {0, 0};
    struct rl_dot_s4 job = {row->values + at, w_0, w_1, offset, pair, 1, count >> 1, 0, (int32_t)sizeof *pair};
    if (job.bytes > 0) {
        rl_dot_s4_bytes(&job);
    }
    if ((count & 1) != 0) {
        const int32_t last = row->values[at + count - 1] + offset;
        pair[0] += last * rl_low_s4(w_0[count >> 1]);
        pair[1] += last * rl_low_s4(w_1[count >> 1]);
    }
    sums[0] += pair[0];
    sums[1] += pair[1];
}

// The sums of the row from value `at` on times `count` filters of `bytes` bytes, two at a time. The filters are `step`
// bytes apart, and their sums `sum_step` sums.
static __attribute__((noinline)) void rl_dots_s4_in_pairs(const struct rl_row_s4 *row, int32_t at, int32_t offset,
                                                          const int8_t *weights, int32_t step, int32_t bytes,
                                                          int32_t count, int32_t *sums, int32_t sum_step)
{
    const int32_t in_pairs = count & ~1, size = (int32_t)sizeof *sums;
    struct rl_dot_s4 job = {row->values + at, weights, weights + step, offset,         sums,
                            count >> 1,       bytes,   step,           size * sum_step};
    if (in_pairs > 0) {
        rl_dot_s4_bytes(&job);
    }
    if (in_pairs < count) {
        const int8_t *last = weights + in_pairs * step;
        int32_t pair[2];
        job = (struct rl_dot_s4){row->values + at, last, last, offset, pair, 1, bytes, step, size};
        rl_dot_s4_bytes(&job);
        sums[in_pairs * sum_step] = pair[0];
    }
}

// The sums of filters of an odd depth, those that start in a lower half and then the others. The weight that has no
// other in its byte, the last one or the first one, is multiplied apart.
static __attribute__((noinline)) void rl_dots_s4_odd(const struct rl_row_s4 *row, int32_t offset, const int8_t *weights,
                                                     int32_t channels, int32_t *sums)
{
    const int32_t depth = row->depth, bytes = depth >> 1;
    const int32_t first = row->values[0] + offset, last = row->values[depth - 1] + offset;
    rl_dots_s4_in_pairs(row, 0, offset, weights, depth, bytes, (channels + 1) >> 1, sums, 2);
    if (channels > 1) {
        rl_dots_s4_in_pairs(row, 1, offset, weights + bytes + 1, depth, bytes, channels >> 1, sums + 1, 2);
    }
    for (int32_t i = 0; i < channels; i++) {
        const int8_t byte = weights[(i * depth + (i & 1 ? 0 : depth - 1)) >> 1];
        sums[i] += (i & 1) != 0 ? first * rl_high_s4(byte) : last * rl_low_s4(byte);
    }
}

// Writes the word of values i and i + 4, and returns their sum. `offsets` has the offset for both.
static inline int32_t rl_row_s4_two(const int8_t *value, int32_t i, uint32_t offsets, uint32_t *words)
{
    const int32_t upper = value[i], lower = value[i + 4];
    words[i] = ((uint32_t)upper << 16) + (uint32_t)lower + offsets;
    return upper + lower;
}

// Sets row->words for `count` values from number `at` on plus offset, with zeros for the row->first places before them
// and for those behind.
static __attribute__((noinline)) void rl_row_s4_words(struct rl_row_s4 *row, int32_t at, int32_t count, int32_t offset)
{
    enum { EIGHT = 8 };
    const uint32_t offsets = (uint32_t)offset + ((uint32_t)offset << 16);
    const int8_t *value = row->values + at;
    uint32_t *words = row->words;
    int32_t sum = 0, place = row->first;
    while (count > 0) {
        const int8_t *eight = value;
        int8_t part[EIGHT];
        const int32_t some = rl_min_s32(EIGHT - place, count);
        if (some < EIGHT) {
            memset(part, -offset, sizeof part); // which the offset makes zeros
            for (int32_t i = 0; i < some; i++) {
                part[place + i] = value[i];
            }
            eight = part;
        }
        sum += rl_row_s4_two(eight, 0, offsets, words) + rl_row_s4_two(eight, 1, offsets, words);
        sum += rl_row_s4_two(eight, 2, offsets, words) + rl_row_s4_two(eight, 3, offsets, words) + EIGHT * offset;
        words += 4;
        value += some;
        count -= some;
        place = 0;
    }
    row->sum = sum;
}

// At how many bytes of a word filters of `bytes` bytes start, as a power of two.
static inline int32_t rl_starts_shift(int32_t bytes)
{
    return (bytes & 1) != 0 ? 2 : (bytes & 3) >> 1;
}

// Filters that start at the same byte of a word are multiplied together.
static __attribute__((noinline)) void rl_dots_s4_by_starts(struct rl_row_s4 *row, int32_t offset, const int8_t *weights,
                                                           int32_t channels, int32_t *sums)
{
    const int32_t depth = row->depth, bytes = depth >> 1, most = RL_WORDS_S4_VALUES;
    const int32_t shift = rl_starts_shift(bytes), starts = 1 << shift;
    for (int32_t i = 0; i < channels; i++) {
        sums[i] = 0;
    }
    for (int32_t k = 0; k < starts && k < channels; k++, weights += bytes) {
        const int32_t byte = (int32_t)((uintptr_t)weights & 3);
        for (int32_t at = 0; at < depth; at += most) {
            const int32_t count = rl_min_s32(depth - at, most);
            if (row->first != 2 * byte || depth > most) {
                row->first = 2 * byte;
                rl_row_s4_words(row, at, count, offset);
            }
            struct rl_words_s4 job = {.words = row->words,
                                      .end = row->words + 4 * ((2 * byte + count + 7) >> 3),
                                      .filter = weights - byte + (at >> 1),
                                      .step = (ptrdiff_t)bytes << shift,
                                      .sums = sums + k,
                                      .sum_step = (ptrdiff_t)sizeof *sums << shift,
                                      .count = (channels - k + starts - 1) >> shift,
                                      .start = -8 * row->sum};
            rl_words_s4_run(&job);
        }
    }
}

// Computes the sums of the row plus offset times each of `channels` filters, the first of which starts in a lower half,
// and returns true. Returns false and does nothing if there are fewer than two weights in each. A few filters do not
// repay the arrangement of the row for each start of words.
static inline bool rl_dots_s4(struct rl_row_s4 *row, int32_t offset, const int8_t *weights, int32_t channels,
                              int32_t *sums)
{
    // Cycles that words save: of a product, less those of values in front of a filter and behind it; of a filter; and
    // those that they take for each start, and for each value then.
    enum { SAVED = 3, WASTED = 8, FILTER = 20 };
    enum { START = RL_HAS_LONG_MULTIPLY ? 400 : 550, ARRANGED = RL_HAS_LONG_MULTIPLY ? 7 : 10 };
    const int32_t depth = row->depth, bytes = depth >> 1, starts = 1 << rl_starts_shift(bytes);
    const int32_t some = starts == 2 ? 4 : 6, waste = starts == 1 ? 0 : some;
    if (depth < 2) {
        return false;
    }
    if ((depth & 1) != 0) {
        rl_dots_s4_odd(row, offset, weights, channels, sums);
    } else if (!RL_HAS_WORDS_S4 ||
               channels * (depth * SAVED - waste * WASTED + FILTER) < starts * (START + ARRANGED * depth)) {
        rl_dots_s4_in_pairs(row, 0, offset, weights, bytes, bytes, channels, sums, 1);
    } else {
        rl_dots_s4_by_starts(row, offset, weights, channels, sums);
    }
    return true;
}

#endif
