// SPDX-License-Identifier: Apache-2.0
//
// decompose_movement: operators that only move elements become views, permutations, slices, expansions and
// concatenations.
//   needs   canonical operators
//   keeps   values, exactly; the names of the results
//   breaks  nothing
//
//   slice, select, narrow                 slice_copy, and a view where a dimension is dropped
//   split, chunk, tensor_split, unbind    one slice_copy for each part that is used
//   concat, stack, hstack, ...            cat
//   upsample_nearest3d                    expand_copy between views
//   expand, repeat, tile,                 expand_copy between views
//   repeat_interleave
//   pixel_shuffle, pixel_unshuffle,       permute_copy between views
//   channel_shuffle
//   movedim                               permute_copy
//   meshgrid, broadcast_tensors           expand_copy of views
//   roll, pad(mode="circular")            cat of slices
#include "compiler/passes/passes.h"

#include <string.h>

#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"

// Parts that are not used are removed as dead code.
static bool split(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_build at = {graph, node};
    struct rl_value *self = node->args[0].as.value;
    const int dim = rl_dim_normalized(rl_node_int(node, "dim"), self->type.rank);
    int64_t start = 0;
    if (dim < 0) {
        return rl_decline(graph, node, "a dimension out of range");
    }
    for (int i = 0; i < node->result_count; i++) {
        struct rl_value *result = node->results[i];
        const bool drops = result->type.rank < self->type.rank; // unbind
        const int64_t end = start + (drops ? 1 : result->type.sizes[dim]);
        if (end > self->type.sizes[dim]) {
            return rl_decline(graph, node, "parts that are larger than the whole");
        }
        struct rl_value *part = rl_build_slice(&at, self, dim, start, end);
        if (drops) {
            part = rl_build_view(&at, part, result->type.rank, result->type.sizes);
        }
        rl_build_result(&at, i, part);
        start = end;
    }
    rl_graph_remove(graph, node);
    return true;
}

static bool select_one(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_build at = {graph, node};
    struct rl_value *self = node->args[0].as.value;
    const int dim = rl_dim_normalized(rl_node_int(node, "dim"), self->type.rank);
    if (dim < 0) {
        return rl_decline(graph, node, "a dimension out of range");
    }
    const int64_t size = self->type.sizes[dim];
    const int64_t index = rl_node_int(node, "index");
    const int64_t start = index < 0 ? index + size : index;
    if (start < 0 || start >= size) {
        return rl_decline(graph, node, "an index out of range");
    }
    rl_build_end_view(&at, rl_build_slice(&at, self, dim, start, start + 1));
    return true;
}

static bool narrow(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    const int64_t start = rl_node_int(node, "start");
    const int64_t length = rl_node_int(node, "length");
    if (start < 0 || length < 0 || start > INT32_MAX || length > INT32_MAX) {
        return rl_decline(pass->graph, node, "a start that counts from the end, or is out of range");
    }
    const struct rl_arg args[] = {node->args[0], *rl_node_arg(node, "dim"), rl_arg_int(start),
                                  rl_arg_int(start + length)};
    rl_build_end(&at, RL_OP_aten_slice_copy_tensor, args, 4);
    return true;
}

static bool stack(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_build at = {graph, node};
    const struct rl_tensor_type *type = &node->results[0]->type;
    const struct rl_arg *tensors = rl_node_arg(node, "tensors");
    const int dim = rl_dim_normalized(rl_node_int(node, "dim"), type->rank);
    if (dim < 0 || tensors->count < 1) {
        return rl_decline(graph, node, "a dimension out of range");
    }
    int64_t sizes[RL_MAX_RANK];
    memcpy(sizes, type->sizes, sizeof sizes);
    sizes[dim] = 1;
    struct rl_value **views = rl_arena_array(graph->arena, (size_t)tensors->count, sizeof(*views));
    for (int i = 0; i < tensors->count; i++) {
        views[i] = rl_build_view(&at, tensors->as.values[i], type->rank, sizes);
    }
    const struct rl_arg args[] = {rl_arg_values(graph->arena, views, tensors->count), rl_arg_int(dim)};
    rl_build_end(&at, RL_OP_aten_cat, args, 2);
    return true;
}

