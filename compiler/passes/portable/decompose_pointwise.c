// SPDX-License-Identifier: Apache-2.0
//
// decompose_pointwise: functions of two or more tensors without a kernel of their own become expressions of operators
// that have one.
//   needs   canonical operators; quantized operators are lowered
//   keeps   values up to rounding; the name of the result
//   breaks  nothing
//
//   addcmul, addcdiv    self + value * a * b, self + value * a / b
//   lerp                self + weight * (end - self)
//   logaddexp           m + log(1 + exp(-|a - b|)) with m = max(a, b), which does not overflow
//   hypot               m * sqrt(1 + (n / m)^2) with m, n = max, min of |a|, |b|, which does not overflow either
//   magnitude           sqrt(real * real + imaginary * imaginary + epsilon), or the sum of the squares
//   exp2                2 to the power of self
//   frac                self - trunc(self)
//   isfinite            not (isinf or isnan)
//   diff                one slice minus the other, n times
#include "compiler/passes/passes.h"

#include "compiler/passes/portable/pointwise.h"
#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"

static struct rl_value *truth(const struct rl_build *at, enum rl_op_id op, struct rl_value *self)
{
    struct rl_tensor_type type = self->type;
    type.dtype = RL_BOOL;
    const struct rl_arg args[] = {rl_arg_value(self)};
    return rl_build(at, op, &type, args, 1);
}

// `value` with 0 where it is NaN
static struct rl_value *zero_for_nan(const struct rl_build *at, struct rl_value *value)
{
    const struct rl_arg args[] = {rl_arg_value(value), rl_arg_value(truth(at, RL_OP_aten_isnan, value)),
                                  rl_arg_double(0.0)};
    return rl_build(at, RL_OP_aten_masked_fill_scalar, &value->type, args, 3);
}

// The value times a number. An integer is written as an integer, so that tensors of integers stay integers.
static struct rl_value *times(const struct rl_build *at, struct rl_value *value, const struct rl_arg *number)
{
    if (number->kind == RL_ARG_INT && number->as.integer == 1) {
        return value;
    }
    const struct rl_arg args[] = {rl_arg_value(value), *number};
    return rl_build(at, RL_OP_aten_mul_scalar, &value->type, args, 2);
}

bool rl_decompose_addcmul(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    const enum rl_op_id op = node->op == RL_OP_aten_addcmul ? RL_OP_aten_mul : RL_OP_aten_div_tensor;
    struct rl_value *first = rl_node_tensor(node, "tensor1");
    struct rl_value *second = rl_node_tensor(node, "tensor2");
    const enum rl_scalar_type type = node->results[0]->type.dtype;
    if (node->args[0].as.value->type.dtype != type || first->type.dtype != type || second->type.dtype != type) {
        return rl_decline(pass->graph, node, "operands of several types");
    }
    struct rl_value *change = rl_build_binary(&at, op, times(&at, first, rl_node_arg(node, "value")), second);
    const struct rl_arg args[] = {node->args[0], rl_arg_value(change)};
    rl_build_end(&at, RL_OP_aten_add, args, 2);
    return true;
}

bool rl_decompose_lerp(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *self = node->args[0].as.value;
    const struct rl_arg weight = *rl_node_arg(node, "weight");
    struct rl_value *way = rl_build_binary(&at, RL_OP_aten_sub_tensor, rl_node_tensor(node, "end"), self);
    struct rl_value *step = weight.kind == RL_ARG_VALUE ? rl_build_binary(&at, RL_OP_aten_mul, way, weight.as.value)
                                                        : times(&at, way, &weight);
    const struct rl_arg args[] = {rl_arg_value(self), rl_arg_value(step)};
    rl_build_end(&at, RL_OP_aten_add, args, 2);
    return true;
}

// The difference of equal infinities is NaN, and counts as 0.
static bool decompose_logaddexp(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *a = node->args[0].as.value, *b = node->args[1].as.value;
    struct rl_value *larger = rl_build_binary(&at, RL_OP_aten_maximum, a, b);
    struct rl_value *distance = rl_build_unary(&at, RL_OP_aten_abs, rl_build_binary(&at, RL_OP_aten_sub_tensor, a, b));
    struct rl_value *rest = rl_build_unary(&at, RL_OP_aten_neg, zero_for_nan(&at, distance));
    rest = rl_build_unary(&at, RL_OP_aten_log1p, rl_build_unary(&at, RL_OP_aten_exp, rest));
    const struct rl_arg args[] = {rl_arg_value(larger), rl_arg_value(rest)};
    rl_build_end(&at, RL_OP_aten_add, args, 2);
    return true;
}

// The ratio of two zeros or infinities is NaN. It is replaced by 0, so that the result is the larger side.
static bool decompose_hypot(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *a = rl_build_unary(&at, RL_OP_aten_abs, node->args[0].as.value);
    struct rl_value *b = rl_build_unary(&at, RL_OP_aten_abs, node->args[1].as.value);
    struct rl_value *larger = rl_build_binary(&at, RL_OP_aten_maximum, a, b);
    struct rl_value *smaller = rl_build_binary(&at, RL_OP_aten_minimum, a, b);
    struct rl_value *ratio = zero_for_nan(&at, rl_build_binary(&at, RL_OP_aten_div_tensor, smaller, larger));
    struct rl_value *square = rl_build_binary(&at, RL_OP_aten_mul, ratio, ratio);
    struct rl_value *factor =
        rl_build_unary(&at, RL_OP_aten_sqrt, rl_build_scalar(&at, RL_OP_aten_add_scalar, square, 1.0));
    const struct rl_arg args[] = {rl_arg_value(larger), rl_arg_value(factor)};
    rl_build_end(&at, RL_OP_aten_mul, args, 2);
    return true;
}

