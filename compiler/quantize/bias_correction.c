// SPDX-License-Identifier: Apache-2.0
//
// Rounded weights and activations shift the mean of a layer's results, and the shifts of many layers add up. So the
// mean error of each output channel on the calibration data is taken off the layer's bias (Nagel et al., Data-Free
// Quantization Through Weight Equalization and Bias Correction, 2019, section 4.2; there the mean comes from batch
// norms).
//
// What a few samples tell of a mean is uncertain. A shift s with the standard error e is corrected by
// s * max(0, 1 - e^2 / s^2), the positive-part estimate of James and Stein: the less certain, the less.
//
// The error of a layer is measured behind layers that are corrected already. So all samples go through the quantized
// graph together, operator by operator.
#include "compiler/quantize/bias_correction.h"

#include <math.h>
#include <string.h>

#include "compiler/graph_runner.h"
#include "compiler/quantize/guarded.h"
#include "compiler/quantize/sums.h"
#include "compiler/support/workers.h"

// Samples that go through the graph together, and the bytes of their planned memory in all.
enum { MOST_SAMPLES = 128, MOST_BYTES = 1 << 30 };

struct layer {
    const struct rl_node *node;
    const char *name; // of its result
    int64_t channels;
    int axis;                           // of the result's dimensions
    double *means;                      // of the float graph: for each sample, each channel
    int32_t *bias;                      // of the quantized graph
    const struct rl_observer *observer; // of the bias
    double *room;                       // for the shift of each channel
    double *shifts;                     // of each channel, once they are known
};

struct rl_bias_correction {
    struct rl_context *context;
    const struct rl_annotation *annotation;
    struct rl_graph *graph; // the quantized one
    const struct rl_dataset *dataset;
    int64_t samples; // of the dataset, the first ones
    struct layer *layers;
    int count;
    double *means; // of the layer at which the samples stand, in the quantized graph
    struct worker *workers;
};

struct worker {
    const void **inputs;
    void **rooms; // for samples that are in a file
};

static struct layer *find_layer(const struct rl_bias_correction *correction, const struct rl_value *value)
{
    for (int i = 0; i < correction->count; i++) {
        struct layer *layer = &correction->layers[i];
        if (strcmp(layer->name, value->name) == 0 && value->type.dtype == RL_FLOAT32 &&
            layer->axis < value->type.rank && value->type.sizes[layer->axis] == layer->channels) {
            return layer;
        }
    }
    return NULL;
}

// Elements between two neighbours along a channel axis in memory.
static int64_t stride_of(const struct rl_tensor_type *type, int axis)
{
    int64_t strides[RL_MAX_RANK];
    rl_tensor_strides(type, strides);
    return strides[axis];
}

// Adds up runs of four channels side by side, each in the order of its elements, because an addition takes time.
static void add_four(const float *data, int64_t stride, double *sums)
{
    const float *a = data, *b = a + stride, *c = b + stride, *d = c + stride;
    double sum_a = sums[0], sum_b = sums[1], sum_c = sums[2], sum_d = sums[3];
    for (int64_t i = 0; i < stride; i++) {
        sum_a += (double)a[i];
        sum_b += (double)b[i];
        sum_c += (double)c[i];
        sum_d += (double)d[i];
    }
    sums[0] = sum_a;
    sums[1] = sum_b;
    sums[2] = sum_c;
    sums[3] = sum_d;
}

// Memory is runs of `stride` elements of one channel after the other.
static void find_means(const struct layer *layer, const struct rl_tensor_type *type, const float *data, double *means)
{
    const int64_t count = rl_tensor_numel(type), stride = stride_of(type, layer->axis);
    for (int64_t i = 0; i < layer->channels; i++) {
        means[i] = 0;
    }
    for (int64_t first = 0; first < count; first += layer->channels * stride) {
        int64_t channel = 0;
        for (; channel + 4 <= layer->channels; channel += 4, data += 4 * stride) {
            add_four(data, stride, means + channel);
        }
        for (; channel < layer->channels; channel++, data += stride) {
            for (int64_t i = 0; i < stride; i++) {
                means[channel] += (double)data[i];
            }
        }
    }
    for (int64_t i = 0; i < layer->channels && count > 0; i++) {
        means[i] /= (double)(count / layer->channels);
    }
}

