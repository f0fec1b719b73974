// SPDX-License-Identifier: Apache-2.0
//
// lower_magnitude: quantized magnitudes of complex numbers become rushlight::quantized_magnitude, of int8 or of int16.
//   needs   both parts on one grid
//   keeps   values, to the rounding of the integer kernel; the name of the quantized value
//   breaks  nothing
#include "compiler/passes/passes.h"

#include <math.h>

#include "compiler/passes/rewrite/match.h"
#include "compiler/passes/rewrite/rewrite.h"

static bool lower(const struct rl_pass *pass, struct rl_node *node)
{
    enum { LEAST_SHIFT = -32, MOST_SHIFT = 30 };
    struct rl_graph *graph = pass->graph;
    struct rl_match match;
    const enum rl_scalar_type type = rl_integer_type(rl_node_tensor(node, "self"));
    if (!rl_may_use_rushlight(pass, node) || !rl_match_of_type(graph, node, 2, type, &match)) {
        return false;
    }
    const struct rl_grid grid = match.operands[0].grid;
    struct rl_value *real = match.operands[0].value, *imaginary = match.operands[1].value;
    if (!rl_grid_equal(&grid, &match.operands[1].grid)) {
        return rl_decline(graph, node, "its two parts have different scales or zero points");
    }
    const int64_t zero_point = match.output.zero_point;
    if (grid.dtype == RL_INT16 && (grid.zero_point != 0 || zero_point != 0)) {
        return rl_decline(graph, node, "int16 values with a zero point; accepted: 0");
    }
    const bool root = rl_node_bool(node, "root");
    const double square = grid.scale * grid.scale, epsilon = nearbyint(rl_node_number(node, "epsilon") / square);
    const double factor = root ? 4.0 * square / (match.output.scale * match.output.scale) : square / match.output.scale;
    int shift;
    const double multiplier = fmin(nearbyint(ldexp(frexp(factor, &shift), 31)), 2147483647.0);
    if (!(factor > 0.0) || shift < LEAST_SHIFT || shift > MOST_SHIFT || !(epsilon <= 2147483647.0)) {
        return rl_decline(graph, node, "a factor of %g between its grids, or an epsilon of %g steps", factor, epsilon);
    }
    struct rl_node *lowered = rl_match_replace(graph, &match, RL_OP_rl_quantized_magnitude);
    rl_node_set(lowered, "self", rl_arg_value(real));
    rl_node_set(lowered, "other", rl_arg_value(imaginary));
    rl_node_set(lowered, "root", rl_arg_bool(root));
    rl_node_set(lowered, "input_zero_point", rl_arg_int(grid.zero_point));
    rl_node_set(lowered, "epsilon", rl_arg_int((int64_t)epsilon));
    rl_node_set(lowered, "magnitude_multiplier", rl_arg_int((int64_t)multiplier));
    rl_node_set(lowered, "magnitude_shift", rl_arg_int(shift));
    rl_node_set(lowered, "output_zero_point", rl_arg_int(zero_point));
    rl_match_clamp(graph, &match, lowered);
    return true;
}

enum rl_status rl_pass_lower_magnitude(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_rl_magnitude, lower);
    return RL_OK;
}
