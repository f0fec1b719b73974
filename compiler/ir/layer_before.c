// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/layer_before.h"

static bool is_float_constant(const struct rl_value *value)
{
    return value->kind == RL_VALUE_CONSTANT && !rl_value_is_state(value) && value->type.dtype == RL_FLOAT32;
}

static bool is_view_of_channels(const struct rl_node *node)
{
    if (node->op != RL_OP_aten_view_copy) {
        return false;
    }
    const struct rl_tensor_type *from = &node->args[0].as.value->type, *to = &node->results[0]->type;
    return from->rank >= 2 && to->rank >= 2 && from->sizes[0] == to->sizes[0] && from->sizes[1] == to->sizes[1];
}

static bool has_channels(const struct rl_node *node)
{
    switch (node->op) {
    case RL_OP_aten_conv2d:
        return node->results[0]->type.rank == 4;
    case RL_OP_aten_conv_transpose2d_input:
        return node->results[0]->type.rank == 4 && rl_node_int(node, "groups") == 1;
    default:
        return false;
    }
}

struct rl_node *rl_layer_before(const struct rl_graph *graph, const struct rl_value *value)
{
    while (value->kind == RL_VALUE_RESULT && rl_value_only_user(graph, value) && is_view_of_channels(value->producer)) {
        value = value->producer->args[0].as.value;
    }
    if (value->kind != RL_VALUE_RESULT || value->type.rank < 2 || !rl_value_only_user(graph, value) ||
        !has_channels(value->producer)) {
        return NULL;
    }
    struct rl_node *layer = value->producer;
    const struct rl_value *weight = rl_node_tensor(layer, "weight"), *bias = rl_node_tensor(layer, "bias");
    const bool fits = is_float_constant(weight) && (!bias || is_float_constant(bias)) &&
                      weight->type.rank == value->type.rank &&
                      weight->type.sizes[rl_layer_output_axis(layer)] == value->type.sizes[1];
    return fits ? layer : NULL;
}

int rl_layer_output_axis(const struct rl_node *layer)
{
    return layer->op == RL_OP_aten_conv_transpose2d_input ? 1 : 0;
}
