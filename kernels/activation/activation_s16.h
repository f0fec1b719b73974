// SPDX-License-Identifier: Apache-2.0
// Sigmoid and tanh of int16 by linear interpolation. Formulas: TFLite's int16 logistic and tanh, as used by CMSIS-NN.
//
// The table has 24 steps per unit. The input has 12 fractional bits and is multiplied by 3 * 2^left_shift, so that a
// step of the table is 2^9. The table holds the right half; the left half is its mirror image, rounded the other way.
// tanh(x) = 2 sigmoid(2x) - 1 reads it in steps of 2^8.
#ifndef RL_KERNELS_ACTIVATION_ACTIVATION_S16_H
#define RL_KERNELS_ACTIVATION_ACTIVATION_S16_H

#include <stdbool.h>

#include "activation/sigmoid_table.h"
#include "requantize.h"

struct rl_activation_input {
    int32_t multiplier;
    int32_t rounding;
    int32_t right_shift;
};

static inline int32_t rl_activation_scaled(struct rl_activation_input scale, int32_t value)
{
    return (int32_t)((uint32_t)value * (uint32_t)scale.multiplier + (uint32_t)scale.rounding) >> scale.right_shift;
}

// Whether `magnitude`, which has `bits` bits below the steps of the table, lies beyond the table.
static inline bool rl_sigmoid_is_saturated(uint32_t magnitude, int32_t bits)
{
    return magnitude >= (uint32_t)(RL_SIGMOID_TABLE_SIZE - 1) << bits;
}

// The value of the table at `magnitude`, with 16 + bits fractional bits. `magnitude` must not lie beyond the table.
static inline uint32_t rl_sigmoid_interpolate(uint32_t magnitude, int32_t bits)
{
    const uint16_t *entry = &rl_sigmoid_table[magnitude >> bits];
    const uint32_t here = entry[0];
    const uint32_t offset = magnitude & ((UINT32_C(1) << bits) - 1);
    return (here << bits) + offset * (entry[1] - here);
}

static inline uint32_t rl_magnitude(int32_t value)
{
    return value < 0 ? 0u - (uint32_t)value : (uint32_t)value;
}

// One sigmoid, with 15 fractional bits.
static inline int16_t rl_sigmoid_one(struct rl_activation_input scale, int32_t input)
{
    const int32_t value = rl_activation_scaled(scale, input);
    const uint32_t magnitude = rl_magnitude(value);
    if (rl_sigmoid_is_saturated(magnitude, 9)) {
        return value < 0 ? 1 : INT16_MAX;
    }
    const uint32_t right = rl_sigmoid_interpolate(magnitude, 9);
    const uint32_t rounded = value >= 0 ? right + (1u << 9) : (1u << 25) + (1u << 9) - 1u - right;
    return (int16_t)(rounded >> 10);
}

// One tanh, with 15 fractional bits.
static inline int16_t rl_tanh_one(struct rl_activation_input scale, int32_t input)
{
    const int32_t value = rl_activation_scaled(scale, input);
    const uint32_t magnitude = rl_magnitude(value);
    if (rl_sigmoid_is_saturated(magnitude, 8)) {
        return value < 0 ? -INT16_MAX : INT16_MAX;
    }
    const uint32_t right = rl_sigmoid_interpolate(magnitude, 8);
    const uint32_t rounded = value >= 0 ? right - (1u << 23) + (1u << 7) : (1u << 23) + (1u << 7) - 1u - right;
    return (int16_t)(rounded >> 8);
}

#endif
