// SPDX-License-Identifier: Apache-2.0
//
// plan_scratch: gives each node whose schema has a SCRATCH argument a scratch value of the size that its kernel needs
// on the target and for its flow (the largest of all instruction sets if the target is `any`).
//   needs   operators as they will be called, and their layouts
//   keeps   names and values
//   breaks  nothing; a scratch argument that is set already is replaced
//
// The sizes come from functions of the kernels, which the host can call for every instruction set. A program for
// ExecuTorch's runtime gets the sizes that CMSIS-NN announces, which are enough for our kernels, too. Any other program
// also has memory for the blocks of our kernels on DSP cores, which would take more on the stack than in the arena.
#include "compiler/passes/passes.h"

#include <string.h>

#include "compiler/passes/rewrite/geometry.h"
#include "rushlight/kernels/batch_matmul.h"
#include "rushlight/kernels/depthwise.h"
#include "rushlight/kernels/pooling.h"
#include "rushlight/kernels/recurrent.h"
#include "rushlight/kernels/transpose_convolution.h"

// The data on which the size of a kernel's scratch depends.
struct request {
    const struct rl_node *node;
    enum rl_isa isa;
    enum rl_flow flow;
};

static int32_t conv2d_bytes(const struct request *request)
{
    struct rl_convolution layer = rl_geometry_convolution(request->node);

    if (rl_convolution_prepare(&layer) != RL_OK) {
        return 0; // the verifier will refuse the program
    }
    return request->flow == RL_FLOW_EXECUTORCH ? rl_convolution_announced(&layer, request->isa)
                                               : rl_convolution_scratch(&layer, request->isa);
}

// The loops of fully connected layers with prepacked weights keep their blocks on the stack.
static int32_t pixel_bytes(const struct request *request)
{
    (void)request;
    return 0;
}

static int32_t depthwise_conv2d_bytes(const struct request *request)
{
    const struct rl_geometry g = rl_geometry_of(request->node);
    const struct rl_depthwise layer = {
        .type = RL_DEPTHWISE_S8,
        .input = g.input,
        .output = g.output,
        .filter = {g.filter.h, g.filter.w},
        .stride = g.stride,
        .padding = g.padding,
        .dilation = g.dilation,
        .multiplier = rl_op_argument(rl_op_get(request->node->op), "depth_multiplier") >= 0
                          ? (int32_t)rl_node_int(request->node, "depth_multiplier")
                          : 1,
    };

    if (layer.input.c <= 0) {
        return 0; // an image without channels, which has no outputs
    }
    return request->flow == RL_FLOW_EXECUTORCH ? rl_depthwise_announced(&layer, request->isa)
                                               : rl_depthwise_scratch(&layer, request->isa);
}

static int32_t avg_pool2d_bytes(const struct request *request)
{
    const struct rl_pool layer = {
        .kind = RL_POOL_AVERAGE,
        .input = rl_geometry_image(request->node, &rl_node_tensor(request->node, "input")->type),
    };

    return rl_pool_scratch(&layer, request->isa);
}

static int32_t batch_matmul_bytes(const struct request *request)
{
    const struct rl_batch_matmul layer = {.right = {.w = (int32_t)request->node->results[0]->type.sizes[2]}};
    return rl_batch_matmul_scratch(&layer, request->isa);
}

static struct rl_transpose_convolution transposed_layer(const struct rl_node *node)
{
    const struct rl_geometry g = rl_geometry_of(node);

    return (struct rl_transpose_convolution){.input = g.input,
                                             .output = g.output,
                                             .filter = {g.filter.h, g.filter.w},
                                             .stride = g.stride,
                                             .padding = g.padding};
}

static int32_t transposed_bytes(const struct request *request)
{
    const struct rl_transpose_convolution layer = transposed_layer(request->node);

    return rl_transpose_convolution_scratch(&layer, request->isa);
}

static int32_t filters_bytes(const struct request *request)
{
    const struct rl_transpose_convolution layer = transposed_layer(request->node);

    return rl_transpose_convolution_filters(&layer);
}

static int32_t recurrent_bytes(const struct request *request)
{
    const struct rl_recurrent layer = {.hidden_size = (int32_t)request->node->results[0]->type.sizes[2]};
    return rl_recurrent_scratch(&layer);
}

