// SPDX-License-Identifier: Apache-2.0
//
// reshape and similar operators are views if the strides of their operand allow it, and copies otherwise. Strides are
// derived from the first name of the memory, which is dense.
#include "compiler/passes/canonical/views.h"

#include <string.h>

#include "compiler/passes/rewrite/rewrite.h"
#include "ops/sizes.h"

// ---- the views of single operators

static struct rl_view of_kind(enum rl_view_kind kind)
{
    return (struct rl_view){.kind = kind};
}

static struct rl_view permutation(const struct rl_value *value, const struct rl_value *parent, const int64_t *dims,
                                  int count)
{
    struct rl_view view = of_kind(RL_VIEW_PERMUTE);
    unsigned seen = 0;
    for (int i = 0; i < count && i < RL_MAX_RANK; i++) {
        const int dim = rl_dim_normalized(dims[i], parent->type.rank);
        view.dims[i] = dim;
        seen |= dim < 0 ? 0 : 1u << dim;
    }
    return count == parent->type.rank && count == value->type.rank && seen == (1u << count) - 1u
               ? view
               : of_kind(RL_VIEW_UNKNOWN);
}

static struct rl_view exchange(const struct rl_value *value, const struct rl_value *parent, int64_t first,
                               int64_t second)
{
    const int rank = parent->type.rank;
    const int a = rl_dim_normalized(first, rank), b = rl_dim_normalized(second, rank);
    int64_t dims[RL_MAX_RANK];
    if (rank > 0 && (a < 0 || b < 0)) {
        return of_kind(RL_VIEW_UNKNOWN);
    }
    for (int i = 0; i < rank; i++) {
        dims[i] = i;
    }
    if (a >= 0 && b >= 0) {
        dims[a] = b;
        dims[b] = a;
    }
    return permutation(value, parent, dims, rank);
}

// The dimensions `source` go to the places `destination`; the others keep their order.
static struct rl_view moved(const struct rl_value *value, const struct rl_value *parent, const int64_t *source,
                            const int64_t *destination, int count)
{
    const int rank = parent->type.rank;
    int64_t dims[RL_MAX_RANK];
    unsigned taken = 0, filled = 0;
    for (int i = 0; i < count; i++) {
        const int from = rl_dim_normalized(source[i], rank), to = rl_dim_normalized(destination[i], rank);
        if (from < 0 || to < 0 || (taken & 1u << from) != 0 || (filled & 1u << to) != 0) {
            return of_kind(RL_VIEW_UNKNOWN);
        }
        dims[to] = from;
        taken |= 1u << from;
        filled |= 1u << to;
    }
    for (int to = 0, from = 0; to < rank; to++) {
        if ((filled & 1u << to) == 0) {
            while ((taken & 1u << from) != 0) {
                from++;
            }
            dims[to] = from++;
        }
    }
    return permutation(value, parent, dims, rank);
}

static struct rl_view part(const struct rl_value *parent, enum rl_view_kind kind, int64_t dim, int64_t start,
                           int64_t end, int64_t step)
{
    struct rl_view view = {.kind = kind, .start = start, .end = end, .step = step};
    view.dim = rl_dim_normalized(dim, parent->type.rank);
    return view.dim < 0 || start < 0 || end < start || end > parent->type.sizes[view.dim] || step < 1
               ? of_kind(RL_VIEW_UNKNOWN)
               : view;
}

static int64_t bound(const struct rl_arg *arg, int64_t size, int64_t fallback)
{
    return arg->kind == RL_ARG_INT ? rl_slice_bound(arg->as.integer, size) : fallback;
}

static int64_t size_of(const struct rl_value *parent, int64_t dim)
{
    const int place = rl_dim_normalized(dim, parent->type.rank);
    return place < 0 ? 0 : parent->type.sizes[place];
}

static struct rl_view slice_of(const struct rl_node *node, const struct rl_value *parent)
{
    const int64_t dim = rl_node_int(node, "dim"), size = size_of(parent, dim);
    const int64_t start = bound(rl_node_arg(node, "start"), size, 0);
    const int64_t end = bound(rl_node_arg(node, "end"), size, size);
    return part(parent, RL_VIEW_SLICE, dim, start, end < start ? start : end, rl_node_int(node, "step"));
}

