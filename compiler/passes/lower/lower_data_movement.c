// SPDX-License-Identifier: Apache-2.0
//
// lower_data_movement: views, permutations, slices, pads, selections, nearest upsampling and layout copies move
// integers instead of floats. Maxima, sorts, concatenations, conditions and comparisons choose among integers
// (choice.h).
//   needs   canonical operators; pads that a convolution can take over are fused (fuse_padding)
//   keeps   values; the name of the moved value goes to the one of integers
//   breaks  nothing
//
// Moving elements and choosing among those of one grid commute with quantizing them, so
//   dequantize -> move             becomes   move -> dequantize
//   operator -> move -> quantize   becomes   operator -> quantize -> move
// which brings operators and their quantize nodes side by side for later passes.
#include "compiler/passes/passes.h"

#include <math.h>

#include "compiler/passes/lower/choice.h"
#include "compiler/passes/lower/curve.h"
#include "compiler/passes/rewrite/match.h"
#include "compiler/passes/rewrite/rewrite.h"

static bool only_adds(const struct rl_arg *pad)
{
    for (int i = 0; i < pad->count; i++) {
        if (pad->as.integers[i] < 0) {
            return false;
        }
    }
    return true;
}

// Whether the pad's value survives quantization on this grid: it is a value of the grid (up to rounding), or every user
// quantizes to the same grid anyway.
static bool pad_value_fits(struct rl_graph *graph, const struct rl_node *node, const struct rl_grid *grid)
{
    struct rl_grid after;
    const struct rl_node *user = rl_value_only_user(graph, node->results[0]);
    if (user && rl_is_quantize(user, &after) && rl_grid_equal(&after, grid)) {
        return true;
    }
    const double value = rl_node_number(node, "value");
    const double nearest = grid->scale * (double)(rl_grid_quantize(grid, (float)value) - grid->zero_point);
    return fabs(nearest - value) <= 0.51 * grid->scale;
}

static bool can_move_integers(struct rl_graph *graph, struct rl_node *node, const struct rl_grid *grid)
{
    if (node->op != RL_OP_aten_constant_pad_nd) {
        return true;
    }
    const int rank = node->results[0]->type.rank;
    if (rank > 4) {
        return rl_decline(graph, node, "a pad of rank %d; accepted: up to 4", rank);
    }
    if (!only_adds(rl_node_arg(node, "pad"))) {
        return rl_decline(graph, node, "a pad with negative amounts, which removes elements");
    }
    if (!pad_value_fits(graph, node, grid)) {
        return rl_decline(graph, node, "the padded value is outside the range of the input's scale");
    }
    return true;
}

// Copies the arguments of a movement to the same movement of integers.
static void copy_movement(struct rl_node *to, const struct rl_node *from, struct rl_value *input,
                          const struct rl_grid *grid)
{
    for (int i = 0; i < from->arg_count; i++) {
        to->args[i] = from->args[i];
    }
    to->args[0] = rl_arg_value(input);
    if (from->op == RL_OP_aten_constant_pad_nd) {
        const float value = (float)rl_node_number(from, "value");
        rl_node_set(to, "value", rl_arg_int(rl_grid_quantize(grid, value)));
    }
}

static void sink_dequantize(struct rl_graph *graph, struct rl_node *node)
{
    struct rl_grid grid;
    struct rl_value *input = rl_integers_behind(node->args[0].as.value, &grid);
    if (!input || !can_move_integers(graph, node, &grid)) {
        return;
    }
    const struct rl_node old = *node;
    struct rl_node *moved = rl_sink_dequantize(graph, node, node->op);
    copy_movement(moved, &old, input, &grid);
}

static bool is_activation(const struct rl_grid *grid)
{
    return grid->dtype == RL_INT8 || grid->dtype == RL_INT16;
}

static void hoist_quantize(struct rl_graph *graph, struct rl_node *node)
{
    struct rl_grid grid;
    struct rl_value *input = node->args[0].as.value;
    struct rl_node *quantize = rl_value_only_user(graph, node->results[0]);
    if (!quantize || !rl_is_quantize(quantize, &grid) || !is_activation(&grid) || input->kind != RL_VALUE_RESULT ||
        rl_value_only_user(graph, input) != node || !can_move_integers(graph, node, &grid)) {
        return;
    }
    const struct rl_node old = *node;
    struct rl_tensor_type type = input->type;
    type.dtype = grid.dtype;
    struct rl_node *earlier = rl_insert_before(
        graph, node, quantize->op, rl_arena_format(graph->arena, "%s_quantize", input->name), quantize, &type);
    for (int i = 0; i < quantize->arg_count; i++) {
        earlier->args[i] = quantize->args[i];
    }
    earlier->args[0] = rl_arg_value(input);
    copy_movement(node, &old, earlier->results[0], &grid);
    node->results[0]->type.dtype = grid.dtype;
    rl_replace_node(graph, quantize, node->results[0]);
}

enum rl_status rl_pass_lower_data_movement(struct rl_pass *pass)
{
    struct rl_graph *graph = pass->graph;
    for (struct rl_node *node = graph->first; node; node = node->next) {
        if (rl_op_get(node->op)->commutes) {
            sink_dequantize(graph, node);
        } else if (rl_op_get(node->op)->chooses && !rl_is_in_curve(graph, node)) {
            rl_sink_choice(graph, node);
        }
    }
    for (struct rl_node *node = graph->last; node; node = node->previous) {
        if (rl_op_get(node->op)->commutes || rl_is_choice_of_one(graph, node)) {
            hoist_quantize(graph, node);
        }
    }
    rl_graph_remove_dead(graph);
    return RL_OK;
}
