// SPDX-License-Identifier: Apache-2.0
//
// linearize_conv: quantized convolutions of single pixels whose results are int16 become linear layers of the channels.
//   needs   activations fused into the quantize node (fuse_activation)
//   keeps   values, exactly
//   breaks  nothing
//
// There are int16 results of int8 in rushlight::quantized_linear_s16 only:
//
//   conv2d([N, C, H, W], [O, C, 1, 1])   becomes   permute(linear(permute([N, H, W, C]), [O, C]))
//
// Images of convolutions are channels-last, so the first permutation moves nothing in memory.
#include "compiler/passes/passes.h"

#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"
#include "compiler/passes/rewrite/weights.h"

static const int64_t TO_ROWS[4] = {0, 2, 3, 1}, TO_IMAGE[4] = {0, 3, 1, 2};

// The type of rows of channels, of an image of this type.
static struct rl_tensor_type rows_of(const struct rl_tensor_type *image)
{
    const int64_t *sizes = image->sizes;
    return rl_tensor_type_make(image->dtype, 4, (const int64_t[]){sizes[0], sizes[2], sizes[3], sizes[1]});
}

static bool linearize(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_build at = {graph, node};
    struct rl_match match;
    struct rl_weights weights;
    if (!rl_is_pointwise(node) || !rl_has_int16_result(graph, node) ||
        rl_integer_type(rl_node_tensor(node, "input")) != RL_INT8 ||
        !rl_match_between(graph, node, RL_INT8, RL_INT16, &match) || match.output.zero_point != 0 ||
        !rl_may_use_rushlight(pass, node) || !rl_match_weights(graph, node, "weight", &weights)) {
        return false;
    }
    struct rl_value *rows = rl_build_permute(&at, match.operands[0].value, TO_ROWS);
    struct rl_value *reals = rl_build_dequantize(&at, rl_node_tensor(node, "input")->producer, rows);
    struct rl_value *filters = rl_reshape_weights(&at, &weights, 2, weights.value->type.sizes);
    const struct rl_arg args[] = {rl_arg_value(reals), rl_arg_value(filters), *rl_node_arg(node, "bias")};
    const struct rl_tensor_type integers = rows_of(&match.quantize->results[0]->type);
    struct rl_node *permute = rl_restore_result(graph, match.quantize, RL_OP_aten_permute_copy, "rows", &integers);
    rl_node_set(permute, "dims", rl_arg_ints(graph->arena, TO_IMAGE, 4));
    node->results[0]->type = rows_of(&node->results[0]->type);
    rl_build_end(&at, RL_OP_aten_linear, args, 3);
    return true;
}

enum rl_status rl_pass_linearize_conv(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_aten_conv2d, linearize);
    return RL_OK;
}
