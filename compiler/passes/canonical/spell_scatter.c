// SPDX-License-Identifier: Apache-2.0
//
// The rules of spell_out for what is written to places: sums, products and extremes by index, diagonals, flat places.
#include <math.h>
#include <string.h>

#include "compiler/passes/canonical/spell_out.h"
#include "compiler/passes/passes.h"
#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"

// ---- flat places

bool rl_spell_put(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *self = rl_node_tensor(node, "self"), *source = rl_node_tensor(node, "source");
    struct rl_value *index = rl_node_tensor(node, "index");
    if (rl_tensor_numel(&index->type) != rl_tensor_numel(&source->type) || source->type.dtype != self->type.dtype) {
        return rl_decline(pass->graph, node, "another number of places than of elements, or elements of another type");
    }
    struct rl_value *places = rl_build_flat(&at, index), *flat = rl_build_flat(&at, self);
    const struct rl_arg args[] = {rl_arg_value(flat), rl_arg_values(pass->graph->arena, &places, 1),
                                  rl_arg_value(rl_build_flat(&at, source)), *rl_node_arg(node, "accumulate")};
    rl_build_end_view(&at, rl_build(&at, RL_OP_aten_index_put, &flat->type, args, 4));
    return true;
}

// A larger matrix fits no core.
enum { LONGEST_DIAGONAL = 1 << 14 };

// Constant places, `count` of them, from `first` on, `step` apart.
static struct rl_value *build_places(const struct rl_build *at, int64_t first, int64_t step, int64_t count)
{
    int64_t *places = rl_arena_array(at->graph->arena, (size_t)count, sizeof *places);
    for (int64_t i = 0; i < count; i++) {
        places[i] = first + i * step;
    }
    const struct rl_tensor_type type = rl_tensor_type_make(RL_INT64, 1, &count);
    const char *name = rl_arena_format(at->graph->arena, "%s_places", at->node->name);
    return rl_graph_add_constant(at->graph, name, &type, places);
}

// In a flat matrix the elements of a diagonal are a row and a column apart. The diagonal of the source is its last
// dimension.
bool rl_spell_diagonal_scatter(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *self = rl_node_tensor(node, "self"), *source = rl_node_tensor(node, "src");
    const int rank = self->type.rank;
    const int row = rl_dim_normalized(rl_node_int(node, "dim1"), rank);
    const int column = rl_dim_normalized(rl_node_int(node, "dim2"), rank);
    const int64_t offset = rl_node_int(node, "offset");
    int64_t there[RL_MAX_RANK], back[RL_MAX_RANK], flat[RL_MAX_RANK], of_source[RL_MAX_RANK];
    if (rank < 2 || row < 0 || column < 0 || row == column || source->type.dtype != self->type.dtype ||
        self->type.sizes[row] > LONGEST_DIAGONAL || self->type.sizes[column] > LONGEST_DIAGONAL ||
        offset < -LONGEST_DIAGONAL || offset > LONGEST_DIAGONAL) {
        return rl_decline(pass->graph, node, "other than two dimensions of one type, of %d at most", LONGEST_DIAGONAL);
    }
    const int64_t rows = self->type.sizes[row], columns = self->type.sizes[column];
    const int64_t below = offset < 0 ? -offset : 0, right = offset > 0 ? offset : 0;
    const int64_t count = rows - below < columns - right ? rows - below : columns - right;
    int next = 0;
    for (int d = 0; d < rank; d++) {
        if (d != row && d != column) {
            flat[next] = of_source[next] = self->type.sizes[d];
            there[next++] = d;
        }
    }
    there[rank - 2] = row;
    there[rank - 1] = column;
    flat[rank - 2] = rows * columns;
    of_source[rank - 2] = count;
    const struct rl_tensor_type expected = rl_tensor_type_make(source->type.dtype, rank - 1, of_source);
    if (count < 1 || !rl_tensor_same_sizes(&expected, &source->type)) {
        return rl_decline(pass->graph, node, "a diagonal that is empty, or a source of other sizes");
    }
    for (int d = 0; d < rank; d++) {
        back[there[d]] = d;
    }
    struct rl_value *turned = rl_build_permute(&at, self, there);
    struct rl_value *lines = rl_build_view(&at, turned, rank - 1, flat);
    struct rl_value *places = build_places(&at, below * columns + right, columns + 1, count);
    const struct rl_arg args[] = {rl_arg_value(lines), rl_arg_int(rank - 2), rl_arg_value(places),
                                  rl_arg_value(source)};
    struct rl_value *written = rl_build(&at, RL_OP_aten_index_copy, &lines->type, args, 4);
    struct rl_value *whole = rl_build_view(&at, written, rank, turned->type.sizes);
    const struct rl_arg end[] = {rl_arg_value(whole), rl_arg_ints(pass->graph->arena, back, rank)};
    rl_build_end(&at, RL_OP_aten_permute_copy, end, 2);
    return true;
}

