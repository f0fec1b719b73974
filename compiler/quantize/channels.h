// SPDX-License-Identifier: Apache-2.0
//
// Per-channel observation and quantization of constants: every index of one dimension has its own grid.
#ifndef RL_COMPILER_QUANTIZE_CHANNELS_H
#define RL_COMPILER_QUANTIZE_CHANNELS_H

#include "compiler/ir/graph.h"
#include "compiler/quantize/minmax.h"
#include "compiler/quantize/qparams.h"

// The range of each channel of a float32 tensor stored as `type` says: type->sizes[axis] ranges, started from empty.
// False when a value is NaN.
bool rl_channels_observe(const struct rl_tensor_type *type, int axis, const float *values, struct rl_minmax *ranges);

// The sum of the absolute values of each channel.
void rl_channels_magnitude(const struct rl_tensor_type *type, int axis, const float *values, double *magnitudes);

// Quantizes each channel with its own scale and zero point 0; the integers are stored as the values are.
void rl_channels_quantize_to_int8(const struct rl_tensor_type *type, int axis, const float *values, const float *scales,
                                  struct rl_qrange range, int8_t *integers);
void rl_channels_quantize_to_int32(const struct rl_tensor_type *type, int axis, const float *values,
                                   const float *scales, struct rl_qrange range, int32_t *integers);

#endif
