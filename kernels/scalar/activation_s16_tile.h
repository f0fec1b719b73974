// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_SCALAR_ACTIVATION_S16_TILE_H
#define RL_KERNELS_SCALAR_ACTIVATION_S16_TILE_H

#include "activation/activation_s16.h"

// output[i] = sigmoid(input[i]) for i < count, with 15 fractional bits. In place is allowed.
static inline void rl_sigmoid_s16_tile(struct rl_activation_input scale, const int16_t *input, int16_t *output,
                                       int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        const int32_t value = rl_activation_scaled(scale, input[i]);
        const uint32_t magnitude = rl_magnitude(value);
        if (rl_sigmoid_is_saturated(magnitude, 9)) {
            output[i] = value < 0 ? 1 : INT16_MAX;
            continue;
        }
        const uint32_t right = rl_sigmoid_interpolate(magnitude, 9);
        const uint32_t rounded = value >= 0 ? right + (1u << 9) : (1u << 25) + (1u << 9) - 1u - right;
        output[i] = (int16_t)(rounded >> 10);
    }
}

// output[i] = tanh(input[i]) for i < count, with 15 fractional bits. In place is allowed.
static inline void rl_tanh_s16_tile(struct rl_activation_input scale, const int16_t *input, int16_t *output,
                                    int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        const int32_t value = rl_activation_scaled(scale, input[i]);
        const uint32_t magnitude = rl_magnitude(value);
        if (rl_sigmoid_is_saturated(magnitude, 8)) {
            output[i] = value < 0 ? -INT16_MAX : INT16_MAX;
            continue;
        }
        const uint32_t right = rl_sigmoid_interpolate(magnitude, 8);
        const uint32_t rounded = value >= 0 ? right - (1u << 23) + (1u << 7) : (1u << 23) + (1u << 7) - 1u - right;
        output[i] = (int16_t)(rounded >> 8);
    }
}

#endif
