// SPDX-License-Identifier: Apache-2.0
//
// compose_pointwise: functions of several tensors become sums, products and choices, which have integer kernels.
//   needs   canonical operators; attention as softmaxes (mask_softmax), whose masks are not fills any more
//   keeps   values up to rounding; the names of the results
//   breaks  nothing
//
//   addcmul, addcdiv, lerp, diff     see decompose_pointwise, which does the same in floating point
//   masked_fill by a usual number    where
//   floor_divide, div(rounding_mode)  the function of a quotient
//   var_mean                         var and mean
//   logaddexp                        m - log_sigmoid(|a - b|) with m = max(a, b): log_sigmoid(d) is -log(1 + exp(-d))
//   mul by a number                  mul by a tensor of one element
//   add, sub with a broken alpha     the same of a product
//   nan_to_num                       its operand, because no integer is NaN or infinite
//   isnan, isinf, isfinite           a constant, for the same reason, of what the model computes
//   choices by such a constant       the operand that is chosen
//   floats and integers, or bools    floats and floats, also where elements are chosen or compared
//   a pad with negative amounts      a pad of slices
//   sums and means by constant index linear layers (known_sums.c)
//
// Runs only if the graph will be quantized.
#include "compiler/passes/passes.h"

#include <math.h>
#include <string.h>

#include "compiler/passes/canonical/spell_out.h"
#include "compiler/passes/portable/pointwise.h"
#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"

static bool is_float(const struct rl_value *value)
{
    return value->type.dtype == RL_FLOAT32 && rl_tensor_numel(&value->type) > 0;
}

// The other operands of a sum or product of floats may be integers, which stay in floating point.
static bool compose_sum(const struct rl_pass *pass, struct rl_node *node)
{
    for (int i = 0; i < node->arg_count; i++) {
        if (node->args[i].kind == RL_ARG_VALUE && !is_float(node->args[i].as.value)) {
            return false;
        }
    }
    if (node->op == RL_OP_aten_diff) {
        return rl_decompose_diff(pass, node);
    }
    const bool is_lerp = node->op == RL_OP_aten_lerp_scalar || node->op == RL_OP_aten_lerp_tensor;
    return is_lerp ? rl_decompose_lerp(pass, node) : rl_decompose_addcmul(pass, node);
}

// Larger numbers stand for minus infinity, and would take the grid of all others.
static const double largest_fill = 32.0;

static bool compose_fill(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    const double number = rl_node_number(node, "value");
    if (!is_float(node->args[0].as.value) || !(fabs(number) <= largest_fill) ||
        !rl_tensor_same_sizes(&node->args[0].as.value->type, &node->results[0]->type)) {
        return false;
    }
    struct rl_value *mask = rl_node_tensor(node, "mask");
    const struct rl_arg args[] = {rl_arg_value(mask), rl_arg_value(rl_build_constant(&at, 0, NULL, number)),
                                  node->args[0]};
    rl_build_end(&at, RL_OP_aten_where_self, args, 3);
    return true;
}

// The rounding of a quotient; 0 without one.
static enum rl_op_id rounding_of(const struct rl_node *node)
{
    if (node->op == RL_OP_aten_floor_divide) {
        return RL_OP_aten_floor;
    }
    const char *mode = node->args[2].kind == RL_ARG_STRING ? node->args[2].as.string : "";
    if (strcmp(mode, "floor") == 0) {
        return RL_OP_aten_floor;
    }
    return strcmp(mode, "trunc") == 0 ? RL_OP_aten_trunc : 0;
}

static bool compose_quotient(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    const enum rl_op_id rounding = rounding_of(node);
    struct rl_value *self = node->args[0].as.value, *other = node->args[1].as.value;
    if (!rounding || !is_float(self) || !is_float(other)) {
        return false;
    }
    const struct rl_arg args[] = {rl_arg_value(rl_build_binary(&at, RL_OP_aten_div_tensor, self, other))};
    rl_build_end(&at, rounding, args, 1);
    return true;
}

