// SPDX-License-Identifier: Apache-2.0
//
// functionalize: in-place operators become functional ones.
//   needs   nothing; runs first
//   keeps   names, layouts, values. Buffers that the model changes in place become states
//   breaks  nothing; fails on an in-place operator whose effect another name of the same memory would see
//
// `y = relu_(x)` changes x as well, so later uses of x become uses of y. Later uses of other names of x's memory
// change, too: the new elements go back through the views that made x (select_scatter and slice_scatter put them into
// the whole), and the other views are built again from the new whole.
#include "compiler/passes/passes.h"

#include <string.h>

#include "compiler/passes/canonical/views.h"
#include "compiler/passes/rewrite/rewrite.h"

static void become_fill(struct rl_graph *graph, struct rl_node *zero)
{
    const struct rl_arg self = zero->args[0];
    rl_node_become(graph, zero, RL_OP_aten_fill__scalar);
    rl_node_set(zero, "self", self);
    rl_node_set(zero, "value", rl_arg_int(0));
}

static bool other_name_of(const struct rl_value *used, const struct rl_value *changed)
{
    return used && used != changed && rl_view_of(used).root == rl_view_of(changed).root;
}

static bool arg_names_memory_of(const struct rl_arg *arg, const struct rl_value *changed)
{
    if (arg->kind == RL_ARG_VALUE) {
        return other_name_of(arg->as.value, changed);
    }
    for (int i = 0; arg->kind == RL_ARG_VALUES && i < arg->count; i++) {
        if (other_name_of(arg->as.values[i], changed)) {
            return true;
        }
    }
    return false;
}

// Whether no other name of the changed memory is used after the node.
static bool is_alone(const struct rl_graph *graph, const struct rl_node *node, const struct rl_value *changed)
{
    for (const struct rl_node *later = node->next; later; later = later->next) {
        for (int i = 0; i < later->arg_count; i++) {
            if (arg_names_memory_of(&later->args[i], changed)) {
                return false;
            }
        }
    }
    for (int i = 0; i < rl_graph_target_count(graph); i++) {
        if (other_name_of(graph->outputs[i], changed)) {
            return false;
        }
    }
    return true;
}

// ---- changes through views

// A change on its way: the in-place node, already functional, and the node that followed it.
struct change {
    struct rl_graph *graph;
    struct rl_node *node, *next;
    const struct rl_value **old; // values of the old memory
    struct rl_value **new;       // the values that replace them
    int count;
};

static void map(struct change *change, const struct rl_value *old, struct rl_value *new)
{
    change->old[change->count] = old;
    change->new[change->count++] = new;
}

static struct rl_value *mapped(const struct change *change, const struct rl_value *old)
{
    for (int i = 0; i < change->count; i++) {
        if (change->old[i] == old) {
            return change->new[i];
        }
    }
    return NULL;
}

// A call between the in-place node and what followed it.
static struct rl_value *insert(const struct change *change, enum rl_op_id op, const struct rl_tensor_type *type,
                               const struct rl_arg *args, int count)
{
    struct rl_arena *arena = change->graph->arena;
    struct rl_node *node = rl_insert_before(change->graph, change->next, op,
                                            rl_arena_format(arena, "%s_part", change->node->name), change->node, type);
    for (int i = 0; i < count && i < node->arg_count; i++) {
        node->args[i] = args[i];
    }
    return node->results[0];
}

static struct rl_value *insert_view(const struct change *change, const struct rl_tensor_type *type,
                                    struct rl_value *value)
{
    const struct rl_arg sizes = rl_arg_ints(change->graph->arena, type->sizes, type->rank);
    return insert(change, RL_OP_aten_view, type, (struct rl_arg[]){rl_arg_value(value), sizes}, 2);
}

static struct rl_value *insert_permutation(const struct change *change, const struct rl_tensor_type *type,
                                           struct rl_value *value, const int64_t *dims)
{
    const struct rl_arg order = rl_arg_ints(change->graph->arena, dims, type->rank);
    return insert(change, RL_OP_aten_permute, type, (struct rl_arg[]){rl_arg_value(value), order}, 2);
}

