// SPDX-License-Identifier: Apache-2.0
//
// The operators that are a function of single numbers, as functions.def lists them, in its order.
#ifndef RL_COMPILER_IR_FUNCTIONS_H
#define RL_COMPILER_IR_FUNCTIONS_H

#include <stddef.h>

#include "compiler/ir/graph.h"

// One of the three functions is there, the others are NULL.
struct rl_function {
    enum rl_op_id op;
    const char *name;
    double (*of)(double x);
    double (*of_node)(const struct rl_node *node, double x); // reads numbers among the arguments
    double (*of_two)(double self, double other);             // two operands, one of them a constant number
    bool number_second;                                      // whether only the second can be the number
    bool in_stock;                                           // the stock quantizer has a table of it, too
    bool exact; // a result that needs every bit of itself needs those of the operand
};

// A function of int16 is interpolated, which takes a Cortex-M4 some 33 cycles an element, and of int8 looked up in 9.
// So results of layers stay int8 in front of functions of more elements.
enum { RL_FUNCTION_MOST_WIDE = 2048 };

extern const struct rl_function rl_functions[];
extern const size_t rl_function_count;

// The function of an operator; NULL if it has none.
const struct rl_function *rl_function_find(enum rl_op_id op);

// Whether an operator is a function of single numbers without jumps, or a clamp: a table of it may be interpolated.
bool rl_function_is_smooth(enum rl_op_id op);

// Whether a node is such a function of the elements of one tensor, beside constant numbers; not a clamp.
bool rl_node_is_smooth_function(const struct rl_node *node);

// The result of a node with one operand for the number `x`.
double rl_function_value(const struct rl_function *function, const struct rl_node *node, double x);

// The result of a node with two operands (of_two). If the operator has `alpha`, it multiplies the second operand.
double rl_function_of_two(const struct rl_function *function, const struct rl_node *node, double self, double other);

#endif
