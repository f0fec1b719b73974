// SPDX-License-Identifier: Apache-2.0
//
// lower_conv: quantized convolutions become cortex_m::quantized_conv2d or quantized_depthwise_conv2d, those of int16
// rushlight::quantized_conv2d_s16 or quantized_depthwise_conv2d_s16, and those of int8 with int16 results
// rushlight::quantized_conv2d_s8_s16.
//   needs   activations fused into the quantize node (fuse_activation), pads fused (fuse_padding)
//   keeps   values, to the rounding of the integer kernels; the name of the quantized value
//   breaks  nothing
//
// Weights are stored as the kernels read them: [Cout, KH, KW, Cin / groups] or, depthwise, [1, KH, KW, Cout]. A
// convolution with as many groups as input channels becomes a depthwise one if the batch is 1. For larger batches the
// depthwise kernels are slow. With a single input channel both are the same, and the kernels of convolutions are faster
// for several output channels, and for one with Helium: 1 to 13 times. The stock flow takes depthwise ones.
#include "compiler/passes/passes.h"

#include "compiler/passes/rewrite/multiplier.h"
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
    bool is_wide; // of int16
    bool widens;  // of int8, with int16 results
};

// Matches the activations, which are all int8 or all int16 without zero points, or results of int16 alone.
static bool match_activations(const struct rl_pass *pass, struct rl_node *node, struct convolution *conv)
{
    const enum rl_scalar_type type = rl_integer_type(rl_node_tensor(node, "input"));
    conv->widens = type == RL_INT8 && rl_has_int16_result(pass->graph, node);
    if (conv->widens) {
        return rl_may_use_rushlight(pass, node) &&
               rl_match_between(pass->graph, node, RL_INT8, RL_INT16, &conv->match) &&
               (conv->match.output.zero_point == 0 ||
                rl_decline(pass->graph, node, "int16 results with the zero point %lld; accepted: 0",
                           (long long)conv->match.output.zero_point));
    }
    return rl_match_of_type(pass->graph, node, 1, type, &conv->match) &&
           rl_match_is_wide(pass, &conv->match, 1, &conv->is_wide);
}

// Whether the shift of each channel is one that the int16 kernel takes.
static bool has_small_scales(const struct convolution *conv)
{
    enum { MOST_SHIFT = 14 };
    for (int64_t c = 0; c < conv->weights.channels; c++) {
        const double real = conv->match.operands[0].grid.scale * conv->weights.scales[c] / conv->match.output.scale;
        if (rl_multiplier_of(real).shift > MOST_SHIFT) {
            return false;
        }
    }
    return true;
}

static bool is_depthwise(const struct rl_pass *pass, const struct convolution *conv)
{
    if (conv->is_wide) {
        return conv->groups > 1; // of any batch; others with groups were declined
    }
    if (conv->widens || conv->groups != conv->input_channels || conv->batch != 1) {
        return false;
    }
    const bool was_float = pass->quantizer_report;
    const bool is_best = was_float && pass->options->quantizer == RL_QUANTIZER_BEST;
    const bool has_helium = pass->options->target.isa == RL_ISA_MVE;
    return conv->input_channels > 1 || !is_best || (conv->weights.channels == 1 && !has_helium);
}

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
    if (!rl_has_quantized_weights(pass, node) || !match_activations(pass, node, conv) ||
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
    if (conv->widens && conv->groups != 1) {
        return rl_decline(graph, node, "its results alone are int16, and it has groups");
    }
    if (conv->is_wide && conv->groups != 1 && conv->groups != conv->input_channels) {
        return rl_decline(graph, node, "its input is int16, and it has groups of several channels");
    }
    if (conv->is_wide && !has_small_scales(conv)) {
        return rl_decline(graph, node, "a factor above 2^14 between the grids of its sums and of its int16 results");
    }
    conv->depthwise = is_depthwise(pass, conv);
    return true;
}

// Sums of int16 have 64 bits, and so has their bias.
static struct rl_value *wide_bias_of(struct rl_graph *graph, const struct convolution *conv)
{
    if (!conv->bias) {
        return NULL;
    }
    int64_t *numbers = rl_arena_array(graph->arena, (size_t)conv->weights.channels, sizeof *numbers);
    for (int64_t c = 0; c < conv->weights.channels; c++) {
        numbers[c] = ((const int32_t *)conv->bias->data)[c];
    }
    const struct rl_tensor_type type = rl_tensor_type_make(RL_INT64, 1, &conv->weights.channels);
    return rl_graph_add_constant(graph, conv->bias->name, &type, numbers);
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

static enum rl_op_id op_of(const struct convolution *conv)
{
    if (conv->is_wide) {
        return conv->depthwise ? RL_OP_rl_quantized_depthwise_conv2d_s16 : RL_OP_rl_quantized_conv2d_s16;
    }
    if (conv->widens) {
        return RL_OP_rl_quantized_conv2d_s8_s16;
    }
    return conv->depthwise ? RL_OP_cm_quantized_depthwise_conv2d : RL_OP_cm_quantized_conv2d;
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
    struct rl_value *bias = conv.is_wide ? wide_bias_of(graph, &conv) : bias_of(graph, &conv, &pass->options->target);
    struct rl_node *lowered = rl_match_replace(graph, &conv.match, op_of(&conv));
    rl_node_set(lowered, "input", rl_arg_value(conv.match.operands[0].value));
    rl_node_set(lowered, "weight", rl_arg_value(weight));
    rl_node_set(lowered, "bias", rl_arg_value(bias));
    rl_node_set(lowered, "stride", rl_arg_ints(graph->arena, conv.stride, 2));
    rl_node_set(lowered, "padding", rl_arg_ints(graph->arena, conv.padding, 2));
    rl_node_set(lowered, "dilation", rl_arg_ints(graph->arena, conv.dilation, 2));
    if (conv.depthwise && !conv.is_wide) {
        rl_node_set(lowered, "depth_multiplier", rl_arg_int(conv.weights.channels / conv.input_channels));
    }
    rl_set_requantization(graph, lowered, &conv.match, &conv.weights);
    rl_set_scratch(graph, lowered);
    if (!conv.is_wide) {
        rl_prove_sums(pass, lowered, &conv.match, &conv.weights, conv.bias);
    }
    return true;
}

enum rl_status rl_pass_lower_conv(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_aten_conv2d, lower_conv);
    return RL_OK;
}
