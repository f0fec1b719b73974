// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/rewrite/match.h"

#include <math.h>
#include <string.h>

#include "compiler/passes/rewrite/multiplier.h"
#include "compiler/passes/rewrite/rewrite.h"

// ---- nodes that quantize and dequantize

static void read_grid(const struct rl_node *node, struct rl_grid *grid)
{
    *grid = (struct rl_grid){
        .scale = rl_node_number(node, "scale"),
        .zero_point = rl_node_int(node, "zero_point"),
        .min = rl_node_int(node, "quant_min"),
        .max = rl_node_int(node, "quant_max"),
        .dtype = (enum rl_scalar_type)rl_node_int(node, "dtype"),
    };
}

bool rl_is_quantize(const struct rl_node *node, struct rl_grid *grid)
{
    if (!rl_op_get(node->op)->quantizes) {
        return false;
    }
    read_grid(node, grid);
    return true;
}

bool rl_is_dequantize(const struct rl_node *node, struct rl_grid *grid)
{
    if (!rl_op_get(node->op)->dequantizes) {
        return false;
    }
    read_grid(node, grid);
    return true;
}

static bool is_scale(double scale)
{
    return scale > 0.0 && isfinite(scale);
}

// Whether all integers of the grid are of the type, int8 or int16.
static bool is_grid_of(const struct rl_grid *grid, enum rl_scalar_type dtype)
{
    const int64_t least = dtype == RL_INT8 ? INT8_MIN : INT16_MIN;
    const int64_t largest = dtype == RL_INT8 ? INT8_MAX : INT16_MAX;
    return grid->dtype == dtype && grid->min >= least && grid->max <= largest && grid->min <= grid->max &&
           grid->zero_point >= least && grid->zero_point <= largest && is_scale(grid->scale);
}

static struct rl_value *integers_behind(const struct rl_value *value, enum rl_scalar_type dtype, struct rl_grid *grid)
{
    if (!value || value->kind != RL_VALUE_RESULT || !rl_is_dequantize(value->producer, grid) ||
        !is_grid_of(grid, dtype)) {
        return NULL;
    }
    struct rl_value *input = rl_node_tensor(value->producer, "input");
    return input->type.dtype == dtype && rl_tensor_same_sizes(&input->type, &value->type) ? input : NULL;
}

struct rl_value *rl_int8_behind(const struct rl_value *value, struct rl_grid *grid)
{
    return integers_behind(value, RL_INT8, grid);
}

bool rl_grid_equal(const struct rl_grid *a, const struct rl_grid *b)
{
    return a->scale == b->scale && a->zero_point == b->zero_point && a->dtype == b->dtype;
}

int64_t rl_grid_quantize(const struct rl_grid *grid, float real)
{
    const float inverse = (float)(1.0 / grid->scale);
    const double rounded = (double)nearbyintf(real * inverse) + (double)grid->zero_point;
    if (!(rounded > (double)grid->min)) {
        return grid->min;
    }
    return rounded < (double)grid->max ? (int64_t)rounded : grid->max;
}

// ---- operators between them

// The quantize node that is the only user of the value.
static struct rl_node *quantize_of(struct rl_graph *graph, const struct rl_value *value, enum rl_scalar_type dtype,
                                   struct rl_grid *grid)
{
    struct rl_node *user = rl_value_only_user(graph, value);
    if (!user || !rl_is_quantize(user, grid) || !is_grid_of(grid, dtype)) {
        return NULL;
    }
    const struct rl_tensor_type *type = &user->results[0]->type;
    return type->dtype == dtype && rl_tensor_same_sizes(type, &value->type) ? user : NULL;
}

static bool match_operands(struct rl_graph *graph, struct rl_node *node, int first, int count,
                           enum rl_scalar_type dtype, struct rl_match *match)
{
    const char *type = dtype == RL_INT16 ? "int16" : "int8";
    *match = (struct rl_match){.node = node};
    for (int i = 0; i < count; i++) {
        const struct rl_arg *arg = &node->args[first + i];
        const struct rl_value *operand = arg->kind == RL_ARG_VALUE ? arg->as.value : NULL;
        match->operands[i].value = integers_behind(operand, dtype, &match->operands[i].grid);
        if (!match->operands[i].value) {
            return rl_decline(graph, node, "input '%s' is not quantized to %s", operand ? operand->name : "None", type);
        }
    }
    match->quantize = quantize_of(graph, node->results[0], dtype, &match->output);
    if (!match->quantize) {
        return rl_decline(graph, node, "its result is not quantized to %s, or used before it is", type);
    }
    return true;
}

bool rl_match(struct rl_graph *graph, struct rl_node *node, int operand_count, struct rl_match *match)
{
    return match_operands(graph, node, 0, operand_count, RL_INT8, match);
}

