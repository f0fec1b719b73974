// SPDX-License-Identifier: Apache-2.0
//
// The rules of spell_out for sums: losses, norms and products of vectors.
#include <string.h>

#include "compiler/passes/canonical/spell_out.h"
#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"

static bool are_floats(const struct rl_value *a, const struct rl_value *b)
{
    return rl_scalar_is_floating(a->type.dtype) && a->type.dtype == b->type.dtype;
}

static int all_dims(const struct rl_value *value, int64_t *dims)
{
    for (int d = 0; d < value->type.rank; d++) {
        dims[d] = d;
    }
    return value->type.rank;
}

// ---- losses

static struct rl_value *times(const struct rl_build *at, struct rl_value *value, double factor)
{
    return rl_build_scalar(at, RL_OP_aten_mul_scalar, value, factor);
}

// With a = min(|d|, limit): a * (|d| - a / 2), which is d * d / 2 up to the limit and a straight line behind it.
static struct rl_value *bounded_square(const struct rl_build *at, struct rl_value *difference, double limit)
{
    struct rl_value *size = rl_build_unary(at, RL_OP_aten_abs, difference);
    const struct rl_arg args[] = {rl_arg_value(size), {.kind = RL_ARG_NONE}, rl_arg_double(limit)};
    struct rl_value *bounded = rl_build(at, RL_OP_aten_clamp, &size->type, args, 3);
    struct rl_value *rest = rl_build_binary(at, RL_OP_aten_sub_tensor, size, times(at, bounded, 0.5));
    return rl_build_binary(at, RL_OP_aten_mul, bounded, rest);
}

static struct rl_value *loss_of(const struct rl_build *at, struct rl_value *difference)
{
    const struct rl_node *node = at->node;
    switch (node->op) {
    case RL_OP_aten_mse_loss:
        return rl_build_binary(at, RL_OP_aten_mul, difference, difference);
    case RL_OP_aten_huber_loss:
        return bounded_square(at, difference, rl_node_number(node, "delta"));
    case RL_OP_aten_smooth_l1_loss: {
        const double beta = rl_node_number(node, "beta");
        if (beta > 0.0) {
            return times(at, bounded_square(at, difference, beta), 1.0 / beta);
        }
        break;
    }
    default:
        break;
    }
    return rl_build_unary(at, RL_OP_aten_abs, difference);
}

bool rl_spell_loss(const struct rl_pass *pass, struct rl_node *node)
{
    enum { NO_REDUCTION, MEAN }; // and the sum
    const struct rl_build at = {pass->graph, node};
    struct rl_value *self = rl_node_tensor(node, "self"), *target = rl_node_tensor(node, "target");
    const int64_t reduction = rl_node_int(node, "reduction");
    if (!are_floats(self, target)) {
        return rl_decline(pass->graph, node, "other operands than floats of one type");
    }
    struct rl_value *loss = loss_of(&at, rl_build_binary(&at, RL_OP_aten_sub_tensor, self, target));
    if (reduction != NO_REDUCTION && loss->type.rank > 0) {
        int64_t dims[RL_MAX_RANK];
        const int count = all_dims(loss, dims);
        loss =
            rl_build_reduce(&at, reduction == MEAN ? RL_OP_aten_mean : RL_OP_aten_sum_dim_intlist, loss, dims, count);
    }
    rl_build_end_view(&at, loss);
    return true;
}

// ---- norms

// The arguments are self, ord, dim, keepdim and dtype in all schemas. Without an order all norms are roots of sums of
// squares, and so is that of Frobenius.
bool rl_spell_norm(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    const struct rl_arg *order = &node->args[1], *dims = &node->args[2];
    const int count = dims->kind == RL_ARG_NONE ? node->args[0].as.value->type.rank : dims->count;
    const bool is_root =
        order->kind == RL_ARG_NONE || (order->kind == RL_ARG_STRING && strcmp(order->as.string, "fro") == 0);
    if (!is_root && (order->kind == RL_ARG_STRING || count != 1)) {
        return rl_decline(pass->graph, node, "a norm of matrices; accepted: 'fro'");
    }
    const struct rl_arg args[] = {node->args[0], is_root ? rl_arg_double(2.0) : *order, *dims, node->args[3],
                                  node->args[4]};
    rl_build_end(&at, RL_OP_aten_linalg_vector_norm, args, 5);
    return true;
}

bool rl_spell_distance(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *self = node->args[0].as.value, *other = node->args[1].as.value;
    if (!are_floats(self, other)) {
        return rl_decline(pass->graph, node, "other operands than floats of one type");
    }
    const struct rl_arg args[] = {rl_arg_value(rl_build_binary(&at, RL_OP_aten_sub_tensor, self, other)),
                                  *rl_node_arg(node, "p")};
    rl_build_end(&at, RL_OP_aten_linalg_vector_norm, args, 2);
    return true;
}

