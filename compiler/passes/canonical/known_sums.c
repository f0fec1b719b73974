// SPDX-License-Identifier: Apache-2.0
//
// Sums and means by a constant index, as networks on graphs have them, are products with a matrix: it has a 1 where an
// element of the source goes to a place of the result, or one part of those that go there.
#include <string.h>

#include "compiler/passes/canonical/spell_out.h"
#include "compiler/passes/passes.h"
#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"

enum { MOST_WEIGHTS = 1 << 14 };

// A sum of the elements of `source` along `dim`, each at the place that the index names, and of `self`.
struct known_sum {
    struct rl_value *self, *source;
    const struct rl_value *index;
    int dim, rank;
    int64_t count, size; // of elements, and of places, along the dimension
    bool is_mean, counts_itself;
    const int64_t *places; // of the elements
    int64_t *received;     // by each place
};

static bool read_kind(const struct rl_node *node, struct known_sum *sum)
{
    sum->counts_itself = true;
    if (node->op == RL_OP_aten_scatter_reduce) {
        const char *reduce = rl_node_arg(node, "reduce")->as.string;
        sum->is_mean = strcmp(reduce, "mean") == 0;
        sum->counts_itself = rl_node_bool(node, "include_self");
        return sum->is_mean || strcmp(reduce, "sum") == 0;
    }
    return node->op == RL_OP_aten_scatter_add || rl_node_number(node, "alpha") == 1.0;
}

static bool read_sum(const struct rl_node *node, struct known_sum *sum)
{
    *sum = (struct known_sum){.self = rl_node_tensor(node, "self")};
    const bool is_line = node->op == RL_OP_aten_index_add;
    const struct rl_tensor_type *self = &sum->self->type;
    sum->source = rl_node_tensor(node, is_line ? "source" : "src");
    sum->index = rl_spelled_constant(rl_node_tensor(node, "index"));
    sum->rank = self->rank;
    sum->dim = rl_dim_normalized(rl_node_int(node, "dim"), sum->rank);
    if (!read_kind(node, sum) || !sum->index || sum->index->type.dtype != RL_INT64 || sum->rank < 1 || sum->dim < 0 ||
        !rl_are_floats(sum->self, sum->source) || self->dtype != RL_FLOAT32 || sum->source->type.rank != sum->rank ||
        sum->index->type.rank != (is_line ? 1 : sum->rank)) {
        return false;
    }
    sum->size = self->sizes[sum->dim];
    sum->count = sum->source->type.sizes[sum->dim];
    for (int d = 0; d < sum->rank; d++) {
        const int64_t wanted = d == sum->dim ? sum->count : self->sizes[d];
        const int64_t own = is_line ? sum->index->type.sizes[0] : sum->index->type.sizes[d];
        if (sum->source->type.sizes[d] != wanted || ((!is_line || d == sum->dim) && own != wanted)) {
            return false;
        }
    }
    return sum->size > 0 && sum->count > 0 && sum->count <= MOST_WEIGHTS / sum->size &&
           rl_tensor_numel(&sum->index->type) > 0;
}

// Reads which place each element goes to. False if that differs along another dimension, or is none.
static bool read_places(struct rl_arena *arena, struct known_sum *sum)
{
    const int64_t *index = sum->index->data;
    const int64_t numel = rl_tensor_numel(&sum->index->type);
    int64_t step = 1;
    for (int d = sum->dim + 1; sum->index->type.rank == sum->rank && d < sum->rank; d++) {
        step *= sum->index->type.sizes[d];
    }
    int64_t *places = rl_arena_array(arena, (size_t)sum->count, sizeof *places);
    sum->received = rl_arena_array(arena, (size_t)sum->size, sizeof *sum->received);
    for (int64_t i = 0; i < numel; i++) {
        const int64_t element = i / step % sum->count, place = index[i] < 0 ? index[i] + sum->size : index[i];
        const bool is_first = i == element * step;
        if (place < 0 || place >= sum->size || (!is_first && places[element] != place)) {
            return false;
        }
        places[element] = place;
        sum->received[place] += is_first ? 1 : 0;
    }
    sum->places = places;
    return true;
}

