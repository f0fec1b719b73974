// SPDX-License-Identifier: Apache-2.0
//
// The rules of spell_out for functions of single elements, and for what NaN is left out of.
#include <math.h>

#include "compiler/passes/canonical/spell_out.h"
#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"

static const struct rl_arg none = {.kind = RL_ARG_NONE};

static struct rl_value *is_nan(const struct rl_build *at, struct rl_value *value)
{
    return rl_build_truth(at, RL_OP_aten_isnan, value, none);
}

static struct rl_value *filled(const struct rl_build *at, struct rl_value *value, struct rl_value *mask, double number)
{
    const struct rl_arg args[] = {rl_arg_value(value), rl_arg_value(mask), rl_arg_double(number)};
    return rl_build(at, RL_OP_aten_masked_fill_scalar, &value->type, args, 3);
}

// ---- without NaN

// `value`, or the other operand where it is NaN; of the type of the result.
static struct rl_value *or_other(const struct rl_build *at, struct rl_value *value, struct rl_value *other)
{
    const struct rl_arg args[] = {rl_arg_value(is_nan(at, value)), rl_arg_value(other), rl_arg_value(value)};
    const struct rl_tensor_type *to = &at->node->results[0]->type;
    const struct rl_tensor_type type = rl_tensor_type_make(to->dtype, to->rank, to->sizes);
    return rl_build(at, RL_OP_aten_where_self, &type, args, 3);
}

bool rl_spell_extreme_number(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *a = node->args[0].as.value, *b = node->args[1].as.value;
    const bool has_nan =
        rl_has_nan(pass) && (rl_scalar_is_floating(a->type.dtype) || rl_scalar_is_floating(b->type.dtype));
    if (has_nan && !rl_are_floats(a, b)) {
        return rl_decline(pass->graph, node, "floats beside operands of another type; accepted: one type");
    }
    const struct rl_arg args[] = {rl_arg_value(has_nan ? or_other(&at, a, b) : a),
                                  rl_arg_value(has_nan ? or_other(&at, b, a) : b)};
    rl_build_end(&at, node->op == RL_OP_aten_fmax ? RL_OP_aten_maximum : RL_OP_aten_minimum, args, 2);
    return true;
}

bool rl_spell_sum_of_numbers(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *self = node->args[0].as.value;
    const bool is_mean = node->op == RL_OP_aten_nanmean;
    const struct rl_arg dims =
        node->args[1].kind == RL_ARG_INTS ? node->args[1] : rl_arg_ints(pass->graph->arena, NULL, 0);
    if (is_mean && self->type.dtype != node->results[0]->type.dtype) {
        return rl_decline(pass->graph, node, "a result of another type");
    }
    const struct rl_arg plain[] = {rl_arg_value(self), dims, node->args[2], node->args[3]};
    if (!rl_has_nan(pass) || !rl_scalar_is_floating(self->type.dtype)) {
        rl_build_end(&at, is_mean ? RL_OP_aten_mean : RL_OP_aten_sum_dim_intlist, plain, 4);
        return true;
    }
    struct rl_value *nan = is_nan(&at, self);
    const struct rl_arg args[] = {rl_arg_value(filled(&at, self, nan, 0.0)), dims, node->args[2], node->args[3]};
    if (!is_mean) {
        rl_build_end(&at, RL_OP_aten_sum_dim_intlist, args, 4);
        return true;
    }
    struct rl_tensor_type type = node->results[0]->type;
    struct rl_value *sum = rl_build(&at, RL_OP_aten_sum_dim_intlist, &type, args, 4);
    const struct rl_arg counted[] = {rl_arg_value(rl_build_unary(&at, RL_OP_aten_logical_not, nan)), dims,
                                     node->args[2]};
    type.dtype = RL_INT64;
    struct rl_value *count = rl_build(&at, RL_OP_aten_sum_dim_intlist, &type, counted, 3);
    type.dtype = sum->type.dtype;
    const struct rl_arg converted = rl_arg_value(count);
    const struct rl_arg quotient[] = {rl_arg_value(sum),
                                      rl_arg_value(rl_build(&at, RL_OP_aten_to_copy_internal, &type, &converted, 1))};
    rl_build_end(&at, RL_OP_aten_div_tensor, quotient, 2);
    return true;
}

