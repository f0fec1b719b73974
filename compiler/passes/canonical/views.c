// SPDX-License-Identifier: Apache-2.0
//
// reshape and similar operators are views where the strides of their operand allow it, and copies elsewhere. Strides
// are derived from the first name of the memory, which is dense.
#include "compiler/passes/canonical/views.h"

#include <string.h>

#include "compiler/passes/rewrite/rewrite.h"

// ---- what the operators say

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
    if (rank > 0) {
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
    return arg->kind == RL_ARG_INT ? rl_bound(arg->as.integer, size) : fallback;
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
    const bool drops = node->op == RL_OP_aten_unbind_int;
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
    if (value->type.dtype != parent->type.dtype || rl_node_bool(node, "copy")) {
        return of_kind(RL_VIEW_NOT);
    }
    const struct rl_arg *format = rl_node_arg(node, "memory_format");
    return of_kind(format->kind == RL_ARG_NONE || format->as.integer == RL_FORMAT_PRESERVE ? RL_VIEW_SAME
                                                                                           : RL_VIEW_UNKNOWN);
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

// An operator whose result may share memory with its first argument. The arguments need not be read when `always` gives
// the kind of view.
struct candidate {
    const char *name;
    enum rl_view_kind always;
    bool may_copy; // where the strides do not allow it
};

static const struct candidate *candidate_of(enum rl_op_id op)
{
    static const struct candidate candidates[] = {
        {"alias", RL_VIEW_SAME, false},        {"detach", RL_VIEW_SAME, false},
        {"lift_fresh", RL_VIEW_SAME, false},   {"view", RL_VIEW_RESHAPE, false},
        {"view_as", RL_VIEW_RESHAPE, false},   {"_unsafe_view", RL_VIEW_RESHAPE, false},
        {"unsqueeze", RL_VIEW_RESHAPE, false}, {"squeeze", RL_VIEW_RESHAPE, false},
        {"unflatten", RL_VIEW_RESHAPE, false}, {"reshape", RL_VIEW_RESHAPE, true},
        {"reshape_as", RL_VIEW_RESHAPE, true}, {"flatten", RL_VIEW_RESHAPE, true},
        {"ravel", RL_VIEW_UNKNOWN, false},     {"contiguous", RL_VIEW_UNKNOWN, false},
        {"dropout", RL_VIEW_UNKNOWN, false},   {"alpha_dropout", RL_VIEW_UNKNOWN, false},
        {"to", RL_VIEW_UNKNOWN, false},        {"feature_dropout", RL_VIEW_UNKNOWN, false},
        {"type_as", RL_VIEW_UNKNOWN, false},   {"as_strided", RL_VIEW_UNKNOWN, false},
        {"unfold", RL_VIEW_UNKNOWN, false},    {"diagonal", RL_VIEW_UNKNOWN, false},
        {"permute", RL_VIEW_UNKNOWN, false},   {"transpose", RL_VIEW_UNKNOWN, false},
        {"swapaxes", RL_VIEW_UNKNOWN, false},  {"swapdims", RL_VIEW_UNKNOWN, false},
        {"t", RL_VIEW_UNKNOWN, false},         {"numpy_T", RL_VIEW_UNKNOWN, false},
        {"movedim", RL_VIEW_UNKNOWN, false},   {"select", RL_VIEW_UNKNOWN, false},
        {"slice", RL_VIEW_UNKNOWN, false},     {"narrow", RL_VIEW_UNKNOWN, false},
        {"chunk", RL_VIEW_UNKNOWN, false},     {"split", RL_VIEW_UNKNOWN, false},
        {"unbind", RL_VIEW_UNKNOWN, false},    {"split_with_sizes", RL_VIEW_UNKNOWN, false},
        {"expand", RL_VIEW_UNKNOWN, false},    {"tensor_split", RL_VIEW_UNKNOWN, false},
        {"expand_as", RL_VIEW_UNKNOWN, false}, {"broadcast_to", RL_VIEW_UNKNOWN, false},
    };
    const char *name = rl_op_get(op)->name;
    if (strncmp(name, "aten::", 6) != 0) {
        return NULL;
    }
    for (size_t i = 0; i < sizeof candidates / sizeof candidates[0]; i++) {
        if (strcmp(name + 6, candidates[i].name) == 0) {
            return &candidates[i];
        }
    }
    return NULL;
}

static struct rl_view turned(const struct rl_node *node, const struct rl_value *value, const struct rl_value *parent)
{
    const int rank = parent->type.rank;
    int64_t dims[RL_MAX_RANK];
    const struct rl_arg *args = node->args;
    switch (node->op) {
    case RL_OP_aten_permute:
        return permutation(value, parent, args[1].as.integers, args[1].count);
    case RL_OP_aten_transpose:
    case RL_OP_aten_swapaxes:
    case RL_OP_aten_swapdims:
        return exchange(value, parent, args[1].as.integer, args[2].as.integer);
    case RL_OP_aten_movedim_int:
        return moved(value, parent, &args[1].as.integer, &args[2].as.integer, 1);
    case RL_OP_aten_movedim_intlist:
        return args[1].count == args[2].count
                   ? moved(value, parent, args[1].as.integers, args[2].as.integers, args[1].count)
                   : of_kind(RL_VIEW_UNKNOWN);
    default: // t, numpy_T
        for (int i = 0; i < rank; i++) {
            dims[i] = rank - 1 - i;
        }
        return permutation(value, parent, dims, rank);
    }
}

// The view that the arguments describe; `base` describes the parent.
static struct rl_view by_arguments(const struct rl_node *node, const struct rl_value *value,
                                   const struct rl_value *parent, const struct rl_view *base)
{
    switch (node->op) {
    case RL_OP_aten_ravel:
    case RL_OP_aten_contiguous:
        if (!base->knows_strides || (node->op == RL_OP_aten_contiguous && node->args[1].kind == RL_ARG_INT &&
                                     node->args[1].as.integer != RL_FORMAT_CONTIGUOUS)) {
            return of_kind(RL_VIEW_UNKNOWN);
        }
        return of_kind(is_contiguous(&parent->type, base->strides) ? RL_VIEW_RESHAPE : RL_VIEW_NOT);
    case RL_OP_aten_dropout:
    case RL_OP_aten_alpha_dropout:
    case RL_OP_aten_feature_dropout:
        return of_kind(rl_node_bool(node, "train") ? RL_VIEW_UNKNOWN : RL_VIEW_SAME);
    case RL_OP_aten_type_as:
        return of_kind(value->type.dtype == parent->type.dtype ? RL_VIEW_SAME : RL_VIEW_NOT);
    case RL_OP_aten_to_dtype:
    case RL_OP_aten_to_dtype_layout:
    case RL_OP_aten_to_device:
    case RL_OP_aten_to_other:
        return conversion_of(node, value, parent);
    case RL_OP_aten_select_int:
        return select_of(node, parent);
    case RL_OP_aten_slice_tensor:
        return slice_of(node, parent);
    case RL_OP_aten_narrow:
        return narrow_of(node, parent);
    case RL_OP_aten_chunk:
    case RL_OP_aten_split_tensor:
    case RL_OP_aten_split_sizes:
    case RL_OP_aten_split_with_sizes:
    case RL_OP_aten_tensor_split_sections:
    case RL_OP_aten_tensor_split_indices:
    case RL_OP_aten_unbind_int:
        return piece_of(node, value, parent);
    case RL_OP_aten_expand:
    case RL_OP_aten_expand_as:
    case RL_OP_aten_broadcast_to:
        return expansion_of(value, parent);
    case RL_OP_aten_as_strided:
    case RL_OP_aten_unfold:
    case RL_OP_aten_diagonal:
        return of_kind(RL_VIEW_UNKNOWN);
    default:
        return turned(node, value, parent);
    }
}

static struct rl_view not_a_view(const struct rl_value *value)
{
    struct rl_view view = {.kind = RL_VIEW_NOT, .root = value, .knows_strides = true};
    rl_tensor_strides(&value->type, view.strides);
    return view;
}

// Far more views of views than a model has; deeper ones are not followed.
enum { DEEPEST = 64 };

static struct rl_view view_at(const struct rl_value *value, int depth)
{
    const struct rl_node *node = value->kind == RL_VALUE_RESULT ? value->producer : NULL;
    const struct candidate *candidate = node ? candidate_of(node->op) : NULL;
    if (!candidate || node->args[0].kind != RL_ARG_VALUE) {
        return not_a_view(value);
    }
    struct rl_value *parent = node->args[0].as.value;
    if (depth == DEEPEST) {
        const struct rl_value *root = parent;
        while (root->kind == RL_VALUE_RESULT && candidate_of(root->producer->op) &&
               root->producer->args[0].kind == RL_ARG_VALUE) {
            root = root->producer->args[0].as.value;
        }
        return (struct rl_view){.kind = RL_VIEW_UNKNOWN, .parent = parent, .root = root};
    }
    const struct rl_view base = view_at(parent, depth + 1);
    struct rl_view view =
        candidate->always != RL_VIEW_UNKNOWN ? of_kind(candidate->always) : by_arguments(node, value, parent, &base);
    follow_strides(&view, value, parent, &base);
    if (candidate->may_copy && !view.knows_strides) {
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
