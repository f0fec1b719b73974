// SPDX-License-Identifier: Apache-2.0
// The functions of quantization.h.
#ifndef RL_KERNELS_SCALAR_QUANTIZATION_TILE_H
#define RL_KERNELS_SCALAR_QUANTIZATION_TILE_H

#include "dsp/quantize_fours.h"
#include "quantization.h"
#include "requantize.h"
#include "scalar/soft_quantization.h"
#include RL_TILE(rescale_tile.h)

// 1.5 * 2^23. Added to a number below 2^22 it leaves no bit for the fraction, so the sum is rounded to even, and its
// bits are those of 1.5 * 2^23 plus the rounded number. Other numbers keep their order, as long as the sum is positive.
#define RL_ROUNDING_NUMBER 0x1.8p23f
#define RL_ROUNDING_BITS   UINT32_C(0x4b400000)

// The rounded number plus RL_ROUNDING_BITS and `addend`, modulo 2^32. `all` collects the bits of all sums.
static inline int32_t rl_round_and_add(float number, float inverse, uint32_t addend, uint32_t *all)
{
    const uint32_t bits = rl_bits_of_float(number * inverse + RL_ROUNDING_NUMBER);
    *all |= bits;
    return (int32_t)(bits + addend);
}

// Whether no sum was negative and none was NaN. All bits of a NaN's exponent are set.
static inline bool rl_all_in_order(uint32_t all)
{
    return (int32_t)all >= 0 && (all & UINT32_C(0x7f800000)) != UINT32_C(0x7f800000);
}

static inline bool rl_quantize_whole_s8(const float *from, uint32_t count, float inverse, uint32_t addend, int8_t *to)
{
    uint32_t all = 0;
    for (; !RL_HAS_QUANTIZE_FOURS && count >= 4; count -= 4, from += 4, to += 4) {
        const int32_t value_0 = rl_round_and_add(from[0], inverse, addend, &all);
        const int32_t value_1 = rl_round_and_add(from[1], inverse, addend, &all);
        const int32_t value_2 = rl_round_and_add(from[2], inverse, addend, &all);
        const int32_t value_3 = rl_round_and_add(from[3], inverse, addend, &all);
        to[0] = (int8_t)rl_saturate_s8(value_0);
        to[1] = (int8_t)rl_saturate_s8(value_1);
        to[2] = (int8_t)rl_saturate_s8(value_2);
        to[3] = (int8_t)rl_saturate_s8(value_3);
    }
    for (; count > 0; count--) {
        *to++ = (int8_t)rl_saturate_s8(rl_round_and_add(*from++, inverse, addend, &all));
    }
    return rl_all_in_order(all);
}

static inline __attribute__((always_inline)) bool rl_quantize_many(const float *from, uint32_t count,
                                                                   const struct rl_quantization *q, bool wide, void *to)
{
    if (!RL_HAS_FPU) {
        return rl_quantize_soft(from, count, q, wide, to);
    }
    if (RL_SMALL) {
        return false; // the caller's loop takes these, too
    }
    const float inverse = 1.0f / q->scale;
    const int32_t min = q->min, max = q->max;
    uint32_t addend = (uint32_t)q->zero_point - RL_ROUNDING_BITS;
    RL_HIDE("+r"(addend)); // one addition instead of two
    if (!wide && min == INT8_MIN && max == INT8_MAX) {
        const uint32_t fours = RL_HAS_QUANTIZE_FOURS ? count / 4 : 0;
        if (fours > 0 && !rl_quantize_fours(from, fours, inverse, q->zero_point, to)) {
            return false;
        }
        from += 4 * fours;
        to = (int8_t *)to + 4 * fours;
        count -= 4 * fours;
        return rl_quantize_whole_s8(from, count, inverse, addend, to);
    }
    uint32_t all = 0;
    for (uint32_t i = 0; i < count; i++) {
        const int32_t value = rl_clamp_s32(rl_round_and_add(from[i], inverse, addend, &all), min, max);
        if (wide) {
            ((int16_t *)to)[i] = (int16_t)value;
        } else {
            ((int8_t *)to)[i] = (int8_t)value;
        }
    }
    return rl_all_in_order(all);
}

static inline void rl_dequantize_fours(const int8_t *from, uint32_t count, int32_t zero_point, float scale, float *to)
{
    for (; count >= 4; count -= 4, from += 4, to += 4) {
        const int32_t value_0 = from[0] - zero_point, value_1 = from[1] - zero_point;
        const int32_t value_2 = from[2] - zero_point, value_3 = from[3] - zero_point;
        to[0] = (float)value_0 * scale;
        to[1] = (float)value_1 * scale;
        to[2] = (float)value_2 * scale;
        to[3] = (float)value_3 * scale;
    }
    for (; count > 0; count--) {
        *to++ = (float)(*from++ - zero_point) * scale;
    }
}

static inline __attribute__((always_inline)) bool rl_dequantize_many(const void *from, bool wide, uint32_t count,
                                                                     const struct rl_quantization *q, float *to)
{
    if (!RL_HAS_FPU) {
        return rl_dequantize_soft(from, wide, count, q, to);
    }
    if (RL_SMALL) {
        return false;
    }
    const int32_t zero_point = q->zero_point;
    const float scale = q->scale;
    if (!wide) {
        rl_dequantize_fours(from, count, zero_point, scale, to);
        return true;
    }
    for (uint32_t i = 0; i < count; i++) {
        to[i] = (float)(((const int16_t *)from)[i] - zero_point) * scale;
    }
    return true;
}

#endif
