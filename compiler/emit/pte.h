// SPDX-License-Identifier: Apache-2.0
//
// Lowered graph + memory plan -> ExecuTorch program (.pte).
#ifndef RL_COMPILER_EMIT_PTE_H
#define RL_COMPILER_EMIT_PTE_H

#include "compiler/ir/graph.h"
#include "compiler/plan/memory.h"

struct rl_emitted {
    uint8_t *file; // in the arena, aligned to 16
    size_t size;
    size_t name_bytes;     // of the names of instructions, in `size`
    size_t constant_bytes; // of the constant segment, padding between constants included
    int value_count;       // values in the file
    int32_t *value_of;     // by index in plan->table: index among the file's values; -1: not in the file
    int instruction_count;
    const struct rl_node **nodes; // by instruction: the node it executes
    const void **bound;           // by input behind those of the graph: the memory to bind it to
    uint32_t bound_count;
};

// Every node must have an operator with an out form, or be a view (plan/alias.h), which needs no instruction. Equal
// values, lists and constants are stored once; unused constants are left out. Equal graphs and plans give equal bytes.
enum rl_status rl_emit_pte(struct rl_context *context, struct rl_arena *arena, const struct rl_graph *graph,
                           const struct rl_memory_plan *plan, struct rl_emitted *emitted);

// The same with names: of each instruction the module and the node of the model that it came from (format/pte_names.h).
// A graph none of whose nodes has a layer gives no names.
enum rl_status rl_emit_named_pte(struct rl_context *context, struct rl_arena *arena, const struct rl_graph *graph,
                                 const struct rl_memory_plan *plan, struct rl_emitted *emitted);

// Without names, for a program that this process runs at once: large constants of floats are not copied. Each is an
// input without a place in the plan, behind those of the graph, and emitted->bound is where the graph has its data.
enum rl_status rl_emit_bound_pte(struct rl_context *context, struct rl_arena *arena, const struct rl_graph *graph,
                                 const struct rl_memory_plan *plan, struct rl_emitted *emitted);

#endif
