// SPDX-License-Identifier: Apache-2.0
//
// lower_div: quantized quotients of two tensors become cortex_m::quantized_div, for int8 and int16.
//   needs   activations fused into the quantize node (fuse_activation)
//   keeps   values, to the rounding of the kernel; the name of the quantized value
//   breaks  nothing
//
// The kernel divides integers as floats and multiplies by scale / (scale * output scale). A divisor of zero gives zero.
// The operator has no activation range: a fused activation becomes a clamp after it.
#include "compiler/passes/passes.h"

#include "compiler/passes/rewrite/match.h"
#include "compiler/passes/rewrite/rewrite.h"

// The type that the result is quantized to; int8 where there is none.
static enum rl_scalar_type quantized_type(const struct rl_graph *graph, const struct rl_node *node)
{
    struct rl_grid grid;
    const struct rl_node *user = rl_value_only_user(graph, node->results[0]);
    return user && rl_is_quantize(user, &grid) && grid.dtype == RL_INT16 ? RL_INT16 : RL_INT8;
}

static bool lower_div(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    struct rl_match match;
    const struct rl_value *self = rl_node_tensor(node, "self");
    const struct rl_value *other = rl_node_tensor(node, "other");
    const struct rl_tensor_type *type = &node->results[0]->type;
    if (!rl_tensor_same_sizes(&self->type, type) || !rl_tensor_same_sizes(&other->type, type)) {
        const bool has_number = rl_tensor_numel(&self->type) == 1 || rl_tensor_numel(&other->type) == 1;
        return has_number ? false // lower_activation makes a table
                          : rl_decline(graph, node, "operands of different sizes; accepted: equal sizes, or a number");
    }
    if (!rl_match_of_type(graph, node, 2, quantized_type(graph, node), &match)) {
        return false;
    }
    const struct rl_grid *a = &match.operands[0].grid;
    const struct rl_grid *b = &match.operands[1].grid;
    struct rl_node *lowered = rl_match_replace(graph, &match, RL_OP_cm_quantized_div);
    rl_node_set(lowered, "self", rl_arg_value(match.operands[0].value));
    rl_node_set(lowered, "self_zero_point", rl_arg_int(a->zero_point));
    rl_node_set(lowered, "other", rl_arg_value(match.operands[1].value));
    rl_node_set(lowered, "other_zero_point", rl_arg_int(b->zero_point));
    rl_node_set(lowered, "output_zero_point", rl_arg_int(match.output.zero_point));
    rl_node_set(lowered, "output_scale", rl_arg_double(a->scale / (b->scale * match.output.scale)));
    rl_match_clamp(graph, &match, lowered);
    return true;
}

enum rl_status rl_pass_lower_div(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_aten_div_tensor, lower_div);
    return RL_OK;
}
