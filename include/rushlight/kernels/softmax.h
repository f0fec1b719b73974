// SPDX-License-Identifier: Apache-2.0
//
// Softmax over the rows of a matrix.
//
// For 8-bit inputs exp(x - maximum of the row) is computed in fixed point: requantize(x - maximum, scale) is that
// exponent with 26 fractional bits, so the scale holds beta * input scale * 2^26 (the exponential is gemmlowp's
// exp_on_negative_values with 5 integer bits). The sum keeps 12 bits less than the exponentials; rows of up to 4,095
// elements cannot overflow it.
//
// Layers need no preparation. Input and output may be the same array where they have the same type; any other overlap
// is undefined. No scratch is used. The 8-bit functions have a table of 1 KB on the stack, except for a single row of
// at most 16 elements of rl_softmax_run on cores without Helium.
#ifndef RUSHLIGHT_KERNELS_SOFTMAX_H
#define RUSHLIGHT_KERNELS_SOFTMAX_H

#include <stdint.h>

#include "rushlight/kernels/layer.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rl_softmax {
    int32_t rows;
    int32_t row;           // elements of a row, at least 1
    struct rl_scale scale; // 8-bit: shift 0..31
    int32_t diff_min;      // 8-bit: differences below this count as exponential 0; at most 0

    // int16 only: tables of 513 values of 15 fractional bits, the exponentials of -10..0 and 1 / (1 + x) for x of 0..1,
    // evenly spaced.
    const int16_t *exponentials;
    const int16_t *reciprocals;
};

// int8 to int8 with scale 1/256 and zero point -128.
void rl_softmax_run(const struct rl_softmax *layer, const int8_t *input, int8_t *output);

// int8 to int16 with scale 1/65536 and zero point -32768.
void rl_softmax_s8_s16_run(const struct rl_softmax *layer, const int8_t *input, int16_t *output);

// uint8 to uint8 with scale 1/256 and zero point 0.
void rl_softmax_u8_run(const struct rl_softmax *layer, const uint8_t *input, uint8_t *output);

// int16 to int16 with scale 1/32768 and zero point 0, by linear interpolation in the tables. requantize(x - maximum,
// scale) must give the exponent in units of 10 / 65535. Rows of up to 65,535 elements.
void rl_softmax_s16_run(const struct rl_softmax *layer, const int16_t *input, int16_t *output);

#ifdef __cplusplus
}
#endif

#endif
