// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/rewrite/weights.h"

#include <math.h>

#include "compiler/passes/rewrite/multiplier.h"
#include "compiler/passes/rewrite/rewrite.h"

// ---- weights

// Reads one zero point per channel into *result, or NULL if all are 0. False when they are not constant integers that
// int8 can hold.
static bool channel_zero_points(struct rl_graph *graph, const struct rl_value *vector, int64_t channels,
                                const int64_t **result)
{
    bool all_zero = true;
    *result = NULL;
    if (!vector) {
        return true;
    }
    if (vector->kind != RL_VALUE_CONSTANT || rl_tensor_numel(&vector->type) != channels ||
        (vector->type.dtype != RL_INT64 && vector->type.dtype != RL_INT32)) {
        return false;
    }
    int64_t *list = rl_arena_array(graph->arena, (size_t)channels, sizeof *list);
    for (int64_t c = 0; c < channels; c++) {
        const bool is_wide = vector->type.dtype == RL_INT64;
        list[c] = is_wide ? ((const int64_t *)vector->data)[c] : ((const int32_t *)vector->data)[c];
        all_zero = all_zero && list[c] == 0;
        if (list[c] < INT8_MIN || list[c] > INT8_MAX) {
            return false;
        }
    }
    *result = all_zero ? NULL : list;
    return true;
}

static const int64_t *same_zero_points(struct rl_graph *graph, int64_t zero_point, int64_t channels)
{
    if (zero_point == 0) {
        return NULL;
    }
    int64_t *list = rl_arena_array(graph->arena, (size_t)channels, sizeof *list);
    for (int64_t c = 0; c < channels; c++) {
        list[c] = zero_point;
    }
    return list;
}

// Scales of the per-channel dequantize node, one per item of dimension `axis`.
static const double *channel_scales(struct rl_graph *graph, const struct rl_node *dequantize, int axis,
                                    int64_t channels)
{
    const struct rl_value *scales = rl_node_tensor(dequantize, "scales");
    if (rl_node_int(dequantize, "axis") != axis || scales->kind != RL_VALUE_CONSTANT ||
        rl_tensor_numel(&scales->type) != channels) {
        return NULL;
    }
    double *list = rl_arena_array(graph->arena, (size_t)channels, sizeof *list);
    for (int64_t c = 0; c < channels; c++) {
        if (scales->type.dtype == RL_FLOAT32) {
            list[c] = (double)((const float *)scales->data)[c];
        } else if (scales->type.dtype == RL_FLOAT64) {
            list[c] = ((const double *)scales->data)[c];
        } else {
            return NULL;
        }
        if (!rl_is_scale(list[c])) {
            return NULL;
        }
    }
    return list;
}

static const double *same_scales(struct rl_graph *graph, double scale, int64_t channels)
{
    if (!rl_is_scale(scale)) {
        return NULL;
    }
    double *list = rl_arena_array(graph->arena, (size_t)channels, sizeof *list);
    for (int64_t c = 0; c < channels; c++) {
        list[c] = scale;
    }
    return list;
}

// Reads the scales and zero points of the dequantize node of a constant.
static bool read_channels(struct rl_graph *graph, const struct rl_node *dequantize, struct rl_weights *weights)
{
    struct rl_grid grid;
    if (weights->per_channel) {
        weights->scales = channel_scales(graph, dequantize, weights->axis, weights->channels);
        return weights->scales && channel_zero_points(graph, rl_node_tensor(dequantize, "zero_points"),
                                                      weights->channels, &weights->zero_points);
    }
    if (!rl_is_dequantize(dequantize, &grid) || grid.zero_point < INT8_MIN || grid.zero_point > INT8_MAX) {
        return false;
    }
    weights->scales = same_scales(graph, grid.scale, weights->channels);
    weights->zero_points = same_zero_points(graph, grid.zero_point, weights->channels);
    return weights->scales;
}

