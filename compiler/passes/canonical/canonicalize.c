// SPDX-License-Identifier: Apache-2.0
//
// canonicalize: equivalent operators become one canonical form, so that later passes match only that.
//   needs   functional operators (functionalize)
//   keeps   names and values; every node has one node in its place
//   breaks  nothing
//
//   flatten, view, reshape, unsqueeze, squeeze, ...   view_copy to the sizes that the result has
//   permute, transpose, t, mT, ...                    permute_copy
//   relu6, clamp_min, clamp_max, rrelu                hardtanh(0, 6), clamp, leaky_relu
//   softmax.int                                       _softmax
//   instance_norm of recorded statistics              batch_norm
//   pad(mode="constant")                              constant_pad_nd
//   contiguous, clone, to, copy (of the same type)    dim_order_clone
#include "compiler/passes/passes.h"

#include <string.h>

#include "compiler/passes/rewrite/rewrite.h"

static void become_view(struct rl_graph *graph, struct rl_node *node)
{
    const struct rl_tensor_type *type = &node->results[0]->type;
    const struct rl_arg self = node->args[0];
    rl_node_become(graph, node, RL_OP_aten_view_copy);
    rl_node_set(node, "self", self);
    rl_node_set(node, "size", rl_arg_ints(graph->arena, type->sizes, type->rank));
}

static void become_permutation(struct rl_graph *graph, struct rl_node *node, const int64_t *dims)
{
    const struct rl_arg self = node->args[0];
    rl_node_become(graph, node, RL_OP_aten_permute_copy);
    rl_node_set(node, "self", self);
    rl_node_set(node, "dims", rl_arg_ints(graph->arena, dims, node->results[0]->type.rank));
}

static enum rl_status wrong_dims(struct rl_context *context, const struct rl_graph *graph, const struct rl_node *node)
{
    return rl_fail(context, RL_ERROR_FORMAT, "%s: node '%s' (%s): expected dimensions within rank %d, each once",
                   graph->source, node->name, rl_op_get(node->op)->name, node->results[0]->type.rank);
}

// Whether the result has the dimensions of the input, so that one permutes the other.
static bool has_same_rank(const struct rl_node *node)
{
    return node->args[0].as.value->type.rank == node->results[0]->type.rank;
}

static enum rl_status canonicalize_permute(struct rl_context *context, struct rl_graph *graph, struct rl_node *node)
{
    const int rank = node->results[0]->type.rank;
    const struct rl_arg *dims = rl_node_arg(node, "dims");
    int64_t normalized[RL_MAX_RANK];
    unsigned seen = 0;
    for (int i = 0; i < dims->count && i < rank; i++) {
        const int dim = rl_dim_normalized(dims->as.integers[i], rank);
        normalized[i] = dim;
        seen |= dim < 0 ? 0 : 1u << dim;
    }
    if (!has_same_rank(node) || dims->count != rank || seen != (1u << rank) - 1u) {
        return wrong_dims(context, graph, node);
    }
    become_permutation(graph, node, normalized);
    return RL_OK;
}

static enum rl_status exchange(struct rl_context *context, struct rl_graph *graph, struct rl_node *node, int64_t one,
                               int64_t other)
{
    const int rank = node->results[0]->type.rank;
    const int first = rl_dim_normalized(one, rank), second = rl_dim_normalized(other, rank);
    if (!has_same_rank(node) || (rank > 0 && (first < 0 || second < 0))) {
        return wrong_dims(context, graph, node);
    }
    int64_t dims[RL_MAX_RANK];
    for (int i = 0; i < rank; i++) {
        dims[i] = i;
    }
    if (rank > 0) {
        dims[first] = second;
        dims[second] = first;
    }
    become_permutation(graph, node, dims);
    return RL_OK;
}

static enum rl_status canonicalize_reversal(struct rl_context *context, struct rl_graph *graph, struct rl_node *node)
{
    const int rank = node->results[0]->type.rank;
    if (!has_same_rank(node)) {
        return wrong_dims(context, graph, node);
    }
    int64_t dims[RL_MAX_RANK];
    for (int i = 0; i < rank; i++) {
        dims[i] = rank - 1 - i;
    }
    become_permutation(graph, node, dims);
    return RL_OK;
}

