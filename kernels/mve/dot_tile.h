// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_MVE_DOT_TILE_H
#define RL_KERNELS_MVE_DOT_TILE_H

#include <arm_mve.h>

// The int8 loops are in assembler because gcc makes no loop that ends in a partial vector from intrinsics. They start
// on words, because a jump into the middle of one takes a cycle more.

// Sum of `count` >= 0 int8 values.
static inline int32_t rl_sum_s8(const int8_t *values, int32_t count)
{
    int32_t sum = 0;
    __asm__("wlstp.8 lr, %[count], 2f\n"
            ".p2align 2\n"
            "1: vldrb.8 q0, [%[values]], #16\n"
            "vaddva.s8 %[sum], q0\n"
            "letp lr, 1b\n"
            "2:"
            : [sum] "+Te"(sum), [values] "+r"(values)
            : [count] "r"(count)
            : "q0", "lr", "memory");
    return sum;
}

// The sums of four times `count` >= 0 values, one behind the other.
static inline void rl_four_sums_s8(const int8_t *values, int32_t count, int32_t sums[4])
{
    const int8_t *second = values + count, *third = second + count, *fourth = third + count;
    int32_t sum_0 = 0, sum_1 = 0, sum_2 = 0, sum_3 = 0;
    __asm__ volatile("wlstp.8 lr, %[count], 2f\n"
                     ".p2align 2\n"
                     "1: vldrb.8 q0, [%[first]], #16\n"
                     "vaddva.s8 %[sum_0], q0\n"
                     "vldrb.8 q1, [%[second]], #16\n"
                     "vaddva.s8 %[sum_1], q1\n"
                     "vldrb.8 q0, [%[third]], #16\n"
                     "vaddva.s8 %[sum_2], q0\n"
                     "vldrb.8 q1, [%[fourth]], #16\n"
                     "vaddva.s8 %[sum_3], q1\n"
                     "letp lr, 1b\n"
                     "2:"
                     : [sum_0] "+&Te"(sum_0), [sum_1] "+&Te"(sum_1), [sum_2] "+&Te"(sum_2), [sum_3] "+&Te"(sum_3),
                       [first] "+&r"(values), [second] "+&r"(second), [third] "+&r"(third), [fourth] "+&r"(fourth)
                     : [count] "r"(count)
                     : "q0", "q1", "lr", "memory");
    sums[0] = sum_0;
    sums[1] = sum_1;
    sums[2] = sum_2;
    sums[3] = sum_3;
}

// start + sum_k row[k] * filter[k].
static inline int32_t rl_dot_1x1(const int8_t *row, const int8_t *filter, int32_t depth, int32_t start)
{
    __asm__ volatile("wlstp.8 lr, %[depth], 2f\n"
                     ".p2align 2\n"
                     "1: vldrb.u8 q0, [%[row]], #16\n"
                     "vldrb.u8 q1, [%[filter]], #16\n"
                     "vmladava.s8 %[sum], q0, q1\n"
                     "letp lr, 1b\n"
                     "2:"
                     : [row] "+&r"(row), [filter] "+&r"(filter), [sum] "+&Te"(start)
                     : [depth] "r"(depth)
                     : "q0", "q1", "lr", "memory");
    return start;
}

// The contribution of the input offset to the sum of a filter.
static inline int32_t rl_offset_sum(int32_t offset, const int8_t *filter, int32_t count)
{
    return offset == 0 ? 0 : offset * rl_sum_s8(filter, count);
}

static inline void rl_dot_s8_s8_pair(const int8_t *x, int32_t offset, const int8_t *w_0, const int8_t *w_1,
                                     int32_t count, int32_t sums[2])
{
    int32_t sum_0 = sums[0] + rl_offset_sum(offset, w_0, count);
    int32_t sum_1 = sums[1] + rl_offset_sum(offset, w_1, count);
    __asm__ volatile("wlstp.8 lr, %[count], 2f\n"
                     ".p2align 2\n"
                     "1: vldrb.u8 q0, [%[x]], #16\n"
                     "vldrb.u8 q1, [%[w_0]], #16\n"
                     "vmladava.s8 %[sum_0], q0, q1\n"
                     "vldrb.u8 q1, [%[w_1]], #16\n"
                     "vmladava.s8 %[sum_1], q0, q1\n"
                     "letp lr, 1b\n"
                     "2:"
                     : [x] "+&r"(x), [w_0] "+&r"(w_0), [w_1] "+&r"(w_1), [sum_0] "+&Te"(sum_0), [sum_1] "+&Te"(sum_1)
                     : [count] "r"(count)
                     : "q0", "q1", "lr", "memory");
    sums[0] = sum_0;
    sums[1] = sum_1;
}

