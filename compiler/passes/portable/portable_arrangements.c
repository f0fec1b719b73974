// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "compiler/passes/portable/portable_forms.h"
#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"

// index_put at the indices of one dimension and all of the others. index_add adds to the elements that are there.
static bool lower_index_copy(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_build at = {graph, node};
    const bool adds = node->op == RL_OP_aten_index_add;
    const struct rl_arg self = node->args[0];
    struct rl_arg source = *rl_node_arg(node, "source");
    const int dim = rl_dim_normalized(rl_node_int(node, "dim"), self.as.value->type.rank);
    struct rl_value *indices[RL_MAX_RANK] = {NULL};
    if (dim < 0) {
        return rl_decline(graph, node, "a dimension out of range");
    }
    indices[dim] = rl_node_tensor(node, "index");
    if (adds && rl_node_number(node, "alpha") != 1.0) {
        const struct rl_arg args[] = {source, *rl_node_arg(node, "alpha")};
        source = rl_arg_value(rl_build(&at, RL_OP_aten_mul_scalar, &source.as.value->type, args, 2));
    }
    rl_node_become(graph, node, RL_OP_aten_index_put);
    rl_node_set(node, "self", self);
    rl_node_set(node, "indices", rl_arg_values(graph->arena, indices, dim + 1));
    rl_node_set(node, "values", source);
    rl_node_set(node, "accumulate", rl_arg_bool(adds));
    return true;
}

// index_put of a number at the indices of one dimension.
static bool lower_index_fill(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_build at = {graph, node};
    const struct rl_arg self = node->args[0];
    const struct rl_tensor_type number = rl_tensor_type_make(self.as.value->type.dtype, 0, NULL);
    const int dim = rl_dim_normalized(rl_node_int(node, "dim"), self.as.value->type.rank);
    unsigned char element[8];
    struct rl_value *indices[RL_MAX_RANK] = {NULL};
    if (dim < 0 || !rl_store_number(element, number.dtype, rl_node_number(node, "value"))) {
        return rl_decline(graph, node, "a dimension out of range, or elements of a type without constants");
    }
    indices[dim] = rl_node_tensor(node, "index");
    struct rl_value *value =
        rl_graph_add_constant(graph, rl_arena_format(graph->arena, "%s_value", node->name), &number, element);
    const struct rl_arg args[] = {self, rl_arg_values(graph->arena, indices, dim + 1), rl_arg_value(value),
                                  rl_arg_bool(false)};
    rl_build_end(&at, RL_OP_aten_index_put, args, 4);
    return true;
}

static struct rl_value *scatter(const struct rl_build *at, enum rl_op_id op, struct rl_value *self, struct rl_arg what)
{
    const struct rl_arg args[] = {rl_arg_value(self), at->node->args[1], at->node->args[2], what};
    return rl_build(at, op, &self->type, args, 4);
}

// Sums use scatter_add; means divide by the same sums of ones. With include_self=False, elements that receive a value
// start at 0.
static bool lower_scatter_reduce(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    const char *reduce = rl_node_arg(node, "reduce")->as.string;
    const bool is_mean = strcmp(reduce, "mean") == 0;
    struct rl_value *self = node->args[0].as.value, *source = rl_node_tensor(node, "src");
    if ((strcmp(reduce, "sum") != 0 && !is_mean) || (is_mean && self->type.dtype != RL_FLOAT32)) {
        return rl_decline(pass->graph, node, "reduces by '%s'; accepted: sum, mean of float32", reduce);
    }
    const bool counts_itself = rl_node_bool(node, "include_self");
    struct rl_value *sum = counts_itself ? self : scatter(&at, RL_OP_aten_scatter_value, self, rl_arg_int(0));
    sum = scatter(&at, RL_OP_aten_scatter_add, sum, rl_arg_value(source));
    if (!is_mean) {
        rl_build_end_view(&at, sum);
        return true;
    }
    // Elements that receive nothing keep the count 1.
    struct rl_value *count = rl_build_constant(&at, self->type.rank, self->type.sizes, 1.0);
    struct rl_value *ones = rl_build_constant(&at, source->type.rank, source->type.sizes, 1.0);
    count = counts_itself ? count : scatter(&at, RL_OP_aten_scatter_value, count, rl_arg_int(0));
    count = scatter(&at, RL_OP_aten_scatter_add, count, rl_arg_value(ones));
    const struct rl_arg args[] = {rl_arg_value(sum), rl_arg_value(count)};
    rl_build_end(&at, RL_OP_aten_div_tensor, args, 2);
    return true;
}

