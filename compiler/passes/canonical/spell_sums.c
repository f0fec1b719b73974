// SPDX-License-Identifier: Apache-2.0
//
// The rules of spell_out for norms and deviations.
#include <math.h>
#include <string.h>

#include "compiler/passes/canonical/spell_out.h"
#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"

// ---- norms

// The largest or smallest sum of sizes, of a column for order 1, of a row for infinity.
static bool spell_matrix_norm(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *self = node->args[0].as.value;
    const struct rl_arg *given = &node->args[2];
    const double order = rl_node_number(node, "ord");
    int64_t dims[2];
    for (int i = 0; i < 2; i++) {
        dims[i] = rl_dim_normalized(given->kind == RL_ARG_INTS ? given->as.integers[i] : i, self->type.rank);
    }
    if (self->type.dtype != node->results[0]->type.dtype) {
        return rl_decline(pass->graph, node, "a result of another type; accepted: the type of the operand");
    }
    if ((fabs(order) != 1.0 && !isinf(order)) || dims[0] < 0 || dims[1] < 0 || dims[0] == dims[1]) {
        return rl_decline(pass->graph, node, "a norm of matrices; accepted: 'fro', 1, -1, and both infinities");
    }
    const int summed = isinf(order) ? 1 : 0;
    struct rl_value *sums = rl_build_unary(&at, RL_OP_aten_abs, self);
    sums = rl_build_reduce(&at, RL_OP_aten_sum_dim_intlist, sums, &dims[summed], 1);
    const enum rl_op_id op = order > 0.0 ? RL_OP_aten_amax : RL_OP_aten_amin;
    rl_build_end_view(&at, rl_build_reduce(&at, op, sums, &dims[1 - summed], 1));
    return true;
}

// The arguments are self, ord, dim, keepdim and dtype in all schemas. Without an order all norms are roots of sums of
// squares, and so is that of Frobenius.
bool rl_spell_norm(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    const struct rl_arg *order = &node->args[1], *dims = &node->args[2];
    const int count = dims->kind == RL_ARG_NONE ? node->args[0].as.value->type.rank : dims->count;
    const bool is_root =
        order->kind == RL_ARG_NONE || (order->kind == RL_ARG_STRING && strcmp(order->as.string, "fro") == 0);
    if (!is_root && count == 2 && order->kind != RL_ARG_STRING) {
        return spell_matrix_norm(pass, node);
    }
    if (!is_root && (order->kind == RL_ARG_STRING || count != 1)) {
        return rl_decline(pass->graph, node, "a norm of matrices; accepted: 'fro', 1, -1, and both infinities");
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
    if (!rl_are_floats(self, other)) {
        return rl_decline(pass->graph, node, "other operands than floats of one type");
    }
    const struct rl_arg args[] = {rl_arg_value(rl_build_binary(&at, RL_OP_aten_sub_tensor, self, other)),
                                  *rl_node_arg(node, "p")};
    rl_build_end(&at, RL_OP_aten_linalg_vector_norm, args, 2);
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
    int count = rl_all_dims(self, dims);
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
