// SPDX-License-Identifier: Apache-2.0
//
// How much a node computes.
#ifndef RL_COMPILER_IR_WORK_H
#define RL_COMPILER_IR_WORK_H

#include "compiler/ir/graph.h"

// Multiply-accumulates of convolutions, linear layers and products of matrices; elements of a window times results of
// pools; otherwise the number of results. 0 for views and other nodes that move values without computing.
double rl_node_work(const struct rl_node *node);

#endif
