// SPDX-License-Identifier: Apache-2.0
//
// The rules of spell_out for counts, places in order, running products and areas.
#include <math.h>
#include <string.h>

#include "compiler/passes/canonical/spell_out.h"
#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"

// ---- counts

bool rl_spell_count(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *self = node->args[0].as.value;
    const struct rl_arg *given = &node->args[1];
    struct rl_value *truth =
        self->type.dtype == RL_BOOL ? self : rl_build_truth(&at, RL_OP_aten_ne_scalar, self, rl_arg_int(0));
    const struct rl_arg dims =
        given->kind == RL_ARG_INT ? rl_arg_ints(pass->graph->arena, &given->as.integer, 1) : *given;
    const struct rl_arg args[] = {rl_arg_value(truth), dims};
    rl_build_end(&at, RL_OP_aten_sum_dim_intlist, args, 2);
    return true;
}

// Each element as a row of one, beside all elements of the other.
enum { MOST_COMPARISONS = 1 << 20 };

bool rl_spell_membership(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *elements = rl_node_tensor(node, "elements");
    const bool inverts = rl_node_bool(node, "invert");
    if (node->op == RL_OP_aten_isin_tensor_scalar) {
        const struct rl_arg args[] = {rl_arg_value(elements), node->args[1]};
        rl_build_end(&at, inverts ? RL_OP_aten_ne_scalar : RL_OP_aten_eq_scalar, args, 2);
        return true;
    }
    struct rl_value *set = node->args[1].as.value;
    const int64_t count = rl_tensor_numel(&elements->type), members = rl_tensor_numel(&set->type);
    const int64_t column[] = {count, 1}, row[] = {1, members}, flat[] = {count};
    if (members == 0 || count > MOST_COMPARISONS / members) {
        return rl_decline(pass->graph, node, "an empty set, or more than %d comparisons", MOST_COMPARISONS);
    }
    struct rl_value *equal = rl_build_truth(&at, RL_OP_aten_eq_tensor, rl_build_view(&at, elements, 2, column),
                                            rl_arg_value(rl_build_view(&at, set, 2, row)));
    const struct rl_tensor_type type = rl_tensor_type_make(RL_BOOL, 1, flat);
    const struct rl_arg args[] = {rl_arg_value(equal), rl_arg_int(1)};
    struct rl_value *found = rl_build(&at, RL_OP_aten_any_dim, &type, args, 2);
    rl_build_end_view(&at, inverts ? rl_build_unary(&at, RL_OP_aten_logical_not, found) : found);
    return true;
}

// How many boundaries of each row [rows, boundaries] lie before each value [rows, values]: all but those which the
// value is not above. So NaN lies behind all, as in PyTorch. An equal boundary lies before the value if `is_right`.
static struct rl_value *count_before(const struct rl_build *at, struct rl_value *boundaries, struct rl_value *values,
                                     const int64_t sizes[3], bool is_right)
{
    const int64_t column[] = {sizes[0], sizes[1], 1}, row[] = {sizes[0], 1, sizes[2]}, last = 2;
    struct rl_value *behind =
        rl_build_truth(at, is_right ? RL_OP_aten_lt_tensor : RL_OP_aten_le_tensor, rl_build_view(at, values, 3, column),
                       rl_arg_value(rl_build_view(at, boundaries, 3, row)));
    const struct rl_tensor_type counts = rl_tensor_type_make(RL_INT64, 2, sizes);
    const struct rl_arg args[] = {rl_arg_value(behind), rl_arg_ints(at->graph->arena, &last, 1)};
    const struct rl_arg rest[] = {rl_arg_value(rl_build(at, RL_OP_aten_sum_dim_intlist, &counts, args, 2)),
                                  rl_arg_int(sizes[2])};
    return rl_build(at, RL_OP_aten_rsub_scalar, &counts, rest, 2);
}