static struct rl_value *build_matrix(const struct rl_build *at, const struct known_sum *sum)
{
    const int64_t sizes[] = {sum->size, sum->count};
    const struct rl_tensor_type type = rl_tensor_type_make(RL_FLOAT32, 2, sizes);
    float *matrix = rl_arena_array(at->graph->arena, (size_t)(sum->size * sum->count), sizeof *matrix);
    for (int64_t k = 0; k < sum->count; k++) {
        const int64_t place = sum->places[k], parts = sum->received[place] + (sum->counts_itself ? 1 : 0);
        matrix[place * sum->count + k] = sum->is_mean ? 1.0f / (float)parts : 1.0f;
    }
    return rl_graph_add_constant(at->graph, rl_arena_format(at->graph->arena, "%s_places", at->node->name), &type,
                                 matrix);
}

// The products, with the dimension where it was.
static struct rl_value *build_product(const struct rl_build *at, const struct known_sum *sum)
{
    int64_t there[RL_MAX_RANK], back[RL_MAX_RANK], row[] = {1, sum->count};
    const int last = sum->rank - 1;
    struct rl_value *matrix = build_matrix(at, sum);
    if (sum->rank == 1) {
        return rl_build_flat(at, rl_build_linear(at, rl_build_view(at, sum->source, 2, row), matrix, NULL));
    }
    for (int d = 0; d < sum->rank; d++) {
        there[d] = d < sum->dim ? d : d + 1;
        back[d] = d < sum->dim ? d : d - 1;
    }
    there[last] = sum->dim;
    back[sum->dim] = last;
    if (sum->dim == last) {
        return rl_build_linear(at, sum->source, matrix, NULL);
    }
    struct rl_value *turned = rl_build_permute(at, sum->source, there);
    return rl_build_permute(at, rl_build_linear(at, turned, matrix, NULL), back);
}

static bool is_zero(const struct rl_value *value)
{
    const struct rl_value *constant = rl_spelled_constant(value);
    const float *elements = constant ? constant->data : NULL;
    for (int64_t i = 0; elements && i < rl_tensor_numel(&constant->type); i++) {
        if (elements[i] != 0.0f) {
            return false;
        }
    }
    return elements && !rl_value_is_state(constant);
}

// What `self` is multiplied by at each place; NULL if it is 1 everywhere. `counts` tells whether it is 0 everywhere.
static struct rl_value *build_shares(const struct rl_build *at, const struct known_sum *sum, bool *counts)
{
    const struct rl_tensor_type *self = &sum->self->type;
    const int64_t numel = rl_tensor_numel(self);
    int64_t step = 1;
    for (int d = sum->dim + 1; d < sum->rank; d++) {
        step *= self->sizes[d];
    }
    float *shares = rl_arena_array(at->graph->arena, (size_t)numel, sizeof *shares);
    bool is_one = true;
    *counts = false;
    for (int64_t i = 0; i < numel; i++) {
        const int64_t received = sum->received[i / step % sum->size];
        const float part = sum->is_mean ? 1.0f / (float)(received + 1) : 1.0f;
        shares[i] = sum->counts_itself || received == 0 ? part : 0.0f;
        is_one &= shares[i] == 1.0f;
        *counts |= shares[i] != 0.0f;
    }
    const struct rl_tensor_type type = rl_tensor_type_make(RL_FLOAT32, sum->rank, self->sizes);
    const char *name = rl_arena_format(at->graph->arena, "%s_shares", at->node->name);
    return is_one || !*counts ? NULL : rl_graph_add_constant(at->graph, name, &type, shares);
}

bool rl_sum_by_known_index(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct known_sum sum;
    bool counts = false;
    if (!read_sum(node, &sum) || !read_places(pass->graph->arena, &sum)) {
        return false;
    }
    struct rl_value *shares = is_zero(sum.self) ? NULL : build_shares(&at, &sum, &counts);
    struct rl_value *result = build_product(&at, &sum);
    if (counts) {
        struct rl_value *self = shares ? rl_build_binary(&at, RL_OP_aten_mul, sum.self, shares) : sum.self;
        result = rl_build_binary(&at, RL_OP_aten_add, self, result);
    }
    rl_build_end_view(&at, result);
    return true;
}
