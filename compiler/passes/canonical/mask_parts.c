// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/canonical/mask_parts.h"

#include <math.h>

#include "compiler/passes/rewrite/rewrite.h"

enum { DEEPEST = 12 }; // operators between a softmax and its mask

static const double highest_masked = -1e4;

static struct rl_mask_parts split(const struct rl_build *at, struct rl_value *value, int depth);

// ---- numbers

static bool are_equal(const float *elements, int64_t count)
{
    for (int64_t i = 1; i < count; i++) {
        if (elements[i] != elements[0]) {
            return false;
        }
    }
    return count > 0;
}

// A number, or a constant whose elements are all the same one.
static bool read_number(const struct rl_arg *arg, double *number)
{
    if (arg->kind == RL_ARG_INT || arg->kind == RL_ARG_DOUBLE) {
        *number = arg->kind == RL_ARG_INT ? (double)arg->as.integer : arg->as.number;
        return true;
    }
    const struct rl_value *value = arg->kind == RL_ARG_VALUE ? arg->as.value : NULL;
    if (!value || value->kind != RL_VALUE_CONSTANT || rl_value_is_state(value) || value->type.dtype != RL_FLOAT32 ||
        !are_equal(value->data, rl_tensor_numel(&value->type))) {
        return false;
    }
    *number = (double)*(const float *)value->data;
    return true;
}

static bool is_masking(const struct rl_arg *arg)
{
    double number;
    return read_number(arg, &number) && number <= highest_masked;
}

static bool is_finite(const struct rl_arg *arg)
{
    double number;
    return read_number(arg, &number) && number > -INFINITY;
}

static bool is_one(const struct rl_node *node, const char *name)
{
    double number;
    return read_number(rl_node_arg(node, name), &number) && number == 1.0;
}

// ---- bools

static struct rl_value *build_bools(const struct rl_build *at, enum rl_op_id op, struct rl_value *value,
                                    const struct rl_arg *args, int count)
{
    struct rl_tensor_type type = rl_tensor_type_make(RL_BOOL, value->type.rank, value->type.sizes);
    return rl_build(at, op, &type, args, count);
}

static struct rl_value *compare(const struct rl_build *at, enum rl_op_id op, struct rl_value *value, struct rl_arg to)
{
    const struct rl_arg args[] = {rl_arg_value(value), to};
    return build_bools(at, op, value, args, 2);
}

static struct rl_value *inverted(const struct rl_build *at, struct rl_value *condition)
{
    const struct rl_arg args[] = {rl_arg_value(condition)};
    if (condition->kind != RL_VALUE_CONSTANT || rl_value_is_state(condition)) {
        return rl_build(at, RL_OP_aten_logical_not, &condition->type, args, 1);
    }
    const size_t count = (size_t)rl_tensor_numel(&condition->type);
    const unsigned char *from = condition->data;
    unsigned char *to = rl_arena_array(at->graph->arena, count, 1);
    for (size_t i = 0; i < count; i++) {
        to[i] = !from[i];
    }
    return rl_graph_add_constant(at->graph, rl_arena_format(at->graph->arena, "%s_mask", at->node->name),
                                 &condition->type, to);
}

// Either mask, which may be NULL.
static struct rl_value *either(const struct rl_build *at, struct rl_value *a, struct rl_value *b)
{
    if (!a || !b || a == b) {
        return a ? a : b;
    }
    struct rl_value *both = rl_build_binary(at, RL_OP_aten_logical_or, a, b);
    both->type.dtype = RL_BOOL;
    return both;
}

// ---- views

static bool is_view(const struct rl_node *node)
{
    return node->op == RL_OP_aten_view_copy || node->op == RL_OP_aten_expand_copy ||
           node->op == RL_OP_aten_permute_copy;
}

// What `view` makes of another tensor, which may have to be broadcast to the sizes of the one that it shows.
static struct rl_value *seen_through(const struct rl_build *at, const struct rl_node *view, struct rl_value *part)
{
    const struct rl_tensor_type *from = &view->args[0].as.value->type, *to = &view->results[0]->type;
    if (!part) {
        return NULL;
    }
    if (view->op == RL_OP_aten_expand_copy) {
        return rl_build_expand(at, part, to->rank, to->sizes);
    }
    if (!rl_tensor_same_sizes(&part->type, from)) {
        part = rl_build_expand(at, part, from->rank, from->sizes);
    }
    return view->op == RL_OP_aten_view_copy ? rl_build_view(at, part, to->rank, to->sizes)
                                            : rl_build_permute(at, part, rl_node_arg(view, "dims")->as.integers);
}