static void canonicalize_relu6(struct rl_graph *graph, struct rl_node *node)
{
    const struct rl_arg self = node->args[0];
    rl_node_become(graph, node, RL_OP_aten_hardtanh);
    rl_node_set(node, "self", self);
    rl_node_set(node, "min_val", rl_arg_double(0.0));
    rl_node_set(node, "max_val", rl_arg_double(6.0));
}

// Outside of training, the slope is the middle of its bounds.
static void canonicalize_rrelu(struct rl_graph *graph, struct rl_node *node)
{
    const struct rl_arg self = node->args[0];
    const double slope = (rl_node_number(node, "lower") + rl_node_number(node, "upper")) / 2.0;
    if (rl_node_bool(node, "training")) {
        rl_decline(graph, node, "random slopes; export the model after eval()");
        return;
    }
    rl_node_become(graph, node, RL_OP_aten_leaky_relu);
    rl_node_set(node, "self", self);
    rl_node_set(node, "negative_slope", rl_arg_double(slope));
}

// The bound is called `min` or `max`, as it is of clamp.
static void canonicalize_one_sided_clamp(struct rl_graph *graph, struct rl_node *node)
{
    const char *side = rl_op_get(node->op)->args[1].name;
    const struct rl_arg self = node->args[0];
    const struct rl_arg limit = node->args[1];
    rl_node_become(graph, node, RL_OP_aten_clamp);
    rl_node_set(node, "self", self);
    rl_node_set(node, side, limit);
}

static void canonicalize_softmax(struct rl_graph *graph, struct rl_node *node)
{
    const struct rl_arg self = node->args[0];
    const enum rl_scalar_type from = self.as.value->type.dtype;
    const int64_t dim = rl_node_int(node, "dim");
    if (node->results[0]->type.dtype != from) {
        rl_decline(graph, node, "converts its input to another type");
        return;
    }
    rl_node_become(graph, node, RL_OP_aten_softmax);
    rl_node_set(node, "self", self);
    rl_node_set(node, "dim", rl_arg_int(dim));
    rl_node_set(node, "half_to_float", rl_arg_bool(false));
}

// With recorded statistics, instances are normalized as batches are.
static void canonicalize_instance_norm(struct rl_graph *graph, struct rl_node *node)
{
    static const char *const same[] = {"input",       "weight",   "bias", "running_mean",
                                       "running_var", "momentum", "eps",  "cudnn_enabled"};
    enum { COUNT = sizeof same / sizeof same[0] };
    struct rl_arg args[COUNT];
    if (rl_node_bool(node, "use_input_stats") || !rl_node_tensor(node, "running_mean")) {
        return;
    }
    for (int i = 0; i < COUNT; i++) {
        args[i] = *rl_node_arg(node, same[i]);
    }
    rl_node_become(graph, node, RL_OP_aten_batch_norm);
    for (int i = 0; i < COUNT; i++) {
        rl_node_set(node, same[i], args[i]);
    }
    rl_node_set(node, "training", rl_arg_bool(false));
}

// The first operand gives only its sizes and its type.
static void canonicalize_copy(struct rl_graph *graph, struct rl_node *node)
{
    struct rl_value *source = rl_node_tensor(node, "src");
    const struct rl_tensor_type *type = &node->results[0]->type;
    if (source->type.dtype == type->dtype && rl_tensor_same_sizes(&source->type, type)) {
        rl_node_become_layout_copy(graph, node, source);
    }
}

// Replaces a pad that replicates or reflects the input by the operator for its number of padded dimensions.
static bool canonicalize_pad_by_copies(struct rl_graph *graph, struct rl_node *node, const char *mode)
{
    static const enum rl_op_id pads[2][3] = {
        {RL_OP_aten_replication_pad1d, RL_OP_aten_replication_pad2d, RL_OP_aten_replication_pad3d},
        {RL_OP_aten_reflection_pad1d, RL_OP_aten_reflection_pad2d, RL_OP_aten_reflection_pad3d}};
    const struct rl_arg self = node->args[0];
    const struct rl_arg pad = *rl_node_arg(node, "pad");
    const bool reflects = strcmp(mode, "reflect") == 0;
    if ((!reflects && strcmp(mode, "replicate") != 0) || pad.count % 2 != 0 || pad.count < 2 || pad.count > 6) {
        return false;
    }
    rl_node_become(graph, node, pads[reflects ? 1 : 0][pad.count / 2 - 1]);
    rl_node_set(node, "self", self);
    rl_node_set(node, "padding", pad);
    return true;
}

