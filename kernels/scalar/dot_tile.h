// SPDX-License-Identifier: Apache-2.0
// Products of vectors for the kernels that compute a few outputs at a time: int16 layers, SVDF, LSTM, transposed
// convolution. Nothing is read beyond `count` >= 0 elements; int8 data has any alignment.
#ifndef RL_KERNELS_SCALAR_DOT_TILE_H
#define RL_KERNELS_SCALAR_DOT_TILE_H

#include <stdint.h>

#include "isa.h"

#include RL_LOOP(dot_row)

// A 32-bit sum holds this many products of int16 and int8: 511 * 2^15 * 2^7 < 2^31.
enum { RL_DOT_S16_BLOCK = 508 };

// The sum of (x[i] + offset) * w[i], modulo 2^32.
static inline int32_t rl_dot_s8_s8(const int8_t *x, int32_t offset, const int8_t *w, int32_t count)
{
    int32_t sum = 0;
    if (RL_HAS_DOT_ROW && count >= 4) {
        const int32_t whole = count & ~3;
        sum = rl_dot_row(x, offset, w, whole);
        x += whole;
        w += whole;
        count -= whole;
    }
    for (; !RL_HAS_DOT_ROW && count >= 4; count -= 4, x += 4, w += 4) {
        sum += (x[0] + offset) * w[0];
        sum += (x[1] + offset) * w[1];
        sum += (x[2] + offset) * w[2];
        sum += (x[3] + offset) * w[3];
    }
    for (int32_t i = 0; i < count; i++) {
        sum += (x[i] + offset) * w[i];
    }
    return sum;
}

// The same for two filters at once, added to sums.
static inline void rl_dot_s8_s8_pair(const int8_t *x, int32_t offset, const int8_t *w_0, const int8_t *w_1,
                                     int32_t count, int32_t sums[2])
{
    int32_t sum_0 = sums[0], sum_1 = sums[1];
    for (int32_t i = 0; i < count; i++) {
        const int32_t value = x[i] + offset;
        sum_0 += value * w_0[i];
        sum_1 += value * w_1[i];
    }
    sums[0] = sum_0;
    sums[1] = sum_1;
}

// Adds the sums of x[i] * w_0[i] and x[i] * w_1[i] to sums.
static inline void rl_dot_s16_s8_pair(const int16_t *x, const int8_t *w_0, const int8_t *w_1, int32_t count,
                                      int64_t sums[2])
{
    while (count > 0) {
        const int32_t block = count < RL_DOT_S16_BLOCK ? count : RL_DOT_S16_BLOCK;
        int32_t sum_0 = 0, sum_1 = 0;
        int32_t i = 0;
        for (; i + 2 <= block; i += 2) {
            const int32_t x_0 = x[i], x_1 = x[i + 1];
            sum_0 += x_0 * w_0[i];
            sum_1 += x_0 * w_1[i];
            sum_0 += x_1 * w_0[i + 1];
            sum_1 += x_1 * w_1[i + 1];
        }
        if (i < block) {
            sum_0 += x[i] * w_0[i];
            sum_1 += x[i] * w_1[i];
        }
        sums[0] += sum_0;
        sums[1] += sum_1;
        x += block;
        w_0 += block;
        w_1 += block;
        count -= block;
    }
}

// The sum of x[i] * w[i], of up to RL_DOT_S16_BLOCK elements.
static inline int32_t rl_dot_s16_s8(const int16_t *x, const int8_t *w, int32_t count)
{
    int32_t sum = 0;
    for (; count >= 4; count -= 4, x += 4, w += 4) {
        sum += x[0] * w[0];
        sum += x[1] * w[1];
        sum += x[2] * w[2];
        sum += x[3] * w[3];
    }
    for (int32_t i = 0; i < count; i++) {
        sum += x[i] * w[i];
    }
    return sum;
}

// sums = the sums of x_0[i] * w_0[i], x_0[i] * w_1[i], x_1[i] * w_0[i] and x_1[i] * w_1[i]. `count` is at most
// RL_DOT_S16_BLOCK.
static inline void rl_dot_s16_s8_2x2(const int16_t *x_0, const int16_t *x_1, const int8_t *w_0, const int8_t *w_1,
                                     int32_t count, int32_t sums[4]);

#include RL_LOOP(dot_s16)

// The product as an operand of its own: a long multiply-add takes a Cortex-M3 six cycles, a product and an addition of
// 64 bits three.
static inline int32_t rl_product_s16(int32_t a, int32_t b)
{
    int32_t product = a * b;
    RL_HIDE("+r"(product));
    return product;
}

// The sum of a[i] * b[i].
static inline int64_t rl_dot_s16_s16(const int16_t *a, const int16_t *b, int32_t count)
{
    int64_t sum = 0;
    for (int32_t i = 0; i < count; i++) {
        sum += rl_product_s16(a[i], b[i]);
    }
    return sum;
}

// sums[j] = sum of a[i] * b_j[i].
static inline void rl_dot_s16_s16_pair(const int16_t *a, const int16_t *b_0, const int16_t *b_1, int32_t count,
                                       int64_t sums[2])
{
    int64_t sum_0 = 0, sum_1 = 0;
    for (int32_t i = 0; i < count; i++) {
        const int32_t factor = a[i];
        sum_0 += rl_product_s16(factor, b_0[i]);
        sum_1 += rl_product_s16(factor, b_1[i]);
    }
    sums[0] = sum_0;
    sums[1] = sum_1;
}

#endif