// ---- numbers that tell what counts

static bool is_cast(const struct rl_node *node)
{
    return node->op == RL_OP_aten_to_dtype || node->op == RL_OP_aten_to_copy_internal;
}

static bool is_integer(const struct rl_value *value)
{
    const enum rl_scalar_type dtype = value->type.dtype;
    return dtype == RL_INT64 || dtype == RL_INT32 || dtype == RL_INT8 || dtype == RL_UINT8;
}

// Where a tensor of zeros and ones is not zero; NULL if it may hold other numbers. Integers, and floats that the caller
// passes, are taken for such.
static struct rl_value *truth(const struct rl_build *at, struct rl_value *value, int depth)
{
    struct rl_node *node = value->kind == RL_VALUE_RESULT ? value->producer : NULL;
    if (node && depth > 0 && (is_cast(node) || is_view(node))) {
        struct rl_value *of_source = truth(at, node->args[0].as.value, depth - 1);
        if (of_source) {
            return is_cast(node) ? of_source : seen_through(at, node, of_source);
        }
    }
    if (node && depth > 0 && node->op == RL_OP_aten_rsub_scalar && is_one(node, "other") && is_one(node, "alpha")) {
        struct rl_value *of_source = truth(at, node->args[0].as.value, depth - 1);
        return of_source ? inverted(at, of_source) : NULL;
    }
    if (value->type.dtype == RL_BOOL) {
        return value;
    }
    if (is_integer(value)) {
        return compare(at, RL_OP_aten_ne_scalar, value, rl_arg_int(0));
    }
    return value->kind == RL_VALUE_INPUT && value->type.dtype == RL_FLOAT32
               ? compare(at, RL_OP_aten_gt_scalar, value, rl_arg_double(0.5))
               : NULL;
}

// ---- masks

static struct rl_mask_parts split_constant(const struct rl_build *at, struct rl_value *value)
{
    const size_t count = (size_t)rl_tensor_numel(&value->type);
    const float *from = value->data;
    float *others = rl_arena_array(at->graph->arena, count, sizeof *others);
    bool *is_masked = rl_arena_array(at->graph->arena, count, sizeof *is_masked);
    bool masks = false, adds = false, is_finite = false;
    for (size_t i = 0; i < count; i++) {
        is_masked[i] = (double)from[i] <= highest_masked;
        others[i] = is_masked[i] ? 0.0f : from[i];
        masks |= is_masked[i];
        is_finite |= is_masked[i] && from[i] > -INFINITY;
        adds |= others[i] != 0.0f;
    }
    struct rl_mask_parts parts = {.rest = adds ? value : NULL, .is_finite = is_finite};
    if (masks) {
        struct rl_tensor_type type = value->type;
        const char *stem = at->node->name;
        parts.rest =
            adds ? rl_graph_add_constant(at->graph, rl_arena_format(at->graph->arena, "%s_bias", stem), &type, others)
                 : NULL;
        type.dtype = RL_BOOL;
        parts.mask =
            rl_graph_add_constant(at->graph, rl_arena_format(at->graph->arena, "%s_mask", stem), &type, is_masked);
    }
    return parts;
}

// An input of floats that is broadcast to the scores is a mask, with zeros or a bias where it masks nothing.
static struct rl_mask_parts split_input(const struct rl_build *at, struct rl_value *value)
{
    if (rl_tensor_numel(&value->type) >= rl_tensor_numel(&at->node->results[0]->type)) {
        return (struct rl_mask_parts){.rest = value};
    }
    const struct rl_arg number = rl_arg_double(highest_masked);
    const struct rl_arg args[] = {rl_arg_value(value), number, rl_arg_double(0.0)};
    struct rl_mask_parts parts = {.mask = compare(at, RL_OP_aten_le_scalar, value, number)};
    parts.rest = rl_build(at, RL_OP_aten_threshold, &value->type, args, 3);
    return parts;
}

static struct rl_mask_parts split_view(const struct rl_build *at, struct rl_value *value, int depth)
{
    const struct rl_node *view = value->producer;
    struct rl_mask_parts parts = split(at, view->args[0].as.value, depth - 1);
    if (!parts.mask) {
        return (struct rl_mask_parts){.rest = parts.rest ? value : NULL};
    }
    parts.mask = seen_through(at, view, parts.mask);
    parts.rest = seen_through(at, view, parts.rest);
    return parts;
}

