// SPDX-License-Identifier: Apache-2.0
//
// fuse_hardsigmoid: hardsigmoid between a layer with weights and its quantize node becomes the scale, the zero point
// and the range of that node.
//   needs   functional operators
//   keeps   values, to the rounding of the zero point
//   breaks  the name of the value before hardsigmoid: it takes hardsigmoid's
//
// hardsigmoid(x) = clamp(x / 6 + 1 / 2, 0, 1), so on a grid of scale s and zero point z
//   clamp(x / (6 s) + 1 / (2 s) + z)   is x on the grid of scale 6 s and zero point z + 1 / (2 s),
// held between the integers of 0 and 1 (ExecuTorch backends/cortex_m/passes/activation_fusion_pass.py). Where no result
// reaches 1/2, that zero point lies above int8. What is beyond 127 then becomes part of the bias. ExecuTorch cuts it
// off, and all results with it.
#include "compiler/passes/passes.h"

#include <math.h>

#include "compiler/passes/rewrite/rewrite.h"
#include "compiler/passes/rewrite/weights.h"

// The layer that made what hardsigmoid takes. NULL when another node uses it, too, or when it computes in floating
// point, where the zero point need not be rounded.
static struct rl_node *layer_before(const struct rl_graph *graph, const struct rl_node *node)
{
    struct rl_value *input = rl_node_tensor(node, "self");
    if (input->kind != RL_VALUE_RESULT || !rl_op_get(input->producer->op)->has_weights ||
        rl_value_only_user(graph, input) != node) {
        return NULL;
    }
    struct rl_node *layer = input->producer;
    const struct rl_value *weight = rl_node_tensor(layer, "weight");
    struct rl_grid grid;
    const bool has_integers = rl_int8_behind(rl_node_tensor(layer, "input"), &grid) &&
                              weight->kind == RL_VALUE_RESULT &&
                              rl_op_get(weight->producer->op)->dialect == RL_DIALECT_QUANTIZED_DECOMPOSED;
    return has_integers ? layer : NULL;
}

static int64_t output_channels(const struct rl_node *layer)
{
    const struct rl_tensor_type *type = &layer->results[0]->type;
    const bool is_linear = rl_op_get(layer->op)->layer == RL_LAYER_LINEAR;
    return type->sizes[is_linear ? type->rank - 1 : 1];
}

// Adds a number to each result of the layer.
static bool lift_bias(struct rl_graph *graph, struct rl_node *layer, double number)
{
    const int64_t channels = output_channels(layer);
    double *values = rl_arena_array(graph->arena, (size_t)channels, sizeof *values);
    float *lifted = rl_arena_array(graph->arena, (size_t)channels, sizeof *lifted);
    if (!rl_read_bias(graph, layer, channels, values)) {
        return false;
    }
    for (int64_t c = 0; c < channels; c++) {
        lifted[c] = (float)(values[c] + number);
    }
    const struct rl_tensor_type type = rl_tensor_type_make(RL_FLOAT32, 1, &channels);
    struct rl_value *bias =
        rl_graph_add_constant(graph, rl_arena_format(graph->arena, "%s_bias", layer->name), &type, lifted);
    rl_node_set(layer, "bias", rl_arg_value(bias));
    return true;
}

static bool fuse(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    struct rl_node *layer = layer_before(graph, node);
    struct rl_node *quantize = rl_value_only_user(graph, node->results[0]);
    struct rl_grid grid;
    if (!layer || layer->results[0]->type.rank < 2 || !quantize || !rl_is_quantize(quantize, &grid) ||
        grid.dtype != RL_INT8 || !(grid.scale > 0.0)) {
        return false;
    }
    const double middle = (double)grid.zero_point + nearbyint(1.0 / (2.0 * grid.scale));
    const double excess = fmax(middle - INT8_MAX, 0.0);
    if (excess > 0.0 && !lift_bias(graph, layer, excess * 6.0 * grid.scale)) {
        return false;
    }
    rl_node_set(quantize, "quant_min", rl_arg_int(rl_grid_quantize(&grid, 0.0f)));
    rl_node_set(quantize, "quant_max", rl_arg_int(rl_grid_quantize(&grid, 1.0f)));
    rl_node_set(quantize, "scale", rl_arg_double(grid.scale * 6.0));
    rl_node_set(quantize, "zero_point", rl_arg_int((int64_t)(middle - excess)));
    const char *name = node->results[0]->name;
    rl_replace_node(graph, node, layer->results[0]);
    layer->results[0]->name = name;
    return true;
}

enum rl_status rl_pass_fuse_hardsigmoid(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_aten_hardsigmoid, fuse);
    return RL_OK;
}
