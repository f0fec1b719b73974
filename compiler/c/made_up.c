// SPDX-License-Identifier: Apache-2.0
#include "compiler/c/made_up.h"

// Numerical Recipes' generator; its upper bits are good enough here.
static uint32_t next(uint32_t *random)
{
    *random = *random * 1664525u + 1013904223u;
    return *random;
}

void rl_made_up_fill(enum rl_scalar_type dtype, void *data, size_t bytes, uint32_t *random)
{
    uint8_t *octets = data;
    float *reals = data;
    const bool is_index = dtype == RL_INT32 || dtype == RL_INT64;
    for (size_t i = 0; i < bytes; i++) {
        octets[i] = (uint8_t)(dtype == RL_BOOL || is_index ? next(random) >> 31 : next(random) >> 24);
        octets[i] = is_index && i % rl_scalar_size(dtype) != 0 ? 0 : octets[i];
    }
    for (size_t i = 0; dtype == RL_FLOAT32 && i < bytes / sizeof *reals; i++) {
        reals[i] = (float)(int32_t)next(random) * 0x1p-29f;
    }
}