// The dimension along which tensors are joined, each viewed with at least as many dimensions.
static int joined_dim(enum rl_op_id op, int rank)
{
    switch (op) {
    case RL_OP_aten_hstack:
        return rank > 1 ? 1 : 0;
    case RL_OP_aten_dstack:
        return 2;
    case RL_OP_aten_column_stack:
        return 1;
    default:
        return 0;
    }
}

static bool stack_along(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_build at = {graph, node};
    const struct rl_tensor_type *type = &node->results[0]->type;
    const struct rl_arg *tensors = rl_node_arg(node, "tensors");
    const int dim = joined_dim(node->op, type->rank);
    const int64_t whole = dim < type->rank ? type->sizes[dim] : 0;
    const int64_t rest = whole > 0 ? rl_tensor_numel(type) / whole : 0;
    int64_t sum = 0;
    struct rl_value **views = rl_arena_array(graph->arena, (size_t)tensors->count, sizeof(*views));
    for (int i = 0; rest > 0 && i < tensors->count; i++) {
        int64_t sizes[RL_MAX_RANK];
        memcpy(sizes, type->sizes, sizeof sizes);
        sizes[dim] = rl_tensor_numel(&tensors->as.values[i]->type) / rest;
        sum += sizes[dim];
        views[i] = rl_build_view(&at, tensors->as.values[i], type->rank, sizes);
    }
    if (rest == 0 || tensors->count < 1 || sum != whole) {
        return rl_decline(graph, node, "tensors that do not make up the result");
    }
    rl_build_end_view(&at, rl_build_cat(&at, views, tensors->count, dim));
    return true;
}

static bool expand(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    const struct rl_tensor_type *type = &node->results[0]->type;
    const struct rl_arg args[] = {node->args[0], rl_arg_ints(pass->graph->arena, type->sizes, type->rank)};
    rl_build_end(&at, RL_OP_aten_expand_copy, args, 2);
    return true;
}

// Puts copies of the tensor side by side. Each dimension gets a new one before it (behind it, for copies of each
// element), which is expanded; then both are viewed as one.
static bool repeat_by(struct rl_graph *graph, struct rl_node *node, const int64_t *repeats, bool interleave)
{
    const struct rl_build at = {graph, node};
    struct rl_value *self = node->args[0].as.value;
    const struct rl_tensor_type *type = &node->results[0]->type;
    const int missing = type->rank - self->type.rank;
    int64_t narrow_sizes[RL_MAX_RANK];
    int64_t wide_sizes[RL_MAX_RANK];
    int rank = 0;
    for (int d = 0; d < type->rank; d++) {
        const int64_t size = d < missing ? 1 : self->type.sizes[d - missing];
        if (repeats[d] < 0 || repeats[d] > INT32_MAX || size * repeats[d] != type->sizes[d]) {
            return rl_decline(graph, node, "repeats that do not give the result's sizes");
        }
        const bool repeats_it = repeats[d] != 1;
        const bool keeps_it = size != 1 || !repeats_it;
        if (rank + (repeats_it ? 1 : 0) + (keeps_it ? 1 : 0) > RL_MAX_RANK) {
            return rl_decline(graph, node, "repeats too many dimensions at once");
        }
        if (interleave && keeps_it) {
            narrow_sizes[rank] = wide_sizes[rank] = size;
            rank++;
        }
        if (repeats_it) {
            narrow_sizes[rank] = 1;
            wide_sizes[rank++] = repeats[d];
        }
        if (!interleave && keeps_it) {
            narrow_sizes[rank] = wide_sizes[rank] = size;
            rank++;
        }
    }
    struct rl_value *view = rl_build_view(&at, self, rank, narrow_sizes);
    rl_build_end_view(&at, rl_build_expand(&at, view, rank, wide_sizes));
    return true;
}

static bool repeat(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_arg *given = &node->args[1];
    const int rank = node->results[0]->type.rank;
    int64_t repeats[RL_MAX_RANK];
    if (given->count > rank || node->args[0].as.value->type.rank > rank) {
        return rl_decline(pass->graph, node, "a result of too few dimensions");
    }
    for (int d = 0; d < rank; d++) {
        const int index = d - (rank - given->count);
        repeats[d] = index < 0 ? 1 : given->as.integers[index];
    }
    return repeat_by(pass->graph, node, repeats, false);
}

