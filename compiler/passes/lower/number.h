// SPDX-License-Identifier: Apache-2.0
//
// Functions of single numbers (compiler/ir/functions.def) on integers.
#ifndef RL_COMPILER_PASSES_LOWER_NUMBER_H
#define RL_COMPILER_PASSES_LOWER_NUMBER_H

#include "compiler/ir/functions.h"

// A node that is a function of one of its operands. The other one, if there is one, is a constant number.
struct rl_number_function {
    const struct rl_function *function;
    const struct rl_node *node;
    int operand; // the argument that the function is of
    double number;
};

// Reads a node whose operator has `function`. False when neither of two operands is a number.
bool rl_read_number_function(const struct rl_node *node, const struct rl_function *function,
                             struct rl_number_function *result);

// The limits of relu, hardtanh and clamp; infinite where there is none.
struct rl_bounds {
    double min, max;
};

// False for other operators.
bool rl_read_clamp(const struct rl_node *node, struct rl_bounds *bounds);

double rl_number_function_of(const struct rl_number_function *function, double x);

#endif
