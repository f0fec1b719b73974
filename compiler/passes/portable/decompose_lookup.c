// SPDX-License-Identifier: Apache-2.0
//
// decompose_lookup: bags of looked-up rows become embeddings and a sum, mean or maximum of each bag. Numbers of classes
// become the classes for which they stand (one_hot): comparisons with 0, 1, 2, ...
//   needs   canonical operators; constants folded (fold_creation); quantized operators are lowered
//   keeps   values up to rounding; the names of the results
//   breaks  nothing
//
// The offsets of the bags must be known ahead of time. Bags of equal size become one embedding; otherwise each bag
// becomes one. An empty bag is zeros, as in PyTorch.
#include "compiler/passes/passes.h"

#include <string.h>

#include "compiler/passes/portable/lookup.h"
#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"

enum { MOST_BAGS = 1024, MOST_CLASSES = 1 << 16 };
enum bag_mode { BAG_SUM, BAG_MEAN, BAG_MAX }; // as PyTorch counts them

struct bags {
    struct rl_value *weight, *indices, *factors; // factors of the rows, or NULL
    enum rl_op_id reduction;
    int64_t count;
    const int64_t *bounds; // count + 1
};

// Rows `start` to `end` as `count` bags of the same size: [count, features].
static struct rl_value *reduce(const struct rl_build *at, const struct bags *bags, int64_t start, int64_t end,
                               int64_t count)
{
    const int64_t features = bags->weight->type.sizes[1], each = (end - start) / count;
    const int64_t sizes[3] = {count, each, features}, places[2] = {count, each}, flat[2] = {count, features};
    const int64_t wide[3] = {count, each, 1}, dims[1] = {1};
    if (each == 0) {
        return rl_build_constant(at, 2, flat, 0.0);
    }
    struct rl_value *indices = rl_build_view(at, rl_build_slice(at, bags->indices, 0, start, end), 2, places);
    const struct rl_tensor_type type = rl_tensor_type_make(RL_FLOAT32, 3, sizes);
    const struct rl_arg args[] = {rl_arg_value(bags->weight), rl_arg_value(indices)};
    struct rl_value *rows = rl_build(at, RL_OP_aten_embedding, &type, args, 2);
    if (bags->factors) {
        struct rl_value *factors = rl_build_slice(at, bags->factors, 0, start, end);
        rows = rl_build_binary(at, RL_OP_aten_mul, rows, rl_build_view(at, factors, 3, wide));
    }
    return rl_build_view(at, rl_build_reduce(at, bags->reduction, rows, dims, 1), 2, flat);
}

// The rows with zeros for the padding row, because zeros do not change a sum. NULL if the rows are not known ahead of
// time, or if the padding row does not exist.
static struct rl_value *without_padding(struct rl_graph *graph, const struct rl_value *weight, int64_t padding)
{
    const int64_t row = padding < 0 ? padding + weight->type.sizes[0] : padding;
    const int64_t features = weight->type.sizes[1];
    static const int same[2] = {0, 1};
    if (weight->kind != RL_VALUE_CONSTANT || row < 0 || row >= weight->type.sizes[0]) {
        return NULL;
    }
    struct rl_value *rows = rl_constant_permuted(graph, weight, same, weight->name); // row-major
    float *elements = rl_arena_array(graph->arena, (size_t)rl_tensor_numel(&rows->type), sizeof *elements);
    memcpy(elements, rows->data, rl_tensor_bytes(&rows->type));
    memset(elements + row * features, 0, (size_t)features * sizeof *elements);
    rows->data = elements;
    return rows;
}

// Reads the bounds of the bags; false if they are not known ahead of time, or not valid.
static bool read_bounds(const struct rl_build *at, struct bags *bags)
{
    const struct rl_value *offsets = rl_node_tensor(at->node, "offsets");
    const bool has_end = rl_node_bool(at->node, "include_last_offset");
    const int64_t given = rl_tensor_numel(&offsets->type), total = rl_tensor_numel(&bags->indices->type);
    if (offsets->kind != RL_VALUE_CONSTANT || offsets->type.rank != 1 ||
        (offsets->type.dtype != RL_INT64 && offsets->type.dtype != RL_INT32) || given < (has_end ? 2 : 1) ||
        given > MOST_BAGS) {
        return false;
    }
    bags->count = has_end ? given - 1 : given;
    int64_t *bounds = rl_arena_array(at->graph->arena, (size_t)given + 1, sizeof *bounds);
    for (int64_t i = 0; i < given; i++) {
        const bool is_long = offsets->type.dtype == RL_INT64;
        bounds[i] = is_long ? ((const int64_t *)offsets->data)[i] : ((const int32_t *)offsets->data)[i];
    }
    bounds[given] = total;
    bags->bounds = bounds;
    for (int64_t i = 0; i < bags->count; i++) {
        if (bounds[i] < 0 || bounds[i] > bounds[i + 1]) {
            return false;
        }
    }
    return bounds[0] == 0 && bounds[bags->count] == total;
}

