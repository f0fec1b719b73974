// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_SCALAR_EXTREMUM_S8_TILE_H
#define RL_KERNELS_SCALAR_EXTREMUM_S8_TILE_H

#include <stdint.h>

// output[i] = min(a[i], b[i]) for i < count. The output may be one of the inputs.
static inline void rl_minimum_s8(const int8_t *a, const int8_t *b, int8_t *output, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        output[i] = a[i] < b[i] ? a[i] : b[i];
    }
}

// output[i] = max(a[i], b[i]) for i < count. The output may be one of the inputs.
static inline void rl_maximum_s8(const int8_t *a, const int8_t *b, int8_t *output, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        output[i] = a[i] > b[i] ? a[i] : b[i];
    }
}

// output[i] = min(max(input[i], low), high) for i < count. In place is allowed.
static inline void rl_clamp_s8(const int8_t *input, int8_t low, int8_t high, int8_t *output, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        const int8_t raised = input[i] > low ? input[i] : low;
        output[i] = raised < high ? raised : high;
    }
}

#endif
