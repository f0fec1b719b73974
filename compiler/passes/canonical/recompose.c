// SPDX-License-Identifier: Apache-2.0
//
// recompose: operators of the Core ATen set become the layers that they were before the model's author called
// run_decompositions(), so that all later passes know one form of each layer.
//   needs   functional operators (functionalize)
//   keeps   values up to rounding; the names of the results
//   breaks  nothing
//
//   convolution                               conv1d, conv2d, conv_transpose1d, conv_transpose2d
//   addmm(b, x, w), mm(x, w)                  linear, if w is a constant, transposed or not
//   _native_batch_norm_legit_no_training      batch_norm
//   native_layer_norm                         layer_norm         (norms: if mean and deviation are not used, and the
//   native_group_norm                         group_norm          quantizer `best` may take them)
//   _native_batch_norm_legit of one image     instance_norm
//   max_pool2d_with_indices                   max_pool2d, if the indices are not used
#include "compiler/passes/passes.h"

#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"

static bool recompose_convolution(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    const struct rl_node old = *node;
    const int rank = rl_node_tensor(node, "weight")->type.rank;
    const struct rl_arg *arg = old.args; // input, weight, bias, stride, padding, dilation, transposed, ...
    if (rank != 3 && rank != 4) {
        return false;
    }
    if (rl_node_bool(node, "transposed")) {
        const struct rl_arg args[] = {arg[0], arg[1], arg[2], arg[3], arg[4], arg[7], arg[8], arg[5]};
        rl_build_end(&at, rank == 3 ? RL_OP_aten_conv_transpose1d : RL_OP_aten_conv_transpose2d_input, args, 8);
        return true;
    }
    const struct rl_arg args[] = {arg[0], arg[1], arg[2], arg[3], arg[4], arg[5], arg[8]};
    rl_build_end(&at, rank == 3 ? RL_OP_aten_conv1d : RL_OP_aten_conv2d, args, 7);
    return true;
}

static bool turns_matrix(const struct rl_node *node)
{
    switch (node->op) {
    case RL_OP_aten_t:
    case RL_OP_aten_t_copy:
        return true;
    case RL_OP_aten_transpose:
    case RL_OP_aten_transpose_copy_int:
        return rl_dim_normalized(node->args[1].as.integer, 2) != rl_dim_normalized(node->args[2].as.integer, 2);
    case RL_OP_aten_permute:
    case RL_OP_aten_permute_copy: {
        const struct rl_arg *dims = rl_node_arg(node, "dims");
        return dims->count == 2 && rl_dim_normalized(dims->as.integers[0], 2) == 1 &&
               rl_dim_normalized(dims->as.integers[1], 2) == 0;
    }
    default:
        return false;
    }
}

// The constant [columns, rows] whose transpose is the matrix [rows, columns], dequantized or not; NULL when there is
// none.
static struct rl_value *weights_of(struct rl_graph *graph, const struct rl_value *matrix)
{
    static const int swap[2] = {1, 0};
    if (matrix->type.rank != 2) {
        return NULL;
    }
    if (matrix->kind == RL_VALUE_CONSTANT) {
        return rl_constant_permuted(graph, matrix, swap, matrix->name);
    }
    if (matrix->kind != RL_VALUE_RESULT || !turns_matrix(matrix->producer)) {
        return NULL;
    }
    struct rl_value *weights = matrix->producer->args[0].as.value;
    const bool is_dequantized = weights->kind == RL_VALUE_RESULT &&
                                weights->producer->op == RL_OP_qd_dequantize_per_tensor &&
                                weights->producer->args[0].as.value->kind == RL_VALUE_CONSTANT;
    return weights->type.rank == 2 && (weights->kind == RL_VALUE_CONSTANT || is_dequantized) ? weights : NULL;
}

static bool recompose_product(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    const bool adds = node->op == RL_OP_aten_addmm;
    struct rl_value *input = node->args[adds ? 1 : 0].as.value;
    const struct rl_value *bias = adds ? node->args[0].as.value : NULL;
    const struct rl_value *matrix = node->args[adds ? 2 : 1].as.value;
    if (adds && (bias->type.rank != 1 || matrix->type.rank != 2 || bias->type.sizes[0] != matrix->type.sizes[1] ||
                 rl_node_number(node, "alpha") != 1.0 || rl_node_number(node, "beta") != 1.0)) {
        return false;
    }
    struct rl_value *weights = input->type.rank == 2 ? weights_of(pass->graph, matrix) : NULL;
    if (!weights || input->type.sizes[1] != weights->type.sizes[1]) {
        return false;
    }
    const struct rl_arg args[] = {rl_arg_value(input), rl_arg_value(weights),
                                  adds ? node->args[0] : (struct rl_arg){.kind = RL_ARG_NONE}};
    rl_build_end(&at, RL_OP_aten_linear, args, 3);
    return true;
}