static void shift_channels(const struct layer *layer, const struct rl_tensor_type *type, const double *shifts,
                           float *data)
{
    const int64_t count = rl_tensor_numel(type), stride = stride_of(type, layer->axis);
    for (int64_t first = 0; first < count; first += layer->channels * stride) {
        for (int64_t channel = 0; channel < layer->channels; channel++) {
            for (int64_t i = 0; i < stride; i++) {
                *data++ += (float)shifts[channel];
            }
        }
    }
}

// ---- the float graph

static bool read_layer(const struct rl_annotation *annotation, const struct rl_point *point, int64_t samples,
                       struct layer *layer)
{
    struct rl_arena *arena = annotation->graph->arena;
    if (point->kind != RL_POINT_USED || point->spec != RL_SPEC_BIAS || !point->observer ||
        !rl_op_get(point->node->op)->has_weights || rl_value_use_count(annotation->graph, point->value) != 1) {
        return false;
    }
    const struct rl_value *result = point->node->results[0];
    const bool is_linear = rl_op_get(point->node->op)->layer == RL_LAYER_LINEAR;
    *layer = (struct layer){.node = point->node,
                            .name = result->name,
                            .channels = rl_tensor_numel(&point->value->type),
                            .axis = is_linear ? result->type.rank - 1 : 1,
                            .observer = point->observer};
    layer->room = rl_arena_array(arena, (size_t)layer->channels, sizeof *layer->room);
    layer->means = rl_arena_array(arena, (size_t)(samples * layer->channels), sizeof *layer->means);
    return layer->channels > 0;
}

struct rl_bias_correction *rl_bias_correction_new(struct rl_context *context, const struct rl_annotation *annotation,
                                                  const struct rl_dataset *dataset)
{
    struct rl_arena *arena = annotation->graph->arena;
    struct rl_bias_correction *c = rl_arena_alloc(arena, sizeof *c);
    *c = (struct rl_bias_correction){.context = context, .annotation = annotation, .dataset = dataset};
    c->samples = dataset->sample_count < MOST_SAMPLES ? dataset->sample_count : MOST_SAMPLES;
    c->layers = rl_arena_array(arena, (size_t)annotation->point_count, sizeof *c->layers);
    for (int i = 0; i < annotation->point_count; i++) {
        c->count += read_layer(annotation, &annotation->points[i], c->samples, &c->layers[c->count]);
    }
    return c;
}

void rl_bias_correction_observe(struct rl_bias_correction *correction, int64_t sample, const struct rl_value *value,
                                const void *data)
{
    const struct layer *layer = sample < correction->samples ? find_layer(correction, value) : NULL;
    if (layer) {
        find_means(layer, &value->type, data, layer->means + sample * layer->channels);
    }
}

void rl_bias_correction_find_room(struct rl_bias_correction *correction)
{
    for (int i = 0; i < correction->count; i++) {
        const struct layer *layer = &correction->layers[i];
        rl_quantize_find_room(correction->annotation, layer->node, layer->channels, layer->room);
    }
}

// ---- the quantized graph

static void find_bias(const struct rl_graph *graph, struct layer *layer)
{
    for (const struct rl_node *node = graph->first; node; node = node->next) {
        const struct rl_value *bias = node->result_count > 0 && strcmp(node->results[0]->name, layer->name) == 0
                                          ? rl_node_tensor(node, "bias")
                                          : NULL;
        if (bias && bias->kind == RL_VALUE_RESULT && bias->producer->args[0].as.value->kind == RL_VALUE_CONSTANT) {
            layer->bias = (int32_t *)(uintptr_t)bias->producer->args[0].as.value->data;
        }
    }
}

