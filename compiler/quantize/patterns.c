// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/patterns.h"

#include "compiler/ir/factor.h"
#include "compiler/ir/functions.h"

// As the stock quantizer defines it: layouts in which channels-last and contiguous memory are the same count, too.
static bool is_channels_last(const struct rl_tensor_type *type)
{
    if (type->rank != 4) {
        return false;
    }
    return type->sizes[1] == 1 || (type->sizes[2] == 1 && type->sizes[3] == 1) || rl_tensor_is_channels_last(type);
}

// No kernel takes weights without elements. In floating point their results are those of the bias, or nothing.
static const char *object_to_weight(const struct rl_candidate *candidate)
{
    const struct rl_value *weight = rl_node_tensor(candidate->node, "weight");
    return rl_tensor_numel(&weight->type) == 0
               ? "its weight has no elements, because one of its sizes is 0; accepted: sizes of 1 and more"
               : NULL;
}

static const char *object_to_conv2d(const struct rl_candidate *candidate)
{
    const struct rl_tensor_type *type = &candidate->node->results[0]->type;
    if (object_to_weight(candidate)) {
        return object_to_weight(candidate);
    }
    if (type->rank != 4) {
        return "the convolution has no batch dimension: its tensors must have four dimensions";
    }
    if (candidate->quantizer != RL_QUANTIZER_STOCK || candidate->explicit_layout) {
        return NULL;
    }
    if (!is_channels_last(type) ||
        (candidate->activation && !is_channels_last(&candidate->activation->results[0]->type))) {
        return "the convolution is not channels-last, which the stock quantizer requires";
    }
    return NULL;
}

static const char *object_to_transposed(const struct rl_candidate *candidate)
{
    int64_t extra[2], dilation[2];
    const char *objection = object_to_conv2d(candidate);
    if (objection) {
        return objection;
    }
    if (rl_node_int(candidate->node, "groups") != 1) {
        return "the transposed convolution has groups";
    }
    if (!rl_node_ints(candidate->node, "dilation", 2, 1, dilation) || dilation[0] != 1 || dilation[1] != 1) {
        return "the transposed convolution is dilated";
    }
    if (candidate->quantizer == RL_QUANTIZER_STOCK &&
        (!rl_node_ints(candidate->node, "output_padding", 2, 0, extra) || extra[0] != 0 || extra[1] != 0)) {
        return "the transposed convolution has output padding, which the stock quantizer refuses";
    }
    return NULL;
}

// One operand holds one value for each channel of the other.
static bool is_channel_broadcast(const struct rl_tensor_type *a, const struct rl_tensor_type *b,
                                 enum rl_quantizer quantizer)
{
    if (a->rank != 4 || b->rank != 4 || a->sizes[1] != b->sizes[1]) {
        return false;
    }
    if (quantizer == RL_QUANTIZER_STOCK && (!is_channels_last(a) || !is_channels_last(b))) {
        return false;
    }
    return rl_tensor_numel(a) == a->sizes[1] || rl_tensor_numel(b) == b->sizes[1];
}

// Whether the operator is a function of the single elements of the other operand.
static bool is_number(const struct rl_arg *arg, const struct rl_value *other, const struct rl_node *node)
{
    return arg->as.value->kind == RL_VALUE_CONSTANT && rl_tensor_numel(&arg->as.value->type) == 1 &&
           rl_tensor_same_sizes(&other->type, &node->results[0]->type);
}

static const char *object_to_elementwise(const struct rl_candidate *candidate)
{
    const struct rl_arg *self = rl_node_arg(candidate->node, "self");
    const struct rl_arg *other = rl_node_arg(candidate->node, "other");
    if (self->kind != RL_ARG_VALUE || other->kind != RL_ARG_VALUE) {
        return "an operand is a number, and the kernel needs two tensors";
    }
    const struct rl_tensor_type *a = &self->as.value->type;
    const struct rl_tensor_type *b = &other->as.value->type;
    if (rl_tensor_same_sizes(a, b) || is_channel_broadcast(a, b, candidate->quantizer)) {
        return NULL;
    }
    if (candidate->quantizer == RL_QUANTIZER_STOCK) {
        return "the operands have different shapes: only channels of channels-last tensors are broadcast";
    }
    return is_number(other, self->as.value, candidate->node) || is_number(self, other->as.value, candidate->node)
               ? NULL
               : "the operands have different shapes: only numbers and channels of images are broadcast";
}

