// SPDX-License-Identifier: Apache-2.0
// Sigmoid and tanh without branches on signs. The table lies in 2^15..2^16 - 1; less 2^15 its values are int16, and one
// SMUAD interpolates between two of them:
//     v = here * (step - offset) + next * offset,  which is 2^15 * step less than with the table as it is
// Outputs are (v + half a unit) >> shift for inputs of 0 and more, and (~v + half a unit) >> shift for others.
#ifndef RL_KERNELS_DSP_ACTIVATION_S16_TILE_H
#define RL_KERNELS_DSP_ACTIVATION_S16_TILE_H

#include "activation/activation_s16.h"
#include "dsp/simd.h"

// In assembler because compilers take a comparison and a conditional instruction.
static inline uint32_t rl_activation_magnitude(int32_t value)
{
    uint32_t result;
    __asm__("eor %0, %1, %1, asr #31\n"
            "sub %0, %0, %1, asr #31"
            : "=&r"(result)
            : "r"(value));
    return result;
}

// v for inputs of 0 and more, ~v for others, from an input in steps of the table of 2^bits.
static inline __attribute__((always_inline)) int32_t rl_activation_between(int32_t value, int32_t bits)
{
    const uint32_t magnitude = rl_activation_magnitude(value);
    const uint32_t two = rl_load_s16x2((const int16_t *)rl_sigmoid_table + (magnitude >> bits)) ^ UINT32_C(0x80008000);
    const uint32_t offset = magnitude & ((UINT32_C(1) << bits) - 1);
    const uint32_t factors = (offset << 16) - offset + (UINT32_C(1) << bits);
    return __smuad((int16x2_t)two, (int16x2_t)factors) ^ (value >> 31);
}

// An input of a sigmoid that is multiplied by 3 stays inside the table.
static inline __attribute__((always_inline)) int16_t rl_sigmoid_inside(int32_t input, int32_t half)
{
    const int32_t value = 3 * input;
    return (int16_t)((rl_activation_between(value, 9) + half) >> 10);
}

// Values beyond the table are answered at once: inputs of the whole range of int16 are mostly such.
static inline __attribute__((always_inline)) int16_t rl_tanh_any(struct rl_activation_input scale, int32_t input)
{
    const int32_t value = rl_activation_scaled(scale, input), beyond = (RL_SIGMOID_TABLE_SIZE - 1) << 8;
    if (value >= beyond || value <= -beyond) {
        return (int16_t)(INT16_MAX ^ (value >> 31)) | 1;
    }
    return (int16_t)((rl_activation_between(value, 8) + (1 << 7)) >> 8);
}

// output[i] = sigmoid(input[i]) for i < count, with 15 fractional bits. In place is allowed.
static inline void rl_sigmoid_s16_tile(struct rl_activation_input scale, const int16_t *input, int16_t *output,
                                       int32_t count)
{
    if (scale.multiplier != 3 || scale.right_shift != 0) {
        for (int32_t i = 0; i < count; i++) {
            output[i] = rl_sigmoid_one(scale, input[i]);
        }
        return;
    }
    int32_t half = (1 << 24) + (1 << 9); // the table's 2^15 and half a unit, in a register
    RL_HIDE("+r"(half));
    if ((count & 1) != 0) {
        *output++ = rl_sigmoid_inside(*input++, half);
    }
    for (int32_t pairs = count >> 1; pairs > 0; pairs--, input += 2, output += 2) {
        const int32_t first = input[0], second = input[1];
        output[0] = rl_sigmoid_inside(first, half);
        output[1] = rl_sigmoid_inside(second, half);
    }
}

// output[i] = tanh(input[i]) for i < count, with 15 fractional bits. In place is allowed.
static inline void rl_tanh_s16_tile(struct rl_activation_input scale, const int16_t *input, int16_t *output,
                                    int32_t count)
{
    if ((count & 1) != 0) {
        *output++ = rl_tanh_any(scale, *input++);
    }
    for (int32_t pairs = count >> 1; pairs > 0; pairs--, input += 2, output += 2) {
        const int32_t first = input[0], second = input[1];
        output[0] = rl_tanh_any(scale, first);
        output[1] = rl_tanh_any(scale, second);
    }
}

#endif