// The parent of a view after the view has become `value`; NULL if the view cannot be undone.
static struct rl_value *put_back(const struct change *change, const struct rl_view *view, struct rl_value *value)
{
    const struct rl_tensor_type *type = &view->parent->type;
    const struct rl_arg old = rl_arg_value(view->parent), new = rl_arg_value(value);
    const struct rl_arg dim = rl_arg_int(view->dim), start = rl_arg_int(view->start);
    int64_t dims[RL_MAX_RANK];
    switch (view->kind) {
    case RL_VIEW_SAME:
        return value;
    case RL_VIEW_RESHAPE:
        return insert_view(change, type, value);
    case RL_VIEW_PERMUTE:
        for (int i = 0; i < type->rank; i++) {
            dims[view->dims[i]] = i;
        }
        return insert_permutation(change, type, value, dims);
    case RL_VIEW_SELECT:
        return insert(change, RL_OP_aten_select_scatter, type, (struct rl_arg[]){old, new, dim, start}, 4);
    case RL_VIEW_SLICE:
        return insert(change, RL_OP_aten_slice_scatter, type,
                      (struct rl_arg[]){old, new, dim, start, rl_arg_int(view->end), rl_arg_int(view->step)}, 6);
    default:
        return NULL;
    }
}

// The same view of another parent; NULL if the kind of view is not known.
static struct rl_value *view_again(const struct change *change, const struct rl_view *view,
                                   const struct rl_tensor_type *type, struct rl_value *parent)
{
    const struct rl_arg self = rl_arg_value(parent);
    const struct rl_arg dim = rl_arg_int(view->dim), start = rl_arg_int(view->start);
    switch (view->kind) {
    case RL_VIEW_SAME:
        return parent;
    case RL_VIEW_RESHAPE:
        return insert_view(change, type, parent);
    case RL_VIEW_PERMUTE:
        return insert_permutation(change, type, parent, view->dims);
    case RL_VIEW_SELECT:
        return insert(change, RL_OP_aten_select_int, type, (struct rl_arg[]){self, dim, start}, 3);
    case RL_VIEW_SLICE:
        return insert(change, RL_OP_aten_slice_tensor, type,
                      (struct rl_arg[]){self, dim, start, rl_arg_int(view->end), rl_arg_int(view->step)}, 5);
    case RL_VIEW_EXPAND: {
        const struct rl_arg sizes = rl_arg_ints(change->graph->arena, type->sizes, type->rank);
        return insert(change, RL_OP_aten_expand, type, (struct rl_arg[]){self, sizes, rl_arg_bool(false)}, 3);
    }
    default:
        return NULL;
    }
}

static bool is_used_later(const struct change *change, const struct rl_value *value)
{
    for (const struct rl_node *later = change->next; later; later = later->next) {
        if (rl_node_use_count(later, value) > 0) {
            return true;
        }
    }
    return rl_value_is_output(change->graph, value);
}

// Builds an earlier name of the old memory again from the new memory; false if it is not known how.
static bool renew(struct change *change, const struct rl_value *name, const struct rl_view *view)
{
    struct rl_value *parent = mapped(change, view->parent);
    struct rl_value *again = parent ? view_again(change, view, &name->type, parent) : NULL;
    if (!again) {
        return !is_used_later(change, name);
    }
    map(change, name, again);
    return true;
}

// The change goes back through the views to the memory's first name, and from there to all other names.
static bool change_through_views(struct change *change, const struct rl_value *changed)
{
    struct rl_view view = rl_view_of(changed);
    const struct rl_value *root = view.root;
    struct rl_value *value = change->node->results[0];
    if (root->kind == RL_VALUE_CONSTANT) {
        return false;
    }
    while (view.kind != RL_VIEW_NOT) {
        value = put_back(change, &view, value);
        if (!value) {
            return false;
        }
        view = rl_view_of(view.parent);
    }
    map(change, root, value);
    for (const struct rl_node *node = change->graph->first; node != change->node; node = node->next) {
        for (int i = 0; i < node->result_count; i++) {
            view = rl_view_of(node->results[i]);
            if (view.kind != RL_VIEW_NOT && view.root == root && !renew(change, node->results[i], &view)) {
                return false;
            }
        }
    }
    if (changed != root) { // the operator's result is one more name
        map(change, change->node->results[0], mapped(change, changed));
    }
    for (int i = 0; i < change->count; i++) {
        rl_graph_replace_later_uses(change->graph, change->next, change->old[i], change->new[i]);
    }
    return true;
}

static bool apply(struct rl_graph *graph, struct rl_node *node, struct rl_value *changed)
{
    if (rl_view_of(node->results[0]).kind != RL_VIEW_NOT || is_alone(graph, node, changed)) {
        rl_graph_replace_later_uses(graph, node->next, changed, node->results[0]);
        return true;
    }
    size_t count = 2;
    for (const struct rl_node *before = graph->first; before != node; before = before->next) {
        count += (size_t)before->result_count;
    }
    struct change change = {.graph = graph, .node = node, .next = node->next};
    change.old = rl_arena_array(graph->arena, count, sizeof(struct rl_value *));
    change.new = rl_arena_array(graph->arena, count, sizeof(struct rl_value *));
    return change_through_views(&change, changed);
}

