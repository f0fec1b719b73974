// SPDX-License-Identifier: Apache-2.0
//
// Finds the channels that hold one integer at run time, whatever the input: those of layers whose weights are all zero,
// and what other operators make of them. The integers come from the arithmetic of the kernels themselves.
#include "compiler/passes/lower/channels.h"

#include <stdlib.h>
#include <string.h>

#include "compiler/passes/rewrite/rewrite.h"
#include "kernels/requantize.h"
#include "rushlight/kernels/activation.h"
#include "rushlight/kernels/elementwise.h"
#include "rushlight/kernels/pooling.h"

static const int32_t *constants_of(const struct rl_channel_map *map, const struct rl_value *value)
{
    return rl_channels_of(map, value)->constants;
}

static int32_t number(const struct rl_node *node, const char *name)
{
    return (int32_t)rl_node_int(node, name);
}

static bool is_within(const struct rl_node *node, const char *name, int64_t low, int64_t high)
{
    return rl_node_int(node, name) >= low && rl_node_int(node, name) <= high;
}

// ---- convolutions and linear layers

static int32_t wide_output_of(const struct rl_channel_layer *layer, int64_t sum, int32_t multiplier, int32_t shift)
{
    enum { MOST_SHIFT = 14 }; // of the kernel

    if (shift < -31 || shift > MOST_SHIFT || multiplier < 0 || !rl_channel_sum_fits(layer, sum)) {
        return RL_CHANNEL_VARIES;
    }
    return rl_clamp_s32(rl_requantize_s64(sum, rl_reduce_multiplier(multiplier), shift),
                        number(layer->node, "activation_min"), number(layer->node, "activation_max"));
}

// The integer for a sum. A sum that leaves int32 when it is shifted to the left is left to the kernels.
static int32_t output_of(const struct rl_channel_layer *layer, int64_t output, int64_t sum)
{
    const struct rl_node *node = layer->node;
    const struct rl_arg *multipliers = rl_node_arg(node, "requantize_multipliers");
    const struct rl_arg *shifts = rl_node_arg(node, "requantize_shifts");
    const bool has_one = multipliers->kind == RL_ARG_INTS;
    const int32_t multiplier =
        has_one ? (int32_t)multipliers->as.integers[0] : ((const int32_t *)multipliers->as.value->data)[output];
    const int32_t shift = has_one ? (int32_t)shifts->as.integers[0] : ((const int32_t *)shifts->as.value->data)[output];

    if (layer->is_wide) {
        return wide_output_of(layer, sum, multiplier, shift);
    }
    if (shift < -31 || shift > 30 || llabs(sum) > INT32_MAX >> (shift > 0 ? shift : 0)) {
        return RL_CHANNEL_VARIES;
    }
    return rl_output_s8(rl_requantize((int32_t)sum, multiplier, shift), number(node, "output_offset"),
                        number(node, "activation_min"), number(node, "activation_max"));
}

static int32_t layer_constant(const struct rl_channel_map *map, const struct rl_channel_layer *layer, int64_t output,
                              bool takes_constants)
{
    const int64_t first = layer->is_depthwise ? output * layer->inputs / layer->outputs : 0;
    const int64_t end = layer->is_depthwise ? first + 1 : layer->inputs;
    const int32_t *constants = constants_of(map, layer->input);
    int64_t sum = rl_channel_bias(layer, output);

    for (int64_t i = first; i < end; i++) {
        const int32_t constant = constants[i / layer->inner];
        if (!rl_channel_is_weighed(layer, output, i)) {
            continue;
        }
        if (!takes_constants || !rl_channel_adds_constant(layer, constant)) {
            return RL_CHANNEL_VARIES;
        }
        sum += (constant + layer->input_offset) * rl_channel_weight_sum(layer, output, i);
    }
    return output_of(layer, output, sum);
}