bool rl_match_of_type(struct rl_graph *graph, struct rl_node *node, int operand_count, enum rl_scalar_type dtype,
                      struct rl_match *match)
{
    return match_operands(graph, node, 0, operand_count, dtype, match);
}

bool rl_match_argument(struct rl_graph *graph, struct rl_node *node, int argument, struct rl_match *match)
{
    return match_operands(graph, node, argument, 1, RL_INT8, match);
}

static bool is_channel_vector(const struct rl_tensor_type *type)
{
    return rl_tensor_numel(type) == type->sizes[1];
}

static bool can_be_paired(const struct rl_tensor_type *a, const struct rl_tensor_type *b,
                          const struct rl_tensor_type *output)
{
    if (rl_tensor_same_sizes(a, b)) {
        return true;
    }
    return a->rank == 4 && b->rank == 4 && a->sizes[1] == b->sizes[1] &&
           ((is_channel_vector(a) && rl_tensor_same_sizes(b, output)) ||
            (is_channel_vector(b) && rl_tensor_same_sizes(a, output)));
}

bool rl_match_binary(struct rl_graph *graph, struct rl_node *node, struct rl_match *match)
{
    if (!rl_match(graph, node, 2, match)) {
        return false;
    }
    if (!can_be_paired(&match->operands[0].value->type, &match->operands[1].value->type, &node->results[0]->type)) {
        return rl_decline(graph, node, "operands of different sizes; accepted: equal sizes, or one value per channel");
    }
    return true;
}

struct rl_node *rl_match_replace(struct rl_graph *graph, const struct rl_match *match, enum rl_op_id op)
{
    struct rl_value *quantized = match->quantize->results[0];
    struct rl_node *lowered =
        rl_insert_before(graph, match->quantize, op, match->node->name, match->node, &quantized->type);
    rl_graph_replace_uses(graph, quantized, lowered->results[0]);
    lowered->name = match->node->name;
    lowered->results[0]->name = match->node->results[0]->name;
    rl_graph_remove(graph, match->quantize);
    rl_graph_remove(graph, match->node);
    return lowered;
}

struct rl_node *rl_insert_clamp(struct rl_graph *graph, struct rl_node *before, struct rl_value *value, int64_t min,
                                int64_t max, const struct rl_node *like)
{
    struct rl_node *clamp = rl_insert_before(
        graph, before, RL_OP_aten_clamp, rl_arena_format(graph->arena, "%s_clamp", value->name), like, &value->type);
    rl_node_set(clamp, "self", rl_arg_value(value));
    rl_node_set(clamp, "min", rl_arg_int(min));
    rl_node_set(clamp, "max", rl_arg_int(max));
    return clamp;
}

void rl_match_clamp(struct rl_graph *graph, const struct rl_match *match, struct rl_node *lowered)
{
    const bool is_wide = match->output.dtype == RL_INT16;
    if (match->output.min <= (is_wide ? -INT16_MAX : INT8_MIN) &&
        match->output.max >= (is_wide ? INT16_MAX : INT8_MAX)) {
        return;
    }
    struct rl_value *result = lowered->results[0];
    const char *name = result->name;
    struct rl_node *clamp =
        rl_insert_clamp(graph, lowered->next, result, match->output.min, match->output.max, lowered);
    rl_graph_replace_uses(graph, result, clamp->results[0]);
    rl_node_set(clamp, "self", rl_arg_value(result));
    result->name = clamp->results[0]->name;
    clamp->results[0]->name = name;
}

struct rl_node *rl_sink_dequantize(struct rl_graph *graph, struct rl_node *node, enum rl_op_id op)
{
    struct rl_value *result = node->results[0];
    const struct rl_node *dequantize = node->args[0].as.value->producer;
    struct rl_tensor_type type = result->type;
    type.dtype = RL_INT8;
    const char *new_name = rl_graph_unique_name(graph, rl_arena_format(graph->arena, "%s_dequantize", node->name));
    struct rl_node *lowered = rl_insert_before(graph, node, op, new_name, node, &type);
    struct rl_value *integers = lowered->results[0];
    lowered->name = node->name;
    integers->name = result->name;
    node->name = new_name;
    result->name = new_name;
    rl_node_become(graph, node, dequantize->op);
    for (int i = 0; i < node->arg_count; i++) {
        node->args[i] = dequantize->args[i];
    }
    node->args[0] = rl_arg_value(integers);
    return lowered;
}

void rl_set_scratch(struct rl_graph *graph, struct rl_node *node)
{
    const struct rl_op *op = rl_op_get(node->op);
    for (int i = 0; i < op->arg_count; i++) {
        if (op->args[i].type == RL_TYPE_SCRATCH) {
            const char *name = rl_arena_format(graph->arena, "%s_%s", node->name, op->args[i].name);
            node->args[i] = rl_arg_value(rl_graph_add_scratch(graph, name, 0));
        }
    }
}