static const char *object_to_div(const struct rl_candidate *candidate)
{
    const struct rl_value *self = rl_node_tensor(candidate->node, "self");
    const struct rl_value *other = rl_node_tensor(candidate->node, "other");
    if (rl_tensor_same_sizes(&self->type, &other->type)) {
        return NULL;
    }
    if (candidate->quantizer == RL_QUANTIZER_STOCK) {
        return "the operands of the quotient have different shapes";
    }
    return is_number(rl_node_arg(candidate->node, "other"), self, candidate->node) ||
                   is_number(rl_node_arg(candidate->node, "self"), other, candidate->node)
               ? NULL
               : "the operands of the quotient have different shapes, and neither is a constant number";
}

static const char *object_to_prelu(const struct rl_candidate *candidate)
{
    return candidate->quantizer != RL_QUANTIZER_STOCK &&
                   is_number(&candidate->node->args[1], candidate->node->args[0].as.value, candidate->node)
               ? NULL
               : "aten::prelu has no integer kernel, but for a single constant slope";
}

static bool is_constant(const struct rl_node *node, const char *name)
{
    const int index = rl_op_argument(rl_op_get(node->op), name);
    const struct rl_value *value = index < 0 ? NULL : node->args[index].as.value;
    return !value || value->kind == RL_VALUE_CONSTANT;
}

static const char *object_to_two_factors(const struct rl_candidate *candidate)
{
    const bool fits = is_constant(candidate->node, "positive") && is_constant(candidate->node, "negative");
    return fits ? NULL : "the factors of the PReLU are not constant";
}

static const char *object_to_add(const struct rl_candidate *candidate)
{
    if (rl_node_arg(candidate->node, "alpha")->kind != RL_ARG_INT) {
        return "alpha is not an integer";
    }
    return object_to_elementwise(candidate);
}

static const char *object_to_softmax(const struct rl_candidate *candidate)
{
    if (candidate->quantizer != RL_QUANTIZER_STOCK) {
        return NULL; // permutations bring the dimension to the kernel, if need be
    }
    const struct rl_tensor_type *type = &candidate->node->results[0]->type;
    const int64_t dim = rl_node_int(candidate->node, "dim");
    const int innermost = is_channels_last(type) ? 1 : type->rank - 1;
    if ((dim < 0 ? dim + type->rank : dim) != innermost) {
        return "softmax over a dimension that is not the innermost in memory";
    }
    return NULL;
}

static const char *object_to_row(const struct rl_candidate *candidate)
{
    const struct rl_node *node = candidate->node;
    return node->results[0]->type.dtype == node->args[0].as.value->type.dtype
               ? NULL
               : "its result has another type than its operand";
}

static bool has_divisor(const struct rl_node *node)
{
    const int argument = rl_op_argument(rl_op_get(node->op), "divisor_override");
    return argument >= 0 && node->args[argument].kind != RL_ARG_NONE;
}

static const char *object_to_avg_pool2d(const struct rl_candidate *candidate)
{
    const bool may_divide = candidate->quantizer != RL_QUANTIZER_STOCK && !candidate->only_cortex_m;
    return may_divide || !has_divisor(candidate->node) ? NULL : "the average has a divisor of its own";
}

static const char *object_to_function(const struct rl_candidate *candidate)
{
    return candidate->quantizer != RL_QUANTIZER_STOCK || rl_function_find(candidate->node->op)->in_stock
               ? NULL
               : "the stock quantizer leaves this function in floating point";
}

static const char *object_to_bmm(const struct rl_candidate *candidate)
{
    const struct rl_tensor_type *a = &candidate->node->args[0].as.value->type;
    const struct rl_tensor_type *b = &candidate->node->args[1].as.value->type;
    const bool fits = a->rank == 3 && b->rank == 3 && a->sizes[0] == b->sizes[0] && a->sizes[2] == b->sizes[1];
    return fits ? NULL : "the operands are not two batches of matrices that go together";
}