// Puts copies of each element side by side, along one dimension or, without one, in the flattened tensor.
static bool repeat_interleave(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_build at = {graph, node};
    struct rl_value *self = node->args[0].as.value;
    const bool is_flat = rl_node_arg(node, "dim")->kind == RL_ARG_NONE;
    const int rank = is_flat ? 1 : self->type.rank;
    const int dim = is_flat ? 0 : rl_dim_normalized(rl_node_int(node, "dim"), rank);
    int64_t repeats[RL_MAX_RANK];
    if (dim < 0 || node->results[0]->type.rank != rank) {
        return rl_decline(graph, node, "a dimension out of range");
    }
    if (is_flat) {
        node->args[0] = rl_arg_value(rl_build_flat(&at, self));
    }
    for (int d = 0; d < rank; d++) {
        repeats[d] = d == dim ? rl_node_int(node, "repeats") : 1;
    }
    return repeat_by(graph, node, repeats, true);
}

static bool enlarge_volume(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_tensor_type *from = &node->args[0].as.value->type, *to = &node->results[0]->type;
    int64_t repeats[RL_MAX_RANK];
    if (from->rank != to->rank) {
        return rl_decline(pass->graph, node, "a result of another rank");
    }
    for (int d = 0; d < from->rank; d++) {
        if (from->sizes[d] < 1 || to->sizes[d] % from->sizes[d] != 0) {
            return rl_decline(pass->graph, node, "a factor that is not a whole number");
        }
        repeats[d] = to->sizes[d] / from->sizes[d];
    }
    return repeat_by(pass->graph, node, repeats, true);
}

// Views as `rank` dimensions, permutes those, and views as the result.
static void shuffle(const struct rl_build *at, int rank, const int64_t *sizes, const int64_t *dims)
{
    struct rl_value *view = rl_build_view(at, at->node->args[0].as.value, rank, sizes);
    rl_build_end_view(at, rl_build_permute(at, view, dims));
}

// Of images with any number of dimensions in front of the channels.
static bool shuffle_pixels(const struct rl_pass *pass, struct rl_node *node)
{
    static const int64_t into_plane[6] = {0, 1, 4, 2, 5, 3};
    static const int64_t into_channels[6] = {0, 1, 3, 5, 2, 4};
    const struct rl_build at = {pass->graph, node};
    const struct rl_tensor_type *from = &node->args[0].as.value->type, *to = &node->results[0]->type;
    const bool up = node->op == RL_OP_aten_pixel_shuffle;
    const int64_t factor = node->args[1].as.integer;
    const int first = from->rank - 3;
    int64_t sizes[6] = {1, 0, factor, factor, 0, factor};
    if (first < 0 || to->rank != from->rank || factor < 1 || factor > INT16_MAX) {
        return rl_decline(pass->graph, node,
                          "an image of rank %d by a factor of %lld; accepted: rank 3 and more, 1 to %d", from->rank,
                          (long long)factor, INT16_MAX);
    }
    for (int d = 0; d < first; d++) {
        sizes[0] *= from->sizes[d];
    }
    sizes[1] = up ? to->sizes[first] : from->sizes[first];
    sizes[up ? 4 : 2] = up ? from->sizes[first + 1] : to->sizes[first + 1];
    sizes[up ? 5 : 4] = up ? from->sizes[first + 2] : to->sizes[first + 2];
    shuffle(&at, 6, sizes, up ? into_plane : into_channels);
    return true;
}

static bool shuffle_channels(const struct rl_pass *pass, struct rl_node *node)
{
    static const int64_t dims[4] = {0, 2, 1, 3};
    const struct rl_build at = {pass->graph, node};
    const struct rl_tensor_type *type = &node->args[0].as.value->type;
    const int64_t groups = rl_node_int(node, "groups");
    if (type->rank < 2 || groups < 1 || type->sizes[1] % groups != 0) {
        return rl_decline(pass->graph, node, "channels that %lld groups do not divide", (long long)groups);
    }
    int64_t sizes[4] = {type->sizes[0], groups, type->sizes[1] / groups, 1};
    for (int d = 2; d < type->rank; d++) {
        sizes[3] *= type->sizes[d];
    }
    shuffle(&at, 4, sizes, dims);
    return true;
}

