// SPDX-License-Identifier: Apache-2.0
//
// The rules of spell_out for what only moves elements: splits, diagonals, blocks, elements by their places.
#include "compiler/passes/canonical/spell_out.h"
#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"

// The dimension of hsplit is 0 for a vector.
static int split_dim(const struct rl_node *node)
{
    switch (node->op) {
    case RL_OP_aten_hsplit_int:
    case RL_OP_aten_hsplit_array:
        return node->args[0].as.value->type.rank == 1 ? 0 : 1;
    case RL_OP_aten_dsplit_int:
    case RL_OP_aten_dsplit_array:
        return 2;
    default:
        return 0;
    }
}

bool rl_spell_split(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    const struct rl_arg args[] = {node->args[0], node->args[1], rl_arg_int(split_dim(node))};
    const enum rl_op_id op =
        node->args[1].kind == RL_ARG_INT ? RL_OP_aten_tensor_split_sections : RL_OP_aten_tensor_split_indices;
    rl_build_end(&at, op, args, 3);
    return true;
}

// ---- diagonals

// Zeros before and behind the last dimension, any of them none.
static struct rl_value *padded(const struct rl_build *at, struct rl_value *value, int64_t before, int64_t behind)
{
    struct rl_tensor_type type = rl_tensor_type_make(value->type.dtype, value->type.rank, value->type.sizes);
    const int64_t amounts[] = {before, behind};
    if (before == 0 && behind == 0) {
        return value;
    }
    type.sizes[type.rank - 1] += before + behind;
    const struct rl_arg args[] = {rl_arg_value(value), rl_arg_ints(at->graph->arena, amounts, 2), rl_arg_int(0)};
    return rl_build(at, RL_OP_aten_constant_pad_nd, &type, args, 3);
}

// [rows, n] becomes `rows` matrices of m x m with the n elements on a diagonal, `offset` columns to the right of the
// main one. In a flattened matrix they are m + 1 elements apart. So each gets m zeros behind it, and the row zeros at
// its ends.
static struct rl_value *on_diagonals(const struct rl_build *at, struct rl_value *self, int64_t rows, int64_t n,
                                     int64_t offset)
{
    const int64_t m = n + (offset < 0 ? -offset : offset);
    const int64_t apart[] = {rows, n, 1}, flat[] = {rows, n * (m + 1)}, square[] = {rows, m, m};
    const int64_t first = offset < 0 ? -offset * m : offset, last = first + (n - 1) * (m + 1);
    struct rl_value *value = rl_build_view(at, padded(at, rl_build_view(at, self, 3, apart), 0, m), 2, flat);
    value = rl_build_slice(at, value, 1, 0, flat[1] - m);
    return rl_build_view(at, padded(at, value, first, m * m - 1 - last), 3, square);
}

// A larger matrix fits no core.
enum { LONGEST_DIAGONAL = 1 << 14 };

static bool embed(const struct rl_pass *pass, struct rl_node *node, int64_t offset, int row, int column)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *self = node->args[0].as.value;
    const struct rl_tensor_type *to = &node->results[0]->type;
    const int64_t count = rl_tensor_numel(&self->type);
    const int64_t n = self->type.rank > 0 ? self->type.sizes[self->type.rank - 1] : 1;
    const int64_t m = row < 0 ? 0 : to->sizes[row];
    if (row < 0 || column < 0 || row == column || count == 0 || m < n || m > LONGEST_DIAGONAL ||
        offset != (offset < 0 ? n - m : m - n) || rl_tensor_numel(to) / m / m != count / n) {
        return rl_decline(pass->graph, node, "a diagonal that is empty, or longer than %d", LONGEST_DIAGONAL);
    }
    int64_t sizes[RL_MAX_RANK], dims[RL_MAX_RANK];
    for (int d = 0, next = 0; d < to->rank; d++) {
        if (d != row && d != column) {
            sizes[next] = to->sizes[d];
            dims[d] = next++;
        }
    }
    sizes[to->rank - 2] = sizes[to->rank - 1] = m;
    dims[row] = to->rank - 2;
    dims[column] = to->rank - 1;
    struct rl_value *value = rl_build_view(&at, on_diagonals(&at, self, count / n, n, offset), to->rank, sizes);
    const struct rl_arg args[] = {rl_arg_value(value), rl_arg_ints(pass->graph->arena, dims, to->rank)};
    rl_build_end(&at, RL_OP_aten_permute_copy, args, 2);
    return true;
}

