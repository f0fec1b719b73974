// SPDX-License-Identifier: Apache-2.0
//
// The numbers of convolutions and linear layers, by channel.
#include "compiler/passes/lower/channels.h"

#include <stdlib.h>

#include "compiler/passes/rewrite/integer_layer.h"

static const void *numbers(const struct rl_node *node, const char *name)
{
    const int index = rl_op_argument(rl_op_get(node->op), name);

    return index >= 0 && node->args[index].kind == RL_ARG_VALUE ? node->args[index].as.value->data : NULL;
}

static void read_linear(struct rl_channel_layer *layer)
{
    const struct rl_node *node = layer->node;

    layer->is_linear = true;
    layer->weights = rl_node_tensor(node, "weights");
    layer->outputs = layer->weights->type.sizes[0];
    layer->inputs = layer->weights->type.sizes[1];
    layer->positions = 1;
    if (node->op == RL_OP_rl_quantized_linear_s16) {
        return;
    }
    layer->weight_offset = rl_node_int(node, "filter_offset");
    if (layer->bias || !numbers(node, "kernel_sum")) {
        layer->input_offset = rl_node_int(node, "input_offset");
    } else {
        layer->bias = numbers(node, "kernel_sum");
    }
}

static void read_convolution(struct rl_channel_layer *layer)
{
    const int64_t *sizes;

    layer->weights = rl_node_tensor(layer->node, "weight");
    sizes = layer->weights->type.sizes;
    layer->is_depthwise = rl_is_integer_depthwise(layer->node);
    layer->outputs = layer->is_depthwise ? sizes[3] : sizes[0];
    layer->inputs = layer->is_depthwise ? layer->input->type.sizes[1] : sizes[3];
    layer->positions = sizes[1] * sizes[2];
    layer->input_offset = rl_node_int(layer->node, "input_offset");
}

bool rl_channel_layer(const struct rl_channel_map *map, struct rl_node *node, struct rl_channel_layer *layer)
{
    const enum rl_channel_role role = rl_channel_role(map, node);

    if (role != RL_CHANNELS_WEIGHED && !(role == RL_CHANNELS_SHARED && rl_is_integer_depthwise(node))) {
        return false;
    }
    *layer = (struct rl_channel_layer){.node = node, .input = rl_node_tensor(node, "input")};
    layer->is_wide = rl_is_wide_convolution(node);
    layer->bias = layer->is_wide ? NULL : numbers(node, "bias");
    layer->wide_bias = layer->is_wide ? numbers(node, "bias") : NULL;
    layer->inner = rl_channels_of(map, layer->input)->inner;
    if (rl_is_integer_linear(node)) {
        read_linear(layer);
    } else {
        read_convolution(layer);
    }
    return true;
}

int64_t rl_channel_bias(const struct rl_channel_layer *layer, int64_t output)
{
    if (layer->wide_bias) {
        return layer->wide_bias[output];
    }
    return layer->bias ? layer->bias[output] : 0;
}

// Kernels multiply sums of 64 bits with 16 bits.
bool rl_channel_sum_fits(const struct rl_channel_layer *layer, int64_t sum)
{
    const int64_t most = layer->is_wide ? INT64_C(1) << 47 : INT32_MAX;

    return sum >= -most && sum <= most;
}

static int64_t weight(const struct rl_channel_layer *layer, int64_t output, int64_t position, int64_t input)
{
    const int8_t *data = layer->weights->data;
    const int64_t index = layer->is_depthwise ? position * layer->outputs + output
                                              : (output * layer->positions + position) * layer->inputs + input;

    return data[index] + layer->weight_offset;
}

int64_t rl_channel_weight_sum(const struct rl_channel_layer *layer, int64_t output, int64_t input)
{
    int64_t sum = 0;

    for (int64_t i = 0; i < layer->positions; i++) {
        sum += weight(layer, output, i, input);
    }
    return sum;
}

bool rl_channel_is_weighed(const struct rl_channel_layer *layer, int64_t output, int64_t input)
{
    for (int64_t i = 0; i < layer->positions; i++) {
        if (weight(layer, output, i, input) != 0) {
            return true;
        }
    }
    return false;
}

// ---- padding

static bool goes_beyond(int64_t input, int64_t output, int64_t kernel, int64_t stride, int64_t padding,
                        int64_t dilation)
{
    if (kernel > INT16_MAX || stride < 1 || stride > INT16_MAX || dilation < 1 || dilation > INT16_MAX ||
        output > INT32_MAX) {
        return true; // nothing that a kernel accepts
    }
    return padding > 0 || (output - 1) * stride + (kernel - 1) * dilation >= input;
}

bool rl_channel_reaches_padding(const struct rl_node *node, int64_t kernel_height, int64_t kernel_width)
{
    const struct rl_tensor_type *input = &node->args[0].as.value->type, *output = &node->results[0]->type;
    const bool is_dilated = rl_op_argument(rl_op_get(node->op), "dilation") >= 0;
    int64_t stride[2], padding[2], dilation[2] = {1, 1};

    if (!rl_node_ints(node, "stride", 2, 1, stride) || !rl_node_ints(node, "padding", 2, 0, padding) ||
        (is_dilated && !rl_node_ints(node, "dilation", 2, 1, dilation))) {
        return true;
    }
    return goes_beyond(input->sizes[2], output->sizes[2], kernel_height, stride[0], padding[0], dilation[0]) ||
           goes_beyond(input->sizes[3], output->sizes[3], kernel_width, stride[1], padding[1], dilation[1]);
}

bool rl_channel_adds_constant(const struct rl_channel_layer *layer, int32_t constant)
{
    const int64_t *sizes = layer->weights->type.sizes;

    if (constant == RL_CHANNEL_VARIES) {
        return false;
    }
    return layer->is_linear || constant + layer->input_offset == 0 ||
           !rl_channel_reaches_padding(layer->node, sizes[1], sizes[2]);
}

// ---- constants in sums

static bool fits(const struct rl_channel_map *map, const struct rl_channel_layer *layer, int64_t output)
{
    const int32_t *constants = rl_channels_of(map, layer->input)->constants;
    const int64_t bias = rl_channel_bias(layer, output);
    int64_t most = rl_channel_sum_fits(layer, bias) ? llabs(bias) : INT64_MAX;

    for (int64_t i = 0; i < layer->inputs && rl_channel_sum_fits(layer, most); i++) {
        const int32_t constant = constants[i / layer->inner];
        if (constant != RL_CHANNEL_VARIES) {
            most += llabs((constant + layer->input_offset) * rl_channel_weight_sum(layer, output, i));
        }
    }
    return rl_channel_sum_fits(layer, most);
}

bool rl_channel_constants_fit(const struct rl_channel_map *map, const struct rl_channel_layer *layer)
{
    for (int64_t output = 0; output < layer->outputs; output++) {
        if (!fits(map, layer, output)) {
            return false;
        }
    }
    return true;
}
