// SPDX-License-Identifier: Apache-2.0
//
// functionalize: in-place operators become functional ones.
//   needs   nothing; runs first
//   keeps   names, layouts, values
//   breaks  nothing; fails on an in-place operator whose effect another name of the same memory would see
//
// `y = relu_(x)` changes x as well, so that later uses of x mean y. Other names of x's memory that are used
// later change too: the new elements go back through the views that x was made by (select_scatter and
// slice_scatter put them into the whole), and the other views are made again of the new whole.
#include "compiler/passes/passes.h"

#include <string.h>

#include "compiler/passes/rewrite.h"

enum { LONGEST_NAME = 64 };

// Whether the operator changes its first argument; PyTorch ends the names of those with one underscore.
static bool is_in_place(enum rl_op_id op)
{
    const char *name = rl_op_get(op)->name;
    const size_t length = strlen(name);
    return name[length - 1] == '_' && name[length - 2] != '_';
}

// The functional form has the name without the underscore, and the same arguments.
static bool functional_form(enum rl_op_id op, enum rl_op_id *functional)
{
    const struct rl_op *in_place = rl_op_get(op);
    const size_t length = strlen(in_place->name);
    char name[LONGEST_NAME];
    if (op == RL_OP_aten_transpose_) {
        *functional = RL_OP_aten_transpose; // of another overload
        return true;
    }
    if (length > sizeof name) {
        return false;
    }
    memcpy(name, in_place->name, length - 1);
    name[length - 1] = '\0';
    return rl_op_find(name, in_place->overload, functional) &&
           rl_op_get(*functional)->arg_count == in_place->arg_count;
}

static void become_fill(struct rl_graph *graph, struct rl_node *zero)
{
    const struct rl_arg self = zero->args[0];
    rl_node_become(graph, zero, RL_OP_aten_fill__scalar);
    rl_node_set(zero, "self", self);
    rl_node_set(zero, "value", rl_arg_int(0));
}