static bool end_with_places(const struct rl_pass *pass, struct rl_node *node, struct rl_value *boundaries,
                            struct rl_value *values, bool is_right)
{
    const struct rl_build at = {pass->graph, node};
    const struct rl_tensor_type *of = &boundaries->type;
    const int64_t columns = of->rank > 0 ? of->sizes[of->rank - 1] : 0;
    const int64_t rows = columns > 0 ? rl_tensor_numel(of) / columns : 0;
    const int64_t count = rl_tensor_numel(&values->type);
    if (rows == 0 || count % rows != 0 || count > MOST_COMPARISONS / columns) {
        return rl_decline(pass->graph, node, "no boundaries, or more than %d comparisons", MOST_COMPARISONS);
    }
    const int64_t sizes[] = {rows, count / rows, columns};
    struct rl_value *places = count_before(&at, boundaries, values, sizes, is_right);
    if (node->results[0]->type.dtype != RL_INT64) {
        const struct rl_arg args[] = {rl_arg_value(places)};
        const struct rl_tensor_type type = rl_tensor_type_make(node->results[0]->type.dtype, 2, sizes);
        places = rl_build(&at, RL_OP_aten_to_copy_internal, &type, args, 1);
    }
    rl_build_end_view(&at, places);
    return true;
}

bool rl_spell_buckets(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_value *boundaries = rl_node_tensor(node, "boundaries");
    if (boundaries->type.rank != 1) {
        return rl_decline(pass->graph, node, "boundaries of rank %d; accepted: 1", boundaries->type.rank);
    }
    return end_with_places(pass, node, boundaries, rl_node_tensor(node, "self"), rl_node_bool(node, "right"));
}

bool rl_spell_search(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    const struct rl_arg *side = rl_node_arg(node, "side");
    const bool is_right =
        rl_node_bool(node, "right") || (side->kind == RL_ARG_STRING && strcmp(side->as.string, "right") == 0);
    struct rl_value *boundaries = rl_node_tensor(node, "sorted_sequence");
    if (rl_node_arg(node, "sorter")->kind != RL_ARG_NONE) {
        return rl_decline(pass->graph, node, "a sequence that is sorted by another tensor");
    }
    if (node->op == RL_OP_aten_searchsorted) {
        return end_with_places(pass, node, boundaries, rl_node_tensor(node, "self"), is_right);
    }
    if (boundaries->type.dtype != RL_FLOAT32) {
        return rl_decline(pass->graph, node, "a number beside a sequence that is not float32");
    }
    return end_with_places(pass, node, boundaries, rl_build_constant(&at, 0, NULL, rl_node_number(node, "self")),
                           is_right);
}

// ---- order

// The first result of an ascending sort.
static struct rl_value *sorted(const struct rl_build *at, struct rl_value *self, int dim)
{
    struct rl_tensor_type type = rl_tensor_type_make(self->type.dtype, self->type.rank, self->type.sizes);
    const struct rl_arg args[] = {rl_arg_value(self), rl_arg_int(dim)};
    struct rl_value *values = rl_build(at, RL_OP_aten_sort, &type, args, 2);
    type.dtype = RL_INT64;
    rl_node_append_result(at->graph, values->producer, "indices", &type);
    return values;
}

bool rl_spell_sort(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *self = node->args[0].as.value;
    rl_build_end_view(&at, self->type.rank == 0 ? self : sorted(&at, self, 0));
    return true;
}

// The value at part `q` of the way along sorted values: between two neighbours there are five rules.
static struct rl_value *value_at(const struct rl_build *at, struct rl_value *values, int dim, double q)
{
    const char *rule = rl_node_arg(at->node, "interpolation")->as.string;
    const double place = q * (double)(values->type.sizes[dim] - 1); // PyTorch does not round it to float32
    double low = floor(place), part = place - low;
    if (strcmp(rule, "nearest") == 0) {
        low = nearbyint(place);
        part = 0.0;
    } else if (strcmp(rule, "lower") == 0) {
        part = 0.0;
    } else if (strcmp(rule, "higher") == 0) {
        low = ceil(place);
        part = 0.0;
    } else if (strcmp(rule, "midpoint") == 0) {
        part = part > 0.0 ? 0.5 : 0.0;
    }
    struct rl_value *below = rl_build_slice(at, values, dim, (int64_t)low, (int64_t)low + 1);
    if (part == 0.0) {
        return below;
    }
    struct rl_value *above = rl_build_slice(at, values, dim, (int64_t)low + 1, (int64_t)low + 2);
    const struct rl_arg args[] = {rl_arg_value(below), rl_arg_value(above), rl_arg_double(part)};
    return rl_build(at, RL_OP_aten_lerp_scalar, &below->type, args, 3);
}

