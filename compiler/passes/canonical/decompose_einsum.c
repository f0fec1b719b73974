// SPDX-License-Identifier: Apache-2.0
//
// decompose_einsum: sums of products by letters become permutations, views and matmul.
//   needs   canonical operators; runs before decompose_product, which makes the matmul
//   keeps   values up to rounding; the name of the result
//   breaks  nothing
//
// The terms are multiplied from the left, two at a time. A letter that both terms have is a batch dimension if it is
// still needed; otherwise the product sums over it. A letter of one term is a dimension of its rows or columns.
#include "compiler/passes/passes.h"

#include <string.h>

#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"

// Letters are 0..51 in the order of their codes. The dimensions of "..." are counted from the last one on.
enum { LETTERS = 52, LABELS = LETTERS + RL_MAX_RANK };

struct term {
    struct rl_value *value;
    int labels[RL_MAX_RANK]; // the labels of its dimensions
    int rank;
};

static int label_of(char letter)
{
    if (letter >= 'A' && letter <= 'Z') {
        return letter - 'A';
    }
    return letter >= 'a' && letter <= 'z' ? letter - 'a' + 26 : -1;
}

static bool ends_term(char c)
{
    return c == '\0' || c == ',' || c == '-';
}

static int count_letters(const char *text)
{
    int count = 0;
    for (; !ends_term(*text); text++) {
        count += label_of(*text) >= 0;
    }
    return count;
}

// The labels of a term of `rank` dimensions; false when it has others, or one twice. `*text` moves to its end.
static bool read_labels(const char **text, int rank, struct term *term)
{
    bool seen[LABELS] = {false};
    const int dots = rank - count_letters(*text);
    term->rank = 0;
    for (; !ends_term(**text); ++*text) {
        const bool is_rest = strncmp(*text, "...", 3) == 0;
        const int first = is_rest ? LETTERS + dots - 1 : label_of(**text);
        if (**text == ' ') {
            continue;
        }
        *text += is_rest ? 2 : 0;
        for (int i = 0; i < (is_rest ? dots : 1); i++) {
            const int label = first - i;
            if (label < 0 || seen[label] || term->rank == RL_MAX_RANK) {
                return false;
            }
            seen[label] = true;
            term->labels[term->rank++] = label;
        }
    }
    return term->rank == rank;
}

// The dimension with this label; -1 when there is none.
static int place_of(const struct term *term, int label)
{
    for (int i = 0; i < term->rank; i++) {
        if (term->labels[i] == label) {
            return i;
        }
    }
    return -1;
}

// Without an arrow the result has "..." and then, in their order, the letters that are there once.
static void imply_result(const struct term *terms, int count, struct term *result)
{
    result->rank = 0;
    for (int pass = 0; pass < LABELS; pass++) {
        const int label = pass < RL_MAX_RANK ? LABELS - 1 - pass : pass - RL_MAX_RANK;
        int uses = 0;
        for (int i = 0; i < count; i++) {
            uses += place_of(&terms[i], label) >= 0;
        }
        if ((uses == 1 || (uses > 0 && label >= LETTERS)) && result->rank < RL_MAX_RANK) {
            result->labels[result->rank++] = label;
        }
    }
}

// Expands every term to the same size along a label; false when they do not fit each other.
static bool expand_terms(const struct rl_build *at, struct term *terms, int count)
{
    int64_t sizes[LABELS];
    for (int label = 0; label < LABELS; label++) {
        sizes[label] = 1;
    }
    for (int i = 0; i < count; i++) {
        for (int d = 0; d < terms[i].rank; d++) {
            const int64_t size = terms[i].value->type.sizes[d];
            int64_t *common = &sizes[terms[i].labels[d]];
            if (size != 1 && *common != 1 && *common != size) {
                return false;
            }
            *common = size != 1 ? size : *common;
        }
    }
    for (int i = 0; i < count; i++) {
        int64_t wide[RL_MAX_RANK];
        int64_t elements = 1;
        for (int d = 0; d < terms[i].rank; d++) {
            wide[d] = sizes[terms[i].labels[d]];
            if (wide[d] > INT32_MAX || (wide[d] > 0 && elements > INT32_MAX / wide[d])) {
                return false; // larger than any memory here
            }
            elements *= wide[d];
        }
        terms[i].value = rl_build_expand(at, terms[i].value, terms[i].rank, wide);
    }
    return true;
}

