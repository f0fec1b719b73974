// SPDX-License-Identifier: Apache-2.0
//
// lower_activation: quantized functions of one element become cortex_m::quantized_activation, a look-up in a table of
// 256 results. Sums and products with a constant number are among them.
//   needs   relu and clamps fused into the quantize node (fuse_activation)
//   keeps   values: each is the nearest to the function of the real number; the name of the quantized value
//   breaks  nothing
//
// Entry i of the table is the result for the integer i - 128: the function in double precision, divided by the output's
// scale, rounded half away from zero, plus the zero point, clamped to the range of the quantize node (ExecuTorch
// backends/cortex_m/passes/passes_utils.py, build_activation_lut).
#include "compiler/passes/passes.h"

#include <math.h>
#include <string.h>

#include "compiler/passes/rewrite/match.h"
#include "compiler/passes/rewrite/rewrite.h"

enum { TABLE_SIZE = 256 };

static double sigmoid(double x)
{
    if (x >= 0.0) {
        return 1.0 / (1.0 + exp(-x));
    }
    const double e = exp(x);
    return e / (1.0 + e);
}

static double gelu(const struct rl_node *node, double x)
{
    if (strcmp(rl_node_arg(node, "approximate")->as.string, "tanh") == 0) {
        return 0.5 * x * (1.0 + tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x)));
    }
    return 0.5 * x * (1.0 + erf(x / 1.41421356237309504880));
}

static double ramp(double x)
{
    return fmin(fmax(x + 3.0, 0.0), 6.0) / 6.0;
}

static double elu(const struct rl_node *node, double x)
{
    const double alpha = rl_node_number(node, "alpha");
    const double scale = rl_node_number(node, "scale");
    return x > 0.0 ? scale * x : scale * alpha * expm1(x * rl_node_number(node, "input_scale"));
}

static double softplus(const struct rl_node *node, double x)
{
    const double beta = rl_node_number(node, "beta");
    return x * beta > rl_node_number(node, "threshold") ? x : log1p(exp(x * beta)) / beta;
}

static double shrink(const struct rl_node *node, double x)
{
    const double limit = rl_node_number(node, "lambd");
    if (fabs(x) <= limit) {
        return 0.0;
    }
    return node->op == RL_OP_aten_hardshrink ? x : x - copysign(limit, x);
}

static double evaluate(const struct rl_node *node, double x)
{
    switch (node->op) {
    case RL_OP_aten_sigmoid:
        return sigmoid(x);
    case RL_OP_aten_tanh:
        return tanh(x);
    case RL_OP_aten_silu:
        return x * sigmoid(x);
    case RL_OP_aten_gelu:
        return gelu(node, x);
    case RL_OP_aten_hardsigmoid:
        return ramp(x);
    case RL_OP_aten_hardswish:
        return x * ramp(x);
    case RL_OP_aten_leaky_relu:
        return x > 0.0 ? x : x * rl_node_number(node, "negative_slope");
    case RL_OP_aten_elu:
        return elu(node, x);
    case RL_OP_aten_softplus:
        return softplus(node, x);
    case RL_OP_aten_mish:
        return x * tanh(log1p(exp(x)));
    case RL_OP_aten_selu:
        return 1.0507009873554804934 * (x > 0.0 ? x : 1.6732632423543772848 * expm1(x));
    case RL_OP_aten_celu:
        return x > 0.0 ? x : rl_node_number(node, "alpha") * expm1(x / rl_node_number(node, "alpha"));
    case RL_OP_aten_log_sigmoid:
        return fmin(x, 0.0) - log1p(exp(-fabs(x)));
    case RL_OP_aten_softshrink:
    case RL_OP_aten_hardshrink:
        return shrink(node, x);
    case RL_OP_aten_abs:
        return fabs(x);
    case RL_OP_aten_neg:
        return -x;
    case RL_OP_aten_rsub_scalar:
        return rl_node_number(node, "other") - rl_node_number(node, "alpha") * x;
    default:
        return NAN;
    }
}

// An operator on an activation and a constant number.
struct arithmetic {
    double number;
    bool number_first;
};

static double combine(const struct rl_node *node, double x, const struct arithmetic *with)
{
    const double self = with->number_first ? with->number : x;
    const double other = with->number_first ? x : with->number;
    switch (node->op) {
    case RL_OP_aten_add:
        return self + rl_node_number(node, "alpha") * other;
    case RL_OP_aten_sub_tensor:
        return self - rl_node_number(node, "alpha") * other;
    case RL_OP_aten_mul:
        return self * other;
    case RL_OP_aten_div_tensor:
        return self / other;
    case RL_OP_aten_prelu:
        return x > 0.0 ? x : x * with->number;
    default:
        return NAN;
    }
}