static const struct {
    enum rl_op_id op;
    const char *argument;
    int32_t (*bytes)(const struct request *request);
} kernels[] = {
    {RL_OP_cm_quantized_conv2d, "scratch", conv2d_bytes},
    {RL_OP_cm_quantized_depthwise_conv2d, "scratch", depthwise_conv2d_bytes},
    {RL_OP_cm_quantized_transpose_conv2d, "scratch", transposed_bytes},
    {RL_OP_cm_quantized_transpose_conv2d, "output_scratch", filters_bytes},
    {RL_OP_rl_quantized_conv2d_prepacked, "scratch", conv2d_bytes},
    {RL_OP_rl_quantized_conv2d_pixel_prepacked, "scratch", pixel_bytes},
    {RL_OP_rl_quantized_conv2d_winograd, "scratch", conv2d_bytes},
    {RL_OP_rl_quantized_depthwise_conv2d_single, "scratch", depthwise_conv2d_bytes},
    {RL_OP_rl_quantized_conv2d_s16, "scratch", conv2d_bytes},
    {RL_OP_rl_quantized_conv2d_s8_s16, "scratch", conv2d_bytes},
    {RL_OP_rl_quantized_conv2d_prelu, "scratch", conv2d_bytes},
    {RL_OP_rl_quantized_conv2d_prelu_prepacked, "scratch", conv2d_bytes},
    {RL_OP_cm_quantized_avg_pool2d, "scratch", avg_pool2d_bytes},
    {RL_OP_cm_quantized_batch_matmul, "scratch", batch_matmul_bytes},
    {RL_OP_rl_quantized_lstm, "scratch", recurrent_bytes},
    {RL_OP_rl_quantized_gru, "scratch", recurrent_bytes},
    {RL_OP_rl_quantized_rnn_tanh, "scratch", recurrent_bytes},
    {RL_OP_rl_quantized_rnn_relu, "scratch", recurrent_bytes},
};

// Operators for an explicit layout have the same kernels.
static bool calls(const struct rl_node *node, enum rl_op_id op)
{
    return node->op == op || rl_op_get(op)->nhwc_as == rl_op_get(node->op);
}

static int find_kernel(const struct rl_node *node, const char *argument)
{
    for (int i = 0; i < (int)(sizeof kernels / sizeof kernels[0]); i++) {
        if (calls(node, kernels[i].op) && strcmp(kernels[i].argument, argument) == 0) {
            return i;
        }
    }
    return -1;
}

static int64_t bytes_on(const struct rl_node *node, int kernel, const struct rl_target *target)
{
    int64_t most = 0;

    for (int isa = RL_ISA_SCALAR; isa <= RL_ISA_MVE; isa++) {
        if (rl_target_runs_on(target, (enum rl_isa)isa)) {
            const struct request request = {node, (enum rl_isa)isa, target->flow};
            const int64_t bytes = kernels[kernel].bytes(&request);
            most = bytes > most ? bytes : most;
        }
    }
    return most;
}

static enum rl_status plan_argument(const struct rl_pass *pass, struct rl_node *node, int argument)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_op *op = rl_op_get(node->op);
    int kernel = find_kernel(node, op->args[argument].name);
    if (kernel < 0) {
        return rl_fail(pass->context, RL_ERROR_INTERNAL, "%s: node '%s' (%s): the size of its work space is not known",
                       graph->source, node->name, op->name);
    }
    const bool has_images = op->layer == RL_LAYER_CONVOLUTION || op->layer == RL_LAYER_AVG_POOL;
    enum rl_status status = has_images ? rl_geometry_check(pass->context, graph, node) : RL_OK;
    if (status != RL_OK) {
        return status;
    }
    int64_t bytes = bytes_on(node, kernel, &pass->options->target);
    const char *name = rl_arena_format(graph->arena, "%s_%s", node->name, op->args[argument].name);
    node->args[argument] = rl_arg_value(rl_graph_add_scratch(graph, name, bytes));
    return RL_OK;
}

enum rl_status rl_pass_plan_scratch(struct rl_pass *pass)
{
    for (struct rl_node *node = pass->graph->first; node; node = node->next) {
        const struct rl_op *op = rl_op_get(node->op);
        for (int i = 0; i < op->arg_count; i++) {
            if (op->args[i].type != RL_TYPE_SCRATCH) {
                continue;
            }
            enum rl_status status = plan_argument(pass, node, i);
            if (status != RL_OK) {
                return status;
            }
        }
    }
    return RL_OK;
}
