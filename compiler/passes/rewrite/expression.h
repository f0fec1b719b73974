// SPDX-License-Identifier: Apache-2.0
//
// Reads expressions that a model writes out in several nodes.
#ifndef RL_COMPILER_PASSES_REWRITE_EXPRESSION_H
#define RL_COMPILER_PASSES_REWRITE_EXPRESSION_H

#include "compiler/ir/graph.h"

// The node that makes a value, if it calls `op`; NULL if not. The value may be NULL.
struct rl_node *rl_producer_of(const struct rl_value *value, enum rl_op_id op);

// The operands of a sum, a difference, a product or a quotient (`op`) of two tensors without a factor. False for other
// values.
bool rl_read_pair(const struct rl_value *value, enum rl_op_id op, struct rl_value **self, struct rl_value **other);

// What a value is the square of; NULL if it is none.
struct rl_value *rl_root_of_square(const struct rl_value *value);

#endif
