// SPDX-License-Identifier: Apache-2.0
//
// lower_add: quantized additions and subtractions become cortex_m::quantized_add, those of int16
// rushlight::quantized_add_s16.
//   needs   activations fused into the quantize node (fuse_activation)
//   keeps   values, to the rounding of the integer kernel; the name of the quantized value
//   breaks  nothing
//
// The kernel shifts both operands left by 20 bits (int16: 15), scales them to a common grid of twice the larger scale,
// adds, and scales the sum to the output (CMSIS-NN, arm_elementwise_add_s8):
//   factor of an operand = scale / (2 * max(scales)),  of the output = 2 * max(scales) / (output scale * 2^20)
// An integer `alpha` multiplies the scale of the second operand; its sign goes into the multiplier.
#include "compiler/passes/passes.h"

#include <math.h>

#include "compiler/passes/rewrite/match.h"
#include "compiler/passes/rewrite/multiplier.h"
#include "compiler/passes/rewrite/rewrite.h"

enum { LEFT_SHIFT = 20, WIDE_LEFT_SHIFT = 15 };

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

// The real factors of a sum.
struct sum {
    bool is_wide; // of int16
    int64_t alpha;
    struct rl_multiplier self, other, output;
};

// False if a left shift of the sum would leave 32 bits.
static bool find_factors(const struct rl_match *match, struct sum *sum)
{
    const struct rl_grid *a = &match->operands[0].grid, *b = &match->operands[1].grid;
    const int left_shift = sum->is_wide ? WIDE_LEFT_SHIFT : LEFT_SHIFT;
    const double b_scale = (double)(sum->alpha < 0 ? -sum->alpha : sum->alpha) * b->scale;
    const double common = 2.0 * fmax(a->scale, b_scale);
    sum->self = rl_multiplier_of(a->scale / common);
    sum->other = rl_multiplier_of(b_scale / common);
    sum->output = rl_multiplier_of(common / (match->output.scale * (1 << left_shift)));
    const double largest = largest_sum(a, a->scale, b, b_scale, sum->alpha < 0 ? -1 : 1) * (1 << left_shift) / common;
    return sum->output.shift <= 0 || ldexp(largest, sum->output.shift) < 0x1p31;
}

static void set_zero_points(struct rl_node *lowered, const struct rl_match *match)
{
    rl_node_set(lowered, "self_zero_point", rl_arg_int(match->operands[0].grid.zero_point));
    rl_node_set(lowered, "other_zero_point", rl_arg_int(match->operands[1].grid.zero_point));
    rl_node_set(lowered, "output_zero_point", rl_arg_int(match->output.zero_point));
}

static bool lower_add(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    struct rl_match match;
    struct sum sum;
    if (!rl_match_binary(graph, node, &match) || !rl_match_is_wide(pass, &match, 2, &sum.is_wide)) {
        return false;
    }
    if (!integer_alpha(node, &sum.alpha)) {
        return rl_decline(graph, node, "alpha is not an integer from -127 to 127 other than 0");
    }
    if (!find_factors(&match, &sum)) {
        return rl_decline(graph, node, "output scale %g is too small for operands of scales %g and %g",
                          match.output.scale, match.operands[0].grid.scale, match.operands[1].grid.scale);
    }
    struct rl_node *lowered =
        rl_match_replace(graph, &match, sum.is_wide ? RL_OP_rl_quantized_add_s16 : RL_OP_cm_quantized_add);
    rl_node_set(lowered, "self", rl_arg_value(match.operands[0].value));
    rl_node_set(lowered, "self_multiplier", rl_arg_int(sum.self.multiplier));
    rl_node_set(lowered, "self_shift", rl_arg_int(sum.self.shift));
    rl_node_set(lowered, "other", rl_arg_value(match.operands[1].value));
    rl_node_set(lowered, "other_multiplier", rl_arg_int(sum.alpha < 0 ? -sum.other.multiplier : sum.other.multiplier));
    rl_node_set(lowered, "other_shift", rl_arg_int(sum.other.shift));
    rl_node_set(lowered, "output_multiplier", rl_arg_int(sum.output.multiplier));
    rl_node_set(lowered, "output_shift", rl_arg_int(sum.output.shift));
    rl_node_set(lowered, "activation_min", rl_arg_int(match.output.min));
    rl_node_set(lowered, "activation_max", rl_arg_int(match.output.max));
    if (!sum.is_wide) {
        set_zero_points(lowered, &match);
    }
    return true;
}

enum rl_status rl_pass_lower_add(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_aten_add, lower_add);
    rl_lower_each(pass, RL_OP_aten_sub_tensor, lower_add);
    return RL_OK;
}
