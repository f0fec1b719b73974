// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/factor.h"

#include <math.h>

// The number that an argument holds, if the other one has the sizes of the result.
static bool read_number(const struct rl_node *node, int argument, double *number)
{
    const struct rl_arg *arg = &node->args[argument], *other = &node->args[1 - argument];
    if (arg->kind != RL_ARG_VALUE || other->kind != RL_ARG_VALUE) {
        return false;
    }
    const struct rl_value *value = arg->as.value;
    if (value->kind != RL_VALUE_CONSTANT || rl_value_is_state(value) || value->type.dtype != RL_FLOAT32 ||
        rl_tensor_numel(&value->type) != 1 || !rl_tensor_same_sizes(&other->as.value->type, &node->results[0]->type)) {
        return false;
    }
    *number = (double)*(const float *)value->data;
    return true;
}

bool rl_read_factor(const struct rl_node *node, int *operand, double *factor)
{
    const bool divides = node->op == RL_OP_aten_div_tensor;
    if (node->op != RL_OP_aten_mul && !divides) {
        return false;
    }
    double number;
    const bool is_second = read_number(node, 1, &number);
    if (!is_second && (divides || !read_number(node, 0, &number))) {
        return false;
    }
    *operand = is_second ? 0 : 1;
    *factor = divides ? 1.0 / number : number;
    return *factor > 0.0 && isfinite(*factor) && node->args[*operand].as.value->type.dtype == RL_FLOAT32;
}