static const char *object_to_norm(const struct rl_candidate *candidate)
{
    const bool fits = is_constant(candidate->node, "weight") && is_constant(candidate->node, "bias");
    return fits ? NULL : "the weight or the bias of the norm is not constant";
}

static const char *object_to_instance_norm(const struct rl_candidate *candidate)
{
    return rl_node_bool(candidate->node, "use_input_stats") ? object_to_norm(candidate)
                                                            : "the instance norm has recorded statistics";
}

static const char *object_to_recurrent(const struct rl_candidate *candidate)
{
    const struct rl_node *node = candidate->node;
    if (node->op == RL_OP_rl_lstm && rl_node_tensor(node, "hidden") == rl_node_tensor(node, "cell")) {
        return "its hidden state and its cell begin as one tensor";
    }
    const bool fits = is_constant(node, "input_weight") && is_constant(node, "hidden_weight");
    return fits ? NULL : "its weights are not constant";
}

static const struct rl_pattern patterns[] = {
    // op, channel_weights, fuses_activation, exact, result, own, object
    {RL_OP_aten_conv2d, true, true, false, RL_SPEC_ACTIVATION, false, object_to_conv2d},
    {RL_OP_aten_conv_transpose2d_input, true, true, false, RL_SPEC_ACTIVATION, false, object_to_transposed},
    {RL_OP_aten_linear, false, true, false, RL_SPEC_ACTIVATION, false, object_to_weight},
    {RL_OP_aten_add, false, true, true, RL_SPEC_ACTIVATION, false, object_to_add},
    {RL_OP_aten_sub_tensor, false, true, true, RL_SPEC_ACTIVATION, false, object_to_add},
    {RL_OP_aten_mul, false, false, true, RL_SPEC_ACTIVATION, false, object_to_elementwise},
    {RL_OP_aten_bmm, false, false, false, RL_SPEC_ACTIVATION, false, object_to_bmm},
    {RL_OP_aten_softmax, false, false, false, RL_SPEC_SOFTMAX, false, object_to_softmax},
    {RL_OP_aten_masked_softmax, false, false, false, RL_SPEC_SOFTMAX, false, object_to_softmax},
    {RL_OP_aten_softmax_int, false, false, false, RL_SPEC_SOFTMAX, false, object_to_softmax},
    {RL_OP_aten_prelu, false, false, false, RL_SPEC_ACTIVATION, false, object_to_prelu},
    {RL_OP_rl_prelu, false, false, false, RL_SPEC_ACTIVATION, true, object_to_two_factors},
    {RL_OP_aten_div_tensor, false, false, false, RL_SPEC_ACTIVATION, false, object_to_div},
    {RL_OP_aten_avg_pool2d, false, false, false, RL_SPEC_SHARED, false, object_to_avg_pool2d},
    {RL_OP_aten_max_pool2d, false, true, false, RL_SPEC_SHARED, false, NULL},
    {RL_OP_aten_max_pool2d_with_indices, false, true, false, RL_SPEC_SHARED, false, NULL},
    {RL_OP_aten_layer_norm, false, true, false, RL_SPEC_ACTIVATION, true, object_to_norm},
    {RL_OP_aten_rms_norm, false, true, false, RL_SPEC_ACTIVATION, true, object_to_norm},
    {RL_OP_aten_group_norm, false, true, false, RL_SPEC_ACTIVATION, true, object_to_norm},
    {RL_OP_aten_instance_norm, false, true, false, RL_SPEC_ACTIVATION, true, object_to_instance_norm},
    {RL_OP_rl_magnitude, false, true, false, RL_SPEC_ACTIVATION, true, NULL},
    {RL_OP_aten_log_softmax_int, false, false, false, RL_SPEC_ACTIVATION, true, object_to_row},
    {RL_OP_aten_log_softmax_internal, false, false, false, RL_SPEC_ACTIVATION, true, object_to_row},
    {RL_OP_aten_cumsum, false, false, false, RL_SPEC_ACTIVATION, true, object_to_row},
    {RL_OP_aten_var, false, false, false, RL_SPEC_ACTIVATION, true, object_to_row},
    {RL_OP_aten_var_dim, false, false, false, RL_SPEC_ACTIVATION, true, object_to_row},
    {RL_OP_aten_var_correction, false, false, false, RL_SPEC_ACTIVATION, true, object_to_row},
    {RL_OP_aten_std, false, false, false, RL_SPEC_ACTIVATION, true, object_to_row},
    {RL_OP_aten_std_dim, false, false, false, RL_SPEC_ACTIVATION, true, object_to_row},
    {RL_OP_aten_std_correction, false, false, false, RL_SPEC_ACTIVATION, true, object_to_row},
    {RL_OP_rl_lstm, true, false, false, RL_SPEC_HIDDEN, false, object_to_recurrent},
    {RL_OP_rl_gru, true, false, false, RL_SPEC_HIDDEN, false, object_to_recurrent},
    {RL_OP_rl_rnn_tanh, true, false, false, RL_SPEC_HIDDEN, false, object_to_recurrent},
    {RL_OP_rl_rnn_relu, true, false, false, RL_SPEC_ACTIVATION, false, object_to_recurrent},
};