// ---- functions

bool rl_spell_infinite(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    if (!rl_scalar_is_floating(node->args[0].as.value->type.dtype)) {
        return rl_decline(pass->graph, node, "another operand than floats");
    }
    const struct rl_arg args[] = {node->args[0], rl_arg_double(node->op == RL_OP_aten_isposinf ? INFINITY : -INFINITY)};
    rl_build_end(&at, RL_OP_aten_eq_scalar, args, 2);
    return true;
}

bool rl_spell_same(const struct rl_pass *pass, struct rl_node *node)
{
    rl_node_become_layout_copy(pass->graph, node, node->args[0].as.value);
    return true;
}

// Subtraction with its operands swapped.
bool rl_spell_reversed(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    const struct rl_arg args[] = {node->args[1], node->args[0], *rl_node_arg(node, "alpha")};
    rl_build_end(&at, RL_OP_aten_sub_tensor, args, 3);
    return true;
}

// 0 below zero, 1 above, and the values at zero.
bool rl_spell_heaviside(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *self = node->args[0].as.value, *values = node->args[1].as.value;
    if (!rl_are_floats(self, values)) {
        return rl_decline(pass->graph, node, "other operands than floats of one type");
    }
    const struct rl_arg positive = rl_arg_value(rl_build_truth(&at, RL_OP_aten_gt_scalar, self, rl_arg_int(0)));
    struct rl_value *step = rl_build(&at, RL_OP_aten_to_copy_internal, &self->type, &positive, 1);
    const struct rl_arg args[] = {rl_arg_value(rl_build_truth(&at, RL_OP_aten_eq_scalar, self, rl_arg_int(0))),
                                  rl_arg_value(values), rl_arg_value(step)};
    rl_build_end(&at, RL_OP_aten_where_self, args, 3);
    return true;
}

// Where self is 0, the logarithm is that of 1: 0 times minus infinity is NaN, which no calibration takes.
struct rl_value *rl_build_xlogy(const struct rl_build *at, struct rl_value *self, struct rl_value *other)
{
    struct rl_value *zero = rl_build_truth(at, RL_OP_aten_eq_scalar, self, rl_arg_int(0));
    const struct rl_tensor_type type = rl_broadcast_type(&other->type, &self->type);
    struct rl_value *wide = rl_build_expand(at, other, type.rank, type.sizes);
    struct rl_value *logarithm = rl_build_unary(at, RL_OP_aten_log, filled(at, wide, zero, 1.0));
    return rl_build_binary(at, RL_OP_aten_mul, self, logarithm);
}

// 0 where self is 0, also beside the logarithm of 0.
bool rl_spell_xlogy(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *self = node->args[0].as.value, *other = node->args[1].as.value;
    if (!rl_are_floats(self, other)) {
        return rl_decline(pass->graph, node, "other operands than floats of one type");
    }
    struct rl_value *result = rl_build_xlogy(&at, self, other);
    if (rl_has_nan(pass)) { // NaN beside 0 stays NaN
        const struct rl_arg args[] = {rl_arg_value(is_nan(&at, other)), rl_arg_value(other), rl_arg_value(result)};
        rl_build_end(&at, RL_OP_aten_where_self, args, 3);
        return true;
    }
    rl_build_end_view(&at, result);
    return true;
}

