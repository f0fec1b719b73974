// SPDX-License-Identifier: Apache-2.0
// Exact sums of int8 values and of their squares, and roots of 64-bit numbers.
#ifndef RL_KERNELS_NORMALIZATION_STATISTICS_H
#define RL_KERNELS_NORMALIZATION_STATISTICS_H

#include <stdint.h>

enum { RL_MOST_SQUARES = 1 << 14 }; // int8 values whose squares add up to 28 bits

struct rl_row_sums {
    int32_t values;
    uint64_t squares;
};

static inline void rl_add_row_values(const int8_t *input, int32_t count, struct rl_row_sums *sums)
{
    while (count > 0) {
        const int32_t part = count < RL_MOST_SQUARES ? count : RL_MOST_SQUARES;
        int32_t values = 0, squares = 0;
        for (int32_t i = 0; i < part; i++) {
            values += input[i];
            squares += input[i] * input[i];
        }
        sums->values += values;
        sums->squares += (uint32_t)squares;
        input += part;
        count -= part;
    }
}

static inline int32_t rl_leading_zeros_u64(uint64_t value)
{
    int32_t count = 0;
    for (int32_t bits = 32; bits > 0; bits /= 2) {
        if (value >> (64 - bits) == 0) {
            value <<= bits;
            count += bits;
        }
    }
    return count;
}

// The root of a number below 2^63, rounded down: digit by digit, as with paper and pencil.
static inline uint32_t rl_root_u64(uint64_t value)
{
    uint64_t root = 0;
    for (int32_t bit = 62; bit >= 0; bit -= 2) {
        const uint64_t digit = (uint64_t)1 << bit;
        if (value >= root + digit) {
            value -= root + digit;
            root = root / 2 + digit;
        } else {
            root /= 2;
        }
    }
    return (uint32_t)root;
}

#endif