// All functions of one operand.
static const struct rl_pattern of_functions = {.result = RL_SPEC_ACTIVATION, .object = object_to_function};
static const struct rl_pattern of_exact_functions = {
    .exact = true, .result = RL_SPEC_ACTIVATION, .object = object_to_function};

const struct rl_pattern *rl_pattern_find(enum rl_op_id op)
{
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        if (patterns[i].op == op) {
            return &patterns[i];
        }
    }
    const struct rl_function *function = rl_function_find(op);
    if (!function) {
        return NULL;
    }
    return function->exact ? &of_exact_functions : &of_functions;
}

// Averages lie closer together than what they are made of, so their own grid has finer steps.
static bool has_own_grid(const struct rl_candidate *candidate)
{
    const struct rl_node *node = candidate->node;
    int64_t padding[2];
    if (candidate->quantizer == RL_QUANTIZER_STOCK || candidate->only_cortex_m ||
        rl_op_get(node->op)->layer != RL_LAYER_AVG_POOL) {
        return false;
    }
    return has_divisor(node) || (rl_node_ints(node, "padding", 2, 0, padding) && padding[0] == 0 && padding[1] == 0 &&
                                 !rl_node_bool(node, "ceil_mode"));
}

enum rl_spec rl_pattern_result(const struct rl_pattern *pattern, const struct rl_candidate *candidate)
{
    return has_own_grid(candidate) ? RL_SPEC_ACTIVATION : pattern->result;
}

bool rl_pattern_is_activation(enum rl_op_id op)
{
    const enum rl_op_layer layer = rl_op_get(op)->layer;
    return layer == RL_LAYER_CLAMP || layer == RL_LAYER_RAMP;
}

// A number scales the result of any operator that has a grid of its own.
static bool fuses_factor(const struct rl_pattern *pattern, const struct rl_node *node)
{
    int operand;
    double factor;
    return pattern->result == RL_SPEC_ACTIVATION && rl_read_factor(node, &operand, &factor);
}

bool rl_pattern_fuses(const struct rl_pattern *pattern, const struct rl_node *activation, enum rl_quantizer quantizer)
{
    const enum rl_op_id op = activation->op;
    if (quantizer != RL_QUANTIZER_STOCK && fuses_factor(pattern, activation)) {
        return true;
    }
    return pattern->fuses_activation && rl_pattern_is_activation(op) &&
           (rl_op_get(op)->layer == RL_LAYER_CLAMP || rl_op_get(pattern->op)->has_weights);
}

bool rl_pattern_shares_grid(enum rl_op_id op, enum rl_quantizer quantizer)
{
    return rl_op_get(op)->shares_grid || (quantizer != RL_QUANTIZER_STOCK && rl_op_get(op)->shares_grid_in_best);
}
