// SPDX-License-Identifier: Apache-2.0
//
// fold_quantize: a quantized constant becomes a constant of integers.
//   needs   nothing
//   keeps   values, exactly
//   breaks  nothing
//
// Only quantize nodes are folded before the lowerings, because these match dequantize nodes in front of operators. A
// constant that is still dequantized afterwards feeds an operator that stays in floating point, and lower_quantize
// folds its dequantize node.
#include "compiler/passes/passes.h"

#include "compiler/passes/rewrite/match.h"
#include "compiler/passes/rewrite/rewrite.h"

static bool fold(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    struct rl_grid grid;
    const struct rl_value *input = rl_node_tensor(node, "input");
    if (input->kind != RL_VALUE_CONSTANT || input->type.dtype != RL_FLOAT32 || !rl_is_quantize(node, &grid) ||
        grid.dtype != RL_INT8 || grid.min < INT8_MIN || grid.max > INT8_MAX) {
        return false;
    }
    const int64_t count = rl_tensor_numel(&input->type);
    const float *values = input->data;
    int8_t *data = rl_arena_array(graph->arena, (size_t)count, sizeof *data);
    for (int64_t i = 0; i < count; i++) {
        data[i] = (int8_t)rl_grid_quantize(&grid, values[i]);
    }
    struct rl_tensor_type type = input->type;
    type.dtype = RL_INT8;
    rl_replace_node(graph, node, rl_graph_take_constant(graph, input->name, &type, data));
    return true;
}

enum rl_status rl_pass_fold_quantize(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_qd_quantize_per_tensor, fold);
    return RL_OK;
}
