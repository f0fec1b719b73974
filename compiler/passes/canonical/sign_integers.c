// SPDX-License-Identifier: Apache-2.0
//
// sign_integers: values that another quantizer put on grids of uint8 move to the same grids of int8.
//   needs   functional operators (functionalize): what nothing reads is removed
//   keeps   values, exactly: integers, zero points and ranges are 128 less
//   breaks  nothing
//
// The integers of a quantize node move only if dequantize nodes alone read them. A model that returns them or computes
// with them keeps uint8.
#include "compiler/passes/passes.h"

#include "compiler/passes/rewrite/match.h"
#include "compiler/passes/rewrite/rewrite.h"

enum { EXCESS = 128 };

static bool is_unsigned(const struct rl_node *node)
{
    return rl_node_int(node, "dtype") == RL_UINT8 && rl_node_int(node, "quant_min") >= 0 &&
           rl_node_int(node, "quant_max") >= 0 && rl_node_int(node, "quant_max") <= UINT8_MAX &&
           rl_node_int(node, "zero_point") >= INT32_MIN && rl_node_int(node, "zero_point") <= INT32_MAX;
}

static bool only_dequantized(const struct rl_graph *graph, const struct rl_value *value)
{
    for (const struct rl_node *node = graph->first; node; node = node->next) {
        const bool dequantizes = rl_op_get(node->op)->dequantizes && rl_node_tensor(node, "input") == value;
        if (rl_node_use_count(node, value) != (dequantizes ? 1 : 0) || (dequantizes && !is_unsigned(node))) {
            return false;
        }
    }
    return !rl_value_is_output(graph, value);
}

static void move_grid(struct rl_node *node)
{
    static const char *const numbers[] = {"zero_point", "quant_min", "quant_max"};
    for (int i = 0; i < 3; i++) {
        rl_node_set(node, numbers[i], rl_arg_int(rl_node_int(node, numbers[i]) - EXCESS));
    }
    rl_node_set(node, "dtype", rl_arg_int(RL_INT8));
}

static void move_readers(struct rl_graph *graph, const struct rl_value *value)
{
    for (struct rl_node *node = graph->first; node; node = node->next) {
        if (rl_op_get(node->op)->dequantizes && rl_node_tensor(node, "input") == value) {
            move_grid(node);
        }
    }
}

static bool sign_result(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_value *integers = node->results[0];
    if (!is_unsigned(node) || !only_dequantized(pass->graph, integers)) {
        return false;
    }
    move_grid(node);
    move_readers(pass->graph, integers);
    integers->type.dtype = RL_INT8;
    return true;
}

// A constant is read by one dequantize node at a time, so that each gets integers of its own.
static bool sign_constant(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_value *constant = rl_node_tensor(node, "input");
    if (constant->kind != RL_VALUE_CONSTANT || constant->type.dtype != RL_UINT8 || !is_unsigned(node)) {
        return false;
    }
    const int64_t count = rl_tensor_numel(&constant->type);
    const uint8_t *from = constant->data;
    int8_t *data = rl_arena_array(graph->arena, (size_t)count, 1);
    for (int64_t i = 0; i < count; i++) {
        data[i] = (int8_t)(from[i] - EXCESS);
    }
    struct rl_tensor_type type = constant->type;
    type.dtype = RL_INT8;
    move_grid(node);
    rl_node_set(node, "input", rl_arg_value(rl_graph_take_constant(graph, constant->name, &type, data)));
    return true;
}

enum rl_status rl_pass_sign_integers(struct rl_pass *pass)
{
    static const struct rl_lowering table[] = {
        {RL_OP_qd_quantize_per_tensor, sign_result},
        {RL_OP_qd_dequantize_per_tensor, sign_constant},
    };
    rl_lower_table(pass, table, sizeof table / sizeof table[0]);
    return RL_OK;
}
