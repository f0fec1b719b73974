// SPDX-License-Identifier: Apache-2.0
//
// lower_add: quantized additions and subtractions become cortex_m::quantized_add.
//   needs   activations fused into the quantize node (fuse_activation)
//   keeps   values, to the rounding of the integer kernel; the name of the quantized value
//   breaks  nothing
//
// The kernel shifts both operands left by 20 bits, scales them to a common grid of twice the larger scale, adds, and
// scales the sum to the output (CMSIS-NN, arm_elementwise_add_s8):
//   factor of an operand = scale / (2 * max(scales)),  of the output = 2 * max(scales) / (output scale * 2^20)
// An integer `alpha` multiplies the scale of the second operand; its sign goes into the multiplier.
#include "compiler/passes/passes.h"

#include <math.h>

#include "compiler/passes/rewrite/match.h"
#include "compiler/passes/rewrite/multiplier.h"
#include "compiler/passes/rewrite/rewrite.h"

enum { LEFT_SHIFT = 20 };

// The largest |real value| of the sum of two grids, the second one with a sign.
static double largest_sum(const struct rl_grid *a, double a_scale, const struct rl_grid *b, double b_scale, int sign)
{
    const int64_t a_ends[2] = {a->min - a->zero_point, a->max - a->zero_point};
    const int64_t b_ends[2] = {b->min - b->zero_point, b->max - b->zero_point};
    double largest = 0.0;
    for (int i = 0; i < 4; i++) {
        const double sum = (double)a_ends[i & 1] * a_scale + sign * (double)b_ends[i >> 1] * b_scale;
        largest = fmax(largest, fabs(sum));
    }
    return largest;
}

// The factor of the second operand; a difference is a sum with the opposite factor.
static bool integer_alpha(const struct rl_node *node, int64_t *alpha)
{
    const struct rl_arg *arg = rl_node_arg(node, "alpha");
    if (arg->kind != RL_ARG_INT || arg->as.integer < -INT8_MAX || arg->as.integer > INT8_MAX || arg->as.integer == 0) {
        return false;
    }
    *alpha = node->op == RL_OP_aten_sub_tensor ? -arg->as.integer : arg->as.integer;
    return true;
}

static bool lower_add(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    struct rl_match match;
    int64_t alpha;
    if (!rl_match_binary(graph, node, &match)) {
        return false;
    }
    if (!integer_alpha(node, &alpha)) {
        return rl_decline(graph, node, "alpha is not an integer from -127 to 127 other than 0");
    }
    const struct rl_grid *a = &match.operands[0].grid;
    const struct rl_grid *b = &match.operands[1].grid;
    const double b_scale = (double)(alpha < 0 ? -alpha : alpha) * b->scale;
    const double common = 2.0 * fmax(a->scale, b_scale);
    const struct rl_multiplier a_factor = rl_multiplier_of(a->scale / common);
    const struct rl_multiplier b_factor = rl_multiplier_of(b_scale / common);
    const struct rl_multiplier out_factor = rl_multiplier_of(common / (match.output.scale * (1 << LEFT_SHIFT)));
    // A left shift of the sum must stay within 32 bits.
    const double sum = largest_sum(a, a->scale, b, b_scale, alpha < 0 ? -1 : 1) * (1 << LEFT_SHIFT) / common;
    if (out_factor.shift > 0 && ldexp(sum, out_factor.shift) >= 0x1p31) {
        return rl_decline(graph, node, "output scale %g is too small for operands of scales %g and %g",
                          match.output.scale, a->scale, b->scale);
    }
    struct rl_node *lowered = rl_match_replace(graph, &match, RL_OP_cm_quantized_add);
    rl_node_set(lowered, "self", rl_arg_value(match.operands[0].value));
    rl_node_set(lowered, "self_zero_point", rl_arg_int(a->zero_point));
    rl_node_set(lowered, "self_multiplier", rl_arg_int(a_factor.multiplier));
    rl_node_set(lowered, "self_shift", rl_arg_int(a_factor.shift));
    rl_node_set(lowered, "other", rl_arg_value(match.operands[1].value));
    rl_node_set(lowered, "other_zero_point", rl_arg_int(b->zero_point));
    rl_node_set(lowered, "other_multiplier", rl_arg_int(alpha < 0 ? -b_factor.multiplier : b_factor.multiplier));
    rl_node_set(lowered, "other_shift", rl_arg_int(b_factor.shift));
    rl_node_set(lowered, "output_zero_point", rl_arg_int(match.output.zero_point));
    rl_node_set(lowered, "output_multiplier", rl_arg_int(out_factor.multiplier));
    rl_node_set(lowered, "output_shift", rl_arg_int(out_factor.shift));
    rl_node_set(lowered, "activation_min", rl_arg_int(match.output.min));
    rl_node_set(lowered, "activation_max", rl_arg_int(match.output.max));
    return true;
}

enum rl_status rl_pass_lower_add(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_aten_add, lower_add);
    rl_lower_each(pass, RL_OP_aten_sub_tensor, lower_add);
    return RL_OK;
}