// Whether only the first result is used.
static bool has_one_result(const struct rl_graph *graph, const struct rl_node *node)
{
    for (int i = 1; i < node->result_count; i++) {
        if (rl_value_use_count(graph, node->results[i]) > 0) {
            return false;
        }
    }
    return true;
}

static bool recompose_batch_norm(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_build at = {graph, node};
    const struct rl_arg *arg = node->args; // input, weight, bias, mean, variance, momentum, eps
    if (!has_one_result(graph, node)) {
        return false;
    }
    const struct rl_arg args[] = {
        arg[0], arg[1], arg[2], arg[3], arg[4], rl_arg_bool(false), arg[5], arg[6], rl_arg_bool(false)};
    rl_build_result(&at, 0, rl_build(&at, RL_OP_aten_batch_norm, &node->results[0]->type, args, 9));
    rl_graph_remove(graph, node);
    return true;
}

// Whether a norm can run on integers. The native forms of the others have float kernels.
static bool may_quantize_norm(const struct rl_pass *pass, const struct rl_node *node)
{
    return pass->options->quantization != RL_QUANTIZE_NONE && pass->options->quantizer == RL_QUANTIZER_BEST &&
           pass->options->target.flow == RL_FLOW_RUSHLIGHT && has_one_result(pass->graph, node);
}

// The node becomes a norm of one result with these arguments.
static bool become_norm(const struct rl_pass *pass, struct rl_node *node, enum rl_op_id op, const struct rl_arg *args,
                        int count)
{
    const struct rl_build at = {pass->graph, node};
    rl_build_result(&at, 0, rl_build(&at, op, &node->results[0]->type, args, count));
    rl_graph_remove(pass->graph, node);
    return true;
}

static bool recompose_layer_norm(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_arg *arg = node->args; // input, normalized_shape, weight, bias, eps
    const struct rl_arg args[] = {arg[0], arg[1], arg[2], arg[3], arg[4], rl_arg_bool(false)};
    return may_quantize_norm(pass, node) && become_norm(pass, node, RL_OP_aten_layer_norm, args, 6);
}

static bool recompose_group_norm(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_arg *arg = node->args; // input, weight, bias, N, C, HxW, group, eps
    const struct rl_arg args[] = {arg[0], arg[6], arg[1], arg[2], arg[7], rl_arg_bool(false)};
    return may_quantize_norm(pass, node) && become_norm(pass, node, RL_OP_aten_group_norm, args, 6);
}

// The statistics of a batch of one are those of each of its channels.
static bool recompose_instance_norm(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_arg *arg = node->args; // input, weight, bias, training, momentum, eps
    const struct rl_arg none = {.kind = RL_ARG_NONE};
    const struct rl_arg args[] = {
        arg[0], arg[1], arg[2], none, none, rl_arg_bool(true), arg[4], arg[5], rl_arg_bool(false)};
    const struct rl_tensor_type *type = &rl_node_tensor(node, "input")->type;
    return type->rank >= 2 && type->sizes[0] == 1 && rl_node_bool(node, "training") && may_quantize_norm(pass, node) &&
           become_norm(pass, node, RL_OP_aten_instance_norm, args, 9);
}

static bool recompose_max_pool(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_build at = {graph, node};
    if (!has_one_result(graph, node)) {
        return false;
    }
    const struct rl_tensor_type *type = &node->results[0]->type;
    rl_build_result(&at, 0, rl_build(&at, RL_OP_aten_max_pool2d, type, node->args, node->arg_count));
    rl_graph_remove(graph, node);
    return true;
}

enum rl_status rl_pass_recompose(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_aten_convolution, recompose_convolution);
    rl_lower_each(pass, RL_OP_aten_addmm, recompose_product);
    rl_lower_each(pass, RL_OP_aten_mm, recompose_product);
    rl_lower_each(pass, RL_OP_aten_native_batch_norm_no_training, recompose_batch_norm);
    rl_lower_each(pass, RL_OP_aten_native_layer_norm, recompose_layer_norm);
    rl_lower_each(pass, RL_OP_aten_native_group_norm, recompose_group_norm);
    rl_lower_each(pass, RL_OP_aten_native_batch_norm_no_stats, recompose_instance_norm);
    rl_lower_each(pass, RL_OP_aten_max_pool2d_with_indices, recompose_max_pool);
    return RL_OK;
}