// rl_dot_s8_s8 with an offset. Not inlined, so that layers without one have no registers to save for it.
static __attribute__((noinline, unused)) int32_t rl_dot_s8_s8_offset(const int8_t *x, int32_t offset, const int8_t *w,
                                                                     int32_t count)
{
    int32_t sum = 0, sum_of_w = 0;
    __asm__ volatile("wlstp.8 lr, %[count], 2f\n"
                     ".p2align 2\n"
                     "1: vldrb.u8 q1, [%[w]], #16\n"
                     "vaddva.s8 %[sum_of_w], q1\n"
                     "vldrb.u8 q0, [%[x]], #16\n"
                     "vmladava.s8 %[sum], q0, q1\n"
                     "letp lr, 1b\n"
                     "2:"
                     : [x] "+&r"(x), [w] "+&r"(w), [sum] "+&Te"(sum), [sum_of_w] "+&Te"(sum_of_w)
                     : [count] "r"(count)
                     : "q0", "q1", "lr", "memory");
    return sum + offset * sum_of_w;
}

static inline int32_t rl_dot_s8_s8(const int8_t *x, int32_t offset, const int8_t *w, int32_t count)
{
    return offset == 0 ? rl_dot_1x1(x, w, count, 0) : rl_dot_s8_s8_offset(x, offset, w, count);
}

// Keeps later loads behind the product that made `sum`. Helium overlaps loads and products that alternate, but
// compilers group them.
static inline __attribute__((always_inline)) int32_t rl_before_loads(int32_t sum)
{
    __asm__ volatile("" : "+r"(sum) : : "memory");
    return sum;
}

// The same for a long sum.
static inline __attribute__((always_inline)) int64_t rl_before_loads_s64(int64_t sum)
{
    __asm__ volatile("" : "+r"(sum) : : "memory");
    return sum;
}

static inline void rl_dot_s16_s8_pair(const int16_t *x, const int8_t *w_0, const int8_t *w_1, int32_t count,
                                      int64_t sums[2])
{
    int64_t sum_0 = sums[0], sum_1 = sums[1];
    for (int32_t vectors = count >> 3; vectors > 0; vectors--, x += 8, w_0 += 8, w_1 += 8) {
        const int16x8_t values = vldrhq_s16(x);
        sum_0 = rl_before_loads_s64(vmlaldavaq_s16(sum_0, values, vldrbq_s16(w_0)));
        sum_1 = vmlaldavaq_s16(sum_1, values, vldrbq_s16(w_1));
    }
    const mve_pred16_t tail = vctp16q((uint32_t)(count & 7));
    const int16x8_t values = vldrhq_z_s16(x, tail);
    sums[0] = vmlaldavaq_s16(sum_0, values, vldrbq_z_s16(w_0, tail));
    sums[1] = vmlaldavaq_s16(sum_1, values, vldrbq_z_s16(w_1, tail));
}

// A 32-bit sum holds this many products of int16 and int8, a multiple of eight: 511 * 2^15 * 2^7 < 2^31.
enum { RL_DOT_S16_BLOCK = 504 };

static inline int32_t rl_dot_s16_s8(const int16_t *x, const int8_t *w, int32_t count)
{
    int32_t sum = 0;
    for (; count >= 8; count -= 8, x += 8, w += 8) {
        sum = vmladavaq_s16(sum, vldrhq_s16(x), vldrbq_s16(w));
    }
    const mve_pred16_t tail = vctp16q((uint32_t)count);
    return vmladavaq_s16(sum, vldrhq_z_s16(x, tail), vldrbq_z_s16(w, tail));
}

// Multiplies up to RL_DOT_S16_BLOCK elements of two vectors by two filters.
static inline void rl_dot_s16_s8_2x2(const int16_t *x_0, const int16_t *x_1, const int8_t *w_0, const int8_t *w_1,
                                     int32_t count, int32_t sums[4])
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
    for (int32_t vectors = count >> 3; vectors > 0; vectors--, a += 8, b += 8) {
        sum = vmlaldavaq_s16(sum, vldrhq_s16(a), vldrhq_s16(b));
    }
    if ((count & 7) != 0) {
        const mve_pred16_t tail = vctp16q((uint32_t)(count & 7));
        sum = vmlaldavaq_s16(sum, vldrhq_z_s16(a, tail), vldrhq_z_s16(b, tail));
    }
    return sum;
}

static inline void rl_dot_s16_s16_pair(const int16_t *a, const int16_t *b_0, const int16_t *b_1, int32_t count,
                                       int64_t sums[2])
{
    int64_t sum_0 = 0, sum_1 = 0;
    for (int32_t vectors = count >> 3; vectors > 0; vectors--, a += 8, b_0 += 8, b_1 += 8) {
        const int16x8_t factors = vldrhq_s16(a);
        sum_0 = rl_before_loads_s64(vmlaldavaq_s16(sum_0, factors, vldrhq_s16(b_0)));
        sum_1 = vmlaldavaq_s16(sum_1, factors, vldrhq_s16(b_1));
    }
    if ((count & 7) != 0) {
        const mve_pred16_t tail = vctp16q((uint32_t)(count & 7));
        const int16x8_t factors = vldrhq_z_s16(a, tail);
        sum_0 = vmlaldavaq_s16(sum_0, factors, vldrhq_z_s16(b_0, tail));
        sum_1 = vmlaldavaq_s16(sum_1, factors, vldrhq_z_s16(b_1, tail));
    }
    sums[0] = sum_0;
    sums[1] = sum_1;
}

#endif
