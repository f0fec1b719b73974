// SPDX-License-Identifier: Apache-2.0
//
// What a pass gets to work with, and what it promises.
//
// Every pass leaves a valid graph, also when it does not understand a node: it leaves that node as it is and, where the
// node will have to compute in floating point because of it, says why in node->reason. A pass fails only on memory or
// on a graph that contradicts itself.
#ifndef RL_COMPILER_PASSES_PASS_H
#define RL_COMPILER_PASSES_PASS_H

#include "compiler/ir/graph.h"
#include "compiler/options.h"

// A compilation in progress.
struct rl_pass {
    struct rl_context *context; // takes messages
    struct rl_arena *arena;     // holds everything that the compilation makes
    struct rl_graph *graph;     // NULL until it is read
    const struct rl_compile_options *options;
    bool is_observed; // the values will be watched one by one, so that each must stay as it is
};

// One stage.
typedef enum rl_status rl_pass_run(struct rl_pass *pass);

#endif
