// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/work.h"

static const struct rl_value *operand(const struct rl_node *node, const char *name)
{
    const int index = rl_op_argument(rl_op_get(node->op), name);

    return index >= 0 && node->args[index].kind == RL_ARG_VALUE ? node->args[index].as.value : NULL;
}

// Which dimension of a result is the dimension `axis` of the model's value.
static int place_of(const struct rl_value *result, int axis)
{
    for (int i = 0; result->is_turned && i < result->type.rank; i++) {
        if (result->shown[i] == axis) {
            return i;
        }
    }
    return axis;
}

// Weights that take part in one result: all of them over the output channels, which the results count, too.
static double weights_per_result(const struct rl_node *node, const struct rl_value *weights)
{
    const struct rl_tensor_type *type = &node->results[0]->type;
    const bool is_image = rl_op_get(node->op)->layer == RL_LAYER_CONVOLUTION || type->rank == 4;
    const int axis = is_image && type->rank > 1 ? place_of(node->results[0], 1) : type->rank - 1;

    return axis >= 0 && type->sizes[axis] > 0 ? (double)rl_tensor_numel(&weights->type) / (double)type->sizes[axis] : 1;
}

static double window(const struct rl_node *node)
{
    const int index = rl_op_argument(rl_op_get(node->op), "kernel_size");
    double count = 1;

    for (int i = 0; index >= 0 && node->args[index].kind == RL_ARG_INTS && i < node->args[index].count; i++) {
        count *= (double)node->args[index].as.integers[i];
    }
    return count;
}

// The filters of a convolution or a linear layer; NULL for other nodes.
static const struct rl_value *filters(const struct rl_node *node)
{
    const struct rl_op *op = rl_op_get(node->op);
    const struct rl_value *weight = operand(node, "weight"), *weights = weight ? weight : operand(node, "weights");
    const bool is_layer = rl_op_argument(op, "bias") >= 0 && rl_op_argument(op, "normalized_shape") < 0;

    return is_layer && weights && weights->type.rank >= 2 ? weights : NULL;
}

// How many products a result of a product of matrices adds up; 0 for other nodes.
static double depth(const struct rl_node *node)
{
    const struct rl_value *right = operand(node, "mat2"), *transposed = operand(node, "rhs_transposed");

    if (right && right->type.rank >= 2) {
        return (double)right->type.sizes[right->type.rank - 2];
    }
    return transposed && transposed->type.rank >= 1 ? (double)transposed->type.sizes[transposed->type.rank - 1] : 0;
}

double rl_node_work(const struct rl_node *node)
{
    if (node->result_count == 0 || rl_op_get(node->op)->rearranges != RL_REARRANGES_OTHERWISE ||
        node->op == RL_OP_cm_transpose) {
        return 0;
    }
    const double results = (double)rl_tensor_numel(&node->results[0]->type);
    const struct rl_value *weights = filters(node);
    if (weights) {
        return results * weights_per_result(node, weights);
    }
    return depth(node) > 0 ? results * depth(node) : results * window(node);
}
