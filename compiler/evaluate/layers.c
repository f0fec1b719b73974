// SPDX-License-Identifier: Apache-2.0
#include "compiler/evaluate/layers.h"

#include <string.h>

#include "compiler/data/array.h"
#include "compiler/evaluate/grids.h"
#include "compiler/evaluate/results.h"

struct pairing {
    struct rl_arena *arena;
    const struct rl_trace *trace;
    const struct rl_retraced *retraced;
    const struct rl_traced_grids *grids;
    struct rl_name_map values; // of the float graph, with their producers
    struct rl_name_map inner;  // of the lowered float graph
    struct rl_name_map stacks; // by name: nodes of the model inside which there are layers with weights
};

static void list_values(const struct rl_graph *graph, struct rl_name_map *values)
{
    for (const struct rl_node *node = graph->first; node; node = node->next) {
        for (int i = 0; i < node->result_count; i++) {
            rl_name_map_add(values, node->results[i]->name, node->results[i]);
        }
    }
}

// A node of the model that became several operators, among them layers with weights: a recurrent layer.
static void list_stacks(struct pairing *pairing, const struct rl_graph *lowered)
{
    for (const struct rl_node *node = lowered->first; node; node = node->next) {
        const enum rl_op_layer layer = rl_op_get(node->op)->layer;
        const bool has_weights = layer == RL_LAYER_LINEAR || layer == RL_LAYER_CONVOLUTION;
        if (has_weights && node->origin && !rl_name_map_find(&pairing->values, node->results[0]->name)) {
            rl_name_map_add(&pairing->stacks, node->origin, node->results[0]);
        }
    }
}

// Whether the node computes values, and does not only move, choose or convert them.
static bool is_layer(const struct rl_node *node)
{
    const struct rl_op *op = rl_op_get(node->op);
    const bool moves = op->shares_grid || op->chooses || op->rearranges != RL_REARRANGES_OTHERWISE;
    const bool converts = op->quantizes || op->dequantizes;

    return op->layer != RL_LAYER_NONE || (!moves && !converts);
}

// The value of the float graph that a call's result has the name of. If the call stayed in floating point in front of
// an activation that became the range of a quantize node, that is the value before the activation.
static const struct rl_value *partner_of(const struct pairing *pairing, const struct rl_node *node,
                                         const struct rl_value *own)
{
    const struct rl_value *value = rl_name_map_find(&pairing->values, own->name);
    const bool is_clamped = value && rl_op_get(value->producer->op)->layer == RL_LAYER_CLAMP;
    if (is_clamped && own->type.dtype == RL_FLOAT32 && rl_op_get(node->op)->layer != RL_LAYER_CLAMP) {
        value = rl_node_tensor(value->producer, "self");
    }
    if (rl_op_get(node->op)->layer == RL_LAYER_RECURRENT) {
        return rl_name_map_find(&pairing->inner, own->name); // put together from steps
    }
    return value && value->kind == RL_VALUE_RESULT && is_layer(value->producer) ? value : NULL;
}

// The value that a call inside a recurrent layer computes, if it is that of a layer: a step of an LSTM has linear
// layers, sums and products. NULL if it is not.
static const struct rl_value *inner_partner_of(const struct pairing *pairing, const struct rl_node *node,
                                               const struct rl_value *own)
{
    const struct rl_value *value = rl_name_map_find(&pairing->inner, own->name);
    const struct rl_node *producer = value ? value->producer : NULL;
    const bool is_inside = producer && producer->origin && node->origin && strcmp(producer->origin, node->origin) == 0;

    return is_inside && rl_name_map_find(&pairing->stacks, node->origin) &&
                   rl_op_get(producer->op)->layer != RL_LAYER_NONE
               ? value
               : NULL;
}

// The line of a call inside a node: that of the first call of its operator there.
static struct rl_layer *line_of(const struct rl_layers *layers, struct rl_layer *layer)
{
    for (int i = 0; i < layers->count; i++) {
        struct rl_layer *other = &layers->items[i];
        if (other->is_inside && strcmp(other->op, layer->op) == 0 && strcmp(other->name, layer->name) == 0) {
            return other->line;
        }
    }
    return layer;
}

// Whether the result of a call has elements of the model's value, and where, if channels of it were dropped.
static bool find_places(const struct pairing *pairing, const struct rl_value *value, const struct rl_value *own,
                        const int64_t **places)
{
    const struct rl_dropped_channels *dropped = pairing->retraced->dropped;
    const struct rl_narrowed *narrowed = dropped ? rl_name_map_find(&dropped->values, own->name) : NULL;
    const int64_t count = rl_tensor_numel(&own->type);

    *places = NULL;
    if (!narrowed) {
        return count == rl_tensor_numel(&value->type);
    }
    if (count != narrowed->outer * narrowed->count * narrowed->inner ||
        rl_tensor_numel(&value->type) != narrowed->outer * narrowed->size * narrowed->inner) {
        return false;
    }
    int64_t *list = rl_arena_array(pairing->arena, (size_t)count, sizeof *list);
    for (int64_t i = 0; i < count; i++) {
        const int64_t kept = narrowed->kept[i / narrowed->inner % narrowed->count];
        const int64_t outer = i / narrowed->inner / narrowed->count;
        list[i] = kept < 0 ? -1 : (outer * narrowed->size + kept) * narrowed->inner + i % narrowed->inner;
    }
    *places = list;
    return true;
}

