// SPDX-License-Identifier: Apache-2.0
// Four rows at a time, whose sums are those of scalar/packed_dot.h. Included by scalar/packed_rows.h.
#ifndef RL_KERNELS_SCALAR_PACKED_ROWS_PLAIN_H
#define RL_KERNELS_SCALAR_PACKED_ROWS_PLAIN_H

#include "elementwise/rescale.h"
#include "scalar/packed_dot.h"
#include "scalar/packed_vectors.h"

enum {
    RL_PACKED_ROWS = 4,
    RL_PACKED_DEPTH = 144, // values packed at a time, an even number: those of a 3x3 filter of 16 channels
    RL_PACKED_WORDS = 2 * RL_PACKED_DEPTH,
};

struct rl_row_sums {
    struct rl_packed_sums words;
};

static inline struct rl_row_sums rl_row_sums_start(int32_t bias, int32_t depth)
{
    return (struct rl_row_sums){rl_packed_start(bias, (depth + 1) / 2)};
}

static inline int32_t rl_row_sum(const struct rl_row_sums *sums, int32_t row)
{
    return row % 2 == 0 ? rl_packed_first(&sums->words, row / 2) : rl_packed_second(&sums->words, row / 2);
}

// Adds a constant to the sum of each row.
static inline void rl_row_sums_add(struct rl_row_sums *sums, const int32_t *constants)
{
    for (int32_t word = 0; word < 2; word++) {
        const uint32_t first = (uint32_t)constants[2 * word], second = (uint32_t)constants[2 * word + 1];
        sums->words.upper[word] -= first;
        sums->words.whole[word] -= (first << 16) + second;
    }
}

// Packs two values of two rows.
static inline __attribute__((always_inline)) void rl_pack_two(const int8_t *row, const int8_t *next, uint32_t *words)
{
    int32_t v_0 = row[0], v_1 = row[1], u_0 = next[0], u_1 = next[1];
    // Keeps all loads together: loads right after loads are cheap on a Cortex-M3.
    RL_KEEP("+r"(v_0), "+r"(v_1), "+r"(u_0), "+r"(u_1));
    words[0] = rl_packed_word(v_0, u_0);
    words[1] = rl_packed_word(v_1, u_1);
}

// Packs `count` values of each row from `at` on. If `count` is odd, the last value has one word for each pair of rows.
static inline void rl_pack_rows(const struct rl_packed_rows *rows, int32_t at, int32_t count, uint32_t *words)
{
    const int8_t *row_0 = rows->row[0] + at, *row_1 = rows->row[1] + at;
    const int8_t *row_2 = rows->row[2] + at, *row_3 = rows->row[3] + at;
    for (int32_t pairs = count >> 1; pairs > 0; pairs--, words += 4) {
        rl_pack_two(row_0, row_1, words);
        rl_pack_two(row_2, row_3, words + 2);
        row_0 += 2, row_1 += 2, row_2 += 2, row_3 += 2;
    }
    if ((count & 1) != 0) {
        words[0] = rl_packed_word(*row_0, *row_1);
        words[1] = rl_packed_word(*row_2, *row_3);
    }
}

// Adds the products of the last of an odd number of values, with weights `step` bytes apart.
static inline void rl_packed_last(const uint32_t *words, const int8_t *weight, ptrdiff_t step,
                                  struct rl_packed_sums *sums, int32_t channels)
{
    for (; channels > 0; channels--, weight += step, sums++) {
        const int32_t factor = *weight;
        rl_packed_add(sums, 0, words[0] * (uint32_t)factor);
        rl_packed_add(sums, 1, words[1] * (uint32_t)factor);
    }
}

static inline bool rl_packed_rows_store(const struct rl_rescale *scale, bool one_scale, int32_t min, int32_t max,
                                        int32_t channels, const struct rl_row_sums *sums,
                                        const struct rl_packed_rows *rows, int8_t *output)
{
    (void)scale, (void)one_scale, (void)min, (void)max, (void)channels, (void)sums, (void)rows, (void)output;
    return false;
}

static inline int32_t rl_packed_part(const int8_t *filters, int32_t depth, int32_t channels, int32_t rows)
{
    (void)filters, (void)depth, (void)channels, (void)rows;
    return 0;
}

static inline int32_t rl_packed_channels(int32_t part, int32_t depth, int32_t channels)
{
    (void)part, (void)depth;
    return channels;
}

static inline int32_t rl_packed_work_bytes(int32_t depth, int32_t channels)
{
    return channels * (int32_t)sizeof(struct rl_row_sums) +
           2 * rl_min_s32(depth, RL_PACKED_DEPTH) * (int32_t)sizeof(uint32_t);
}

enum { RL_PACKED_STARTS_SUMS = 0 }; // whether rl_packed_rows_multiply starts them in its loop

static inline void rl_row_sums_begin(struct rl_row_sums *sums, const int32_t *bias, int32_t channels, int32_t depth)
{
    for (int32_t i = 0; i < channels; i++) {
        sums[i] = rl_row_sums_start(bias[i], depth);
    }
}

static inline void rl_packed_rows_multiply(const struct rl_packed_rows *rows, int32_t part, const int8_t *filter,
                                           int32_t depth, const int32_t *bias, struct rl_row_sums *row_sums,
                                           int32_t channels, uint32_t *words, bool packs)
{
    if (bias) {
        rl_row_sums_begin(row_sums, bias, channels, depth);
    }
    (void)part;
    (void)packs; // always
    struct rl_packed_sums *sums = &row_sums->words;
    for (int32_t at = 0; at < depth; at += RL_PACKED_DEPTH, filter += RL_PACKED_DEPTH) {
        const int32_t count = rl_min_s32(depth - at, RL_PACKED_DEPTH);
        const int32_t even = count & ~1;
        if (RL_HAS_VECTORS) {
            const int8_t *const parts[RL_PACKED_ROWS] = {rows->row[0] + at, rows->row[1] + at, rows->row[2] + at,
                                                         rows->row[3] + at};
            rl_multiply_vectors(parts, filter, depth, count, sums, channels, (int16_t *)words);
            continue;
        }
        rl_pack_rows(rows, at, count, words);
        if (even > 0) {
            rl_packed_dot(words, even / 2, filter, depth, sums, channels);
        }
        if (even < count) {
            rl_packed_last(words + 2 * even, filter + even, depth, sums, channels);
        }
    }
}

#endif