bool rl_spell_diagonals(const struct rl_pass *pass, struct rl_node *node)
{
    const int rank = node->results[0]->type.rank;
    return embed(pass, node, rl_node_int(node, "offset"), rl_dim_normalized(rl_node_int(node, "dim1"), rank),
                 rl_dim_normalized(rl_node_int(node, "dim2"), rank));
}

// Of any tensor, as if it were flat.
bool rl_spell_flat_diagonal(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    node->args[0] = rl_arg_value(rl_build_flat(&at, node->args[0].as.value));
    return embed(pass, node, rl_node_int(node, "offset"), 0, 1);
}

// A matrix of a vector, or the diagonal of a matrix.
bool rl_spell_diagonal(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    const struct rl_arg args[] = {node->args[0], node->args[1]};
    if (node->args[0].as.value->type.rank == 1) {
        return embed(pass, node, node->args[1].as.integer, 0, 1);
    }
    rl_build_end(&at, RL_OP_aten_diagonal, args, 2);
    return true;
}

bool rl_spell_trace(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    const struct rl_value *self = node->args[0].as.value;
    const int64_t count = self->type.sizes[0] < self->type.sizes[1] ? self->type.sizes[0] : self->type.sizes[1];
    const struct rl_tensor_type type = rl_tensor_type_make(self->type.dtype, 1, &count);
    const int64_t dim = 0;
    if (self->type.rank != 2 || count == 0) {
        return rl_decline(pass->graph, node, "other than a matrix that is not empty");
    }
    const struct rl_arg args[] = {rl_arg_value(rl_build(&at, RL_OP_aten_diagonal, &type, node->args, 1)),
                                  rl_arg_ints(pass->graph->arena, &dim, 1)};
    rl_build_end(&at, RL_OP_aten_sum_dim_intlist, args, 2);
    return true;
}

// ---- blocks

// A vector is a matrix of one row, a number one of one element.
bool rl_spell_blocks(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    const struct rl_arg *tensors = rl_node_arg(node, "tensors");
    const struct rl_tensor_type *to = &node->results[0]->type;
    if (tensors->count < 1) {
        return rl_decline(pass->graph, node, "no blocks; accepted: 1 and more");
    }
    struct rl_value **rows = rl_arena_array(pass->graph->arena, (size_t)tensors->count, sizeof *rows);
    int64_t left = 0;
    for (int i = 0; i < tensors->count; i++) {
        struct rl_value *block = tensors->as.values[i];
        const int rank = block->type.rank;
        const int64_t sizes[] = {rank < 2 ? 1 : block->type.sizes[0], rank < 1 ? 1 : block->type.sizes[rank - 1]};
        if (rank > 2 || block->type.dtype != to->dtype || rl_tensor_numel(&block->type) == 0 ||
            sizes[1] > to->sizes[1] - left) {
            return rl_decline(pass->graph, node, "other blocks than matrices of the result's type that are not empty");
        }
        rows[i] = padded(&at, rl_build_view(&at, block, 2, sizes), left, to->sizes[1] - left - sizes[1]);
        left += sizes[1];
    }
    rl_build_end_view(&at, rl_build_cat(&at, rows, tensors->count, 0));
    return true;
}

// Every tuple of an element of each vector, the last vector's changing fastest.
bool rl_spell_tuples(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    const struct rl_arg *tensors = rl_node_arg(node, "tensors");
    const int count = tensors->count;
    int64_t grid[RL_MAX_RANK], ones[RL_MAX_RANK], column[] = {1, 1}; // rows of the result
    struct rl_value *columns[RL_MAX_RANK];
    if (count < 1 || count > RL_MAX_RANK) {
        return rl_decline(pass->graph, node, "%d vectors; accepted: 1 to %d", count, RL_MAX_RANK);
    }
    for (int i = 0; i < count; i++) {
        grid[i] = rl_tensor_numel(&tensors->as.values[i]->type);
        ones[i] = 1;
    }
    column[0] = rl_tensor_numel(&node->results[0]->type) / count;
    for (int i = 0; i < count; i++) {
        ones[i] = grid[i];
        columns[i] = rl_build_view(&at, tensors->as.values[i], count, ones);
        columns[i] = rl_build_view(&at, rl_build_expand(&at, columns[i], count, grid), 2, column);
        ones[i] = 1;
    }
    rl_build_end_view(&at, rl_build_cat(&at, columns, count, 1));
    return true;
}

