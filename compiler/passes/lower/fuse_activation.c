// SPDX-License-Identifier: Apache-2.0
//
// fuse_activation: relu, hardtanh and clamp in front of quantize nodes become narrower ranges of these nodes.
//   needs   functional operators
//   keeps   values, exactly: rounding never decreases, so clamping before it and after it is the same
//   breaks  the name of the value before the activation: it takes the activation's
//
// The lowerings pass the range on as the activation range of the integer operator.
#include "compiler/passes/passes.h"

#include <math.h>

#include "compiler/passes/lower/number.h"
#include "compiler/passes/rewrite/match.h"
#include "compiler/passes/rewrite/rewrite.h"

static bool uses(const struct rl_node *node, const struct rl_value *value)
{
    for (int i = 0; i < node->arg_count; i++) {
        if (node->args[i].kind == RL_ARG_VALUE && node->args[i].as.value == value) {
            return true;
        }
    }
    return false;
}

// Whether only quantize nodes use the value.
static bool only_quantized(const struct rl_graph *graph, const struct rl_value *value)
{
    struct rl_grid grid;
    int count = 0;
    for (const struct rl_node *node = graph->first; node; node = node->next) {
        if (uses(node, value)) {
            if (!rl_is_quantize(node, &grid)) {
                return false;
            }
            count++;
        }
    }
    return count > 0 && count == rl_value_use_count(graph, value);
}

static int64_t quantized_bound(const struct rl_grid *grid, double real)
{
    if (isinf(real)) {
        return real < 0.0 ? grid->min : grid->max;
    }
    return rl_grid_quantize(grid, (float)real);
}

static void narrow(struct rl_node *quantize, const struct rl_bounds *bounds)
{
    struct rl_grid grid;
    rl_is_quantize(quantize, &grid);
    const int64_t max = quantized_bound(&grid, bounds->max);
    const int64_t min = quantized_bound(&grid, bounds->min);
    rl_node_set(quantize, "quant_min",
                rl_arg_int(min < max ? min : max)); // if the bounds cross, the upper one counts
    rl_node_set(quantize, "quant_max", rl_arg_int(max));
}

static void fuse(struct rl_graph *graph, struct rl_node *node, const struct rl_bounds *bounds)
{
    struct rl_value *result = node->results[0];
    struct rl_value *input = rl_node_tensor(node, "self");
    for (struct rl_node *user = graph->first; user; user = user->next) {
        if (uses(user, result)) {
            narrow(user, bounds);
        }
    }
    const bool only_use = input->kind == RL_VALUE_RESULT && rl_value_only_user(graph, input) == node;
    const char *name = result->name;
    rl_replace_node(graph, node, input);
    if (only_use) {
        input->name = name;
    }
}

enum rl_status rl_pass_fuse_activation(struct rl_pass *pass)
{
    struct rl_graph *graph = pass->graph;
    // From the end, so that the second of two activations in a row is fused first.
    struct rl_node *previous;
    for (struct rl_node *node = graph->last; node; node = previous) {
        struct rl_bounds bounds;
        previous = node->previous;
        if (rl_read_clamp(node, &bounds) && node->results[0]->type.dtype == RL_FLOAT32 &&
            only_quantized(graph, node->results[0])) {
            fuse(graph, node, &bounds);
        }
    }
    return RL_OK;
}
