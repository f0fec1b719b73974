// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_SCALAR_EXTREMUM_S8_TILE_H
#define RL_KERNELS_SCALAR_EXTREMUM_S8_TILE_H

#include <stddef.h>

#include "isa.h"
#include RL_TILE(packed_s8_tile.h)

// output[i] = min(a[i], b[i]) for i < count. The output may be one of the inputs.
static inline void rl_minimum_s8(const int8_t *a, const int8_t *b, int8_t *output, int32_t count)
{
    if (count >= 4 && rl_words_allowed((uintptr_t)a | (uintptr_t)b | (uintptr_t)output)) {
        for (; count >= 4; count -= 4, a += 4, b += 4, output += 4) {
            rl_store_s8x4(output, rl_minimum_s8x4(rl_load_s8x4(a), rl_load_s8x4(b)));
        }
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
        for (; count >= 4; count -= 4, a += 4, b += 4, output += 4) {
            rl_store_s8x4(output, rl_maximum_s8x4(rl_load_s8x4(a), rl_load_s8x4(b)));
        }
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
        for (; count >= 4; count -= 4, input += 4, output += 4) {
            rl_store_s8x4(output, rl_minimum_s8x4(rl_load_s8x4(input), values));
        }
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
        for (; count >= 4; count -= 4, input += 4, output += 4) {
            rl_store_s8x4(output, rl_maximum_s8x4(rl_load_s8x4(input), values));
        }
    }
    for (int32_t i = 0; i < count; i++) {
        const int8_t x = input[i];
        output[i] = x > value ? x : value;
    }
}

// output[i] = min(max(input[i], low), high) for i < count. In place is allowed.
static inline void rl_clamp_s8(const int8_t *input, int8_t low, int8_t high, int8_t *output, int32_t count)
{
    if (count >= 4 && rl_words_allowed((uintptr_t)input | (uintptr_t)output)) {
        const uint32_t lows = rl_repeat_s8x4(low), highs = rl_repeat_s8x4(high);
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
