// SPDX-License-Identifier: Apache-2.0
//
// lower_portable: operators that are left in floating point become ones that a .pte can call.
//   needs   canonical operators; runs after every integer lowering, or alone for the program of calibration
//   keeps   names and values
//   breaks  nothing
//
// ExecuTorch's portable kernels have conv2d as convolution, batch_norm as _native_batch_norm_legit_no_training and
// max_pool2d as max_pool2d_with_indices. portable_forms.c has more. In the end, each node that computes in floating
// point has a reason.
#include "compiler/passes/passes.h"

#include "compiler/passes/portable/portable_forms.h"
#include "compiler/passes/rewrite/rewrite.h"

// int[] argument of `from` with one item for each of `count` spatial dimensions.
static bool copy_spatial(struct rl_graph *graph, struct rl_node *to, const struct rl_node *from, const char *name,
                         int count, int64_t fallback)
{
    int64_t items[RL_MAX_RANK];
    if (!rl_node_ints(from, name, count, fallback, items)) {
        return false;
    }
    rl_node_set(to, name, rl_arg_ints(graph->arena, items, count));
    return true;
}

static bool lower_convolution(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_node old = *node;
    const bool transposed = rl_op_get(old.op)->transposed;
    const int spatial = rl_node_tensor(&old, "weight")->type.rank - 2;
    const int64_t zeros[RL_MAX_RANK] = {0};
    if (spatial < 1) {
        return rl_decline(graph, node, "weights without spatial dimensions");
    }
    rl_node_become(graph, node, RL_OP_aten_convolution);
    rl_node_set(node, "input", *rl_node_arg(&old, "input"));
    rl_node_set(node, "weight", *rl_node_arg(&old, "weight"));
    rl_node_set(node, "bias", *rl_node_arg(&old, "bias"));
    rl_node_set(node, "groups", *rl_node_arg(&old, "groups"));
    rl_node_set(node, "transposed", rl_arg_bool(transposed));
    rl_node_set(node, "output_padding", rl_arg_ints(graph->arena, zeros, spatial));
    if (!copy_spatial(graph, node, &old, "stride", spatial, 1) ||
        !copy_spatial(graph, node, &old, "padding", spatial, 0) ||
        !copy_spatial(graph, node, &old, "dilation", spatial, 1) ||
        (transposed && !copy_spatial(graph, node, &old, "output_padding", spatial, 0))) {
        *node = old;
        return rl_decline(graph, node, "stride, padding or dilation of an unexpected length");
    }
    return true;
}

static bool lower_max_pool(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_node old = *node;
    int64_t kernel[2];
    int64_t stride[2];
    rl_node_become(graph, node, RL_OP_aten_max_pool2d_with_indices);
    rl_node_set(node, "self", *rl_node_arg(&old, "self"));
    rl_node_set(node, "ceil_mode", *rl_node_arg(&old, "ceil_mode"));
    if (!rl_node_ints(&old, "kernel_size", 2, 1, kernel) || !rl_node_ints(&old, "stride", 2, 0, stride) ||
        !copy_spatial(graph, node, &old, "padding", 2, 0) || !copy_spatial(graph, node, &old, "dilation", 2, 1)) {
        *node = old;
        return rl_decline(graph, node, "kernel, stride, padding or dilation of an unexpected length");
    }
    rl_node_set(node, "kernel_size", rl_arg_ints(graph->arena, kernel, 2));
    rl_node_set(node, "stride", rl_arg_ints(graph->arena, stride[0] == 0 ? kernel : stride, 2));
    struct rl_tensor_type indices = node->results[0]->type;
    indices.dtype = RL_INT64;
    rl_node_append_result(graph, node, "indices", &indices);
    return true;
}

static struct rl_value *constant_vector(struct rl_graph *graph, const struct rl_node *node, const char *suffix,
                                        int64_t count, float number)
{
    float *data = rl_arena_array(graph->arena, (size_t)count, sizeof *data);
    for (int64_t i = 0; i < count; i++) {
        data[i] = number;
    }
    const struct rl_tensor_type type = rl_tensor_type_make(RL_FLOAT32, 1, &count);
    return rl_graph_add_constant(graph, rl_arena_format(graph->arena, "%s_%s", node->name, suffix), &type, data);
}

static bool lower_batch_norm(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_node old = *node;
    const struct rl_value *input = rl_node_tensor(&old, "input");
    const struct rl_value *mean = rl_node_tensor(&old, "running_mean");
    if (rl_node_bool(&old, "training") || !mean || !rl_node_tensor(&old, "running_var")) {
        return rl_decline(graph, node, "batch norm in training mode; export the model after eval()");
    }
    const int64_t channels = input->type.rank > 1 ? input->type.sizes[1] : 1;
    if (rl_tensor_numel(&mean->type) != channels) {
        return rl_decline(graph, node, "statistics do not fit %lld channels", (long long)channels);
    }
    rl_node_become(graph, node, RL_OP_aten_native_batch_norm_no_training);
    for (int i = 0; i < node->arg_count; i++) {
        node->args[i] = *rl_node_arg(&old, rl_op_get(node->op)->args[i].name);
    }
    if (!rl_node_tensor(node, "weight")) {
        rl_node_set(node, "weight", rl_arg_value(constant_vector(graph, node, "weight", channels, 1.0f)));
    }
    if (!rl_node_tensor(node, "bias")) {
        rl_node_set(node, "bias", rl_arg_value(constant_vector(graph, node, "bias", channels, 0.0f)));
    }
    const int64_t zero = 0;
    const struct rl_tensor_type empty = rl_tensor_type_make(RL_FLOAT32, 1, &zero);
    rl_node_append_result(graph, node, "mean", &empty);
    rl_node_append_result(graph, node, "rstd", &empty);
    return true;
}

// Operators that compute nothing, or that convert between integers and floating point because the model asks for it.
static bool needs_no_reason(const struct rl_op *op)
{
    return op->quantizes || op->dequantizes || op->dialect == RL_DIALECT_DIM_ORDER ||
           op->rearranges == RL_REARRANGES_RESHAPE;
}

static void give_reasons(const struct rl_pass *pass)
{
    struct rl_graph *graph = pass->graph;
    const char *reason = rl_is_imported(pass) ? "the quantizer of this graph left it out, or it has no integer kernel"
                                              : "not quantized, or no integer kernel for this operator";
    for (struct rl_node *node = graph->first; node; node = node->next) {
        if (node->result_count > 0 && rl_scalar_is_floating(node->results[0]->type.dtype) &&
            !needs_no_reason(rl_op_get(node->op))) {
            rl_decline(graph, node, "%s", reason);
        }
    }
}

enum rl_status rl_pass_lower_portable(struct rl_pass *pass)
{
    static const struct rl_lowering table[] = {
        {RL_OP_aten_conv1d, lower_convolution},           {RL_OP_aten_conv2d, lower_convolution},
        {RL_OP_aten_conv_transpose1d, lower_convolution}, {RL_OP_aten_conv_transpose2d_input, lower_convolution},
        {RL_OP_aten_max_pool2d, lower_max_pool},          {RL_OP_aten_batch_norm, lower_batch_norm},
    };

    rl_lower_table(pass, table, sizeof table / sizeof table[0]);
    rl_portable_forms(pass);
    give_reasons(pass);
    return RL_OK;
}