// ---- weights and biases

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
        if (!is_scale(list[c])) {
            return NULL;
        }
    }
    return list;
}

static const double *same_scales(struct rl_graph *graph, double scale, int64_t channels)
{
    if (!is_scale(scale)) {
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
        .per_channel = per_channel,
    };
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

static int32_t accumulator_of(double real, double scale)
{
    const double rounded = nearbyint(real / scale);
    if (rounded <= INT32_MIN) {
        return INT32_MIN;
    }
    return rounded >= INT32_MAX ? INT32_MAX : (int32_t)rounded;
}

bool rl_match_bias(struct rl_graph *graph, struct rl_node *node, double input_scale, const struct rl_weights *weights,
                   const struct rl_value **bias)
{
    const struct rl_value *value = rl_node_tensor(node, "bias");
    *bias = NULL;
    if (!value) {
        return true;
    }
    struct rl_weights quantized = {.value = NULL};
    const bool is_quantized = match_constant(graph, value, RL_INT32, 0, &quantized) && !quantized.zero_points;
    const bool is_float = value->kind == RL_VALUE_CONSTANT && value->type.dtype == RL_FLOAT32;
    const struct rl_value *source = is_quantized ? quantized.value : value;
    if ((!is_quantized && !is_float) || rl_tensor_numel(&source->type) != weights->channels) {
        return rl_decline(graph, node, "its bias is not constant");
    }
    // A bias on the grid of the accumulator keeps its integers; its scale may differ by a rounding to float32.
    int32_t *data = rl_arena_array(graph->arena, (size_t)weights->channels, sizeof *data);
    for (int64_t c = 0; c < weights->channels; c++) {
        const double scale = input_scale * weights->scales[c];
        if (!is_quantized) {
            data[c] = accumulator_of((double)((const float *)source->data)[c], scale);
            continue;
        }
        const int32_t integer = ((const int32_t *)source->data)[c];
        const bool same_grid = fabs(quantized.scales[c] - scale) <= 1e-6 * scale;
        data[c] = same_grid ? integer : accumulator_of(quantized.scales[c] * integer, scale);
    }
    const struct rl_tensor_type type = rl_tensor_type_make(RL_INT32, 1, &weights->channels);
    *bias = rl_graph_add_constant(graph, source->name, &type, data);
    return true;
}

bool rl_read_bias(struct rl_graph *graph, const struct rl_node *node, int64_t channels, double *values)
{
    const struct rl_value *value = rl_node_tensor(node, "bias");
    struct rl_weights quantized = {.value = NULL};
    if (!value) {
        memset(values, 0, (size_t)channels * sizeof *values);
        return true;
    }
    const bool is_quantized = match_constant(graph, value, RL_INT32, 0, &quantized) && !quantized.zero_points;
    const bool is_float = value->kind == RL_VALUE_CONSTANT && value->type.dtype == RL_FLOAT32;
    const struct rl_value *source = is_quantized ? quantized.value : value;
    if ((!is_quantized && !is_float) || rl_tensor_numel(&source->type) != channels) {
        return false;
    }
    for (int64_t c = 0; c < channels; c++) {
        values[c] = is_quantized ? quantized.scales[c] * ((const int32_t *)source->data)[c]
                                 : (double)((const float *)source->data)[c];
    }
    return true;
}

struct rl_value *rl_int32_vector(struct rl_graph *graph, const char *stem, const char *suffix, const int32_t *data,
                                 int64_t count)
{
    const struct rl_tensor_type type = rl_tensor_type_make(RL_INT32, 1, &count);
    return rl_graph_add_constant(graph, rl_arena_format(graph->arena, "%s_%s", stem, suffix), &type, data);
}

void rl_set_requantization(struct rl_graph *graph, struct rl_node *lowered, const struct rl_match *match,
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
    rl_node_set(lowered, "input_offset", rl_arg_int(-match->operands[0].grid.zero_point));
    rl_node_set(lowered, "output_offset", rl_arg_int(match->output.zero_point));
    rl_node_set(lowered, "activation_min", rl_arg_int(match->output.min));
    rl_node_set(lowered, "activation_max", rl_arg_int(match->output.max));
    rl_node_set(lowered, "requantize_multipliers",
                rl_arg_value(rl_int32_vector(graph, lowered->name, "multipliers", multipliers, channels)));
    rl_node_set(lowered, "requantize_shifts",
                rl_arg_value(rl_int32_vector(graph, lowered->name, "shifts", shifts, channels)));
}