// Both results have a schema of their own with the same arguments.
static bool compose_variance(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    const bool has_correction = node->op == RL_OP_aten_var_mean_correction;
    struct rl_value *self = node->args[0].as.value;
    const struct rl_arg *given = rl_node_arg(node, "dim");
    const int rank = self->type.rank, count = given->kind == RL_ARG_NONE || given->count == 0 ? rank : given->count;
    int64_t dims[RL_MAX_RANK];
    if (!is_float(self) || count > rank) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        dims[i] = count == given->count ? rl_dim_normalized(given->as.integers[i], rank) : i;
        if (dims[i] < 0) {
            return rl_decline(pass->graph, node, "a dimension out of range");
        }
    }
    struct rl_arg args[4];
    memcpy(args, node->args, sizeof args);
    args[1] = rl_arg_ints(pass->graph->arena, dims, count);
    struct rl_value *mean = rl_build_reduce(&at, RL_OP_aten_mean, self, dims, count);
    const enum rl_op_id op = has_correction ? RL_OP_aten_var_correction : RL_OP_aten_var_dim;
    rl_build_result(&at, 0, rl_build(&at, op, &node->results[0]->type, args, 4));
    const struct rl_tensor_type *type = &node->results[1]->type;
    rl_build_result(&at, 1, rl_build_view(&at, mean, type->rank, type->sizes));
    rl_graph_remove(pass->graph, node);
    return true;
}

// A constant may be infinite, as a first score often is.
static bool compose_logaddexp(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *a = node->args[0].as.value, *b = node->args[1].as.value;
    if (!is_float(a) || !is_float(b) || a->kind == RL_VALUE_CONSTANT || b->kind == RL_VALUE_CONSTANT) {
        return false;
    }
    struct rl_value *distance = rl_build_unary(&at, RL_OP_aten_abs, rl_build_binary(&at, RL_OP_aten_sub_tensor, a, b));
    const struct rl_arg args[] = {rl_arg_value(rl_build_binary(&at, RL_OP_aten_maximum, a, b)),
                                  rl_arg_value(rl_build_unary(&at, RL_OP_aten_log_sigmoid, distance))};
    rl_build_end(&at, RL_OP_aten_sub_tensor, args, 2);
    return true;
}

static bool remove_nan_to_num(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_value *self = node->args[0].as.value;
    if (!is_float(self)) {
        return false;
    }
    rl_replace_node(pass->graph, node, self);
    return true;
}

// ---- tests for NaN and infinities

enum { DEEPEST_TEST = 16 };

static bool has_odd_number(const struct rl_node *node)
{
    for (int i = 0; i < node->arg_count; i++) {
        if (node->args[i].kind == RL_ARG_DOUBLE && !isfinite(node->args[i].as.number)) {
            return true;
        }
    }
    return false;
}

static bool has_odd_element(const struct rl_value *value)
{
    const int64_t count = value->type.dtype == RL_FLOAT32 ? rl_tensor_numel(&value->type) : 0;
    for (int64_t i = 0; i < count; i++) {
        if (!isfinite(((const float *)value->data)[rl_constant_offset(value, i)])) {
            return true;
        }
    }
    return false;
}

static bool is_layer(const struct rl_op *op)
{
    return op->layer == RL_LAYER_CONVOLUTION || op->layer == RL_LAYER_LINEAR || op->layer == RL_LAYER_SOFTMAX ||
           op->layer == RL_LAYER_RECURRENT;
}