// ---- elements by their places

// Places count the elements of the flat tensor, from the end if they are negative.
bool rl_spell_elements(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *self = rl_node_tensor(node, "self"), *index = rl_node_tensor(node, "index");
    const struct rl_arg args[] = {rl_arg_value(rl_build_flat(&at, self)), rl_arg_values(pass->graph->arena, &index, 1)};
    rl_build_end(&at, RL_OP_aten_index_tensor, args, 2);
    return true;
}

enum { MOST_PLACES = 1 << 20 };

// Repeats must be known ahead of time.
bool rl_spell_repeats(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *self = rl_node_tensor(node, "self");
    const struct rl_value *repeats = rl_spelled_constant(rl_node_tensor(node, "repeats"));
    const struct rl_arg *given = rl_node_arg(node, "dim");
    const struct rl_tensor_type *to = &node->results[0]->type;
    if (given->kind == RL_ARG_NONE) {
        self = rl_build_flat(&at, self);
    }
    const int dim = given->kind == RL_ARG_NONE ? 0 : rl_dim_normalized(given->as.integer, self->type.rank);
    const int64_t size = dim < 0 ? 0 : self->type.sizes[dim], places = dim < 0 ? 0 : to->sizes[dim];
    if (!repeats || repeats->type.dtype != RL_INT64 || size < 1 || size > MOST_PLACES || to->rank != self->type.rank ||
        (rl_tensor_numel(&repeats->type) != size && rl_tensor_numel(&repeats->type) != 1)) {
        return rl_decline(pass->graph, node, "repeats that are not constants, one of int64 for each element");
    }
    const int64_t *counts = repeats->data;
    const int64_t step = rl_tensor_numel(&repeats->type) == 1 ? 0 : 1;
    int64_t filled = 0;
    for (int64_t i = 0; i < size; i++) {
        if (counts[i * step] < 0 || counts[i * step] > places - filled) {
            return rl_decline(pass->graph, node, "repeats that do not give the result's sizes");
        }
        filled += counts[i * step];
    }
    if (filled != places || places > MOST_PLACES) {
        return rl_decline(pass->graph, node, "repeats that do not give the result's sizes, or more than %d",
                          MOST_PLACES);
    }
    int64_t *from = rl_arena_array(pass->graph->arena, (size_t)places, sizeof *from);
    for (int64_t i = 0, next = 0; i < size; i++) {
        for (int64_t k = 0; k < counts[i * step]; k++) {
            from[next++] = i;
        }
    }
    const struct rl_tensor_type type = rl_tensor_type_make(RL_INT64, 1, &places);
    struct rl_value *index =
        rl_graph_add_constant(pass->graph, rl_arena_format(pass->graph->arena, "%s_places", node->name), &type, from);
    const struct rl_arg args[] = {rl_arg_value(self), rl_arg_int(dim), rl_arg_value(index)};
    rl_build_end(&at, RL_OP_aten_index_select, args, 3);
    return true;
}

