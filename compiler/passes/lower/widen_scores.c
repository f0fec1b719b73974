// SPDX-License-Identifier: Apache-2.0
//
// widen_scores: the grid of scores that a softmax masks gets room for masked ones below the others.
//   needs   movements of integers before the dequantize node (lower_data_movement)
//   keeps   values, to the rounding of the wider grid; that of others that use the scores
//   breaks  nothing
//
// A masked score becomes -128, which the softmax must take for minus infinity. So the others must lie far enough above
// (rl_scores_gap); lower_softmax has the details.
#include "compiler/passes/passes.h"

#include <math.h>

#include "compiler/passes/lower/scores.h"
#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/match.h"
#include "compiler/passes/rewrite/rewrite.h"

// The quantize node that makes these integers, if all between it and their only use moves them.
static struct rl_node *quantize_of(struct rl_graph *graph, const struct rl_value *integers)
{
    struct rl_grid grid;
    while (integers->kind == RL_VALUE_RESULT && rl_value_only_user(graph, integers)) {
        struct rl_node *node = integers->producer;
        if (rl_is_quantize(node, &grid)) {
            return node;
        }
        if (!rl_op_get(node->op)->commutes || node->op == RL_OP_aten_constant_pad_nd) {
            return NULL;
        }
        integers = node->args[0].as.value;
    }
    return NULL;
}

// Scores that are used elsewhere, too, or share their grid with others, are quantized once more. Returns the node.
static struct rl_node *quantize_again(struct rl_graph *graph, struct rl_node *node, struct rl_value *scores)
{
    static const char *const kept[] = {"scale", "zero_point", "quant_min", "quant_max", "dtype"};
    const struct rl_build at = {graph, node};
    struct rl_tensor_type type = scores->type;
    type.dtype = RL_INT8;
    struct rl_node *quantize = rl_insert_before(graph, node, RL_OP_qd_quantize_per_tensor,
                                                rl_arena_format(graph->arena, "%s_scores", node->name), node, &type);
    rl_node_set(quantize, "input", rl_arg_value(scores));
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        rl_node_set(quantize, kept[i], *rl_node_arg(scores->producer, kept[i]));
    }
    rl_node_set(node, "self", rl_arg_value(rl_build_dequantize(&at, scores->producer, quantize->results[0])));
    return quantize;
}

static bool widen(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    struct rl_value *scores = rl_node_tensor(node, "self");
    struct rl_grid grid;
    struct rl_value *integers = rl_int8_behind(scores, &grid);
    if (!integers || grid.min != INT8_MIN || grid.max != INT8_MAX) {
        return rl_decline(graph, node, "masked scores that are not quantized");
    }
    struct rl_node *quantize = rl_value_only_user(graph, scores) == node ? quantize_of(graph, integers) : NULL;
    if (!quantize) {
        quantize = quantize_again(graph, node, scores);
        scores = rl_node_tensor(node, "self");
    }
    const double low = (double)(grid.min - grid.zero_point) * grid.scale;
    const double high = (double)(grid.max - grid.zero_point) * grid.scale;
    const double widest = high - low + rl_scores_gap(high - low);
    const double scale = widest / (INT8_MAX - INT8_MIN);
    const double zero_point = fmax(INT8_MIN, fmin(INT8_MAX, nearbyint(INT8_MAX - high / scale)));
    struct rl_node *ends[2] = {quantize, scores->producer};
    for (int i = 0; i < 2; i++) { // their scales differ where a factor is part of one (fuse_factor)
        rl_node_set(ends[i], "scale", rl_arg_double(rl_node_number(ends[i], "scale") * (scale / grid.scale)));
        rl_node_set(ends[i], "zero_point", rl_arg_int((int64_t)zero_point));
    }
    return true;
}

enum rl_status rl_pass_widen_scores(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_aten_masked_softmax, widen);
    return RL_OK;
}