// Whether a value may hold NaN, or infinities, which calibration does not refuse: what the caller passes may, also
// where it is moved or chosen, and scores that a mask excludes. What layers compute is finite.
static bool may_be_odd(const struct rl_value *value, bool infinite, int depth)
{
    if (value->kind == RL_VALUE_CONSTANT && !rl_value_is_state(value)) {
        return has_odd_element(value);
    }
    if (value->kind != RL_VALUE_RESULT || depth == 0) {
        return true;
    }
    const struct rl_node *node = value->producer;
    const struct rl_op *op = rl_op_get(node->op);
    const bool moves = op->rearranges != RL_REARRANGES_OTHERWISE || op->chooses || op->shares_grid;
    const bool is_sum = op->layer == RL_LAYER_ADD || op->layer == RL_LAYER_MUL || op->adds;
    if (is_layer(op) || (!moves && !infinite)) {
        return false;
    }
    if ((!moves && !is_sum) || has_odd_number(node)) {
        return true;
    }
    for (int i = 0; i < node->arg_count; i++) {
        const struct rl_arg *arg = &node->args[i];
        if ((arg->kind == RL_ARG_VALUE && may_be_odd(arg->as.value, infinite, depth - 1)) ||
            arg->kind == RL_ARG_VALUES) {
            return true;
        }
    }
    return false;
}

static bool answer_test(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    const struct rl_value *self = node->args[0].as.value;
    const bool is_nan = node->op == RL_OP_aten_isnan, is_finite = node->op == RL_OP_aten_isfinite;
    if (self->type.dtype != RL_FLOAT32 || (!is_nan && may_be_odd(self, true, DEEPEST_TEST)) ||
        ((is_nan || is_finite) && may_be_odd(self, false, DEEPEST_TEST))) {
        return false;
    }
    const struct rl_tensor_type *to = &node->results[0]->type, type = rl_tensor_type_make(RL_BOOL, 0, NULL);
    unsigned char *answer = rl_arena_alloc(pass->graph->arena, 1);
    *answer = is_finite;
    const char *name = rl_arena_format(pass->graph->arena, "%s_answer", node->name);
    struct rl_value *constant = rl_graph_add_constant(pass->graph, name, &type, answer);
    const struct rl_arg args[] = {rl_arg_value(constant), rl_arg_ints(pass->graph->arena, to->sizes, to->rank)};
    rl_build_end(&at, RL_OP_aten_expand_copy, args, 2);
    return true;
}

// What all elements of a condition are, if that is known: 0 or 1, else -1.
static int known_truth(const struct rl_value *condition)
{
    int inverted = 0;
    while (condition->kind == RL_VALUE_RESULT) {
        const struct rl_node *node = condition->producer;
        if (node->op != RL_OP_aten_expand_copy && node->op != RL_OP_aten_logical_not) {
            return -1;
        }
        inverted ^= node->op == RL_OP_aten_logical_not;
        condition = node->args[0].as.value;
    }
    if (condition->kind != RL_VALUE_CONSTANT || rl_value_is_state(condition) || condition->type.dtype != RL_BOOL ||
        rl_tensor_numel(&condition->type) != 1) {
        return -1;
    }
    return (*(const unsigned char *)condition->data != 0) ^ inverted;
}

static bool choose_known(const struct rl_pass *pass, struct rl_node *node)
{
    const bool fills = node->op == RL_OP_aten_masked_fill_scalar;
    const int truth = known_truth(rl_node_tensor(node, fills ? "mask" : "condition"));
    if (truth < 0 || (fills && truth == 1)) {
        return false;
    }
    const struct rl_arg *chosen = fills ? &node->args[0] : &node->args[truth == 1 ? 1 : 2];
    if (chosen->kind != RL_ARG_VALUE || chosen->as.value->type.dtype != node->results[0]->type.dtype ||
        !rl_tensor_same_sizes(&chosen->as.value->type, &node->results[0]->type)) {
        return false;
    }
    rl_replace_node(pass->graph, node, chosen->as.value);
    return true;
}

