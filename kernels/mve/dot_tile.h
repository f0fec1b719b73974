// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_MVE_DOT_TILE_H
#define RL_KERNELS_MVE_DOT_TILE_H

#include <arm_mve.h>

static inline void rl_dot_s8_s8_pair(const int8_t *x, int32_t offset, const int8_t *w_0, const int8_t *w_1,
                                     int32_t count, int32_t sums[2])
{
    int32_t sum_0 = 0, sum_1 = 0, weights_0 = 0, weights_1 = 0;
    for (; count > 0; count -= 16, x += 16, w_0 += 16, w_1 += 16) {
        const mve_pred16_t active = vctp8q((uint32_t)count);
        const int8x16_t values = vldrbq_z_s8(x, active);
        const int8x16_t filter_0 = vldrbq_z_s8(w_0, active);
        sum_0 = vmladavaq_s8(sum_0, values, filter_0);
        weights_0 = vaddvaq_s8(weights_0, filter_0);
        const int8x16_t filter_1 = vldrbq_z_s8(w_1, active);
        sum_1 = vmladavaq_s8(sum_1, values, filter_1);
        weights_1 = vaddvaq_s8(weights_1, filter_1);
    }
    sums[0] += sum_0 + offset * weights_0;
    sums[1] += sum_1 + offset * weights_1;
}

static inline int32_t rl_dot_s8_s8(const int8_t *x, int32_t offset, const int8_t *w, int32_t count)
{
    int32_t sum = 0, weights = 0;
    for (; count > 0; count -= 16, x += 16, w += 16) {
        const mve_pred16_t active = vctp8q((uint32_t)count);
        const int8x16_t filter = vldrbq_z_s8(w, active);
        sum = vmladavaq_s8(sum, vldrbq_z_s8(x, active), filter);
        weights = vaddvaq_s8(weights, filter);
    }
    return sum + offset * weights;
}

static inline void rl_dot_s16_s8_pair(const int16_t *x, const int8_t *w_0, const int8_t *w_1, int32_t count,
                                      int64_t sums[2])
{
    int64_t sum_0 = sums[0], sum_1 = sums[1];
    for (int32_t vectors = count >> 3; vectors > 0; vectors--, x += 8, w_0 += 8, w_1 += 8) {
        const int16x8_t values = vldrhq_s16(x);
        sum_0 = vmlaldavaq_s16(sum_0, values, vldrbq_s16(w_0));
        sum_1 = vmlaldavaq_s16(sum_1, values, vldrbq_s16(w_1));
    }
    const mve_pred16_t tail = vctp16q((uint32_t)(count & 7));
    const int16x8_t values = vldrhq_z_s16(x, tail);
    sums[0] = vmlaldavaq_s16(sum_0, values, vldrbq_z_s16(w_0, tail));
    sums[1] = vmlaldavaq_s16(sum_1, values, vldrbq_z_s16(w_1, tail));
}

// Products of int16 and int8 that a 32-bit sum holds: 511 * 2^15 * 2^7 < 2^31. A multiple of eight.
enum { RL_DOT_S16_BLOCK = 504 };

// Keeps the loads that follow behind the product that made `sum`: Helium overlaps the two when they
// alternate, and compilers group them.
static inline __attribute__((always_inline)) int32_t rl_before_loads(int32_t sum)
{
    __asm__ volatile("" : "+r"(sum) : : "memory");
    return sum;
}

// Up to RL_DOT_S16_BLOCK elements of two vectors and two filters.
static inline void rl_dot_s16_s8_2x2(const int16_t *x_0, const int16_t *x_1, const int8_t *w_0,
                                     const int8_t *w_1, int32_t count, int32_t sums[4])
{
    int32_t sum_00 = 0, sum_01 = 0, sum_10 = 0, sum_11 = 0;
    for (int32_t vectors = count >> 3; vectors > 0; vectors--, x_0 += 8, x_1 += 8, w_0 += 8, w_1 += 8) {
        const int16x8_t first = vldrhq_s16(x_0), filter_0 = vldrbq_s16(w_0);
        sum_00 = rl_before_loads(vmladavaq_s16(sum_00, first, filter_0));
        const int16x8_t filter_1 = vldrbq_s16(w_1);
        sum_01 = rl_before_loads(vmladavaq_s16(sum_01, first, filter_1));
        const int16x8_t second = vldrhq_s16(x_1);
        sum_10 = vmladavaq_s16(sum_10, second, filter_0);
        sum_11 = vmladavaq_s16(sum_11, second, filter_1);
    }
    if ((count & 7) != 0) {
        const mve_pred16_t tail = vctp16q((uint32_t)(count & 7));
        const int16x8_t first = vldrhq_z_s16(x_0, tail), second = vldrhq_z_s16(x_1, tail);
        const int16x8_t filter_0 = vldrbq_z_s16(w_0, tail), filter_1 = vldrbq_z_s16(w_1, tail);
        sum_00 = vmladavaq_s16(sum_00, first, filter_0);
        sum_01 = vmladavaq_s16(sum_01, first, filter_1);
        sum_10 = vmladavaq_s16(sum_10, second, filter_0);
        sum_11 = vmladavaq_s16(sum_11, second, filter_1);
    }
    sums[0] = sum_00;
    sums[1] = sum_01;
    sums[2] = sum_10;
    sums[3] = sum_11;
}

static inline int64_t rl_dot_s16_s16(const int16_t *a, const int16_t *b, int32_t count)
{
    int64_t sum = 0;
    for (; count > 0; count -= 8, a += 8, b += 8) {
        const mve_pred16_t active = vctp16q((uint32_t)count);
        sum = vmlaldavaq_s16(sum, vldrhq_z_s16(a, active), vldrhq_z_s16(b, active));
    }
    return sum;
}

#endif
