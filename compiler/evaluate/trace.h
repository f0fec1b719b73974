// SPDX-License-Identifier: Apache-2.0
//
// The calls of a program in its file, and the node of a model that each of them computes.
//
// A .pte does not name its values. The model is therefore compiled once more, and the calls of the program are matched
// with the nodes of that compilation: the same operator, a result of the same sizes, and the same weights, in the same
// order. Every value of the second compilation has the name of the model's value that it represents.
#ifndef RL_COMPILER_EVALUATE_TRACE_H
#define RL_COMPILER_EVALUATE_TRACE_H

#include "compiler/ir/graph.h"
#include "compiler/options.h"
#include "compiler/passes/dropped.h"
#include "compiler/passes/rewrite/match.h"
#include "compiler/support/name_map.h"
#include "format/pte_reader.h"
#include "rushlight/runtime.h"

// One call of the program.
struct rl_traced_call {
    const struct rl_op *op;
    struct rl_fb_vector arguments; // indices of values, in schema order, the results after them
    uint32_t instruction;
};

struct rl_trace {
    struct rl_arena *arena;
    const struct rl_pte *pte;
    const struct rl_pte_plan *plan;
    struct rl_traced_call *calls;
    int count;
};

// The calls of known operators of a verified method.
void rl_trace_read(struct rl_arena *arena, const struct rl_method *method, struct rl_trace *trace);

// The tensor that a call's argument holds. False when it is not a tensor.
bool rl_traced_tensor(const struct rl_trace *trace, const struct rl_traced_call *call, int argument,
                      struct rl_pte_tensor *tensor);

// The bytes of a tensor that is a constant of the file, and their number at most. NULL if it is not a constant.
const uint8_t *rl_traced_constant(const struct rl_trace *trace, const struct rl_pte_tensor *tensor, size_t *bytes);

// An argument, by its schema name, as numbers: one number, a list, or the items of a constant of int16 or int32.
// Returns their number; 0 if the schema has no such argument, or if it is of another kind.
size_t rl_traced_numbers(const struct rl_trace *trace, const struct rl_traced_call *call, const char *name,
                         const double **numbers);

// The same for a node of a graph.
size_t rl_node_numbers(struct rl_arena *arena, const struct rl_node *node, const char *name, const double **numbers);

// Whether a channel of the node's weights has nothing but zeros. Then its weight scale may depend on the calibration
// data: it makes room for the bias (quantize/sums.h).
bool rl_is_empty_channel(const struct rl_node *node, size_t channel, size_t channels);

// The model, compiled like the program.
struct rl_retraced {
    struct rl_graph *graph;
    const struct rl_dropped_channels *dropped; // NULL if no channels were dropped
    const struct rl_node **nodes;              // one an instruction
    int count;
    struct rl_name_map grids; // by the name of a value: struct rl_grid on which it was quantized
    int *calls;               // by node: the call that computes the same; -1: none
    int matched;              // the number of nodes that have one
};

// Compiles the model as the program may have been compiled, in the way that matches the most calls. `fixed` has the
// model, the sizes of its inputs, the type of the program's inputs and outputs, and samples in place of the calibration
// data, which is not known. Few of them are used, because names and order depend on none. Nothing is logged. It
// fails if the model can no longer be read, or if memory ends.
enum rl_status rl_retrace(struct rl_context *context, const struct rl_trace *trace,
                          const struct rl_compile_options *fixed, struct rl_retraced *result);

#endif
