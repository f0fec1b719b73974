// SPDX-License-Identifier: Apache-2.0
//
// lower_mul: quantized products become cortex_m::quantized_mul.
//   needs   activations fused into the quantize node (fuse_activation)
//   keeps   values, to the rounding of the integer kernel; the name of the quantized value
//   breaks  nothing
//
// factor = scale * scale / output scale. The operator has no activation range: a fused activation becomes a clamp after
// it.
#include "compiler/passes/passes.h"

#include "compiler/passes/rewrite/match.h"
#include "compiler/passes/rewrite/multiplier.h"
#include "compiler/passes/rewrite/rewrite.h"

static bool lower_mul(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    struct rl_match match;
    if (!rl_match_binary(graph, node, &match)) {
        return false;
    }
    const struct rl_grid *a = &match.operands[0].grid;
    const struct rl_grid *b = &match.operands[1].grid;
    const struct rl_multiplier factor = rl_multiplier_of(a->scale * b->scale / match.output.scale);
    struct rl_node *lowered = rl_match_replace(graph, &match, RL_OP_cm_quantized_mul);
    rl_node_set(lowered, "self", rl_arg_value(match.operands[0].value));
    rl_node_set(lowered, "self_zero_point", rl_arg_int(a->zero_point));
    rl_node_set(lowered, "other", rl_arg_value(match.operands[1].value));
    rl_node_set(lowered, "other_zero_point", rl_arg_int(b->zero_point));
    rl_node_set(lowered, "output_zero_point", rl_arg_int(match.output.zero_point));
    rl_node_set(lowered, "output_multiplier", rl_arg_int(factor.multiplier));
    rl_node_set(lowered, "output_shift", rl_arg_int(factor.shift));
    rl_match_clamp(graph, &match, lowered);
    return true;
}

enum rl_status rl_pass_lower_mul(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_aten_mul, lower_mul);
    return RL_OK;
}
