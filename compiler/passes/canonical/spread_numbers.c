// SPDX-License-Identifier: Apache-2.0
//
// spread_numbers: the constant number beside a tensor, in a sum or a product, gets as many dimensions as the tensor,
// all of size 1. The stock quantizer then takes it for a tensor of one value, which is all that its kernels need beside
// images of one channel.
//   needs   canonical operators
//   keeps   values; names
//   breaks  nothing
#include "compiler/passes/passes.h"

#include "compiler/ir/functions.h"
#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"

static const int64_t ones[RL_MAX_RANK] = {1, 1, 1, 1, 1, 1, 1, 1};

static void spread(struct rl_graph *graph, struct rl_node *node, const char *number, const char *tensor)
{
    const struct rl_value *value = rl_node_tensor(node, number);
    const struct rl_value *beside = rl_node_tensor(node, tensor);
    if (!value || !beside || value->kind != RL_VALUE_CONSTANT || rl_tensor_numel(&value->type) != 1 ||
        value->type.rank >= beside->type.rank) {
        return;
    }
    const struct rl_tensor_type type = rl_tensor_type_make(value->type.dtype, beside->type.rank, ones);
    rl_node_set(node, number, rl_arg_value(rl_graph_add_constant(graph, value->name, &type, value->data)));
}

// number - self is a difference of two tensors.
static bool become_difference(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *self = rl_node_tensor(node, "self");
    if (self->type.dtype != RL_FLOAT32) {
        return false;
    }
    struct rl_value *number = rl_build_constant(&at, self->type.rank, ones, rl_node_number(node, "other"));
    const struct rl_arg args[] = {rl_arg_value(number), rl_arg_value(self), *rl_node_arg(node, "alpha")};
    rl_build_end(&at, RL_OP_aten_sub_tensor, args, 3);
    return true;
}

enum rl_status rl_pass_spread_numbers(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_aten_rsub_scalar, become_difference);
    for (struct rl_node *node = pass->graph->first; node; node = node->next) {
        const struct rl_function *function = rl_function_find(node->op);
        if (function && function->of_two && rl_op_argument(rl_op_get(node->op), "other") >= 0) {
            spread(pass->graph, node, "self", "other");
            spread(pass->graph, node, "other", "self");
        }
    }
    return RL_OK;
}
