// SPDX-License-Identifier: Apache-2.0
//
// make_layout_explicit: images become row-major tensors of N, H, W, C, as in ExecuTorch's explicit layout.
//   needs   layouts (assign_layout); pads with PyTorch's dimensions (before lower_pad)
//   keeps   names; values up to the order of their dimensions, which `shown` tells; the layouts of the graph's inputs
//           and outputs
//   breaks  nothing
//
// Bytes stay where assign_layout puts them. What changes is their description: a tensor in another than row-major order
// becomes a row-major tensor with its dimensions in the order of memory. Convolutions and pools become the operators
// for such tensors (NHWC_AS in rushlight/ops.def). Copies of integers between orders become cortex_m::transpose, as
// late as possible: slices, concatenations and elementwise operators on integers work in any order of dimensions.
// Operators that need a certain dimension (one value per channel, for example) get the tensors of assign_layout, by
// permutations that move no byte.
#include "compiler/passes/passes.h"

#include <string.h>

#include "compiler/passes/layout/layout.h"
#include "compiler/passes/rewrite/rewrite.h"
#include "compiler/support/name_map.h"

enum { MOST_TRANSPOSED = 4 }; // dimensions that cortex_m::transpose takes

static const uint8_t as_they_are[RL_MAX_RANK] = {0, 1, 2, 3, 4, 5, 6, 7};

// A row-major tensor that shows a value: its dimension i is the value's dimension order[i].
struct form {
    struct rl_value *value;
    uint8_t order[RL_MAX_RANK];
};

struct explicit
{
    struct rl_graph *graph;
    struct rl_name_map forms; // struct form of the values whose nodes became superfluous, by their names
    struct rl_name_map types; // struct rl_tensor_type that assign_layout gave to those that lie otherwise now
};

static bool is_same_order(const uint8_t *a, const uint8_t *b, int rank)
{
    return memcmp(a, b, (size_t)rank) == 0;
}

static bool is_as_it_is(const uint8_t *order, int rank)
{
    return is_same_order(order, as_they_are, rank);
}

// The type that assign_layout gave to a value.
static struct rl_tensor_type assigned_type(const struct explicit *explicit, const struct rl_value *value)
{
    const struct rl_tensor_type *assigned = rl_name_map_find(&explicit->types, value->name);
    struct rl_tensor_type type = value->type;
    if (assigned) {
        return *assigned;
    }
    for (int i = 0; value->is_turned && i < type.rank; i++) {
        type.sizes[value->shown[i]] = value->type.sizes[i];
        type.order[i] = value->shown[i];
    }
    return type;
}

// The row-major type whose dimension i is dimension order[i] of `type`.
static struct rl_tensor_type in_order(const struct rl_tensor_type *type, const uint8_t *order)
{
    int64_t sizes[RL_MAX_RANK];
    for (int i = 0; i < type->rank; i++) {
        sizes[i] = type->sizes[order[i]];
    }
    return rl_tensor_type_make(type->dtype, type->rank, sizes);
}

static struct rl_arg dims_arg(struct rl_graph *graph, const uint8_t *order, int rank)
{
    int64_t dims[RL_MAX_RANK];
    for (int i = 0; i < rank; i++) {
        dims[i] = order[i];
    }
    return rl_arg_ints(graph->arena, dims, rank);
}

// ---- forms of a value

static struct rl_node *insert(struct rl_graph *graph, struct rl_node *user, enum rl_op_id op, struct rl_value *value,
                              const struct rl_tensor_type *type)
{
    const struct rl_node *like = value->kind == RL_VALUE_RESULT ? value->producer : user;
    struct rl_node *node =
        rl_insert_before(graph, user, op, rl_arena_format(graph->arena, "%s_turned", value->name), like, type);
    node->args[0] = rl_arg_value(value);
    return node;
}