// `with` is NULL for functions of one operand.
static int8_t entry(const struct rl_match *match, const struct arithmetic *with, int index)
{
    const struct rl_grid *input = &match->operands[0].grid, *output = &match->output;
    const double x = input->scale * (double)(index + INT8_MIN - input->zero_point);
    const double y = with ? combine(match->node, x, with) : evaluate(match->node, x);
    const double rounded = round(y / output->scale) + (double)output->zero_point;
    if (!(rounded > (double)output->min)) {
        return (int8_t)output->min;
    }
    return (int8_t)(rounded < (double)output->max ? rounded : (double)output->max);
}

static bool become_table(struct rl_graph *graph, struct rl_node *node, const struct rl_match *match,
                         const struct arithmetic *with)
{
    static const int64_t sizes[1] = {TABLE_SIZE};
    int8_t table[TABLE_SIZE];
    if (!rl_tensor_same_sizes(&match->operands[0].value->type, &node->results[0]->type)) {
        return rl_decline(graph, node, "a result of another size than its input");
    }
    for (int i = 0; i < TABLE_SIZE; i++) {
        table[i] = entry(match, with, i);
    }
    const struct rl_tensor_type type = rl_tensor_type_make(RL_INT8, 1, sizes);
    struct rl_value *constant =
        rl_graph_add_constant(graph, rl_arena_format(graph->arena, "%s_table", node->name), &type, table);
    struct rl_node *lowered = rl_match_replace(graph, match, RL_OP_cm_quantized_activation);
    rl_node_set(lowered, "input", rl_arg_value(match->operands[0].value));
    rl_node_set(lowered, "lut", rl_arg_value(constant));
    return true;
}

static bool lower_activation(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_match match;
    return rl_match(pass->graph, node, 1, &match) && become_table(pass->graph, node, &match, NULL);
}

// Whether the argument is a constant of one element, dequantized or not.
static bool read_number(const struct rl_arg *arg, double *number)
{
    struct rl_grid grid;
    const struct rl_value *value = arg->kind == RL_ARG_VALUE ? arg->as.value : NULL;
    const struct rl_value *integers = rl_int8_behind(value, &grid);
    const struct rl_value *constant = integers ? integers : value;
    if (!constant || constant->kind != RL_VALUE_CONSTANT || rl_tensor_numel(&constant->type) != 1) {
        return false;
    }
    if (integers) {
        *number = grid.scale * (double)(*(const int8_t *)constant->data - grid.zero_point);
        return true;
    }
    *number = constant->type.dtype == RL_FLOAT32 ? (double)*(const float *)constant->data : NAN;
    return constant->type.dtype == RL_FLOAT32;
}

// A sum, difference, product or quotient with a constant number is a function of one operand.
static bool lower_arithmetic(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_match match;
    struct arithmetic with = {.number_first = false};
    if (!read_number(&node->args[1], &with.number)) {
        with.number_first = true;
        if (node->op == RL_OP_aten_div_tensor || node->op == RL_OP_aten_prelu ||
            !read_number(&node->args[0], &with.number)) {
            return false;
        }
    }
    return rl_match_argument(pass->graph, node, with.number_first ? 1 : 0, &match) &&
           become_table(pass->graph, node, &match, &with);
}

enum rl_status rl_pass_lower_activation(struct rl_pass *pass)
{
    static const enum rl_op_id functions[] = {
        RL_OP_aten_sigmoid,     RL_OP_aten_tanh,        RL_OP_aten_silu,       RL_OP_aten_gelu,
        RL_OP_aten_hardsigmoid, RL_OP_aten_hardswish,   RL_OP_aten_leaky_relu, RL_OP_aten_elu,
        RL_OP_aten_softplus,    RL_OP_aten_mish,        RL_OP_aten_selu,       RL_OP_aten_celu,
        RL_OP_aten_log_sigmoid, RL_OP_aten_softshrink,  RL_OP_aten_hardshrink, RL_OP_aten_abs,
        RL_OP_aten_neg,         RL_OP_aten_rsub_scalar,
    };
    static const enum rl_op_id with_numbers[] = {
        RL_OP_aten_add, RL_OP_aten_sub_tensor, RL_OP_aten_mul, RL_OP_aten_div_tensor, RL_OP_aten_prelu,
    };
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        rl_lower_each(pass, functions[i], lower_activation);
    }
    for (size_t i = 0; i < sizeof with_numbers / sizeof with_numbers[0]; i++) {
        rl_lower_each(pass, with_numbers[i], lower_arithmetic);
    }
    return RL_OK;
}
