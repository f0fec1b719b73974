// SPDX-License-Identifier: Apache-2.0
//
// Constants behind dequantize nodes, as real numbers.
#ifndef RL_COMPILER_PASSES_REWRITE_DEQUANTIZED_H
#define RL_COMPILER_PASSES_REWRITE_DEQUANTIZED_H

#include "compiler/ir/graph.h"

// Whether a node of quantized_decomposed dequantizes integers that are constant, as are scales and zero points.
bool rl_dequantizes_constant(const struct rl_node *node);

// Writes (integer - zero_point) * scale, in the memory order of the integers. For such a node, or a copy of one that
// has left its graph.
void rl_dequantize_constant(const struct rl_node *node, float *data);

#endif