// The constant behind a dequantized value, its scales and zero points.
static bool match_constant(struct rl_graph *graph, const struct rl_value *value, enum rl_scalar_type dtype, int axis,
                           struct rl_weights *weights)
{
    if (!value || value->kind != RL_VALUE_RESULT) {
        return false;
    }
    const struct rl_node *dequantize = value->producer;
    const bool per_channel = dequantize->op == RL_OP_qd_dequantize_per_channel;
    if (!per_channel && dequantize->op != RL_OP_qd_dequantize_per_tensor) {
        return false;
    }
    const struct rl_value *constant = rl_node_tensor(dequantize, "input");
    if (constant->kind != RL_VALUE_CONSTANT || constant->type.dtype != dtype || constant->type.rank <= axis ||
        !rl_tensor_same_sizes(&constant->type, &value->type)) {
        return false;
    }
    *weights = (struct rl_weights){
        .value = constant,
        .axis = axis,
        .channels = constant->type.sizes[axis],
        .stride = 1,
        .per_channel = per_channel,
    };
    for (int d = axis + 1; d < constant->type.rank; d++) {
        weights->stride *= constant->type.sizes[d];
    }
    return read_channels(graph, dequantize, weights);
}

bool rl_match_weights(struct rl_graph *graph, struct rl_node *node, const char *argument, struct rl_weights *weights)
{
    return rl_match_channel_weights(graph, node, argument, 0, weights);
}

bool rl_match_channel_weights(struct rl_graph *graph, struct rl_node *node, const char *argument, int axis,
                              struct rl_weights *weights)
{
    if (!rl_match_shifted_weights(graph, node, argument, axis, weights)) {
        return false;
    }
    return !weights->zero_points || rl_decline(graph, node, "its weights have a zero point other than 0");
}

bool rl_match_shifted_weights(struct rl_graph *graph, struct rl_node *node, const char *argument, int axis,
                              struct rl_weights *weights)
{
    if (match_constant(graph, rl_node_tensor(node, argument), RL_INT8, axis, weights)) {
        return true;
    }
    return rl_decline(graph, node, "its weights are not int8 constants with a scale per tensor or output channel");
}

int64_t rl_weight_channel(const struct rl_weights *weights, int64_t index)
{
    return index / weights->stride % weights->channels;
}

int64_t rl_weight(const struct rl_weights *weights, int64_t index)
{
    const int8_t *data = weights->value->data;
    const int64_t zero_point = weights->zero_points ? weights->zero_points[rl_weight_channel(weights, index)] : 0;
    return data[rl_constant_offset(weights->value, index)] - zero_point;
}

bool rl_weights_have_one_grid(const struct rl_weights *weights)
{
    for (int64_t c = 1; c < weights->channels; c++) {
        if (weights->scales[c] != weights->scales[0] ||
            (weights->zero_points && weights->zero_points[c] != weights->zero_points[0])) {
            return false;
        }
    }
    return true;
}

// ---- biases

static int32_t accumulator_of(double real, double scale)
{
    const double rounded = nearbyint(real / scale);
    if (rounded <= INT32_MIN) {
        return INT32_MIN;
    }
    return rounded >= INT32_MAX ? INT32_MAX : (int32_t)rounded;
}

// A constant bias: floats, or integers without a zero point. *value is NULL when there is none.
struct bias {
    const struct rl_value *value;
    const double *scales; // of its integers, one per channel; NULL: floats
};

// False when the bias is not constant.
static bool find_bias(struct rl_graph *graph, const struct rl_node *node, int64_t channels, struct bias *bias)
{
    const struct rl_value *value = rl_node_tensor(node, "bias");
    struct rl_weights quantized = {.value = NULL};
    *bias = (struct bias){.value = value};
    if (!value) {
        return true;
    }
    if (match_constant(graph, value, RL_INT32, 0, &quantized) && !quantized.zero_points) {
        *bias = (struct bias){quantized.value, quantized.scales};
    } else if (value->kind != RL_VALUE_CONSTANT || value->type.dtype != RL_FLOAT32) {
        return false;
    }
    return rl_tensor_numel(&bias->value->type) == channels;
}

