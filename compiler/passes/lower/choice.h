// SPDX-License-Identifier: Apache-2.0
//
// Operators that choose among elements, or compare them (CHOOSES in rushlight/ops.def), on integers of one grid.
#ifndef RL_COMPILER_PASSES_LOWER_CHOICE_H
#define RL_COMPILER_PASSES_LOWER_CHOICE_H

#include "compiler/ir/graph.h"

// dequantize -> choose becomes choose -> dequantize if all operands are on one grid and the numbers among the arguments
// fit it; results that are places or truth values need no dequantize node. Otherwise nothing changes, and the node gets
// the reason if one of its operands is quantized.
void rl_sink_choice(struct rl_graph *graph, struct rl_node *node);

// Whether quantizing the first operand gives the same as quantizing the result: the node chooses among the elements of
// this operand alone, and nothing uses their places.
bool rl_is_choice_of_one(const struct rl_graph *graph, const struct rl_node *node);

#endif
