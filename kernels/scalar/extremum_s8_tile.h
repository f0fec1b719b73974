// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_SCALAR_EXTREMUM_S8_TILE_H
#define RL_KERNELS_SCALAR_EXTREMUM_S8_TILE_H

#include "isa.h"
#include RL_TILE(packed_s8_tile.h)

// output[i] = min(a[i], b[i]) for i < count. The output may be one of the inputs.
static inline void rl_minimum_s8(const int8_t *a, const int8_t *b, int8_t *output, int32_t count)
{
    int32_t i = 0;
    if (rl_words_allowed((uintptr_t)a | (uintptr_t)b | (uintptr_t)output)) {
        for (; i + 4 <= count; i += 4) {
            rl_store_s8x4(output + i, rl_minimum_s8x4(rl_load_s8x4(a + i), rl_load_s8x4(b + i)));
        }
    }
    for (; i < count; i++) {
        output[i] = a[i] < b[i] ? a[i] : b[i];
    }
}

// output[i] = max(a[i], b[i]) for i < count. The output may be one of the inputs.
static inline void rl_maximum_s8(const int8_t *a, const int8_t *b, int8_t *output, int32_t count)
{
    int32_t i = 0;
    if (rl_words_allowed((uintptr_t)a | (uintptr_t)b | (uintptr_t)output)) {
        for (; i + 4 <= count; i += 4) {
            rl_store_s8x4(output + i, rl_maximum_s8x4(rl_load_s8x4(a + i), rl_load_s8x4(b + i)));
        }
    }
    for (; i < count; i++) {
        output[i] = a[i] > b[i] ? a[i] : b[i];
    }
}

// output[i] = min(max(input[i], low), high) for i < count. In place is allowed.
static inline void rl_clamp_s8(const int8_t *input, int8_t low, int8_t high, int8_t *output, int32_t count)
{
    int32_t i = 0;
    if (rl_words_allowed((uintptr_t)input | (uintptr_t)output)) {
        const uint32_t lows = rl_repeat_s8x4(low), highs = rl_repeat_s8x4(high);
        for (; i + 4 <= count; i += 4) {
            const uint32_t raised = rl_maximum_s8x4(rl_load_s8x4(input + i), lows);
            rl_store_s8x4(output + i, rl_minimum_s8x4(raised, highs));
        }
    }
    for (; i < count; i++) {
        const int8_t raised = input[i] > low ? input[i] : low;
        output[i] = raised < high ? raised : high;
    }
}

#endif
