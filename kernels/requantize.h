// SPDX-License-Identifier: Apache-2.0
// The one requantization. Formulas: gemmlowp's fixed-point primitives (SaturatingRoundingDoublingHighMul and
// RoundingDivideByPOT) as TFLite and CMSIS-NN use them with double rounding.
//
// All arithmetic is modulo 2^32 where the reference overflows, so no input is undefined behaviour.
#ifndef RL_KERNELS_REQUANTIZE_H
#define RL_KERNELS_REQUANTIZE_H

#include <stdint.h>

static inline int32_t rl_min_s32(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static inline int32_t rl_max_s32(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

// low must not be above high.
static inline int32_t rl_clamp_s32(int32_t value, int32_t low, int32_t high)
{
    return rl_max_s32(rl_min_s32(value, high), low);
}

// value * 2^exponent modulo 2^32; exponent 0..31.
static inline int32_t rl_shift_left_s32(int32_t value, int32_t exponent)
{
    return (int32_t)((uint32_t)value << exponent);
}

// floor((a * b + 2^30) / 2^31) modulo 2^32: the rounding high half, ties upwards. Exact for every pair but
// (INT32_MIN, INT32_MIN), which wraps.
static inline int32_t rl_high_multiply(int32_t a, int32_t b)
{
    return (int32_t)(((int64_t)a * b + (INT64_C(1) << 30)) >> 31);
}

// The same with ties away from zero, and saturation of the one pair that overflows (VQRDMULH of gemmlowp).
static inline int32_t rl_high_multiply_saturating(int32_t a, int32_t b)
{
    if (a == INT32_MIN && b == INT32_MIN) {
        return INT32_MAX;
    }
    const int64_t nudge = (a < 0) != (b < 0) ? 1 - (INT64_C(1) << 30) : INT64_C(1) << 30;
    return (int32_t)(((int64_t)a * b + nudge) / (INT64_C(1) << 31));
}

// value / 2^exponent, ties away from zero; exponent 0..31.
static inline int32_t rl_divide_by_power_of_two(int32_t value, int32_t exponent)
{
    const int32_t mask = (int32_t)((UINT32_C(1) << exponent) - 1u);
    const int32_t remainder = value & mask;
    const int32_t threshold = (mask >> 1) + (value < 0 ? 1 : 0);
    return (value >> exponent) + (remainder > threshold ? 1 : 0);
}

// value * multiplier / 2^31 * 2^shift. shift -31..30: a positive one is applied before the product, a
// negative one after it, each with its own rounding.
static inline int32_t rl_requantize(int32_t value, int32_t multiplier, int32_t shift)
{
    const int32_t left = shift > 0 ? shift : 0;
    const int32_t right = shift > 0 ? 0 : -shift;
    return rl_divide_by_power_of_two(rl_high_multiply(rl_shift_left_s32(value, left), multiplier), right);
}

#endif