static void find_in_layer(const struct rl_channel_map *map, const struct rl_channel_layer *layer, int32_t *found)
{
    const bool takes_constants = rl_channel_constants_fit(map, layer);
    const enum rl_scalar_type dtype = layer->is_wide ? RL_INT16 : RL_INT8;

    for (int64_t i = 0; i < layer->outputs && layer->node->results[0]->type.dtype == dtype; i++) {
        found[i] = layer_constant(map, layer, i, takes_constants);
    }
}

// ---- operators that work channel by channel

static bool window_of(const struct rl_node *node, int64_t window[2])
{
    return rl_node_ints(node, "kernel_size", 2, 1, window) && !rl_channel_reaches_padding(node, window[0], window[1]);
}

// Of one window inside the image.
static int32_t scaled_average(const struct rl_channel_map *map, const struct rl_node *node, int32_t value)
{
    enum { MOST_WINDOW = 1 << 22 }; // of the kernel
    struct rl_pool pool = {.kind = RL_POOL_SCALED_AVERAGE, .stride = {1, 1}, .range = {INT8_MIN, INT8_MAX}};
    int64_t window[2];
    int8_t output;

    if (!window_of(node, window) || window[0] < 1 || window[1] < 1 || window[0] * window[1] > MOST_WINDOW ||
        !is_within(node, "input_zero_point", INT8_MIN, INT8_MAX) || !is_within(node, "shift", -31, 30)) {
        return RL_CHANNEL_VARIES;
    }
    pool.window = (struct rl_extent){(int32_t)window[0], (int32_t)window[1]};
    pool.input = (struct rl_image){1, pool.window.h, pool.window.w, 1};
    pool.output = (struct rl_image){1, 1, 1, 1};
    pool.input_offset = -number(node, "input_zero_point");
    pool.output_offset = number(node, "output_zero_point");
    pool.scale = (struct rl_scale){number(node, "multiplier"), number(node, "shift")};
    if (rl_pool_prepare(&pool) != RL_OK) {
        return RL_CHANNEL_VARIES;
    }
    const size_t count = (size_t)(window[0] * window[1]);
    int8_t *input = rl_arena_alloc(map->graph->arena, count);
    memset(input, value, count);
    rl_scaled_average_pool_run(&pool, input, &output);
    return output;
}

static int32_t maximum(const struct rl_node *node, int32_t value)
{
    int64_t window[2];

    if (!window_of(node, window)) {
        return RL_CHANNEL_VARIES;
    }
    return rl_clamp_s32(value, number(node, "activation_min"), number(node, "activation_max"));
}

static int32_t padded(const struct rl_node *node, int32_t value)
{
    return rl_node_number(node, "value") == value ? value : RL_CHANNEL_VARIES;
}

static bool fits(const struct rl_tensor_type *type, int64_t value)
{
    if (type->dtype == RL_INT16) {
        return value >= INT16_MIN && value <= INT16_MAX;
    }
    return value >= INT8_MIN && value <= INT8_MAX;
}

static int32_t clamped(const struct rl_node *node, int32_t value)
{
    const struct rl_arg *min = rl_node_arg(node, "min"), *max = rl_node_arg(node, "max");
    const bool has_integers =
        (min->kind == RL_ARG_NONE || min->kind == RL_ARG_INT) && (max->kind == RL_ARG_NONE || max->kind == RL_ARG_INT);
    int64_t result = value;

    if (!has_integers) {
        return RL_CHANNEL_VARIES;
    }
    if (min->kind == RL_ARG_INT && result < min->as.integer) {
        result = min->as.integer;
    }
    if (max->kind == RL_ARG_INT && result > max->as.integer) {
        result = max->as.integer;
    }
    return fits(&node->results[0]->type, result) ? (int32_t)result : RL_CHANNEL_VARIES;
}

static bool is_addend(const struct rl_node *node, const char *zero_point, const char *shift)
{
    return is_within(node, zero_point, INT8_MIN, INT8_MAX) && is_within(node, shift, -31, 0);
}

