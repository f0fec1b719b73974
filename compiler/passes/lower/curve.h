// SPDX-License-Identifier: Apache-2.0
//
// Functions of int16 values, one behind the other, with an int8 result. They become one table (lower_curve).
#ifndef RL_COMPILER_PASSES_LOWER_CURVE_H
#define RL_COMPILER_PASSES_LOWER_CURVE_H

#include "compiler/ir/graph.h"

// Whether a node is one of such functions.
bool rl_is_in_curve(const struct rl_graph *graph, const struct rl_node *node);

#endif