// A constant of integers as one of floats.
static struct rl_value *constant_of_floats(const struct rl_build *at, const struct rl_value *value)
{
    const size_t count = (size_t)rl_tensor_numel(&value->type);
    const struct rl_tensor_type type = rl_tensor_type_make(RL_FLOAT32, value->type.rank, value->type.sizes);
    float *data = rl_arena_array(at->graph->arena, count, sizeof *data);
    for (size_t i = 0; i < count; i++) {
        const size_t from = (size_t)rl_constant_offset(value, (int64_t)i);
        data[i] = value->type.dtype == RL_INT64 ? (float)((const int64_t *)value->data)[from]
                                                : (float)((const int32_t *)value->data)[from];
    }
    return rl_graph_add_constant(at->graph, value->name, &type, data);
}

// The integers or truth values as floats; NULL for other values.
static struct rl_value *as_floats(const struct rl_build *at, struct rl_value *value)
{
    const bool is_integer = value->type.dtype == RL_INT64 || value->type.dtype == RL_INT32;
    if (rl_tensor_numel(&value->type) == 0 || (!is_integer && value->type.dtype != RL_BOOL)) {
        return NULL;
    }
    if (is_integer && value->kind == RL_VALUE_CONSTANT && !rl_value_is_state(value)) {
        return constant_of_floats(at, value);
    }
    struct rl_tensor_type type = value->type;
    type.dtype = RL_FLOAT32;
    const struct rl_arg args[] = {rl_arg_value(value)};
    return rl_build(at, RL_OP_aten_to_copy_internal, &type, args, 1);
}

// The operands from `first` to the end: one of floats makes all floats, as PyTorch does.
static bool convert_from(const struct rl_pass *pass, struct rl_node *node, int first)
{
    const struct rl_build at = {pass->graph, node};
    bool changed = false, has_floats = false;
    for (int i = first; i < node->arg_count; i++) {
        has_floats = has_floats || (node->args[i].kind == RL_ARG_VALUE && is_float(node->args[i].as.value));
    }
    for (int i = first; i < node->arg_count && has_floats; i++) {
        struct rl_value *floats = node->args[i].kind == RL_ARG_VALUE ? as_floats(&at, node->args[i].as.value) : NULL;
        if (floats) {
            node->args[i] = rl_arg_value(floats);
            changed = true;
        }
    }
    return changed;
}

static bool convert_operands(const struct rl_pass *pass, struct rl_node *node)
{
    return convert_from(pass, node, 0);
}

static bool convert_chosen(const struct rl_pass *pass, struct rl_node *node)
{
    return is_float(node->results[0]) && convert_from(pass, node, 1);
}

// A factor of the second operand that no integer kernel has multiplies it beforehand.
static bool multiply_by_alpha(const struct rl_pass *pass, struct rl_node *node)
{
    enum { LARGEST_ALPHA = 127 };
    const struct rl_build at = {pass->graph, node};
    const struct rl_arg *alpha = rl_node_arg(node, "alpha"), *other = &node->args[1];
    const double factor = rl_node_number(node, "alpha");
    const bool fits = alpha->kind == RL_ARG_INT && fabs(factor) <= LARGEST_ALPHA && factor != 0.0;
    if (fits || other->kind != RL_ARG_VALUE || !is_float(other->as.value) || !is_float(node->results[0])) {
        return false;
    }
    struct rl_value *constant = rl_build_constant(&at, 0, NULL, factor);
    node->args[1] = rl_arg_value(rl_build_binary(&at, RL_OP_aten_mul, other->as.value, constant));
    rl_node_set(node, "alpha", rl_arg_int(1));
    return true;
}

// A factor becomes a tensor of one number, which the quantizer makes a scale.
static bool compose_factor(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    if (!is_float(node->args[0].as.value) || !is_float(node->results[0])) {
        return false;
    }
    const struct rl_arg args[] = {node->args[0],
                                  rl_arg_value(rl_build_constant(&at, 0, NULL, rl_node_number(node, "other")))};
    rl_build_end(&at, RL_OP_aten_mul, args, 2);
    return true;
}

