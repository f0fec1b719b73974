// SPDX-License-Identifier: Apache-2.0
//
// compose_reductions: logsumexp, products along dimensions and triangles become operators that have integer kernels.
//   needs   canonical operators
//   keeps   values up to rounding; the names of the results
//   breaks  nothing
//
//   logsumexp       amax(x) + log(sum(exp(x - amax(x))))
//   prod            products of slices, two and two
//   tril, triu      zeros where a constant mask is set
//
// Runs only if the graph will be quantized. Rejected: amax(x) - log(amax(softmax(x))), because the largest of many
// probabilities may be a few steps of the softmax; of 64 numbers it costs 12 dB.
#include "compiler/passes/passes.h"

#include "compiler/passes/portable/norm.h"
#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"

enum { MOST_FACTORS = 16 };

static bool is_float(const struct rl_value *value)
{
    return value->type.dtype == RL_FLOAT32 && rl_tensor_numel(&value->type) > 0;
}

// ---- products

static bool may_multiply(const struct rl_pass *pass, struct rl_node *node, int64_t count)
{
    if (!is_float(rl_node_tensor(node, "self")) || rl_node_arg(node, "dtype")->kind != RL_ARG_NONE) {
        return false;
    }
    return count <= MOST_FACTORS || rl_decline(pass->graph, node, "a product of more than %d numbers", MOST_FACTORS);
}

static void multiply(const struct rl_build *at, struct rl_value *x, int dim)
{
    struct rl_value *factors[MOST_FACTORS];
    int64_t count = x->type.sizes[dim];
    for (int64_t i = 0; i < count; i++) {
        factors[i] = count == 1 ? x : rl_build_slice(at, x, dim, i, i + 1);
    }
    for (; count > 1; count = (count + 1) / 2) {
        for (int64_t i = 0; i < count / 2; i++) {
            factors[i] = rl_build_binary(at, RL_OP_aten_mul, factors[2 * i], factors[2 * i + 1]);
        }
        if (count % 2 != 0) {
            factors[count / 2] = factors[count - 1];
        }
    }
    rl_build_end_view(at, factors[0]);
}

static bool compose_product(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *x = rl_node_tensor(node, "self");
    const int dim = rl_dim_normalized(rl_node_int(node, "dim"), x->type.rank);
    if (dim < 0 || dim >= x->type.rank || !may_multiply(pass, node, x->type.sizes[dim])) {
        return false;
    }
    multiply(&at, x, dim);
    return true;
}

static bool compose_product_of_all(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *x = rl_node_tensor(node, "self");
    const int64_t count = rl_tensor_numel(&x->type);
    if (!may_multiply(pass, node, count)) {
        return false;
    }
    multiply(&at, rl_build_view(&at, x, 1, &count), 0);
    return true;
}

// ---- triangles

static bool compose_triangle(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_build at = {graph, node};
    struct rl_value *self = rl_node_tensor(node, "self");
    const struct rl_tensor_type *type = &self->type;
    const int64_t diagonal = rl_node_int(node, "diagonal");
    const bool is_upper = node->op == RL_OP_aten_triu;
    if (!is_float(self) || type->rank < 2) {
        return false;
    }
    const struct rl_tensor_type truth = rl_tensor_type_make(RL_BOOL, 2, &type->sizes[type->rank - 2]);
    const int64_t columns = truth.sizes[1];
    unsigned char *outside = rl_arena_alloc(graph->arena, (size_t)rl_tensor_numel(&truth));
    for (int64_t i = 0; i < rl_tensor_numel(&truth); i++) {
        const int64_t right = i % columns - i / columns;
        outside[i] = is_upper ? right < diagonal : right > diagonal;
    }
    struct rl_value *mask =
        rl_graph_add_constant(graph, rl_arena_format(graph->arena, "%s_outside", node->name), &truth, outside);
    const struct rl_arg args[] = {rl_arg_value(self), rl_arg_value(mask), rl_arg_double(0.0)};
    rl_build_end(&at, RL_OP_aten_masked_fill_scalar, args, 3);
    return true;
}

enum rl_status rl_pass_compose_reductions(struct rl_pass *pass)
{
    static const struct rl_lowering table[] = {
        {RL_OP_aten_logsumexp, rl_decompose_logsumexp},
        {RL_OP_aten_prod_dim_int, compose_product},
        {RL_OP_aten_prod, compose_product_of_all},
        {RL_OP_aten_tril, compose_triangle},
        {RL_OP_aten_triu, compose_triangle},
    };
    rl_lower_table(pass, table, sizeof table / sizeof table[0]);
    return RL_OK;
}