// Sums over the dimensions whose label is not needed.
static void drop_labels(const struct rl_build *at, struct term *term, const bool needed[LABELS])
{
    int64_t dims[RL_MAX_RANK];
    int64_t sizes[RL_MAX_RANK];
    int dropped = 0, rank = 0;
    for (int d = 0; d < term->rank; d++) {
        if (!needed[term->labels[d]]) {
            dims[dropped++] = d;
            continue;
        }
        sizes[rank] = term->value->type.sizes[d];
        term->labels[rank++] = term->labels[d];
    }
    if (dropped > 0) {
        struct rl_value *sum = rl_build_reduce(at, RL_OP_aten_sum_dim_intlist, term->value, dims, dropped);
        term->value = rl_build_view(at, sum, rank, sizes);
        term->rank = rank;
    }
}

// The term with its dimensions in this order of labels. A constant stays a constant.
static struct rl_value *ordered(const struct rl_build *at, const struct term *term, const int *labels)
{
    int64_t dims[RL_MAX_RANK];
    int places[RL_MAX_RANK];
    bool moves = false;
    for (int i = 0; i < term->rank; i++) {
        places[i] = place_of(term, labels[i]);
        dims[i] = places[i];
        moves |= places[i] != i;
    }
    if (term->value->kind == RL_VALUE_CONSTANT) {
        return rl_constant_permuted(at->graph, term->value, places, term->value->name);
    }
    return moves ? rl_build_permute(at, term->value, dims) : term->value;
}

static struct rl_value *viewed(const struct rl_build *at, struct rl_value *value, const int64_t *sizes, int rank)
{
    const struct rl_tensor_type type = rl_tensor_type_make(value->type.dtype, rank, sizes);
    if (rl_tensor_same_sizes(&type, &value->type)) {
        return value;
    }
    return value->kind == RL_VALUE_CONSTANT ? rl_graph_add_constant(at->graph, value->name, &type, value->data)
                                            : rl_build_view(at, value, rank, sizes);
}

// Labels of one kind, and the product of their sizes.
struct group {
    int labels[2 * RL_MAX_RANK];
    int count;
    int64_t size;
};

static void add_label(struct group *group, const struct term *term, int d)
{
    group->labels[group->count++] = term->labels[d];
    group->size *= term->value->type.sizes[d];
}

// One side of the product as [batch, first, second], without the batch where there is none.
static struct rl_value *as_matrices(const struct rl_build *at, const struct term *term, const struct group *batch,
                                    const struct group *first, const struct group *second)
{
    const struct group *const groups[3] = {batch, first, second};
    const int64_t sizes[3] = {batch->size, first->size, second->size};
    const int skipped = batch->count == 0 ? 1 : 0;
    int labels[RL_MAX_RANK];
    int count = 0;
    for (int g = 0; g < 3; g++) {
        for (int i = 0; i < groups[g]->count; i++) {
            labels[count++] = groups[g]->labels[i];
        }
    }
    return viewed(at, ordered(at, term, labels), sizes + skipped, 3 - skipped);
}

// Multiplies the two terms into `a`; false if the product would have too many dimensions or elements.
static bool contract(const struct rl_build *at, struct term *a, struct term *b, const bool needed[LABELS])
{
    struct group batch = {.size = 1}, rows = {.size = 1}, columns = {.size = 1}, sums = {.size = 1};
    if (a->value->kind == RL_VALUE_CONSTANT && b->value->kind != RL_VALUE_CONSTANT) {
        const struct term swapped = *a; // weights go to the right, where they make a linear layer
        *a = *b;
        *b = swapped;
    }
    for (int d = 0; d < a->rank; d++) {
        const int label = a->labels[d];
        struct group *shared = needed[label] ? &batch : &sums;
        add_label(place_of(b, label) >= 0 ? shared : &rows, a, d);
    }
    for (int d = 0; d < b->rank; d++) {
        if (place_of(a, b->labels[d]) < 0) {
            add_label(&columns, b, d);
        }
    }
    if (batch.count + rows.count + columns.count > RL_MAX_RANK || batch.size * rows.size * columns.size > INT32_MAX) {
        return false;
    }
    struct rl_value *left = as_matrices(at, a, &batch, &rows, &sums);
    struct rl_value *right = as_matrices(at, b, &batch, &sums, &columns);
    const struct group *const groups[3] = {&batch, &rows, &columns};
    const struct term before = *a;
    int64_t sizes[RL_MAX_RANK];
    a->rank = 0;
    for (int g = 0; g < 3; g++) {
        for (int i = 0; i < groups[g]->count; i++) {
            const int label = groups[g]->labels[i];
            const struct term *from = g == 2 ? b : &before;
            sizes[a->rank] = from->value->type.sizes[place_of(from, label)];
            a->labels[a->rank++] = label;
        }
    }
    const enum rl_op_id op = sums.count > 0 ? RL_OP_aten_matmul : RL_OP_aten_mul; // of each element with each
    a->value = viewed(at, rl_build_product(at, op, left, right), sizes, a->rank);
    return true;
}

