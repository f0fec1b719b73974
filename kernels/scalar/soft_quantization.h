// SPDX-License-Identifier: Apache-2.0
// quantization.h without an FPU, for ordinary scales. Floats are computed as integers, at a fraction of the cost of the
// library's operations. A float is mantissa * 2^(exponent - 150), with a mantissa of 2^23..2^24 - 1.
#ifndef RL_KERNELS_SCALAR_SOFT_QUANTIZATION_H
#define RL_KERNELS_SCALAR_SOFT_QUANTIZATION_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "isa.h"
#include "quantization.h"
#include "requantize.h"

enum { RL_BIG = 1 << 23 }; // above every limit, whatever the zero point is

static inline uint32_t rl_mantissa(uint32_t bits)
{
    return (bits & UINT32_C(0x7fffff)) | UINT32_C(0x800000);
}

static inline int32_t rl_exponent(uint32_t bits)
{
    return (int32_t)((bits >> 23) & 255u);
}

// number + rest / 2^32, rounded, ties to even.
static inline uint32_t rl_round_even(uint32_t number, uint32_t rest)
{
    return number + (rest > UINT32_C(0x80000000) - (number & 1u) ? 1u : 0u);
}

// The product of two mantissas, 2^46..2^48 - 1, as high * 2^24 + low / 2^8.
static inline uint32_t rl_multiply_mantissas(uint32_t a, uint32_t b, uint32_t *low)
{
    if (!RL_HAS_LONG_MULTIPLY) {
        const uint32_t cross = (a >> 16) * (b & 0xffffu) + (a & 0xffffu) * (b >> 16);
        const uint32_t lower = (a & 0xffffu) * (b & 0xffffu);
        const uint32_t middle = (cross & 0xffffu) + (lower >> 16);
        const uint32_t upper = (a >> 16) * (b >> 16) + (cross >> 16) + (middle >> 16); // in units of 2^32
        const uint32_t rest = (middle << 16) | (lower & 0xffffu);
        *low = rest << 8;
        return (upper << 8) | (rest >> 24);
    }
    const uint64_t product = (uint64_t)a * (b << 8);
    *low = (uint32_t)product;
    return (uint32_t)(product >> 32);
}

// round(number * inverse), limited to RL_BIG and -RL_BIG. `mantissa` and `exponent` are those of the inverse.
static inline int32_t rl_round_product(uint32_t number, uint32_t mantissa, int32_t exponent)
{
    const int32_t sign = (int32_t)number >> 31;
    uint32_t low;
    uint32_t high = rl_multiply_mantissas(rl_mantissa(number), mantissa, &low);
    // The product as a float is high * 2^-fraction.
    int32_t fraction = 300 - 24 - rl_exponent(number) - exponent;
    if (high < UINT32_C(0x800000)) {
        high = (high << 1) | (low >> 31);
        low <<= 1;
        fraction++;
    }
    if (fraction <= 0 || rl_exponent(number) == 255) {
        return (RL_BIG ^ sign) - sign;
    }
    // The product is at most 2^24 * 2^-25, or less for a subnormal number. Both round to 0.
    if (fraction >= 25 || rl_exponent(number) == 0) {
        return 0;
    }
    high = rl_round_even(high, low);
    const int32_t rounded = (int32_t)rl_round_even(high >> fraction, high << (32 - fraction));
    return (rounded ^ sign) - sign;
}

// What the quick way needs of the inverse of a scale: the upper half of its mantissa, and for which numbers it works. A
// product of upper halves is the result * 2^fraction, and fraction is `base` less the exponent of the number.
struct rl_quick_inverse {
    uint32_t half;
    int32_t base;
    int32_t least; // of the fraction, and `span` more at most; not for 0, subnormal, infinite or no numbers
    uint32_t span;
};

static inline struct rl_quick_inverse rl_quick_inverse_of(uint32_t inverse)
{
    const int32_t base = 283 - rl_exponent(inverse), least = rl_max_s32(17, base - 254);
    return (struct rl_quick_inverse){rl_mantissa(inverse) >> 8, base, least,
                                     (uint32_t)(rl_min_s32(31, base - 1) - least)};
}

// rl_round_product from the upper 16 bits of both mantissas, where these tell the result; false where they do not. They
// give the product / 2^17 to less than 2^16 + 1. Rounding it to a float first changes it by less than 2^8. If both ends
// of these have the same nearest integer, and none of them lies between two, it is that of the product.
static inline bool rl_round_upper_halves(uint32_t number, const struct rl_quick_inverse *q, int32_t *rounded)
{
    enum { DOWN = 1 << 8, UP = (1 << 16) + 1 + (1 << 8) };
    const int32_t fraction = q->base - rl_exponent(number);
    if ((uint32_t)(fraction - q->least) > q->span) {
        return false;
    }
    const uint32_t product = ((rl_mantissa(number) >> 8) * q->half) >> 1;
    const uint32_t middle = product + (UINT32_C(1) << (fraction - 1));
    const uint32_t result = (middle - DOWN) >> fraction;
    const int32_t sign = (int32_t)number >> 31;
    *rounded = ((int32_t)result ^ sign) - sign;
    return result == (middle + UP) >> fraction;
}

// The same for any number from all bits of both mantissas. `inverse` has the bits of the inverse. False for no number.
static inline bool rl_round_all_bits(uint32_t number, uint32_t inverse, int32_t *rounded)
{
    if ((number & UINT32_C(0x7fffffff)) > UINT32_C(0x7f800000)) {
        return false; // NaN
    }
    *rounded = rl_round_product(number, rl_mantissa(inverse), rl_exponent(inverse));
    return true;
}

