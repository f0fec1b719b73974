// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_SCALAR_EXTREMUM_S8_TILE_H
#define RL_KERNELS_SCALAR_EXTREMUM_S8_TILE_H

#include <stdbool.h>
#include <stddef.h>

#include "isa.h"
#include RL_TILE(packed_s8_tile.h)

// Elements from which on 16 at a time pay, in functions of their own, so that short rows have all registers.
enum { RL_HAS_EXTREMUM_LONG = RL_HAS_DSP && !RL_SMALL, RL_EXTREMUM_LONG = 48 };

// The smaller or the larger bytes of two words.
typedef uint32_t rl_extremum_s8x4(uint32_t a, uint32_t b);

// Computes 16 elements of a and b, or of a and `value` if b is NULL. Inlined, so that `extremum` is, too.
static inline __attribute__((always_inline)) void rl_extremum_16_s8(rl_extremum_s8x4 *extremum, const int8_t *a,
                                                                    const int8_t *b, uint32_t value, int8_t *output)
{
    const uint32_t first = extremum(rl_load_s8x4(a), b ? rl_load_s8x4(b) : value);
    const uint32_t second = extremum(rl_load_s8x4(a + 4), b ? rl_load_s8x4(b + 4) : value);
    const uint32_t third = extremum(rl_load_s8x4(a + 8), b ? rl_load_s8x4(b + 8) : value);
    const uint32_t fourth = extremum(rl_load_s8x4(a + 12), b ? rl_load_s8x4(b + 12) : value);
    rl_store_s8x4(output, first);
    rl_store_s8x4(output + 4, second);
    rl_store_s8x4(output + 8, third);
    rl_store_s8x4(output + 12, fourth);
}

// Computes `count` elements, a multiple of 16.
static inline __attribute__((always_inline)) void rl_extremum_long_s8(rl_extremum_s8x4 *extremum, const int8_t *a,
                                                                      const int8_t *b, uint32_t value, int8_t *output,
                                                                      int32_t count)
{
    for (int32_t at = 0; at < count; at += 16) {
        rl_extremum_16_s8(extremum, a + at, b ? b + at : NULL, value, output + at);
    }
}

static __attribute__((noinline, unused)) void rl_minimum_long_s8(const int8_t *a, const int8_t *b, int8_t *output,
                                                                 int32_t count)
{
    rl_extremum_long_s8(rl_minimum_s8x4, a, b, 0, output, count);
}

static __attribute__((noinline, unused)) void rl_maximum_long_s8(const int8_t *a, const int8_t *b, int8_t *output,
                                                                 int32_t count)
{
    rl_extremum_long_s8(rl_maximum_s8x4, a, b, 0, output, count);
}

static __attribute__((noinline, unused)) void rl_minimum_of_long_s8(const int8_t *input, uint32_t values,
                                                                    int8_t *output, int32_t count)
{
    rl_extremum_long_s8(rl_minimum_s8x4, input, NULL, values, output, count);
}

static __attribute__((noinline, unused)) void rl_maximum_of_long_s8(const int8_t *input, uint32_t values,
                                                                    int8_t *output, int32_t count)
{
    rl_extremum_long_s8(rl_maximum_s8x4, input, NULL, values, output, count);
}

// Elements from which on a core that needs aligned words computes those up to the first word apart.
enum { RL_EXTREMUM_APART = 12 };

// Whether the bytes at all addresses, without b if it is NULL, come to words together, some elements further on.
static inline bool rl_words_come(const int8_t *a, const int8_t *b, const int8_t *output, int32_t count)
{
    const uintptr_t apart = ((uintptr_t)a ^ (uintptr_t)output) | (b ? (uintptr_t)b ^ (uintptr_t)output : 0);
    return !RL_HAS_UNALIGNED_WORDS && !RL_SMALL && count >= RL_EXTREMUM_APART && (apart & 3) == 0;
}

// The elements in front of the first word.
static inline int32_t rl_elements_to_word(const int8_t *output)
{
    return (int32_t)(-(uintptr_t)output & 3);
}