static bool move_dims(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_build at = {graph, node};
    const int rank = node->results[0]->type.rank;
    const struct rl_arg *from = &node->args[1];
    const struct rl_arg *to = &node->args[2];
    const int count = from->kind == RL_ARG_INT ? 1 : from->count;
    int64_t dims[RL_MAX_RANK];
    unsigned moved = 0;
    for (int d = 0; d < rank; d++) {
        dims[d] = -1;
    }
    for (int i = 0; i < count; i++) {
        const int source = rl_dim_normalized(from->kind == RL_ARG_INT ? from->as.integer : from->as.integers[i], rank);
        const int place = rl_dim_normalized(to->kind == RL_ARG_INT ? to->as.integer : to->as.integers[i], rank);
        if (source < 0 || place < 0 || dims[place] >= 0 || (moved >> source & 1u) != 0) {
            return rl_decline(graph, node, "a dimension out of range, or twice");
        }
        dims[place] = source;
        moved |= 1u << source;
    }
    int next = 0;
    for (int d = 0; d < rank; d++) {
        while (dims[d] < 0 && (moved >> next & 1u) != 0) {
            next++;
        }
        dims[d] = dims[d] < 0 ? next++ : dims[d];
    }
    const struct rl_arg args[] = {node->args[0], rl_arg_ints(graph->arena, dims, rank)};
    rl_build_end(&at, RL_OP_aten_permute_copy, args, 2);
    return true;
}

// Gives each vector a dimension of its own; "xy" swaps the first two.
static bool spread_grid(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_build at = {graph, node};
    const struct rl_arg *tensors = rl_node_arg(node, "tensors");
    const bool swaps = node->op == RL_OP_aten_meshgrid_indexing && tensors->count > 1 &&
                       strcmp(rl_node_arg(node, "indexing")->as.string, "xy") == 0;
    if (tensors->count != node->result_count || tensors->count > RL_MAX_RANK) {
        return rl_decline(graph, node, "not one result for each tensor");
    }
    for (int i = 0; i < tensors->count; i++) {
        const struct rl_tensor_type *type = &node->results[i]->type;
        const int dim = swaps && i < 2 ? 1 - i : i;
        int64_t sizes[RL_MAX_RANK];
        for (int d = 0; d < type->rank; d++) {
            sizes[d] = d == dim ? type->sizes[d] : 1;
        }
        if (type->rank != tensors->count || rl_tensor_numel(&tensors->as.values[i]->type) != type->sizes[dim]) {
            return rl_decline(graph, node, "tensors that do not give the sizes of the grid");
        }
        struct rl_value *line = rl_build_view(&at, tensors->as.values[i], type->rank, sizes);
        rl_build_result(&at, i, rl_build_expand(&at, line, type->rank, type->sizes));
    }
    rl_graph_remove(graph, node);
    return true;
}

static bool broadcast_tensors(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_build at = {graph, node};
    const struct rl_arg *tensors = rl_node_arg(node, "tensors");
    if (tensors->count != node->result_count) {
        return rl_decline(graph, node, "not one result for each tensor");
    }
    for (int i = 0; i < tensors->count; i++) {
        const struct rl_tensor_type *type = &node->results[i]->type;
        struct rl_value *tensor = tensors->as.values[i];
        if (rl_tensor_same_sizes(&tensor->type, type)) {
            rl_graph_replace_uses(graph, node->results[i], tensor);
        } else {
            rl_build_result(&at, i, rl_build_expand(&at, tensor, type->rank, type->sizes));
        }
    }
    rl_graph_remove(graph, node);
    return true;
}

// The end of the dimension goes before it, and its start behind it.
static bool pad_around(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_build at = {graph, node};
    const struct rl_arg *pad = rl_node_arg(node, "pad");
    struct rl_value *value = node->args[0].as.value;
    if (strcmp(rl_node_arg(node, "mode")->as.string, "circular") != 0) {
        return false;
    }
    if (pad->count % 2 != 0 || pad->count > 2 * value->type.rank) {
        return rl_decline(graph, node, "not two amounts for each of the last dimensions");
    }
    for (int i = 0; i < pad->count; i += 2) {
        const int dim = value->type.rank - 1 - i / 2;
        const int64_t before = pad->as.integers[i], behind = pad->as.integers[i + 1];
        const int64_t size = value->type.sizes[dim];
        struct rl_value *parts[3];
        int count = 0;
        if (before < 0 || before > size || behind < 0 || behind > size) {
            return rl_decline(graph, node, "amounts that are negative or larger than the dimension");
        }
        if (before > 0) {
            parts[count++] = rl_build_slice(&at, value, dim, size - before, size);
        }
        parts[count++] = value;
        if (behind > 0) {
            parts[count++] = rl_build_slice(&at, value, dim, 0, behind);
        }
        value = count > 1 ? rl_build_cat(&at, parts, count, dim) : value;
    }
    rl_build_end_view(&at, value);
    return true;
}

