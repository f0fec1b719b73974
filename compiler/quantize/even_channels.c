// SPDX-License-Identifier: Apache-2.0
//
// Between a layer and its PReLU stands a value that nothing else sees. On one grid for all channels, the widest one
// decides the steps of all. A PReLU multiplies each channel anyway, and
//
//     prelu(x) = c * prelu(x / c)   for c > 0,
//
// so the layer may give x / c instead, with a c for each channel that makes their ranges alike (Nagel et al., Data-Free
// Quantization Through Weight Equalization and Bias Correction, 2019, section 4.1; there the next layer multiplies, and
// its weights pay for it). The weights of a convolution have a scale for each channel as well, so they lose nothing.
// Those of a linear layer have one scale, and would lose 2 dB in small networks. Neither arithmetic nor memory grows.
#include "compiler/quantize/even_channels.h"

#include <math.h>
#include <string.h>

#include "compiler/graph_runner.h"
#include "compiler/ir/layer_before.h"
#include "compiler/quantize/guarded.h"

enum { MOST_SAMPLES = 32 };

// The least divisor, of a largest one of 1, so that a channel that is almost 0 on the samples does not set the range.
static const double least_divisor = 1.0 / 32.0;

// Channels that fill the grid on these samples would leave it on others, each a little. Without room, trained networks
// lose up to 6 dB (docs/accuracy.md).
static const double room = 1.7;

// The noise of the value's rounding must fall to this part, 1 dB below what it was.
static const double worthwhile = 0.8;

struct layer {
    struct rl_node *node, *prelu;
    const char *name; // of the layer's result
    int64_t channels;
    float *low, *high; // of each channel, as far as they reach below and above 0
};

struct layers {
    struct rl_context *context;
    struct rl_graph *graph;
    const struct rl_dataset *dataset;
    struct layer *items;
    int count;
};

static void find_layers(struct layers *layers)
{
    struct rl_graph *graph = layers->graph;
    size_t most = 0;
    for (const struct rl_node *node = graph->first; node; node = node->next) {
        most += node->op == RL_OP_rl_prelu ? 1 : 0;
    }
    layers->items = rl_arena_array(graph->arena, most, sizeof *layers->items);
    for (struct rl_node *node = graph->first; node; node = node->next) {
        struct rl_node *layer =
            node->op == RL_OP_rl_prelu ? rl_layer_before(graph, rl_node_tensor(node, "self")) : NULL;
        if (layer) {
            const int64_t channels = layer->results[0]->type.sizes[1];
            float *ranges = rl_arena_array(graph->arena, (size_t)channels, 2 * sizeof *ranges);
            layers->items[layers->count++] =
                (struct layer){layer, node, layer->results[0]->name, channels, ranges, ranges + channels};
        }
    }
}

// ---- ranges

// Memory is runs of elements of one channel after the other.
static void widen(const struct layer *layer, const struct rl_tensor_type *type, const float *data)
{
    int64_t strides[RL_MAX_RANK];
    rl_tensor_strides(type, strides);
    const int64_t count = rl_tensor_numel(type);
    for (int64_t i = 0, channel = 0; i < count; i += strides[1], channel = (channel + 1) % layer->channels) {
        float low = layer->low[channel], high = layer->high[channel];
        for (int64_t k = i; k < i + strides[1]; k++) {
            low = -data[k] > low ? -data[k] : low;
            high = data[k] > high ? data[k] : high;
        }
        layer->low[channel] = low;
        layer->high[channel] = high;
    }
}

static void see(void *user, const struct rl_value *value, void *data)
{
    const struct layers *layers = user;
    for (int i = 0; i < layers->count; i++) {
        const struct layer *layer = &layers->items[i];
        if (strcmp(layer->name, value->name) == 0 && value->type.dtype == RL_FLOAT32 && value->type.rank >= 2 &&
            value->type.sizes[1] == layer->channels) {
            widen(layer, &value->type, data);
        }
    }
}

static enum rl_status run_samples(struct layers *layers, struct rl_arena *arena, struct rl_graph_runner *runner)
{
    const struct rl_dataset *dataset = layers->dataset;
    const int count = layers->graph->input_count;
    const void **inputs = rl_arena_array(arena, (size_t)count, sizeof *inputs);
    void **rooms = rl_dataset_rooms(dataset, arena);
    enum rl_status status = RL_OK;
    for (int64_t sample = 0; sample < dataset->sample_count && sample < MOST_SAMPLES && status == RL_OK; sample++) {
        for (int i = 0; i < count && status == RL_OK; i++) {
            status = rl_dataset_fetch(layers->context, dataset, i, sample, rooms[i], &inputs[i]);
        }
        if (status == RL_OK && rl_dataset_starts(dataset, sample)) {
            status = rl_graph_runner_reset(layers->context, runner);
        }
        if (status == RL_OK) {
            status = rl_graph_runner_run(layers->context, runner, inputs, see, layers);
        }
    }
    return status;
}

