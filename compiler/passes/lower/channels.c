// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/lower/channels.h"

#include "compiler/passes/rewrite/integer_layer.h"
#include "compiler/passes/rewrite/match.h"
#include "rushlight/kernels/activation.h"

enum { MOST_CHANNELS = 1 << 20 }; // of a value whose channels are looked at

// ---- roles

static enum rl_channel_role role_of_layer(const struct rl_node *node)
{
    const int64_t *weights = rl_integer_layer_weights(node)->type.sizes;
    const int64_t channels = rl_node_tensor(node, "input")->type.sizes[1];

    if (rl_is_integer_linear(node)) {
        return RL_CHANNELS_WEIGHED;
    }
    if (!rl_is_integer_depthwise(node)) {
        return weights[3] == channels ? RL_CHANNELS_WEIGHED : RL_CHANNELS_PINNED; // groups
    }
    if (channels == 1) {
        return RL_CHANNELS_WEIGHED;
    }
    return weights[3] == channels ? RL_CHANNELS_SHARED : RL_CHANNELS_PINNED; // several results of one channel
}

static bool is_table(const struct rl_value *value)
{
    return rl_is_integer_constant(value, RL_INT8) && rl_tensor_numel(&value->type) == RL_TABLE_SIZE;
}

// Of rushlight::quantized_activation_s16.
static bool is_wide_table(const struct rl_node *node)
{
    const struct rl_value *table = rl_node_tensor(node, "table");
    const int64_t count = rl_is_integer_constant(table, RL_INT16) ? rl_tensor_numel(&table->type) : 0;

    if (rl_node_tensor(node, "input")->type.dtype == RL_INT8) {
        return count == RL_TABLE_SIZE && node->results[0]->type.dtype == RL_INT16;
    }
    return count == RL_CURVE_PLACES || count == 2 * RL_CURVE_PLACES;
}

// Whether a PReLU has constant factors, one for each sign, or one for each channel.
static bool has_factors(const struct rl_node *node)
{
    const struct rl_value *positive = rl_node_tensor(node, "positive_multipliers");
    const struct rl_value *negative = rl_node_tensor(node, "negative_multipliers");
    const struct rl_tensor_type *type = &rl_node_tensor(node, "input")->type;

    if (!rl_is_integer_constant(positive, RL_INT16) || !rl_is_integer_constant(negative, RL_INT16) ||
        !rl_tensor_same_sizes(&positive->type, &negative->type)) {
        return false;
    }
    const int64_t count = rl_tensor_numel(&positive->type);
    return count == 1 || (type->rank >= 2 && count == type->sizes[1]);
}

bool rl_prelu_has_channels(const struct rl_node *node)
{
    return rl_tensor_numel(&rl_node_tensor(node, "positive_multipliers")->type) > 1;
}

static enum rl_channel_role role_of(const struct rl_node *node)
{
    const struct rl_arg *pad;

    switch (node->op) {
    case RL_OP_cm_quantized_conv2d:
    case RL_OP_cm_quantized_depthwise_conv2d:
    case RL_OP_cm_quantized_linear:
    case RL_OP_rl_quantized_linear_s16:
    case RL_OP_rl_quantized_conv2d_s16:
    case RL_OP_rl_quantized_conv2d_s8_s16:
    case RL_OP_rl_quantized_depthwise_conv2d_s16:
        return rl_is_integer_layer(node) ? role_of_layer(node) : RL_CHANNELS_PINNED;
    case RL_OP_cm_quantized_activation:
        return is_table(rl_node_tensor(node, "lut")) ? RL_CHANNELS_SHARED : RL_CHANNELS_PINNED;
    case RL_OP_rl_quantized_activation_s16:
        return is_wide_table(node) ? RL_CHANNELS_SHARED : RL_CHANNELS_PINNED;
    case RL_OP_rl_quantized_prelu:
        return has_factors(node) ? RL_CHANNELS_SHARED : RL_CHANNELS_PINNED;
    case RL_OP_aten_constant_pad_nd:
        pad = rl_node_arg(node, "pad");
        return node->results[0]->type.rank == 4 && pad->count <= 4 ? RL_CHANNELS_SHARED : RL_CHANNELS_PINNED;
    case RL_OP_cm_quantized_add:
    case RL_OP_cm_quantized_mul:
    case RL_OP_cm_quantized_div:
    case RL_OP_cm_minimum:
    case RL_OP_cm_maximum:
    case RL_OP_cm_quantized_avg_pool2d:
    case RL_OP_cm_quantized_max_pool2d:
    case RL_OP_rl_quantized_avg_pool2d:
    case RL_OP_rl_quantized_add_s16:
    case RL_OP_rl_quantized_mul_s16:
    case RL_OP_rl_quantized_avg_pool2d_s16:
    case RL_OP_rl_quantized_max_pool2d_s16:
    case RL_OP_aten_clamp:
    case RL_OP_aten_view_copy:
        return RL_CHANNELS_SHARED;
    default:
        return RL_CHANNELS_PINNED;
    }
}

