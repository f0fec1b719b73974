// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/lower/number.h"

#include <math.h>

#include "compiler/passes/rewrite/match.h"

// Whether the argument is a constant of one element, dequantized or not.
static bool read_number(const struct rl_arg *arg, double *number)
{
    struct rl_grid grid;
    const struct rl_value *value = arg->kind == RL_ARG_VALUE ? arg->as.value : NULL;
    const struct rl_value *integers = rl_integers_behind(value, &grid);
    const struct rl_value *constant = integers ? integers : value;
    if (!constant || constant->kind != RL_VALUE_CONSTANT || rl_tensor_numel(&constant->type) != 1) {
        return false;
    }
    if (integers) {
        const bool is_wide = constant->type.dtype == RL_INT16;
        const int integer = is_wide ? *(const int16_t *)constant->data : *(const int8_t *)constant->data;
        *number = grid.scale * (double)(integer - grid.zero_point);
        return true;
    }
    *number = constant->type.dtype == RL_FLOAT32 ? (double)*(const float *)constant->data : NAN;
    return constant->type.dtype == RL_FLOAT32;
}

bool rl_read_number_function(const struct rl_node *node, const struct rl_function *function,
                             struct rl_number_function *result)
{
    *result = (struct rl_number_function){.function = function, .node = node};
    if (!function->of_two) {
        result->operand = node->args[0].kind == RL_ARG_VALUE ? 0 : 1; // the first tensor
        return true;
    }
    if (read_number(&node->args[1], &result->number)) {
        return true;
    }
    result->operand = 1;
    return !function->number_second && read_number(&node->args[0], &result->number);
}

static double bound(const struct rl_node *node, int argument, double none)
{
    return node->args[argument].kind == RL_ARG_NONE ? none
                                                    : rl_node_number(node, rl_op_get(node->op)->args[argument].name);
}

// relu has no arguments for bounds. The others have both.
bool rl_read_clamp(const struct rl_node *node, struct rl_bounds *bounds)
{
    if (rl_op_get(node->op)->layer != RL_LAYER_CLAMP) {
        return false;
    }
    if (node->arg_count == 1) {
        *bounds = (struct rl_bounds){0.0, INFINITY};
    } else {
        *bounds = (struct rl_bounds){bound(node, 1, -INFINITY), bound(node, 2, INFINITY)};
    }
    return true;
}

double rl_number_function_of(const struct rl_number_function *function, double x)
{
    if (!function->function->of_two) {
        return rl_function_value(function->function, function->node, x);
    }
    return function->operand == 1 ? rl_function_of_two(function->function, function->node, function->number, x)
                                  : rl_function_of_two(function->function, function->node, x, function->number);
}
