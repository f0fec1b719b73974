// SPDX-License-Identifier: Apache-2.0
//
// forward_parts: the scatters and slices that come from in-place writes to parts become ordinary data flow.
//   needs   functional operators (functionalize)
//   keeps   values, exactly; names of values that something else still uses
//   breaks  nothing
//
//   slice or select of a part that was just put there    the part
//   slice or select beside such a part                   the same of the tensor before the write
//   view of a view, permute of a permute                 their operand, if they undo each other
//   slice_scatter, select_scatter                        cat of the parts, which can move integers
#include "compiler/passes/passes.h"

#include "compiler/passes/canonical/views.h"
#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"
#include "ops/sizes.h"

// Where slice_scatter or select_scatter puts its second argument: a view of the first.
static struct rl_view place_of(const struct rl_value *whole)
{
    struct rl_view place = {.kind = RL_VIEW_NOT};
    const struct rl_node *node = whole->kind == RL_VALUE_RESULT ? whole->producer : NULL;
    if (!node || (node->op != RL_OP_aten_select_scatter && node->op != RL_OP_aten_slice_scatter)) {
        return place;
    }
    const struct rl_tensor_type *type = &node->args[0].as.value->type;
    const int dim = rl_dim_normalized(rl_node_int(node, "dim"), type->rank);
    const int64_t size = dim < 0 ? 0 : type->sizes[dim];
    int64_t start = 0, end = size;
    if (node->op == RL_OP_aten_select_scatter) {
        start = rl_node_int(node, "index");
        start += start < 0 ? size : 0;
        end = start < size ? start + 1 : start;
    } else {
        const struct rl_arg *from = rl_node_arg(node, "start"), *to = rl_node_arg(node, "end");
        start = from->kind == RL_ARG_INT ? rl_slice_bound(from->as.integer, size) : 0;
        end = to->kind == RL_ARG_INT ? rl_slice_bound(to->as.integer, size) : size;
    }
    if (dim < 0 || start < 0 || end <= start || end > size) {
        return place;
    }
    place.kind = node->op == RL_OP_aten_select_scatter ? RL_VIEW_SELECT : RL_VIEW_SLICE;
    place.dim = dim;
    place.start = start;
    place.end = end;
    place.step = place.kind == RL_VIEW_SLICE ? rl_node_int(node, "step") : 1;
    return place;
}

static bool is_part(const struct rl_view *view)
{
    return view->kind == RL_VIEW_SELECT || view->kind == RL_VIEW_SLICE;
}

static bool undoes(const struct rl_view *second, const struct rl_view *first)
{
    for (int i = 0; i < first->parent->type.rank; i++) {
        if (first->dims[second->dims[i]] != i) {
            return false;
        }
    }
    return true;
}

// An older value than the view's parent with the same elements: the view is either all of it, or the same view of it.
// NULL if there is none.
static struct rl_value *older(const struct rl_value *value, const struct rl_view *view, bool *is_all)
{
    const struct rl_view first = rl_view_of(view->parent);
    *is_all = true;
    if (view->kind == RL_VIEW_RESHAPE && first.kind == RL_VIEW_RESHAPE) {
        return rl_tensor_same_sizes(&first.parent->type, &value->type) ? first.parent : NULL;
    }
    if (view->kind == RL_VIEW_PERMUTE && first.kind == RL_VIEW_PERMUTE) {
        return undoes(view, &first) ? first.parent : NULL;
    }
    const struct rl_view place = place_of(view->parent);
    if (!is_part(view) || !is_part(&place) || view->dim != place.dim) {
        return NULL;
    }
    const struct rl_node *scatter = view->parent->producer;
    struct rl_value *part = rl_node_tensor(scatter, "src");
    if (view->kind == place.kind && view->start == place.start && view->end == place.end && view->step == place.step) {
        return rl_tensor_same_sizes(&part->type, &value->type) && part->type.dtype == value->type.dtype ? part : NULL;
    }
    *is_all = false;
    return view->end <= place.start || view->start >= place.end ? scatter->args[0].as.value : NULL;
}

static struct rl_node *forward(struct rl_graph *graph, struct rl_node *node)
{
    struct rl_node *next = node->next;
    bool is_all;
    if (node->result_count != 1) {
        return next;
    }
    for (;;) {
        const struct rl_view view = rl_view_of(node->results[0]);
        struct rl_value *value = view.kind == RL_VIEW_NOT ? NULL : older(node->results[0], &view, &is_all);
        if (!value) {
            return next;
        }
        if (is_all) {
            return rl_replace_node(graph, node, value);
        }
        node->args[0] = rl_arg_value(value);
    }
}

static struct rl_value *slice(const struct rl_build *at, struct rl_value *self, int dim, int64_t start, int64_t end)
{
    struct rl_tensor_type type = rl_tensor_type_make(self->type.dtype, self->type.rank, self->type.sizes);
    type.sizes[dim] = end - start;
    const struct rl_arg args[] = {rl_arg_value(self), rl_arg_int(dim), rl_arg_int(start), rl_arg_int(end)};
    return rl_build(at, RL_OP_aten_slice_tensor, &type, args, 4);
}

// The rest of the whole may itself be a part that was put there.
static void concatenate(struct rl_graph *graph, struct rl_node *node)
{
    const struct rl_build at = {graph, node};
    const struct rl_view place = place_of(node->results[0]);
    if (!is_part(&place) || place.step != 1) {
        return;
    }
    struct rl_value *whole = node->args[0].as.value, *part = rl_node_tensor(node, "src");
    struct rl_tensor_type type = rl_tensor_type_make(whole->type.dtype, whole->type.rank, whole->type.sizes);
    const int64_t size = type.sizes[place.dim];
    type.sizes[place.dim] = place.end - place.start;
    if (part->type.dtype != type.dtype || !rl_tensor_same_sizes(&whole->type, &node->results[0]->type) ||
        rl_tensor_numel(&type) != rl_tensor_numel(&part->type)) { // not broadcast
        return;
    }
    struct rl_value *before = place.start > 0 ? slice(&at, whole, place.dim, 0, place.start) : NULL;
    struct rl_value *behind = place.end < size ? slice(&at, whole, place.dim, place.end, size) : NULL;
    struct rl_value *parts[3];
    int count = 0;
    if (before) {
        parts[count++] = before;
    }
    parts[count++] = rl_tensor_same_sizes(&type, &part->type) ? part : rl_build_view(&at, part, type.rank, type.sizes);
    if (behind) {
        parts[count++] = behind;
    }
    const struct rl_arg args[] = {rl_arg_values(graph->arena, parts, count), rl_arg_int(place.dim)};
    rl_build_end(&at, RL_OP_aten_cat, args, 2);
    if (before) {
        forward(graph, before->producer);
    }
    if (behind) {
        forward(graph, behind->producer);
    }
}

enum rl_status rl_pass_forward_parts(struct rl_pass *pass)
{
    struct rl_graph *graph = pass->graph;
    for (struct rl_node *node = graph->first; node;) {
        node = forward(graph, node);
    }
    rl_graph_remove_dead(graph);
    for (struct rl_node *node = graph->last; node; node = node->previous) {
        concatenate(graph, node);
    }
    rl_graph_remove_dead(graph);
    return RL_OK;
}