// As the functions below, where rl_words_come. They are not inlined, so that rows of words keep their registers.
static void rl_minimum_apart_s8(const int8_t *a, const int8_t *b, int8_t *output, int32_t count);
static void rl_maximum_apart_s8(const int8_t *a, const int8_t *b, int8_t *output, int32_t count);
static void rl_minimum_of_apart_s8(const int8_t *input, int8_t value, int8_t *output, int32_t count);
static void rl_maximum_of_apart_s8(const int8_t *input, int8_t value, int8_t *output, int32_t count);

// output[i] = min(a[i], b[i]) for i < count. The output may be one of the inputs.
static inline void rl_minimum_s8(const int8_t *a, const int8_t *b, int8_t *output, int32_t count)
{
    if (count >= 4 && rl_words_allowed((uintptr_t)a | (uintptr_t)b | (uintptr_t)output)) {
        if (RL_HAS_EXTREMUM_LONG && count >= RL_EXTREMUM_LONG) {
            const int32_t most = count & ~15;
            rl_minimum_long_s8(a, b, output, most);
            a += most, b += most, output += most, count -= most;
        }
        for (; count >= 4; count -= 4, a += 4, b += 4, output += 4) {
            rl_store_s8x4(output, rl_minimum_s8x4(rl_load_s8x4(a), rl_load_s8x4(b)));
        }
    } else if (rl_words_come(a, b, output, count)) {
        rl_minimum_apart_s8(a, b, output, count);
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        const int8_t x = a[i], y = b[i];
        output[i] = x < y ? x : y;
    }
}

// output[i] = max(a[i], b[i]) for i < count. The output may be one of the inputs.
static inline void rl_maximum_s8(const int8_t *a, const int8_t *b, int8_t *output, int32_t count)
{
    if (count >= 4 && rl_words_allowed((uintptr_t)a | (uintptr_t)b | (uintptr_t)output)) {
        if (RL_HAS_EXTREMUM_LONG && count >= RL_EXTREMUM_LONG) {
            const int32_t most = count & ~15;
            rl_maximum_long_s8(a, b, output, most);
            a += most, b += most, output += most, count -= most;
        }
        for (; count >= 4; count -= 4, a += 4, b += 4, output += 4) {
            rl_store_s8x4(output, rl_maximum_s8x4(rl_load_s8x4(a), rl_load_s8x4(b)));
        }
    } else if (rl_words_come(a, b, output, count)) {
        rl_maximum_apart_s8(a, b, output, count);
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        const int8_t x = a[i], y = b[i];
        output[i] = x > y ? x : y;
    }
}

enum { RL_EXTREMUM_ROW = 0 }; // vectors that take a whole row have no elements here

// output[i][k] = min(a[i * step_a + k], b[i * step_b + k]) for i < rows and k < row, which is at most RL_EXTREMUM_ROW.
// The output may be one of the inputs.
static inline void rl_minimum_rows_s8(const int8_t *a, ptrdiff_t step_a, const int8_t *b, ptrdiff_t step_b,
                                      int8_t *output, int32_t row, int32_t rows)
{
    for (; rows > 0; rows--, a += step_a, b += step_b, output += row) {
        rl_minimum_s8(a, b, output, row);
    }
}

// output[i][k] = max(a[i * step_a + k], b[i * step_b + k]) for i < rows and k < row, which is at most RL_EXTREMUM_ROW.
// The output may be one of the inputs.
static inline void rl_maximum_rows_s8(const int8_t *a, ptrdiff_t step_a, const int8_t *b, ptrdiff_t step_b,
                                      int8_t *output, int32_t row, int32_t rows)
{
    for (; rows > 0; rows--, a += step_a, b += step_b, output += row) {
        rl_maximum_s8(a, b, output, row);
    }
}

