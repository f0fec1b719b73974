// SPDX-License-Identifier: Apache-2.0
//
// lower_quantize: the quantize and dequantize nodes that are left become cortex_m ones.
//   needs   every integer lowering done
//   keeps   names and values
//   breaks  nothing
//
// Constants that are dequantized (weights of an operator that stayed in floating point) become float32 constants.
#include "compiler/passes/passes.h"

#include "compiler/passes/rewrite/match.h"
#include "compiler/passes/rewrite/rewrite.h"

// Whether the runtime's operators know the type.
static bool is_known(const struct rl_grid *grid)
{
    return (grid->dtype == RL_INT8 && grid->min >= INT8_MIN && grid->max <= INT8_MAX) ||
           (grid->dtype == RL_INT16 && grid->min >= INT16_MIN && grid->max <= INT16_MAX);
}

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

static bool is_int32(int64_t number)
{
    return number >= INT32_MIN && number <= INT32_MAX;
}

static bool is_integer_constant(const struct rl_value *value)
{
    if (value->kind != RL_VALUE_CONSTANT) {
        return false;
    }
    const enum rl_scalar_type dtype = value->type.dtype;
    return dtype == RL_INT8 || dtype == RL_UINT8 || dtype == RL_INT16 || dtype == RL_INT32;
}

// Writes (integer - zero_point) * scale over the constant, in place of the node.
static void replace_by_floats(struct rl_graph *graph, struct rl_node *node, const float *data)
{
    const struct rl_value *constant = rl_node_tensor(node, "input");
    struct rl_tensor_type type = constant->type;
    type.dtype = RL_FLOAT32;
    rl_replace_node(graph, node, rl_graph_take_constant(graph, constant->name, &type, data));
}

static bool lower_dequantize(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    struct rl_grid grid;
    const struct rl_value *input = rl_node_tensor(node, "input");
    rl_is_dequantize(node, &grid);
    if (is_integer_constant(input) && is_int32(grid.zero_point)) {
        const int64_t count = rl_tensor_numel(&input->type);
        float *data = rl_arena_array(graph->arena, (size_t)count, sizeof *data);
        for (int64_t i = 0; i < count; i++) {
            data[i] = (float)(integer_at(input, i) - grid.zero_point) * (float)grid.scale;
        }
        replace_by_floats(graph, node, data);
        return true;
    }
    if (!is_known(&grid)) {
        return rl_decline(graph, node, "dequantizes another type than int8 and int16");
    }
    const struct rl_node old = *node;
    rl_node_become(graph, node, RL_OP_cm_dequantize_per_tensor);
    for (int i = 0; i < node->arg_count; i++) {
        node->args[i] = *rl_node_arg(&old, rl_op_get(node->op)->args[i].name);
    }
    return true;
}

// torchao writes observed zero points as int64, and those that it derives for a bias as int32.
static bool are_zero_points(const struct rl_value *value, int64_t channels)
{
    return value->kind == RL_VALUE_CONSTANT && (value->type.dtype == RL_INT64 || value->type.dtype == RL_INT32) &&
           rl_tensor_numel(&value->type) == channels;
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

static bool lower_dequantize_per_channel(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_value *input = rl_node_tensor(node, "input");
    const struct rl_value *scales = rl_node_tensor(node, "scales");
    const struct rl_value *zero_points = rl_node_tensor(node, "zero_points");
    const int axis = rl_dim_normalized(rl_node_int(node, "axis"), input->type.rank);
    if (!is_integer_constant(input) || axis < 0 || scales->kind != RL_VALUE_CONSTANT ||
        scales->type.dtype != RL_FLOAT32 || rl_tensor_numel(&scales->type) != input->type.sizes[axis] ||
        (zero_points && !are_zero_points(zero_points, input->type.sizes[axis]))) {
        return rl_decline(graph, node, "dequantizes per channel something that is not constant");
    }
    int64_t inner = 1;
    for (int d = axis + 1; d < input->type.rank; d++) {
        inner *= input->type.sizes[d];
    }
    const int64_t count = rl_tensor_numel(&input->type);
    float *data = rl_arena_array(graph->arena, (size_t)count, sizeof *data);
    for (int64_t i = 0; i < count; i++) {
        const int64_t channel = i / inner % input->type.sizes[axis];
        const int64_t offset = rl_constant_offset(input, i);
        data[offset] = (float)(integer_at(input, offset) - channel_zero_point(zero_points, channel)) *
                       ((const float *)scales->data)[channel];
    }
    replace_by_floats(graph, node, data);
    return true;
}

static bool lower_quantize(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_grid grid;
    rl_is_quantize(node, &grid);
    if (!is_known(&grid)) {
        return rl_decline(pass->graph, node, "quantizes to another type than int8 and int16");
    }
    node->op = RL_OP_cm_quantize_per_tensor; // the schemas are the same
    return true;
}

enum rl_status rl_pass_lower_quantize(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_qd_dequantize_per_tensor, lower_dequantize);
    rl_lower_each(pass, RL_OP_qd_dequantize_per_channel, lower_dequantize_per_channel);
    rl_lower_each(pass, RL_OP_qd_quantize_per_tensor, lower_quantize);
    return RL_OK;
}