static void canonicalize_pad(struct rl_graph *graph, struct rl_node *node)
{
    const char *mode = rl_node_arg(node, "mode")->as.string;
    if (strcmp(mode, "circular") == 0) {
        return; // decompose_movement handles it
    }
    if (strcmp(mode, "constant") != 0) {
        if (!canonicalize_pad_by_copies(graph, node, mode)) {
            rl_decline(graph, node, "pad mode '%s'; accepted: constant, reflect, replicate, circular", mode);
        }
        return;
    }
    const struct rl_arg self = node->args[0];
    const struct rl_arg pad = *rl_node_arg(node, "pad");
    const struct rl_arg value = *rl_node_arg(node, "value");
    rl_node_become(graph, node, RL_OP_aten_constant_pad_nd);
    rl_node_set(node, "self", self);
    rl_node_set(node, "pad", pad);
    rl_node_set(node, "value", value.kind == RL_ARG_NONE ? rl_arg_int(0) : value);
}

static void canonicalize_layout(struct rl_graph *graph, struct rl_node *node)
{
    rl_node_become_layout_copy(graph, node, node->args[0].as.value);
}

// Operators that each need a rule of their own.
static void canonicalize_alone(struct rl_graph *graph, struct rl_node *node)
{
    static const struct {
        enum rl_op_id op;
        void (*spell)(struct rl_graph *graph, struct rl_node *node);
    } spellings[] = {
        {RL_OP_aten_clamp_min, canonicalize_one_sided_clamp},
        {RL_OP_aten_clamp_max, canonicalize_one_sided_clamp},
        {RL_OP_aten_relu6, canonicalize_relu6},
        {RL_OP_aten_rrelu, canonicalize_rrelu},
        {RL_OP_aten_softmax_int, canonicalize_softmax},
        {RL_OP_aten_special_softmax, canonicalize_softmax},
        {RL_OP_aten_pad, canonicalize_pad},
        {RL_OP_aten_contiguous, canonicalize_layout},
        {RL_OP_aten_clone, canonicalize_layout},
        {RL_OP_aten_copy, canonicalize_copy},
        {RL_OP_aten_instance_norm, canonicalize_instance_norm},
    };
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        if (spellings[i].op == node->op) {
            spellings[i].spell(graph, node);
            return;
        }
    }
}

static enum rl_status canonicalize_node(struct rl_context *context, struct rl_graph *graph, struct rl_node *node)
{
    const struct rl_op *op = rl_op_get(node->op);
    switch (op->rearranges) {
    case RL_REARRANGES_RESHAPE:
        become_view(graph, node);
        return RL_OK;
    case RL_REARRANGES_PERMUTE:
        return canonicalize_permute(context, graph, node);
    case RL_REARRANGES_EXCHANGE:
        // The arguments after the tensor are the two dimensions, whatever the schema calls them.
        return exchange(context, graph, node, node->args[1].as.integer, node->args[2].as.integer);
    case RL_REARRANGES_TURN:
        return exchange(context, graph, node, -2, -1);
    case RL_REARRANGES_REVERSE:
        return canonicalize_reversal(context, graph, node);
    default:
        break;
    }
    if (op->synonym_of) {
        node->op = rl_op_id(op->synonym_of);
    } else if (op->converts && node->results[0]->type.dtype == node->args[0].as.value->type.dtype) {
        canonicalize_layout(graph, node);
    } else {
        canonicalize_alone(graph, node);
    }
    return RL_OK;
}

enum rl_status rl_pass_canonicalize(struct rl_pass *pass)
{
    enum rl_status status = RL_OK;
    for (struct rl_node *node = pass->graph->first; node && status == RL_OK; node = node->next) {
        status = canonicalize_node(pass->context, pass->graph, node);
    }
    return status;
}