// Every choice of `r` elements of a vector, in the order of their places.
bool rl_spell_combinations(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *self = rl_node_tensor(node, "self");
    const struct rl_tensor_type *to = &node->results[0]->type;
    const bool repeats = rl_node_bool(node, "with_replacement");
    const int64_t r = rl_node_int(node, "r"), n = self->type.rank == 1 ? self->type.sizes[0] : 0;
    if (r < 1 || r > RL_MAX_RANK || to->rank != 2 || to->sizes[1] != r || to->sizes[0] < 1 || n < (repeats ? 1 : r) ||
        to->sizes[0] > MOST_PLACES / r) {
        return rl_decline(pass->graph, node, "other than up to %d elements of a vector, or more than %d", RL_MAX_RANK,
                          MOST_PLACES);
    }
    const int64_t count = to->sizes[0] * r;
    int64_t *from = rl_arena_array(pass->graph->arena, (size_t)count, sizeof *from), row[RL_MAX_RANK];
    for (int64_t k = 0; k < r; k++) {
        row[k] = repeats ? 0 : k;
    }
    for (int64_t i = 0, last = r - 1; i < count; i += r) {
        if (last < 0) {
            return rl_decline(pass->graph, node, "fewer choices than the result has");
        }
        for (int64_t k = 0; k < r; k++) {
            from[i + k] = row[k];
        }
        for (last = r - 1; last >= 0 && row[last] == (repeats ? n - 1 : n - r + last); last--) {
        }
        row[last < 0 ? 0 : last]++;
        for (int64_t k = last + 1; last >= 0 && k < r; k++) {
            row[k] = row[k - 1] + (repeats ? 0 : 1);
        }
    }
    const struct rl_tensor_type type = rl_tensor_type_make(RL_INT64, 1, &count);
    const char *name = rl_arena_format(pass->graph->arena, "%s_places", node->name);
    const struct rl_arg args[] = {rl_arg_value(self), rl_arg_int(0),
                                  rl_arg_value(rl_graph_add_constant(pass->graph, name, &type, from))};
    const struct rl_tensor_type chosen = rl_tensor_type_make(self->type.dtype, 1, &count);
    rl_build_end_view(&at, rl_build(&at, RL_OP_aten_index_select, &chosen, args, 3));
    return true;
}

// Element 0 goes to the middle, or back from there.
bool rl_spell_shift(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    const struct rl_tensor_type *type = &node->args[0].as.value->type;
    const struct rl_arg *given = &node->args[1];
    const int count = given->kind == RL_ARG_INTS ? given->count : type->rank;
    int64_t dims[RL_MAX_RANK], shifts[RL_MAX_RANK];
    if (count > RL_MAX_RANK) {
        return rl_decline(pass->graph, node, "%d dimensions; accepted: up to %d", count, RL_MAX_RANK);
    }
    for (int i = 0; i < count; i++) {
        dims[i] = given->kind == RL_ARG_INTS ? rl_dim_normalized(given->as.integers[i], type->rank) : i;
        if (dims[i] < 0) {
            return rl_decline(pass->graph, node, "a dimension out of range");
        }
        const int64_t half = type->sizes[dims[i]] / 2;
        shifts[i] = node->op == RL_OP_aten_fft_fftshift ? half : -half;
    }
    const struct rl_arg args[] = {node->args[0], rl_arg_ints(pass->graph->arena, shifts, count),
                                  rl_arg_ints(pass->graph->arena, dims, count)};
    rl_build_end(&at, RL_OP_aten_roll, args, 3);
    return true;
}

// [2, count]: rows and columns of what lies below a diagonal, or above, row by row.
bool rl_spell_triangle(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    const struct rl_tensor_type *to = &node->results[0]->type;
    const int64_t rows = rl_node_int(node, "row"), columns = rl_node_int(node, "col");
    const int64_t offset = rl_node_int(node, "offset");
    const int64_t count = to->rank == 2 && to->sizes[0] == 2 ? to->sizes[1] : 0;
    if (to->dtype != RL_INT64 || count < 1 || rows < 0 || rows > LONGEST_DIAGONAL || columns < 0 ||
        columns > LONGEST_DIAGONAL || count > rows * columns) {
        return rl_decline(pass->graph, node, "places that are not int64, or a side longer than %d", LONGEST_DIAGONAL);
    }
    int64_t *places = rl_arena_array(pass->graph->arena, (size_t)count * 2, sizeof *places), filled = 0;
    for (int64_t r = 0; r < rows; r++) {
        for (int64_t c = 0; c < columns && filled < count; c++) {
            if (node->op == RL_OP_aten_tril_indices ? c - r <= offset : c - r >= offset) {
                places[filled] = r;
                places[count + filled++] = c;
            }
        }
    }
    if (filled != count) {
        return rl_decline(pass->graph, node, "fewer places than the result has");
    }
    rl_build_end_view(&at, rl_graph_add_constant(pass->graph, node->name, to, places));
    return true;
}
