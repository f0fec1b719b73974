// SPDX-License-Identifier: Apache-2.0
//
// convolve_linear: quantized linear layers whose weights have a grid per channel become convolutions of single pixels,
// and so do those of int16.
//   needs   activations fused into the quantize node (fuse_activation)
//   keeps   values, exactly
//   breaks  nothing
//
// cortex_m::quantized_linear takes one multiplier and one offset of the weights. cortex_m::quantized_conv2d has a
// multiplier for each channel. A row of the linear layer becomes one image of one pixel:
//
//   linear([N, K], [O, K])   becomes   view(conv2d(view([N, K, 1, 1]), [O, K, 1, 1])
//
// The views move integers and nothing in memory, because the elements of both stand in the same order.
#include "compiler/passes/passes.h"

#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"
#include "compiler/passes/rewrite/weights.h"

static struct rl_tensor_type pixels(enum rl_scalar_type dtype, int64_t rows, int64_t channels)
{
    const int64_t sizes[4] = {rows, channels, 1, 1};
    return rl_tensor_type_make(dtype, 4, sizes);
}

static struct rl_value *pixel_weights(const struct rl_build *at, const struct rl_weights *weights)
{
    static const int in_order[2] = {0, 1};
    const struct rl_value *rows = rl_constant_permuted(at->graph, weights->value, in_order, weights->value->name);
    const struct rl_tensor_type type = pixels(RL_INT8, weights->channels, rows->type.sizes[1]);
    struct rl_value *integers = rl_graph_add_constant(at->graph, weights->value->name, &type, rows->data);
    return rl_build_dequantize(at, rl_node_tensor(at->node, "weight")->producer, integers);
}

// Gives the quantize node the sizes of the convolution's result, and its users a view with the old ones.
static void restore_sizes(struct rl_graph *graph, struct rl_node *quantize, const struct rl_tensor_type *type)
{
    struct rl_value *integers = quantize->results[0];
    const struct rl_tensor_type old = integers->type;
    struct rl_node *view = rl_insert_before(graph, quantize->next, RL_OP_aten_view_copy,
                                            rl_arena_format(graph->arena, "%s_pixels", integers->name), quantize, &old);
    rl_graph_replace_uses(graph, integers, view->results[0]);
    rl_node_set(view, "self", rl_arg_value(integers));
    rl_node_set(view, "size", rl_arg_ints(graph->arena, old.sizes, old.rank));
    integers->type = *type;
    const char *name = integers->name;
    integers->name = view->results[0]->name;
    view->results[0]->name = name;
}

static bool convolve(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_build at = {graph, node};
    struct rl_match match;
    struct rl_weights weights;
    const struct rl_value *bias;
    const enum rl_scalar_type dtype = rl_integer_type(rl_node_tensor(node, "input"));
    if (!rl_match_of_type(graph, node, 1, dtype, &match) ||
        !rl_match_shifted_weights(graph, node, "weight", 0, &weights) ||
        !rl_match_bias(graph, node, match.operands[0].grid.scale, &weights, &bias) || weights.value->type.rank != 2 ||
        (dtype == RL_INT8 && rl_weights_have_one_grid(&weights))) {
        return false;
    }
    const int64_t depth = weights.value->type.sizes[1];
    struct rl_value *input = match.operands[0].value;
    if (depth < 1 || input->type.sizes[input->type.rank - 1] != depth) {
        return false;
    }
    const int64_t rows = rl_tensor_numel(&input->type) / depth;
    struct rl_value *image = rl_build_view(&at, input, 4, pixels(dtype, rows, depth).sizes);
    const struct rl_tensor_type integers = pixels(dtype, rows, weights.channels);
    const struct rl_node *dequantize = rl_node_tensor(node, "input")->producer;
    struct rl_value *reals = rl_build_dequantize(&at, dequantize, image);
    const struct rl_arg args[] = {rl_arg_value(reals), rl_arg_value(pixel_weights(&at, &weights)),
                                  *rl_node_arg(node, "bias")};
    restore_sizes(graph, match.quantize, &integers);
    node->results[0]->type = pixels(node->results[0]->type.dtype, rows, weights.channels);
    rl_build_end(&at, RL_OP_aten_conv2d, args, 3);
    return true;
}

enum rl_status rl_pass_convolve_linear(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_aten_linear, convolve);
    return RL_OK;
}
