// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_DSP_DOT_TILE_H
#define RL_KERNELS_DSP_DOT_TILE_H

#include "dsp/dot_s16_2x2.h"
#include "dsp/instructions.h"
#include "dsp/simd.h"

// A 32-bit sum holds this many products of int16 and int8, a multiple of four: 511 * 2^15 * 2^7 < 2^31.
enum { RL_DOT_S16_BLOCK = 508 };

static inline void rl_dot_s8_s8_pair(const int8_t *x, int32_t offset, const int8_t *w_0, const int8_t *w_1,
                                     int32_t count, int32_t sums[2])
{
    const int16x2_t offsets = (int16x2_t)(rl_repeat_s16x2(offset));
    int32_t sum_0 = sums[0], sum_1 = sums[1];
    for (int32_t blocks = count >> 2; blocks > 0; blocks--, x += 4, w_0 += 4, w_1 += 4) {
        const uint32_t values = rl_load_s8x4(x), weights_0 = rl_load_s8x4(w_0), weights_1 = rl_load_s8x4(w_1);
        const int16x2_t even = rl_even_s16_add(offsets, values), odd = rl_odd_s16_add(offsets, values);
        sum_0 = __smlad(even, rl_even_s16(weights_0), sum_0);
        sum_0 = __smlad(odd, rl_odd_s16(weights_0), sum_0);
        sum_1 = __smlad(even, rl_even_s16(weights_1), sum_1);
        sum_1 = __smlad(odd, rl_odd_s16(weights_1), sum_1);
    }
    if ((count & 2) != 0) {
        const int32_t first = *x++ + offset, second = *x++ + offset;
        sum_0 += first * *w_0++;
        sum_1 += first * *w_1++;
        sum_0 += second * *w_0++;
        sum_1 += second * *w_1++;
    }
    if ((count & 1) != 0) {
        sum_0 += (*x + offset) * *w_0;
        sum_1 += (*x + offset) * *w_1;
    }
    sums[0] = sum_0;
    sums[1] = sum_1;
}

// Computes eight products `blocks` >= 1 times. In assembler because compilers neither keep the loads together, which
// saves three cycles on a Cortex-M4, nor let the loads alone advance both pointers.
static inline int32_t rl_dot_eights(const int8_t *x, uint32_t offsets, const int8_t *w, int32_t blocks)
{
    int32_t sum = 0;
    uint32_t values, next_values, weights, next_weights, expanded;
    __asm__ volatile("1: ldr %[values], [%[x]], #4\n"
                     "ldr %[weights], [%[w]], #4\n"
                     "ldr %[next_values], [%[x]], #4\n"
                     "ldr %[next_weights], [%[w]], #4\n"
                     "sxtab16 %[expanded], %[offsets], %[values]\n"
                     "sxtab16 %[values], %[offsets], %[values], ror #8\n"
                     "subs %[blocks], %[blocks], #1\n"
                     "sxtb16 r12, %[weights]\n"
                     "smlad %[sum], %[expanded], r12, %[sum]\n"
                     "sxtb16 %[weights], %[weights], ror #8\n"
                     "smlad %[sum], %[values], %[weights], %[sum]\n"
                     "sxtab16 %[expanded], %[offsets], %[next_values]\n"
                     "sxtab16 %[next_values], %[offsets], %[next_values], ror #8\n"
                     "sxtb16 r12, %[next_weights]\n"
                     "smlad %[sum], %[expanded], r12, %[sum]\n"
                     "sxtb16 %[next_weights], %[next_weights], ror #8\n"
                     "smlad %[sum], %[next_values], %[next_weights], %[sum]\n"
                     "bne 1b"
                     : [x] "+&r"(x), [w] "+&r"(w), [blocks] "+&r"(blocks), [sum] "+&r"(sum), [values] "=&r"(values),
                       [next_values] "=&r"(next_values), [weights] "=&r"(weights), [next_weights] "=&r"(next_weights),
                       [expanded] "=&r"(expanded)
                     : [offsets] "r"(offsets)
                     : "r12", "cc", "memory");
    return sum;
}

