// SPDX-License-Identifier: Apache-2.0
//
// Steps on a graph that most passes use.
#ifndef RL_COMPILER_PASSES_REWRITE_REWRITE_H
#define RL_COMPILER_PASSES_REWRITE_REWRITE_H

#include <stddef.h>

#include "compiler/passes/pass.h"

// Turns a node into a call of another operator with as many results. Name, origin, layer and results stay; every
// argument is RL_ARG_NONE and has to be set again.
void rl_node_become(struct rl_graph *graph, struct rl_node *node, enum rl_op_id op);

// Sets an argument by its schema name.
void rl_node_set(struct rl_node *node, const char *name, struct rl_arg arg);

// Appends a result called after the node, for operators that return more than the graph uses.
void rl_node_append_result(struct rl_graph *graph, struct rl_node *node, const char *suffix,
                           const struct rl_tensor_type *type);

// A node of one result called `name` (made unique if taken) before `before`, with the origin and layer of
// `like`.
struct rl_node *rl_insert_before(struct rl_graph *graph, struct rl_node *before, enum rl_op_id op, const char *name,
                                 const struct rl_node *like, const struct rl_tensor_type *type);

// Turns a node into a copy of `value` with the layout of its result.
void rl_node_become_layout_copy(struct rl_graph *graph, struct rl_node *node, struct rl_value *value);

// Uses `value` wherever the only result of `node` was used and removes the node. An output of the graph keeps its
// layout: if `value` has another one, the node becomes a copy between layouts instead. Returns the node that followed.
struct rl_node *rl_replace_node(struct rl_graph *graph, struct rl_node *node, struct rl_value *value);

// Notes why a node stays in floating point; the first reason is kept. Returns false, so that a match can end with it.
bool rl_decline(struct rl_graph *graph, struct rl_node *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Whether the model came with quantize and dequantize nodes, which another quantizer chose.
bool rl_is_imported(const struct rl_pass *pass);

// Whether operators of rushlight:: may stand for a node: not in programs for ExecuTorch, which lacks them, nor with
// `--quantizer stock`, which does what the stock flow does. Declines the node otherwise.
bool rl_may_use_rushlight(const struct rl_pass *pass, struct rl_node *node);

// Declines a layer whose weights are floats, because the quantizer left it out. True when its weights may be quantized.
bool rl_has_quantized_weights(const struct rl_pass *pass, struct rl_node *node);

// Element `index` of a constant, counted in row-major order of its logical sizes, whatever its layout.
int64_t rl_constant_offset(const struct rl_value *constant, int64_t index);

// A contiguous constant whose dimension i is dimension dims[i] of `constant`.
struct rl_value *rl_constant_permuted(struct rl_graph *graph, const struct rl_value *constant, const int *dims,
                                      const char *name);

// What a variance or standard deviation takes off the number of its values: 1 unless the node says otherwise.
double rl_variance_correction(const struct rl_node *node);

// A dimension as PyTorch counts it (negative from the end) as 0..rank-1; -1 when it is out of range.
int rl_dim_normalized(int64_t dim, int rank);

// Makes a node a call of the form that a .pte has (RUNS_AS in rushlight/ops.def); the arguments are the same. False
// when there is none.
bool rl_lower_to_form(const struct rl_pass *pass, struct rl_node *node);

// The nodes that call an operator now, from first to last. Memory comes from the graph's arena.
struct rl_node **rl_graph_calls(struct rl_graph *graph, enum rl_op_id op, size_t *count);

// Lowers each node that calls this operator now, from first to last. Removes the nodes and constants left unused.
// `lower` may insert nodes and remove its own and nodes of other operators; it returns whether it changed anything.
typedef bool rl_lower(const struct rl_pass *pass, struct rl_node *node);
void rl_lower_each(const struct rl_pass *pass, enum rl_op_id op, rl_lower *lower);

// The same for several operators, one after another.
struct rl_lowering {
    enum rl_op_id op;
    rl_lower *lower;
};
void rl_lower_table(const struct rl_pass *pass, const struct rl_lowering *table, size_t count);

#endif
