// SPDX-License-Identifier: Apache-2.0
//
// decompose_reduction: reductions and norms become sums, means and maxima over given dimensions, and native layer
// norms.
//   needs   canonical operators; quantized operators are lowered
//   keeps   values up to rounding; the names of the results
//   breaks  nothing
//
//   sum of all                      the same over all dimensions
//   all                             not any(not x)
//   std                             root of var
//   aminmax                         amin and amax
//   logsumexp                       m + log(sum(exp(x - m))) with m = amax(x)
//   norm                            order p: the p-th root of the sum of powers of sizes. 1: their sum. 2: the root of
//                                   the sum of squares. Infinity: the largest or least size. 0: how many are not 0
//   group_norm, instance_norm       layer_norm of each group, then weight and bias of each channel
//   rms_norm                        x * rsqrt(mean(x * x) + eps) * weight
#include "compiler/passes/passes.h"

#include <float.h>
#include <math.h>

#include "compiler/passes/portable/norm.h"
#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"

static struct rl_value *self_of(const struct rl_node *node)
{
    return node->args[0].as.value;
}

// The dimensions that the node reduces, counted from 0: those of `arg`, or all without one.
static int dims_of(const struct rl_node *node, const struct rl_arg *arg, int64_t *dims)
{
    const int rank = self_of(node)->type.rank;
    const int count = !arg || arg->kind != RL_ARG_INTS ? 0 : arg->count;
    for (int i = 0; i < count && i < rank; i++) {
        dims[i] = rl_dim_normalized(arg->as.integers[i], rank);
        if (dims[i] < 0) {
            return -1;
        }
    }
    if (count > rank) {
        return -1;
    }
    for (int i = 0; count == 0 && i < rank; i++) {
        dims[i] = i;
    }
    return count == 0 ? rank : count;
}

static bool decline_dims(struct rl_graph *graph, struct rl_node *node)
{
    return rl_decline(graph, node, "a dimension out of range");
}

static bool sum_all(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    const struct rl_arg args[] = {node->args[0], rl_arg_ints(pass->graph->arena, NULL, 0), rl_arg_bool(false),
                                  *rl_node_arg(node, "dtype")};
    rl_build_end(&at, RL_OP_aten_sum_dim_intlist, args, 4);
    return true;
}

static enum rl_op_id any_for(enum rl_op_id all)
{
    switch (all) {
    case RL_OP_aten_all:
        return RL_OP_aten_any;
    case RL_OP_aten_all_dim:
        return RL_OP_aten_any_dim;
    default:
        return RL_OP_aten_any_dims;
    }
}

// All are true if none is false.
static bool decompose_all(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_tensor_type truth = self_of(node)->type;
    truth.dtype = RL_BOOL;
    const struct rl_arg self = node->args[0];
    struct rl_arg args[3] = {rl_arg_value(rl_build(&at, RL_OP_aten_logical_not, &truth, &self, 1))};
    for (int i = 1; i < node->arg_count; i++) {
        args[i] = node->args[i];
    }
    truth = node->results[0]->type;
    truth.dtype = RL_BOOL;
    const struct rl_arg result = rl_arg_value(rl_build(&at, any_for(node->op), &truth, args, node->arg_count));
    rl_build_end(&at, RL_OP_aten_logical_not, &result, 1);
    return true;
}

static bool decompose_aminmax(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_build at = {graph, node};
    static const enum rl_op_id ops[] = {RL_OP_aten_amin, RL_OP_aten_amax};
    const struct rl_arg *arg = rl_node_arg(node, "dim");
    const int rank = self_of(node)->type.rank;
    int64_t dim = 0;
    if (arg->kind == RL_ARG_INT && rank > 0) {
        dim = rl_dim_normalized(arg->as.integer, rank);
    }
    if (dim < 0) {
        return decline_dims(graph, node);
    }
    const struct rl_arg dims = rl_arg_ints(graph->arena, &dim, arg->kind == RL_ARG_INT && rank > 0);
    const struct rl_arg args[] = {node->args[0], dims, *rl_node_arg(node, "keepdim")};
    for (int i = 0; i < 2; i++) {
        rl_build_result(&at, i, rl_build(&at, ops[i], &node->results[i]->type, args, 3));
    }
    rl_graph_remove(graph, node);
    return true;
}

