// SPDX-License-Identifier: Apache-2.0
#include "quantization.h"

// Rounds to nearest, ties to even, without a library call: adding 1.5 * 2^23 leaves no bit for the fraction. The caller
// clamps the argument to less than 2^17.
static int32_t round_even(float number)
{
    const float magic = 12582912.0f;
    volatile float shifted = number + magic; // volatile: the compiler must not cancel the two additions
    return (int32_t)(shifted - magic);
}

// The stock kernel multiplies by the reciprocal, rounds, adds the zero point and clamps. Clamping first gives the same
// result, because the bounds are integers, and keeps infinities and NaN out of the conversion.
static inline __attribute__((always_inline)) int32_t quantize_one(float number, float inverse,
                                                                  const struct rl_quantization *q)
{
    const float lowest = (float)(q->min - q->zero_point), highest = (float)(q->max - q->zero_point);
    float scaled = number * inverse;
    if (!(scaled > lowest)) {
        scaled = lowest;
    }
    if (scaled > highest) {
        scaled = highest;
    }
    return round_even(scaled) + q->zero_point;
}

// Inlined, so that functions for one type have no code for the other.
static inline __attribute__((always_inline)) void quantize(const float *from, uint32_t count,
                                                           const struct rl_quantization *q, bool wide, void *to)
{
    if (rl_quantize_many(from, count, q, wide, to)) {
        return;
    }
    const float inverse = 1.0f / q->scale;
    for (uint32_t i = 0; i < count; i++) {
        const int32_t value = quantize_one(from[i], inverse, q);
        if (wide) {
            ((int16_t *)to)[i] = (int16_t)value;
        } else {
            ((int8_t *)to)[i] = (int8_t)value;
        }
    }
}

void rl_quantize_elements(const float *from, uint32_t count, const struct rl_quantization *q, bool wide, void *to)
{
    quantize(from, count, q, wide, to);
}

void rl_quantize_s8(const float *from, uint32_t count, const struct rl_quantization *q, int8_t *to)
{
    quantize(from, count, q, false, to);
}

void rl_quantize_s16(const float *from, uint32_t count, const struct rl_quantization *q, int16_t *to)
{
    quantize(from, count, q, true, to);
}

static inline __attribute__((always_inline)) void dequantize(const void *from, bool wide, uint32_t count,
                                                             const struct rl_quantization *q, float *to)
{
    if (rl_dequantize_many(from, wide, count, q, to)) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        const int32_t value = wide ? ((const int16_t *)from)[i] : ((const int8_t *)from)[i];
        to[i] = (float)(value - q->zero_point) * q->scale;
    }
}

void rl_dequantize_elements(const void *from, bool wide, uint32_t count, const struct rl_quantization *q, float *to)
{
    dequantize(from, wide, count, q, to);
}

void rl_dequantize_s8(const int8_t *from, uint32_t count, const struct rl_quantization *q, float *to)
{
    dequantize(from, false, count, q, to);
}

void rl_dequantize_s16(const int16_t *from, uint32_t count, const struct rl_quantization *q, float *to)
{
    dequantize(from, true, count, q, to);
}
