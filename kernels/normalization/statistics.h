// SPDX-License-Identifier: Apache-2.0
// Exact sums of int8 values and of their squares, and roots of 64-bit numbers.
#ifndef RL_KERNELS_NORMALIZATION_STATISTICS_H
#define RL_KERNELS_NORMALIZATION_STATISTICS_H

#include <stdint.h>

#include "isa.h"
#include "requantize.h"

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

// 63 for 0.
static inline int32_t rl_leading_zeros_u64(uint64_t value)
{
    const uint32_t high = (uint32_t)(value >> 32);
    return high != 0 ? (int32_t)RL_LEADING_ZEROS(high) : 32 + (int32_t)RL_LEADING_ZEROS((uint32_t)value | 1);
}

// The root of a number of 32 bits, rounded down, and what is left of the number: digit by digit, as with paper and
// pencil.
static inline uint32_t rl_root_u32(uint32_t value, uint32_t *rest)
{
    uint32_t root = 0;
    for (uint32_t digit = UINT32_C(1) << 30; digit > 0; digit >>= 2) {
        const uint32_t next = root + digit;
        root >>= 1;
        if (value >= next) {
            value -= next;
            root += digit;
        }
    }
    *rest = value;
    return root;
}

// The root of a number, rounded down. The root of the upper half gives the upper half of the root, and a division of 32
// bits the lower one, which may be one too large (Zimmermann, Karatsuba Square Root, 1999). For that, one of the two
// highest bits must be set.
static inline uint32_t rl_root_u64(uint64_t value)
{
    if (value == 0) {
        return 0;
    }
    const int32_t shift = rl_leading_zeros_u64(value) & ~1;
    const uint64_t moved = value << shift;
    const uint32_t low = (uint32_t)moved;
    uint32_t rest;
    const uint32_t upper = rl_root_u32((uint32_t)(moved >> 32), &rest);
    const uint32_t half = rest << 15 | low >> 17; // of the rest and the next 16 bits, which is at most 2^33
    const uint32_t lower = half / upper;
    const uint64_t left = (uint64_t)(2 * (half - lower * upper) + (low >> 16 & 1)) << 16 | (low & 0xffff);
    const uint32_t root = (upper << 16) + lower;
    return (left < (uint64_t)lower * lower ? root - 1 : root) >> shift / 2;
}

// One digit of 16 bits of a quotient: `rest` * 2^16 divided by `divisor`, whose highest bit is set and which is larger
// than `rest`. Leaves the remainder in `rest`.
static inline uint32_t rl_divide_digit(uint32_t *rest, uint32_t divisor)
{
    const uint32_t high = divisor >> 16, low = divisor & 0xffff;
    uint32_t digit = *rest / high, left = *rest - digit * high;
    while (left <= 0xffff && (digit > 0xffff || digit * low > left << 16)) {
        digit--;
        left += high;
    }
    *rest = (*rest << 16) - digit * divisor;
    return digit;
}

// 2^62 / divisor, rounded down, for divisors from 2^30.5 on: two divisions of 32 bits (Knuth, The Art of Computer
// Programming 2, 4.3.1).
static inline uint32_t rl_reciprocal_u32(uint32_t divisor)
{
    const int32_t shift = divisor >> 31 == 0 ? 1 : 0;
    uint32_t rest = UINT32_C(1) << 30 << shift;
    const uint32_t upper = rl_divide_digit(&rest, divisor << shift);
    return upper << 16 | rl_divide_digit(&rest, divisor << shift);
}

#endif