static struct rl_mask_parts add(const struct rl_build *at, struct rl_mask_parts a, struct rl_mask_parts b)
{
    struct rl_mask_parts sum = {either(at, a.mask, b.mask), a.rest ? a.rest : b.rest, a.is_finite || b.is_finite};
    if (a.rest && b.rest) {
        sum.rest = rl_build_binary(at, RL_OP_aten_add, a.rest, b.rest);
    }
    return sum;
}

static struct rl_mask_parts split_sum(const struct rl_build *at, struct rl_value *value, int depth)
{
    const struct rl_node *node = value->producer;
    const struct rl_mask_parts whole = {.rest = value};
    if (node->args[0].kind != RL_ARG_VALUE || node->args[1].kind != RL_ARG_VALUE || !is_one(node, "alpha")) {
        return whole;
    }
    const struct rl_mask_parts a = split(at, node->args[0].as.value, depth - 1);
    const struct rl_mask_parts b = split(at, node->args[1].as.value, depth - 1);
    return a.mask || b.mask ? add(at, a, b) : whole;
}

static struct rl_mask_parts split_product_sum(const struct rl_build *at, struct rl_value *value, int depth)
{
    const struct rl_node *node = value->producer;
    struct rl_value *a = rl_node_tensor(node, "batch1"), *b = rl_node_tensor(node, "batch2");
    const struct rl_mask_parts whole = {.rest = value};
    if (!is_one(node, "alpha") || !is_one(node, "beta") || a->type.rank != 3 || b->type.rank != 3) {
        return whole;
    }
    const struct rl_mask_parts added = split(at, node->args[0].as.value, depth - 1);
    return added.mask ? add(at, (struct rl_mask_parts){.rest = rl_build_product(at, RL_OP_aten_bmm, a, b)}, added)
                      : whole;
}

// The mask of a fill. A cast to bools of numbers needs none.
static struct rl_value *mask_of(const struct rl_build *at, struct rl_value *condition, int depth)
{
    struct rl_value *found = truth(at, condition, depth);
    return found ? found : condition;
}

// The operand that a cast to bools shows.
static const struct rl_value *behind_cast(const struct rl_value *condition)
{
    return condition->kind == RL_VALUE_RESULT && is_cast(condition->producer) ? condition->producer->args[0].as.value
                                                                              : condition;
}

// Whether two values are the same difference of one and the same number.
static bool are_same(const struct rl_value *a, const struct rl_value *b)
{
    if (a == b) {
        return true;
    }
    return a->kind == RL_VALUE_RESULT && b->kind == RL_VALUE_RESULT && a->producer->op == RL_OP_aten_rsub_scalar &&
           b->producer->op == RL_OP_aten_rsub_scalar && is_one(a->producer, "other") && is_one(b->producer, "other") &&
           is_one(a->producer, "alpha") && is_one(b->producer, "alpha") &&
           a->producer->args[0].as.value == b->producer->args[0].as.value;
}

// What is under the mask does not count: of x.masked_fill(x.bool(), -inf) nothing is left but zeros.
static struct rl_mask_parts split_fill(const struct rl_build *at, struct rl_value *value, int depth)
{
    const struct rl_node *node = value->producer;
    struct rl_value *self = rl_node_tensor(node, "self"), *condition = rl_node_tensor(node, "mask");
    if (condition->type.dtype != RL_BOOL || !is_masking(rl_node_arg(node, "value"))) {
        return (struct rl_mask_parts){.rest = value};
    }
    struct rl_mask_parts parts = {0};
    if (!are_same(behind_cast(condition), self)) {
        parts = split(at, self, depth - 1);
    }
    parts.mask = either(at, parts.mask, mask_of(at, condition, depth));
    parts.is_finite |= is_finite(rl_node_arg(node, "value"));
    return parts;
}

static struct rl_mask_parts split_other(const struct rl_build *at, const struct rl_arg *arg, int depth)
{
    double number;
    if (!read_number(arg, &number)) {
        return split(at, arg->as.value, depth - 1);
    }
    return (struct rl_mask_parts){.rest = number == 0.0 ? NULL : rl_build_constant(at, 0, NULL, number)};
}

static struct rl_mask_parts split_choice(const struct rl_build *at, struct rl_value *value, int depth)
{
    const struct rl_node *node = value->producer;
    struct rl_value *condition = rl_node_tensor(node, "condition");
    const struct rl_arg *self = rl_node_arg(node, "self"), *other = rl_node_arg(node, "other");
    if (condition->type.dtype != RL_BOOL || is_masking(self) == is_masking(other)) {
        return (struct rl_mask_parts){.rest = value};
    }
    struct rl_value *mask = mask_of(at, condition, depth);
    struct rl_mask_parts parts = split_other(at, is_masking(self) ? other : self, depth);
    parts.mask = either(at, parts.mask, is_masking(self) ? mask : inverted(at, mask));
    parts.is_finite |= is_finite(is_masking(self) ? self : other);
    return parts;
}