static double real_bias(const struct bias *bias, int64_t channel)
{
    return bias->scales ? bias->scales[channel] * ((const int32_t *)bias->value->data)[channel]
                        : (double)((const float *)bias->value->data)[channel];
}

bool rl_match_bias(struct rl_graph *graph, struct rl_node *node, double input_scale, const struct rl_weights *weights,
                   const struct rl_value **bias)
{
    struct bias source;
    *bias = NULL;
    if (!find_bias(graph, node, weights->channels, &source)) {
        return rl_decline(graph, node, "its bias is not constant");
    }
    if (!source.value) {
        return true;
    }
    // A bias on the grid of the accumulator keeps its integers; its scale may differ by a rounding to float32.
    int32_t *data = rl_arena_array(graph->arena, (size_t)weights->channels, sizeof *data);
    for (int64_t c = 0; c < weights->channels; c++) {
        const double scale = input_scale * weights->scales[c];
        const bool same_grid = source.scales && fabs(source.scales[c] - scale) <= 1e-6 * scale;
        data[c] = same_grid ? ((const int32_t *)source.value->data)[c] : accumulator_of(real_bias(&source, c), scale);
    }
    const struct rl_tensor_type type = rl_tensor_type_make(RL_INT32, 1, &weights->channels);
    *bias = rl_graph_add_constant(graph, source.value->name, &type, data);
    return true;
}

bool rl_read_bias(struct rl_graph *graph, const struct rl_node *node, int64_t channels, double *values)
{
    struct bias bias;
    if (!find_bias(graph, node, channels, &bias)) {
        return false;
    }
    for (int64_t c = 0; c < channels; c++) {
        values[c] = bias.value ? real_bias(&bias, c) : 0.0;
    }
    return true;
}

// ---- requantization

struct rl_value *rl_int32_vector(struct rl_graph *graph, const char *stem, const char *suffix, const int32_t *data,
                                 int64_t count)
{
    const struct rl_tensor_type type = rl_tensor_type_make(RL_INT32, 1, &count);
    return rl_graph_add_constant(graph, rl_arena_format(graph->arena, "%s_%s", stem, suffix), &type, data);
}

void rl_set_requantization(struct rl_graph *graph, struct rl_node *lowered, const struct rl_match *match,
                           const struct rl_weights *weights)
{
    rl_node_set(lowered, "input_offset", rl_arg_int(-match->operands[0].grid.zero_point));
    rl_node_set(lowered, "output_offset", rl_arg_int(match->output.zero_point));
    rl_node_set(lowered, "activation_min", rl_arg_int(match->output.min));
    rl_node_set(lowered, "activation_max", rl_arg_int(match->output.max));
    rl_set_scales(graph, lowered, match, weights);
}

void rl_set_scales(struct rl_graph *graph, struct rl_node *lowered, const struct rl_match *match,
                   const struct rl_weights *weights)
{
    const int64_t channels = weights->channels;
    int32_t *multipliers = rl_arena_array(graph->arena, (size_t)channels, sizeof *multipliers);
    int32_t *shifts = rl_arena_array(graph->arena, (size_t)channels, sizeof *shifts);
    for (int64_t c = 0; c < channels; c++) {
        const struct rl_multiplier factor =
            rl_multiplier_of(match->operands[0].grid.scale * weights->scales[c] / match->output.scale);
        multipliers[c] = factor.multiplier;
        shifts[c] = factor.shift;
    }
    rl_node_set(lowered, "requantize_multipliers",
                rl_arg_value(rl_int32_vector(graph, lowered->name, "multipliers", multipliers, channels)));
    rl_node_set(lowered, "requantize_shifts",
                rl_arg_value(rl_int32_vector(graph, lowered->name, "shifts", shifts, channels)));
}
