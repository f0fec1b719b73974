// SPDX-License-Identifier: Apache-2.0
//
// drop_channels: removes channels that cannot change an output, such as those that training killed.
//   needs   integer operators with constant weights
//   keeps   every output, to the bit; names; the values of the channels that some layer reads
//   breaks  the sizes of values inside the network
//
// A channel is needed if a layer with a needed result has a weight for it that is not zero. A channel that is constant
// at run time is not: what it adds to the sums of a layer is a constant, too, and becomes a part of the layer's bias.
// Both facts are found for the whole graph before anything changes. Channels that go beyond a convolution, a linear
// layer and the operators that work channel by channel stay, as do those of inputs, outputs and states.
//
// Kernels work on blocks of channels, and are slower for numbers of channels between two blocks. So that many dropped
// channels stay that the number is one of whole blocks.
#include "compiler/passes/passes.h"

#include "compiler/ir/work.h"
#include "compiler/passes/dropped.h"
#include "compiler/passes/lower/channels.h"
#include "compiler/passes/rewrite/rewrite.h"

enum { BLOCK = 4 };

// ---- which channels are needed

static void need_all(const struct rl_channels *group)
{
    for (int64_t i = 0; i < group->count; i++) {
        group->is_needed[i] = true;
    }
}

static void start(struct rl_channel_map *map)
{
    for (int i = 0; i < map->count; i++) {
        struct rl_channels *item = &map->items[i];
        if (item->parent == i) {
            item->is_needed = rl_arena_array(map->graph->arena, (size_t)item->count, sizeof *item->is_needed);
            if (item->is_pinned) {
                need_all(item);
            }
        }
    }
}

// Whether an output of the layer that is needed weighs an input.
static bool weighs(const struct rl_channel_layer *layer, const bool *outputs, int64_t input)
{
    for (int64_t output = 0; output < layer->outputs; output++) {
        if (outputs[output] && rl_channel_is_weighed(layer, output, input)) {
            return true;
        }
    }
    return false;
}

// Returns whether the layer needs channels of its input that were not needed so far.
static bool need_inputs(const struct rl_channel_map *map, const struct rl_channel_layer *layer)
{
    const struct rl_channels *input = rl_channel_group(map, layer->input);
    const bool *outputs = rl_channel_group(map, layer->node->results[0])->is_needed;
    const int32_t *constants = rl_channels_of(map, layer->input)->constants;
    const bool takes_constants = rl_channel_constants_fit(map, layer);
    bool found = false;

    for (int64_t i = 0; i < layer->inputs; i++) {
        const int64_t channel = i / layer->inner;
        const bool is_bias = takes_constants && rl_channel_adds_constant(layer, constants[channel]);
        if (!input->is_needed[channel] && !is_bias && weighs(layer, outputs, i)) {
            input->is_needed[channel] = true;
            found = true;
        }
    }
    return found;
}

static void find_needed(struct rl_channel_map *map)
{
    bool found = true;

    while (found) {
        found = false;
        for (struct rl_node *node = map->graph->last; node; node = node->previous) {
            struct rl_channel_layer layer;
            if (rl_channel_role(map, node) == RL_CHANNELS_WEIGHED && rl_channel_layer(map, node, &layer)) {
                found = need_inputs(map, &layer) || found;
            }
        }
    }
}

// ---- which channels stay

static void choose(struct rl_graph *graph, struct rl_channels *group)
{
    int64_t needed = 0;

    for (int64_t i = 0; i < group->count; i++) {
        needed += group->is_needed[i];
    }
    const int64_t blocks = needed > 0 ? (needed + BLOCK - 1) / BLOCK * BLOCK : 1;
    int64_t spare = (blocks < group->count ? blocks : group->count) - needed;
    group->kept = rl_arena_array(graph->arena, (size_t)group->count, sizeof *group->kept);
    for (int64_t i = 0; i < group->count; i++) {
        if (group->is_needed[i] || spare > 0) {
            spare -= !group->is_needed[i];
            group->kept[group->kept_count++] = i;
        }
    }
}

