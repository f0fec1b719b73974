// SPDX-License-Identifier: Apache-2.0
//
// fuse_padding: a pad with zeros in front of a convolution becomes its padding.
//   needs   canonical operators; pads not yet on int8 values (lower_data_movement)
//   keeps   names and values
//   breaks  nothing
//
// The kernels pad with the input's zero point, which represents 0, by equal amounts at both ends. In a quantized graph
// a quantize and a dequantize node stand between the pad and the convolution. If they use the grid of the pad's own
// input, they are removed as well.
#include "compiler/passes/passes.h"

#include "compiler/passes/lower/padding.h"
#include "compiler/passes/rewrite/match.h"
#include "compiler/passes/rewrite/rewrite.h"

// The pad that makes the input of a convolution; NULL when there is none.
static const struct rl_node *pad_behind(const struct rl_value *value)
{
    struct rl_grid after;
    struct rl_grid between;
    struct rl_grid before;
    const struct rl_value *quantized = rl_integers_behind(value, &after);
    if (quantized && quantized->kind == RL_VALUE_RESULT && rl_is_quantize(quantized->producer, &between) &&
        rl_grid_equal(&after, &between)) {
        value = rl_node_tensor(quantized->producer, "input");
    }
    if (value->kind != RL_VALUE_RESULT || value->producer->op != RL_OP_aten_constant_pad_nd) {
        return NULL;
    }
    const struct rl_node *pad = value->producer;
    const bool same_grid =
        !quantized || (rl_integers_behind(rl_node_tensor(pad, "self"), &before) && rl_grid_equal(&before, &after));
    return same_grid ? pad : NULL;
}

static bool fuse(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_value *input = rl_node_tensor(node, "input");
    const struct rl_node *pad = input->type.rank == 4 ? pad_behind(input) : NULL;
    struct rl_edges edges;
    if (!pad || rl_node_number(pad, "value") != 0.0 || !rl_pad_edges(pad, &edges) || edges.top != edges.bottom ||
        edges.left != edges.right) {
        return false;
    }
    return rl_take_padding(pass->graph, node, pad, &edges);
}

enum rl_status rl_pass_fuse_padding(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_aten_conv2d, fuse);
    return RL_OK;
}