bool rl_channel_bound(const struct rl_node *node, int8_t *bound)
{
    const bool is_extremum = node->op == RL_OP_cm_minimum || node->op == RL_OP_cm_maximum;
    const struct rl_value *other = is_extremum ? rl_node_tensor(node, "other") : NULL;

    if (!rl_is_integer_constant(other, RL_INT8) || rl_tensor_numel(&other->type) != 1) {
        return false;
    }
    *bound = *(const int8_t *)other->data;
    return true;
}

int rl_channel_operands(const struct rl_node *node, struct rl_value *operands[2])
{
    const int other = rl_op_argument(rl_op_get(node->op), "other");
    int8_t bound;

    operands[0] = node->args[0].as.value;
    if (other < 0 || rl_channel_bound(node, &bound)) {
        return 1;
    }
    operands[1] = node->args[other].as.value;
    return 2;
}

// ---- groups

struct rl_channels *rl_channels_of(const struct rl_channel_map *map, const struct rl_value *value)
{
    return &map->items[value->mark];
}

static struct rl_channels *group_of(const struct rl_channel_map *map, struct rl_channels *item)
{
    while (item->parent != (int)(item - map->items)) {
        item = &map->items[item->parent];
    }
    return item;
}

struct rl_channels *rl_channel_group(const struct rl_channel_map *map, const struct rl_value *value)
{
    return group_of(map, rl_channels_of(map, value));
}

static void pin(const struct rl_channel_map *map, const struct rl_value *value)
{
    if (value && value->kind != RL_VALUE_SCRATCH) {
        rl_channel_group(map, value)->is_pinned = true;
    }
}

static void unite(const struct rl_channel_map *map, const struct rl_value *a, const struct rl_value *b)
{
    struct rl_channels *first = rl_channel_group(map, a), *second = rl_channel_group(map, b);

    first->is_pinned = first->is_pinned || second->is_pinned;
    second->parent = first->parent;
}

static void set_channels(const struct rl_channel_map *map, const struct rl_value *value, int axis, int64_t inner)
{
    struct rl_channels *item = rl_channels_of(map, value);
    const int64_t size = axis >= 0 && axis < value->type.rank ? value->type.sizes[axis] : 0;

    item->axis = axis;
    item->inner = inner;
    item->count = size % inner == 0 && size / inner <= MOST_CHANNELS ? size / inner : 0;
}

static int64_t product(const int64_t *sizes, int count)
{
    int64_t result = 1;

    for (int i = 0; i < count; i++) {
        result *= sizes[i];
    }
    return result;
}

// Where the channels of a view's operand are in its result. False if they are torn apart.
static bool find_viewed(const struct rl_channel_map *map, const struct rl_node *view, const struct rl_value *source)
{
    const struct rl_channels *from = rl_channels_of(map, source);
    const struct rl_tensor_type *to = &view->results[0]->type;
    const int64_t outer = from->axis >= 0 ? product(source->type.sizes, from->axis) : 0;

    if (from->count == 0 || rl_tensor_numel(&source->type) != rl_tensor_numel(to)) {
        return false;
    }
    for (int axis = 0; axis < to->rank; axis++) {
        if (product(to->sizes, axis) == outer && to->sizes[axis] > 0 && to->sizes[axis] % from->count == 0) {
            set_channels(map, view->results[0], axis, to->sizes[axis] / from->count);
            return true;
        }
    }
    return false;
}

static bool have_same_channels(const struct rl_channels *a, const struct rl_channels *b)
{
    return a->value->type.rank == b->value->type.rank && a->axis == b->axis && a->inner == b->inner &&
           a->count == b->count;
}

// Images whose channels are dimension 1.
static bool is_plain_image(const struct rl_channels *item)
{
    return item->value->type.rank == 4 && item->axis == 1 && item->inner == 1;
}

// A constant operand has its channels where the other one has them. One that another node uses, too, keeps its own.
static void place_constant(const struct rl_channel_map *map, const struct rl_value *constant,
                           const struct rl_value *other)
{
    const struct rl_channels *item = rl_channels_of(map, constant), *place = rl_channels_of(map, other);

    if (constant->kind == RL_VALUE_CONSTANT && item->parent == constant->mark) {
        set_channels(map, constant, place->axis, place->inner);
    }
}

// Whether the operator takes such integers.
static bool takes(const struct rl_node *node, enum rl_scalar_type dtype)
{
    switch (node->op) {
    case RL_OP_rl_quantized_activation_s16:
    case RL_OP_aten_constant_pad_nd:
    case RL_OP_aten_clamp:
    case RL_OP_aten_view_copy:
        return dtype == RL_INT8 || dtype == RL_INT16;
    case RL_OP_rl_quantized_depthwise_conv2d_s16:
    case RL_OP_rl_quantized_add_s16:
    case RL_OP_rl_quantized_mul_s16:
    case RL_OP_rl_quantized_avg_pool2d_s16:
    case RL_OP_rl_quantized_max_pool2d_s16:
        return dtype == RL_INT16;
    default:
        return dtype == RL_INT8;
    }
}