// A permutation that is a change of description where both types describe the same bytes.
static struct rl_value *insert_permutation(struct rl_graph *graph, struct rl_node *user, struct rl_value *value,
                                           const uint8_t *dims, const struct rl_tensor_type *type)
{
    struct rl_node *node = insert(graph, user, RL_OP_aten_permute_copy, value, type);
    rl_node_set(node, "dims", dims_arg(graph, dims, type->rank));
    return node->results[0];
}

static struct rl_value *permuted_constant(struct rl_graph *graph, const struct rl_value *constant, const uint8_t *order)
{
    int dims[RL_MAX_RANK];
    for (int i = 0; i < constant->type.rank; i++) {
        dims[i] = order[i];
    }
    return rl_constant_permuted(graph, constant, dims, constant->name);
}

static struct form form_of(const struct explicit *explicit, struct rl_node *user, struct rl_value *value)
{
    const struct form *found = rl_name_map_find(&explicit->forms, value->name);
    struct form form = {.value = value};
    if (found) {
        return *found;
    }
    memcpy(form.order, value->is_turned ? value->shown : value->type.order, sizeof form.order);
    if (value->is_turned || is_as_it_is(form.order, value->type.rank)) {
        return form;
    }
    if (value->kind == RL_VALUE_CONSTANT) {
        form.value = permuted_constant(explicit->graph, value, form.order);
        return form;
    }
    const struct rl_tensor_type type = in_order(&value->type, form.order);
    form.value = insert_permutation(explicit->graph, user, value, form.order, &type);
    return form;
}

// Which dimension of the form each dimension of `order` is.
static void permutation(const struct form *form, const uint8_t *order, uint8_t dims[RL_MAX_RANK])
{
    const int rank = form->value->type.rank;
    for (int i = 0; i < rank; i++) {
        for (int k = 0; k < rank; k++) {
            if (form->order[k] == order[i]) {
                dims[i] = (uint8_t)k;
            }
        }
    }
}

// Whether a permutation of a row-major tensor changes only the places of dimensions of size 1.
static bool keeps_bytes(const struct rl_tensor_type *type, const uint8_t *dims)
{
    int last = -1;
    for (int i = 0; i < type->rank; i++) {
        if (type->sizes[dims[i]] != 1) {
            if (dims[i] < last) {
                return false;
            }
            last = dims[i];
        }
    }
    return true;
}

// The value as a row-major tensor whose dimension i is its dimension order[i].
static struct rl_value *bring(const struct explicit *explicit, struct rl_node *user, struct rl_value *value,
                              const uint8_t *order)
{
    struct rl_graph *graph = explicit->graph;
    const struct form form = form_of(explicit, user, value);
    uint8_t dims[RL_MAX_RANK] = {0};
    permutation(&form, order, dims);
    const struct rl_tensor_type *from = &form.value->type;
    const struct rl_tensor_type to = in_order(from, dims);
    if (is_as_it_is(dims, to.rank)) {
        return form.value;
    }
    if (form.value->kind == RL_VALUE_CONSTANT) {
        return permuted_constant(graph, form.value, dims);
    }
    if (keeps_bytes(from, dims)) {
        struct rl_node *view = insert(graph, user, RL_OP_aten_view_copy, form.value, &to);
        rl_node_set(view, "size", rl_arg_ints(graph->arena, to.sizes, to.rank));
        return view->results[0];
    }
    if (to.dtype == RL_INT8 && to.rank <= MOST_TRANSPOSED) {
        struct rl_node *transpose = insert(graph, user, RL_OP_cm_transpose, form.value, &to);
        rl_node_set(transpose, "perm", dims_arg(graph, dims, to.rank));
        return transpose->results[0];
    }
    return insert_permutation(graph, user, form.value, dims, &to);
}

// The value as assign_layout laid it, for operators that need its dimensions.
static struct rl_value *restore(const struct explicit *explicit, struct rl_node *user, struct rl_value *value)
{
    const struct rl_tensor_type type = assigned_type(explicit, value);
    if (!value->is_turned && !rl_name_map_find(&explicit->forms, value->name)) {
        return value;
    }
    struct rl_value *in_memory = bring(explicit, user, value, type.order);
    if (is_as_it_is(type.order, type.rank)) {
        return in_memory;
    }
    uint8_t dims[RL_MAX_RANK] = {0};
    for (int i = 0; i < type.rank; i++) {
        dims[type.order[i]] = (uint8_t)i;
    }
    return insert_permutation(explicit->graph, user, in_memory, dims, &type);
}