// NaN where one of the values is NaN, which are the last ones in order.
static struct rl_value *keep_nan(const struct rl_build *at, struct rl_value *values, int dim, struct rl_value *result)
{
    const int64_t last = values->type.sizes[dim] - 1;
    struct rl_value *largest = rl_build_slice(at, values, dim, last, last + 1);
    const struct rl_arg args[] = {
        rl_arg_value(rl_build_truth(at, RL_OP_aten_isnan, largest, (struct rl_arg){.kind = RL_ARG_NONE})),
        rl_arg_value(largest), rl_arg_value(result)};
    return rl_build(at, RL_OP_aten_where_self, &result->type, args, 3);
}

enum { MOST_QUANTILES = 256 };

static bool is_rule(const char *rule)
{
    static const char *const rules[] = {"linear", "lower", "higher", "nearest", "midpoint"};
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (strcmp(rule, rules[i]) == 0) {
            return true;
        }
    }
    return false;
}

bool rl_spell_quantile(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *self = node->args[0].as.value;
    const struct rl_arg *given = rl_node_arg(node, "dim");
    const bool has_list = node->op == RL_OP_aten_quantile;
    const struct rl_value *list = has_list ? rl_spelled_constant(rl_node_tensor(node, "q")) : NULL;
    if ((has_list && (!list || list->type.dtype != RL_FLOAT32)) ||
        !is_rule(rl_node_arg(node, "interpolation")->as.string)) {
        return rl_decline(pass->graph, node,
                          "a q that changes, or another interpolation; accepted: a q of constant float32, and linear, "
                          "lower, higher, nearest, midpoint");
    }
    const float number = has_list ? 0.0f : (float)rl_node_number(node, "q");
    const float *parts = list ? list->data : &number;
    const int64_t count = list ? rl_tensor_numel(&list->type) : 1;
    if (given->kind == RL_ARG_NONE || self->type.rank == 0) {
        self = rl_build_flat(&at, self);
    }
    const int dim = given->kind == RL_ARG_NONE ? 0 : rl_dim_normalized(given->as.integer, self->type.rank);
    if (self->type.dtype != RL_FLOAT32 || self->type.rank >= RL_MAX_RANK || count < 1 || count > MOST_QUANTILES ||
        dim < 0 || self->type.sizes[dim] < 1) {
        return rl_decline(pass->graph, node,
                          "%lld quantiles of rank %d; accepted: 1 to %d of float32 values, along a dimension that is "
                          "not empty, of a rank below %d",
                          (long long)count, self->type.rank, MOST_QUANTILES, RL_MAX_RANK);
    }
    struct rl_value *values = sorted(&at, self, dim), *results[MOST_QUANTILES];
    int64_t sizes[RL_MAX_RANK] = {1};
    memcpy(sizes + 1, self->type.sizes, sizeof sizes - sizeof sizes[0]);
    sizes[dim + 1] = 1;
    for (int64_t i = 0; i < count; i++) {
        if (!(parts[i] >= 0.0f && parts[i] <= 1.0f)) {
            return rl_decline(pass->graph, node, "the quantile of %g; accepted: 0 to 1", (double)parts[i]);
        }
        struct rl_value *result = value_at(&at, values, dim, (double)parts[i]);
        result = rl_has_nan(pass) ? keep_nan(&at, values, dim, result) : result;
        results[i] = count == 1 ? result : rl_build_view(&at, result, self->type.rank + 1, sizes);
    }
    rl_build_end_view(&at, count == 1 ? results[0] : rl_build_cat(&at, results, (int)count, 0));
    return true;
}