static bool decompose_magnitude(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *real = rl_node_tensor(node, "self"), *imaginary = rl_node_tensor(node, "other");
    struct rl_value *squares[] = {rl_build_binary(&at, RL_OP_aten_mul, real, real),
                                  rl_build_binary(&at, RL_OP_aten_mul, imaginary, imaginary)};
    const double epsilon = rl_node_number(node, "epsilon");
    if (!rl_node_bool(node, "root")) {
        const struct rl_arg args[] = {rl_arg_value(squares[0]), rl_arg_value(squares[1])};
        rl_build_end(&at, RL_OP_aten_add, args, 2);
        return true;
    }
    struct rl_value *sum = rl_build_binary(&at, RL_OP_aten_add, squares[0], squares[1]);
    sum = epsilon > 0.0 ? rl_build_scalar(&at, RL_OP_aten_add_scalar, sum, epsilon) : sum;
    const struct rl_arg args[] = {rl_arg_value(sum)};
    rl_build_end(&at, RL_OP_aten_sqrt, args, 1);
    return true;
}

static bool decompose_exp2(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    const struct rl_arg args[] = {rl_arg_double(2.0), node->args[0]};
    rl_build_end(&at, RL_OP_aten_pow_scalar, args, 2);
    return true;
}

static bool decompose_frac(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *whole = rl_build_unary(&at, RL_OP_aten_trunc, node->args[0].as.value);
    const struct rl_arg args[] = {node->args[0], rl_arg_value(whole)};
    rl_build_end(&at, RL_OP_aten_sub_tensor, args, 2);
    return true;
}

static bool decompose_isfinite(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *self = node->args[0].as.value;
    struct rl_value *is_nan = truth(&at, RL_OP_aten_isnan, self);
    struct rl_value *odd = rl_build_binary(&at, RL_OP_aten_logical_or, truth(&at, RL_OP_aten_isinf, self), is_nan);
    const struct rl_arg args[] = {rl_arg_value(odd)};
    rl_build_end(&at, RL_OP_aten_logical_not, args, 1);
    return true;
}

// The value with its neighbours `prepend` and `append` concatenated.
static struct rl_value *extended(const struct rl_build *at, struct rl_value *value, int dim)
{
    struct rl_value *parts[3];
    int count = 0;
    struct rl_value *before = rl_node_tensor(at->node, "prepend");
    struct rl_value *behind = rl_node_tensor(at->node, "append");
    if (before) {
        parts[count++] = before;
    }
    parts[count++] = value;
    if (behind) {
        parts[count++] = behind;
    }
    return count > 1 ? rl_build_cat(at, parts, count, dim) : value;
}

// Each difference takes three nodes; beyond this number the operator stays as it is.
enum { MOST_DIFFERENCES = 64 };

// The difference of two bools is true if they differ.
bool rl_decompose_diff(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_build at = {graph, node};
    struct rl_value *value = node->args[0].as.value;
    const int dim = rl_dim_normalized(rl_node_int(node, "dim"), value->type.rank);
    const int64_t times_over = rl_node_int(node, "n");
    const enum rl_op_id op = value->type.dtype == RL_BOOL ? RL_OP_aten_logical_xor : RL_OP_aten_sub_tensor;
    if (dim < 0 || times_over > MOST_DIFFERENCES) {
        return rl_decline(graph, node, "a dimension out of range, or more than %d differences", MOST_DIFFERENCES);
    }
    value = times_over > 0 ? extended(&at, value, dim) : value;
    for (int64_t i = 0; i < times_over; i++) {
        const int64_t size = value->type.sizes[dim];
        if (size < 1) {
            return rl_decline(graph, node, "more differences than elements");
        }
        struct rl_value *later = rl_build_slice(&at, value, dim, 1, size);
        value = rl_build_binary(&at, op, later, rl_build_slice(&at, value, dim, 0, size - 1));
    }
    rl_build_end_view(&at, value);
    return true;
}

enum rl_status rl_pass_decompose_pointwise(struct rl_pass *pass)
{
    static const struct rl_lowering table[] = {
        {RL_OP_aten_addcmul, rl_decompose_addcmul},  {RL_OP_aten_addcdiv, rl_decompose_addcmul},
        {RL_OP_aten_lerp_scalar, rl_decompose_lerp}, {RL_OP_aten_lerp_tensor, rl_decompose_lerp},
        {RL_OP_aten_logaddexp, decompose_logaddexp}, {RL_OP_aten_hypot, decompose_hypot},
        {RL_OP_aten_exp2, decompose_exp2},           {RL_OP_aten_special_exp2, decompose_exp2},
        {RL_OP_aten_isfinite, decompose_isfinite},   {RL_OP_aten_diff, rl_decompose_diff},
        {RL_OP_aten_frac, decompose_frac},           {RL_OP_rl_magnitude, decompose_magnitude},
    };
    rl_lower_table(pass, table, sizeof table / sizeof table[0]);
    return RL_OK;
}
