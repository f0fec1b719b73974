// SPDX-License-Identifier: Apache-2.0
//
// prepack_weights: gives convolutions and linear layers the order of weights in which the target's kernels read them,
// and biases that count the input's offset.
//   needs   integer operators in the layout in which they will run
//   keeps   names, values, and the bytes that weights take, but for `--winograd`
//   breaks  nothing
//
// The kernels decide which layers gain (rl_convolution_prepacks, rl_convolution_winograd_pays,
// rl_fully_connected_prepacks). Programs for several instruction sets, or for ExecuTorch's runtime, keep the usual
// order. Depthwise convolutions with one output a channel become an operator that needs no code of other convolutions,
// so that a firmware has the loops for prepacked weights only.
#include "compiler/passes/passes.h"

#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/geometry.h"
#include "compiler/passes/rewrite/integer_layer.h"
#include "compiler/passes/rewrite/rewrite.h"
#include "rushlight/kernels/fully_connected.h"

// The data of a constant of an integer layer, or NULL if the layer has none.
static const void *data_of(const struct rl_node *node, const char *argument)
{
    const struct rl_value *value = rl_node_tensor(node, argument);

    return value ? value->data : NULL;
}

// Weights of the same type in another order, with data in the arena.
static struct rl_arg packed_weights(struct rl_graph *graph, const struct rl_value *weights, int8_t *data)
{
    const char *name = rl_arena_format(graph->arena, "%s_prepacked", weights->name);

    return rl_arg_value(rl_graph_take_constant(graph, name, &weights->type, data));
}

// Transformed weights, int16 of 4x4 in place of 3x3.
static struct rl_arg transformed_weights(struct rl_pass *pass, const struct rl_value *weights,
                                         const struct rl_convolution *layer)
{
    struct rl_tensor_type type = weights->type;
    type.dtype = RL_INT16;
    type.sizes[1] = type.sizes[2] = 4;
    int16_t *data = rl_arena_alloc(pass->arena, rl_tensor_bytes(&type));
    rl_convolution_transform_winograd(layer, data);
    const char *name = rl_arena_format(pass->graph->arena, "%s_transformed", weights->name);
    return rl_arg_value(rl_graph_take_constant(pass->graph, name, &type, data));
}

// The folded biases of all channels, with data in the arena. A layer without a bias has some, too.
static struct rl_arg folded_biases(struct rl_graph *graph, const struct rl_node *node, int32_t channels, int32_t *data)
{
    const struct rl_value *bias = rl_node_tensor(node, "bias");
    const struct rl_tensor_type type = rl_tensor_type_make(RL_INT32, 1, (const int64_t[]){channels});
    const char *name = bias ? rl_arena_format(graph->arena, "%s_prepacked", bias->name)
                            : rl_arena_format(graph->arena, "%s_bias_prepacked", node->results[0]->name);

    return rl_arg_value(rl_graph_take_constant(graph, name, bias ? &bias->type : &type, data));
}

// The layer with all that the kernels look at, if it has one group.
static bool read_layer(const struct rl_node *node, struct rl_convolution *layer)
{
    *layer = rl_geometry_convolution(node);
    layer->weights = data_of(node, "weight");
    layer->bias = data_of(node, "bias");
    layer->scales.multiplier = data_of(node, "requantize_multipliers");
    layer->scales.shift = data_of(node, "requantize_shifts");
    layer->input_offset = (int32_t)rl_node_int(node, "input_offset");
    layer->output_offset = (int32_t)rl_node_int(node, "output_offset");
    return rl_node_tensor(node, "weight")->type.sizes[3] == layer->input.c;
}

static enum rl_status prepack_convolution(struct rl_pass *pass, struct rl_node *node)
{
    const enum rl_status status = rl_geometry_check(pass->context, pass->graph, node);
    struct rl_convolution layer;