static struct rl_view select_of(const struct rl_node *node, const struct rl_value *parent)
{
    const int64_t dim = rl_node_int(node, "dim"), index = rl_node_int(node, "index");
    const int64_t start = index < 0 ? index + size_of(parent, dim) : index;
    return start < 0 || start > INT32_MAX ? of_kind(RL_VIEW_UNKNOWN)
                                          : part(parent, RL_VIEW_SELECT, dim, start, start + 1, 1);
}

static struct rl_view narrow_of(const struct rl_node *node, const struct rl_value *parent)
{
    const int64_t dim = rl_node_int(node, "dim"), length = rl_node_int(node, "length");
    const int64_t start = bound(rl_node_arg(node, "start"), size_of(parent, dim), 0);
    return length < 0 || length > INT32_MAX ? of_kind(RL_VIEW_UNKNOWN)
                                            : part(parent, RL_VIEW_SLICE, dim, start, start + length, 1);
}

// One result of split or a similar operator: it starts where the one before it ends.
static struct rl_view piece_of(const struct rl_node *node, const struct rl_value *value, const struct rl_value *parent)
{
    const int64_t dim = rl_node_int(node, "dim");
    const int place = rl_dim_normalized(dim, parent->type.rank);
    const bool drops = rl_op_get(node->op)->rearranges == RL_REARRANGES_UNBIND;
    int64_t start = 0;
    for (int i = 0; i < node->result_count; i++) {
        const struct rl_tensor_type *type = &node->results[i]->type;
        if (place < 0 || type->rank != parent->type.rank - (drops ? 1 : 0)) {
            break;
        }
        const int64_t end = start + (drops ? 1 : type->sizes[place]);
        if (end > parent->type.sizes[place]) {
            break;
        }
        if (node->results[i] == value) {
            return part(parent, drops ? RL_VIEW_SELECT : RL_VIEW_SLICE, dim, start, end, 1);
        }
        start = end;
    }
    return of_kind(RL_VIEW_UNKNOWN);
}

// Conversions give back their operand when there is nothing to convert.
static struct rl_view conversion_of(const struct rl_node *node, const struct rl_value *value,
                                    const struct rl_value *parent)
{
    const struct rl_op *op = rl_op_get(node->op);
    const int copy = rl_op_argument(op, "copy"), format = rl_op_argument(op, "memory_format");
    if (value->type.dtype != parent->type.dtype || (copy >= 0 && node->args[copy].as.boolean)) {
        return of_kind(RL_VIEW_NOT);
    }
    const bool keeps_format =
        format < 0 || node->args[format].kind == RL_ARG_NONE || node->args[format].as.integer == RL_FORMAT_PRESERVE;
    return of_kind(keeps_format ? RL_VIEW_SAME : RL_VIEW_UNKNOWN);
}

static bool is_contiguous(const struct rl_tensor_type *type, const int64_t *strides)
{
    int64_t expected = 1;
    for (int d = type->rank - 1; d >= 0; d--) {
        if (type->sizes[d] != 1 && strides[d] != expected) {
            return rl_tensor_numel(type) == 0;
        }
        expected *= type->sizes[d];
    }
    return true;
}

// ravel and contiguous copy where memory is not in row-major order.
static struct rl_view contiguous_of(const struct rl_node *node, const struct rl_value *parent,
                                    const struct rl_view *base)
{
    const int format = rl_op_argument(rl_op_get(node->op), "memory_format");
    const bool wants_other =
        format >= 0 && node->args[format].kind == RL_ARG_INT && node->args[format].as.integer != RL_FORMAT_CONTIGUOUS;
    if (!base->knows_strides || wants_other) {
        return of_kind(RL_VIEW_UNKNOWN);
    }
    return of_kind(is_contiguous(&parent->type, base->strides) ? RL_VIEW_RESHAPE : RL_VIEW_NOT);
}

static struct rl_view expansion_of(const struct rl_value *value, const struct rl_value *parent)
{
    if (value->type.rank < parent->type.rank) {
        return of_kind(RL_VIEW_UNKNOWN);
    }
    const bool adds_ones = rl_tensor_numel(&value->type) == rl_tensor_numel(&parent->type);
    return of_kind(adds_ones ? RL_VIEW_RESHAPE : RL_VIEW_EXPAND);
}

// ---- strides

