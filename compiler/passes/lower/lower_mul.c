// SPDX-License-Identifier: Apache-2.0
//
// lower_mul: quantized products become cortex_m::quantized_mul, those of int16 rushlight::quantized_mul_s16.
//   needs   activations fused into the quantize node (fuse_activation)
//   keeps   values, to the rounding of the integer kernel; the name of the quantized value
//   breaks  nothing
//
// factor = scale * scale / output scale. The operator of int8 has no activation range: a fused activation becomes a
// clamp after it.
#include "compiler/passes/passes.h"

#include "compiler/passes/rewrite/match.h"
#include "compiler/passes/rewrite/multiplier.h"
#include "compiler/passes/rewrite/rewrite.h"

static void set_wide(struct rl_node *lowered, const struct rl_grid *output)
{
    rl_node_set(lowered, "activation_min", rl_arg_int(output->min));
    rl_node_set(lowered, "activation_max", rl_arg_int(output->max));
}

static void set_narrow(struct rl_graph *graph, struct rl_node *lowered, const struct rl_match *match)
{
    rl_node_set(lowered, "self_zero_point", rl_arg_int(match->operands[0].grid.zero_point));
    rl_node_set(lowered, "other_zero_point", rl_arg_int(match->operands[1].grid.zero_point));
    rl_node_set(lowered, "output_zero_point", rl_arg_int(match->output.zero_point));
    rl_match_clamp(graph, match, lowered);
}

static bool lower_mul(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    struct rl_match match;
    bool is_wide;
    if (!rl_match_binary(graph, node, &match) || !rl_match_is_wide(pass, &match, 2, &is_wide)) {
        return false;
    }
    const struct rl_grid *a = &match.operands[0].grid;
    const struct rl_grid *b = &match.operands[1].grid;
    const struct rl_multiplier factor = rl_multiplier_of(a->scale * b->scale / match.output.scale);
    if (is_wide && factor.shift > 0) {
        return rl_decline(graph, node, "a factor above 1 between products of int16 and their results");
    }
    struct rl_node *lowered =
        rl_match_replace(graph, &match, is_wide ? RL_OP_rl_quantized_mul_s16 : RL_OP_cm_quantized_mul);
    rl_node_set(lowered, "self", rl_arg_value(match.operands[0].value));
    rl_node_set(lowered, "other", rl_arg_value(match.operands[1].value));
    rl_node_set(lowered, "output_multiplier", rl_arg_int(factor.multiplier));
    rl_node_set(lowered, "output_shift", rl_arg_int(factor.shift));
    if (is_wide) {
        set_wide(lowered, &match.output);
    } else {
        set_narrow(graph, lowered, &match);
    }
    return true;
}

enum rl_status rl_pass_lower_mul(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_aten_mul, lower_mul);
    return RL_OK;
}