static inline int32_t rl_dot_s8_s8(const int8_t *x, int32_t offset, const int8_t *w, int32_t count)
{
    const uint32_t offsets = rl_repeat_s16x2(offset);
    int32_t whole = count & ~7;
    int32_t sum = 0;
    if (whole > 0) {
        sum = rl_dot_eights(x, offsets, w, whole >> 3);
    }
    if ((count & 4) != 0) {
        const uint32_t values = rl_load_s8x4(x + whole), weights = rl_load_s8x4(w + whole);
        sum = __smlad(rl_even_s16_add((int16x2_t)offsets, values), rl_even_s16(weights), sum);
        sum = __smlad(rl_odd_s16_add((int16x2_t)offsets, values), rl_odd_s16(weights), sum);
        whole += 4;
    }
    for (int32_t i = whole; i < count; i++) {
        sum += (x[i] + offset) * w[i];
    }
    return sum;
}

// Adds products whose sums fit in 32 bits. Values 0, 2 and 1, 3 are paired, as SXTB16 pairs the weights. In assembler
// because compilers neither keep the loads together nor let the loads alone advance the pointers.
static inline void rl_dot_s16_s8_short_pair(const int16_t *x, const int8_t *w_0, const int8_t *w_1, int32_t count,
                                            int32_t sums[2])
{
    int32_t sum_0 = sums[0], sum_1 = sums[1];
    int32_t blocks = count >> 2;
    if (blocks > 0) {
        uint32_t low, high, weights_0, weights_1, even;
        __asm__ volatile(".p2align 2\n"
                         "1: ldr %[high], [%[x], #4]\n"
                         "ldr %[weights_0], [%[w_0]], #4\n"
                         "ldr %[low], [%[x]], #8\n"
                         "ldr %[weights_1], [%[w_1]], #4\n"
                         "subs %[blocks], %[blocks], #1\n"
                         "pkhbt %[even], %[low], %[high], lsl #16\n"
                         "pkhtb %[high], %[high], %[low], asr #16\n"
                         "sxtb16 %[low], %[weights_0]\n"
                         "smlad %[sum_0], %[even], %[low], %[sum_0]\n"
                         "sxtb16 %[weights_0], %[weights_0], ror #8\n"
                         "sxtb16 %[low], %[weights_1]\n"
                         "smlad %[sum_0], %[high], %[weights_0], %[sum_0]\n"
                         "sxtb16 %[weights_1], %[weights_1], ror #8\n"
                         "smlad %[sum_1], %[even], %[low], %[sum_1]\n"
                         "smlad %[sum_1], %[high], %[weights_1], %[sum_1]\n"
                         "bne 1b"
                         : [x] "+&r"(x), [w_0] "+&r"(w_0), [w_1] "+&r"(w_1), [blocks] "+&r"(blocks),
                           [sum_0] "+&r"(sum_0), [sum_1] "+&r"(sum_1), [low] "=&r"(low), [high] "=&r"(high),
                           [weights_0] "=&r"(weights_0), [weights_1] "=&r"(weights_1), [even] "=&r"(even)
                         :
                         : "cc", "memory");
    }
    for (int32_t i = 0; i < (count & 3); i++) {
        sum_0 += x[i] * w_0[i];
        sum_1 += x[i] * w_1[i];
    }
    sums[0] = sum_0;
    sums[1] = sum_1;
}

// Takes up to RL_DOT_S16_BLOCK elements.
static inline void rl_dot_s16_s8_block(const int16_t *x, const int8_t *w_0, const int8_t *w_1, int32_t count,
                                       int64_t sums[2])
{
    int32_t block[2] = {0, 0};
    rl_dot_s16_s8_short_pair(x, w_0, w_1, count, block);
    sums[0] += block[0];
    sums[1] += block[1];
}

// The sum of products with one filter, which fits in 32 bits.
static inline int32_t rl_dot_s16_s8(const int16_t *x, const int8_t *w, int32_t count)
{
    int32_t sum = 0;
    int32_t blocks = count >> 2;
    if (blocks > 0) {
        uint32_t low, high, weights, even;
        __asm__ volatile(".p2align 2\n"
                         "1: ldr %[high], [%[x], #4]\n"
                         "ldr %[weights], [%[w]], #4\n"
                         "ldr %[low], [%[x]], #8\n"
                         "subs %[blocks], %[blocks], #1\n"
                         "sxtb16 r12, %[weights]\n"
                         "pkhbt %[even], %[low], %[high], lsl #16\n"
                         "sxtb16 %[weights], %[weights], ror #8\n"
                         "pkhtb %[high], %[high], %[low], asr #16\n"
                         "smlad %[sum], %[even], r12, %[sum]\n"
                         "smlad %[sum], %[high], %[weights], %[sum]\n"
                         "bne 1b"
                         : [x] "+&r"(x), [w] "+&r"(w), [blocks] "+&r"(blocks), [sum] "+&r"(sum), [low] "=&r"(low),
                           [high] "=&r"(high), [weights] "=&r"(weights), [even] "=&r"(even)
                         :
                         : "r12", "cc", "memory");
    }
    for (int32_t i = 0; i < (count & 3); i++) {
        sum += x[i] * w[i];
    }
    return sum;
}

