// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/rewrite/expression.h"

struct rl_node *rl_producer_of(const struct rl_value *value, enum rl_op_id op)
{
    const bool is_made = value && value->kind == RL_VALUE_RESULT && value->producer->op == op;
    return is_made ? value->producer : NULL;
}

bool rl_read_pair(const struct rl_value *value, enum rl_op_id op, struct rl_value **self, struct rl_value **other)
{
    struct rl_node *node = rl_producer_of(value, op);
    if (!node || node->args[0].kind != RL_ARG_VALUE || node->args[1].kind != RL_ARG_VALUE) {
        return false;
    }
    const int alpha = rl_op_argument(rl_op_get(op), "alpha");
    if (alpha >= 0 && (node->args[alpha].kind != RL_ARG_INT || node->args[alpha].as.integer != 1)) {
        return false;
    }
    *self = node->args[0].as.value;
    *other = node->args[1].as.value;
    return true;
}

struct rl_value *rl_root_of_square(const struct rl_value *value)
{
    struct rl_value *self, *other;
    struct rl_node *node;
    if (rl_read_pair(value, RL_OP_aten_mul, &self, &other)) {
        return self == other ? self : NULL;
    }
    node = rl_producer_of(value, RL_OP_aten_square);
    if (node) {
        return rl_node_tensor(node, "self");
    }
    node = rl_producer_of(value, RL_OP_aten_pow_tensor_scalar);
    return node && rl_node_number(node, "exponent") == 2.0 ? rl_node_tensor(node, "self") : NULL;
}

bool rl_is_float_constant(const struct rl_value *value)
{
    return value && value->kind == RL_VALUE_CONSTANT && value->type.dtype == RL_FLOAT32 && !rl_value_is_state(value);
}

bool rl_is_float_number(const struct rl_value *value)
{
    return rl_is_float_constant(value) && rl_tensor_numel(&value->type) == 1;
}

bool rl_read_epsilon(const struct rl_value *sum, struct rl_value **rest, double *epsilon)
{
    struct rl_value *self, *other;
    if (!rl_read_pair(sum, RL_OP_aten_add, &self, &other)) {
        return false;
    }
    const struct rl_value *number = rl_is_float_number(other) ? other : self;
    if (!rl_is_float_number(number)) {
        return false;
    }
    *rest = number == other ? self : other;
    *epsilon = (double)*(const float *)number->data;
    return *epsilon >= 0.0;
}
