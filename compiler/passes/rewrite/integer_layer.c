// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/rewrite/integer_layer.h"

bool rl_is_integer_constant(const struct rl_value *value, enum rl_scalar_type dtype)
{
    return value && value->kind == RL_VALUE_CONSTANT && value->type.dtype == dtype &&
           rl_tensor_is_contiguous(&value->type);
}

static int64_t last_size(const struct rl_tensor_type *type)
{
    return type->rank > 0 ? type->sizes[type->rank - 1] : 0;
}

// Whether an argument is missing, or holds one integer for each of `count` channels in its last dimension.
static bool is_vector(const struct rl_node *node, const char *name, enum rl_scalar_type dtype, int64_t count)
{
    const int index = rl_op_argument(rl_op_get(node->op), name);
    const struct rl_arg *arg = index >= 0 ? &node->args[index] : NULL;

    if (!arg || arg->kind == RL_ARG_NONE) {
        return true;
    }
    if (arg->kind == RL_ARG_INTS) { // one for all channels
        return arg->count == 1;
    }
    return arg->kind == RL_ARG_VALUE && rl_is_integer_constant(arg->as.value, dtype) &&
           last_size(&arg->as.value->type) == count && rl_tensor_numel(&arg->as.value->type) == count;
}

static bool is_offset(const struct rl_node *node, const char *name)
{
    const int index = rl_op_argument(rl_op_get(node->op), name);

    return index < 0 || (node->args[index].as.integer >= -INT8_MAX && node->args[index].as.integer <= -INT8_MIN);
}

bool rl_is_integer_linear(const struct rl_node *node)
{
    return node->op == RL_OP_cm_quantized_linear || node->op == RL_OP_rl_quantized_linear_s16;
}

const struct rl_value *rl_integer_layer_weights(const struct rl_node *node)
{
    return rl_node_tensor(node, rl_is_integer_linear(node) ? "weights" : "weight");
}

// The dimension of the result's channels.
static int channel_dim(const struct rl_node *node)
{
    if (rl_is_integer_linear(node)) {
        return node->results[0]->type.rank - 1;
    }
    return rl_op_get(node->op)->layout == RL_LAYOUT_CHANNELS_LAST ? 1 : 3;
}

bool rl_is_integer_depthwise(const struct rl_node *node)
{
    return node->op == RL_OP_cm_quantized_depthwise_conv2d || node->op == RL_OP_cm_quantized_depthwise_conv2d_nhwc ||
           node->op == RL_OP_rl_quantized_depthwise_conv2d_s16;
}

bool rl_is_wide_convolution(const struct rl_node *node)
{
    return node->op == RL_OP_rl_quantized_conv2d_s16 || node->op == RL_OP_rl_quantized_depthwise_conv2d_s16;
}

// Whether input, weights and result fit together.
static bool fits(const struct rl_node *node)
{
    const struct rl_tensor_type *input = &rl_node_tensor(node, "input")->type;
    const struct rl_tensor_type *weights = &rl_integer_layer_weights(node)->type;
    const struct rl_tensor_type *result = &node->results[0]->type;

    if (rl_is_integer_linear(node)) {
        return weights->rank == 2 && last_size(input) == weights->sizes[1] && last_size(result) == weights->sizes[0];
    }
    return weights->rank == 4 && input->rank == 4 && result->rank == 4 &&
           result->sizes[channel_dim(node)] == weights->sizes[rl_is_integer_depthwise(node) ? 3 : 0] &&
           (!rl_is_integer_depthwise(node) || weights->sizes[0] == 1);
}

bool rl_is_integer_layer(const struct rl_node *node)
{
    const bool is_wide = rl_is_wide_convolution(node), has_prelu = node->op == RL_OP_rl_quantized_conv2d_prelu;

    if (rl_node_tensor(node, "input")->type.dtype != (is_wide ? RL_INT16 : RL_INT8) ||
        !rl_is_integer_constant(rl_integer_layer_weights(node), RL_INT8) || !fits(node)) {
        return false;
    }
    const int64_t outputs = node->results[0]->type.sizes[channel_dim(node)];
    return is_vector(node, "bias", is_wide ? RL_INT64 : RL_INT32, outputs) &&
           is_vector(node, "kernel_sum", RL_INT32, outputs) &&
           is_vector(node, "requantize_multipliers", RL_INT32, has_prelu ? 2 * outputs : outputs) &&
           is_vector(node, "requantize_shifts", RL_INT32, outputs) && is_offset(node, "input_offset") &&
           is_offset(node, "filter_offset");
}
