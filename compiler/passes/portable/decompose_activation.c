// SPDX-License-Identifier: Apache-2.0
//
// decompose_activation: activations and other functions of single elements without a kernel of their own become
// expressions of operators that have one.
//   needs   canonical operators; quantized operators are lowered
//   keeps   values up to rounding; the name of the result
//   breaks  nothing
//
// Formulas: PyTorch's documentation of each function. softplus, and with it mish and log_sigmoid, is written
//   max(x, 0) + log(1 + exp(-|x|)),
// which does not overflow. Above a threshold PyTorch uses x itself. With the default threshold, and larger ones, this
// makes no difference in float32.
#include <float.h>
#include <math.h>

#include "compiler/passes/passes.h"
#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/gate.h"
#include "compiler/passes/rewrite/rewrite.h"

static struct rl_value *self_of(const struct rl_node *node)
{
    return node->args[0].as.value;
}

static void end_unary(const struct rl_build *at, enum rl_op_id op, struct rl_value *self)
{
    const struct rl_arg args[] = {rl_arg_value(self)};
    rl_build_end(at, op, args, 1);
}

static void end_scalar(const struct rl_build *at, enum rl_op_id op, struct rl_value *self, double number)
{
    const struct rl_arg args[] = {rl_arg_value(self), rl_arg_double(number)};
    rl_build_end(at, op, args, 2);
}

static void end_binary(const struct rl_build *at, enum rl_op_id op, struct rl_value *self, struct rl_value *other)
{
    const struct rl_arg args[] = {rl_arg_value(self), rl_arg_value(other)};
    rl_build_end(at, op, args, 2);
}

static void end_elu(const struct rl_build *at, double alpha, double scale, double input_scale)
{
    const struct rl_arg args[] = {rl_arg_value(self_of(at->node)), rl_arg_double(alpha), rl_arg_double(scale),
                                  rl_arg_double(input_scale)};
    rl_build_end(at, RL_OP_aten_elu, args, 4);
}

static struct rl_value *softplus(const struct rl_build *at, struct rl_value *x)
{
    struct rl_value *size = rl_build_unary(at, RL_OP_aten_abs, x);
    struct rl_value *small = rl_build_unary(at, RL_OP_aten_exp, rl_build_unary(at, RL_OP_aten_neg, size));
    struct rl_value *log = rl_build_unary(at, RL_OP_aten_log, rl_build_scalar(at, RL_OP_aten_add_scalar, small, 1.0));
    return rl_build_binary(at, RL_OP_aten_add, rl_build_unary(at, RL_OP_aten_relu, x), log);
}

// From here on, log(1 + exp(-x)) is less than half a unit in the last place of x.
static const double SOFTPLUS_IS_X = 16.0;

static struct rl_value *condition(const struct rl_build *at, enum rl_op_id op, struct rl_value *self,
                                  struct rl_arg limit)
{
    struct rl_tensor_type truth = self->type;
    truth.dtype = RL_BOOL;
    const struct rl_arg args[] = {rl_arg_value(self), limit};
    return rl_build(at, op, &truth, args, 2);
}

static bool decompose_softplus(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    const double beta = rl_node_number(node, "beta");
    if (beta == 0.0) {
        return rl_decline(pass->graph, node, "softplus with beta 0");
    }
    struct rl_value *scaled = rl_build_scalar(&at, RL_OP_aten_mul_scalar, self_of(node), beta);
    struct rl_value *smooth = softplus(&at, scaled);
    if (rl_node_number(node, "threshold") >= SOFTPLUS_IS_X) {
        end_scalar(&at, RL_OP_aten_div_scalar, smooth, beta);
        return true;
    }
    struct rl_value *above = condition(&at, RL_OP_aten_gt_scalar, scaled, *rl_node_arg(node, "threshold"));
    const struct rl_arg args[] = {rl_arg_value(above), rl_arg_value(self_of(node)),
                                  rl_arg_value(rl_build_scalar(&at, RL_OP_aten_div_scalar, smooth, beta))};
    rl_build_end(&at, RL_OP_aten_where_self, args, 3);
    return true;
}

static bool decompose_log_sigmoid(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *negative = rl_build_unary(&at, RL_OP_aten_neg, self_of(node));
    end_unary(&at, RL_OP_aten_neg, softplus(&at, negative));
    return true;
}

