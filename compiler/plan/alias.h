// SPDX-License-Identifier: Apache-2.0
//
// Nodes that only give another shape to the same bytes. They take no memory and no instruction.
#ifndef RL_COMPILER_PLAN_ALIAS_H
#define RL_COMPILER_PLAN_ALIAS_H

#include "compiler/ir/graph.h"

// The value whose bytes the node's result shares, or NULL if the node must move or compute something.
const struct rl_value *rl_alias_source(const struct rl_node *node);

// The value at the start of a chain of such nodes: a graph input, a constant, a scratch value or a computed result.
const struct rl_value *rl_alias_root(const struct rl_value *value);

#endif
