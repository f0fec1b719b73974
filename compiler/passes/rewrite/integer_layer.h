// SPDX-License-Identifier: Apache-2.0
//
// Whether an integer layer of a graph is what its operator describes, before a pass reads the numbers of its constants.
// A graph from a file need not be.
#ifndef RL_COMPILER_PASSES_REWRITE_INTEGER_LAYER_H
#define RL_COMPILER_PASSES_REWRITE_INTEGER_LAYER_H

#include "compiler/ir/graph.h"

// Whether it is a constant of this type in row-major order.
bool rl_is_integer_constant(const struct rl_value *value, enum rl_scalar_type dtype);

// Whether it is cortex_m::quantized_linear or rushlight::quantized_linear_s16. The others that the functions below take
// are cortex_m::quantized_conv2d and cortex_m::quantized_depthwise_conv2d, also as _nhwc, and
// rushlight::quantized_conv2d_s16, quantized_depthwise_conv2d_s16, quantized_conv2d_s8_s16 and quantized_conv2d_prelu.
bool rl_is_integer_linear(const struct rl_node *node);
bool rl_is_integer_depthwise(const struct rl_node *node);

// Whether it is one of the convolutions of int16.
bool rl_is_wide_convolution(const struct rl_node *node);

const struct rl_value *rl_integer_layer_weights(const struct rl_node *node);

// Whether the input is int8, that of a wide convolution int16, and the weights are an int8 constant; sizes fit; bias,
// kernel sums, multipliers and shifts, if there are any, are int32 constants with one number a channel of the result,
// two multipliers with a PReLU, the bias of a wide convolution an int64 one; and offsets are those of int8. The weights
// of a convolution may have fewer input channels than the input (groups).
bool rl_is_integer_layer(const struct rl_node *node);

#endif