// ---- reductions by index

// What a scatter reduces: the elements of `source` go to `index` along `dim`. `source` has the sizes of `index`, which
// are those of `self` at most, but along `dim`.
struct scatter {
    struct rl_value *self, *index, *source;
    int dim;
    bool counts_itself;
};

enum { MOST_CHOICES = 1 << 20 }; // elements of the source times places

// Whether sizes fit. The source is cut to the sizes of the index.
static bool read_scatter(const struct rl_build *at, struct scatter *scatter)
{
    const struct rl_tensor_type *self = &scatter->self->type, *index = &scatter->index->type;
    scatter->dim = rl_dim_normalized(rl_node_int(at->node, "dim"), self->rank);
    if (self->rank < 1 || self->rank >= RL_MAX_RANK || scatter->dim < 0 || index->rank != self->rank ||
        scatter->source->type.rank != self->rank || scatter->source->type.dtype != self->dtype ||
        rl_tensor_numel(index) == 0 || rl_tensor_numel(self) == 0 ||
        rl_tensor_numel(index) > MOST_CHOICES / self->sizes[scatter->dim]) {
        return false;
    }
    for (int d = 0; d < self->rank; d++) {
        if (index->sizes[d] > scatter->source->type.sizes[d] ||
            (d != scatter->dim && index->sizes[d] > self->sizes[d])) {
            return false;
        }
    }
    for (int d = 0; d < self->rank; d++) {
        if (index->sizes[d] < scatter->source->type.sizes[d]) {
            scatter->source = rl_build_slice(at, scatter->source, d, 0, index->sizes[d]);
        }
    }
    return true;
}

// A view with a dimension of size 1 before dimension `dim`.
static struct rl_value *with_dim(const struct rl_build *at, struct rl_value *value, int dim)
{
    int64_t sizes[RL_MAX_RANK];
    for (int d = 0; d <= value->type.rank; d++) {
        sizes[d] = d == dim ? 1 : value->type.sizes[d < dim ? d : d - 1];
    }
    return rl_build_view(at, value, value->type.rank + 1, sizes);
}

// Zeros, or false, behind a tensor, up to the sizes of `to` along all dimensions.
static struct rl_value *padded(const struct rl_build *at, struct rl_value *value, const struct rl_tensor_type *to)
{
    int64_t amounts[2 * RL_MAX_RANK] = {0};
    bool pads = false;
    const int rank = to->rank;
    for (int d = 0; d < rank; d++) {
        amounts[2 * (rank - 1 - d) + 1] = to->sizes[d] - value->type.sizes[d];
        pads |= to->sizes[d] > value->type.sizes[d];
    }
    const struct rl_arg args[] = {rl_arg_value(value), rl_arg_ints(at->graph->arena, amounts, 2 * rank), rl_arg_int(0)};
    const struct rl_tensor_type type = rl_tensor_type_make(value->type.dtype, rank, to->sizes);
    return pads ? rl_build(at, RL_OP_aten_constant_pad_nd, &type, args, 3) : value;
}

