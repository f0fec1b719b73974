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
// In front of it nothing moves in memory if the image is channels-last, as those of convolutions are.
#include "compiler/passes/passes.h"

#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"
#include "compiler/passes/rewrite/weights.h"

static const int64_t TO_ROWS[4] = {0, 2, 3, 1}, TO_IMAGE[4] = {0, 3, 1, 2};

static bool has_numbers(const struct rl_node *node, const char *name, int64_t number)
{
    int64_t numbers[2];
    return rl_node_ints(node, name, 2, number, numbers) && numbers[0] == number && numbers[1] == number;
}

static bool is_pointwise(const struct rl_node *node)
{
    const struct rl_tensor_type *weight = &rl_node_tensor(node, "weight")->type;
    return rl_node_tensor(node, "input")->type.rank == 4 && weight->rank == 4 && weight->sizes[2] == 1 &&
           weight->sizes[3] == 1 && rl_node_int(node, "groups") == 1 && has_numbers(node, "stride", 1) &&
           has_numbers(node, "padding", 0);
}

static struct rl_value *rows_of(const struct rl_build *at, const struct rl_weights *weights)
{
    static const int in_order[4] = {0, 1, 2, 3};
    const struct rl_value *filters = rl_constant_permuted(at->graph, weights->value, in_order, weights->value->name);
    const struct rl_tensor_type type = rl_tensor_type_make(RL_INT8, 2, filters->type.sizes);
    struct rl_value *integers = rl_graph_add_constant(at->graph, weights->value->name, &type, filters->data);
    return rl_build_dequantize(at, rl_node_tensor(at->node, "weight")->producer, integers);
}

static struct rl_tensor_type permuted(const struct rl_tensor_type *type, const int64_t dims[4])
{
    int64_t sizes[4];
    for (int d = 0; d < 4; d++) {
        sizes[d] = type->sizes[dims[d]];
    }
    return rl_tensor_type_make(type->dtype, 4, sizes);
}

// Gives the quantize node rows of channels, and its users, under the old name, the image of them.
static void restore_image(struct rl_graph *graph, struct rl_node *quantize)
{
    struct rl_value *integers = quantize->results[0];
    const struct rl_tensor_type image = integers->type;
    const char *name = integers->name;
    struct rl_node *permute = rl_insert_before(graph, quantize->next, RL_OP_aten_permute_copy,
                                               rl_arena_format(graph->arena, "%s_rows", name), quantize, &image);
    rl_graph_replace_uses(graph, integers, permute->results[0]);
    rl_node_set(permute, "self", rl_arg_value(integers));
    rl_node_set(permute, "dims", rl_arg_ints(graph->arena, TO_IMAGE, 4));
    integers->type = permuted(&image, TO_ROWS);
    integers->name = permute->results[0]->name;
    permute->results[0]->name = name;
}

static bool linearize(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_build at = {graph, node};
    struct rl_match match;
    struct rl_weights weights;
    if (!is_pointwise(node) || !rl_has_int16_result(graph, node) ||
        rl_integer_type(rl_node_tensor(node, "input")) != RL_INT8 ||
        !rl_match_between(graph, node, RL_INT8, RL_INT16, &match) || match.output.zero_point != 0 ||
        !rl_may_use_rushlight(pass, node) || !rl_match_weights(graph, node, "weight", &weights)) {
        return false;
    }
    struct rl_value *rows = rl_build_permute(&at, match.operands[0].value, TO_ROWS);
    struct rl_value *reals = rl_build_dequantize(&at, rl_node_tensor(node, "input")->producer, rows);
    const struct rl_arg args[] = {rl_arg_value(reals), rl_arg_value(rows_of(&at, &weights)),
                                  *rl_node_arg(node, "bias")};
    restore_image(graph, match.quantize);
    node->results[0]->type = permuted(&node->results[0]->type, TO_ROWS);
    rl_build_end(&at, RL_OP_aten_linear, args, 3);
    return true;
}

enum rl_status rl_pass_linearize_conv(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_aten_conv2d, linearize);
    return RL_OK;
}
