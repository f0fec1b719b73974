// SPDX-License-Identifier: Apache-2.0
//
// From float to int8 or int16 and back, element by element, for any scale:
//
//     quantize    clamp(round(x * (1 / scale)) + zero_point, min, max), ties to even, NaN to min
//     dequantize  (x - zero_point) * scale
//
// Each product is rounded to float once, so compile with -ffp-contract=off, or in a mode of the standard (-std=c11),
// where that is the default of gcc. Input and output must not overlap. No scratch is used.
#ifndef RUSHLIGHT_KERNELS_QUANTIZATION_H
#define RUSHLIGHT_KERNELS_QUANTIZATION_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rl_quantization {
    float scale;        // above 0
    int32_t zero_point; // within the type of the integers
    int32_t min, max;   // within the type of the integers, min <= max
};

// Quantizes `count` numbers to int8, or to int16 if `wide`.
void rl_quantize_elements(const float *from, uint32_t count, const struct rl_quantization *q, bool wide, void *to);

// The integers are int8, or int16 if `wide`.
void rl_dequantize_elements(const void *from, bool wide, uint32_t count, const struct rl_quantization *q, float *to);

// The same for one type. A program that calls these alone has no code for the other one.
void rl_quantize_s8(const float *from, uint32_t count, const struct rl_quantization *q, int8_t *to);
void rl_quantize_s16(const float *from, uint32_t count, const struct rl_quantization *q, int16_t *to);
void rl_dequantize_s8(const int8_t *from, uint32_t count, const struct rl_quantization *q, float *to);
void rl_dequantize_s16(const int16_t *from, uint32_t count, const struct rl_quantization *q, float *to);

#ifdef __cplusplus
}
#endif

#endif