// output[i] = min(input[i], value) for i < count. In place is allowed.
static inline void rl_minimum_of_s8(const int8_t *input, int8_t value, int8_t *output, int32_t count)
{
    if (count >= 4 && rl_words_allowed((uintptr_t)input | (uintptr_t)output)) {
        const uint32_t values = rl_repeat_s8x4(value);
        if (RL_HAS_EXTREMUM_LONG && count >= RL_EXTREMUM_LONG) {
            const int32_t most = count & ~15;
            rl_minimum_of_long_s8(input, values, output, most);
            input += most, output += most, count -= most;
        }
        for (; count >= 4; count -= 4, input += 4, output += 4) {
            rl_store_s8x4(output, rl_minimum_s8x4(rl_load_s8x4(input), values));
        }
    } else if (rl_words_come(input, NULL, output, count)) {
        rl_minimum_of_apart_s8(input, value, output, count);
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        const int8_t x = input[i];
        output[i] = x < value ? x : value;
    }
}

// output[i] = max(input[i], value) for i < count. In place is allowed.
static inline void rl_maximum_of_s8(const int8_t *input, int8_t value, int8_t *output, int32_t count)
{
    if (count >= 4 && rl_words_allowed((uintptr_t)input | (uintptr_t)output)) {
        const uint32_t values = rl_repeat_s8x4(value);
        if (RL_HAS_EXTREMUM_LONG && count >= RL_EXTREMUM_LONG) {
            const int32_t most = count & ~15;
            rl_maximum_of_long_s8(input, values, output, most);
            input += most, output += most, count -= most;
        }
        for (; count >= 4; count -= 4, input += 4, output += 4) {
            rl_store_s8x4(output, rl_maximum_s8x4(rl_load_s8x4(input), values));
        }
    } else if (rl_words_come(input, NULL, output, count)) {
        rl_maximum_of_apart_s8(input, value, output, count);
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        const int8_t x = input[i];
        output[i] = x > value ? x : value;
    }
}

static __attribute__((noinline)) void rl_minimum_apart_s8(const int8_t *a, const int8_t *b, int8_t *output,
                                                          int32_t count)
{
    const int32_t before = rl_elements_to_word(output);
    rl_minimum_s8(a, b, output, before);
    rl_minimum_s8(a + before, b + before, output + before, count - before);
}

static __attribute__((noinline)) void rl_maximum_apart_s8(const int8_t *a, const int8_t *b, int8_t *output,
                                                          int32_t count)
{
    const int32_t before = rl_elements_to_word(output);
    rl_maximum_s8(a, b, output, before);
    rl_maximum_s8(a + before, b + before, output + before, count - before);
}

static __attribute__((noinline)) void rl_minimum_of_apart_s8(const int8_t *input, int8_t value, int8_t *output,
                                                             int32_t count)
{
    const int32_t before = rl_elements_to_word(output);
    rl_minimum_of_s8(input, value, output, before);
    rl_minimum_of_s8(input + before, value, output + before, count - before);
}

static __attribute__((noinline)) void rl_maximum_of_apart_s8(const int8_t *input, int8_t value, int8_t *output,
                                                             int32_t count)
{
    const int32_t before = rl_elements_to_word(output);
    rl_maximum_of_s8(input, value, output, before);
    rl_maximum_of_s8(input + before, value, output + before, count - before);
}

// output[i] = min(max(input[i], low), high) for i < count. In place is allowed.
static inline void rl_clamp_s8(const int8_t *input, int8_t low, int8_t high, int8_t *output, int32_t count)
{
    if (count >= 4 && rl_words_allowed((uintptr_t)input | (uintptr_t)output)) {
        const uint32_t lows = rl_repeat_s8x4(low), highs = rl_repeat_s8x4(high);
        for (; RL_HAS_EXTREMUM_LONG && count >= 8; count -= 8, input += 8, output += 8) {
            const uint32_t first = rl_maximum_s8x4(rl_load_s8x4(input), lows);
            const uint32_t second = rl_maximum_s8x4(rl_load_s8x4(input + 4), lows);
            rl_store_s8x4(output, rl_minimum_s8x4(first, highs));
            rl_store_s8x4(output + 4, rl_minimum_s8x4(second, highs));
        }
        for (; count >= 4; count -= 4, input += 4, output += 4) {
            rl_store_s8x4(output, rl_minimum_s8x4(rl_maximum_s8x4(rl_load_s8x4(input), lows), highs));
        }
    }
    for (int32_t i = 0; i < count; i++) {
        const int8_t x = input[i], raised = x > low ? x : low;
        output[i] = raised < high ? raised : high;
    }
}

#endif