// Returns whether a value loses channels.
static bool choose_all(struct rl_channel_map *map)
{
    bool drops = false;

    for (int i = 0; i < map->count; i++) {
        if (map->items[i].parent == i) {
            choose(map->graph, &map->items[i]);
        }
    }
    for (int i = 0; i < map->count; i++) {
        const struct rl_value *value = map->items[i].value;
        const struct rl_channels *group = rl_channel_group(map, value);
        drops = drops || (value->kind == RL_VALUE_RESULT && group->kept_count < group->count);
    }
    return drops;
}

// ---- the report

struct totals {
    uint64_t channels, weight_bytes; // sizes that contradict one another may wrap them
    double macs;
};

static struct totals add_up(const struct rl_graph *graph)
{
    struct totals totals = {0};

    for (const struct rl_node *node = graph->first; node; node = node->next) {
        const bool is_linear = rl_op_get(node->op)->layer == RL_LAYER_LINEAR;
        const int weights = rl_op_argument(rl_op_get(node->op), is_linear ? "weights" : "weight");
        const struct rl_arg *arg = weights >= 0 ? &node->args[weights] : NULL;
        if ((!is_linear && rl_op_get(node->op)->layer != RL_LAYER_CONVOLUTION) || !arg || arg->kind != RL_ARG_VALUE) {
            continue;
        }
        const struct rl_tensor_type *result = &node->results[0]->type;
        const int axis = is_linear ? result->rank - 1 : 1;
        totals.macs += rl_node_work(node);
        totals.weight_bytes += rl_tensor_bytes(&arg->as.value->type);
        totals.channels += axis >= 0 && axis < result->rank ? (uint64_t)result->sizes[axis] : 0;
    }
    return totals;
}

// Before the values change.
static void list_narrowed(const struct rl_channel_map *map, struct rl_dropped_channels *dropped)
{
    struct rl_arena *arena = map->graph->arena;

    for (int i = 0; i < map->count; i++) {
        const struct rl_channels *item = &map->items[i], *group = rl_channel_group(map, item->value);
        const int64_t *sizes = item->value->type.sizes;
        if (item->value->kind != RL_VALUE_RESULT || group->kept_count == group->count) {
            continue;
        }
        struct rl_narrowed *narrowed = rl_arena_alloc(arena, sizeof *narrowed);
        int64_t *kept = rl_arena_array(arena, (size_t)(group->kept_count * item->inner), sizeof *kept);
        *narrowed = (struct rl_narrowed){.outer = 1, .size = sizes[item->axis], .inner = 1, .kept = kept};
        for (int d = 0; d < item->value->type.rank; d++) {
            *(d < item->axis ? &narrowed->outer : &narrowed->inner) *= d == item->axis ? 1 : sizes[d];
        }
        for (int64_t k = 0; k < group->kept_count; k++) {
            const int64_t channel = group->kept[k];
            for (int64_t place = 0; place < item->inner; place++) {
                kept[narrowed->count++] = group->is_needed[channel] ? channel * item->inner + place : -1;
            }
        }
        rl_name_map_add(&dropped->values, item->value->name, narrowed);
    }
}

enum rl_status rl_pass_drop_channels(struct rl_pass *pass)
{
    struct rl_graph *graph = pass->graph;
    struct rl_dropped_channels *dropped = rl_arena_alloc(graph->arena, sizeof *dropped);
    struct rl_channel_map map;

    rl_graph_remove_dead(graph);
    const struct totals before = add_up(graph);
    rl_channel_map_new(graph, &map);
    rl_channel_constants(&map);
    start(&map);
    find_needed(&map);
    if (!choose_all(&map)) {
        return RL_OK;
    }
    dropped->values = (struct rl_name_map){.arena = graph->arena};
    list_narrowed(&map, dropped);
    rl_channels_drop(&map);
    rl_graph_remove_dead(graph);
    const struct totals after = add_up(graph);
    dropped->channels = (int64_t)(before.channels - after.channels);
    dropped->macs_before = before.macs;
    dropped->macs_after = after.macs;
    dropped->weight_bytes_before = (int64_t)before.weight_bytes;
    dropped->weight_bytes_after = (int64_t)after.weight_bytes;
    pass->dropped = dropped;
    return RL_OK;
}
