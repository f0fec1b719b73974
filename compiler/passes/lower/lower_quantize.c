// SPDX-License-Identifier: Apache-2.0
//
// lower_quantize: the quantize and dequantize nodes that are left become cortex_m ones.
//   needs   every integer lowering done
//   keeps   names and values
//   breaks  nothing
//
// Constants that are dequantized (weights of an operator that stayed in floating point) become float32 constants.
#include "compiler/passes/passes.h"

#include "compiler/passes/rewrite/dequantized.h"
#include "compiler/passes/rewrite/match.h"
#include "compiler/passes/rewrite/rewrite.h"

// Whether the runtime's operators know the type.
static bool is_known(const struct rl_grid *grid)
{
    return (grid->dtype == RL_INT8 && grid->min >= INT8_MIN && grid->max <= INT8_MAX) ||
           (grid->dtype == RL_INT16 && grid->min >= INT16_MIN && grid->max <= INT16_MAX);
}

// Puts a float constant in place of a node that dequantizes one of integers.
static void replace_by_floats(struct rl_graph *graph, struct rl_node *node)
{
    const struct rl_value *constant = rl_node_tensor(node, "input");
    struct rl_tensor_type type = constant->type;
    type.dtype = RL_FLOAT32;
    float *data = rl_arena_array(graph->arena, (size_t)rl_tensor_numel(&type), sizeof *data);
    rl_dequantize_constant(node, data);
    struct rl_value *floats = rl_graph_take_constant(graph, constant->name, &type, data);
    floats->dequantized_by = rl_arena_copy(graph->arena, node, sizeof *node);
    rl_replace_node(graph, node, floats);
}

static bool lower_dequantize(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    struct rl_grid grid;
    rl_is_dequantize(node, &grid);
    if (rl_dequantizes_constant(node)) {
        replace_by_floats(graph, node);
        return true;
    }
    if (!is_known(&grid)) {
        return rl_decline(graph, node, "dequantizes another type than int8 and int16");
    }
    const struct rl_node old = *node;
    rl_node_become(graph, node, RL_OP_cm_dequantize_per_tensor);
    for (int i = 0; i < node->arg_count; i++) {
        node->args[i] = *rl_node_arg(&old, rl_op_get(node->op)->args[i].name);
    }
    return true;
}

static bool lower_dequantize_per_channel(const struct rl_pass *pass, struct rl_node *node)
{
    if (!rl_dequantizes_constant(node)) {
        return rl_decline(pass->graph, node, "dequantizes per channel something that is not constant");
    }
    replace_by_floats(pass->graph, node);
    return true;
}

static bool lower_quantize(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_grid grid;
    rl_is_quantize(node, &grid);
    if (!is_known(&grid)) {
        return rl_decline(pass->graph, node, "quantizes to another type than int8 and int16");
    }
    node->op = RL_OP_cm_quantize_per_tensor; // the schemas are the same
    return true;
}

enum rl_status rl_pass_lower_quantize(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_qd_dequantize_per_tensor, lower_dequantize);
    rl_lower_each(pass, RL_OP_qd_dequantize_per_channel, lower_dequantize_per_channel);
    rl_lower_each(pass, RL_OP_qd_quantize_per_tensor, lower_quantize);
    return RL_OK;
}
