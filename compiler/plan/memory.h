// SPDX-License-Identifier: Apache-2.0
//
// The memory plan of a graph: the place of each value. Graph inputs and outputs lie in the arena like everything else.
#ifndef RL_COMPILER_PLAN_MEMORY_H
#define RL_COMPILER_PLAN_MEMORY_H

#include "compiler/ir/graph.h"
#include "compiler/plan/arena.h"

enum { RL_PLAN_ALIGNMENT = 16 }; // of every planned tensor, as ExecuTorch's planner does

// Values in order of appearance: inputs and states, constants, then results and scratch values node by node.
struct rl_value_table {
    const struct rl_value **values;
    int count;
    int slot_count; // power of two
    int *slots;     // hash of the pointer -> index + 1
};

struct rl_memory_plan {
    struct rl_value_table table;
    int *buffer_of;                 // by value index: index into `buffers`; -1 for constants and views of them
    struct rl_plan_buffer *buffers; // time 0: inputs are set; k + 1: node k runs; nodes + 1: outputs are read
    const struct rl_value **owners; // by buffer: the value it was made for; views and results in its memory share it
    int buffer_count;
    struct rl_plan_sizes sizes;
};

void rl_value_table_build(struct rl_arena *arena, const struct rl_graph *graph, struct rl_value_table *table);

// Index of a value of the graph that the table was built from; -1 for others.
int rl_value_table_index(const struct rl_value_table *table, const struct rl_value *value);

// Computes lifetimes and places all buffers; everything is allocated in `arena`. `reuses`: results may lie in the
// memory of operands (reuse.h), where that makes the plan smaller.
enum rl_status rl_plan_memory(struct rl_context *context, struct rl_arena *arena, const struct rl_graph *graph,
                              bool reuses, struct rl_memory_plan *plan);

#endif
