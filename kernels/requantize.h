// SPDX-License-Identifier: Apache-2.0
// The requantization of all kernels. Formulas: gemmlowp's fixed-point primitives (SaturatingRoundingDoublingHighMul and
// RoundingDivideByPOT) as TFLite and CMSIS-NN use them with double rounding.
//
// All arithmetic is modulo 2^32 where the reference overflows, so no input is undefined behaviour.
#ifndef RL_KERNELS_REQUANTIZE_H
#define RL_KERNELS_REQUANTIZE_H

#include <stdint.h>

#include "isa.h"

// RL_LEADING_ZEROS for compilers without a word for it.
static inline int32_t rl_leading_zeros_plain(uint32_t value)
{
    int32_t zeros = 0;
    for (int32_t bits = 16; bits > 0; bits >>= 1) {
        if (value >> (32 - bits) == 0) {
            zeros += bits;
            value <<= bits;
        }
    }
    return zeros;
}

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

// The last step of every kernel: value + offset (modulo 2^32) within low..high.
static inline int8_t rl_output_s8(int32_t value, int32_t offset, int32_t low, int32_t high)
{
    return (int8_t)rl_clamp_s32((int32_t)((uint32_t)value + (uint32_t)offset), low, high);
}

// value * 2^exponent modulo 2^32; exponent 0..31.
static inline int32_t rl_shift_left_s32(int32_t value, int32_t exponent)
{
    return (int32_t)((uint32_t)value << exponent);
}

// a * b as (upper * 2^16 + middle) * 2^16 + a rest below 2^16, from four products of half words, for cores without a
// long multiply. No intermediate value overflows, for any a and b.
struct rl_split_product {
    int32_t upper;
    int32_t middle;
};

static inline struct rl_split_product rl_split_multiply(int32_t a, int32_t b)
{
    const uint32_t a_low = (uint32_t)a & 0xffffu, b_low = (uint32_t)b & 0xffffu;
    const int32_t cross = (a >> 16) * (int32_t)b_low + (int32_t)((a_low * b_low) >> 16);
    return (struct rl_split_product){(a >> 16) * (b >> 16) + (cross >> 16),
                                     (int32_t)a_low * (b >> 16) + (cross & 0xffff)};
}

// floor((a * b + 2^30) / 2^31) modulo 2^32: the rounding high half, ties upwards. Exact for every pair but (INT32_MIN,
// INT32_MIN), which wraps.
static inline int32_t rl_high_multiply(int32_t a, int32_t b)
{
    if (!RL_HAS_LONG_MULTIPLY) {
        const struct rl_split_product product = rl_split_multiply(a, b);
        return (int32_t)((uint32_t)product.upper * 2u + (uint32_t)(((product.middle >> 14) + 1) >> 1));
    }
    return (int32_t)(((int64_t)a * b + (INT64_C(1) << 30)) >> 31);
}

// floor((a * b + 2^31) / 2^32), exact for every pair. rl_high_multiply(a, b) is this with a doubled, where that fits.
static inline int32_t rl_high_word(int32_t a, int32_t b)
{
    if (!RL_HAS_LONG_MULTIPLY) {
        const struct rl_split_product product = rl_split_multiply(a, b);
        return product.upper + (((product.middle >> 15) + 1) >> 1);
    }
    const int64_t product = (int64_t)a * b;
    return (int32_t)(product >> 32) + (int32_t)((uint32_t)product >> 31);
}

// rl_high_multiply with saturation of the one pair that overflows.
static inline int32_t rl_high_multiply_saturating(int32_t a, int32_t b)
{
    return a == INT32_MIN && b == INT32_MIN ? INT32_MAX : rl_high_multiply(a, b);
}

// value / 2^exponent, ties away from zero; exponent 0..31.
static inline int32_t rl_divide_by_power_of_two(int32_t value, int32_t exponent)
{
    const int32_t mask = (int32_t)((UINT32_C(1) << exponent) - 1u);
    const int32_t remainder = value & mask;
    const int32_t threshold = (mask >> 1) + (value < 0 ? 1 : 0);
    return (value >> exponent) + (remainder > threshold ? 1 : 0);
}

// value * multiplier / 2^31 * 2^shift. shift -31..30: a positive one is applied before the product, a negative one
// after it, each with its own rounding.
static inline int32_t rl_requantize(int32_t value, int32_t multiplier, int32_t shift)
{
    const int32_t left = shift > 0 ? shift : 0;
    const int32_t right = shift > 0 ? 0 : -shift;
    return rl_divide_by_power_of_two(rl_high_multiply(rl_shift_left_s32(value, left), multiplier), right);
}

// The 16-bit multiplier that kernels with 64-bit sums use in place of a 31-bit one.
static inline int32_t rl_reduce_multiplier(int32_t multiplier)
{
    return multiplier < 0x7fff0000 ? (multiplier + (1 << 15)) >> 16 : 0x7fff;
}

// floor(value * reduced_multiplier / 2^16) for a multiplier of 0..2^15-1. A long product costs a Cortex-M3 more than
// two short ones.
static inline int32_t rl_multiply_q16(int32_t value, int32_t reduced_multiplier)
{
    if (!RL_HAS_DSP) {
        return (value >> 16) * reduced_multiplier + (((value & 0xffff) * reduced_multiplier) >> 16);
    }
    return (int32_t)(((int64_t)value * (reduced_multiplier * 65536)) >> 32); // the high half of a long product
}

// value * reduced_multiplier / 2^15 * 2^shift with one rounding, ties upwards; shift at most 14. Like the reference it
// keeps the low 32 bits before the last halving. The first case is the common one. It is cheap, because floors may be
// taken one after the other; Helium has long shifts that are as cheap.
static inline int32_t rl_requantize_s64(int64_t value, int32_t reduced_multiplier, int32_t shift)
{
    if (!RL_HAS_MVE && (int32_t)value == value && shift <= -2 && reduced_multiplier >= 0) {
        return ((rl_multiply_q16((int32_t)value, reduced_multiplier) >> (-2 - shift)) + 1) >> 1;
    }
    const int64_t product = (int64_t)((uint64_t)value * (uint64_t)(int64_t)reduced_multiplier);
    const int32_t doubled = (int32_t)(product >> (14 - shift));
    return (int32_t)((uint32_t)doubled + 1u) >> 1;
}

#endif