static void turn_result(struct explicit *explicit, struct rl_node *node, const uint8_t *order)
{
    struct rl_value *result = node->results[0];
    if (!is_same_order(order, result->type.order, result->type.rank)) {
        rl_name_map_add(&explicit->types, result->name,
                        rl_arena_copy(explicit->graph->arena, &result->type, sizeof result->type));
    }
    if (!is_as_it_is(order, result->type.rank)) {
        result->type = in_order(&result->type, order);
        result->is_turned = true;
        memcpy(result->shown, order, sizeof result->shown);
    }
}

// The node is superfluous: from now on its result is this form.
static void forward(struct explicit *explicit, const struct rl_node *node, const struct form *form)
{
    rl_name_map_add(&explicit->forms, node->results[0]->name,
                    rl_arena_copy(explicit->graph->arena, form, sizeof *form));
}

// The order for a node whose result may lie in any: the one that assign_layout chose, but for integers in row-major
// order that of the operands, if they agree.
static void choose_order(const struct explicit *explicit, struct rl_node *node, struct rl_value *const *operands,
                         int count, uint8_t order[RL_MAX_RANK])
{
    const struct rl_tensor_type *type = &node->results[0]->type;
    struct form form = {.value = NULL};
    memcpy(order, type->order, sizeof type->order);
    if (type->dtype != RL_INT8 || !is_as_it_is(type->order, type->rank)) {
        return;
    }
    for (int i = 0; i < count; i++) {
        if (operands[i]->kind == RL_VALUE_CONSTANT) {
            continue; // takes any order
        }
        const struct form other = form_of(explicit, node, operands[i]);
        if (other.value->type.rank != type->rank ||
            (form.value && !is_same_order(form.order, other.order, type->rank))) {
            return;
        }
        form = other;
    }
    if (form.value) {
        memcpy(order, form.order, sizeof form.order);
    }
}

// ---- one function a kind of operator; false: the node keeps the layouts that it has

static bool turn_layer(struct explicit *explicit, struct rl_node *node)
{
    const uint8_t channels_last[RL_MAX_RANK] = {0, 2, 3, 1};
    struct rl_value *input = node->args[0].as.value;
    if (input->type.rank != 4 || node->results[0]->type.rank != 4) {
        return false;
    }
    node->args[0] = rl_arg_value(bring(explicit, node, input, channels_last));
    node->op = rl_op_id(rl_op_get(node->op)->nhwc_as);
    turn_result(explicit, node, channels_last);
    return true;
}

static bool turn_follower(struct explicit *explicit, struct rl_node *node)
{
    const struct rl_tensor_type type = node->results[0]->type;
    uint8_t order[RL_MAX_RANK];
    if (rl_value_is_output(explicit->graph, node->results[0]) || node->args[0].as.value->type.rank != type.rank) {
        return false;
    }
    choose_order(explicit, node, &node->args[0].as.value, 1, order);
    node->args[0] = rl_arg_value(bring(explicit, node, node->args[0].as.value, order));
    const int dim_order = rl_op_argument(rl_op_get(node->op), "dim_order");
    if (dim_order >= 0) {
        node->args[dim_order] = dims_arg(explicit->graph, as_they_are, type.rank);
    }
    turn_result(explicit, node, order);
    return true;
}

