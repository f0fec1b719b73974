// SPDX-License-Identifier: Apache-2.0
//
// fold_weight_norm: weights given as directions and lengths become plain weights.
//   needs   functional operators
//   keeps   values up to rounding; the name of the result
//   breaks  nothing
//
// weight_norm(v, g, dim) is v * g / |v|, with one length g and one norm |v| for each index of the dimension, or for the
// whole where `dim` is -1. Both are constants, and so is the result.
#include "compiler/passes/passes.h"

#include <math.h>
#include <string.h>

#include "compiler/passes/rewrite/rewrite.h"

static float element(const struct rl_value *constant, int64_t index)
{
    float number;
    memcpy(&number, (const float *)constant->data + rl_constant_offset(constant, index), sizeof number);
    return number;
}

static bool is_constant(const struct rl_value *value)
{
    return value->kind == RL_VALUE_CONSTANT && value->type.dtype == RL_FLOAT32;
}

// Element i belongs to norm i / inner % count.
static float *normalized(struct rl_graph *graph, const struct rl_value *v, const struct rl_value *g, int64_t inner,
                         int64_t count, const struct rl_value *like)
{
    const int64_t total = rl_tensor_numel(&v->type);
    double *squares = rl_arena_array(graph->arena, (size_t)count, sizeof *squares);
    float *weights = rl_arena_array(graph->arena, (size_t)total, sizeof *weights);
    memset(squares, 0, (size_t)count * sizeof *squares);
    for (int64_t i = 0; i < total; i++) {
        const double number = (double)element(v, i);
        squares[i / inner % count] += number * number;
    }
    for (int64_t i = 0; i < total; i++) {
        const int64_t k = i / inner % count;
        weights[rl_constant_offset(like, i)] =
            (float)((double)element(v, i) * (double)element(g, k) / sqrt(squares[k]));
    }
    return weights;
}

static bool fold(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    struct rl_value *result = node->results[0];
    const struct rl_value *v = rl_node_tensor(node, "v"), *g = rl_node_tensor(node, "g");
    const int64_t dim = rl_node_int(node, "dim");
    if (!is_constant(v) || !is_constant(g) || !rl_tensor_same_sizes(&v->type, &result->type) ||
        result->type.dtype != RL_FLOAT32 || rl_tensor_numel(&v->type) == 0) {
        return rl_decline(graph, node, "weights that are not float32 constants");
    }
    if (dim < -1 || dim >= v->type.rank) {
        return rl_decline(graph, node, "a dimension out of range");
    }
    const int64_t count = dim < 0 ? 1 : v->type.sizes[dim];
    int64_t inner = dim < 0 ? rl_tensor_numel(&v->type) : 1;
    for (int d = (int)dim + 1; dim >= 0 && d < v->type.rank; d++) {
        inner *= v->type.sizes[d];
    }
    if (rl_tensor_numel(&g->type) != count) {
        return rl_decline(graph, node, "not one length for each of the %lld norms", (long long)count);
    }
    const char *name = result->name;
    struct rl_value *constant =
        rl_graph_take_constant(graph, name, &result->type, normalized(graph, v, g, inner, count, result));
    rl_graph_replace_uses(graph, result, constant);
    rl_graph_remove(graph, node);
    constant->name = name;
    return true;
}

enum rl_status rl_pass_fold_weight_norm(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_aten_weight_norm, fold);
    return RL_OK;
}