// PyTorch's rule of which tensors can be viewed under other sizes: each run of dimensions that lie densely in memory
// must hold a whole number of the new ones. Fills in the new strides; false when the sizes do not fit.
static bool reshape_strides(const struct rl_tensor_type *from, const int64_t *strides, const struct rl_tensor_type *to,
                            int64_t *new_strides)
{
    if (rl_tensor_numel(from) != rl_tensor_numel(to)) {
        return false;
    }
    if (rl_tensor_numel(from) == 0) {
        rl_tensor_strides(to, new_strides);
        return true;
    }
    int d = to->rank - 1;
    int64_t inner = from->rank > 0 ? strides[from->rank - 1] : 1; // of the run
    int64_t run = 1, filled = 1;
    for (int s = from->rank - 1; s >= 0; s--) {
        run *= from->sizes[s];
        const bool ends = s == 0 || (from->sizes[s - 1] != 1 && strides[s - 1] != run * inner);
        if (!ends) {
            continue;
        }
        while (d >= 0 && (filled < run || to->sizes[d] == 1)) {
            new_strides[d] = filled * inner;
            filled *= to->sizes[d--];
        }
        if (filled != run) {
            return false;
        }
        inner = s > 0 ? strides[s - 1] : 1;
        run = filled = 1;
    }
    while (d >= 0) {
        new_strides[d--] = inner;
    }
    return true;
}

static void part_strides(struct rl_view *view, const struct rl_value *parent, const int64_t *strides)
{
    for (int i = 0, to = 0; i < parent->type.rank; i++) {
        if (view->kind != RL_VIEW_SELECT || i != view->dim) {
            const int64_t length = view->end > view->start ? view->end - view->start : 1;
            const int64_t step = view->step < length ? view->step : length; // further leaves one element
            view->strides[to++] = strides[i] * (i == view->dim ? step : 1);
        }
    }
}

static void expanded_strides(struct rl_view *view, const struct rl_value *value, const struct rl_value *parent,
                             const int64_t *strides)
{
    const int added = value->type.rank - parent->type.rank;
    for (int i = 0; i < value->type.rank; i++) {
        const int from = i - added;
        view->strides[i] = from < 0 || parent->type.sizes[from] != value->type.sizes[i] ? 0 : strides[from];
    }
}

// Fills in the strides of a view of `base`.
static void follow_strides(struct rl_view *view, const struct rl_value *value, const struct rl_value *parent,
                           const struct rl_view *base)
{
    view->knows_strides = base->knows_strides;
    switch (view->kind) {
    case RL_VIEW_SAME:
        memcpy(view->strides, base->strides, sizeof view->strides);
        break;
    case RL_VIEW_PERMUTE:
        for (int i = 0; i < value->type.rank; i++) {
            view->strides[i] = base->strides[view->dims[i]];
        }
        break;
    case RL_VIEW_SELECT:
    case RL_VIEW_SLICE:
        part_strides(view, parent, base->strides);
        break;
    case RL_VIEW_EXPAND:
        expanded_strides(view, value, parent, base->strides);
        break;
    case RL_VIEW_RESHAPE:
        view->knows_strides =
            base->knows_strides && reshape_strides(&parent->type, base->strides, &value->type, view->strides);
        break;
    default:
        view->knows_strides = false;
    }
}

// ---- the two together

static struct rl_view reversal(const struct rl_value *value, const struct rl_value *parent)
{
    const int rank = parent->type.rank;
    int64_t dims[RL_MAX_RANK];
    for (int i = 0; i < rank; i++) {
        dims[i] = rank - 1 - i;
    }
    return permutation(value, parent, dims, rank);
}

static struct rl_view move_of(const struct rl_node *node, const struct rl_value *value, const struct rl_value *parent)
{
    const struct rl_arg *from = &node->args[1], *to = &node->args[2];
    if (from->kind == RL_ARG_INT) {
        return moved(value, parent, &from->as.integer, &to->as.integer, 1);
    }
    return from->count == to->count ? moved(value, parent, from->as.integers, to->as.integers, from->count)
                                    : of_kind(RL_VIEW_UNKNOWN);
}

