// SPDX-License-Identifier: Apache-2.0
//
// Builds expressions of operators in front of the node that they will replace. The types of the results follow from the
// operands; arguments that are not given have the schema's defaults.
#ifndef RL_COMPILER_PASSES_REWRITE_BUILD_H
#define RL_COMPILER_PASSES_REWRITE_BUILD_H

#include "compiler/ir/graph.h"

// The place of an expression: before `node`, with its origin, and with names that start with its name.
struct rl_build {
    struct rl_graph *graph;
    struct rl_node *node;
};

// A call of an operator of one result.
struct rl_value *rl_build(const struct rl_build *at, enum rl_op_id op, const struct rl_tensor_type *type,
                          const struct rl_arg *args, int count);

// The node itself becomes this call: the end of an expression. Its first result keeps name and type.
void rl_build_end(const struct rl_build *at, enum rl_op_id op, const struct rl_arg *args, int count);

// The node's first result is replaced by a view of `value` with the same sizes as the result.
void rl_build_end_view(const struct rl_build *at, struct rl_value *value);

// `value` takes the place and the name of result `index`, for nodes of several results that are removed then.
void rl_build_result(const struct rl_build *at, int index, struct rl_value *value);

// A type with the sizes to which both broadcast; the element type is that of the first, if both have one rank.
struct rl_tensor_type rl_broadcast_type(const struct rl_tensor_type *a, const struct rl_tensor_type *b);

struct rl_value *rl_build_unary(const struct rl_build *at, enum rl_op_id op, struct rl_value *self);
struct rl_value *rl_build_scalar(const struct rl_build *at, enum rl_op_id op, struct rl_value *self, double number);
struct rl_value *rl_build_binary(const struct rl_build *at, enum rl_op_id op, struct rl_value *self,
                                 struct rl_value *other); // broadcast
struct rl_value *rl_build_truth(const struct rl_build *at, enum rl_op_id op, struct rl_value *self,
                                struct rl_arg other); // a comparison with a number or a tensor, or a test (no `other`)
struct rl_value *rl_build_hardtanh(const struct rl_build *at, struct rl_value *self, double min, double max);
struct rl_value *rl_build_view(const struct rl_build *at, struct rl_value *self, int rank, const int64_t *sizes);
struct rl_value *rl_build_flat(const struct rl_build *at, struct rl_value *self); // a view of one dimension
struct rl_value *rl_build_permute(const struct rl_build *at, struct rl_value *self, const int64_t *dims);
struct rl_value *rl_build_slice(const struct rl_build *at, struct rl_value *self, int dim, int64_t start, int64_t end);
struct rl_value *rl_build_expand(const struct rl_build *at, struct rl_value *self, int rank, const int64_t *sizes);
struct rl_value *rl_build_cat(const struct rl_build *at, struct rl_value *const *values, int count, int dim);
struct rl_value *rl_build_linear(const struct rl_build *at, struct rl_value *self, struct rl_value *weight,
                                 struct rl_value *bias);

// What `like`, a dequantize node, makes of these integers.
struct rl_value *rl_build_dequantize(const struct rl_build *at, const struct rl_node *like, struct rl_value *integers);

// A product of matrices, or of equal batches of them: mm, bmm, matmul; mul of columns with rows.
struct rl_value *rl_build_product(const struct rl_build *at, enum rl_op_id op, struct rl_value *self,
                                  struct rl_value *other);

// A reduction over one dimension or several, which stay with size 1: mean, sum, amax, amin.
struct rl_value *rl_build_reduce(const struct rl_build *at, enum rl_op_id op, struct rl_value *self,
                                 const int64_t *dims, int count);

// A float constant of these sizes, every element `number`.
struct rl_value *rl_build_constant(const struct rl_build *at, int rank, const int64_t *sizes, double number);

// The weights [inputs, outputs / groups, ...] of a transposed convolution, constant floats, like those of the
// convolution that computes the same of an input with zeros between its elements: turned, with the channels of a group
// exchanged.
struct rl_value *rl_build_turned(const struct rl_build *at, const struct rl_value *weight, int64_t groups);

// Writes a number as an element; false for types without constants here. An integer must fit int64_t.
bool rl_store_number(unsigned char *to, enum rl_scalar_type dtype, double number);

#endif
