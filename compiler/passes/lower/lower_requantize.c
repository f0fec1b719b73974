// SPDX-License-Identifier: Apache-2.0
//
// lower_requantize: a dequantize node and a quantize node of another grid behind it become a table of 256 integers.
//   needs   nodes of equal grids removed (fuse_requantize)
//   keeps   values, exactly
//   breaks  nothing
//
// Graphs of other quantizers, and of the stock one, keep both nodes, as the stock flow does.
#include "compiler/passes/passes.h"

#include "compiler/passes/rewrite/match.h"
#include "compiler/passes/rewrite/rewrite.h"

static bool lower(const struct rl_pass *pass, struct rl_node *node)
{
    static const int64_t sizes[1] = {RL_TABLE_SIZE};
    struct rl_graph *graph = pass->graph;
    struct rl_grid from, to;
    struct rl_value *integers = rl_int8_behind(rl_node_tensor(node, "input"), &from);
    if (!integers || !rl_is_quantize(node, &to) || to.dtype != RL_INT8) {
        return false;
    }
    int8_t table[RL_TABLE_SIZE];
    rl_fill_requantizing_table(&from, &to, table);
    const struct rl_tensor_type type = rl_tensor_type_make(RL_INT8, 1, sizes);
    struct rl_value *constant =
        rl_graph_add_constant(graph, rl_arena_format(graph->arena, "%s_table", node->name), &type, table);
    rl_node_become(graph, node, RL_OP_cm_quantized_activation);
    rl_node_set(node, "input", rl_arg_value(integers));
    rl_node_set(node, "lut", rl_arg_value(constant));
    return true;
}

enum rl_status rl_pass_lower_requantize(struct rl_pass *pass)
{
    if (pass->options->quantizer != RL_QUANTIZER_STOCK && !rl_is_imported(pass)) {
        rl_lower_each(pass, RL_OP_qd_quantize_per_tensor, lower);
    }
    return RL_OK;
}