static bool turn_pair(struct explicit *explicit, struct rl_node *node)
{
    const int other_index = rl_node_arg_index(node, "other");
    struct rl_value *operands[] = {node->args[0].as.value, node->args[other_index].as.value};
    const struct rl_tensor_type *type = &node->results[0]->type;
    uint8_t order[RL_MAX_RANK];
    for (int i = 0; i < 2; i++) {
        const struct rl_tensor_type assigned = assigned_type(explicit, operands[i]);
        if (!rl_tensor_same_sizes(&assigned, type)) {
            return false; // one value per channel, which dimension 1 counts
        }
    }
    choose_order(explicit, node, operands, 2, order);
    node->args[0] = rl_arg_value(bring(explicit, node, operands[0], order));
    node->args[other_index] = rl_arg_value(bring(explicit, node, operands[1], order));
    turn_result(explicit, node, order);
    return true;
}

static int place_of(const uint8_t *order, int rank, int dim)
{
    int place = 0;
    while (place < rank && order[place] != dim) {
        place++;
    }
    return place;
}

// Operators along a dimension, on all operands of a list or on one.
static bool turn_along(struct explicit *explicit, struct rl_node *node, struct rl_value **operands, int count)
{
    const struct rl_tensor_type type = node->results[0]->type;
    const int dim = rl_dim_normalized(rl_node_int(node, "dim"), type.rank);
    uint8_t order[RL_MAX_RANK];
    choose_order(explicit, node, operands, count, order);
    if (is_as_it_is(order, type.rank) || dim < 0) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        operands[i] = bring(explicit, node, operands[i], order);
    }
    rl_node_set(node, "dim", rl_arg_int(place_of(order, type.rank, dim)));
    turn_result(explicit, node, order);
    return true;
}

// Images of one row stay as they are: cortex_m::pad takes a tensor for channels-last if dimension 1 has size 1.
static bool turn_pad(struct explicit *explicit, struct rl_node *node)
{
    const struct rl_arg *pad = rl_node_arg(node, "pad");
    const struct rl_tensor_type type = node->results[0]->type;
    const struct rl_tensor_type from = assigned_type(explicit, node->args[0].as.value);
    int64_t turned[2 * RL_MAX_RANK] = {0};
    if (is_as_it_is(type.order, type.rank) || pad->count > 2 * type.rank || from.rank != type.rank) {
        return false;
    }
    const struct rl_tensor_type input = in_order(&from, type.order);
    if (rl_type_reads_channels_last(&input)) {
        return false;
    }
    for (int pair = 0; 2 * pair + 1 < pad->count; pair++) { // PyTorch lists the last dimension first
        const int place = place_of(type.order, type.rank, type.rank - 1 - pair);
        turned[2 * (type.rank - 1 - place)] = pad->as.integers[2 * pair];
        turned[2 * (type.rank - 1 - place) + 1] = pad->as.integers[2 * pair + 1];
    }
    node->args[0] = rl_arg_value(bring(explicit, node, node->args[0].as.value, type.order));
    rl_node_set(node, "pad", rl_arg_ints(explicit->graph->arena, turned, 2 * type.rank));
    turn_result(explicit, node, type.order);
    return true;
}

static bool turn_view(struct explicit *explicit, struct rl_node *node)
{
    struct rl_value *value = node->args[0].as.value;
    const struct rl_tensor_type from = assigned_type(explicit, value);
    const struct rl_tensor_type to = node->results[0]->type;
    if (!rl_view_keeps_bytes(&from, &to)) {
        return false;
    }
    const struct form form = form_of(explicit, node, value);
    uint8_t dims[RL_MAX_RANK] = {0};
    permutation(&form, from.order, dims);
    struct rl_value *self =
        keeps_bytes(&form.value->type, dims) ? form.value : bring(explicit, node, value, from.order);
    const struct rl_tensor_type turned = in_order(&to, to.order);
    rl_node_set(node, "self", rl_arg_value(self));
    rl_node_set(node, "size", rl_arg_ints(explicit->graph->arena, turned.sizes, turned.rank));
    turn_result(explicit, node, to.order);
    return true;
}

