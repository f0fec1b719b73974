// SPDX-License-Identifier: Apache-2.0
//
// center_weights: convolutions whose int8 weights have a zero point get weights without one.
//   needs   nothing
//   keeps   values, exactly
//   breaks  nothing
//
// The kernels of convolutions take no offset of the weights. A weight less its zero point has up to nine bits. Where
// all of them fit int8, they are the new weights. Otherwise each is the sum of two int8 weights (of three where one is
// 255), and the convolution reads its input channels as often:
//
//   conv2d(x, w - zero_point)   becomes   conv2d(cat(x, x), cat(clamp(w - zero_point), the rest))
//
// With groups the copies stand side by side in each group. The sums are the same integers. The work grows with the
// copies, which is still far below that of floats.
#include "compiler/passes/passes.h"

#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"
#include "compiler/passes/rewrite/weights.h"

enum { MOST_PARTS = 3 }; // 255 is 127 + 127 + 1

static int64_t clamp_to_int8(int64_t number)
{
    if (number < INT8_MIN) {
        return INT8_MIN;
    }
    return number > INT8_MAX ? INT8_MAX : number;
}

// Weights less their zero points, in the order of their sizes.
static int16_t *center(struct rl_graph *graph, const struct rl_weights *weights)
{
    const int64_t count = rl_tensor_numel(&weights->value->type);
    int16_t *centered = rl_arena_array(graph->arena, (size_t)count, sizeof *centered);
    for (int64_t i = 0; i < count; i++) {
        centered[i] = (int16_t)rl_weight(weights, i);
    }
    return centered;
}

// How many int8 weights each of the numbers takes at most.
static int count_parts(const int16_t *numbers, int64_t count)
{
    int parts = 1;
    for (int64_t i = 0; i < count; i++) {
        int needed = 1;
        for (int64_t rest = numbers[i]; rest != clamp_to_int8(rest); rest -= clamp_to_int8(rest)) {
            needed++;
        }
        parts = needed > parts ? needed : parts;
    }
    return parts;
}

// The parts, one after the other in the dimension of input channels, whose items together have `length` elements.
static const int8_t *split(struct rl_graph *graph, const int16_t *numbers, int64_t count, int64_t length, int parts)
{
    int8_t *data = rl_arena_array(graph->arena, (size_t)count, (size_t)parts);
    for (int64_t i = 0; i < count; i++) {
        int64_t rest = numbers[i];
        for (int part = 0; part < parts; part++) {
            const int64_t weight = clamp_to_int8(rest);
            data[(i / length * parts + part) * length + i % length] = (int8_t)weight;
            rest -= weight;
        }
    }
    return data;
}

// A dequantize node like that of the weights, of symmetric `integers`.
static struct rl_value *dequantize_centered(const struct rl_build *at, const struct rl_node *from,
                                            const struct rl_weights *weights, struct rl_value *integers)
{
    struct rl_node *node = rl_build_dequantize(at, from, integers)->producer;
    rl_node_set(node, "quant_min", rl_arg_int(INT8_MIN));
    rl_node_set(node, "quant_max", rl_arg_int(INT8_MAX));
    if (!weights->per_channel) {
        rl_node_set(node, "zero_point", rl_arg_int(0));
        return node->results[0];
    }
    const struct rl_tensor_type zeros = rl_tensor_type_make(RL_INT64, 1, &weights->channels);
    const int64_t *data = rl_arena_array(at->graph->arena, (size_t)weights->channels, sizeof *data);
    rl_node_set(node, "zero_points",
                rl_arg_value(rl_graph_add_constant(
                    at->graph, rl_arena_format(at->graph->arena, "%s_zeros", integers->name), &zeros, data)));
    return node->results[0];
}

// The input with several copies of its channels, those of each group side by side; still dequantized.
static struct rl_value *repeat_channels(const struct rl_build *at, const struct rl_match *match, int64_t groups,
                                        int copies)
{
    struct rl_value *integers = match->operands[0].value;
    const struct rl_node *dequantize = at->node->args[0].as.value->producer;
    const int64_t *sizes = integers->type.sizes;
    const int64_t grouped[4] = {sizes[0], groups, sizes[1] / groups, sizes[2] * sizes[3]};
    const int64_t whole[4] = {sizes[0], copies * sizes[1], sizes[2], sizes[3]};
    struct rl_value *parts[MOST_PARTS];
    parts[0] = groups > 1 ? rl_build_view(at, integers, 4, grouped) : integers;
    for (int i = 1; i < copies; i++) {
        parts[i] = parts[0];
    }
    struct rl_value *all = rl_build_cat(at, parts, copies, groups > 1 ? 2 : 1);
    if (groups > 1) {
        all = rl_build_view(at, all, 4, whole);
    }
    return rl_build_dequantize(at, dequantize, all);
}

// Sets symmetric weights, and the input that they need.
static void set_weights(const struct rl_build *at, const struct rl_match *match, const struct rl_weights *weights)
{
    struct rl_graph *graph = at->graph;
    struct rl_tensor_type type = rl_tensor_type_make(RL_INT8, 4, weights->value->type.sizes);
    const int64_t count = rl_tensor_numel(&type);
    const int16_t *centered = center(graph, weights);
    const int parts = count_parts(centered, count);
    const int channels = 1 - weights->axis; // the dimension of input channels
    const int64_t length = channels == 0 ? count : count / type.sizes[0];
    if (parts > 1) {
        const int64_t groups = rl_node_int(at->node, "groups");
        rl_node_set(at->node, "input", rl_arg_value(repeat_channels(at, match, groups, parts)));
        type.sizes[channels] *= parts;
    }
    struct rl_value *integers =
        rl_graph_add_constant(graph, weights->value->name, &type, split(graph, centered, count, length, parts));
    const struct rl_node *dequantize = rl_node_tensor(at->node, "weight")->producer;
    rl_node_set(at->node, "weight", rl_arg_value(dequantize_centered(at, dequantize, weights, integers)));
}

static bool center_weights(const struct rl_pass *pass, struct rl_node *node, int axis)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_build at = {graph, node};
    const int64_t groups = rl_node_int(node, "groups");
    const int64_t *input = rl_node_tensor(node, "input")->type.sizes;
    struct rl_match match;
    struct rl_weights weights;
    const struct rl_value *bias;
    if (!rl_has_quantized_weights(pass, node) || rl_node_tensor(node, "input")->type.rank != 4 ||
        !rl_match(graph, node, 1, &match) || !rl_match_shifted_weights(graph, node, "weight", axis, &weights) ||
        !weights.zero_points || weights.value->type.rank != 4 || rl_tensor_numel(&weights.value->type) == 0 ||
        !rl_match_bias(graph, node, match.operands[0].grid.scale, &weights, &bias) || groups < 1 ||
        input[1] % groups != 0 || (axis == 1 && groups != 1)) {
        return false;
    }
    set_weights(&at, &match, &weights);
    return true;
}

static bool of_convolution(const struct rl_pass *pass, struct rl_node *node)
{
    return center_weights(pass, node, 0);
}

static bool of_transposed(const struct rl_pass *pass, struct rl_node *node)
{
    return center_weights(pass, node, 1);
}

enum rl_status rl_pass_center_weights(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_aten_conv2d, of_convolution);
    rl_lower_each(pass, RL_OP_aten_conv_transpose2d_input, of_transposed);
    return RL_OK;
}
