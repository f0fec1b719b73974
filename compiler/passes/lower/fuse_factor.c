// SPDX-License-Identifier: Apache-2.0
//
// fuse_factor: a product with a positive number between an operator and its quantize node becomes the scale of that
// node.
//   needs   functional operators
//   keeps   values, exactly: x * c on a grid of scale s has the integers of x on the grid of scale s / c
//   breaks  the name of the value before the product: it takes the product's
//
// The stock quantizer has no such step.
#include "compiler/passes/passes.h"

#include "compiler/ir/factor.h"
#include "compiler/passes/rewrite/match.h"
#include "compiler/passes/rewrite/rewrite.h"

static bool fuse(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    struct rl_node *quantize = rl_value_only_user(graph, node->results[0]);
    struct rl_grid grid;
    int operand;
    double factor;
    if (!quantize || !rl_is_quantize(quantize, &grid) || !rl_read_factor(node, &operand, &factor)) {
        return false;
    }
    struct rl_value *input = node->args[operand].as.value;
    const double scale = grid.scale / factor;
    if (input->kind != RL_VALUE_RESULT || rl_is_dequantize(input->producer, &grid) || !rl_is_scale(scale) ||
        rl_value_only_user(graph, input) != node) {
        return false;
    }
    rl_node_set(quantize, "scale", rl_arg_double(scale));
    const char *name = node->results[0]->name;
    rl_replace_node(graph, node, input);
    input->name = name;
    return true;
}

enum rl_status rl_pass_fuse_factor(struct rl_pass *pass)
{
    if (pass->options->quantizer != RL_QUANTIZER_STOCK) {
        rl_lower_each(pass, RL_OP_aten_mul, fuse);
        rl_lower_each(pass, RL_OP_aten_div_tensor, fuse);
    }
    return RL_OK;
}
