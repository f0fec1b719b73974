// SPDX-License-Identifier: Apache-2.0
//
// Products of a tensor with a positive number. On integers such a product is only another scale.
#ifndef RL_COMPILER_IR_FACTOR_H
#define RL_COMPILER_IR_FACTOR_H

#include "compiler/ir/graph.h"

// Whether a node multiplies or divides one float tensor by a positive constant number. `operand` is the tensor's
// argument, `factor` the number by which it is multiplied.
bool rl_read_factor(const struct rl_node *node, int *operand, double *factor);

#endif
