// SPDX-License-Identifier: Apache-2.0
//
// decompose_ranking: medians and other values by rank become topk, and running maxima become maxima.
//   needs   canonical operators; quantized operators are lowered
//   keeps   values, exactly; the names of the results
//   breaks  nothing
//
//   kthvalue         the last of the k smallest (topk)
//   median           the same with k half of the number of elements, rounded up; NaN where any element is NaN
//   cummax, cummin   maxima of the tensor and itself shifted by 1, 2, 4, ... elements; only if indices are not used
#include "compiler/passes/passes.h"

#include "compiler/passes/portable/portable_forms.h"
#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"

// The k-th smallest element along a dimension, counted from 1. The dimension stays with size 1.
static struct rl_value *ranked(const struct rl_build *at, struct rl_value *x, int dim, int64_t k,
                               struct rl_value **index)
{
    struct rl_tensor_type type = rl_tensor_type_make(x->type.dtype, x->type.rank, x->type.sizes);
    type.sizes[dim] = k;
    const struct rl_arg args[] = {rl_arg_value(x), rl_arg_int(k), rl_arg_int(dim), rl_arg_bool(false),
                                  rl_arg_bool(true)};
    struct rl_value *values = rl_build(at, RL_OP_aten_topk, &type, args, 5);
    type.dtype = RL_INT64;
    rl_node_append_result(at->graph, values->producer, "indices", &type);
    *index = rl_build_slice(at, values->producer->results[1], dim, k - 1, k);
    return rl_build_slice(at, values, dim, k - 1, k);
}

// The dimension of the node's argument; -1 when it is out of range or empty.
static int dim_of(const struct rl_node *node, const struct rl_value *x)
{
    const int dim = rl_dim_normalized(rl_node_int(node, "dim"), x->type.rank);
    return dim < 0 || x->type.sizes[dim] < 1 ? -1 : dim;
}

static bool decline_dim(struct rl_graph *graph, struct rl_node *node)
{
    return rl_decline(graph, node, "a dimension that is out of range, or has no elements");
}

static bool is_used(const struct rl_graph *graph, const struct rl_value *value)
{
    return rl_value_use_count(graph, value) > 0;
}

static struct rl_value *shaped(const struct rl_build *at, struct rl_value *value, int index)
{
    const struct rl_tensor_type *type = &at->node->results[index]->type;
    return rl_build_view(at, value, type->rank, type->sizes);
}

static bool decompose_kthvalue(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_build at = {graph, node};
    struct rl_value *x = node->args[0].as.value, *index;
    const int dim = dim_of(node, x);
    const int64_t k = rl_node_int(node, "k");
    if (dim < 0) {
        return decline_dim(graph, node);
    }
    if (k < 1 || k > x->type.sizes[dim]) {
        return rl_decline(graph, node, "number %lld of %lld elements", (long long)k, (long long)x->type.sizes[dim]);
    }
    rl_build_result(&at, 0, shaped(&at, ranked(&at, x, dim, k, &index), 0));
    rl_build_result(&at, 1, shaped(&at, index, 1));
    rl_graph_remove(graph, node);
    return true;
}

static bool decompose_median(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_build at = {graph, node};
    const bool is_all = node->op == RL_OP_aten_median;
    struct rl_value *x = node->args[0].as.value, *index;
    const int64_t count = rl_tensor_numel(&x->type);
    if (is_all) {
        x = rl_build_view(&at, x, 1, &count);
    } else if (is_used(graph, node->results[1])) {
        return rl_decline(graph, node, "places of medians; accepted: their values");
    }
    const int dim = is_all ? 0 : dim_of(node, x);
    if (dim < 0 || x->type.sizes[dim] < 1) {
        return decline_dim(graph, node);
    }
    struct rl_value *median = ranked(&at, x, dim, (x->type.sizes[dim] + 1) / 2, &index);
    if (x->type.dtype == RL_FLOAT32 || x->type.dtype == RL_FLOAT64) {
        const int64_t dims[1] = {dim};
        struct rl_value *largest = rl_build_reduce(&at, RL_OP_aten_amax, x, dims, 1); // NaN if there is one
        struct rl_tensor_type truth = largest->type;
        truth.dtype = RL_BOOL;
        const struct rl_arg itself[] = {rl_arg_value(largest), rl_arg_value(largest)};
        struct rl_value *is_nan = rl_build(&at, RL_OP_aten_ne_tensor, &truth, itself, 2);
        const struct rl_arg args[] = {rl_arg_value(is_nan), rl_arg_value(largest), rl_arg_value(median)};
        median = rl_build(&at, RL_OP_aten_where_self, &median->type, args, 3);
    }
    rl_build_result(&at, 0, shaped(&at, median, 0));
    rl_graph_remove(graph, node);
    return true;
}

static bool decompose_running(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_build at = {graph, node};
    const enum rl_op_id op = node->op == RL_OP_aten_cummax ? RL_OP_aten_maximum : RL_OP_aten_minimum;
    struct rl_value *value = node->args[0].as.value;
    const int dim = dim_of(node, value);
    if (dim < 0) {
        return decline_dim(graph, node);
    }
    if (is_used(graph, node->results[1])) {
        return rl_decline(graph, node, "places of running maxima or minima; accepted: their values");
    }
    const int64_t size = value->type.sizes[dim];
    for (int64_t step = 1; step < size; step *= 2) {
        struct rl_value *moved = rl_build_slice(&at, value, dim, 0, size - step);
        struct rl_value *parts[2];
        parts[0] = rl_build_slice(&at, value, dim, 0, step);
        parts[1] = rl_build_binary(&at, op, rl_build_slice(&at, value, dim, step, size), moved);
        value = rl_build_cat(&at, parts, 2, dim);
    }
    rl_build_result(&at, 0, shaped(&at, value, 0));
    rl_graph_remove(graph, node);
    return true;
}

enum rl_status rl_pass_decompose_ranking(struct rl_pass *pass)
{
    static const struct rl_lowering table[] = {
        {RL_OP_aten_kthvalue, decompose_kthvalue}, {RL_OP_aten_median, decompose_median},
        {RL_OP_aten_median_dim, decompose_median}, {RL_OP_aten_cummax, decompose_running},
        {RL_OP_aten_cummin, decompose_running},
    };
    rl_lower_table(pass, table, sizeof table / sizeof table[0]);
    return RL_OK;
}
