// SPDX-License-Identifier: Apache-2.0
//
// The convolution in front of an activation that works channel by channel.
#ifndef RL_COMPILER_IR_LAYER_BEFORE_H
#define RL_COMPILER_IR_LAYER_BEFORE_H

#include "compiler/ir/graph.h"

// The convolution, transposed or not, whose output channels are dimension 1 of `value`, NULL if there is none. Its
// weights and its bias, if it has one, are float constants. It computes the value, or one that views show with the same
// first two dimensions; all of these have one user each.
struct rl_node *rl_layer_before(const struct rl_graph *graph, const struct rl_value *value);

// The dimension of the weights that counts its output channels.
int rl_layer_output_axis(const struct rl_node *layer);

#endif
