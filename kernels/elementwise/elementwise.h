// SPDX-License-Identifier: Apache-2.0
// What the element-by-element drivers hand to their tiles.
#ifndef RL_KERNELS_ELEMENTWISE_ELEMENTWISE_H
#define RL_KERNELS_ELEMENTWISE_ELEMENTWISE_H

#include <stdint.h>

// Quantization of one tensor of an element-by-element operator.
struct rl_scaling {
    int32_t offset;
    int32_t multiplier;
    int32_t shift;
};

struct rl_add_s8 {
    struct rl_scaling input[2];
    int32_t left_shift;
    struct rl_scaling output;
    int32_t min;
    int32_t max;
};

struct rl_mul_s8 {
    int32_t offset[2];
    struct rl_scaling output;
    int32_t min;
    int32_t max;
};

#endif