#include "scalar/quick_quantize.h"

// Whether rl_quick_quantize takes less time than the loop of rl_quantize_soft_as: on a Cortex-M0.
static inline bool rl_quantizes_quickly(const struct rl_quantization *q, bool wide)
{
    return RL_HAS_THUMB_LOOP && !RL_HAS_LONG_MULTIPLY && !RL_SMALL && !wide && q->min == INT8_MIN && q->max == INT8_MAX;
}

// rl_quantize_many for int8 without other limits.
static inline bool rl_quantize_quickly(const float *from, uint32_t count, const struct rl_quantization *q, int8_t *to)
{
    const uint32_t inverse = rl_bits_of_float(1.0f / q->scale);
    struct rl_quick_quantize job = {from, to, from + count, rl_quick_inverse_of(inverse), q->zero_point};
    for (; job.from != job.end; job.from++, job.to++) {
        rl_quick_quantize(&job);
        if (job.from == job.end) {
            break;
        }
        int32_t rounded;
        if (!rl_round_all_bits(rl_bits_of_float(*job.from), inverse, &rounded)) {
            return false;
        }
        *job.to = (int8_t)rl_clamp_s32(rounded + q->zero_point, INT8_MIN, INT8_MAX);
    }
    return true;
}

// `wide` is a constant in fast code, where this is inlined twice.
static inline __attribute__((always_inline)) bool
rl_quantize_soft_as(const float *from, uint32_t count, const struct rl_quantization *q, bool wide, void *to)
{
    const uint32_t inverse = rl_bits_of_float(1.0f / q->scale);
    const struct rl_quick_inverse quick = rl_quick_inverse_of(inverse);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t number = rl_bits_of_float(from[i]);
        int32_t rounded;
        if (!rl_round_upper_halves(number, &quick, &rounded) && !rl_round_all_bits(number, inverse, &rounded)) {
            return false;
        }
        const int32_t value = rl_clamp_s32(rounded + q->zero_point, q->min, q->max);
        if (wide) {
            ((int16_t *)to)[i] = (int16_t)value;
        } else {
            ((int8_t *)to)[i] = (int8_t)value;
        }
    }
    return true;
}

static inline __attribute__((always_inline)) bool rl_quantize_soft(const float *from, uint32_t count,
                                                                   const struct rl_quantization *q, bool wide, void *to)
{
    if (!rl_scale_is_ordinary(q->scale)) {
        return false;
    }
    if (rl_quantizes_quickly(q, wide)) {
        return rl_quantize_quickly(from, count, q, to);
    }
    if (!RL_SMALL && wide) {
        return rl_quantize_soft_as(from, count, q, true, to);
    }
    return rl_quantize_soft_as(from, count, q, RL_SMALL && wide, to);
}

// The number of leading zeros of a number of 2^15 or more.
static inline int32_t rl_leading_zeros_of_16(uint32_t number)
{
    int32_t zeros = 0;
    for (int32_t step = 8; step > 0; step >>= 1) {
        if (number >> (32 - step) == 0) {
            number <<= step;
            zeros += step;
        }
    }
    return number >> 31 == 0 ? zeros + 1 : zeros;
}

// difference * scale as a float, of a difference up to 65535 in magnitude. The product has 24 to 40 bits. Always
// inlined: gcc 12 with -Os for a Cortex-M0 would call it and expect its argument in r1 to survive, which the return
// destroys.
static inline __attribute__((always_inline)) uint32_t rl_scale_soft(int32_t difference, uint32_t scale)
{
    const uint32_t sign = (uint32_t)difference & UINT32_C(0x80000000);
    const uint32_t magnitude = (uint32_t)(difference < 0 ? -difference : difference);
    const uint32_t low = magnitude * (rl_mantissa(scale) & 255u);
    const uint32_t upper = magnitude * (rl_mantissa(scale) >> 8) + (low >> 8); // bits 8 to 39
    if (magnitude == 0) {
        return 0;
    }
    const int32_t zeros = rl_leading_zeros_of_16(upper);
    const uint32_t rest = (low & 255u) << zeros; // behind the bits of `number`
    const uint32_t number = (upper << zeros) + (rest >> 8);
    const uint32_t tail = (number << 24) | ((rest & 255u) << 16);
    // The mantissa's implicit bit adds 1 to the exponent.
    const uint32_t exponent = (uint32_t)(rl_exponent(scale) + 16 - zeros - 1);
    return sign | ((exponent << 23) + rl_round_even(number >> 8, tail));
}

#include "scalar/quick_dequantize.h"

static inline __attribute__((always_inline)) bool rl_dequantize_soft(const void *from, bool wide, uint32_t count,
                                                                     const struct rl_quantization *q, float *to)
{
    if (!rl_scale_is_ordinary(q->scale) || q->scale > 0x1p100f) {
        return false;
    }
    const uint32_t scale = rl_bits_of_float(q->scale);
    if (RL_HAS_THUMB_LOOP && !RL_HAS_LONG_MULTIPLY && !RL_SMALL && wide && count != 0) {
        const int16_t *const values = from;
        struct rl_quick_dequantize job = {values, to, values + count, q->zero_point, scale};
        rl_quick_dequantize(&job);
        return true;
    }
    for (uint32_t i = 0; i < count; i++) {
        const int32_t value = wide ? ((const int16_t *)from)[i] : ((const int8_t *)from)[i];
        const uint32_t bits = rl_scale_soft(value - q->zero_point, scale);
        float number; // a copy straight to `to` is a call on a Cortex-M0
        memcpy(&number, &bits, sizeof number);
        to[i] = number;
    }
    return true;
}

#endif
