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

// What a value is the square of; NULL if it is not a square.
struct rl_value *rl_root_of_square(const struct rl_value *value);

// Whether a value is a constant of floats, and whether it has a single element. The value may be NULL.
bool rl_is_float_constant(const struct rl_value *value);
bool rl_is_float_number(const struct rl_value *value);

// The two parts of a sum of a value and a constant number of at least 0, such as the epsilon of a norm. False for other
// values.
bool rl_read_epsilon(const struct rl_value *sum, struct rl_value **rest, double *epsilon);

#endif