static inline void rl_dot_s16_s8_pair(const int16_t *x, const int8_t *w_0, const int8_t *w_1, int32_t count,
                                      int64_t sums[2])
{
    for (; count > RL_DOT_S16_BLOCK; count -= RL_DOT_S16_BLOCK) {
        rl_dot_s16_s8_block(x, w_0, w_1, RL_DOT_S16_BLOCK, sums);
        x += RL_DOT_S16_BLOCK;
        w_0 += RL_DOT_S16_BLOCK;
        w_1 += RL_DOT_S16_BLOCK;
    }
    rl_dot_s16_s8_block(x, w_0, w_1, count, sums);
}

// In assembler because compilers do not keep the loads together.
static inline int64_t rl_dot_s16_s16(const int16_t *a, const int16_t *b, int32_t count)
{
    int64_t sum = 0;
    int32_t blocks = count >> 2;
    if (blocks > 0) {
        uint32_t low, high, factor_low, factor_high;
        __asm__ volatile(".p2align 2\n"
                         "1: ldr %[high], [%[a], #4]\n"
                         "ldr %[factor_high], [%[b], #4]\n"
                         "ldr %[low], [%[a]], #8\n"
                         "ldr %[factor_low], [%[b]], #8\n"
                         "subs %[blocks], %[blocks], #1\n"
                         "smlald %Q[sum], %R[sum], %[high], %[factor_high]\n"
                         "smlald %Q[sum], %R[sum], %[low], %[factor_low]\n"
                         "bne 1b"
                         : [a] "+&r"(a), [b] "+&r"(b), [blocks] "+&r"(blocks), [sum] "+&r"(sum), [low] "=&r"(low),
                           [high] "=&r"(high), [factor_low] "=&r"(factor_low), [factor_high] "=&r"(factor_high)
                         :
                         : "cc", "memory");
    }
    for (int32_t left = count & 3; left > 0; left--) {
        sum += *a++ * *b++;
    }
    return sum;
}

// In assembler because compilers do not keep the loads together.
static inline void rl_dot_s16_s16_pair(const int16_t *a, const int16_t *b_0, const int16_t *b_1, int32_t count,
                                       int64_t sums[2])
{
    int64_t sum_0 = 0, sum_1 = 0;
    int32_t blocks = count >> 2;
    if (blocks > 0) {
        uint32_t low, high, factor_low, factor_high;
        __asm__ volatile(".p2align 2\n"
                         "1: ldr %[high], [%[a], #4]\n"
                         "ldr %[factor_high], [%[b_0], #4]\n"
                         "ldr %[low], [%[a]], #8\n"
                         "ldr %[factor_low], [%[b_0]], #8\n"
                         "subs %[blocks], %[blocks], #1\n"
                         "smlald %Q[sum_0], %R[sum_0], %[high], %[factor_high]\n"
                         "smlald %Q[sum_0], %R[sum_0], %[low], %[factor_low]\n"
                         "ldr %[factor_high], [%[b_1], #4]\n"
                         "ldr %[factor_low], [%[b_1]], #8\n"
                         "smlald %Q[sum_1], %R[sum_1], %[high], %[factor_high]\n"
                         "smlald %Q[sum_1], %R[sum_1], %[low], %[factor_low]\n"
                         "bne 1b"
                         : [a] "+&r"(a), [b_0] "+&r"(b_0), [b_1] "+&r"(b_1), [blocks] "+&r"(blocks),
                           [sum_0] "+&r"(sum_0), [sum_1] "+&r"(sum_1), [low] "=&r"(low), [high] "=&r"(high),
                           [factor_low] "=&r"(factor_low), [factor_high] "=&r"(factor_high)
                         :
                         : "cc", "memory");
    }
    for (int32_t left = count & 3; left > 0; left--) {
        const int32_t factor = *a++;
        sum_0 += factor * *b_0++;
        sum_1 += factor * *b_1++;
    }
    sums[0] = sum_0;
    sums[1] = sum_1;
}

#endif
