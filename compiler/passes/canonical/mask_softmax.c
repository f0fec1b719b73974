// SPDX-License-Identifier: Apache-2.0
//
// mask_softmax: attention becomes products of matrices and a softmax, and scores that a mask removes before a softmax
// become arguments of that softmax.
//   needs   canonical operators; masks as constants where they are (fold_constants)
//   keeps   values up to rounding; the names of the results
//   breaks  nothing
//
//   scaled_dot_product_attention                            softmax(query * key' * scale + mask) * value
//   softmax(masked_fill(x, m, -inf)), softmax(where(...))   _masked_softmax(x, m)
//   softmax(x + c), c a constant with -inf                  _masked_softmax(x + rest of c, c is -inf)
//   softmax(x + p), p a mask in numbers (mask_parts)        _masked_softmax(x + rest of p, p is -inf)
//   _safe_softmax of such scores, nan_to_num(softmax(...))  the same, and 0 in rows that are all masked
//
// No grid of 256 steps holds scores and minus infinity. A softmax that takes the mask beside the scores leaves the
// scores a grid of their own. Runs only if the graph will be quantized.
#include "compiler/passes/passes.h"

#include "compiler/passes/canonical/mask_parts.h"
#include "compiler/passes/rewrite/attention.h"
#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"

// The tensor that a view of the scores shows, with the same last dimension.
static struct rl_value *behind_view(const struct rl_graph *graph, struct rl_value *value)
{
    if (value->kind != RL_VALUE_RESULT || value->producer->op != RL_OP_aten_view_copy ||
        !rl_value_only_user(graph, value)) {
        return value;
    }
    struct rl_value *viewed = value->producer->args[0].as.value;
    const struct rl_tensor_type *from = &viewed->type, *to = &value->type;
    return from->rank > 0 && from->sizes[from->rank - 1] == to->sizes[to->rank - 1] ? viewed : value;
}

// ---- rows that are all masked

// The dimension of a mask that is dimension `dim` of the scores; -1 if it is broadcast along it.
static int dim_of_mask(const struct rl_value *mask, const struct rl_value *scores, int dim)
{
    const int own = dim - (scores->type.rank - mask->type.rank);
    return own >= 0 && mask->type.sizes[own] == scores->type.sizes[dim] ? own : -1;
}

// Of a constant mask: a constant, or NULL if no row is all masked.
static struct rl_value *constant_rows(const struct rl_build *at, const struct rl_value *mask, int dim)
{
    struct rl_tensor_type type = rl_tensor_type_make(RL_BOOL, mask->type.rank, mask->type.sizes);
    int64_t inner = 1, count = 1, along = 1;
    for (int d = 0; d < type.rank; d++) {
        inner *= d > dim && dim >= 0 ? type.sizes[d] : 1;
        type.sizes[d] = d == dim ? 1 : type.sizes[d];
        count *= type.sizes[d];
    }
    along = dim >= 0 ? mask->type.sizes[dim] : 1;
    bool *is_row = rl_arena_array(at->graph->arena, (size_t)count, sizeof *is_row), any = false;
    for (int64_t i = 0; i < count; i++) {
        const unsigned char *first = (const unsigned char *)mask->data + i / inner * inner * along + i % inner;
        is_row[i] = true;
        for (int64_t k = 0; k < along; k++) {
            is_row[i] &= first[k * inner] != 0;
        }
        any |= is_row[i];
    }
    const char *name = rl_arena_format(at->graph->arena, "%s_rows", at->node->name);
    return any ? rl_graph_add_constant(at->graph, name, &type, is_row) : NULL;
}

static struct rl_value *masked_rows(const struct rl_build *at, struct rl_value *mask, const struct rl_value *scores,
                                    int dim)
{
    const int own = dim_of_mask(mask, scores, dim);
    if (mask->kind == RL_VALUE_CONSTANT && !rl_value_is_state(mask) && rl_tensor_is_contiguous(&mask->type)) {
        return constant_rows(at, mask, own);
    }
    if (own < 0) {
        return mask;
    }
    struct rl_tensor_type type = rl_tensor_type_make(RL_BOOL, mask->type.rank, mask->type.sizes);
    type.sizes[own] = 1;
    const struct rl_arg args[] = {rl_arg_value(mask), rl_arg_int(own), rl_arg_bool(true)};
    return rl_build(at, RL_OP_aten_all_dim, &type, args, 3);
}

// ---- softmax