static bool join_shared(const struct rl_channel_map *map, const struct rl_node *node)
{
    const bool is_elementwise = node->op != RL_OP_aten_view_copy;
    struct rl_value *result = node->results[0], *operands[2];
    const int count = rl_channel_operands(node, operands);
    const struct rl_channels *first = rl_channels_of(map, operands[0]);
    const bool is_prelu = node->op == RL_OP_rl_quantized_prelu;
    const bool needs_image = !is_prelu && (rl_op_get(node->op)->layout == RL_LAYOUT_CHANNELS_LAST ||
                                           rl_op_get(node->op)->layout == RL_LAYOUT_IMAGE);

    if (count == 2 && operands[1]->kind == RL_VALUE_CONSTANT) {
        place_constant(map, operands[1], operands[0]);
    } else if (count == 2) {
        place_constant(map, operands[0], operands[1]);
        first = rl_channels_of(map, operands[1]);
    }
    if (is_elementwise) {
        set_channels(map, result, first->axis, first->inner);
    } else if (!find_viewed(map, node, operands[0])) {
        return false;
    }
    if (is_prelu && rl_prelu_has_channels(node) && (first->axis != 1 || first->inner != 1)) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        const struct rl_channels *item = rl_channels_of(map, operands[i]);
        if (!takes(node, operands[i]->type.dtype) || item->count == 0 || (needs_image && !is_plain_image(item)) ||
            (is_elementwise && !have_same_channels(item, rl_channels_of(map, result)))) {
            return false;
        }
    }
    for (int i = 0; i < count; i++) {
        unite(map, result, operands[i]);
    }
    return true;
}

static bool join_weighed(const struct rl_channel_map *map, const struct rl_node *node)
{
    const struct rl_value *input = rl_node_tensor(node, "input");
    const struct rl_channels *item = rl_channels_of(map, input);

    set_channels(map, node->results[0], rl_is_integer_linear(node) ? node->results[0]->type.rank - 1 : 1, 1);
    return rl_is_integer_linear(node) ? item->axis == input->type.rank - 1 : input->type.rank == 4 && item->axis == 1;
}

static void pin_all(const struct rl_channel_map *map, const struct rl_node *node)
{
    for (int i = 0; i < node->arg_count; i++) {
        const struct rl_arg *arg = &node->args[i];
        if (arg->kind == RL_ARG_VALUE) {
            pin(map, arg->as.value);
        }
        for (int k = 0; arg->kind == RL_ARG_VALUES && k < arg->count; k++) {
            pin(map, arg->as.values[k]);
        }
    }
    for (int i = 0; i < node->result_count; i++) {
        pin(map, node->results[i]);
    }
}

static void join(const struct rl_channel_map *map, const struct rl_node *node)
{
    const enum rl_channel_role role = role_of(node);

    if ((role == RL_CHANNELS_SHARED && join_shared(map, node)) ||
        (role == RL_CHANNELS_WEIGHED && join_weighed(map, node))) {
        rl_channels_of(map, node->results[0])->is_known = true;
    } else {
        pin_all(map, node);
    }
}

static void add_value(struct rl_channel_map *map, struct rl_value *value)
{
    map->items[map->count] = (struct rl_channels){.value = value, .parent = map->count};
    value->mark = map->count++;
    set_channels(map, value, value->type.rank == 4 ? 1 : value->type.rank - 1, 1);
}

static size_t count_values(const struct rl_graph *graph)
{
    size_t count = (size_t)rl_graph_source_count(graph);

    for (const struct rl_value *value = graph->constants; value; value = value->next) {
        count++;
    }
    for (const struct rl_node *node = graph->first; node; node = node->next) {
        count += (size_t)node->result_count;
    }
    return count;
}

void rl_channel_map_new(struct rl_graph *graph, struct rl_channel_map *map)
{
    *map = (struct rl_channel_map){.graph = graph};
    map->items = rl_arena_array(graph->arena, count_values(graph), sizeof *map->items);
    for (struct rl_value *value = graph->constants; value; value = value->next) {
        add_value(map, value);
    }
    for (int i = 0; i < rl_graph_source_count(graph); i++) {
        add_value(map, graph->inputs[i]);
        pin(map, graph->inputs[i]);
    }
    for (const struct rl_node *node = graph->first; node; node = node->next) {
        for (int i = 0; i < node->result_count; i++) {
            add_value(map, node->results[i]);
        }
    }
    for (const struct rl_node *node = graph->first; node; node = node->next) {
        join(map, node);
    }
    for (int i = 0; i < rl_graph_target_count(graph); i++) {
        pin(map, graph->outputs[i]);
    }
}

enum rl_channel_role rl_channel_role(const struct rl_channel_map *map, const struct rl_node *node)
{
    const bool is_known = node->result_count == 1 && rl_channels_of(map, node->results[0])->is_known;

    return is_known ? role_of(node) : RL_CHANNELS_PINNED;
}
