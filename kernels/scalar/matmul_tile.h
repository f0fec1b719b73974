// SPDX-License-Identifier: Apache-2.0
// int8 rows times int8 filters: the inner tile of convolution. See convolution/matmul.h for the contract.
//
// Two rows are packed in words, so that one multiplication serves both:
//     word[k] = u[k] + v[k] * 2^16,  u = first row + 129 (1..256),  v = second row + 128 (0..255)
// With S = sum word * w modulo 2^32 and H = sum of the upper halves (signed) of word * w, per filter:
//     upper half of word * w = v * w - (1 if w < 0 else 0), because -2^15 <= u * w < 2^15 has the sign of w
//     sum v * w = H + negatives,   sum u * w = S - sum v * w * 2^16
// and what 129, 128 and the bias contribute is known before: the start values of S and H below are such that
// S - H * 2^16 and H are the two sums, biases included. All of it is exact modulo 2^32.
#ifndef RL_KERNELS_SCALAR_MATMUL_TILE_H
#define RL_KERNELS_SCALAR_MATMUL_TILE_H

#include <string.h>

#include "convolution/matmul.h"
#include "scalar/rescale_tile.h"

enum {
    RL_MATMUL_ROWS = 4,
    RL_PACKED_DEPTH = 128, // words packed at a time
};

// Sum of `count` int8 values.
static inline int32_t rl_sum_s8(const int8_t *values, int32_t count)
{
    int32_t sum = 0;
    for (int32_t i = 0; i < count; i++) {
        sum += values[i];
    }
    return sum;
}

static inline void rl_pack_rows(const int8_t *row, const int8_t *next, int32_t count, uint32_t *packed)
{
    for (; count > 0; count--) {
        *packed++ = (uint32_t)(*row++ + 129) + ((uint32_t)(*next++ + 128) << 16);
    }
}

// Start values for the filter of `channel`.
static inline struct rl_packed_sums rl_packed_start(const struct rl_matmul *m, int32_t channel)
{
    const int8_t *filter = m->filter + (ptrdiff_t)channel * m->depth;
    uint32_t sum = 0;
    uint32_t negatives = 0;
    for (int32_t i = 0; i < m->depth; i++) {
        sum += (uint32_t)filter[i];
        negatives += filter[i] < 0 ? 1u : 0u;
    }
    const uint32_t bias = (uint32_t)m->bias[channel];
    const uint32_t second = bias - 128u * sum;
    return (struct rl_packed_sums){bias - 129u * sum + (second << 16), second + negatives};
}

static inline void rl_matmul_start(struct rl_matmul *m)
{
    for (int32_t channel = 0; channel < m->channels; channel++) {
        m->start[channel] = rl_packed_start(m, channel);
    }
}

// One packed word times a weight of each of two filters.
static inline __attribute__((always_inline)) void rl_packed_multiply(uint32_t word, int32_t weight_0,
                                                                     int32_t weight_1,
                                                                     struct rl_packed_sums *first,
                                                                     struct rl_packed_sums *second)
{
    const uint32_t product_0 = word * (uint32_t)weight_0;
    first->whole += product_0;
    first->upper += (uint32_t)((int32_t)product_0 >> 16);
    const uint32_t product_1 = word * (uint32_t)weight_1;
    second->whole += product_1;
    second->upper += (uint32_t)((int32_t)product_1 >> 16);
    // One word after the other: mixed, they need more registers than there are.
    __asm__ volatile("" : "+r"(first->whole), "+r"(first->upper), "+r"(second->whole), "+r"(second->upper));
}

