// SPDX-License-Identifier: Apache-2.0
//
// Takes the channels that no group keeps out of values and constants.
#include "compiler/passes/lower/channels.h"

#include <string.h>

#include "compiler/passes/rewrite/rewrite.h"

// The channels of one dimension that stay. Index i of the dimension belongs to channel i / inner.
struct selection {
    const int64_t *kept;
    int64_t count, inner;
};

static struct selection selection_of(const struct rl_channel_map *map, const struct rl_value *value)
{
    const struct rl_channels *group = rl_channel_group(map, value);

    return (struct selection){group->kept, group->kept_count, rl_channels_of(map, value)->inner};
}

static bool is_narrowed(const struct rl_channel_map *map, const struct rl_value *value)
{
    const struct rl_channels *group = rl_channel_group(map, value);

    return group->kept_count < group->count;
}

// The constant with the selected part of dimension `axis`, in row-major order.
static struct rl_value *select_part(struct rl_graph *graph, const struct rl_value *constant, int axis,
                                    const struct selection *selection)
{
    struct rl_tensor_type type = rl_tensor_type_make(constant->type.dtype, constant->type.rank, constant->type.sizes);
    const size_t element = rl_scalar_size((int)type.dtype);
    const int64_t before = type.sizes[axis], after = selection->count * selection->inner;
    int64_t below = 1;

    for (int d = axis + 1; d < type.rank; d++) {
        below *= type.sizes[d];
    }
    type.sizes[axis] = after;
    const int64_t count = rl_tensor_numel(&type);
    unsigned char *data = rl_arena_array(graph->arena, (size_t)count, element);
    for (int64_t i = 0; i < count; i++) {
        const int64_t index = i / below % after;
        const int64_t source = selection->kept[index / selection->inner] * selection->inner + index % selection->inner;
        const int64_t from = (i / below / after * before + source) * below + i % below;
        memcpy(data + (size_t)i * element,
               (const unsigned char *)constant->data + (size_t)rl_constant_offset(constant, from) * element, element);
    }
    return rl_graph_take_constant(graph, constant->name, &type, data);
}

// Narrows the constant that an argument holds, if it holds one, in dimension `axis` or its last.
enum { LAST = -1 };
static void select_argument(struct rl_graph *graph, struct rl_node *node, const char *name, int axis,
                            const struct selection *selection)
{
    const int index = rl_op_argument(rl_op_get(node->op), name);
    struct rl_arg *arg = index >= 0 ? &node->args[index] : NULL;

    if (arg && arg->kind == RL_ARG_VALUE) {
        const int dim = axis == LAST ? arg->as.value->type.rank - 1 : axis;
        *arg = rl_arg_value(select_part(graph, arg->as.value, dim, selection));
    }
}

// ---- constant inputs become biases

static void mark_kept(const struct rl_channels *group, bool *stays)
{
    for (int64_t i = 0; i < group->kept_count; i++) {
        stays[group->kept[i]] = true;
    }
}

// What the dropped constant inputs add to the sum of an output, if each counts from `offset`.
static int64_t added(const struct rl_channel_map *map, const struct rl_channel_layer *layer, const bool *stays,
                     int64_t output, int64_t offset)
{
    const int32_t *constants = rl_channels_of(map, layer->input)->constants;
    int64_t sum = 0;

    for (int64_t i = 0; i < layer->inputs; i++) {
        const int32_t constant = constants[i / layer->inner];
        if (!stays[i / layer->inner] && constant != RL_CHANNEL_VARIES) {
            sum += (constant + offset) * rl_channel_weight_sum(layer, output, i);
        }
    }
    return sum;
}

static void add_to(struct rl_graph *graph, const struct rl_channel_layer *layer, const char *name,
                   const int64_t *added_sums)
{
    const int index = rl_op_argument(rl_op_get(layer->node->op), name);
    struct rl_arg *arg = &layer->node->args[index];
    const struct rl_value *old = arg->kind == RL_ARG_VALUE ? arg->as.value : NULL;
    const enum rl_scalar_type dtype = layer->is_wide ? RL_INT64 : RL_INT32;
    const struct rl_tensor_type type = old ? old->type : rl_tensor_type_make(dtype, 1, &layer->outputs);
    const char *stem = old ? old->name : rl_arena_format(graph->arena, "%s_bias", layer->node->name);
    void *data = rl_arena_array(graph->arena, (size_t)layer->outputs, rl_scalar_size((int)dtype));

    for (int64_t i = 0; i < layer->outputs; i++) {
        if (layer->is_wide) {
            ((int64_t *)data)[i] = added_sums[i] + (old ? ((const int64_t *)old->data)[i] : 0);
        } else { // wraps, as sums do
            ((uint32_t *)data)[i] = (uint32_t)added_sums[i] + (old ? ((const uint32_t *)old->data)[i] : 0u);
        }
    }
    *arg = rl_arg_value(rl_graph_add_constant(graph, stem, &type, data));
}