// |a - b| <= atol + |rtol * b|. Equal infinities are close, too; in a graph that will be quantized there are none.
bool rl_spell_close(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *self = rl_node_tensor(node, "self"), *other = rl_node_tensor(node, "other");
    const double rtol = rl_node_number(node, "rtol"), atol = rl_node_number(node, "atol");
    if (!rl_are_floats(self, other) || !(rtol >= 0.0) || !(atol >= 0.0)) {
        return rl_decline(pass->graph, node, "other operands than floats of one type, or a negative tolerance");
    }
    struct rl_value *distance =
        rl_build_unary(&at, RL_OP_aten_abs, rl_build_binary(&at, RL_OP_aten_sub_tensor, self, other));
    struct rl_value *allowed =
        rl_build_scalar(&at, RL_OP_aten_mul_scalar, rl_build_unary(&at, RL_OP_aten_abs, other), rtol);
    allowed = rl_build_binary(&at, RL_OP_aten_add, allowed, rl_build_constant(&at, 0, NULL, atol));
    struct rl_value *close = rl_build_truth(&at, RL_OP_aten_le_tensor, distance, rl_arg_value(allowed));
    if (rl_has_nan(pass)) {
        struct rl_value *finite = rl_build_truth(&at, RL_OP_aten_isfinite, distance, none);
        close = rl_build_binary(&at, RL_OP_aten_logical_and, close, finite);
        struct rl_value *equal = rl_build_truth(&at, RL_OP_aten_eq_tensor, self, rl_arg_value(other));
        close = rl_build_binary(&at, RL_OP_aten_logical_or, close, equal);
        if (rl_node_bool(node, "equal_nan")) {
            struct rl_value *first = is_nan(&at, self);
            close = rl_build_binary(&at, RL_OP_aten_logical_or, close,
                                    rl_build_binary(&at, RL_OP_aten_logical_and, first, is_nan(&at, other)));
        }
    }
    rl_build_end_view(&at, close);
    return true;
}

// Whether a number is below zero. Zero with a sign is told by its inverse; the sign of NaN is not.
static struct rl_value *has_sign(const struct rl_pass *pass, const struct rl_build *at, struct rl_value *value)
{
    struct rl_value *below = rl_build_truth(at, RL_OP_aten_lt_scalar, value, rl_arg_int(0));
    if (!rl_has_nan(pass) || !rl_scalar_is_floating(value->type.dtype)) {
        return below;
    }
    struct rl_value *inverse = rl_build_unary(at, RL_OP_aten_reciprocal, value);
    return rl_build_binary(at, RL_OP_aten_logical_or, below,
                           rl_build_truth(at, RL_OP_aten_eq_scalar, inverse, rl_arg_double(-INFINITY)));
}

bool rl_spell_sign_bit(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    rl_build_end_view(&at, has_sign(pass, &at, node->args[0].as.value));
    return true;
}

bool rl_spell_copied_sign(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *self = node->args[0].as.value, *result;
    const bool has_number = node->op == RL_OP_aten_copysign_scalar;
    if (has_number ? !rl_scalar_is_floating(self->type.dtype) : !rl_are_floats(self, node->args[1].as.value)) {
        return rl_decline(pass->graph, node, "other operands than floats of one type");
    }
    result = rl_build_unary(&at, RL_OP_aten_abs, self);
    if (has_number) {
        const bool is_negative = signbit(rl_node_number(node, "other"));
        rl_build_end_view(&at, is_negative ? rl_build_unary(&at, RL_OP_aten_neg, result) : result);
        return true;
    }
    struct rl_value *negative = rl_build_unary(&at, RL_OP_aten_neg, result);
    const struct rl_arg args[] = {rl_arg_value(has_sign(pass, &at, node->args[1].as.value)), rl_arg_value(negative),
                                  rl_arg_value(result)};
    rl_build_end(&at, RL_OP_aten_where_self, args, 3);
    return true;
}