// Which place each element goes to: [..., places, elements, ...], the former at dimension `dim`.
static struct rl_value *build_choices(const struct rl_build *at, const struct scatter *scatter)
{
    int64_t line[RL_MAX_RANK];
    for (int d = 0; d <= scatter->self->type.rank; d++) {
        line[d] = 1;
    }
    line[scatter->dim] = scatter->self->type.sizes[scatter->dim];
    struct rl_value *places = build_places(at, 0, 1, line[scatter->dim]);
    places = rl_build_view(at, places, scatter->self->type.rank + 1, line);
    return rl_build_truth(at, RL_OP_aten_eq_tensor, with_dim(at, scatter->index, scatter->dim), rl_arg_value(places));
}

// What elements count that go to other places: one for products; for extremes the opposite extreme of all elements, or
// an infinity where NaN must not spread.
static struct rl_value *build_filler(const struct rl_pass *pass, const struct rl_build *at,
                                     const struct scatter *scatter, enum rl_op_id op)
{
    const int64_t dim = scatter->dim;
    if (op == RL_OP_aten_prod_dim_int) {
        return rl_build_constant(at, 0, NULL, 1.0);
    }
    const bool is_max = op == RL_OP_aten_amax;
    if (scatter->self->type.dtype == RL_FLOAT32 && rl_has_nan(pass)) {
        return rl_build_constant(at, 0, NULL, is_max ? -INFINITY : INFINITY);
    }
    struct rl_value *other = rl_build_reduce(at, is_max ? RL_OP_aten_amin : RL_OP_aten_amax, scatter->source, &dim, 1);
    return with_dim(at, other, scatter->dim);
}

// The elements of each place reduced; of the sizes of `self`, along the others those of the index.
static struct rl_value *reduce_chosen(const struct rl_pass *pass, const struct rl_build *at,
                                      const struct scatter *scatter, enum rl_op_id op, struct rl_value *choices)
{
    struct rl_value *filler = build_filler(pass, at, scatter, op);
    struct rl_value *source = with_dim(at, scatter->source, scatter->dim);
    const struct rl_arg chosen[] = {rl_arg_value(choices), rl_arg_value(source), rl_arg_value(filler)};
    struct rl_tensor_type type = rl_tensor_type_make(source->type.dtype, choices->type.rank, choices->type.sizes);
    struct rl_value *wide = rl_build(at, RL_OP_aten_where_self, &type, chosen, 3);
    const int64_t along = scatter->dim + 1;
    for (int d = scatter->dim + 1; d + 1 < type.rank; d++) {
        type.sizes[d] = type.sizes[d + 1];
    }
    type.rank--;
    type = rl_tensor_type_make(type.dtype, type.rank, type.sizes);
    const struct rl_arg args[] = {rl_arg_value(wide), op == RL_OP_aten_prod_dim_int
                                                          ? rl_arg_int(along)
                                                          : rl_arg_ints(at->graph->arena, &along, 1)};
    return rl_build(at, op, &type, args, 2);
}