static void fold(const struct rl_channel_map *map, const struct rl_channel_layer *layer)
{
    const struct rl_channels *group = rl_channel_group(map, layer->input);
    const int sums = rl_op_argument(rl_op_get(layer->node->op), "kernel_sum");
    const bool has_sums = sums >= 0 && layer->node->args[sums].kind == RL_ARG_VALUE;
    bool *stays = rl_arena_array(map->graph->arena, (size_t)group->count, sizeof *stays);
    int64_t *to_bias = rl_arena_array(map->graph->arena, (size_t)layer->outputs, sizeof *to_bias);
    int64_t *to_sums = rl_arena_array(map->graph->arena, (size_t)layer->outputs, sizeof *to_sums);
    bool adds = false;

    mark_kept(group, stays);
    for (int64_t i = 0; i < layer->outputs; i++) {
        to_bias[i] = added(map, layer, stays, i, layer->input_offset);
        to_sums[i] = added(map, layer, stays, i, 0);
        adds = adds || to_bias[i] != 0 || (has_sums && to_sums[i] != 0);
    }
    if (adds && (!has_sums || rl_node_tensor(layer->node, "bias"))) {
        add_to(map->graph, layer, "bias", to_bias);
    }
    if (adds && has_sums) {
        add_to(map->graph, layer, "kernel_sum", to_sums);
    }
}

// ---- nodes

static void drop_inputs(const struct rl_channel_map *map, const struct rl_channel_layer *layer)
{
    const struct selection selection = selection_of(map, layer->input);

    fold(map, layer);
    select_argument(map->graph, layer->node, layer->is_linear ? "weights" : "weight", layer->is_linear ? 1 : 3,
                    &selection);
}

static void drop_outputs(const struct rl_channel_map *map, const struct rl_channel_layer *layer)
{
    static const char *const vectors[] = {"bias", "kernel_sum", "requantize_multipliers", "requantize_shifts"};
    struct rl_graph *graph = map->graph;
    struct rl_node *node = layer->node;
    const struct selection selection = selection_of(map, node->results[0]);

    select_argument(graph, node, layer->is_linear ? "weights" : "weight", layer->is_depthwise ? 3 : 0, &selection);
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        select_argument(graph, node, vectors[i], LAST, &selection);
    }
    if (layer->is_depthwise && layer->inputs == 1 && !layer->is_wide) {
        rl_node_set(node, "depth_multiplier", rl_arg_int(selection.count));
    }
}

static struct rl_tensor_type narrowed_type(const struct rl_channel_map *map, const struct rl_value *value)
{
    const struct rl_channels *item = rl_channels_of(map, value);
    struct rl_tensor_type type = value->type;

    type.sizes[item->axis] = rl_channel_group(map, value)->kept_count * item->inner;
    return type;
}

static void narrow_shared(const struct rl_channel_map *map, struct rl_node *node)
{
    struct rl_value *operands[2];
    const int count = rl_channel_operands(node, operands);

    for (int i = 0; i < count; i++) {
        const struct selection selection = selection_of(map, operands[i]);
        if (operands[i]->kind == RL_VALUE_CONSTANT) {
            struct rl_value *part =
                select_part(map->graph, operands[i], rl_channels_of(map, operands[i])->axis, &selection);
            node->args[i == 0 ? 0 : rl_op_argument(rl_op_get(node->op), "other")] = rl_arg_value(part);
        }
    }
    if (node->op == RL_OP_rl_quantized_prelu && rl_prelu_has_channels(node)) {
        const struct selection selection = selection_of(map, operands[0]);
        select_argument(map->graph, node, "positive_multipliers", 0, &selection);
        select_argument(map->graph, node, "negative_multipliers", 0, &selection);
    }
    if (node->op == RL_OP_aten_view_copy) {
        const struct rl_tensor_type type = narrowed_type(map, node->results[0]);
        rl_node_set(node, "size", rl_arg_ints(map->graph->arena, type.sizes, type.rank));
    }
}

static void narrow_node(const struct rl_channel_map *map, struct rl_node *node)
{
    const enum rl_channel_role role = rl_channel_role(map, node);
    struct rl_channel_layer layer;

    if (rl_channel_layer(map, node, &layer)) {
        if (role == RL_CHANNELS_WEIGHED && is_narrowed(map, layer.input)) {
            drop_inputs(map, &layer);
        }
        if (is_narrowed(map, node->results[0])) {
            drop_outputs(map, &layer);
        }
    } else if (role == RL_CHANNELS_SHARED && is_narrowed(map, node->results[0])) {
        narrow_shared(map, node);
    }
}

// The sizes of values change last: until then nodes are read by the old ones.
void rl_channels_drop(struct rl_channel_map *map)
{
    for (struct rl_node *node = map->graph->first; node; node = node->next) {
        narrow_node(map, node);
    }
    for (int i = 0; i < map->count; i++) {
        struct rl_channels *item = &map->items[i];
        if (item->value->kind == RL_VALUE_RESULT && is_narrowed(map, item->value)) {
            item->value->type = narrowed_type(map, item->value);
        }
    }
}