// Finds the labels that the result and the terms from `from` on still need.
static void find_needed(const struct term *terms, int from, int count, const struct term *result, bool needed[LABELS])
{
    for (int label = 0; label < LABELS; label++) {
        needed[label] = place_of(result, label) >= 0;
        for (int i = from; i < count; i++) {
            needed[label] = needed[label] || place_of(&terms[i], label) >= 0;
        }
    }
}

static bool read_equation(const char *text, const struct rl_arg *tensors, int result_rank, struct term *terms,
                          struct term *result)
{
    for (int i = 0; i < tensors->count; i++) {
        terms[i].value = tensors->as.values[i];
        if (!read_labels(&text, terms[i].value->type.rank, &terms[i])) {
            return false;
        }
        text += i + 1 < tensors->count && *text == ',' ? 1 : 0;
    }
    if (*text == '\0') {
        imply_result(terms, tensors->count, result);
    } else if (strncmp(text, "->", 2) == 0) {
        text += 2;
        if (!read_labels(&text, result_rank, result) || *text != '\0') {
            return false;
        }
    } else {
        return false;
    }
    bool known = result->rank == result_rank;
    for (int d = 0; d < result->rank; d++) {
        bool found = false;
        for (int i = 0; i < tensors->count; i++) {
            found |= place_of(&terms[i], result->labels[d]) >= 0;
        }
        known = known && found;
    }
    return known;
}

static bool decompose_einsum(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_build at = {graph, node};
    const char *equation = rl_node_arg(node, "equation")->as.string;
    const struct rl_arg *tensors = rl_node_arg(node, "tensors");
    struct term *terms = rl_arena_array(graph->arena, (size_t)tensors->count, sizeof *terms);
    struct term result = {.rank = 0};
    bool needed[LABELS];
    if (tensors->count < 1 || !read_equation(equation, tensors, node->results[0]->type.rank, terms, &result)) {
        return rl_decline(graph, node, "the equation '%s'; accepted: one term for each tensor, no letter twice in it",
                          equation);
    }
    if (!expand_terms(&at, terms, tensors->count)) {
        return rl_decline(graph, node, "the sizes of '%s' do not fit each other, or are too large", equation);
    }
    for (int i = 1; i < tensors->count; i++) {
        find_needed(terms, i, tensors->count, &result, needed);
        drop_labels(&at, &terms[0], needed);
        struct term *const other = &terms[i];
        bool shared[LABELS];
        find_needed(terms, i + 1, tensors->count, &result, needed);
        for (int label = 0; label < LABELS; label++) {
            shared[label] = needed[label] || place_of(&terms[0], label) >= 0;
        }
        drop_labels(&at, other, shared);
        if (!contract(&at, &terms[0], other, needed)) {
            return rl_decline(graph, node, "a product of more than %d dimensions, or 2^31 elements", RL_MAX_RANK);
        }
    }
    find_needed(terms, tensors->count, tensors->count, &result, needed);
    drop_labels(&at, &terms[0], needed);
    rl_build_end_view(&at, ordered(&at, &terms[0], result.labels));
    return true;
}

enum rl_status rl_pass_decompose_einsum(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_aten_einsum, decompose_einsum);
    return RL_OK;
}