static enum rl_status run(void *user, struct rl_arena *arena)
{
    struct layers *layers = user;
    struct rl_graph_runner *runner;
    enum rl_status status = rl_graph_runner_borrow(layers->context, arena, layers->graph, &runner);
    if (status == RL_OK) {
        status = run_samples(layers, arena, runner);
        rl_graph_runner_give_back(runner);
    }
    return status;
}

// ---- divisors

// Finds divisors of 1 and less with which all channels lie between -reach and 1 times a number, and have room. Returns
// the mean square of the steps that they then have, up to a factor.
static double fit_between(const struct layer *layer, double reach, double *divisors)
{
    double most = 0, sum = 0;
    for (int64_t i = 0; i < layer->channels; i++) {
        divisors[i] = fmax((double)layer->high[i], (double)layer->low[i] / reach);
        most = fmax(most, divisors[i]);
    }
    for (int64_t i = 0; i < layer->channels; i++) {
        divisors[i] = fmin(1.0, fmax(least_divisor, room * divisors[i] / most));
        sum += divisors[i] * divisors[i];
    }
    return sum / (double)layer->channels * pow(most * (1 + reach), 2);
}

static double noise_of_one_grid(const struct layer *layer)
{
    double low = 0, high = 0;
    for (int64_t i = 0; i < layer->channels; i++) {
        low = fmax(low, (double)layer->low[i]);
        high = fmax(high, (double)layer->high[i]);
    }
    return (low + high) * (low + high);
}

// False if no divisors pay, or numbers are not finite.
static bool find_divisors(const struct layer *layer, double *divisors)
{
    static const double reaches[] = {0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0};
    double least = noise_of_one_grid(layer) * worthwhile, reach = 0;
    for (size_t i = 0; i < sizeof reaches / sizeof reaches[0]; i++) {
        const double noise = fit_between(layer, reaches[i], divisors);
        if (noise < least && isfinite(least)) {
            least = noise;
            reach = reaches[i];
        }
    }
    if (reach > 0) {
        fit_between(layer, reach, divisors);
    }
    return reach > 0;
}

// ---- constants

// A constant whose elements are multiplied or divided by the number of their channel.
static struct rl_arg scaled(struct rl_graph *graph, const struct rl_value *constant, int axis, const double *numbers,
                            int64_t channels, bool divides)
{
    int64_t strides[RL_MAX_RANK];
    rl_tensor_strides(&constant->type, strides);
    struct rl_tensor_type type = constant->type;
    const bool is_one = type.sizes[axis] == 1 && channels > 1; // for all channels
    type.sizes[axis] = channels;
    const int64_t count = rl_tensor_numel(&type);
    const float *from = constant->data;
    float *data = rl_arena_array(graph->arena, (size_t)count, sizeof *data);
    for (int64_t i = 0; i < count; i++) {
        const double number = numbers[i / strides[axis] % channels], element = (double)from[is_one ? 0 : i];
        data[i] = (float)(divides ? element / number : element * number);
    }
    const char *name = rl_arena_format(graph->arena, "%s_even", constant->name);
    return rl_arg_value(rl_graph_take_constant(graph, name, &type, data));
}

static void scale(struct rl_graph *graph, struct rl_node *node, const char *name, int axis, const double *numbers,
                  int64_t channels, bool divides)
{
    struct rl_arg *arg = rl_node_arg(node, name);
    if (arg->kind == RL_ARG_VALUE) {
        *arg = scaled(graph, arg->as.value, axis, numbers, channels, divides);
    }
}

static void even_out(struct rl_graph *graph, const struct layer *layer, const double *divisors)
{
    scale(graph, layer->node, "weight", rl_layer_output_axis(layer->node), divisors, layer->channels, true);
    scale(graph, layer->node, "bias", 0, divisors, layer->channels, true);
    scale(graph, layer->prelu, "positive", 0, divisors, layer->channels, false);
    scale(graph, layer->prelu, "negative", 0, divisors, layer->channels, false);
    for (struct rl_value *value = rl_node_tensor(layer->prelu, "self");; value = value->producer->args[0].as.value) {
        value->name = rl_graph_unique_name(graph, rl_arena_format(graph->arena, "%s_even", value->name));
        if (value->producer == layer->node) {
            break;
        }
    }
}

enum rl_status rl_quantize_even_channels(struct rl_context *context, struct rl_graph *graph,
                                         const struct rl_dataset *dataset)
{
    struct layers layers = {.context = context, .graph = graph, .dataset = dataset};
    find_layers(&layers);
    if (layers.count == 0 || dataset->sample_count == 0) {
        return RL_OK;
    }
    const enum rl_status status = rl_run_guarded(context, graph, run, &layers);
    for (int i = 0; i < layers.count && status == RL_OK; i++) {
        const struct layer *layer = &layers.items[i];
        double *divisors = rl_arena_array(graph->arena, (size_t)layer->channels, sizeof *divisors);
        if (find_divisors(layer, divisors)) {
            even_out(graph, layer, divisors);
        }
    }
    rl_graph_remove_dead(graph);
    return status;
}
