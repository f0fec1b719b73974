// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/build.h"
#include "compiler/passes/portable_forms.h"
#include "compiler/passes/rewrite.h"

// index_put at the indices of one dimension and all of the others
static bool lower_index_copy(struct rl_graph *graph, struct rl_node *node, const struct rl_target *target)
{
    (void)target;
    const struct rl_arg self = node->args[0], source = *rl_node_arg(node, "source");
    const int dim = rl_dim_normalized(rl_node_int(node, "dim"), self.as.value->type.rank);
    struct rl_value *indices[RL_MAX_RANK] = {NULL};
    if (dim < 0) {
        return rl_decline(graph, node, "a dimension out of range");
    }
    indices[dim] = rl_node_tensor(node, "index");
    rl_node_become(graph, node, RL_OP_aten_index_put);
    rl_node_set(node, "self", self);
    rl_node_set(node, "indices", rl_arg_values(graph->arena, indices, dim + 1));
    rl_node_set(node, "values", source);
    rl_node_set(node, "accumulate", rl_arg_bool(false));
    return true;
}

// Zeros below a diagonal, by a mask that is known ahead of time.
static bool lower_triu(struct rl_graph *graph, struct rl_node *node, const struct rl_target *target)
{
    (void)target;
    const struct rl_arg self = node->args[0];
    const struct rl_tensor_type *type = &self.as.value->type;
    const int64_t diagonal = rl_node_int(node, "diagonal");
    if (type->rank < 2) {
        return rl_decline(graph, node, "a triangle of fewer than two dimensions");
    }
    const struct rl_tensor_type truth = rl_tensor_type_make(RL_BOOL, 2, &type->sizes[type->rank - 2]);
    const int64_t columns = truth.sizes[1];
    unsigned char *below = rl_arena_alloc(graph->arena, (size_t)rl_tensor_numel(&truth));
    for (int64_t i = 0; i < rl_tensor_numel(&truth); i++) {
        below[i] = i % columns - i / columns < diagonal;
    }
    struct rl_value *mask =
        rl_graph_add_constant(graph, rl_arena_format(graph->arena, "%s_below", node->name), &truth, below);
    rl_node_become(graph, node, RL_OP_aten_masked_fill_scalar);
    rl_node_set(node, "self", self);
    rl_node_set(node, "mask", rl_arg_value(mask));
    rl_node_set(node, "value", rl_arg_int(0));
    return true;
}

// Sorting is ranking all elements. An argsort keeps the places only.
static bool lower_sort(struct rl_graph *graph, struct rl_node *node, const struct rl_target *target)
{
    (void)target;
    const struct rl_build at = {graph, node};
    struct rl_value *self = node->args[0].as.value;
    const int dim = rl_dim_normalized(rl_node_int(node, "dim"), self->type.rank);
    const bool descends = rl_node_bool(node, "descending");
    if (self->type.rank > 0 && dim < 0) {
        return rl_decline(graph, node, "a dimension out of range");
    }
    const struct rl_arg args[] = {rl_arg_value(self),
                                  rl_arg_int(self->type.rank > 0 ? self->type.sizes[dim] : 1),
                                  rl_arg_int(dim < 0 ? 0 : dim), rl_arg_bool(descends), rl_arg_bool(true)};
    if (node->op != RL_OP_aten_argsort) {
        rl_build_end(&at, RL_OP_aten_topk, args, 5);
        return true;
    }
    struct rl_value *values = rl_build(&at, RL_OP_aten_topk, &self->type, args, 5);
    rl_node_append_result(graph, values->producer, "indices", &node->results[0]->type);
    rl_build_end_view(&at, values->producer->results[1]);
    return true;
}

// Both factors as a list; false when one is missing.
static bool read_factors(const struct rl_node *node, double factors[2])
{
    const struct rl_arg *along_y = rl_node_arg(node, "scales_h");
    const struct rl_arg *along_x = rl_node_arg(node, "scales_w");
    if (along_y->kind == RL_ARG_NONE || along_x->kind == RL_ARG_NONE) {
        return false;
    }
    factors[0] = rl_node_number(node, "scales_h");
    factors[1] = rl_node_number(node, "scales_w");
    return true;
}

// The form with lists takes either sizes or factors.
static bool lower_upsample(struct rl_graph *graph, struct rl_node *node, const struct rl_target *target)
{
    (void)target;
    const struct rl_node old = *node;
    const struct rl_tensor_type *type = &node->results[0]->type;
    const bool is_bilinear = node->op == RL_OP_aten_upsample_bilinear2d;
    double factors[2];
    rl_node_become(graph, node,
                   is_bilinear ? RL_OP_aten_upsample_bilinear2d_vec : RL_OP_aten_upsample_nearest2d_vec);
    rl_node_set(node, "input", old.args[0]);
    if (is_bilinear) {
        rl_node_set(node, "align_corners", *rl_node_arg(&old, "align_corners"));
    }
    if (read_factors(&old, factors)) {
        rl_node_set(node, "scale_factors", rl_arg_doubles(graph->arena, factors, 2));
    } else {
        rl_node_set(node, "output_size", rl_arg_ints(graph->arena, &type->sizes[type->rank - 2], 2));
    }
    return true;
}

// The other way round for the smoothing form.
static bool lower_smooth_upsample(struct rl_graph *graph, struct rl_node *node,
                                  const struct rl_target *target)
{
    (void)target;
    const struct rl_node old = *node;
    const struct rl_tensor_type *type = &node->results[0]->type;
    const struct rl_arg *factors = rl_node_arg(&old, "scale_factors");
    rl_node_become(graph, node, RL_OP_aten_upsample_bilinear2d_aa);
    rl_node_set(node, "self", old.args[0]);
    rl_node_set(node, "output_size", rl_arg_ints(graph->arena, &type->sizes[type->rank - 2], 2));
    rl_node_set(node, "align_corners", *rl_node_arg(&old, "align_corners"));
    if (factors->kind == RL_ARG_DOUBLES && factors->count == 2) {
        rl_node_set(node, "scales_h", rl_arg_double(factors->as.numbers[0]));
        rl_node_set(node, "scales_w", rl_arg_double(factors->as.numbers[1]));
    }
    return true;
}

void rl_portable_arrangements(struct rl_graph *graph, const struct rl_target *target)
{
    rl_lower_each(graph, target, RL_OP_aten_index_copy, lower_index_copy);
    rl_lower_each(graph, target, RL_OP_aten_triu, lower_triu);
    rl_lower_each(graph, target, RL_OP_aten_sort, lower_sort);
    rl_lower_each(graph, target, RL_OP_aten_sort_stable, lower_sort);
    rl_lower_each(graph, target, RL_OP_aten_argsort, lower_sort);
    rl_lower_each(graph, target, RL_OP_aten_upsample_nearest2d, lower_upsample);
    rl_lower_each(graph, target, RL_OP_aten_upsample_bilinear2d, lower_upsample);
    rl_lower_each(graph, target, RL_OP_aten_upsample_bilinear2d_aa_vec, lower_smooth_upsample);
}
