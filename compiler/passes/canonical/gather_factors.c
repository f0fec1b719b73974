// SPDX-License-Identifier: Apache-2.0
//
// gather_factors: a positive number that scales an operand of a product of matrices scales the result instead, and
// stands right behind it, in front of views and permutations.
//   needs   products as bmm (decompose_product)
//   keeps   values up to rounding; the names of the results
//   breaks  the name of the scaled operand
//
// There the quantizer makes the number a part of the product's scale (fuse_factor), so that it costs nothing and
// rounds nothing. Runs only if the graph will be quantized.
#include "compiler/passes/passes.h"

#include "compiler/ir/factor.h"
#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"

static bool only_moves(const struct rl_node *node)
{
    return node->op == RL_OP_aten_view_copy || node->op == RL_OP_aten_permute_copy;
}

// The product with a number from which an operand comes by views and permutations alone; NULL if there is none.
static struct rl_node *factor_behind(const struct rl_graph *graph, const struct rl_value *value, double *factor)
{
    int operand;
    while (value->kind == RL_VALUE_RESULT && rl_value_only_user(graph, value)) {
        if (rl_read_factor(value->producer, &operand, factor)) {
            return value->producer;
        }
        if (!only_moves(value->producer)) {
            return NULL;
        }
        value = value->producer->args[0].as.value;
    }
    return NULL;
}

static bool scale_product(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_build at = {graph, node};
    double product = 1.0, factor;
    for (int i = 0; i < 2; i++) {
        struct rl_node *scaled = factor_behind(graph, node->args[i].as.value, &factor);
        int operand;
        if (scaled && rl_read_factor(scaled, &operand, &factor)) {
            product *= factor;
            rl_graph_replace_uses(graph, scaled->results[0], scaled->args[operand].as.value);
        }
    }
    if (product == 1.0) {
        return false;
    }
    struct rl_value *plain = rl_build_product(&at, RL_OP_aten_bmm, node->args[0].as.value, node->args[1].as.value);
    const struct rl_arg args[] = {rl_arg_value(plain), rl_arg_value(rl_build_constant(&at, 0, NULL, product))};
    rl_build_end(&at, RL_OP_aten_mul, args, 2);
    return true;
}

// Whether the value is a product of matrices, moved or scaled by numbers.
static bool is_product(const struct rl_graph *graph, const struct rl_value *value)
{
    while (value->kind == RL_VALUE_RESULT && rl_value_only_user(graph, value)) {
        int operand = 0;
        double factor;
        if (value->producer->op == RL_OP_aten_bmm) {
            return true;
        }
        if (!only_moves(value->producer) && !rl_read_factor(value->producer, &operand, &factor)) {
            return false;
        }
        value = value->producer->args[operand].as.value;
    }
    return false;
}

// Two factors in a row become one.
static void merge(const struct rl_build *at, const struct rl_node *first, double factor)
{
    int operand;
    double other;
    if (rl_read_factor(first, &operand, &other)) {
        const struct rl_arg args[] = {first->args[operand],
                                      rl_arg_value(rl_build_constant(at, 0, NULL, factor * other))};
        rl_build_end(at, RL_OP_aten_mul, args, 2);
    }
}

// move, then multiply  ->  multiply, then move
static bool hoist(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_build at = {graph, node};
    int operand;
    double factor;
    if (!rl_read_factor(node, &operand, &factor) || !is_product(graph, node->args[operand].as.value)) {
        return false;
    }
    struct rl_node *before = node->args[operand].as.value->producer;
    if (!only_moves(before)) {
        merge(&at, before, factor);
        return true;
    }
    struct rl_arg args[2] = {before->args[0], before->args[1]};
    args[0] = rl_arg_value(
        rl_build_binary(&at, RL_OP_aten_mul, before->args[0].as.value, rl_build_constant(&at, 0, NULL, factor)));
    rl_build_end(&at, before->op, args, 2);
    rl_graph_remove(graph, before);
    (void)hoist(pass, args[0].as.value->producer);
    return true;
}

enum rl_status rl_pass_gather_factors(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_aten_bmm, scale_product);
    rl_lower_each(pass, RL_OP_aten_mul, hoist);
    rl_lower_each(pass, RL_OP_aten_div_tensor, hoist);
    return RL_OK;
}
