// SPDX-License-Identifier: Apache-2.0
//
// decompose_hardswish: quantized hardswish of a layer with weights that is clamped to -3 and above becomes
// cortex_m::minimum and cortex_m::quantized_mul, as the stock flow does it. Any other becomes a table, which is faster
// and more exact (lower_activation).
//   needs   the clamp as a node of its own: runs before fuse_activation
//   keeps   values, to the rounding of the integer kernels; the name of the quantized value
//   breaks  nothing
//
// For x >= -3, hardswish(x) = x * (min(x, 3) + 3) / 6. The sum is another zero point of the second factor, which may
// lie far outside int8, and the quotient another scale of the product (ExecuTorch
// backends/cortex_m/passes/decompose_hardswish_pass.py).
#include "compiler/passes/passes.h"

#include <math.h>

#include "compiler/passes/rewrite/match.h"
#include "compiler/passes/rewrite/multiplier.h"
#include "compiler/passes/rewrite/rewrite.h"

// What movements that nothing else sees have moved: the view of a sequence that was computed as an image (widen_1d).
static const struct rl_value *before_movements(const struct rl_graph *graph, const struct rl_value *value)
{
    while (value->kind == RL_VALUE_RESULT && rl_op_get(value->producer->op)->commutes &&
           rl_value_only_user(graph, value->producer->args[0].as.value)) {
        value = value->producer->args[0].as.value;
    }
    return value;
}

// Whether the int8 value is a layer with weights, clamped to -3 and above, on a grid that starts there.
static bool is_clamped_layer(const struct rl_graph *graph, const struct rl_value *integers, const struct rl_grid *grid)
{
    struct rl_grid made;
    integers = before_movements(graph, integers);
    if (integers->kind != RL_VALUE_RESULT || !rl_is_quantize(integers->producer, &made) ||
        rl_grid_quantize(grid, -3.0f) != grid->min) {
        return false;
    }
    const struct rl_value *clamped = rl_node_tensor(integers->producer, "input");
    const struct rl_node *clamp = clamped->kind == RL_VALUE_RESULT ? clamped->producer : NULL;
    if (!clamp || clamp->op != RL_OP_aten_clamp || rl_node_arg(clamp, "max")->kind != RL_ARG_NONE ||
        rl_node_arg(clamp, "min")->kind == RL_ARG_NONE || rl_node_number(clamp, "min") != -3.0 ||
        !rl_value_only_user(graph, clamped)) {
        return false;
    }
    const struct rl_value *layer = rl_node_tensor(clamp, "self");
    return layer->kind == RL_VALUE_RESULT && rl_op_get(layer->producer->op)->has_weights &&
           rl_value_only_user(graph, layer);
}

// The integer of 3, as ExecuTorch rounds it.
static int64_t integer_of_3(const struct rl_grid *grid)
{
    const double rounded = nearbyintf((float)(3.0 / grid->scale + (double)grid->zero_point));
    return rounded < (double)grid->max ? (int64_t)rounded : grid->max;
}

// min(value, 3) on the value's grid.
static struct rl_value *hold_below_3(struct rl_graph *graph, const struct rl_match *match)
{
    struct rl_value *value = match->operands[0].value;
    int8_t *three = rl_arena_alloc(graph->arena, sizeof *three);
    *three = (int8_t)integer_of_3(&match->operands[0].grid);
    const struct rl_tensor_type number = rl_tensor_type_make(RL_INT8, 0, NULL);
    const char *name = rl_arena_format(graph->arena, "%s_limit", match->node->name);
    struct rl_value *limit = rl_graph_add_constant(graph, name, &number, three);
    name = rl_arena_format(graph->arena, "%s_minimum", match->node->name);
    struct rl_node *minimum = rl_insert_before(graph, match->node, RL_OP_cm_minimum, name, match->node, &value->type);
    rl_node_set(minimum, "self", rl_arg_value(value));
    rl_node_set(minimum, "other", rl_arg_value(limit));
    return minimum->results[0];
}

static bool decompose(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    struct rl_match match;
    const struct rl_value *real = rl_node_tensor(node, "self");
    if (!rl_match(graph, node, 1, &match)) {
        return false;
    }
    struct rl_value *value = match.operands[0].value;
    const struct rl_grid *grid = &match.operands[0].grid;
    if (!is_clamped_layer(graph, value, grid) || rl_value_only_user(graph, value) != real->producer ||
        rl_value_only_user(graph, real) != node) {
        return false;
    }
    const struct rl_multiplier factor = rl_multiplier_of(grid->scale * grid->scale / (match.output.scale * 6.0));
    struct rl_value *limited = hold_below_3(graph, &match);
    struct rl_node *product = rl_match_replace(graph, &match, RL_OP_cm_quantized_mul);
    rl_node_set(product, "self", rl_arg_value(value));
    rl_node_set(product, "self_zero_point", rl_arg_int(grid->zero_point));
    rl_node_set(product, "other", rl_arg_value(limited));
    rl_node_set(product, "other_zero_point", rl_arg_int(grid->zero_point - (int64_t)nearbyint(3.0 / grid->scale)));
    rl_node_set(product, "output_zero_point", rl_arg_int(match.output.zero_point));
    rl_node_set(product, "output_multiplier", rl_arg_int(factor.multiplier));
    rl_node_set(product, "output_shift", rl_arg_int(factor.shift));
    rl_match_clamp(graph, &match, product);
    return true;
}

enum rl_status rl_pass_decompose_hardswish(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_aten_hardswish, decompose);
    return RL_OK;
}