// Whether an operator changes elements, and not only how its operand is seen (squeeze_, detach_).
static bool writes(const struct rl_node *node)
{
    const struct rl_op *op = rl_op_get(node->op);
    return node->op == RL_OP_aten_zero_ || (op->in_place_of && op->in_place_of->rearranges == RL_REARRANGES_OTHERWISE);
}

// A constant whose memory an in-place operator changes is a buffer: it keeps its value for the next run.
static void make_states(struct rl_graph *graph)
{
    for (const struct rl_node *node = graph->first; node; node = node->next) {
        if (!writes(node)) {
            continue;
        }
        struct rl_value *changed = node->args[0].as.value;
        while (rl_view_of(changed).kind != RL_VIEW_NOT) {
            changed = changed->producer->args[0].as.value;
        }
        if (changed->kind == RL_VALUE_CONSTANT) {
            rl_graph_add_state(graph, changed);
        }
    }
}

// Calls the operator that changes nothing. A comparison gives a bool, which becomes a number of the operand's type.
static void become_functional(struct rl_graph *graph, struct rl_node *node, const struct rl_op *op)
{
    struct rl_tensor_type type = node->results[0]->type;
    node->op = rl_op_id(op);
    if (!op->gives_bool || type.dtype == RL_BOOL) {
        return;
    }
    const int64_t dtype = (int64_t)type.dtype;
    type.dtype = RL_BOOL;
    struct rl_node *truth =
        rl_insert_before(graph, node, node->op, rl_arena_format(graph->arena, "%s_truth", node->name), node, &type);
    for (int i = 0; i < truth->arg_count; i++) {
        truth->args[i] = node->args[i];
    }
    rl_node_become(graph, node, RL_OP_aten_to_copy_internal);
    rl_node_set(node, "self", rl_arg_value(truth->results[0]));
    rl_node_set(node, "dtype", rl_arg_int(dtype));
    rl_node_set(node, "non_blocking", rl_arg_bool(false));
}

// An embedding with max_norm limits the rows that it looks up in its weights. They are not a state: rows that are
// limited once are within the limit.
static void limit_rows(struct rl_graph *graph, struct rl_node *node)
{
    struct rl_value *weight = rl_node_tensor(node, "self");
    const struct rl_node *user = node;
    for (; user && weight->kind == RL_VALUE_RESULT; weight = weight->producer->args[0].as.value) {
        if (rl_op_get(weight->producer->op)->rearranges != RL_REARRANGES_SAME ||
            rl_value_only_user(graph, weight) != user) {
            return;
        }
        user = weight->producer;
    }
    if (weight->kind != RL_VALUE_CONSTANT || rl_value_is_state(weight) || rl_value_use_count(graph, weight) != 2) {
        return;
    }
    for (struct rl_node *reader = node->next; reader; reader = reader->next) {
        if (reader->op == RL_OP_aten_embedding && reader->args[0].as.value == weight &&
            rl_node_tensor(reader, "indices") == rl_node_tensor(node, "indices")) {
            reader->args[0] = rl_arg_value(node->results[0]);
            become_functional(graph, node, rl_op_get(RL_OP_aten_embedding_renorm));
            return;
        }
    }
}

enum rl_status rl_pass_functionalize(struct rl_pass *pass)
{
    struct rl_graph *graph = pass->graph;
    for (struct rl_node *node = graph->first; node; node = node->next) {
        if (node->op == RL_OP_aten_embedding_renorm_) {
            limit_rows(graph, node);
        }
    }
    make_states(graph);
    for (struct rl_node *node = graph->first; node; node = node->next) {
        if (node->op == RL_OP_aten_zero_) {
            become_fill(graph, node);
        }
        const struct rl_op *in_place = rl_op_get(node->op);
        if (!in_place->in_place_of) {
            continue;
        }
        struct rl_value *changed = node->args[0].as.value;
        become_functional(graph, node, in_place->in_place_of);
        if (!apply(graph, node, changed)) {
            return rl_fail(
                pass->context, RL_ERROR_UNSUPPORTED,
                "%s: node '%s' (%s): expected that views of the memory of '%s' that count afterwards are plain ones "
                "(select, slice, view, transpose, ...) of computed values, found another; accepted: the functional "
                "form, as torch.export's program.run_decompositions() writes it",
                graph->source, node->name, in_place->name, changed->name);
        }
    }
    return RL_OK;
}