// Adds the products of `count` packed words with two filters.
static __attribute__((noinline)) void rl_packed_dot(const uint32_t *packed, const int8_t *filter,
                                                    const int8_t *next, int32_t count,
                                                    struct rl_packed_sums *first,
                                                    struct rl_packed_sums *second)
{
    struct rl_packed_sums sums_0 = *first;
    struct rl_packed_sums sums_1 = *second;
    // Thumb-1 offsets do not reach signed bytes: unrolling gains nothing there.
    for (; RL_HAS_LONG_MULTIPLY && count >= 4; count -= 4, packed += 4, filter += 4, next += 4) {
        rl_packed_multiply(packed[0], filter[0], next[0], &sums_0, &sums_1);
        rl_packed_multiply(packed[1], filter[1], next[1], &sums_0, &sums_1);
        rl_packed_multiply(packed[2], filter[2], next[2], &sums_0, &sums_1);
        rl_packed_multiply(packed[3], filter[3], next[3], &sums_0, &sums_1);
    }
    for (int32_t k = 0; k < count; k++) {
        uint32_t word = packed[k];
        int32_t weight_0 = filter[k];
        int32_t weight_1 = next[k];
        // All three loads before the products.
        __asm__ volatile("" : "+r"(word), "+r"(weight_0), "+r"(weight_1));
        rl_packed_multiply(word, weight_0, weight_1, &sums_0, &sums_1);
    }
    *first = sums_0;
    *second = sums_1;
}

// Scales and stores the sums of both rows. `next_output` is written first: it may be `output`.
static inline void rl_packed_store(const struct rl_matmul *m, const struct rl_packed_sums *sums,
                                   int8_t *output, int8_t *next_output)
{
    const int32_t low = m->output_min;
    const int32_t high = m->output_max;
    const int32_t channels = m->channels;
    if (!m->simple) {
        for (int32_t channel = 0; channel < channels; channel++) {
            const uint32_t second = sums[channel].upper;
            const uint32_t first = sums[channel].whole - (second << 16);
            next_output[channel] = rl_matmul_output(m, channel, (int32_t)second);
            output[channel] = rl_matmul_output(m, channel, (int32_t)first);
        }
        return;
    }
    const struct rl_rescale *scale = m->scale;
    for (int32_t i = channels; i > 0; i--, sums++, scale++) {
        const uint32_t second = sums->upper;
        const uint32_t first = sums->whole - (second << 16);
        const int32_t value = rl_rescale(*scale, (int32_t)(first * 2u));
        *next_output++ = (int8_t)rl_clamp_s32(rl_rescale(*scale, (int32_t)(second * 2u)), low, high);
        *output++ = (int8_t)rl_clamp_s32(value, low, high);
    }
}

// One or two rows times all channels.
static inline void rl_matmul_two_rows(const struct rl_matmul *m, const int8_t *row, const int8_t *next,
                                      int8_t *output, int8_t *next_output)
{
    uint32_t packed[RL_PACKED_DEPTH];
    struct rl_packed_sums sums[RL_CHANNEL_BLOCK];
    memcpy(sums, m->start, (size_t)m->channels * sizeof sums[0]);
    for (int32_t at = 0; at < m->depth; at += RL_PACKED_DEPTH) {
        const int32_t count = rl_min_s32(m->depth - at, RL_PACKED_DEPTH);
        rl_pack_rows(row + at, next + at, count, packed);
        const int8_t *filter = m->filter + at;
        for (int32_t channel = 0; channel < m->channels; channel += 2, filter += 2 * m->depth) {
            // The second of a last pair that is alone is a copy that nobody reads.
            const bool pair = channel + 1 < m->channels;
            struct rl_packed_sums unused = {0, 0};
            rl_packed_dot(packed, filter, pair ? filter + m->depth : filter, count, &sums[channel],
                          pair ? &sums[channel + 1] : &unused);
        }
    }
    rl_packed_store(m, sums, output, next_output);
}

static inline void rl_matmul_rows(const struct rl_matmul *m, const int8_t *rows, ptrdiff_t row_stride,
                                  int32_t row_count, int8_t *output, ptrdiff_t output_stride)
{
    for (; row_count > 0; row_count -= 2, rows += 2 * row_stride, output += 2 * output_stride) {
        // A row that is missing is stored first, under the other.
        const bool pair = row_count > 1;
        rl_matmul_two_rows(m, rows, pair ? rows + row_stride : rows, output,
                           pair ? output + output_stride : output);
    }
}

#endif