// Sets the elements below a diagonal to zero, with a constant mask.
static bool lower_triu(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
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

// A sort is a topk of all elements. An argsort keeps only the indices.
static bool lower_sort(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_build at = {graph, node};
    struct rl_value *self = node->args[0].as.value;
    const int dim = rl_dim_normalized(rl_node_int(node, "dim"), self->type.rank);
    const bool descends = rl_node_bool(node, "descending");
    if (self->type.rank > 0 && dim < 0) {
        return rl_decline(graph, node, "a dimension out of range");
    }
    const struct rl_arg args[] = {rl_arg_value(self), rl_arg_int(self->type.rank > 0 ? self->type.sizes[dim] : 1),
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

static bool is_image(const struct rl_pass *pass, struct rl_node *node)
{
    const int rank = node->results[0]->type.rank;
    return rank == 4 || rl_decline(pass->graph, node, "a result of rank %d; accepted: 4 (a batch of images)", rank);
}

// The form with lists takes either sizes or factors.
static bool lower_upsample(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_node old = *node;
    const struct rl_tensor_type *type = &node->results[0]->type;
    const bool is_bilinear = node->op == RL_OP_aten_upsample_bilinear2d;
    double factors[2];
    if (!is_image(pass, node)) {
        return false;
    }
    rl_node_become(graph, node, is_bilinear ? RL_OP_aten_upsample_bilinear2d_vec : RL_OP_aten_upsample_nearest2d_vec);
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

// The smoothing form takes both sizes and factors.
static bool lower_smooth_upsample(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_node old = *node;
    const struct rl_tensor_type *type = &node->results[0]->type;
    const struct rl_arg *factors = rl_node_arg(&old, "scale_factors");
    if (!is_image(pass, node)) {
        return false;
    }
    rl_node_become(pass->graph, node, RL_OP_aten_upsample_bilinear2d_aa);
    rl_node_set(node, "self", old.args[0]);
    rl_node_set(node, "output_size", rl_arg_ints(pass->graph->arena, &type->sizes[type->rank - 2], 2));
    rl_node_set(node, "align_corners", *rl_node_arg(&old, "align_corners"));
    if (factors->kind == RL_ARG_DOUBLES && factors->count == 2) {
        rl_node_set(node, "scales_h", rl_arg_double(factors->as.numbers[0]));
        rl_node_set(node, "scales_w", rl_arg_double(factors->as.numbers[1]));
    }
    return true;
}

void rl_portable_arrangements(const struct rl_pass *pass)
{
    static const struct rl_lowering table[] = {
        {RL_OP_aten_index_copy, lower_index_copy},
        {RL_OP_aten_index_add, lower_index_copy},
        {RL_OP_aten_index_fill, lower_index_fill},
        {RL_OP_aten_scatter_reduce, lower_scatter_reduce},
        {RL_OP_aten_triu, lower_triu},
        {RL_OP_aten_sort, lower_sort},
        {RL_OP_aten_sort_stable, lower_sort},
        {RL_OP_aten_argsort, lower_sort},
        {RL_OP_aten_upsample_nearest2d, lower_upsample},
        {RL_OP_aten_upsample_bilinear2d, lower_upsample},
        {RL_OP_aten_upsample_bilinear2d_aa_vec, lower_smooth_upsample},
    };

    rl_lower_table(pass, table, sizeof table / sizeof table[0]);
}
