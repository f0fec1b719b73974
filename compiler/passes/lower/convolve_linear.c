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
    struct rl_value *filters = rl_reshape_weights(&at, &weights, 4, pixels(RL_INT8, weights.channels, depth).sizes);
    const struct rl_arg args[] = {rl_arg_value(reals), rl_arg_value(filters), *rl_node_arg(node, "bias")};
    const struct rl_tensor_type old = match.quantize->results[0]->type;
    struct rl_node *view = rl_restore_result(graph, match.quantize, RL_OP_aten_view_copy, "pixels", &integers);
    rl_node_set(view, "size", rl_arg_ints(graph->arena, old.sizes, old.rank));
    node->results[0]->type = pixels(node->results[0]->type.dtype, rows, weights.channels);
    rl_build_end(&at, RL_OP_aten_conv2d, args, 3);
    return true;
}

enum rl_status rl_pass_convolve_linear(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_aten_linear, convolve);
    return RL_OK;
}