// Products and extremes. A place that receives nothing keeps its element.
static bool end_reduction(const struct rl_pass *pass, struct rl_node *node, struct scatter *scatter, const char *reduce)
{
    const struct rl_build at = {pass->graph, node};
    const bool multiplies = strcmp(reduce, "prod") == 0 || strcmp(reduce, "multiply") == 0;
    const bool is_max = strcmp(reduce, "amax") == 0;
    if ((!multiplies && !is_max && strcmp(reduce, "amin") != 0) ||
        (multiplies && scatter->self->type.dtype != RL_FLOAT32) || !read_scatter(&at, scatter)) {
        return rl_decline(pass->graph, node,
                          "reduces by '%s', or by other sizes; accepted: prod of float32, amax, amin, up to %d choices",
                          reduce, MOST_CHOICES);
    }
    enum rl_op_id op = is_max ? RL_OP_aten_amax : RL_OP_aten_amin;
    op = multiplies ? RL_OP_aten_prod_dim_int : op;
    struct rl_value *choices = build_choices(&at, scatter);
    struct rl_value *reduced = reduce_chosen(pass, &at, scatter, op, choices);
    struct rl_tensor_type type = reduced->type;
    type.dtype = RL_BOOL;
    const struct rl_arg any[] = {rl_arg_value(choices), rl_arg_int(scatter->dim + 1)};
    struct rl_value *received = rl_build(&at, RL_OP_aten_any_dim, &type, any, 2);
    reduced = padded(&at, reduced, &scatter->self->type);
    received = padded(&at, received, &scatter->self->type);
    if (scatter->counts_itself) {
        enum rl_op_id both = is_max ? RL_OP_aten_maximum : RL_OP_aten_minimum;
        both = multiplies ? RL_OP_aten_mul : both;
        reduced = rl_build_binary(&at, both, scatter->self, reduced);
    }
    const struct rl_arg args[] = {rl_arg_value(received), rl_arg_value(reduced), rl_arg_value(scatter->self)};
    rl_build_end(&at, RL_OP_aten_where_self, args, 3);
    return true;
}

// Sums and means stay, because their portable forms are scatter_add.
bool rl_spell_scatter_reduce(const struct rl_pass *pass, struct rl_node *node)
{
    const char *reduce = rl_node_arg(node, "reduce")->as.string;
    struct scatter scatter = {.self = rl_node_tensor(node, "self"),
                              .index = rl_node_tensor(node, "index"),
                              .source = rl_node_tensor(node, "src"),
                              .counts_itself = rl_node_bool(node, "include_self")};
    if (strcmp(reduce, "sum") == 0 || strcmp(reduce, "mean") == 0) {
        return false;
    }
    return end_reduction(pass, node, &scatter, reduce);
}

// scatter with a reduction: of a tensor, or of a number that stands for as many as there are places.
bool rl_spell_scatter(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    const char *reduce = rl_node_arg(node, "reduce")->as.string;
    struct rl_value *self = rl_node_tensor(node, "self"), *index = rl_node_tensor(node, "index"), *source;
    if (node->op == RL_OP_aten_scatter_value_reduce) {
        if (self->type.dtype != RL_FLOAT32) {
            return rl_decline(pass->graph, node, "a number beside other than float32");
        }
        source = rl_build_constant(&at, 0, NULL, rl_node_number(node, "value"));
        source = rl_build_expand(&at, source, index->type.rank, index->type.sizes);
    } else {
        source = rl_node_tensor(node, "src");
    }
    if (strcmp(reduce, "add") == 0) {
        const struct rl_arg args[] = {rl_arg_value(self), *rl_node_arg(node, "dim"), rl_arg_value(index),
                                      rl_arg_value(source)};
        rl_build_end(&at, RL_OP_aten_scatter_add, args, 4);
        return true;
    }
    struct scatter scatter = {.self = self, .index = index, .source = source, .counts_itself = true};
    return end_reduction(pass, node, &scatter, reduce);
}

// The same index for all elements along the other dimensions.
bool rl_spell_index_reduce(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *source = rl_node_tensor(node, "source"), *index = rl_node_tensor(node, "index");
    const int rank = source->type.rank;
    const int dim = rl_dim_normalized(rl_node_int(node, "dim"), rank);
    int64_t line[RL_MAX_RANK];
    if (rank < 1 || dim < 0 || index->type.rank > 1 || rl_tensor_numel(&index->type) != source->type.sizes[dim] ||
        index->type.dtype != RL_INT64) {
        return rl_decline(pass->graph, node, "an index that is not one int64 for each part of the source");
    }
    for (int d = 0; d < rank; d++) {
        line[d] = d == dim ? source->type.sizes[d] : 1;
    }
    index = rl_build_expand(&at, rl_build_view(&at, index, rank, line), rank, source->type.sizes);
    const struct rl_arg args[] = {node->args[0],
                                  node->args[1],
                                  rl_arg_value(index),
                                  rl_arg_value(source),
                                  *rl_node_arg(node, "reduce"),
                                  *rl_node_arg(node, "include_self")};
    rl_build_end(&at, RL_OP_aten_scatter_reduce, args, 6);
    return true;
}