// (1 - x) * -10,000, or x * -10,000, of zeros and ones.
static struct rl_mask_parts split_product(const struct rl_build *at, struct rl_value *value, int depth)
{
    const struct rl_node *node = value->producer;
    struct rl_mask_parts parts = {.rest = value};
    for (int i = 0; i < 2; i++) {
        if (node->args[i].kind == RL_ARG_VALUE && is_masking(&node->args[1 - i])) {
            struct rl_value *mask = truth(at, node->args[i].as.value, depth);
            return mask ? (struct rl_mask_parts){.mask = mask, .is_finite = true} : parts;
        }
    }
    return parts;
}

// Numbers written into a constant that masks everything, as gates of experts keep the largest: the places of the
// numbers count.
static struct rl_mask_parts split_scatter(const struct rl_build *at, struct rl_value *value)
{
    const struct rl_node *node = value->producer;
    struct rl_value *self = rl_node_tensor(node, "self"), *source = rl_node_tensor(node, "src");
    const struct rl_mask_parts whole = {.rest = value};
    if (self->kind != RL_VALUE_CONSTANT || rl_value_is_state(self) || self->type.dtype != RL_FLOAT32) {
        return whole;
    }
    const int64_t count = rl_tensor_numel(&self->type);
    bool *is_masked = rl_arena_array(at->graph->arena, (size_t)count, sizeof *is_masked), is_finite = false;
    for (int64_t i = 0; i < count; i++) {
        is_masked[i] = true;
        is_finite |= ((const float *)self->data)[i] > -INFINITY;
        if (!((double)((const float *)self->data)[i] <= highest_masked)) {
            return whole;
        }
    }
    struct rl_tensor_type type = rl_tensor_type_make(RL_BOOL, self->type.rank, self->type.sizes);
    const char *name = rl_arena_format(at->graph->arena, "%s_mask", at->node->name);
    const struct rl_arg dim = *rl_node_arg(node, "dim"), index = *rl_node_arg(node, "index");
    const struct rl_arg mask[] = {rl_arg_value(rl_graph_add_constant(at->graph, name, &type, is_masked)), dim, index,
                                  rl_arg_int(0)};
    const struct rl_arg rest[] = {rl_arg_value(rl_build_constant(at, self->type.rank, self->type.sizes, 0.0)), dim,
                                  index, rl_arg_value(source)};
    struct rl_value *numbers = rl_build(at, RL_OP_aten_scatter_src, &value->type, rest, 4);
    return (struct rl_mask_parts){rl_build(at, RL_OP_aten_scatter_value, &type, mask, 4), numbers, is_finite};
}

static struct rl_mask_parts split_result(const struct rl_build *at, struct rl_value *value, int depth)
{
    switch (value->producer->op) {
    case RL_OP_aten_view_copy:
    case RL_OP_aten_expand_copy:
    case RL_OP_aten_permute_copy:
        return split_view(at, value, depth);
    case RL_OP_aten_add:
        return split_sum(at, value, depth);
    case RL_OP_aten_baddbmm:
        return split_product_sum(at, value, depth);
    case RL_OP_aten_masked_fill_scalar:
        return split_fill(at, value, depth);
    case RL_OP_aten_where_self:
    case RL_OP_aten_where_scalar:
    case RL_OP_aten_where_scalarself:
    case RL_OP_aten_where_scalarother:
        return split_choice(at, value, depth);
    case RL_OP_aten_scatter_src:
        return split_scatter(at, value);
    case RL_OP_aten_mul:
    case RL_OP_aten_mul_scalar:
        return split_product(at, value, depth);
    default:
        return (struct rl_mask_parts){.rest = value};
    }
}

static struct rl_mask_parts split(const struct rl_build *at, struct rl_value *value, int depth)
{
    if (depth == 0 || value->type.dtype != RL_FLOAT32 || rl_value_is_state(value)) {
        return (struct rl_mask_parts){.rest = value};
    }
    switch (value->kind) {
    case RL_VALUE_CONSTANT:
        return split_constant(at, value);
    case RL_VALUE_INPUT:
        return split_input(at, value);
    default:
        return split_result(at, value, depth);
    }
}

struct rl_mask_parts rl_mask_parts(const struct rl_build *at, struct rl_value *value)
{
    return split(at, value, DEEPEST);
}