static void add_layer(const struct pairing *pairing, const struct rl_traced_call *call, const struct rl_node *node,
                      int result, struct rl_layers *layers)
{
    const struct rl_value *own = node->results[result];
    const struct rl_value *outer = partner_of(pairing, node, own);
    const struct rl_value *value = outer ? outer : inner_partner_of(pairing, node, own);
    struct rl_io_grid grid = {0};
    const int64_t *places;
    if (!value || value->type.dtype != RL_FLOAT32 || !find_places(pairing, value, own, &places)) {
        return;
    }
    if (own->type.dtype != RL_FLOAT32 && !rl_traced_grid_of(pairing->grids, own, &grid)) {
        return;
    }
    struct rl_layer *layer = &layers->items[layers->count];
    *layer = (struct rl_layer){.is_inside = !outer,
                               .name = node->origin ? node->origin : node->name,
                               .value = value->name,
                               .op = call->op->name,
                               .count = rl_tensor_numel(&value->type),
                               .own_count = rl_tensor_numel(&own->type),
                               .places = places,
                               .instruction = call->instruction,
                               .result = (uint32_t)(call->op->arg_count + result),
                               .own = own,
                               .grid = grid};
    layer->line = layer->is_inside ? line_of(layers, layer) : layer;
    layer->line->calls++;
    layers->count++;
    layer->reference = rl_arena_array(pairing->arena, (size_t)layer->count, sizeof *layer->reference);
    rl_name_map_add(&layers->by_value, value->name, layer);
    layers->by_instruction[call->instruction] = layer;
}

// The sizes of the model's inputs, which fix those that are dynamic in its file.
static struct rl_input_shapes shapes_of(struct rl_arena *arena, const struct rl_graph *graph)
{
    struct rl_input_shape *items = rl_arena_array(arena, (size_t)graph->input_count, sizeof *items);

    for (int i = 0; i < graph->input_count; i++) {
        items[i] = rl_input_shape_of(&graph->inputs[i]->type);
    }
    return (struct rl_input_shapes){items, graph->input_count};
}

static enum rl_interface interface_of(const struct rl_method *method)
{
    struct rl_io_grid grid;

    return rl_interface_grid(method->program, "input", 0, &grid) ||
                   rl_interface_grid(method->program, "output", 0, &grid)
               ? RL_INTERFACE_INT8
               : RL_INTERFACE_FLOAT;
}

enum rl_status rl_layers_pair(struct rl_context *context, struct rl_arena *arena, const struct rl_graph *graph,
                              const struct rl_graph *lowered, const struct rl_method *method, const char *const *data,
                              int data_count, struct rl_layers *layers)
{
    struct rl_trace trace;
    struct rl_retraced retraced;
    struct rl_traced_grids grids;
    const uint32_t instructions = method->plan.instructions.count;

    *layers = (struct rl_layers){.by_value = {.arena = arena}, .instruction_count = (int)instructions};
    layers->items = rl_arena_array(arena, instructions, sizeof *layers->items);
    layers->by_instruction = rl_arena_array(arena, instructions, sizeof(struct rl_layer *));
    rl_trace_read(arena, method, &trace);
    const struct rl_compile_options options = {.model = graph->source,
                                               .calibration = data,
                                               .calibration_count = data_count,
                                               .shapes = shapes_of(arena, graph),
                                               .interface = interface_of(method)};
    enum rl_status status = rl_retrace(context, &trace, &options, &retraced);
    if (status != RL_OK) {
        return status;
    }
    rl_traced_grids_find(arena, method->program, &trace, &retraced, &grids);
    struct pairing pairing = {arena, &trace, &retraced, &grids, {.arena = arena}, {.arena = arena}, {.arena = arena}};
    list_values(graph, &pairing.values);
    list_values(lowered, &pairing.inner);
    list_stacks(&pairing, lowered);
    for (int i = 0; i < retraced.count; i++) {
        const struct rl_node *node = retraced.nodes[i];
        if (retraced.calls[i] >= 0 && node->result_count > 0) {
            add_layer(&pairing, &trace.calls[retraced.calls[i]], node, 0, layers);
        }
    }
    int64_t most = 0;
    for (int i = 0; i < layers->count; i++) {
        most = layers->items[i].count > most ? layers->items[i].count : most;
    }
    layers->found = rl_arena_array(arena, (size_t)most, sizeof *layers->found);
    return RL_OK;
}

void rl_layers_observe(void *user, const struct rl_value *value, void *data)
{
    const struct rl_layers *layers = user;
    const struct rl_layer *layer = rl_name_map_find(&layers->by_value, value->name);

    if (layer && value->type.dtype == RL_FLOAT32 && rl_tensor_numel(&value->type) == layer->count) {
        rl_tensor_to_c_order(&value->type, data, layer->reference);
    }
}

enum rl_status rl_layers_after_call(void *user, struct rl_call *call)
{
    const struct rl_layers *layers = user;
    struct rl_layer *layer =
        call->instruction < (uint32_t)layers->instruction_count ? layers->by_instruction[call->instruction] : NULL;
    struct rl_tensor result;

    if (layer && rl_result_of_call(call, layer, &result)) {
        rl_result_read(layer, &result, layers->found);
        for (int64_t i = 0; i < layer->own_count; i++) {
            const int64_t place = rl_layer_place(layer, i);
            if (place >= 0) {
                rl_similarity_add(&layer->line->similarity, layer->reference[place], layers->found[place]);
            }
        }
    }
    return call->status;
}