static int32_t sum_of_two(const struct rl_node *node, int8_t a, int8_t b)
{
    enum { LEFT_SHIFT = 20 }; // as in the operator
    int8_t output;

    if (!is_addend(node, "self_zero_point", "self_shift") || !is_addend(node, "other_zero_point", "other_shift") ||
        !is_within(node, "output_shift", -31, 30)) {
        return RL_CHANNEL_VARIES;
    }
    const struct rl_add add = {
        .input = {{-number(node, "self_zero_point"), {number(node, "self_multiplier"), number(node, "self_shift")}},
                  {-number(node, "other_zero_point"), {number(node, "other_multiplier"), number(node, "other_shift")}}},
        .left_shift = LEFT_SHIFT,
        .output_offset = number(node, "output_zero_point"),
        .scale = {number(node, "output_multiplier"), number(node, "output_shift")},
        .range = {number(node, "activation_min"), number(node, "activation_max")},
        .count = 1};
    rl_add_run(&add, &a, &b, &output, (struct rl_scratch){NULL, 0});
    return output;
}

static int32_t wide_sum_of_two(const struct rl_node *node, int16_t a, int16_t b)
{
    enum { LEFT_SHIFT = 15 }; // as in the operator
    int16_t output;

    if (!is_within(node, "self_shift", -31, 0) || !is_within(node, "other_shift", -31, 0) ||
        !is_within(node, "output_shift", -31, 30)) {
        return RL_CHANNEL_VARIES;
    }
    const struct rl_add add = {.input = {{0, {number(node, "self_multiplier"), number(node, "self_shift")}},
                                         {0, {number(node, "other_multiplier"), number(node, "other_shift")}}},
                               .left_shift = LEFT_SHIFT,
                               .scale = {number(node, "output_multiplier"), number(node, "output_shift")},
                               .range = {number(node, "activation_min"), number(node, "activation_max")},
                               .count = 1};
    rl_add_s16_run(&add, &a, &b, &output);
    return output;
}

static int32_t of_two(const struct rl_node *node, int32_t a, int32_t b)
{
    switch (node->op) {
    case RL_OP_cm_quantized_add:
        return sum_of_two(node, (int8_t)a, (int8_t)b);
    case RL_OP_rl_quantized_add_s16:
        return wide_sum_of_two(node, (int16_t)a, (int16_t)b);
    case RL_OP_cm_minimum:
        return a < b ? a : b;
    case RL_OP_cm_maximum:
        return a > b ? a : b;
    default:
        return RL_CHANNEL_VARIES;
    }
}

// Of a table for int8, or of places for int16.
static int32_t looked_up(const struct rl_node *node, int32_t value)
{
    const struct rl_value *table = rl_node_tensor(node, "table");
    const struct rl_curve curve = {table->data, rl_tensor_numel(&table->type) > RL_CURVE_PLACES, 1};
    const int16_t input = (int16_t)value;
    int16_t wide;
    int8_t narrow;

    if (rl_node_tensor(node, "input")->type.dtype == RL_INT8) {
        return ((const int16_t *)table->data)[value - INT8_MIN];
    }
    if (node->results[0]->type.dtype == RL_INT16) {
        rl_curve_s16_run(&curve, &input, &wide);
        return wide;
    }
    rl_curve_run(&curve, &input, &narrow);
    return narrow;
}

static int32_t rectified(const struct rl_node *node, int64_t channel, int32_t value)
{
    const int16_t *positive = rl_node_tensor(node, "positive_multipliers")->data;
    const int16_t *negative = rl_node_tensor(node, "negative_multipliers")->data;
    const int64_t at = rl_prelu_has_channels(node) ? channel : 0;
    const struct rl_prelu prelu = {.outer = 1,
                                   .channels = 1,
                                   .inner = 1,
                                   .input_offset = -number(node, "input_zero_point"),
                                   .output_offset = number(node, "output_zero_point"),
                                   .shift = number(node, "prelu_shift"),
                                   .positive = positive + at,
                                   .negative = negative + at};
    const int8_t input = (int8_t)value;
    int8_t output;

    if (!is_within(node, "input_zero_point", INT8_MIN, INT8_MAX) || !is_within(node, "prelu_shift", 1, 15)) {
        return RL_CHANNEL_VARIES;
    }
    rl_prelu_run(&prelu, &input, &output);
    return output;
}