// The end of a safe softmax whose scores have no mask that is known: it is taken for an ordinary one.
static bool end_without_mask(const struct rl_build *at, int dim)
{
    const struct rl_arg args[] = {at->node->args[0], rl_arg_int(dim), rl_arg_bool(false)};
    if (at->node->op == RL_OP_aten_safe_softmax) {
        rl_build_end(at, RL_OP_aten_softmax, args, 3);
    }
    return at->node->op != RL_OP_aten_safe_softmax;
}

static bool mask_softmax(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *input = node->args[0].as.value;
    const bool is_safe = node->op == RL_OP_aten_safe_softmax;
    const int dim = rl_dim_normalized(rl_node_int(node, "dim"), input->type.rank);
    if (dim < 0 || input->type.dtype != RL_FLOAT32 || node->results[0]->type.dtype != RL_FLOAT32 ||
        (!is_safe && rl_node_bool(node, "half_to_float"))) {
        return false;
    }
    struct rl_value *masked = dim == input->type.rank - 1 ? behind_view(pass->graph, input) : input;
    if (masked->kind != RL_VALUE_RESULT || !rl_value_only_user(pass->graph, masked)) {
        return end_without_mask(&at, dim);
    }
    const struct rl_mask_parts parts = rl_mask_parts(&at, masked);
    if (!parts.mask || !parts.rest || !rl_tensor_same_sizes(&parts.rest->type, &masked->type)) {
        return end_without_mask(&at, dim);
    }
    const int own_dim = masked == input ? dim : masked->type.rank - 1;
    const struct rl_arg args[] = {rl_arg_value(parts.rest), rl_arg_value(parts.mask), rl_arg_int(own_dim)};
    struct rl_value *rows = is_safe && !parts.is_finite ? masked_rows(&at, parts.mask, masked, own_dim) : NULL;
    if (!rows && masked == input) {
        rl_build_end(&at, RL_OP_aten_masked_softmax, args, 3);
        return true;
    }
    struct rl_value *result = rl_build(&at, RL_OP_aten_masked_softmax, &parts.rest->type, args, 3);
    if (rows) {
        const struct rl_arg fill[] = {rl_arg_value(result), rl_arg_value(rows), rl_arg_double(0.0)};
        result = rl_build(&at, RL_OP_aten_masked_fill_scalar, &parts.rest->type, fill, 3);
    }
    rl_build_end_view(&at, result);
    return true;
}

// ---- rows that are all masked, and that a model fills with 0 itself

static bool is_zero(const struct rl_arg *arg)
{
    return (arg->kind == RL_ARG_INT && arg->as.integer == 0) || (arg->kind == RL_ARG_DOUBLE && arg->as.number == 0.0);
}

// nan_to_num(softmax(x)), and softmax(x).masked_fill(isnan(softmax(x)), 0).
static bool make_safe(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    const struct rl_value *self = rl_node_tensor(node, "self");
    const struct rl_node *softmax = self->kind == RL_VALUE_RESULT ? self->producer : NULL;
    if (!softmax || softmax->op != RL_OP_aten_softmax || rl_node_bool(softmax, "half_to_float")) {
        return false;
    }
    if (node->op == RL_OP_aten_nan_to_num) {
        const struct rl_arg *nan = rl_node_arg(node, "nan");
        if ((nan->kind != RL_ARG_NONE && !is_zero(nan)) || !rl_value_only_user(pass->graph, self)) {
            return false;
        }
    } else {
        const struct rl_value *mask = rl_node_tensor(node, "mask");
        const struct rl_node *test = mask->kind == RL_VALUE_RESULT ? mask->producer : NULL;
        if (!is_zero(rl_node_arg(node, "value")) || !test || test->op != RL_OP_aten_isnan ||
            test->args[0].as.value != self || rl_value_use_count(pass->graph, self) != 2 ||
            !rl_value_only_user(pass->graph, mask)) {
            return false;
        }
    }
    const struct rl_arg args[] = {softmax->args[0], softmax->args[1]};
    rl_build_end(&at, RL_OP_aten_safe_softmax, args, 2);
    return true;
}

static bool decompose(const struct rl_pass *pass, struct rl_node *node)
{
    return rl_decompose_attention(pass, node, RL_OP_aten_mul);
}

enum rl_status rl_pass_mask_softmax(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_aten_scaled_dot_product_attention, decompose);
    rl_lower_each(pass, RL_OP_aten_nan_to_num, make_safe);
    rl_lower_each(pass, RL_OP_aten_masked_fill_scalar, make_safe);
    rl_lower_each(pass, RL_OP_aten_softmax, mask_softmax);
    rl_lower_each(pass, RL_OP_aten_safe_softmax, mask_softmax);
    return RL_OK;
}