// A variance in the form of ExecuTorch's kernels, or its root.
static bool lower_variance(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    const bool is_all = node->op == RL_OP_aten_var || node->op == RL_OP_aten_std;
    const bool is_unbiased = is_all || node->op == RL_OP_aten_std_dim;
    const bool is_root = node->op != RL_OP_aten_var;
    const enum rl_op_id op = is_unbiased ? RL_OP_aten_var_dim : RL_OP_aten_var_correction;
    const struct rl_arg all[] = {node->args[0], rl_arg_ints(pass->graph->arena, NULL, 0), node->args[1],
                                 rl_arg_bool(false)};
    const struct rl_arg *args = is_all ? all : node->args;
    if (!is_root) {
        rl_build_end(&at, op, args, 4);
        return true;
    }
    const struct rl_arg variance = rl_arg_value(rl_build(&at, op, &node->results[0]->type, args, 4));
    rl_build_end(&at, RL_OP_aten_sqrt, &variance, 1);
    return true;
}

static bool lower_var_mean(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    const struct rl_arg args[] = {node->args[0], node->args[1], rl_arg_int(rl_node_bool(node, "unbiased")),
                                  node->args[3]};
    rl_build_end(&at, RL_OP_aten_var_mean_correction, args, 4);
    return true;
}

bool rl_decompose_logsumexp(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    int64_t dims[RL_MAX_RANK];
    struct rl_value *x = self_of(node);
    const int count = dims_of(node, rl_node_arg(node, "dim"), dims);
    if (count < 0) {
        return decline_dims(pass->graph, node);
    }
    struct rl_value *largest = rl_build_reduce(&at, RL_OP_aten_amax, x, dims, count);
    struct rl_value *terms =
        rl_build_unary(&at, RL_OP_aten_exp, rl_build_binary(&at, RL_OP_aten_sub_tensor, x, largest));
    struct rl_value *sum = rl_build_reduce(&at, RL_OP_aten_sum_dim_intlist, terms, dims, count);
    rl_build_end_view(&at, rl_build_binary(&at, RL_OP_aten_add, largest, rl_build_unary(&at, RL_OP_aten_log, sum)));
    return true;
}

bool rl_decompose_norm(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_build at = {graph, node};
    int64_t dims[RL_MAX_RANK];
    struct rl_value *x = self_of(node);
    const int count = dims_of(node, rl_node_arg(node, "dim"), dims);
    const double order =
        node->args[1].kind == RL_ARG_NONE ? 2.0 : rl_node_number(node, rl_op_get(node->op)->args[1].name);
    if (count < 0) {
        return decline_dims(graph, node);
    }
    if (order == 1.0) {
        struct rl_value *size = rl_build_unary(&at, RL_OP_aten_abs, x);
        rl_build_end_view(&at, rl_build_reduce(&at, RL_OP_aten_sum_dim_intlist, size, dims, count));
        return true;
    }
    if (isinf(order)) {
        const enum rl_op_id op = order > 0.0 ? RL_OP_aten_amax : RL_OP_aten_amin;
        rl_build_end_view(&at, rl_build_reduce(&at, op, rl_build_unary(&at, RL_OP_aten_abs, x), dims, count));
        return true;
    }
    if (order == 0.0) {
        struct rl_value *other = rl_build_truth(&at, RL_OP_aten_ne_scalar, x, rl_arg_int(0));
        const struct rl_arg truth = rl_arg_value(other);
        struct rl_value *counted = rl_build(&at, RL_OP_aten_to_copy_internal, &x->type, &truth, 1);
        rl_build_end_view(&at, rl_build_reduce(&at, RL_OP_aten_sum_dim_intlist, counted, dims, count));
        return true;
    }
    if (order != 2.0) {
        struct rl_value *power = rl_build_unary(&at, RL_OP_aten_abs, x);
        power = rl_build_scalar(&at, RL_OP_aten_pow_tensor_scalar, power, order);
        power = rl_build_reduce(&at, RL_OP_aten_sum_dim_intlist, power, dims, count);
        rl_build_end_view(&at, rl_build_scalar(&at, RL_OP_aten_pow_tensor_scalar, power, 1.0 / order));
        return true;
    }
    struct rl_value *square = rl_build_binary(&at, RL_OP_aten_mul, x, x);
    struct rl_value *sum = rl_build_reduce(&at, RL_OP_aten_sum_dim_intlist, square, dims, count);
    rl_build_end_view(&at, rl_build_unary(&at, RL_OP_aten_sqrt, sum));
    return true;
}

static struct rl_value *along_channels(const struct rl_build *at, struct rl_value *vector, int rank)
{
    int64_t sizes[RL_MAX_RANK];
    for (int d = 0; d < rank; d++) {
        sizes[d] = d == 1 ? rl_tensor_numel(&vector->type) : 1;
    }
    return rl_build_view(at, vector, rank, sizes);
}