// What negative amounts remove is sliced off, and the others pad.
static bool slice_before_pad(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    const struct rl_arg *pad = rl_node_arg(node, "pad");
    struct rl_value *value = node->args[0].as.value;
    int64_t amounts[2 * RL_MAX_RANK];
    bool slices = false;
    if (pad->count % 2 != 0 || pad->count > 2 * value->type.rank) {
        return false;
    }
    for (int i = 0; i < pad->count; i += 2) {
        const int dim = value->type.rank - 1 - i / 2;
        const int64_t before = pad->as.integers[i], behind = pad->as.integers[i + 1], size = value->type.sizes[dim];
        if (before < -size || behind < -size) {
            return false;
        }
        const int64_t start = before < 0 ? -before : 0, end = behind < 0 ? size + behind : size;
        amounts[i] = before < 0 ? 0 : before;
        amounts[i + 1] = behind < 0 ? 0 : behind;
        if (start >= end) {
            return false;
        }
        if (start > 0 || end < size) {
            value = rl_build_slice(&at, value, dim, start, end);
            slices = true;
        }
    }
    if (slices) {
        node->args[0] = rl_arg_value(value);
        rl_node_set(node, "pad", rl_arg_ints(pass->graph->arena, amounts, pad->count));
    }
    return slices;
}

enum rl_status rl_pass_compose_pointwise(struct rl_pass *pass)
{
    static const struct rl_lowering table[] = {
        {RL_OP_aten_isnan, answer_test},
        {RL_OP_aten_isinf, answer_test},
        {RL_OP_aten_isfinite, answer_test},
        {RL_OP_aten_masked_fill_scalar, choose_known},
        {RL_OP_aten_where_self, choose_known},
        {RL_OP_aten_where_scalarself, choose_known},
        {RL_OP_aten_where_scalarother, choose_known},
        {RL_OP_aten_addcmul, compose_sum},
        {RL_OP_aten_addcdiv, compose_sum},
        {RL_OP_aten_lerp_scalar, compose_sum},
        {RL_OP_aten_lerp_tensor, compose_sum},
        {RL_OP_aten_diff, compose_sum},
        {RL_OP_aten_masked_fill_scalar, compose_fill},
        {RL_OP_aten_floor_divide, compose_quotient},
        {RL_OP_aten_div_tensor_mode, compose_quotient},
        {RL_OP_aten_var_mean_correction, compose_variance},
        {RL_OP_aten_var_mean_dim, compose_variance},
        {RL_OP_aten_logaddexp, compose_logaddexp},
        {RL_OP_aten_nan_to_num, remove_nan_to_num},
        {RL_OP_aten_mul_scalar, compose_factor},
        {RL_OP_aten_add, convert_operands},
        {RL_OP_aten_sub_tensor, convert_operands},
        {RL_OP_aten_add, multiply_by_alpha},
        {RL_OP_aten_sub_tensor, multiply_by_alpha},
        {RL_OP_aten_mul, convert_operands},
        {RL_OP_aten_div_tensor, convert_operands},
        {RL_OP_aten_maximum, convert_operands},
        {RL_OP_aten_minimum, convert_operands},
        {RL_OP_aten_clamp_tensor, convert_operands},
        {RL_OP_aten_where_self, convert_chosen},
        {RL_OP_aten_eq_tensor, convert_operands},
        {RL_OP_aten_ne_tensor, convert_operands},
        {RL_OP_aten_lt_tensor, convert_operands},
        {RL_OP_aten_le_tensor, convert_operands},
        {RL_OP_aten_gt_tensor, convert_operands},
        {RL_OP_aten_ge_tensor, convert_operands},
        {RL_OP_aten_constant_pad_nd, slice_before_pad},
        {RL_OP_aten_scatter_add, rl_sum_by_known_index},
        {RL_OP_aten_index_add, rl_sum_by_known_index},
        {RL_OP_aten_scatter_reduce, rl_sum_by_known_index},
    };
    rl_lower_table(pass, table, sizeof table / sizeof table[0]);
    return RL_OK;
}