static bool forward_permutation(struct explicit *explicit, struct rl_node *node)
{
    const struct rl_arg *dims = rl_node_arg(node, "dims");
    const struct rl_tensor_type *type = &node->results[0]->type;
    struct form form;
    uint8_t order[RL_MAX_RANK] = {0};
    if (dims->count != type->rank || node->args[0].as.value->type.rank != type->rank) {
        return false;
    }
    for (int i = 0; i < type->rank; i++) {
        const int dim = rl_dim_normalized(dims->as.integers[type->order[i]], type->rank);
        if (dim < 0) {
            return false;
        }
        order[i] = (uint8_t)dim;
    }
    form.value = bring(explicit, node, node->args[0].as.value, order);
    memcpy(form.order, type->order, sizeof form.order);
    forward(explicit, node, &form);
    return true;
}

// A copy of integers to another order: left to those that need it.
static bool forward_copy(struct explicit *explicit, struct rl_node *node)
{
    const struct rl_tensor_type *type = &node->results[0]->type;
    const struct rl_tensor_type from = assigned_type(explicit, node->args[0].as.value);
    if (type->dtype != RL_INT8 || type->rank > MOST_TRANSPOSED || !rl_tensor_same_sizes(&from, type)) {
        return false;
    }
    const struct form form = form_of(explicit, node, node->args[0].as.value);
    forward(explicit, node, &form);
    return true;
}

// ---- the pass

static bool turn(struct explicit *explicit, struct rl_node *node)
{
    const struct rl_op *op = rl_op_get(node->op);
    if (node->result_count != 1 || node->arg_count == 0) {
        return false;
    }
    if (op->layout == RL_LAYOUT_LIST) {
        return turn_along(explicit, node, node->args[0].as.values, node->args[0].count);
    }
    if (node->args[0].kind != RL_ARG_VALUE) {
        return false;
    }
    if (node->op == RL_OP_aten_slice_copy_tensor) {
        return turn_along(explicit, node, &node->args[0].as.value, 1);
    }
    if (op->nhwc_as) {
        return turn_layer(explicit, node);
    }
    if (node->op == RL_OP_dim_order_clone) {
        return forward_copy(explicit, node);
    }
    if (node->op == RL_OP_aten_constant_pad_nd) {
        return turn_pad(explicit, node);
    }
    switch (op->layout) {
    case RL_LAYOUT_FOLLOW:
        return turn_follower(explicit, node);
    case RL_LAYOUT_PAIR:
        return turn_pair(explicit, node);
    case RL_LAYOUT_VIEW:
        return turn_view(explicit, node);
    case RL_LAYOUT_PERMUTE:
        return forward_permutation(explicit, node);
    default:
        return false;
    }
}

static void restore_operands(const struct explicit *explicit, struct rl_node *node)
{
    for (int i = 0; i < node->arg_count; i++) {
        struct rl_arg *arg = &node->args[i];
        if (arg->kind == RL_ARG_VALUE) {
            *arg = rl_arg_value(restore(explicit, node, arg->as.value));
        }
        for (int k = 0; arg->kind == RL_ARG_VALUES && k < arg->count; k++) {
            arg->as.values[k] = arg->as.values[k] ? restore(explicit, node, arg->as.values[k]) : NULL;
        }
    }
}

static bool has_images(const struct rl_graph *graph)
{
    for (const struct rl_node *node = graph->first; node; node = node->next) {
        if (rl_op_get(node->op)->nhwc_as) {
            return true;
        }
    }
    return false;
}

// A graph without convolutions and pools stays as it is: nothing in its program would tell which layout it has.
enum rl_status rl_pass_make_layout_explicit(struct rl_pass *pass)
{
    struct rl_graph *graph = pass->graph;
    struct explicit explicit = {graph, {.arena = graph->arena}, {.arena = graph->arena}};
    if (!has_images(graph)) {
        return RL_OK;
    }
    for (struct rl_node *node = graph->first; node; node = node->next) {
        if (!turn(&explicit, node)) {
            restore_operands(&explicit, node);
        }
    }
    for (int i = 0; i < rl_graph_target_count(graph); i++) {
        graph->outputs[i] = restore(&explicit, NULL, graph->outputs[i]);
    }
    rl_graph_remove_dead(graph);
    return RL_OK;
}
