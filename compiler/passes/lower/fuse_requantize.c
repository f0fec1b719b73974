// SPDX-License-Identifier: Apache-2.0
//
// fuse_requantize: a dequantize node and a quantize node of the same grid behind it are removed.
//   needs   activations fused (fuse_activation), which leave their range in the quantize node
//   keeps   values, exactly
//   breaks  the name of the value that was quantized again
//
// If the second range is narrower, the operator before takes it, or a clamp of integers remains. Nodes of different
// grids remain, because they change the scale.
#include "compiler/passes/passes.h"

#include <string.h>

#include "compiler/passes/rewrite/match.h"
#include "compiler/passes/rewrite/rewrite.h"

// The two arguments that limit an operator's int8 result; false if it has none.
static bool find_range(const struct rl_node *node, int *min, int *max)
{
    const bool quantizes = node->op == RL_OP_qd_quantize_per_tensor;
    const struct rl_op *op = rl_op_get(node->op);
    *min = rl_op_argument(op, quantizes ? "quant_min" : "activation_min");
    *max = rl_op_argument(op, quantizes ? "quant_max" : "activation_max");
    return *min >= 0 && *max >= 0;
}

static int64_t clamped(int64_t number, int64_t min, int64_t max)
{
    if (number >= max) {
        return max;
    }
    return number > min ? number : min;
}

// The value that gets a narrower range takes the name of the activation, which fuse_activation gave to the dequantized
// value.
static void rename_narrowed(const struct rl_graph *graph, struct rl_node *producer, const struct rl_node *dequantize)
{
    struct rl_value *value = producer->results[0];
    if (rl_op_get(producer->op)->quantizes) {
        value = rl_node_tensor(producer, "input");
    }
    const bool is_own = value->kind == RL_VALUE_RESULT && rl_value_use_count(graph, value) == 1;
    if (is_own && strcmp(dequantize->name, dequantize->results[0]->name) != 0) {
        const char *name = value->name;
        value->name = dequantize->results[0]->name;
        dequantize->results[0]->name = name;
    }
}

// Narrows the range of the operator that made the integers, if nothing else reads them.
static bool narrow_producer(struct rl_graph *graph, struct rl_value *integers, const struct rl_node *dequantize,
                            const struct rl_node *quantize, const struct rl_grid *grid)
{
    if (integers->kind != RL_VALUE_RESULT || rl_value_only_user(graph, integers) != dequantize ||
        rl_value_only_user(graph, dequantize->results[0]) != quantize) {
        return false;
    }
    struct rl_node *producer = integers->producer;
    int min;
    int max;
    if (!find_range(producer, &min, &max)) {
        return false;
    }
    const int64_t old_min = producer->args[min].as.integer;
    const int64_t old_max = producer->args[max].as.integer;
    const int64_t new_max = clamped(grid->max, old_min, old_max);
    producer->args[min] = rl_arg_int(clamped(grid->min, old_min, new_max));
    producer->args[max] = rl_arg_int(new_max);
    rename_narrowed(graph, producer, dequantize);
    return true;
}

static bool fuse(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    struct rl_grid before;
    struct rl_grid after;
    struct rl_value *real = rl_node_tensor(node, "input");
    struct rl_value *integers = rl_integers_behind(real, &before);
    rl_is_quantize(node, &after);
    if (!integers || !rl_grid_equal(&before, &after)) {
        return false;
    }
    const bool narrower = after.min > before.min || after.max < before.max;
    if (narrower && !narrow_producer(graph, integers, real->producer, node, &after)) {
        integers = rl_insert_clamp(graph, node, integers, after.min, after.max, node)->results[0];
    }
    rl_replace_node(graph, node, integers);
    if (rl_value_use_count(graph, real) == 0) {
        rl_graph_remove(graph, real->producer); // so that the next match counts only the real users of the integers
    }
    return true;
}

enum rl_status rl_pass_fuse_requantize(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_qd_quantize_per_tensor, fuse);
    return RL_OK;
}