// ---- products

bool rl_spell_product(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *self = node->args[0].as.value, *other = node->args[1].as.value;
    if (!are_floats(self, other) || self->type.rank == 0 || other->type.rank == 0 || other->type.rank > 2) {
        return rl_decline(pass->graph, node, "other operands than a tensor of floats and a vector or matrix of floats");
    }
    const int64_t turned[] = {1, 0};
    const struct rl_arg args[] = {rl_arg_value(self),
                                  rl_arg_value(other->type.rank == 1 ? other : rl_build_permute(&at, other, turned))};
    rl_build_end(&at, RL_OP_aten_matmul, args, 2);
    return true;
}

bool rl_spell_vector_product(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *x = rl_node_tensor(node, "x"), *y = rl_node_tensor(node, "y");
    if (!are_floats(x, y)) {
        return rl_decline(pass->graph, node, "other operands than floats of one type");
    }
    struct rl_value *product = rl_build_binary(&at, RL_OP_aten_mul, x, y);
    const int64_t dim = rl_dim_normalized(rl_node_int(node, "dim"), product->type.rank);
    if (dim < 0) {
        return rl_decline(pass->graph, node, "a dimension out of range");
    }
    rl_build_end_view(&at, rl_build_reduce(&at, RL_OP_aten_sum_dim_intlist, product, &dim, 1));
    return true;
}

// Element i becomes element i + `places`.
static struct rl_value *rolled(const struct rl_build *at, struct rl_value *value, int64_t places, int64_t dim)
{
    const int64_t shift = -places;
    const struct rl_arg args[] = {rl_arg_value(value), rl_arg_ints(at->graph->arena, &shift, 1),
                                  rl_arg_ints(at->graph->arena, &dim, 1)};
    return rl_build(at, RL_OP_aten_roll, &value->type, args, 3);
}

// Element i is a[i + 1] * b[i + 2] - a[i + 2] * b[i + 1], counted around.
bool rl_spell_cross(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *a = rl_node_tensor(node, "self"), *b = rl_node_tensor(node, "other");
    const int64_t dim = rl_dim_normalized(rl_node_int(node, "dim"), a->type.rank);
    if (!are_floats(a, b) || a->type.rank != b->type.rank || dim < 0 || a->type.sizes[dim] != 3 ||
        b->type.sizes[dim] != 3) {
        return rl_decline(pass->graph, node, "other operands than vectors of three floats, of as many dimensions");
    }
    struct rl_value *products[2];
    for (int i = 0; i < 2; i++) {
        struct rl_value *first = rolled(&at, a, 1 + i, dim), *second = rolled(&at, b, 2 - i, dim);
        products[i] = rl_build_binary(&at, RL_OP_aten_mul, first, second);
    }
    const struct rl_arg args[] = {rl_arg_value(products[0]), rl_arg_value(products[1])};
    rl_build_end(&at, RL_OP_aten_sub_tensor, args, 2);
    return true;
}

// ---- deviations

// std has an overload of the same name with the same arguments.
bool rl_spell_deviation(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    enum rl_op_id op = RL_OP_aten_std_correction;
    if (node->op != RL_OP_aten_std_mean_correction) {
        op = node->op == RL_OP_aten_std_mean ? RL_OP_aten_std : RL_OP_aten_std_dim;
    }
    struct rl_value *self = node->args[0].as.value;
    int64_t dims[RL_MAX_RANK];
    int count = all_dims(self, dims);
    const struct rl_arg *given = node->op == RL_OP_aten_std_mean ? NULL : rl_node_arg(node, "dim");
    if (given && given->kind == RL_ARG_INTS && given->count > 0 && given->count <= count) {
        count = given->count;
        for (int i = 0; i < count; i++) {
            dims[i] = rl_dim_normalized(given->as.integers[i], self->type.rank);
            if (dims[i] < 0) {
                return rl_decline(pass->graph, node, "a dimension out of range");
            }
        }
    }
    const struct rl_tensor_type *type = &node->results[1]->type;
    struct rl_value *mean = rl_build_reduce(&at, RL_OP_aten_mean, self, dims, count);
    rl_build_result(&at, 0, rl_build(&at, op, &node->results[0]->type, node->args, node->arg_count));
    rl_build_result(&at, 1, rl_build_view(&at, mean, type->rank, type->sizes));
    rl_graph_remove(pass->graph, node);
    return true;
}
