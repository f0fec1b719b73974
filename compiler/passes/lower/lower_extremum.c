// SPDX-License-Identifier: Apache-2.0
//
// lower_extremum: the smaller or the larger of two quantized tensors becomes cortex_m::minimum or cortex_m::maximum.
//   needs   activations fused into the quantize node (fuse_activation)
//   keeps   values, exactly; the name of the quantized value
//   breaks  nothing
//
// Integers of one grid are ordered as the numbers that they stand for. So both operands and the result must share one
// grid, as the quantizers let them. The operator has no activation range: a fused activation becomes a clamp after it.
#include "compiler/passes/passes.h"

#include "compiler/passes/rewrite/match.h"
#include "compiler/passes/rewrite/rewrite.h"

enum { KERNEL_RANK = 4 };

// int16 takes the portable operator, which computes on integers, too.
static enum rl_op_id portable_of(enum rl_op_id op)
{
    return op == RL_OP_cm_minimum ? RL_OP_aten_minimum : RL_OP_aten_maximum;
}

static bool lower_extremum(struct rl_graph *graph, struct rl_node *node, enum rl_op_id op)
{
    struct rl_match match;
    if (node->results[0]->type.rank > KERNEL_RANK) {
        return rl_decline(graph, node, "a result of rank %d; accepted: up to %d", node->results[0]->type.rank,
                          KERNEL_RANK);
    }
    const enum rl_scalar_type type = rl_integer_type(node->args[0].as.value);
    if (!rl_match_of_type(graph, node, 2, type, &match)) {
        return false;
    }
    const struct rl_grid *grid = &match.operands[0].grid;
    if (!rl_grid_equal(grid, &match.operands[1].grid) || !rl_grid_equal(grid, &match.output)) {
        return rl_decline(graph, node, "its operands and its result have different scales or zero points");
    }
    struct rl_node *lowered = rl_match_replace(graph, &match, type == RL_INT16 ? portable_of(op) : op);
    rl_node_set(lowered, "self", rl_arg_value(match.operands[0].value));
    rl_node_set(lowered, "other", rl_arg_value(match.operands[1].value));
    rl_match_clamp(graph, &match, lowered);
    return true;
}

static bool lower_minimum(const struct rl_pass *pass, struct rl_node *node)
{
    return lower_extremum(pass->graph, node, RL_OP_cm_minimum);
}

static bool lower_maximum(const struct rl_pass *pass, struct rl_node *node)
{
    return lower_extremum(pass->graph, node, RL_OP_cm_maximum);
}

enum rl_status rl_pass_lower_extremum(struct rl_pass *pass)
{
    static const struct rl_lowering table[] = {
        {RL_OP_aten_minimum, lower_minimum},
        {RL_OP_aten_min_other, lower_minimum},
        {RL_OP_aten_maximum, lower_maximum},
        {RL_OP_aten_max_other, lower_maximum},
    };

    rl_lower_table(pass, table, sizeof table / sizeof table[0]);
    return RL_OK;
}
