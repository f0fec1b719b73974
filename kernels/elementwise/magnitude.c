// SPDX-License-Identifier: Apache-2.0
#include "requantize.h"
#include "rushlight/kernels/elementwise.h"

// The root of a number, rounded down: digit by digit, as with paper and pencil, from the first that can be 1.
static inline uint32_t root_of(uint32_t value)
{
    uint32_t root = 0;
    for (uint32_t digit = (UINT32_C(1) << 30) >> (RL_LEADING_ZEROS(value | 1) & ~1); digit > 0; digit >>= 2) {
        const uint32_t sum = root + digit;
        root >>= 1;
        if (value >= sum) {
            value -= sum;
            root += digit;
        }
    }
    return root;
}

// The result for the sum of squares and epsilon, which is below 2^32. The product is below 2^63.
static inline int32_t scaled(const struct rl_magnitude *m, uint32_t sum)
{
    const uint64_t product = (uint64_t)sum * (uint32_t)m->multiplier;
    const int32_t right = 31 - m->shift;
    if (m->is_root) { // twice the root, rounded down, has the bit that rounds the root
        const uint64_t square = product >> right;
        return (int32_t)((root_of(square > UINT32_MAX ? UINT32_MAX : (uint32_t)square) + 1) >> 1);
    }
    const uint64_t rounded = ((product >> (right - 1)) + 1) >> 1;
    return rounded > INT32_MAX / 2 ? INT32_MAX / 2 : (int32_t)rounded;
}

static inline uint32_t square_of(int32_t value)
{
    return (uint32_t)(value * value);
}

void rl_magnitude_run(const struct rl_magnitude *layer, const int8_t *real, const int8_t *imaginary, int8_t *output)
{
    const struct rl_magnitude m = *layer; // stores cannot change it
    for (int32_t i = 0; i < m.count; i++) {
        const uint32_t squares = square_of(real[i] + m.input_offset) + square_of(imaginary[i] + m.input_offset);
        output[i] = rl_output_s8(scaled(&m, squares + (uint32_t)m.epsilon), m.output_offset, INT8_MIN, INT8_MAX);
    }
}

void rl_magnitude_s16_run(const struct rl_magnitude *layer, const int16_t *real, const int16_t *imaginary,
                          int16_t *output)
{
    const struct rl_magnitude m = *layer;
    for (int32_t i = 0; i < m.count; i++) {
        const uint32_t squares = square_of(real[i]) + square_of(imaginary[i]);
        output[i] = (int16_t)rl_min_s32(scaled(&m, squares + (uint32_t)m.epsilon), INT16_MAX);
    }
}