static int32_t of_one(const struct rl_channel_map *map, const struct rl_node *node, int32_t value)
{
    int64_t window[2];
    int8_t bound;

    if (rl_channel_bound(node, &bound)) {
        return of_two(node, value, bound);
    }
    switch (node->op) {
    case RL_OP_cm_quantized_activation:
        return ((const int8_t *)rl_node_tensor(node, "lut")->data)[value - INT8_MIN];
    case RL_OP_rl_quantized_activation_s16:
        return looked_up(node, value);
    case RL_OP_rl_quantized_avg_pool2d:
        return scaled_average(map, node, value);
    case RL_OP_cm_quantized_max_pool2d:
        return maximum(node, value);
    case RL_OP_rl_quantized_max_pool2d_s16:
        return window_of(node, window) ? value : RL_CHANNEL_VARIES;
    case RL_OP_aten_constant_pad_nd:
        return padded(node, value);
    case RL_OP_aten_clamp:
        return clamped(node, value);
    default: // an average on the grid of its input; a view
        return value;
    }
}

static void find_in_shared(const struct rl_channel_map *map, const struct rl_node *node, int32_t *found)
{
    struct rl_value *operands[2];
    const int operand_count = rl_channel_operands(node, operands);
    const int64_t count = rl_channels_of(map, node->results[0])->count;
    const int32_t *first = constants_of(map, operands[0]);

    for (int64_t i = 0; i < count; i++) {
        const int32_t second = operand_count == 2 ? constants_of(map, operands[1])[i] : 0;
        if (first[i] != RL_CHANNEL_VARIES && node->op == RL_OP_rl_quantized_prelu) {
            found[i] = rectified(node, i, first[i]);
        } else if (first[i] != RL_CHANNEL_VARIES && second != RL_CHANNEL_VARIES) {
            found[i] = operand_count == 2 ? of_two(node, first[i], second) : of_one(map, node, first[i]);
        }
    }
}

// ---- all values

// A channel of a constant that repeats one integer.
static void find_in_constant(const struct rl_channels *item)
{
    const struct rl_value *value = item->value;
    const int64_t elements = rl_tensor_numel(&value->type);
    int64_t below = item->inner;

    for (int d = item->axis + 1; d < value->type.rank; d++) {
        below *= value->type.sizes[d];
    }
    for (int64_t i = 0; i < elements; i++) {
        const int64_t at = rl_constant_offset(value, i);
        const int32_t element =
            value->type.dtype == RL_INT8 ? ((const int8_t *)value->data)[at] : ((const int16_t *)value->data)[at];
        int32_t *known = &item->constants[i / below % item->count];
        const bool is_first = i < below * item->count && i % below == 0;
        *known = is_first || *known == element ? element : RL_CHANNEL_VARIES;
    }
}

static void start(const struct rl_channel_map *map, struct rl_channels *item)
{
    item->constants = rl_arena_array(map->graph->arena, (size_t)item->count, sizeof *item->constants);
    for (int64_t i = 0; i < item->count; i++) {
        item->constants[i] = RL_CHANNEL_VARIES;
    }
}

void rl_channel_constants(struct rl_channel_map *map)
{
    for (int i = 0; i < map->count; i++) {
        struct rl_channels *item = &map->items[i];
        start(map, item);
        const enum rl_scalar_type dtype = item->value->type.dtype;
        if (item->value->kind == RL_VALUE_CONSTANT && (dtype == RL_INT8 || dtype == RL_INT16) && item->count > 0) {
            find_in_constant(item);
        }
    }
    for (struct rl_node *node = map->graph->first; node; node = node->next) {
        const enum rl_channel_role role = rl_channel_role(map, node);
        struct rl_channel_layer layer;
        if (rl_channel_layer(map, node, &layer)) {
            find_in_layer(map, &layer, rl_channels_of(map, node->results[0])->constants);
        } else if (role == RL_CHANNELS_SHARED) {
            find_in_shared(map, node, rl_channels_of(map, node->results[0])->constants);
        }
    }
}
