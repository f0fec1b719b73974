// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_SCALAR_ACTIVATION_S16_TILE_H
#define RL_KERNELS_SCALAR_ACTIVATION_S16_TILE_H

#include "activation/activation_s16.h"

// output[i] = sigmoid(input[i]) for i < count, with 15 fractional bits. In place is allowed.
static inline void rl_sigmoid_s16_tile(struct rl_activation_input scale, const int16_t *input, int16_t *output,
                                       int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        output[i] = rl_sigmoid_one(scale, input[i]);
    }
}

// output[i] = tanh(input[i]) for i < count, with 15 fractional bits. In place is allowed.
static inline void rl_tanh_s16_tile(struct rl_activation_input scale, const int16_t *input, int16_t *output,
                                    int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        output[i] = rl_tanh_one(scale, input[i]);
    }
}

#endif