    if (status != RL_OK || !rl_is_integer_layer(node) || !read_layer(node, &layer) ||
        rl_convolution_prepare(&layer) != RL_OK) {
        return status;
    }
    int32_t *folded = rl_arena_array(pass->arena, (size_t)layer.output.c, sizeof *folded);
    rl_convolution_fold(&layer, folded);
    layer.folded = folded;
    const enum rl_isa isa = pass->options->target.isa;
    const bool is_nhwc = node->op == RL_OP_cm_quantized_conv2d_nhwc;
    if (!rl_convolution_scales_fit(&layer)) {
        return RL_OK;
    }
    if (pass->options->winograd && rl_convolution_winograd_pays(&layer, isa)) {
        rl_node_set(node, "weight", transformed_weights(pass, rl_node_tensor(node, "weight"), &layer));
        rl_node_set(node, "bias", folded_biases(pass->graph, node, layer.output.c, folded));
        node->op = is_nhwc ? RL_OP_rl_quantized_conv2d_winograd_nhwc : RL_OP_rl_quantized_conv2d_winograd;
        return RL_OK;
    }
    if (!rl_convolution_prepacks(&layer, isa)) {
        return RL_OK;
    }
    int8_t *weights = rl_arena_alloc(pass->arena, rl_tensor_bytes(&rl_node_tensor(node, "weight")->type));
    rl_convolution_prepack(&layer, weights);
    rl_node_set(node, "weight", packed_weights(pass->graph, rl_node_tensor(node, "weight"), weights));
    rl_node_set(node, "bias", folded_biases(pass->graph, node, layer.output.c, folded));
    if (rl_convolution_is_pixel(&layer)) {
        node->op = is_nhwc ? RL_OP_rl_quantized_conv2d_pixel_prepacked_nhwc : RL_OP_rl_quantized_conv2d_pixel_prepacked;
    } else {
        node->op = is_nhwc ? RL_OP_rl_quantized_conv2d_prepacked_nhwc : RL_OP_rl_quantized_conv2d_prepacked;
    }
    return RL_OK;
}

// The same with a PReLU behind, whose scales are others.
static enum rl_status prepack_prelu(struct rl_pass *pass, struct rl_node *node)
{
    const enum rl_status status = rl_geometry_check(pass->context, pass->graph, node);
    struct rl_convolution layer;

    if (status != RL_OK || !rl_is_integer_layer(node) || !read_layer(node, &layer)) {
        return status;
    }
    layer.type = RL_CONVOLUTION_S8;
    if (rl_convolution_prepare(&layer) != RL_OK || !rl_convolution_prepacks(&layer, pass->options->target.isa) ||
        !rl_convolution_prelu_pays(&layer, pass->options->target.isa)) {
        return RL_OK;
    }
    int32_t *folded = rl_arena_array(pass->arena, (size_t)layer.output.c, sizeof *folded);
    int8_t *weights = rl_arena_alloc(pass->arena, rl_tensor_bytes(&rl_node_tensor(node, "weight")->type));
    rl_convolution_fold(&layer, folded);
    rl_convolution_prepack(&layer, weights);
    rl_node_set(node, "weight", packed_weights(pass->graph, rl_node_tensor(node, "weight"), weights));
    rl_node_set(node, "bias", folded_biases(pass->graph, node, layer.output.c, folded));
    node->op = RL_OP_rl_quantized_conv2d_prelu_prepacked;
    return RL_OK;
}

// ---- linear layers