// Whether the result may share memory with the first argument.
static bool is_view(enum rl_op_id op)
{
    static const char *const names[] = {
        "alias",        "alpha_dropout",    "as_strided",      "chunk",    "contiguous", "detach",  "dropout",
        "expand",       "expand_as",        "feature_dropout", "flatten",  "lift_fresh", "movedim", "narrow",
        "numpy_T",      "permute",          "ravel",           "reshape",  "reshape_as", "select",  "slice",
        "split",        "split_with_sizes", "squeeze",         "swapaxes", "swapdims",   "t",       "to",
        "transpose",    "unbind",           "unflatten",       "unfold",   "unsqueeze",  "view",    "view_as",
        "_unsafe_view",
    };
    const char *name = rl_op_get(op)->name;
    if (strncmp(name, "aten::", 6) != 0) {
        return false;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name + 6, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

static const struct rl_value *memory_of(const struct rl_value *value)
{
    while (value->kind == RL_VALUE_RESULT && is_view(value->producer->op) &&
           value->producer->args[0].kind == RL_ARG_VALUE) {
        value = value->producer->args[0].as.value;
    }
    return value;
}

static bool other_name_of(const struct rl_value *used, const struct rl_value *changed)
{
    return used != NULL && used != changed && memory_of(used) == memory_of(changed);
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
    for (const struct rl_node *later = node->next; later != NULL; later = later->next) {
        for (int i = 0; i < later->arg_count; i++) {
            if (arg_names_memory_of(&later->args[i], changed)) {
                return false;
            }
        }
    }
    for (int i = 0; i < graph->output_count; i++) {
        if (other_name_of(graph->outputs[i], changed)) {
            return false;
        }
    }
    return true;
}

// Uses the new value instead of the old one in `later` and all that follows. Values made there from the old
// one are made from the new one thereby.
static void redirect(struct rl_graph *graph, struct rl_node *later, const struct rl_value *old,
                     struct rl_value *new)
{
    for (; later != NULL; later = later->next) {
        for (int i = 0; i < later->arg_count; i++) {
            struct rl_arg *arg = &later->args[i];
            if (arg->kind == RL_ARG_VALUE && arg->as.value == old) {
                arg->as.value = new;
            }
            for (int k = 0; arg->kind == RL_ARG_VALUES && k < arg->count; k++) {
                if (arg->as.values[k] == old) {
                    arg->as.values[k] = new;
                }
            }
        }
    }
    for (int i = 0; i < graph->output_count; i++) {
        if (graph->outputs[i] == old) {
            graph->outputs[i] = new;
        }
    }
}

// ---- changes through views

// A change on its way: the in-place node, already functional, and the node that followed it.
struct change {
    struct rl_graph *graph;
    struct rl_node *node, *next;
    const struct rl_value **old; // values of the old memory, and
    struct rl_value **new;       // what they are from now on
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
static struct rl_value *insert(const struct change *change, enum rl_op_id op,
                               const struct rl_tensor_type *type, const struct rl_arg *args, int count)
{
    struct rl_arena *arena = change->graph->arena;
    struct rl_node *node =
        rl_insert_before(change->graph, change->next, op,
                         rl_arena_format(arena, "%s_part", change->node->name), change->node, type);
    for (int i = 0; i < count && i < node->arg_count; i++) {
        node->args[i] = args[i];
    }
    return node->results[0];
}

// The parent of a view after the view has become `value`; NULL when the view cannot be undone.
static struct rl_value *put_back(const struct change *change, const struct rl_node *view,
                                 struct rl_value *value)
{
    struct rl_value *parent = view->args[0].as.value;
    const struct rl_arg *args = view->args;
    const struct rl_arg sizes = rl_arg_ints(change->graph->arena, parent->type.sizes, parent->type.rank);
    switch (view->op) {
    case RL_OP_aten_select_int:
        return insert(change, RL_OP_aten_select_scatter, &parent->type,
                      (struct rl_arg[]){args[0], rl_arg_value(value), args[1], args[2]}, 4);
    case RL_OP_aten_slice_tensor:
        return insert(change, RL_OP_aten_slice_scatter, &parent->type,
                      (struct rl_arg[]){args[0], rl_arg_value(value), args[1], args[2], args[3], args[4]}, 6);
    case RL_OP_aten_view:
    case RL_OP_aten_unsqueeze:
    case RL_OP_aten_squeeze:
    case RL_OP_aten_squeeze_dim:
    case RL_OP_aten_squeeze_dims:
        return insert(change, RL_OP_aten_view, &parent->type, (struct rl_arg[]){rl_arg_value(value), sizes},
                      2);
    case RL_OP_aten_transpose: // its own inverse
        return insert(change, RL_OP_aten_transpose, &parent->type,
                      (struct rl_arg[]){rl_arg_value(value), args[1], args[2]}, 3);
    case RL_OP_aten_t:
        return insert(change, RL_OP_aten_t, &parent->type, (struct rl_arg[]){rl_arg_value(value)}, 1);
    case RL_OP_aten_alias:
    case RL_OP_aten_detach:
        return value;
    default:
        return NULL;
    }
}

static bool is_used_later(const struct change *change, const struct rl_value *value)
{
    for (const struct rl_node *later = change->next; later != NULL; later = later->next) {
        for (int i = 0; i < later->arg_count; i++) {
            const struct rl_arg *arg = &later->args[i];
            for (int k = 0; arg->kind == RL_ARG_VALUES && k < arg->count; k++) {
                if (arg->as.values[k] == value) {
                    return true;
                }
            }
            if (arg->kind == RL_ARG_VALUE && arg->as.value == value) {
                return true;
            }
        }
    }
    for (int i = 0; i < change->graph->output_count; i++) {
        if (change->graph->outputs[i] == value) {
            return true;
        }
    }
    return false;
}

// Whether the operator always names the memory of its operand, and never copies it.
static bool is_certain_view(enum rl_op_id op)
{
    switch (op) {
    case RL_OP_aten_select_int:
    case RL_OP_aten_slice_tensor:
    case RL_OP_aten_view:
    case RL_OP_aten_unsqueeze:
    case RL_OP_aten_squeeze:
    case RL_OP_aten_squeeze_dim:
    case RL_OP_aten_squeeze_dims:
    case RL_OP_aten_transpose:
    case RL_OP_aten_t:
    case RL_OP_aten_permute:
    case RL_OP_aten_expand:
    case RL_OP_aten_alias:
    case RL_OP_aten_detach:
        return true;
    default:
        return false;
    }
}

// Makes an earlier view of the old memory again, of the new one; false when nobody can tell whether it is
// one.
static bool renew(struct change *change, const struct rl_node *view)
{
    struct rl_value *parent = mapped(change, view->args[0].as.value);
    if (parent == NULL || !is_certain_view(view->op)) {
        for (int i = 0; i < view->result_count; i++) {
            if (is_used_later(change, view->results[i])) {
                return false;
            }
        }
        return true;
    }
    struct rl_arg *args = rl_arena_array(change->graph->arena, (size_t)view->arg_count, sizeof *args);
    memcpy(args, view->args, (size_t)view->arg_count * sizeof *args);
    args[0] = rl_arg_value(parent);
    map(change, view->results[0], insert(change, view->op, &view->results[0]->type, args, view->arg_count));
    return true;
}

// The change goes back through the views to the memory's first name, and from there to its other views.
static bool change_through_views(struct change *change, const struct rl_value *changed)
{
    const struct rl_value *root = memory_of(changed);
    struct rl_value *value = change->node->results[0];
    if (root->kind == RL_VALUE_CONSTANT) {
        return false;
    }
    map(change, changed, value);
    for (const struct rl_value *view = changed; view != root; view = view->producer->args[0].as.value) {
        value = put_back(change, view->producer, value);
        if (value == NULL) {
            return false;
        }
    }
    if (root != changed) {
        map(change, root, value);
    }
    for (const struct rl_node *node = change->graph->first; node != change->node; node = node->next) {
        const bool names_it = node->result_count > 0 && node->arg_count > 0 && is_view(node->op) &&
                              node->args[0].kind == RL_ARG_VALUE && node->results[0] != changed &&
                              memory_of(node->args[0].as.value) == root;
        if (names_it && !renew(change, node)) {
            return false;
        }
    }
    for (int i = 0; i < change->count; i++) {
        redirect(change->graph, change->next, change->old[i], change->new[i]);
    }
    return true;
}

static bool apply(struct rl_graph *graph, struct rl_node *node, struct rl_value *changed)
{
    if (is_view(node->op) || is_alone(graph, node, changed)) {
        redirect(graph, node->next, changed, node->results[0]);
        return true;
    }
    size_t count = 2;
    for (const struct rl_node *before = graph->first; before != node; before = before->next) {
        count++;
    }
    struct change change = {.graph = graph, .node = node, .next = node->next};
    change.old = rl_arena_array(graph->arena, count, sizeof(struct rl_value *));
    change.new = rl_arena_array(graph->arena, count, sizeof(struct rl_value *));
    return change_through_views(&change, changed);
}

enum rl_status rl_pass_functionalize(struct rl_context *context, struct rl_graph *graph,
                                     const struct rl_target *target)
{
    (void)target;
    for (struct rl_node *node = graph->first; node != NULL; node = node->next) {
        enum rl_op_id functional;
        if (!is_in_place(node->op)) {
            continue;
        }
        if (node->op == RL_OP_aten_zero_) {
            become_fill(graph, node);
        }
        if (!functional_form(node->op, &functional)) {
            return rl_fail(context, RL_ERROR_UNSUPPORTED,
                           "%s: node '%s': expected an in-place operator with a functional form, found %s.%s",
                           graph->source, node->name, rl_op_get(node->op)->name,
                           rl_op_get(node->op)->overload);
        }
        struct rl_value *changed = node->args[0].as.value;
        const char *in_place_name = rl_op_get(node->op)->name;
        node->op = functional;
        if (!apply(graph, node, changed)) {
            return rl_fail(
                context, RL_ERROR_UNSUPPORTED,
                "%s: node '%s' (%s): expected that views of the memory of '%s' that count afterwards are "
                "plain "
                "ones (select, slice, view, transpose, ...) of computed values, found another; accepted: the "
                "functional form, as torch.export's program.run_decompositions() writes it",
                graph->source, node->name, in_place_name, changed->name);
        }
    }
    return RL_OK;
}