static bool decompose_mish(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *x = self_of(node);
    end_binary(&at, RL_OP_aten_mul, x, rl_build_unary(&at, RL_OP_aten_tanh, softplus(&at, x)));
    return true;
}

static bool decompose_selu(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    end_elu(&at, 1.6732632423543772848, 1.0507009873554804934, 1.0);
    return true;
}

static bool decompose_celu(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    const double alpha = rl_node_number(node, "alpha");
    if (alpha == 0.0) {
        return rl_decline(pass->graph, node, "celu with alpha 0");
    }
    end_elu(&at, alpha, 1.0, 1.0 / alpha);
    return true;
}

// relu(x) - weight * relu(-x), the weights along the channels
static bool decompose_prelu(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *x = self_of(node);
    struct rl_value *weight = rl_node_tensor(node, "weight");
    int64_t sizes[RL_MAX_RANK];
    for (int i = 0; i < x->type.rank; i++) {
        sizes[i] = i == 1 ? rl_tensor_numel(&weight->type) : 1;
    }
    if (x->type.rank < 2 && rl_tensor_numel(&weight->type) != 1) {
        return rl_decline(pass->graph, node, "prelu with channels on a vector");
    }
    weight = rl_build_view(&at, weight, x->type.rank, sizes);
    struct rl_value *below = rl_build_unary(&at, RL_OP_aten_relu, rl_build_unary(&at, RL_OP_aten_neg, x));
    struct rl_value *scaled = rl_build_binary(&at, RL_OP_aten_mul, below, weight);
    end_binary(&at, RL_OP_aten_sub_tensor, rl_build_unary(&at, RL_OP_aten_relu, x), scaled);
    return true;
}

// relu(x) * positive - relu(-x) * negative, the factors along the channels
static bool decompose_two_factors(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *x = self_of(node),
                    *factors[2] = {rl_node_tensor(node, "positive"), rl_node_tensor(node, "negative")};
    int64_t sizes[RL_MAX_RANK];
    for (int sign = 0; sign < 2; sign++) {
        for (int i = 0; i < x->type.rank; i++) {
            sizes[i] = i == 1 ? rl_tensor_numel(&factors[sign]->type) : 1;
        }
        factors[sign] = rl_build_view(&at, factors[sign], x->type.rank, sizes);
    }
    struct rl_value *below = rl_build_unary(&at, RL_OP_aten_relu, rl_build_unary(&at, RL_OP_aten_neg, x));
    struct rl_value *above = rl_build_unary(&at, RL_OP_aten_relu, x);
    below = rl_build_binary(&at, RL_OP_aten_mul, below, factors[1]);
    end_binary(&at, RL_OP_aten_sub_tensor, rl_build_binary(&at, RL_OP_aten_mul, above, factors[0]), below);
    return true;
}

// x - hardtanh(x, -lambd, lambd)
static bool decompose_softshrink(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    const double limit = rl_node_number(node, "lambd");
    struct rl_value *x = self_of(node);
    end_binary(&at, RL_OP_aten_sub_tensor, x, rl_build_hardtanh(&at, x, -limit, limit));
    return true;
}

// 0 where |x| <= lambd
static bool decompose_hardshrink(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *x = self_of(node);
    struct rl_value *size = rl_build_unary(&at, RL_OP_aten_abs, x);
    struct rl_value *is_small = condition(&at, RL_OP_aten_le_scalar, size, *rl_node_arg(node, "lambd"));
    const struct rl_arg args[] = {rl_arg_value(x), rl_arg_value(is_small), rl_arg_double(0.0)};
    rl_build_end(&at, RL_OP_aten_masked_fill_scalar, args, 3);
    return true;
}

// `value` where x <= threshold
static bool decompose_threshold(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *is_small = condition(&at, RL_OP_aten_le_scalar, self_of(node), *rl_node_arg(node, "threshold"));
    const struct rl_arg args[] = {node->args[0], rl_arg_value(is_small), *rl_node_arg(node, "value")};
    rl_build_end(&at, RL_OP_aten_masked_fill_scalar, args, 3);
    return true;
}

static bool decompose_square(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    end_binary(&at, RL_OP_aten_mul, self_of(node), self_of(node));
    return true;
}