// ---- running products

// Products of the tensor and itself shifted by 1, 2, 4, ... elements, so that each element holds the product of as many
// elements up to it.
bool rl_spell_running(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *value = node->args[0].as.value;
    const enum rl_op_id op = node->op == RL_OP_aten_cumprod ? RL_OP_aten_mul : RL_OP_aten_logaddexp;
    const int dim = rl_dim_normalized(rl_node_int(node, "dim"), value->type.rank);
    if (value->type.rank > 0 && dim < 0) {
        return rl_decline(pass->graph, node, "a dimension out of range");
    }
    if (value->type.dtype != node->results[0]->type.dtype) {
        const struct rl_arg args[] = {rl_arg_value(value)};
        value = rl_build(&at, RL_OP_aten_to_copy_internal, &node->results[0]->type, args, 1);
    }
    const int64_t size = value->type.rank > 0 ? value->type.sizes[dim] : 1;
    for (int64_t step = 1; step < size; step *= 2) {
        struct rl_value *parts[2] = {rl_build_slice(&at, value, dim, 0, step)};
        struct rl_value *later = rl_build_slice(&at, value, dim, step, size);
        parts[1] = rl_build_binary(&at, op, rl_build_slice(&at, value, dim, 0, size - step), later);
        value = rl_build_cat(&at, parts, 2, dim);
    }
    rl_build_end_view(&at, value);
    return true;
}

// ---- areas

// One slice along the dimension against the one before it.
static struct rl_value *neighbours(const struct rl_build *at, enum rl_op_id op, struct rl_value *value, int dim)
{
    const int64_t size = value->type.sizes[dim];
    struct rl_value *later = rl_build_slice(at, value, dim, 1, size);
    return rl_build_binary(at, op, later, rl_build_slice(at, value, dim, 0, size - 1));
}

// Half the sum of each two neighbours, times their distance.
bool rl_spell_area(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *y = rl_node_tensor(node, "y");
    const bool has_x = rl_op_argument(rl_op_get(node->op), "x") >= 0;
    const bool runs = node->op == RL_OP_aten_cumulative_trapezoid_x || node->op == RL_OP_aten_cumulative_trapezoid_dx;
    const int64_t dim = rl_dim_normalized(rl_node_int(node, "dim"), y->type.rank);
    struct rl_value *x = has_x ? rl_node_tensor(node, "x") : NULL;
    if (dim < 0 || y->type.sizes[dim] < 2 || y->type.dtype != RL_FLOAT32 ||
        (x && (x->type.dtype != RL_FLOAT32 || (x->type.rank != 1 && !rl_tensor_same_sizes(&x->type, &y->type))))) {
        return rl_decline(
            pass->graph, node,
            "other than two and more values of float32, with places that are a vector or have the same sizes");
    }
    struct rl_value *areas = neighbours(&at, RL_OP_aten_add, y, (int)dim);
    double factor = 0.5;
    if (x) {
        struct rl_value *widths = neighbours(&at, RL_OP_aten_sub_tensor, x, x->type.rank == 1 ? 0 : (int)dim);
        int64_t sizes[RL_MAX_RANK];
        for (int d = 0; d < y->type.rank; d++) {
            sizes[d] = d == dim || x->type.rank > 1 ? areas->type.sizes[d] : 1;
        }
        areas = rl_build_binary(&at, RL_OP_aten_mul, areas, rl_build_view(&at, widths, y->type.rank, sizes));
    } else {
        factor *= rl_node_number(node, "dx");
    }
    const struct rl_arg along[] = {rl_arg_value(areas), rl_arg_int(dim)};
    struct rl_value *sum = runs ? rl_build(&at, RL_OP_aten_cumsum, &areas->type, along, 2)
                                : rl_build_reduce(&at, RL_OP_aten_sum_dim_intlist, areas, &dim, 1);
    rl_build_end_view(&at, rl_build_scalar(&at, RL_OP_aten_mul_scalar, sum, factor));
    return true;
}
