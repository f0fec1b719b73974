// SPDX-License-Identifier: Apache-2.0
// int8 rows times int8 filters: the inner tile of convolution. See convolution/matmul.h for the contract.
//
// Four rows at a time are packed in words, two to a word, for all channels: see scalar/packed_dot.h.
#ifndef RL_KERNELS_SCALAR_MATMUL_TILE_H
#define RL_KERNELS_SCALAR_MATMUL_TILE_H

#include "convolution/matmul.h"
#include "scalar/packed_dot.h"
#include "scalar/rescale_tile.h"

enum {
    RL_MATMUL_ROWS = 4,
    RL_PACKED_DEPTH = 96, // values packed at a time, an even number
};

// Sum of `count` int8 values.
static inline int32_t rl_sum_s8(const int8_t *values, int32_t count)
{
    int32_t sum = 0;
    for (; count >= 4; count -= 4, values += 4) {
        sum += values[0] + values[1] + values[2] + values[3];
    }
    for (; count > 0; count--) {
        sum += *values++;
    }
    return sum;
}

// Up to four rows and the offsets of their outputs. Those that are missing repeat the last one.
struct rl_packed_rows {
    const int8_t *row[RL_MATMUL_ROWS];
    ptrdiff_t output[RL_MATMUL_ROWS];
};

// Two values of two rows.
static inline __attribute__((always_inline)) void rl_pack_two(const int8_t *row, const int8_t *next,
                                                              uint32_t *words)
{
    int32_t v_0 = row[0], v_1 = row[1], u_0 = next[0], u_1 = next[1];
    // All loads first: loads right after loads are cheap on a Cortex-M3.
    __asm__ volatile("" : "+r"(v_0), "+r"(v_1), "+r"(u_0), "+r"(u_1));
    words[0] = rl_packed_word(v_0, u_0);
    words[1] = rl_packed_word(v_1, u_1);
}

// `count` values of each row, from number `at` on. The last one, where they are odd, has one word of each
// pair of rows.
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

// The products of the last value of an odd number, with weights `step` bytes apart.
static inline void rl_packed_last(const uint32_t *words, const int8_t *weight, ptrdiff_t step,
                                  struct rl_packed_sums *sums, int32_t channels)
{
    for (; channels > 0; channels--, weight += step, sums++) {
        rl_packed_add(sums, 0, words[0] * (uint32_t)*weight);
        rl_packed_add(sums, 1, words[1] * (uint32_t)*weight);
    }
}

// Scales and stores the sums of four rows. `open` is a constant where this is inlined, equal to
// rl_limits_are_open(limits).
static inline __attribute__((always_inline)) void rl_packed_store_simple(const struct rl_matmul *m,
                                                                         const struct rl_packed_sums *sums,
                                                                         const struct rl_packed_rows *rows,
                                                                         struct rl_limits_s8 limits,
                                                                         bool open, int8_t *output)
{
    const struct rl_rescale *scale = m->scale;
    const ptrdiff_t row_1 = rows->output[1], row_2 = rows->output[2], row_3 = rows->output[3];
    for (int32_t channels = m->channels; channels > 0; channels--, sums++, scale++, output++) {
        const struct rl_rescale s = *scale;
        output[0] = rl_limit_s8(rl_rescale(s, rl_packed_first(sums, 0) * 2), limits, open);
        output[row_1] = rl_limit_s8(rl_rescale(s, rl_packed_second(sums, 0) * 2), limits, open);
        output[row_2] = rl_limit_s8(rl_rescale(s, rl_packed_first(sums, 1) * 2), limits, open);
        output[row_3] = rl_limit_s8(rl_rescale(s, rl_packed_second(sums, 1) * 2), limits, open);
    }
}

static inline void rl_packed_store(const struct rl_matmul *m, const struct rl_packed_sums *sums,
                                   const struct rl_packed_rows *rows, int8_t *output)
{
    const struct rl_limits_s8 limits = {m->output_min, m->output_max};
    if (m->simple && rl_limits_are_open(limits)) {
        rl_packed_store_simple(m, sums, rows, limits, true, output);
        return;
    }
    for (int32_t channel = 0; channel < m->channels; channel++, sums++, output++) {
        for (int32_t word = 0; word < 2; word++) {
            output[rows->output[2 * word]] = rl_matmul_output(m, channel, rl_packed_first(sums, word));
            output[rows->output[2 * word + 1]] = rl_matmul_output(m, channel, rl_packed_second(sums, word));
        }
    }
}

// Up to four rows times all channels.
static inline void rl_matmul_four_rows(const struct rl_matmul *m, const struct rl_packed_rows *rows,
                                       int8_t *output)
{
    uint32_t words[2 * RL_PACKED_DEPTH];
    struct rl_packed_sums sums[RL_CHANNEL_BLOCK];
    for (int32_t channel = 0; channel < m->channels; channel++) {
        sums[channel] = rl_packed_start(m->bias[channel], (m->depth + 1) / 2);
    }
    for (int32_t at = 0; at < m->depth; at += RL_PACKED_DEPTH) {
        const int32_t count = rl_min_s32(m->depth - at, RL_PACKED_DEPTH);
        const int32_t even = count & ~1;
        const int8_t *filter = m->filter + at;
        rl_pack_rows(rows, at, count, words);
        if (even > 0) {
            rl_packed_dot(words, even / 2, filter, m->depth, sums, m->channels);
        }
        if (even < count) {
            rl_packed_last(words + 2 * even, filter + even, m->depth, sums, m->channels);
        }
    }
    rl_packed_store(m, sums, rows, output);
}

static inline void rl_matmul_rows(const struct rl_matmul *m, const int8_t *rows, ptrdiff_t row_stride,
                                  int32_t row_count, int8_t *output, ptrdiff_t output_stride)
{
    for (; row_count > 0; row_count -= RL_MATMUL_ROWS) {
        struct rl_packed_rows four;
        for (int32_t i = 0; i < RL_MATMUL_ROWS; i++) {
            const int32_t row = rl_min_s32(i, row_count - 1);
            four.row[i] = rows + row * row_stride;
            four.output[i] = row * output_stride;
        }
        rl_matmul_four_rows(m, &four, output);
        rows += RL_MATMUL_ROWS * row_stride;
        output += RL_MATMUL_ROWS * output_stride;
    }
}

#endif