// Replaces small powers by products and roots. The others stay powers.
static bool decompose_power(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    const double exponent = rl_node_number(node, "exponent");
    struct rl_value *x = self_of(node);
    if (x->type.dtype != RL_FLOAT32) {
        return false; // a power of integers is exact
    }
    if (exponent == 2.0) {
        end_binary(&at, RL_OP_aten_mul, x, x);
    } else if (exponent == 3.0) {
        end_binary(&at, RL_OP_aten_mul, rl_build_binary(&at, RL_OP_aten_mul, x, x), x);
    } else if (exponent == 4.0) {
        struct rl_value *square = rl_build_binary(&at, RL_OP_aten_mul, x, x);
        end_binary(&at, RL_OP_aten_mul, square, square);
    } else if (exponent == 1.0) {
        end_scalar(&at, RL_OP_aten_mul_scalar, x, 1.0);
    } else if (exponent == 0.5) {
        end_unary(&at, RL_OP_aten_sqrt, x);
    } else if (exponent == -0.5) {
        end_unary(&at, RL_OP_aten_rsqrt, x);
    } else if (exponent == -1.0) {
        end_unary(&at, RL_OP_aten_reciprocal, x);
    } else {
        return false;
    }
    return true;
}

static bool decompose_erfc(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *erf = rl_build_unary(&at, RL_OP_aten_erf, self_of(node));
    end_scalar(&at, RL_OP_aten_add_scalar, rl_build_unary(&at, RL_OP_aten_neg, erf), 1.0);
    return true;
}

// The argument `name`, or what PyTorch takes where it is None.
static double number_or(const struct rl_node *node, const char *name, double none)
{
    return rl_node_arg(node, name)->kind == RL_ARG_NONE ? none : rl_node_number(node, name);
}

// `value` where `condition` holds, else x.
static struct rl_value *fill(const struct rl_build *at, struct rl_value *x, struct rl_value *condition, double value)
{
    const struct rl_arg args[] = {rl_arg_value(x), rl_arg_value(condition), rl_arg_double(value)};
    return rl_build(at, RL_OP_aten_masked_fill_scalar, &x->type, args, 3);
}

static bool decompose_nan_to_num(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *x = self_of(node);
    if (x->type.dtype != RL_FLOAT32) {
        return rl_decline(pass->graph, node, "elements of another type than float32");
    }
    struct rl_tensor_type truth = x->type;
    truth.dtype = RL_BOOL;
    struct rl_value *is_nan = rl_build(&at, RL_OP_aten_isnan, &truth, node->args, 1);
    struct rl_value *is_high = condition(&at, RL_OP_aten_eq_scalar, x, rl_arg_double((double)INFINITY));
    struct rl_value *is_low = condition(&at, RL_OP_aten_eq_scalar, x, rl_arg_double((double)-INFINITY));
    struct rl_value *known = fill(&at, x, is_nan, number_or(node, "nan", 0.0));
    struct rl_value *below = fill(&at, known, is_high, number_or(node, "posinf", (double)FLT_MAX));
    const struct rl_arg args[] = {rl_arg_value(below), rl_arg_value(is_low),
                                  rl_arg_double(number_or(node, "neginf", (double)-FLT_MAX))};
    rl_build_end(&at, RL_OP_aten_masked_fill_scalar, args, 3);
    return true;
}

enum rl_status rl_pass_decompose_activation(struct rl_pass *pass)
{
    static const struct rl_lowering table[] = {
        {RL_OP_aten_softplus, decompose_softplus},
        {RL_OP_aten_log_sigmoid, decompose_log_sigmoid},
        {RL_OP_aten_mish, decompose_mish},
        {RL_OP_aten_selu, decompose_selu},
        {RL_OP_aten_celu, decompose_celu},
        {RL_OP_aten_prelu, decompose_prelu},
        {RL_OP_rl_prelu, decompose_two_factors},
        {RL_OP_aten_softshrink, decompose_softshrink},
        {RL_OP_aten_glu, rl_decompose_glu},
        {RL_OP_aten_square, decompose_square},
        {RL_OP_aten_pow_tensor_scalar, decompose_power},
        {RL_OP_aten_hardshrink, decompose_hardshrink},
        {RL_OP_aten_threshold, decompose_threshold},
        {RL_OP_aten_erfc, decompose_erfc},
        {RL_OP_aten_nan_to_num, decompose_nan_to_num},
    };
    rl_lower_table(pass, table, sizeof table / sizeof table[0]);
    return RL_OK;
}
