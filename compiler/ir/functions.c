// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/functions.h"

#include <math.h>
#include <string.h>

#include "runtime/math/functions.h"

// ---- of one operand

static double hardsigmoid(double x)
{
    return fmin(fmax(x + 3.0, 0.0), 6.0) / 6.0;
}

static double silu(double x)
{
    return x * rl_math_sigmoid(x);
}

static double hardswish(double x)
{
    return x * hardsigmoid(x);
}

static double mish(double x)
{
    return x * rl_math_tanh(rl_math_log1p(rl_math_exp(x)));
}

static double selu(double x)
{
    return 1.0507009873554804934 * (x > 0.0 ? x : 1.6732632423543772848 * rl_math_expm1(x));
}

static double log_sigmoid(double x)
{
    return fmin(x, 0.0) - rl_math_log1p(rl_math_exp(-fabs(x)));
}

static double negative(double x)
{
    return -x;
}

static double inverse(double x)
{
    return 1.0 / x;
}

static double inverse_root(double x)
{
    return 1.0 / sqrt(x);
}

static double square(double x)
{
    return x * x;
}

static double fraction(double x)
{
    return x - trunc(x);
}

static double sign(double x)
{
    return x == 0.0 ? 0.0 : copysign(1.0, x);
}

// ---- of one operand and of numbers among the arguments

static double gelu(const struct rl_node *node, double x)
{
    if (strcmp(rl_node_arg(node, "approximate")->as.string, "tanh") == 0) {
        return 0.5 * x * (1.0 + rl_math_tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x)));
    }
    return 0.5 * x * (1.0 + rl_math_erf(x / 1.41421356237309504880));
}

static double leaky_relu(const struct rl_node *node, double x)
{
    return x > 0.0 ? x : x * rl_node_number(node, "negative_slope");
}

static double elu(const struct rl_node *node, double x)
{
    const double alpha = rl_node_number(node, "alpha");
    const double scale = rl_node_number(node, "scale");
    return x > 0.0 ? scale * x : scale * alpha * rl_math_expm1(x * rl_node_number(node, "input_scale"));
}

static double softplus(const struct rl_node *node, double x)
{
    const double beta = rl_node_number(node, "beta");
    return x * beta > rl_node_number(node, "threshold") ? x : rl_math_log1p(rl_math_exp(x * beta)) / beta;
}

static double celu(const struct rl_node *node, double x)
{
    return x > 0.0 ? x : rl_node_number(node, "alpha") * rl_math_expm1(x / rl_node_number(node, "alpha"));
}

static double softshrink(const struct rl_node *node, double x)
{
    const double limit = rl_node_number(node, "lambd");
    return fabs(x) <= limit ? 0.0 : x - copysign(limit, x);
}

static double hardshrink(const struct rl_node *node, double x)
{
    return fabs(x) <= rl_node_number(node, "lambd") ? 0.0 : x;
}

static double subtract_from_number(const struct rl_node *node, double x)
{
    return rl_node_number(node, "other") - rl_node_number(node, "alpha") * x;
}

static double power(const struct rl_node *node, double x)
{
    return rl_math_pow(x, rl_node_number(node, "exponent"));
}

static double power_of_number(const struct rl_node *node, double x)
{
    return rl_math_pow(rl_node_number(node, "self"), x);
}

static double logit(const struct rl_node *node, double x)
{
    const bool has_limit = rl_node_arg(node, "eps")->kind != RL_ARG_NONE;
    const double limit = has_limit ? rl_node_number(node, "eps") : 0.0;
    const double inside = has_limit ? fmin(fmax(x, limit), 1.0 - limit) : x;
    return rl_math_log(inside / (1.0 - inside));
}

static double threshold(const struct rl_node *node, double x)
{
    return x > rl_node_number(node, "threshold") ? x : rl_node_number(node, "value");
}

static double fmod_of_number(const struct rl_node *node, double x)
{
    return fmod(x, rl_node_number(node, "other"));
}

// With the sign of the divisor.
static double remainder_of_number(const struct rl_node *node, double x)
{
    const double divisor = rl_node_number(node, "other");
    const double rest = fmod(x, divisor);
    return rest != 0.0 && (rest < 0.0) != (divisor < 0.0) ? rest + divisor : rest;
}

// ---- of two operands

static double sum(double self, double other)
{
    return self + other;
}

static double difference(double self, double other)
{
    return self - other;
}

static double product(double self, double other)
{
    return self * other;
}

static double quotient(double self, double other)
{
    return self / other;
}

static double prelu(double self, double slope)
{
    return self > 0.0 ? self : self * slope;
}

// ---- functions.def as a table

enum { BEST, STOCK, EXACT };
enum { ANYWHERE, SECOND };

const struct rl_function rl_functions[] = {
#define RL_FUNCTION(id, function, quantizer)                                                                           \
    {.op = RL_OP_##id, .name = #function, .of = function, .in_stock = quantizer == STOCK, .exact = quantizer == EXACT},
#define RL_FUNCTION_OF_MATH(id, function, quantizer)                                                                   \
    {.op = RL_OP_##id, .name = #function, .of = rl_math_##function, .in_stock = quantizer == STOCK},
#define RL_FUNCTION_OF_NODE(id, function, quantizer)                                                                   \
    {.op = RL_OP_##id,                                                                                                 \
     .name = #function,                                                                                                \
     .of_node = function,                                                                                              \
     .in_stock = quantizer == STOCK,                                                                                   \
     .exact = quantizer == EXACT},
#define RL_FUNCTION_WITH_NUMBER(id, function, position)                                                                \
    {.op = RL_OP_##id, .name = #function, .of_two = function, .number_second = position},
#include "compiler/ir/functions.def"
};

const size_t rl_function_count = sizeof rl_functions / sizeof rl_functions[0];

const struct rl_function *rl_function_find(enum rl_op_id op)
{
    for (size_t i = 0; i < rl_function_count; i++) {
        if (rl_functions[i].op == op) {
            return &rl_functions[i];
        }
    }
    return NULL;
}

bool rl_function_is_smooth(enum rl_op_id op)
{
    const struct rl_function *function = rl_function_find(op);
    return function ? !function->exact : rl_op_get(op)->layer == RL_LAYER_CLAMP;
}

bool rl_node_is_smooth_function(const struct rl_node *node)
{
    const struct rl_function *function = rl_function_find(node->op);
    int variables = 0;
    bool has_number = false;
    for (int i = 0; i < node->arg_count; i++) {
        if (node->args[i].kind != RL_ARG_VALUE) {
            continue;
        }
        const struct rl_value *value = node->args[i].as.value;
        const bool is_number = value->kind == RL_VALUE_CONSTANT && rl_tensor_numel(&value->type) == 1;
        has_number = has_number || is_number;
        variables += is_number ? 0 : 1;
    }
    return function && !function->exact && variables == 1 && (!function->of_two || has_number) &&
           rl_op_get(node->op)->layer != RL_LAYER_CLAMP;
}

double rl_function_value(const struct rl_function *function, const struct rl_node *node, double x)
{
    return function->of ? function->of(x) : function->of_node(node, x);
}

double rl_function_of_two(const struct rl_function *function, const struct rl_node *node, double self, double other)
{
    const bool has_alpha = rl_op_argument(rl_op_get(node->op), "alpha") >= 0;
    return function->of_two(self, has_alpha ? rl_node_number(node, "alpha") * other : other);
}