// ---- sums by an index that is known

enum { MOST_ROUNDS = 8, MOST_INDICES = 4096 };

// The index of a sum: for each of `lines` lines that run along the dimension, `count` places below `size`.
struct known_index {
    const int64_t *places; // place k of a line is `step` * k from its first one
    int64_t count, step, size;
};

// Which element of the line at `first` is number `round` among those that go to `place`; `count` if there is none.
static int64_t find_element(const struct known_index *index, int64_t first, int64_t place, int round)
{
    for (int64_t k = 0; k < index->count; k++) {
        const int64_t to = index->places[first + k * index->step];
        if ((to < 0 ? to + index->size : to) == place && round-- == 0) {
            return k;
        }
    }
    return index->count;
}

// `self` and, for each round, the elements that come next at each place, or a zero. `chosen` says which, for the sizes
// of `self`, or for one line of them if `is_line`.
static struct rl_value *add_round(const struct rl_build *at, struct rl_value *self, struct rl_value *source, int dim,
                                  int64_t *chosen, bool is_line)
{
    struct rl_tensor_type type = rl_tensor_type_make(RL_INT64, is_line ? 1 : self->type.rank,
                                                     is_line ? &self->type.sizes[dim] : self->type.sizes);
    const char *name = rl_arena_format(at->graph->arena, "%s_elements", at->node->name);
    const struct rl_arg args[] = {rl_arg_value(source), rl_arg_int(dim),
                                  rl_arg_value(rl_graph_add_constant(at->graph, name, &type, chosen))};
    type = rl_tensor_type_make(self->type.dtype, self->type.rank, self->type.sizes);
    struct rl_value *elements = rl_build(at, is_line ? RL_OP_aten_index_select : RL_OP_aten_gather, &type, args, 3);
    return rl_build_binary(at, RL_OP_aten_add, self, elements);
}

// Ends the node with as many rounds as places need; false if those are too many.
static bool end_with_rounds(const struct rl_build *at, struct rl_value *self, struct rl_value *source, int dim,
                            const struct known_index *index, bool is_line)
{
    const int64_t places = is_line ? index->size : rl_tensor_numel(&self->type);
    struct rl_tensor_type longer = rl_tensor_type_make(source->type.dtype, source->type.rank, source->type.sizes);
    longer.sizes[dim]++;
    struct rl_value *padded_source = padded(at, source, &longer), *sum = self;
    for (int round = 0; round <= MOST_ROUNDS; round++) {
        int64_t *chosen = rl_arena_array(at->graph->arena, (size_t)places, sizeof *chosen);
        bool any = false;
        for (int64_t i = 0; i < places; i++) {
            const int64_t inner = is_line ? 1 : index->step, along = index->size;
            const int64_t first = i / (inner * along) * inner * index->count + i % inner;
            chosen[i] = find_element(index, first, i / inner % along, round);
            any |= chosen[i] < index->count;
        }
        if (!any) {
            rl_build_end_view(at, sum);
            return true;
        }
        sum = add_round(at, sum, padded_source, dim, chosen, is_line);
    }
    return false;
}

static bool are_places(const int64_t *places, int64_t count, int64_t size)
{
    for (int64_t i = 0; i < count; i++) {
        if (places[i] < -size || places[i] >= size) {
            return false;
        }
    }
    return true;
}

