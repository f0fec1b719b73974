// SPDX-License-Identifier: Apache-2.0
//
// decompose_distance: distances and similarities of vectors become sums of products, roots and quotients.
//   needs   canonical operators
//   keeps   values up to rounding; the names of the results
//   breaks  nothing
//
//   cosine_similarity(a, b)     sum(a * b) / (max(|a|, eps) * max(|b|, eps))
//   pairwise_distance(a, b)     |a - b + eps|; when it is quantized without eps, which is far below any step
//   cdist(a, b)                 |a - b| for each pair of vectors of a and b in one batch, where norms are decomposed
//   linalg_vector_norm(a)       sqrt(sum(a * a)), sum(|a|); in floating point later (decompose_reduction)
#include "compiler/passes/passes.h"

#include "compiler/passes/portable/norm.h"
#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"

static struct rl_value *sum(const struct rl_build *at, struct rl_value *value, int64_t dim)
{
    return rl_build_reduce(at, RL_OP_aten_sum_dim_intlist, value, &dim, 1);
}

static struct rl_value *number(const struct rl_build *at, double value)
{
    return rl_build_constant(at, 0, NULL, value);
}

// The length of a vector along a dimension, `least` at least.
static struct rl_value *length(const struct rl_build *at, struct rl_value *value, int64_t dim, double least)
{
    struct rl_value *square = rl_build_binary(at, RL_OP_aten_mul, value, value);
    struct rl_value *root = rl_build_unary(at, RL_OP_aten_sqrt, sum(at, square, dim));
    const struct rl_arg args[] = {rl_arg_value(root), rl_arg_double(least), (struct rl_arg){.kind = RL_ARG_NONE}};
    return rl_build(at, RL_OP_aten_clamp, &root->type, args, 3);
}

// The dimension counted from the last one, 1 for the last; 0 if there is none, or the operands have other types.
static int dim_from_end(const struct rl_value *a, const struct rl_value *b, int64_t dim, int rank)
{
    const int normalized = rl_dim_normalized(dim, rank);
    const bool fits = a->type.dtype == RL_FLOAT32 && b->type.dtype == RL_FLOAT32 && a->type.rank >= rank - normalized &&
                      b->type.rank >= rank - normalized;
    return normalized < 0 || !fits ? 0 : rank - normalized;
}

static int larger_rank(const struct rl_value *a, const struct rl_value *b)
{
    return a->type.rank > b->type.rank ? a->type.rank : b->type.rank;
}

static bool decompose_similarity(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *a = rl_node_tensor(node, "x1"), *b = rl_node_tensor(node, "x2");
    const double eps = rl_node_number(node, "eps");
    const int from_end = dim_from_end(a, b, rl_node_int(node, "dim"), larger_rank(a, b));
    if (from_end == 0 || a->type.sizes[a->type.rank - from_end] != b->type.sizes[b->type.rank - from_end]) {
        return rl_decline(pass->graph, node, "vectors of other types or sizes; accepted: float32 of equal lengths");
    }
    struct rl_value *product = rl_build_binary(&at, RL_OP_aten_mul, a, b);
    product = sum(&at, product, product->type.rank - from_end);
    struct rl_value *a_length = length(&at, a, a->type.rank - from_end, eps);
    struct rl_value *lengths =
        rl_build_binary(&at, RL_OP_aten_mul, a_length, length(&at, b, b->type.rank - from_end, eps));
    rl_build_end_view(&at, rl_build_binary(&at, RL_OP_aten_div_tensor, product, lengths));
    return true;
}

static bool decompose_pairwise(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *a = rl_node_tensor(node, "x1"), *b = rl_node_tensor(node, "x2");
    const double order = rl_node_number(node, "p");
    if (dim_from_end(a, b, -1, larger_rank(a, b)) == 0) {
        return rl_decline(pass->graph, node, "other vectors than float32");
    }
    struct rl_value *difference = rl_build_binary(&at, RL_OP_aten_sub_tensor, a, b);
    if (pass->options->quantization == RL_QUANTIZE_NONE) {
        difference = rl_build_binary(&at, RL_OP_aten_add, difference, number(&at, rl_node_number(node, "eps")));
    }
    const int64_t last = difference->type.rank - 1;
    if (order != 1.0 && order != 2.0) {
        struct rl_tensor_type type = difference->type;
        type.sizes[last] = 1;
        const struct rl_arg args[] = {rl_arg_value(difference), rl_arg_double(order),
                                      rl_arg_ints(pass->graph->arena, &last, 1), rl_arg_bool(true)};
        rl_build_end_view(&at, rl_build(&at, RL_OP_aten_linalg_vector_norm, &type, args, 4));
        return true;
    }
    rl_build_end_view(&at, order == 1.0 ? sum(&at, rl_build_unary(&at, RL_OP_aten_abs, difference), last)
                                        : length(&at, difference, last, 0.0));
    return true;
}

// More differences would take more memory than the kernel for floats is worth.
enum { MOST_DIFFERENCES = 1 << 14 };

// Whether both are as many lists of vectors of one length.
static bool are_paired(const struct rl_value *a, const struct rl_value *b)
{
    const int rank = a->type.rank;
    if (b->type.rank != rank || dim_from_end(a, b, -1, rank) == 0) {
        return false;
    }
    for (int d = 0; d < rank; d++) {
        if (d != rank - 2 && a->type.sizes[d] != b->type.sizes[d]) {
            return false;
        }
    }
    return true;
}

static bool decompose_pairs(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *a = rl_node_tensor(node, "x1"), *b = rl_node_tensor(node, "x2");
    const double order = rl_node_number(node, "p");
    const int rank = a->type.rank;
    if (rank < 2 || rank >= RL_MAX_RANK || !are_paired(a, b) || (order != 1.0 && order != 2.0)) {
        return rl_decline(pass->graph, node, "other than lists of float32 vectors, or an order other than 1 and 2");
    }
    int64_t columns[RL_MAX_RANK], rows[RL_MAX_RANK];
    for (int d = 0; d < rank - 2; d++) {
        columns[d] = rows[d] = a->type.sizes[d];
    }
    columns[rank - 2] = a->type.sizes[rank - 2];
    columns[rank - 1] = rows[rank - 2] = 1;
    rows[rank - 1] = b->type.sizes[rank - 2];
    columns[rank] = rows[rank] = a->type.sizes[rank - 1];
    const int64_t count = rows[rank - 1];
    if (count > MOST_DIFFERENCES || rl_tensor_numel(&a->type) > MOST_DIFFERENCES / (count > 0 ? count : 1)) {
        return rl_decline(pass->graph, node, "more than %d differences", MOST_DIFFERENCES);
    }
    struct rl_value *column = rl_build_view(&at, a, rank + 1, columns), *row = rl_build_view(&at, b, rank + 1, rows);
    struct rl_value *difference = rl_build_binary(&at, RL_OP_aten_sub_tensor, column, row);
    rl_build_end_view(&at, order == 1.0 ? sum(&at, rl_build_unary(&at, RL_OP_aten_abs, difference), rank)
                                        : length(&at, difference, rank, 0.0));
    return true;
}

enum rl_status rl_pass_decompose_distance(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_aten_cosine_similarity, decompose_similarity);
    rl_lower_each(pass, RL_OP_aten_pairwise_distance, decompose_pairwise);
    if (pass->options->quantization != RL_QUANTIZE_NONE && !rl_quantizes_as_stock(pass)) {
        rl_lower_each(pass, RL_OP_aten_linalg_vector_norm, rl_decompose_norm);
        rl_lower_each(pass, RL_OP_aten_cdist, decompose_pairs);
    }
    return RL_OK;
}
