// SPDX-License-Identifier: Apache-2.0
//
// lower_transposed_conv: quantized transposed convolutions become cortex_m::quantized_transpose_conv2d.
//   needs   activations fused into the quantize node (fuse_activation)
//   keeps   values, to the rounding of the integer kernel; the name of the quantized value
//   breaks  nothing
//
// Weights [Cin, Cout, KH, KW] are stored as the kernel reads them: [Cout, KH, KW, Cin].
#include "compiler/passes/passes.h"

#include "compiler/passes/rewrite/rewrite.h"
#include "compiler/passes/rewrite/sums.h"
#include "compiler/passes/rewrite/weights.h"

struct transposed {
    struct rl_match match;
    struct rl_weights weights;
    const struct rl_value *bias;
    int64_t stride[2], padding[2], output_padding[2], dilation[2];
};

static bool read_transposed(const struct rl_pass *pass, struct rl_node *node, struct transposed *conv)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_value *input = rl_node_tensor(node, "input");
    if (input->type.rank != 4) {
        return rl_decline(graph, node, "input of rank %d; accepted: 4 (a batch of images)", input->type.rank);
    }
    if (!rl_node_ints(node, "stride", 2, 1, conv->stride) || !rl_node_ints(node, "padding", 2, 0, conv->padding) ||
        !rl_node_ints(node, "output_padding", 2, 0, conv->output_padding) ||
        !rl_node_ints(node, "dilation", 2, 1, conv->dilation)) {
        return rl_decline(graph, node, "stride, padding or dilation of an unexpected length");
    }
    if (rl_node_int(node, "groups") != 1 || conv->dilation[0] != 1 || conv->dilation[1] != 1) {
        return rl_decline(graph, node, "a transposed convolution with groups or dilation");
    }
    if (pass->options->target.flow == RL_FLOW_EXECUTORCH &&
        (conv->output_padding[0] != 0 || conv->output_padding[1] != 0)) {
        return rl_decline(graph, node, "output padding, which the stock flow does not give its kernel");
    }
    if (!rl_has_quantized_weights(pass, node) || !rl_match(graph, node, 1, &conv->match) ||
        !rl_match_channel_weights(graph, node, "weight", 1, &conv->weights) ||
        !rl_match_bias(graph, node, conv->match.operands[0].grid.scale, &conv->weights, &conv->bias)) {
        return false;
    }
    const struct rl_tensor_type *weight = &conv->weights.value->type;
    if (weight->rank != 4 || weight->sizes[0] != input->type.sizes[1] ||
        weight->sizes[1] != node->results[0]->type.sizes[1]) {
        return rl_decline(graph, node, "weights do not fit %lld input channels", (long long)input->type.sizes[1]);
    }
    return true;
}

static bool lower_transposed(const struct rl_pass *pass, struct rl_node *node)
{
    static const int ohwi[4] = {1, 2, 3, 0};
    struct rl_graph *graph = pass->graph;
    struct transposed conv = {.bias = NULL};
    if (!read_transposed(pass, node, &conv)) {
        return false;
    }
    struct rl_value *weight = rl_constant_permuted(graph, conv.weights.value, ohwi, conv.weights.value->name);
    struct rl_node *lowered = rl_match_replace(graph, &conv.match, RL_OP_cm_quantized_transpose_conv2d);
    rl_node_set(lowered, "input", rl_arg_value(conv.match.operands[0].value));
    rl_node_set(lowered, "weight", rl_arg_value(weight));
    rl_node_set(lowered, "bias", rl_arg_value((struct rl_value *)conv.bias));
    rl_node_set(lowered, "stride", rl_arg_ints(graph->arena, conv.stride, 2));
    rl_node_set(lowered, "padding", rl_arg_ints(graph->arena, conv.padding, 2));
    rl_node_set(lowered, "output_padding", rl_arg_ints(graph->arena, conv.output_padding, 2));
    rl_node_set(lowered, "dilation", rl_arg_ints(graph->arena, conv.dilation, 2));
    rl_set_requantization(graph, lowered, &conv.match, &conv.weights);
    rl_set_scratch(graph, lowered);
    rl_prove_sums(pass, lowered, &conv.match, &conv.weights, conv.bias);
    return true;
}

enum rl_status rl_pass_lower_transposed_conv(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_aten_conv_transpose2d_input, lower_transposed);
    return RL_OK;
}