static bool normalize_groups(struct rl_graph *graph, struct rl_node *node, int64_t groups)
{
    const struct rl_build at = {graph, node};
    struct rl_value *x = rl_node_tensor(node, "input");
    const struct rl_tensor_type *type = &x->type;
    struct rl_value *weight = rl_node_tensor(node, "weight");
    struct rl_value *bias = rl_node_tensor(node, "bias");
    if (type->rank < 2 || groups < 1 || type->sizes[0] < 1 || type->sizes[1] % groups != 0 ||
        rl_tensor_numel(type) == 0) {
        return rl_decline(graph, node, "channels that %lld groups do not divide", (long long)groups);
    }
    const int64_t rows[3] = {type->sizes[0], groups, rl_tensor_numel(type) / (type->sizes[0] * groups)};
    struct rl_value *flat = rl_build_view(&at, x, 3, rows);
    const struct rl_arg args[] = {rl_arg_value(flat), rl_arg_ints(graph->arena, &rows[2], 1), rl_arg_value(NULL),
                                  rl_arg_value(NULL), rl_arg_double(rl_node_number(node, "eps"))};
    struct rl_value *result = rl_build(&at, RL_OP_aten_layer_norm, &flat->type, args, 5);
    result = rl_build_view(&at, result, type->rank, type->sizes);
    if (weight) {
        result = rl_build_binary(&at, RL_OP_aten_mul, result, along_channels(&at, weight, type->rank));
    }
    if (bias) {
        result = rl_build_binary(&at, RL_OP_aten_add, result, along_channels(&at, bias, type->rank));
    }
    rl_build_end_view(&at, result);
    return true;
}

static bool decompose_group_norm(const struct rl_pass *pass, struct rl_node *node)
{
    return normalize_groups(pass->graph, node, rl_node_int(node, "num_groups"));
}

static bool decompose_instance_norm(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_tensor_type *type = &rl_node_tensor(node, "input")->type;
    if (!rl_node_bool(node, "use_input_stats")) {
        return rl_decline(pass->graph, node, "instance norm with recorded statistics");
    }
    return normalize_groups(pass->graph, node, type->rank < 2 ? 0 : type->sizes[1]);
}

static bool decompose_rms_norm(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *x = rl_node_tensor(node, "input");
    struct rl_value *weight = rl_node_tensor(node, "weight");
    const int count = rl_node_arg(node, "normalized_shape")->count;
    int64_t dims[RL_MAX_RANK];
    if (count > x->type.rank || count < 1) {
        return decline_dims(pass->graph, node);
    }
    for (int i = 0; i < count; i++) {
        dims[i] = x->type.rank - count + i;
    }
    const double eps =
        rl_node_arg(node, "eps")->kind == RL_ARG_NONE ? (double)FLT_EPSILON : rl_node_number(node, "eps");
    struct rl_value *square = rl_build_binary(&at, RL_OP_aten_mul, x, x);
    struct rl_value *mean = rl_build_reduce(&at, RL_OP_aten_mean, square, dims, count);
    struct rl_value *scale =
        rl_build_unary(&at, RL_OP_aten_rsqrt, rl_build_scalar(&at, RL_OP_aten_add_scalar, mean, eps));
    struct rl_value *result = rl_build_binary(&at, RL_OP_aten_mul, x, scale);
    if (weight) {
        result = rl_build_binary(&at, RL_OP_aten_mul, result, weight);
    }
    rl_build_end_view(&at, result);
    return true;
}

enum rl_status rl_pass_decompose_reduction(struct rl_pass *pass)
{
    static const struct rl_lowering table[] = {
        {RL_OP_aten_sum, sum_all},
        {RL_OP_aten_all, decompose_all},
        {RL_OP_aten_all_dim, decompose_all},
        {RL_OP_aten_all_dims, decompose_all},
        {RL_OP_aten_aminmax, decompose_aminmax},
        {RL_OP_aten_var, lower_variance},
        {RL_OP_aten_std, lower_variance},
        {RL_OP_aten_std_dim, lower_variance},
        {RL_OP_aten_std_correction, lower_variance},
        {RL_OP_aten_var_mean_dim, lower_var_mean},
        {RL_OP_aten_logsumexp, rl_decompose_logsumexp},
        {RL_OP_aten_norm_scalaropt_dim, rl_decompose_norm},
        {RL_OP_aten_linalg_vector_norm, rl_decompose_norm},
        {RL_OP_aten_group_norm, decompose_group_norm},
        {RL_OP_aten_instance_norm, decompose_instance_norm},
        {RL_OP_aten_rms_norm, decompose_rms_norm},
    };
    rl_lower_table(pass, table, sizeof table / sizeof table[0]);
    return RL_OK;
}