static bool is_even(const struct bags *bags)
{
    for (int64_t i = 0; i < bags->count; i++) {
        if ((bags->bounds[i + 1] - bags->bounds[i]) * bags->count != bags->bounds[bags->count]) {
            return false;
        }
    }
    return true;
}

bool rl_decompose_bags(const struct rl_pass *pass, struct rl_node *node)
{
    static const enum rl_op_id reductions[] = {RL_OP_aten_sum_dim_intlist, RL_OP_aten_mean, RL_OP_aten_amax};
    struct rl_graph *graph = pass->graph;
    const struct rl_build at = {graph, node};
    const int64_t mode = rl_node_int(node, "mode");
    struct bags bags = {.weight = rl_node_tensor(node, "weight"),
                        .indices = rl_node_tensor(node, "indices"),
                        .factors = rl_node_tensor(node, "per_sample_weights")};
    for (int i = 1; i < node->result_count; i++) {
        if (rl_value_use_count(graph, node->results[i]) > 0) {
            return rl_decline(graph, node, "uses of sizes and offsets of bags; accepted: of their rows");
        }
    }
    if (mode < BAG_SUM || mode > BAG_MAX || bags.weight->type.rank != 2 || bags.weight->type.dtype != RL_FLOAT32 ||
        bags.indices->type.rank != 1 ||
        (bags.factors && !rl_tensor_same_sizes(&bags.factors->type, &bags.indices->type))) {
        return rl_decline(graph, node,
                          "weights or indices of other ranks or types; accepted: float32 rows, "
                          "a list of indices and a factor for each");
    }
    if (rl_node_arg(node, "padding_idx")->kind != RL_ARG_NONE) {
        bags.weight = mode == BAG_SUM ? without_padding(graph, bags.weight, rl_node_int(node, "padding_idx")) : NULL;
        if (!bags.weight) {
            return rl_decline(graph, node, "a row that counts as padding; accepted: in sums of constant rows");
        }
    }
    if (!read_bounds(&at, &bags)) {
        return rl_decline(graph, node, "offsets that are not rising constants from 0, at most %d", MOST_BAGS);
    }
    bags.reduction = reductions[mode];
    struct rl_value *result;
    if (is_even(&bags)) {
        result = reduce(&at, &bags, 0, bags.bounds[bags.count], bags.count);
    } else {
        struct rl_value **parts = rl_arena_array(graph->arena, (size_t)bags.count, sizeof(*parts));
        for (int64_t i = 0; i < bags.count; i++) {
            parts[i] = reduce(&at, &bags, bags.bounds[i], bags.bounds[i + 1], 1);
        }
        result = rl_build_cat(&at, parts, (int)bags.count, 0);
    }
    rl_build_result(&at, 0, result);
    rl_graph_remove(graph, node);
    return true;
}

// ---- classes

// A number that is not a class gives zeros; PyTorch stops with an error.
static bool decompose_classes(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *self = rl_node_tensor(node, "self");
    struct rl_tensor_type type = node->results[0]->type;
    const int64_t count = type.rank > 0 ? type.sizes[type.rank - 1] : 0;
    if (self->type.dtype != RL_INT64 || type.rank != self->type.rank + 1 || count < 1 || count > MOST_CLASSES) {
        return rl_decline(pass->graph, node, "other numbers than int64, or more than %d classes", MOST_CLASSES);
    }
    int64_t *numbers = rl_arena_array(pass->graph->arena, (size_t)count, sizeof *numbers);
    int64_t places[RL_MAX_RANK];
    memcpy(places, type.sizes, sizeof places);
    places[type.rank - 1] = 1;
    for (int64_t i = 0; i < count; i++) {
        numbers[i] = i;
    }
    const struct rl_tensor_type of_numbers = rl_tensor_type_make(RL_INT64, 1, &count);
    struct rl_value *classes = rl_graph_add_constant(
        pass->graph, rl_arena_format(pass->graph->arena, "%s_classes", node->name), &of_numbers, numbers);
    const struct rl_arg pair[] = {rl_arg_value(rl_build_view(&at, self, type.rank, places)), rl_arg_value(classes)};
    type.dtype = RL_BOOL;
    const struct rl_arg args[] = {rl_arg_value(rl_build(&at, RL_OP_aten_eq_tensor, &type, pair, 2))};
    rl_build_end(&at, RL_OP_aten_to_copy_internal, args, 1);
    return true;
}

enum rl_status rl_pass_decompose_lookup(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_aten_embedding_bag_padding_idx, rl_decompose_bags);
    rl_lower_each(pass, RL_OP_aten_one_hot, decompose_classes);
    return RL_OK;
}