static bool roll(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_build at = {graph, node};
    struct rl_value *value = node->args[0].as.value;
    const struct rl_arg *shifts = rl_node_arg(node, "shifts");
    const struct rl_arg *dims = rl_node_arg(node, "dims");
    const bool is_flat = dims->count == 0 && shifts->count == 1;
    if (dims->count != shifts->count && !is_flat) {
        return rl_decline(graph, node, "not one shift for each dimension");
    }
    if (is_flat) { // all elements as one dimension
        const int64_t count = rl_tensor_numel(&value->type);
        value = rl_build_view(&at, value, 1, &count);
    }
    for (int i = 0; i < shifts->count; i++) {
        const int dim = is_flat ? 0 : rl_dim_normalized(dims->as.integers[i], value->type.rank);
        const int64_t size = dim < 0 ? 0 : value->type.sizes[dim];
        if (size == 0) {
            return rl_decline(graph, node, "a dimension out of range, or empty");
        }
        const int64_t shift = (shifts->as.integers[i] % size + size) % size;
        if (shift == 0) {
            continue;
        }
        struct rl_value *parts[2];
        parts[0] = rl_build_slice(&at, value, dim, size - shift, size);
        parts[1] = rl_build_slice(&at, value, dim, 0, size - shift);
        value = rl_build_cat(&at, parts, 2, dim);
    }
    rl_build_end_view(&at, value);
    return true;
}

enum rl_status rl_pass_decompose_movement(struct rl_pass *pass)
{
    static const struct rl_lowering table[] = {
        {RL_OP_aten_slice_tensor, rl_lower_to_form},
        {RL_OP_aten_concat, rl_lower_to_form},
        {RL_OP_aten_concatenate, rl_lower_to_form},
        {RL_OP_aten_split_tensor, split},
        {RL_OP_aten_split_copy_tensor, split},
        {RL_OP_aten_split_sizes, split},
        {RL_OP_aten_split_with_sizes, split},
        {RL_OP_aten_split_with_sizes_copy, split},
        {RL_OP_aten_chunk, split},
        {RL_OP_aten_tensor_split_sections, split},
        {RL_OP_aten_tensor_split_indices, split},
        {RL_OP_aten_unbind_int, split},
        {RL_OP_aten_unbind_copy_int, split},
        {RL_OP_aten_select_int, select_one},
        {RL_OP_aten_select_copy_int, select_one},
        {RL_OP_aten_narrow, narrow},
        {RL_OP_aten_stack, stack},
        {RL_OP_aten_hstack, stack_along},
        {RL_OP_aten_vstack, stack_along},
        {RL_OP_aten_dstack, stack_along},
        {RL_OP_aten_column_stack, stack_along},
        {RL_OP_aten_expand, expand},
        {RL_OP_aten_expand_as, expand},
        {RL_OP_aten_broadcast_to, expand},
        {RL_OP_aten_repeat, repeat},
        {RL_OP_aten_tile, repeat},
        {RL_OP_aten_repeat_interleave_self_int, repeat_interleave},
        {RL_OP_aten_upsample_nearest3d_vec, enlarge_volume},
        {RL_OP_aten_pixel_shuffle, shuffle_pixels},
        {RL_OP_aten_pixel_unshuffle, shuffle_pixels},
        {RL_OP_aten_channel_shuffle, shuffle_channels},
        {RL_OP_aten_movedim_int, move_dims},
        {RL_OP_aten_movedim_intlist, move_dims},
        {RL_OP_aten_roll, roll},
        {RL_OP_aten_pad, pad_around},
        {RL_OP_aten_broadcast_tensors, broadcast_tensors},
        {RL_OP_aten_meshgrid, spread_grid},
        {RL_OP_aten_meshgrid_indexing, spread_grid},
    };

    rl_lower_table(pass, table, sizeof table / sizeof table[0]);
    return RL_OK;
}
