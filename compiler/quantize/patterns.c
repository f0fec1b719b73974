// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/patterns.h"

// As the stock quantizer defines it: a layout in which channels-last and contiguous memory are the same counts.
static bool is_channels_last(const struct rl_tensor_type *type)
{
    if (type->rank != 4) {
        return false;
    }
    return type->sizes[1] == 1 || (type->sizes[2] == 1 && type->sizes[3] == 1) || rl_tensor_is_channels_last(type);
}

static const char *object_to_conv2d(const struct rl_node *node, const struct rl_node *activation,
                                    enum rl_quantizer quantizer)
{
    const struct rl_tensor_type *type = &node->results[0]->type;
    if (type->rank != 4) {
        return "the convolution has no batch dimension: its tensors must have four dimensions";
    }
    if (quantizer != RL_QUANTIZER_STOCK) {
        return NULL;
    }
    if (!is_channels_last(type) || (activation && !is_channels_last(&activation->results[0]->type))) {
        return "the convolution is not channels-last, which the stock quantizer requires";
    }
    return NULL;
}

static const char *object_to_transposed(const struct rl_node *node, const struct rl_node *activation,
                                        enum rl_quantizer quantizer)
{
    int64_t extra[2], dilation[2];
    const char *objection = object_to_conv2d(node, activation, quantizer);
    if (objection) {
        return objection;
    }
    if (rl_node_int(node, "groups") != 1) {
        return "the transposed convolution has groups";
    }
    if (!rl_node_ints(node, "dilation", 2, 1, dilation) || dilation[0] != 1 || dilation[1] != 1) {
        return "the transposed convolution is dilated";
    }
    if (quantizer == RL_QUANTIZER_STOCK &&
        (!rl_node_ints(node, "output_padding", 2, 0, extra) || extra[0] != 0 || extra[1] != 0)) {
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

static const char *object_to_elementwise(const struct rl_node *node, const struct rl_node *activation,
                                         enum rl_quantizer quantizer)
{
    (void)activation;
    const struct rl_arg *self = rl_node_arg(node, "self");
    const struct rl_arg *other = rl_node_arg(node, "other");
    if (self->kind != RL_ARG_VALUE || other->kind != RL_ARG_VALUE) {
        return "an operand is a number, and the kernel needs two tensors";
    }
    const struct rl_tensor_type *a = &self->as.value->type;
    const struct rl_tensor_type *b = &other->as.value->type;
    if (rl_tensor_same_sizes(a, b) || is_channel_broadcast(a, b, quantizer)) {
        return NULL;
    }
    if (quantizer == RL_QUANTIZER_STOCK) {
        return "the operands have different shapes: only channels of channels-last tensors are broadcast";
    }
    return is_number(other, self->as.value, node) || is_number(self, other->as.value, node)
               ? NULL
               : "the operands have different shapes: only numbers and channels of images are broadcast";
}

static const char *object_to_div(const struct rl_node *node, const struct rl_node *activation,
                                 enum rl_quantizer quantizer)
{
    (void)activation;
    const struct rl_arg *other = rl_node_arg(node, "other");
    return quantizer != RL_QUANTIZER_STOCK && is_number(other, node->args[0].as.value, node)
               ? NULL
               : "aten::div has no integer kernel, but for a constant divisor";
}

static const char *object_to_prelu(const struct rl_node *node, const struct rl_node *activation,
                                   enum rl_quantizer quantizer)
{
    (void)activation;
    return quantizer != RL_QUANTIZER_STOCK && is_number(&node->args[1], node->args[0].as.value, node)
               ? NULL
               : "aten::prelu has no integer kernel, but for a single constant slope";
}

static const char *object_to_add(const struct rl_node *node, const struct rl_node *activation,
                                 enum rl_quantizer quantizer)
{
    if (rl_node_arg(node, "alpha")->kind != RL_ARG_INT) {
        return "alpha is not an integer";
    }
    return object_to_elementwise(node, activation, quantizer);
}

static const char *object_to_sub(const struct rl_node *node, const struct rl_node *activation,
                                 enum rl_quantizer quantizer)
{
    return quantizer == RL_QUANTIZER_STOCK ? "the stock quantizer leaves subtractions in floating point"
                                           : object_to_add(node, activation, quantizer);
}

static const char *object_to_softmax(const struct rl_node *node, const struct rl_node *activation,
                                     enum rl_quantizer quantizer)
{
    (void)activation;
    const struct rl_tensor_type *type = &node->results[0]->type;
    const int64_t dim = rl_node_int(node, "dim");
    const bool over_channels = type->rank == 4 && (dim == 1 || dim == -3);
    if (quantizer != RL_QUANTIZER_STOCK && over_channels) {
        return NULL; // images are channels-last by the time the kernel runs
    }
    const int innermost = is_channels_last(type) ? 1 : type->rank - 1;
    if ((dim < 0 ? dim + type->rank : dim) != innermost) {
        return "softmax over a dimension that is not the innermost in memory";
    }
    return NULL;
}

static const char *object_to_avg_pool2d(const struct rl_node *node, const struct rl_node *activation,
                                        enum rl_quantizer quantizer)
{
    (void)activation;
    (void)quantizer;
    return rl_node_arg(node, "divisor_override")->kind == RL_ARG_NONE ? NULL : "the average has a divisor of its own";
}

// The stock quantizer has tables for four functions only; hardswish it computes as a product.
static const char *object_to_function(const struct rl_node *node, const struct rl_node *activation,
                                      enum rl_quantizer quantizer)
{
    (void)activation;
    switch (node->op) {
    case RL_OP_aten_sigmoid:
    case RL_OP_aten_tanh:
    case RL_OP_aten_silu:
    case RL_OP_aten_gelu:
    case RL_OP_aten_hardswish:
        return NULL;
    default:
        return quantizer == RL_QUANTIZER_STOCK ? "the stock quantizer leaves this function in floating point" : NULL;
    }
}

static const char *object_to_bmm(const struct rl_node *node, const struct rl_node *activation,
                                 enum rl_quantizer quantizer)
{
    (void)activation;
    (void)quantizer;
    const struct rl_tensor_type *a = &node->args[0].as.value->type;
    const struct rl_tensor_type *b = &node->args[1].as.value->type;
    const bool fits = a->rank == 3 && b->rank == 3 && a->sizes[0] == b->sizes[0] && a->sizes[2] == b->sizes[1];
    return fits ? NULL : "the operands are not two batches of matrices that go together";
}

static const struct rl_pattern patterns[] = {
    // op, channel_weights, fuses_activation, result, object
    {RL_OP_aten_conv2d, true, true, RL_SPEC_ACTIVATION, object_to_conv2d},
    {RL_OP_aten_conv_transpose2d_input, true, true, RL_SPEC_ACTIVATION, object_to_transposed},
    {RL_OP_aten_linear, false, true, RL_SPEC_ACTIVATION, NULL},
    {RL_OP_aten_add, false, true, RL_SPEC_ACTIVATION, object_to_add},
    {RL_OP_aten_sub_tensor, false, true, RL_SPEC_ACTIVATION, object_to_sub},
    {RL_OP_aten_mul, false, false, RL_SPEC_ACTIVATION, object_to_elementwise},
    {RL_OP_aten_bmm, false, false, RL_SPEC_ACTIVATION, object_to_bmm},
    {RL_OP_aten_softmax, false, false, RL_SPEC_SOFTMAX, object_to_softmax},
    {RL_OP_aten_softmax_int, false, false, RL_SPEC_SOFTMAX, object_to_softmax},
    {RL_OP_aten_sigmoid, false, false, RL_SPEC_ACTIVATION, object_to_function},
    {RL_OP_aten_tanh, false, false, RL_SPEC_ACTIVATION, object_to_function},
    {RL_OP_aten_silu, false, false, RL_SPEC_ACTIVATION, object_to_function},
    {RL_OP_aten_gelu, false, false, RL_SPEC_ACTIVATION, object_to_function},
    {RL_OP_aten_hardswish, false, false, RL_SPEC_ACTIVATION, object_to_function},
    {RL_OP_aten_hardsigmoid, false, false, RL_SPEC_ACTIVATION, object_to_function},
    {RL_OP_aten_leaky_relu, false, false, RL_SPEC_ACTIVATION, object_to_function},
    {RL_OP_aten_elu, false, false, RL_SPEC_ACTIVATION, object_to_function},
    {RL_OP_aten_softplus, false, false, RL_SPEC_ACTIVATION, object_to_function},
    {RL_OP_aten_mish, false, false, RL_SPEC_ACTIVATION, object_to_function},
    {RL_OP_aten_selu, false, false, RL_SPEC_ACTIVATION, object_to_function},
    {RL_OP_aten_celu, false, false, RL_SPEC_ACTIVATION, object_to_function},
    {RL_OP_aten_log_sigmoid, false, false, RL_SPEC_ACTIVATION, object_to_function},
    {RL_OP_aten_softshrink, false, false, RL_SPEC_ACTIVATION, object_to_function},
    {RL_OP_aten_hardshrink, false, false, RL_SPEC_ACTIVATION, object_to_function},
    {RL_OP_aten_abs, false, false, RL_SPEC_ACTIVATION, object_to_function},
    {RL_OP_aten_neg, false, false, RL_SPEC_ACTIVATION, object_to_function},
    {RL_OP_aten_rsub_scalar, false, false, RL_SPEC_ACTIVATION, object_to_function},
    {RL_OP_aten_prelu, false, false, RL_SPEC_ACTIVATION, object_to_prelu},
    {RL_OP_aten_div_tensor, false, false, RL_SPEC_ACTIVATION, object_to_div},
    {RL_OP_aten_avg_pool2d, false, false, RL_SPEC_SHARED, object_to_avg_pool2d},
    {RL_OP_aten_max_pool2d, false, true, RL_SPEC_SHARED, NULL},
    {RL_OP_aten_max_pool2d_with_indices, false, true, RL_SPEC_SHARED, NULL},
};

static const enum rl_op_id activations[] = {RL_OP_aten_relu, RL_OP_aten_hardtanh, RL_OP_aten_clamp};

// clang-format off
static const enum rl_op_id sharing[] = {
    RL_OP_aten_relu, RL_OP_aten_hardtanh, RL_OP_aten_clamp, RL_OP_aten_clamp_tensor, RL_OP_aten_pad,
    RL_OP_aten_constant_pad_nd, RL_OP_aten_dropout, RL_OP_aten_view, RL_OP_aten_view_copy,
    RL_OP_aten_view_as, RL_OP_aten_unsafe_view_internal, RL_OP_aten_reshape, RL_OP_aten_flatten,
    RL_OP_aten_unflatten_int, RL_OP_aten_squeeze, RL_OP_aten_squeeze_dim, RL_OP_aten_squeeze_dims,
    RL_OP_aten_squeeze_copy, RL_OP_aten_squeeze_copy_dim, RL_OP_aten_unsqueeze, RL_OP_aten_unsqueeze_copy,
    RL_OP_aten_permute, RL_OP_aten_permute_copy, RL_OP_aten_transpose, RL_OP_aten_transpose_copy_int,
    RL_OP_aten_t, RL_OP_aten_t_copy, RL_OP_aten_expand, RL_OP_aten_expand_copy, RL_OP_aten_repeat,
    RL_OP_aten_repeat_interleave_self_int, RL_OP_aten_tile, RL_OP_aten_flip, RL_OP_aten_select_int,
    RL_OP_aten_select_copy_int, RL_OP_aten_slice_tensor, RL_OP_aten_slice_copy_tensor,
    RL_OP_aten_split_tensor, RL_OP_aten_split_copy_tensor, RL_OP_aten_split_with_sizes, RL_OP_aten_chunk,
    RL_OP_aten_unbind_int, RL_OP_aten_unfold_copy, RL_OP_aten_as_strided_copy, RL_OP_aten_cat,
    RL_OP_aten_concat, RL_OP_aten_concatenate, RL_OP_aten_stack, RL_OP_aten_pixel_shuffle,
    RL_OP_aten_pixel_unshuffle, RL_OP_aten_index_tensor, RL_OP_aten_index_select, RL_OP_aten_index_put,
    RL_OP_aten_index_copy, RL_OP_aten_gather, RL_OP_aten_where, RL_OP_aten_where_self, RL_OP_aten_minimum,
    RL_OP_aten_maximum, RL_OP_aten_min_dim, RL_OP_aten_max_dim, RL_OP_aten_amin, RL_OP_aten_amax,
    RL_OP_aten_eq_tensor, RL_OP_aten_eq_scalar, RL_OP_aten_ne_tensor, RL_OP_aten_ne_scalar,
    RL_OP_aten_ge_tensor, RL_OP_aten_ge_scalar, RL_OP_aten_gt_tensor, RL_OP_aten_gt_scalar,
    RL_OP_aten_le_tensor, RL_OP_aten_le_scalar, RL_OP_aten_lt_tensor, RL_OP_aten_lt_scalar,
    RL_OP_aten_contiguous, RL_OP_aten_clone, RL_OP_aten_copy_, RL_OP_aten_alias, RL_OP_aten_alias_copy,
    RL_OP_aten_detach, RL_OP_aten_detach_, RL_OP_aten_detach_copy, RL_OP_aten_lift_fresh_copy,
    RL_OP_dim_order_clone, RL_OP_dim_order_to_copy,
};
// clang-format on

// What else moves elements, and meets integer tensors at run time: not in the stock quantizer's list.
static const enum rl_op_id sharing_besides[] = {
    RL_OP_aten_upsample_nearest2d, RL_OP_aten_upsample_nearest2d_vec, RL_OP_aten_reflection_pad1d,
    RL_OP_aten_reflection_pad2d,   RL_OP_aten_replication_pad1d,      RL_OP_aten_replication_pad2d,
};

static const enum rl_op_id with_weights[] = {RL_OP_aten_linear, RL_OP_aten_convolution, RL_OP_aten_conv1d,
                                             RL_OP_aten_conv2d, RL_OP_aten_conv_transpose2d_input};

static bool is_in(enum rl_op_id op, const enum rl_op_id *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i] == op) {
            return true;
        }
    }
    return false;
}

const struct rl_pattern *rl_pattern_find(enum rl_op_id op)
{
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        if (patterns[i].op == op) {
            return &patterns[i];
        }
    }
    return NULL;
}

bool rl_pattern_is_activation(enum rl_op_id op)
{
    return is_in(op, activations, sizeof activations / sizeof activations[0]);
}

bool rl_pattern_shares_grid(enum rl_op_id op, enum rl_quantizer quantizer)
{
    return is_in(op, sharing, sizeof sharing / sizeof sharing[0]) ||
           (quantizer != RL_QUANTIZER_STOCK &&
            is_in(op, sharing_besides, sizeof sharing_besides / sizeof sharing_besides[0]));
}

bool rl_pattern_has_weights(enum rl_op_id op)
{
    return is_in(op, with_weights, sizeof with_weights / sizeof with_weights[0]);
}

bool rl_pattern_is_transposed(enum rl_op_id op)
{
    return op == RL_OP_aten_conv_transpose2d_input;
}
