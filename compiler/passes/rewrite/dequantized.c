// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/rewrite/dequantized.h"

#include "compiler/passes/rewrite/match.h"
#include "compiler/passes/rewrite/rewrite.h"

static int64_t integer_at(const struct rl_value *constant, int64_t index)
{
    switch (constant->type.dtype) {
    case RL_INT8:
        return ((const int8_t *)constant->data)[index];
    case RL_UINT8:
        return ((const uint8_t *)constant->data)[index];
    case RL_INT16:
        return ((const int16_t *)constant->data)[index];
    case RL_INT64:
        return ((const int64_t *)constant->data)[index];
    default:
        return ((const int32_t *)constant->data)[index];
    }
}

static bool is_integer_constant(const struct rl_value *value)
{
    if (value->kind != RL_VALUE_CONSTANT) {
        return false;
    }
    const enum rl_scalar_type dtype = value->type.dtype;
    return dtype == RL_INT8 || dtype == RL_UINT8 || dtype == RL_INT16 || dtype == RL_INT32;
}

// torchao writes observed zero points as int64, and those that it derives for a bias as int32.
static bool are_zero_points(const struct rl_value *value, int64_t channels)
{
    return value->kind == RL_VALUE_CONSTANT && (value->type.dtype == RL_INT64 || value->type.dtype == RL_INT32) &&
           rl_tensor_numel(&value->type) == channels;
}

static int channel_axis(const struct rl_node *node)
{
    return rl_dim_normalized(rl_node_int(node, "axis"), rl_node_tensor(node, "input")->type.rank);
}

bool rl_dequantizes_constant(const struct rl_node *node)
{
    const struct rl_value *input = rl_node_tensor(node, "input");
    if (!is_integer_constant(input)) {
        return false;
    }
    if (node->op != RL_OP_qd_dequantize_per_channel) {
        struct rl_grid grid;
        return rl_is_dequantize(node, &grid) && grid.zero_point >= INT32_MIN && grid.zero_point <= INT32_MAX;
    }
    const int axis = channel_axis(node);
    const struct rl_value *scales = rl_node_tensor(node, "scales");
    const struct rl_value *zero_points = rl_node_tensor(node, "zero_points");
    return axis >= 0 && scales->kind == RL_VALUE_CONSTANT && scales->type.dtype == RL_FLOAT32 &&
           rl_tensor_numel(&scales->type) == input->type.sizes[axis] &&
           (!zero_points || are_zero_points(zero_points, input->type.sizes[axis]));
}

// The zero point of one channel, clamped to int32.
static int64_t channel_zero_point(const struct rl_value *zero_points, int64_t channel)
{
    const int64_t found = zero_points ? integer_at(zero_points, channel) : 0;
    if (found < INT32_MIN) {
        return INT32_MIN;
    }
    return found > INT32_MAX ? INT32_MAX : found;
}

static void dequantize_channels(const struct rl_node *node, float *data)
{
    const struct rl_value *input = rl_node_tensor(node, "input");
    const struct rl_value *zero_points = rl_node_tensor(node, "zero_points");
    const float *scales = rl_node_tensor(node, "scales")->data;
    const int64_t count = rl_tensor_numel(&input->type);
    const int axis = channel_axis(node);
    int64_t inner = 1;
    for (int d = axis + 1; d < input->type.rank; d++) {
        inner *= input->type.sizes[d];
    }
    const bool is_in_order = rl_tensor_is_contiguous(&input->type);
    for (int64_t first = 0; first < count; first += inner) {
        const int64_t channel = first / inner % input->type.sizes[axis];
        const int64_t zero_point = channel_zero_point(zero_points, channel);
        for (int64_t i = first; i < first + inner; i++) {
            const int64_t offset = is_in_order ? i : rl_constant_offset(input, i);
            data[offset] = (float)(integer_at(input, offset) - zero_point) * scales[channel];
        }
    }
}

void rl_dequantize_constant(const struct rl_node *node, float *data)
{
    const struct rl_value *input = rl_node_tensor(node, "input");
    struct rl_grid grid;
    if (node->op == RL_OP_qd_dequantize_per_channel) {
        dequantize_channels(node, data);
        return;
    }
    rl_is_dequantize(node, &grid);
    for (int64_t i = 0; i < rl_tensor_numel(&input->type); i++) {
        data[i] = (float)(integer_at(input, i) - grid.zero_point) * (float)grid.scale;
    }
}
