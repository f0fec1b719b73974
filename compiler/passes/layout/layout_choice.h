// SPDX-License-Identifier: Apache-2.0
//
// Where assign_layout may choose between orders: what the users of a value want, and which order costs fewer copies.
#ifndef RL_COMPILER_PASSES_LAYOUT_LAYOUT_CHOICE_H
#define RL_COMPILER_PASSES_LAYOUT_LAYOUT_CHOICE_H

#include "compiler/ir/graph.h"
#include "compiler/targets/target.h"

// What a choice depends on.
struct rl_layout_ends {
    struct rl_graph *graph;
    enum rl_flow flow;              // the runtime for which the program is compiled
    struct rl_tensor_type *outputs; // what is declared for the graph's outputs, and then for the next values of states
};

// Whether an operator or an output uses this value in the layout of `type`, directly or behind operators that take any
// order.
bool rl_layout_is_wanted(const struct rl_layout_ends *ends, const struct rl_value *value,
                         const struct rl_tensor_type *type);

// The type of the result of a concatenation in the order for which the fewest bytes are copied: row-major, or that of
// one of the operands, which have their orders already.
struct rl_tensor_type rl_layout_of_list(const struct rl_layout_ends *ends, const struct rl_node *node);

// The order of the operand of a part for which the fewest bytes are copied: the one that it has, or row-major.
struct rl_tensor_type rl_layout_of_part(const struct rl_layout_ends *ends, const struct rl_node *node);

// Gives states of integers the order in which their users read them, with their channels last, if all of them do.
void rl_lay_states(const struct rl_layout_ends *ends);

#endif