static void prepack_linear(struct rl_pass *pass, struct rl_node *node)
{
    if (!rl_is_integer_layer(node)) {
        return;
    }
    const bool is_s16 = node->op == RL_OP_rl_quantized_linear_s16;
    const int64_t *sizes = rl_node_tensor(node, "weights")->type.sizes;
    struct rl_fully_connected layer = {
        .rows = 1,
        .depth = (int32_t)sizes[1],
        .channels = (int32_t)sizes[0],
        .weights = data_of(node, "weights"),
        .bias = data_of(node, "bias"),
        .input_offset = is_s16 ? 0 : (int32_t)rl_node_int(node, "input_offset"),
        .weight_offset = is_s16 ? 0 : (int32_t)rl_node_int(node, "filter_offset"),
    };

    if (!rl_fully_connected_prepacks(&layer, pass->options->target.isa)) {
        return;
    }
    int8_t *weights = rl_arena_alloc(pass->arena, rl_tensor_bytes(&rl_node_tensor(node, "weights")->type));
    int32_t *folded = rl_arena_array(pass->arena, (size_t)layer.channels, sizeof *folded);
    rl_fully_connected_prepack(&layer, weights);
    rl_fully_connected_fold(&layer, folded);
    const struct rl_arg input = rl_arg_value(rl_node_tensor(node, "input"));
    const struct rl_arg weight = packed_weights(pass->graph, rl_node_tensor(node, "weights"), weights);
    const struct rl_arg bias = folded_biases(pass->graph, node, layer.channels, folded);
    if (is_s16) {
        const struct rl_arg args[] = {input, weight, bias, *rl_node_arg(node, "requantize_multipliers"),
                                      *rl_node_arg(node, "requantize_shifts")};
        rl_build_end(&(struct rl_build){pass->graph, node}, RL_OP_rl_quantized_linear_s16_prepacked, args, 5);
        return;
    }
    const struct rl_arg args[] = {input,
                                  weight,
                                  bias,
                                  *rl_node_arg(node, "output_offset"),
                                  *rl_node_arg(node, "requantize_multipliers"),
                                  *rl_node_arg(node, "requantize_shifts"),
                                  *rl_node_arg(node, "activation_max"),
                                  *rl_node_arg(node, "activation_min")};
    rl_build_end(&(struct rl_build){pass->graph, node}, RL_OP_rl_quantized_linear_prepacked, args, 8);
}

// ---- depthwise convolutions

static void make_single(struct rl_pass *pass, struct rl_node *node, enum rl_op_id single)
{
    const struct rl_op *from = rl_op_get(node->op), *to = rl_op_get(single);

    if (pass->options->target.isa != RL_ISA_DSP || rl_node_int(node, "depth_multiplier") != 1) {
        return;
    }
    struct rl_arg *args = rl_arena_array(pass->arena, (size_t)to->arg_count, sizeof *args);
    for (int i = 0; i < to->arg_count; i++) {
        args[i] = node->args[rl_op_argument(from, to->args[i].name)];
    }
    rl_build_end(&(struct rl_build){pass->graph, node}, single, args, to->arg_count);
}

static enum rl_status prepack(struct rl_pass *pass, struct rl_node *node)
{
    switch (node->op) {
    case RL_OP_cm_quantized_conv2d:
    case RL_OP_cm_quantized_conv2d_nhwc:
        return prepack_convolution(pass, node);
    case RL_OP_rl_quantized_conv2d_prelu:
        return prepack_prelu(pass, node);
    case RL_OP_cm_quantized_linear:
    case RL_OP_rl_quantized_linear_s16:
        prepack_linear(pass, node);
        return RL_OK;
    case RL_OP_cm_quantized_depthwise_conv2d:
        make_single(pass, node, RL_OP_rl_quantized_depthwise_conv2d_single);
        return RL_OK;
    case RL_OP_cm_quantized_depthwise_conv2d_nhwc:
        make_single(pass, node, RL_OP_rl_quantized_depthwise_conv2d_single_nhwc);
        return RL_OK;
    default:
        return RL_OK;
    }
}

enum rl_status rl_pass_prepack_weights(struct rl_pass *pass)
{
    struct rl_node *next;

    for (struct rl_node *node = pass->graph->first; node; node = next) {
        next = node->next;
        const enum rl_status status = prepack(pass, node);
        if (status != RL_OK) {
            return status;
        }
    }
    return RL_OK;
}
