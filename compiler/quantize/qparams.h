// SPDX-License-Identifier: Apache-2.0
//
// From a range of real numbers to the parameters of an integer grid, and from real numbers to that grid.
//
//   real = scale * (integer - zero_point)
//
// The formulas are those of torchao's UniformQuantizationObserverBase and of quantized_decomposed.quantize_per_tensor /
// quantize_per_channel, in float32 wherever torch holds float32 tensors, so that results are equal bit for bit.
#ifndef RL_COMPILER_QUANTIZE_QPARAMS_H
#define RL_COMPILER_QUANTIZE_QPARAMS_H

#include <stddef.h>
#include <stdint.h>

struct rl_qparams {
    float scale;        // > 0
    int32_t zero_point; // within the integer range
};

// The integers that a tensor may hold, ends included.
struct rl_qrange {
    int32_t min;
    int32_t max;
};

// The grid over [min, max], widened to hold zero. A range never observed (min > max) gives scale 1 and zero point 0.
struct rl_qparams rl_qparams_affine(float min, float max, struct rl_qrange range);

// The grid centred on zero that reaches the larger of |min| and |max|.
struct rl_qparams rl_qparams_symmetric(float min, float max, struct rl_qrange range);

// Nearest integers, ties to even, kept within `range`. NaN becomes range.min.
void rl_quantize_to_int8(const float *values, size_t count, struct rl_qparams qparams, struct rl_qrange range,
                         int8_t *integers);
void rl_quantize_to_int16(const float *values, size_t count, struct rl_qparams qparams, struct rl_qrange range,
                          int16_t *integers);
void rl_quantize_to_int32(const float *values, size_t count, struct rl_qparams qparams, struct rl_qrange range,
                          int32_t *integers);

#endif