// Changes one bias by the shift of its channel, whole steps of it. Returns by how much.
static double correct_channel(const struct layer *layer, int64_t channel, const double *means, int64_t samples)
{
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < samples; i++) {
        const int64_t at = i * layer->channels + channel;
        const double difference = layer->means[at] - means[at];
        sum += difference;
        squares += difference * difference;
    }
    const double shift = sum / (double)samples;
    const double variance = (squares - sum * shift) / (double)(samples - 1) / (double)samples;
    const double kept = shift * shift > variance ? shift - variance / shift : 0;
    const struct rl_observer *observer = layer->observer;
    const float scale = observer->channel_count > 0 ? observer->channel_scales[channel] : observer->qparams.scale;
    const double step = (double)scale, steps = rint(kept / step);
    if (!(fabs(steps * step) <= layer->room[channel])) { // or a NaN
        return 0;
    }
    layer->bias[channel] += (int32_t)steps;
    return steps * step;
}

static bool stops_at(void *user, const struct rl_value *value)
{
    const struct layer *layer = find_layer(user, value);
    return layer && layer->bias;
}

static void see_quantized(void *user, int64_t sample, const struct rl_value *value, const void *data)
{
    const struct rl_bias_correction *c = user;
    const struct layer *layer = find_layer(c, value);
    find_means(layer, &value->type, data, c->means + sample * layer->channels);
}

static void correct(void *user, const struct rl_value *value)
{
    const struct rl_bias_correction *c = user;
    const struct layer *layer = find_layer(c, value);
    for (int64_t i = 0; i < layer->channels; i++) {
        layer->shifts[i] = correct_channel(layer, i, c->means, c->samples);
    }
}

static void shift(void *user, const struct rl_value *value, void *data)
{
    const struct layer *layer = find_layer(user, value);
    shift_channels(layer, &value->type, layer->shifts, data);
}

static enum rl_status give(void *user, struct rl_context *context, int number, int64_t sample,
                           const void *const **inputs)
{
    const struct rl_bias_correction *c = user;
    const struct worker *worker = &c->workers[number];
    enum rl_status status = RL_OK;
    for (int i = 0; i < c->graph->input_count && status == RL_OK; i++) {
        status = rl_dataset_fetch(context, c->dataset, i, sample, worker->rooms[i], &worker->inputs[i]);
    }
    *inputs = worker->inputs;
    return status;
}

static void prepare_workers(struct rl_bias_correction *c, struct rl_arena *arena)
{
    const int count = rl_workers_count(c->context, c->samples);
    c->workers = rl_arena_array(arena, (size_t)count, sizeof *c->workers);
    for (int i = 0; i < count; i++) {
        c->workers[i].inputs = rl_arena_array(arena, (size_t)c->graph->input_count, sizeof(void *));
        c->workers[i].rooms = rl_dataset_rooms(c->dataset, arena);
    }
}

static enum rl_status correct_all(struct rl_bias_correction *c, struct rl_arena *arena, struct rl_graph_runner *runner)
{
    const int64_t fitting = (int64_t)(MOST_BYTES / (rl_graph_runner_bytes(runner) + 1));
    const struct rl_graph_watcher watcher = {c, give, stops_at, see_quantized, correct, shift};
    int64_t most = 0;
    c->samples = fitting < c->samples ? fitting : c->samples;
    if (c->samples < 2) {
        return RL_OK;
    }
    for (int i = 0; i < c->count; i++) {
        most = c->layers[i].channels > most ? c->layers[i].channels : most;
        c->layers[i].shifts = rl_arena_array(arena, (size_t)c->layers[i].channels, sizeof(double));
    }
    c->means = rl_arena_array(arena, (size_t)(c->samples * most), sizeof *c->means);
    prepare_workers(c, arena);
    return rl_graph_runner_run_together(c->context, arena, runner, c->samples, &watcher);
}

static enum rl_status run_quantized(void *user, struct rl_arena *arena)
{
    struct rl_bias_correction *c = user;
    struct rl_graph_runner *runner;
    enum rl_status status = rl_graph_runner_borrow_late(c->context, arena, c->graph, &runner);
    if (status == RL_OK) {
        status = correct_all(c, arena, runner);
        rl_graph_runner_give_back(runner);
    }
    return status;
}

enum rl_status rl_bias_correction_run(struct rl_bias_correction *correction, struct rl_graph *graph)
{
    correction->graph = graph;
    for (int i = 0; i < correction->count; i++) {
        find_bias(graph, &correction->layers[i]);
    }
    return correction->count > 0 ? rl_run_guarded(correction->context, graph, run_quantized, correction) : RL_OK;
}
