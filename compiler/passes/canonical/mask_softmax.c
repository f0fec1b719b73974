// SPDX-License-Identifier: Apache-2.0
//
// mask_softmax: attention becomes products of matrices and a softmax, and scores that a mask removes before a softmax
// become arguments of that softmax.
//   needs   canonical operators; masks as constants where they are (fold_constants)
//   keeps   values up to rounding; the names of the results
//   breaks  nothing
//
//   scaled_dot_product_attention                          softmax(query * key' * scale + mask) * value
//   softmax(masked_fill(x, m, -inf)), softmax(where(...))   _masked_softmax(x, m)
//   softmax(x + c), c a constant with -inf                  _masked_softmax(x + rest of c, c is -inf)
//
// No grid of 256 steps holds scores and minus infinity. A softmax that takes the mask beside the scores leaves the
// scores a grid of their own. Numbers from -10,000 downwards count as minus infinity. Runs only if the graph will be
// quantized.
#include "compiler/passes/passes.h"

#include <math.h>

#include "compiler/passes/rewrite/attention.h"
#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"

static const double highest_masked = -1e4;

// The parts of a masked tensor.
struct masked {
    struct rl_value *scores;
    struct rl_value *mask; // set where a score does not count
};

// ---- masks

static bool is_masking_number(const struct rl_value *value)
{
    return value->kind == RL_VALUE_CONSTANT && value->type.dtype == RL_FLOAT32 && rl_tensor_numel(&value->type) == 1 &&
           *(const float *)value->data <= highest_masked;
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

// Splits a constant that is added to the scores. False if it masks nothing.
static bool split_constant(const struct rl_build *at, const struct rl_value *added, struct rl_value **mask,
                           struct rl_value **rest)
{
    if (added->kind != RL_VALUE_CONSTANT || rl_value_is_state(added) || added->type.dtype != RL_FLOAT32) {
        return false;
    }
    const size_t count = (size_t)rl_tensor_numel(&added->type);
    const float *from = added->data;
    float *others = rl_arena_array(at->graph->arena, count, sizeof *others);
    bool *is_masked = rl_arena_array(at->graph->arena, count, sizeof *is_masked);
    bool masks = false, adds = false;
    for (size_t i = 0; i < count; i++) {
        is_masked[i] = from[i] <= highest_masked;
        others[i] = is_masked[i] ? 0.0f : from[i];
        masks |= is_masked[i];
        adds |= others[i] != 0.0f;
    }
    if (!masks) {
        return false;
    }
    struct rl_tensor_type type = added->type;
    const char *stem = at->node->name;
    *rest = adds ? rl_graph_add_constant(at->graph, rl_arena_format(at->graph->arena, "%s_bias", stem), &type, others)
                 : NULL;
    type.dtype = RL_BOOL;
    *mask = rl_graph_add_constant(at->graph, rl_arena_format(at->graph->arena, "%s_mask", stem), &type, is_masked);
    return true;
}

static bool read_sum(const struct rl_build *at, const struct rl_node *node, struct masked *parts)
{
    struct rl_value *rest;
    const struct rl_arg *alpha = rl_node_arg(node, "alpha");
    if (node->args[0].kind != RL_ARG_VALUE || node->args[1].kind != RL_ARG_VALUE || alpha->kind != RL_ARG_INT ||
        alpha->as.integer != 1) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        struct rl_value *scores = node->args[i].as.value;
        if (rl_tensor_same_sizes(&scores->type, &node->results[0]->type) &&
            split_constant(at, node->args[1 - i].as.value, &parts->mask, &rest)) {
            parts->scores = rest ? rl_build_binary(at, RL_OP_aten_add, scores, rest) : scores;
            return true;
        }
    }
    return false;
}

static bool read_choice(const struct rl_build *at, const struct rl_node *node, struct masked *parts)
{
    struct rl_value *condition = rl_node_tensor(node, "condition");
    struct rl_value *self = rl_node_tensor(node, "self"), *other = rl_node_tensor(node, "other");
    if (condition->type.dtype != RL_BOOL) {
        return false;
    }
    if (is_masking_number(self)) {
        *parts = (struct masked){other, condition};
        return true;
    }
    if (is_masking_number(other) && rl_tensor_same_sizes(&self->type, &node->results[0]->type)) {
        *parts = (struct masked){self, inverted(at, condition)};
        return true;
    }
    return false;
}

static bool read_fill(const struct rl_node *node, struct masked *parts)
{
    *parts = (struct masked){rl_node_tensor(node, "self"), rl_node_tensor(node, "mask")};
    return parts->mask->type.dtype == RL_BOOL && rl_node_number(node, "value") <= highest_masked;
}

static bool read_mask(const struct rl_build *at, const struct rl_node *node, struct masked *parts)
{
    switch (node->op) {
    case RL_OP_aten_add:
        return read_sum(at, node, parts);
    case RL_OP_aten_where_self:
        return read_choice(at, node, parts);
    case RL_OP_aten_masked_fill_scalar:
        return read_fill(node, parts);
    default:
        return false;
    }
}

// ---- softmax

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

static bool mask_softmax(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *input = node->args[0].as.value;
    const int dim = rl_dim_normalized(rl_node_int(node, "dim"), input->type.rank);
    if (dim < 0 || input->type.dtype != RL_FLOAT32 || rl_node_bool(node, "half_to_float")) {
        return false;
    }
    struct rl_value *masked = dim == input->type.rank - 1 ? behind_view(pass->graph, input) : input;
    struct masked parts;
    if (masked->kind != RL_VALUE_RESULT || !rl_value_only_user(pass->graph, masked) ||
        !read_mask(&at, masked->producer, &parts) || !rl_tensor_same_sizes(&parts.scores->type, &masked->type)) {
        return false;
    }
    const struct rl_arg args[] = {rl_arg_value(parts.scores), rl_arg_value(parts.mask),
                                  rl_arg_int(masked == input ? dim : masked->type.rank - 1)};
    if (masked == input) {
        rl_build_end(&at, RL_OP_aten_masked_softmax, args, 3);
    } else {
        rl_build_end_view(&at, rl_build(&at, RL_OP_aten_masked_softmax, &parts.scores->type, args, 3));
    }
    return true;
}

static bool decompose(const struct rl_pass *pass, struct rl_node *node)
{
    return rl_decompose_attention(pass, node, RL_OP_aten_mul);
}

enum rl_status rl_pass_mask_softmax(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_aten_scaled_dot_product_attention, decompose);
    rl_lower_each(pass, RL_OP_aten_softmax, mask_softmax);
    return RL_OK;
}