// index_add and scatter_add by a constant are sums of chosen elements, which have integer kernels.
bool rl_spell_known_sum(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    const bool is_line = node->op == RL_OP_aten_index_add;
    struct rl_value *self = rl_node_tensor(node, "self"), *source = rl_node_tensor(node, is_line ? "source" : "src");
    const struct rl_value *index = rl_spelled_constant(rl_node_tensor(node, "index"));
    const int rank = self->type.rank, dim = rl_dim_normalized(rl_node_int(node, "dim"), rank);
    if (!rl_quantizes(pass) || rl_quantizes_as_stock(pass) || !index || index->type.dtype != RL_INT64 || dim < 0 ||
        rank < 1 || self->type.dtype != RL_FLOAT32 || source->type.dtype != RL_FLOAT32 || source->type.rank != rank ||
        index->type.rank != (is_line ? 1 : rank) || rl_tensor_numel(&index->type) == 0) {
        return false;
    }
    struct known_index known = {index->data, is_line ? index->type.sizes[0] : index->type.sizes[dim], 1,
                                self->type.sizes[dim]};
    int64_t cut[RL_MAX_RANK];
    for (int d = 0; d < rank; d++) {
        cut[d] = is_line ? source->type.sizes[d] : index->type.sizes[d];
        known.step *= !is_line && d > dim ? index->type.sizes[d] : 1;
        if (cut[d] > source->type.sizes[d] || (d != dim && cut[d] != self->type.sizes[d]) ||
            (d == dim && cut[d] != known.count)) {
            return false;
        }
    }
    if (!are_places(known.places, rl_tensor_numel(&index->type), known.size) ||
        known.count > MOST_INDICES / known.size || (!is_line && rl_tensor_numel(&self->type) > MOST_INDICES)) {
        return false;
    }
    if (is_line && rl_node_number(node, "alpha") != 1.0) {
        source = rl_build_scalar(&at, RL_OP_aten_mul_scalar, source, rl_node_number(node, "alpha"));
    }
    if (cut[dim] < source->type.sizes[dim]) {
        source = rl_build_slice(&at, source, dim, 0, cut[dim]);
    }
    return end_with_rounds(&at, self, source, dim, &known, is_line);
}

// index_fill by a constant chooses by a constant, which has an integer kernel.
bool rl_spell_known_fill(const struct rl_pass *pass, struct rl_node *node)
{
    static const double largest_fill = 32.0; // that of compose_pointwise
    const struct rl_build at = {pass->graph, node};
    struct rl_value *self = rl_node_tensor(node, "self");
    const struct rl_value *index = rl_spelled_constant(rl_node_tensor(node, "index"));
    const int dim = rl_dim_normalized(rl_node_int(node, "dim"), self->type.rank);
    const double number = rl_node_number(node, "value");
    int64_t line[RL_MAX_RANK];
    if (!rl_quantizes(pass) || !index || index->type.dtype != RL_INT64 || index->type.rank > 1 || dim < 0 ||
        self->type.rank < 1 || self->type.dtype != RL_FLOAT32 || !(fabs(number) <= largest_fill) ||
        !are_places(index->data, rl_tensor_numel(&index->type), self->type.sizes[dim])) {
        return false;
    }
    for (int d = 0; d < self->type.rank; d++) {
        line[d] = d == dim ? self->type.sizes[d] : 1;
    }
    const struct rl_tensor_type type = rl_tensor_type_make(RL_BOOL, self->type.rank, line);
    unsigned char *mask = rl_arena_array(pass->graph->arena, (size_t)line[dim], 1);
    for (int64_t i = 0; i < rl_tensor_numel(&index->type); i++) {
        const int64_t place = ((const int64_t *)index->data)[i];
        mask[place < 0 ? place + line[dim] : place] = 1;
    }
    const char *name = rl_arena_format(pass->graph->arena, "%s_mask", node->name);
    const struct rl_arg args[] = {
        rl_arg_value(self), rl_arg_value(rl_graph_add_constant(pass->graph, name, &type, mask)), rl_arg_double(number)};
    rl_build_end(&at, RL_OP_aten_masked_fill_scalar, args, 3);
    return true;
}
