// SPDX-License-Identifier: Apache-2.0
//
// lower_conv: quantized convolutions become cortex_m::quantized_conv2d or quantized_depthwise_conv2d.
//   needs   activations fused into the quantize node (fuse_activation), pads fused (fuse_padding)
//   keeps   values, to the rounding of the integer kernels; the name of the quantized value
//   breaks  nothing
//
// Weights are stored as the kernels read them: [Cout, KH, KW, Cin / groups] or, depthwise, [1, KH, KW, Cout]. A
// convolution with as many groups as input channels becomes a depthwise one if the batch is 1, also with a single
// channel. For larger batches the depthwise kernels are slow.
#include "compiler/passes/passes.h"

#include "compiler/passes/rewrite/rewrite.h"
#include "compiler/passes/rewrite/sums.h"
#include "compiler/passes/rewrite/weights.h"

struct convolution {
    struct rl_match match;
    struct rl_weights weights;
    const struct rl_value *bias;
    int64_t stride[2], padding[2], dilation[2];
    int64_t groups, input_channels, batch;
    bool depthwise;
};

static bool read_convolution(const struct rl_pass *pass, struct rl_node *node, struct convolution *conv)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_value *input = rl_node_tensor(node, "input");
    if (input->type.rank != 4) {
        return rl_decline(graph, node, "input of rank %d; accepted: 4 (a batch of images)", input->type.rank);
    }
    if (!rl_node_ints(node, "stride", 2, 1, conv->stride) || !rl_node_ints(node, "padding", 2, 0, conv->padding) ||
        !rl_node_ints(node, "dilation", 2, 1, conv->dilation)) {
        return rl_decline(graph, node, "stride, padding or dilation of an unexpected length");
    }
    if (!rl_has_quantized_weights(pass, node) || !rl_match(graph, node, 1, &conv->match) ||
        !rl_match_weights(graph, node, "weight", &conv->weights) ||
        !rl_match_bias(graph, node, conv->match.operands[0].grid.scale, &conv->weights, &conv->bias)) {
        return false;
    }
    const struct rl_tensor_type *weight = &conv->weights.value->type;
    conv->groups = rl_node_int(node, "groups");
    conv->input_channels = input->type.sizes[1];
    conv->batch = input->type.sizes[0];
    if (weight->rank != 4 || conv->groups < 1 || conv->groups > conv->input_channels ||
        weight->sizes[1] * conv->groups != conv->input_channels || weight->sizes[0] % conv->groups != 0) {
        return rl_decline(graph, node, "weights do not fit %lld input channels in %lld groups",
                          (long long)conv->input_channels, (long long)conv->groups);
    }
    conv->depthwise = conv->groups == conv->input_channels && conv->batch == 1;
    return true;
}

// CMSIS-NN's grouped and depthwise kernels move a bias pointer along the channels and do not accept NULL.
static struct rl_value *bias_of(struct rl_graph *graph, const struct convolution *conv, const struct rl_target *target)
{
    if (conv->bias || conv->groups == 1 || target->flow != RL_FLOW_EXECUTORCH) {
        return (struct rl_value *)conv->bias;
    }
    const int32_t *zeros = rl_arena_array(graph->arena, (size_t)conv->weights.channels, sizeof *zeros);
    return rl_int32_vector(graph, conv->match.node->name, "bias", zeros, conv->weights.channels);
}

static bool lower_conv(const struct rl_pass *pass, struct rl_node *node)
{
    static const int ohwi[4] = {0, 2, 3, 1};
    static const int ihwo[4] = {1, 2, 3, 0};
    struct rl_graph *graph = pass->graph;
    struct convolution conv = {.bias = NULL};
    if (!read_convolution(pass, node, &conv)) {
        return false;
    }
    struct rl_value *weight =
        rl_constant_permuted(graph, conv.weights.value, conv.depthwise ? ihwo : ohwi, conv.weights.value->name);
    struct rl_value *bias = bias_of(graph, &conv, &pass->options->target);
    struct rl_node *lowered = rl_match_replace(
        graph, &conv.match, conv.depthwise ? RL_OP_cm_quantized_depthwise_conv2d : RL_OP_cm_quantized_conv2d);
    rl_node_set(lowered, "input", rl_arg_value(conv.match.operands[0].value));
    rl_node_set(lowered, "weight", rl_arg_value(weight));
    rl_node_set(lowered, "bias", rl_arg_value(bias));
    rl_node_set(lowered, "stride", rl_arg_ints(graph->arena, conv.stride, 2));
    rl_node_set(lowered, "padding", rl_arg_ints(graph->arena, conv.padding, 2));
    rl_node_set(lowered, "dilation", rl_arg_ints(graph->arena, conv.dilation, 2));
    if (conv.depthwise) {
        rl_node_set(lowered, "depth_multiplier", rl_arg_int(conv.weights.channels / conv.input_channels));
    }
    rl_set_requantization(graph, lowered, &conv.match, &conv.weights);
    rl_set_scratch(graph, lowered);
    rl_prove_sums(pass, lowered, &conv.match, &conv.weights, conv.bias);
    return true;
}

enum rl_status rl_pass_lower_conv(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_aten_conv2d, lower_conv);
    return RL_OK;
}