// PyTorch multiplies by a power of ten, rounds and divides; for negative decimals it divides and multiplies.
bool rl_spell_decimals(const struct rl_pass *pass, struct rl_node *node)
{
    enum { MOST_DECIMALS = 30 };
    const struct rl_build at = {pass->graph, node};
    struct rl_value *self = node->args[0].as.value;
    const int64_t decimals = rl_node_int(node, "decimals");
    if (self->type.dtype != RL_FLOAT32 || decimals < -MOST_DECIMALS || decimals > MOST_DECIMALS) {
        return rl_decline(pass->graph, node, "other than float32, or more than %d decimals", MOST_DECIMALS);
    }
    double ten = 1.0;
    for (int64_t i = 0; i < (decimals < 0 ? -decimals : decimals); i++) {
        ten *= 10.0;
    }
    struct rl_value *factor = rl_build_constant(&at, 0, NULL, ten);
    const enum rl_op_id there = decimals < 0 ? RL_OP_aten_div_tensor : RL_OP_aten_mul;
    const enum rl_op_id back = decimals < 0 ? RL_OP_aten_mul : RL_OP_aten_div_tensor;
    struct rl_value *round = rl_build_unary(&at, RL_OP_aten_round, rl_build_binary(&at, there, self, factor));
    const struct rl_arg args[] = {rl_arg_value(round), rl_arg_value(factor)};
    rl_build_end(&at, back, args, 2);
    return true;
}

// Slices along the dimension whose norm is above the limit get that norm, but for 1e-7 (PyTorch's
// aten/src/ATen/native/Normalization.cpp).
static bool limit_norms(const struct rl_pass *pass, struct rl_node *node, int dim, const struct rl_arg *p, double limit)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *self = node->args[0].as.value;
    int64_t dims[RL_MAX_RANK];
    int count = 0;
    struct rl_tensor_type type = rl_tensor_type_make(self->type.dtype, self->type.rank, self->type.sizes);
    for (int d = 0; d < self->type.rank; d++) {
        if (d != dim) {
            dims[count++] = d;
            type.sizes[d] = 1;
        }
    }
    if (self->type.dtype != RL_FLOAT32 || dim < 0 || count == 0) {
        return rl_decline(pass->graph, node, "other than float32 slices along a dimension");
    }
    const struct rl_arg norm_args[] = {rl_arg_value(self), *p, rl_arg_ints(pass->graph->arena, dims, count),
                                       rl_arg_bool(true)};
    struct rl_value *norm = rl_build(&at, RL_OP_aten_linalg_vector_norm, &type, norm_args, 4);
    struct rl_value *above = rl_build_truth(&at, RL_OP_aten_gt_scalar, norm, rl_arg_double(limit));
    struct rl_value *inverse =
        rl_build_unary(&at, RL_OP_aten_reciprocal, rl_build_scalar(&at, RL_OP_aten_add_scalar, norm, 1e-7));
    const struct rl_arg choice[] = {rl_arg_value(above),
                                    rl_arg_value(rl_build_scalar(&at, RL_OP_aten_mul_scalar, inverse, limit)),
                                    rl_arg_double(1.0)};
    struct rl_value *factor = rl_build(&at, RL_OP_aten_where_scalarother, &type, choice, 3);
    const struct rl_arg args[] = {rl_arg_value(self), rl_arg_value(factor)};
    rl_build_end(&at, RL_OP_aten_mul, args, 2);
    return true;
}

bool rl_spell_renorm(const struct rl_pass *pass, struct rl_node *node)
{
    const int dim = rl_dim_normalized(rl_node_int(node, "dim"), node->args[0].as.value->type.rank);
    return limit_norms(pass, node, dim, rl_node_arg(node, "p"), rl_node_number(node, "maxnorm"));
}

// PyTorch changes the rows that are looked up. All rows may be, if nothing else looks at them.
bool rl_spell_renorm_rows(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_node *user = rl_value_only_user(pass->graph, node->results[0]);
    if (!user || user->op != RL_OP_aten_embedding || user->args[0].as.value != node->results[0] ||
        rl_node_tensor(user, "indices") != rl_node_tensor(node, "indices")) {
        return rl_decline(pass->graph, node, "weights that more than one embedding reads");
    }
    return limit_norms(pass, node, 0, rl_node_arg(node, "norm_type"), rl_node_number(node, "max_norm"));
}