// Which elements of the parent the operator takes.
static struct rl_view by_rearrangement(const struct rl_node *node, const struct rl_value *value,
                                       const struct rl_value *parent)
{
    const struct rl_arg *args = node->args;
    switch (rl_op_get(node->op)->rearranges) {
    case RL_REARRANGES_SAME:
        return of_kind(RL_VIEW_SAME);
    case RL_REARRANGES_RESHAPE:
        return of_kind(RL_VIEW_RESHAPE);
    case RL_REARRANGES_PERMUTE:
        return permutation(value, parent, args[1].as.integers, args[1].count);
    case RL_REARRANGES_EXCHANGE:
        return exchange(value, parent, args[1].as.integer, args[2].as.integer);
    case RL_REARRANGES_REVERSE:
        return reversal(value, parent);
    case RL_REARRANGES_TURN:
        return exchange(value, parent, -2, -1);
    case RL_REARRANGES_MOVE:
        return move_of(node, value, parent);
    case RL_REARRANGES_SELECT:
        return select_of(node, parent);
    case RL_REARRANGES_SLICE:
        return slice_of(node, parent);
    case RL_REARRANGES_NARROW:
        return narrow_of(node, parent);
    case RL_REARRANGES_SPLIT:
    case RL_REARRANGES_UNBIND:
        return piece_of(node, value, parent);
    case RL_REARRANGES_EXPAND:
        return expansion_of(value, parent);
    case RL_REARRANGES_OTHERWISE: // as_strided, unfold, diagonal
        break;
    }
    return of_kind(RL_VIEW_UNKNOWN);
}

// The view that the node makes of its parent; `base` describes the parent.
static struct rl_view read_view(const struct rl_node *node, const struct rl_value *value, const struct rl_value *parent,
                                const struct rl_view *base)
{
    switch (rl_op_get(node->op)->view) {
    case RL_OP_VIEW_ALWAYS:
    case RL_OP_VIEW_IF_STRIDED_SO:
        return by_rearrangement(node, value, parent);
    case RL_OP_VIEW_IF_CONTIGUOUS:
        return contiguous_of(node, parent, base);
    case RL_OP_VIEW_UNLESS_TRAINING:
        return of_kind(rl_node_bool(node, "train") ? RL_VIEW_UNKNOWN : RL_VIEW_SAME);
    case RL_OP_VIEW_UNLESS_CONVERTED:
        return conversion_of(node, value, parent);
    case RL_OP_VIEW_NEVER:
        break;
    }
    return of_kind(RL_VIEW_NOT);
}

static struct rl_view not_a_view(const struct rl_value *value)
{
    struct rl_view view = {.kind = RL_VIEW_NOT, .root = value, .knows_strides = true};
    rl_tensor_strides(&value->type, view.strides);
    return view;
}

// Far more views of views than a model has; deeper ones are not followed.
enum { DEEPEST = 64 };

// The operand whose memory the value may share; NULL when it shares none.
static struct rl_value *parent_of(const struct rl_value *value)
{
    const struct rl_node *node = value->kind == RL_VALUE_RESULT ? value->producer : NULL;
    const bool may_share = node && rl_op_get(node->op)->view != RL_OP_VIEW_NEVER;
    return may_share && node->args[0].kind == RL_ARG_VALUE ? node->args[0].as.value : NULL;
}

static struct rl_view view_at(const struct rl_value *value, int depth)
{
    struct rl_value *parent = parent_of(value);
    if (!parent) {
        return not_a_view(value);
    }
    if (depth == DEEPEST) {
        const struct rl_value *root = parent;
        while (parent_of(root)) {
            root = parent_of(root);
        }
        return (struct rl_view){.kind = RL_VIEW_UNKNOWN, .parent = parent, .root = root};
    }
    const struct rl_view base = view_at(parent, depth + 1);
    struct rl_view view = read_view(value->producer, value, parent, &base);
    follow_strides(&view, value, parent, &base);
    if (rl_op_get(value->producer->op)->view == RL_OP_VIEW_IF_STRIDED_SO && !view.knows_strides) {
        view.kind = base.knows_strides ? RL_VIEW_NOT : RL_VIEW_UNKNOWN;
    }
    if (view.kind == RL_VIEW_NOT) {
        return not_a_view(value);
    }
    view.parent = parent;
    view.root = base.root;
    return view;
}

struct rl_view rl_view_of(const struct rl_value *value)
{
    return view_at(value, 0);
}
