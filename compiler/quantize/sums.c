// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/sums.h"

#include <float.h>
#include <math.h>

#include "compiler/quantize/channels.h"

// Sums stay below these with the roundings of float32 scales: 2^31 - 1 and half of 2^31, less one part in a million.
static const double most_sum = 2147483647.0 * (1 - 1e-6);
static const double most_steps = 1073741824.0 * (1 - 1e-6);

enum { ROUNDS = 8 }; // an output that is raised is the input of a later layer, or shares its grid with one before

struct layer {
    const struct rl_observer *input;
    struct rl_observer *weight;
    struct rl_observer *output; // NULL: floating point
    const float *bias;          // NULL: none
    double *magnitudes;         // the sum of |weight| of each channel
    double taps;                // weights of a channel
    int64_t channels;
};

// The observer of what a layer makes: its own, or that of the activation that fuses into it.
static struct rl_observer *observer_behind(const struct rl_annotation *annotation, const struct rl_value *value)
{
    const struct rl_point *made = rl_annotation_made(annotation, value);
    if (made && !made->observer) {
        const struct rl_node *user = rl_value_only_user(annotation->graph, value);
        made = user && user->result_count == 1 ? rl_annotation_made(annotation, user->results[0]) : NULL;
    }
    return made ? made->observer : NULL;
}

// Reads what is around a point where a weight is used; false when the layer stays in floating point.
static bool read_layer(const struct rl_annotation *annotation, const struct rl_point *point, struct layer *layer)
{
    struct rl_observer *weight = point->observer;
    if (point->kind != RL_POINT_USED || !weight || !rl_observer_is_weight(weight) ||
        !rl_op_get(point->node->op)->has_weights) {
        return false;
    }
    const struct rl_point *input = rl_annotation_used(annotation, rl_node_tensor(point->node, "input"), point->node);
    if (!input || !input->observer) {
        return false;
    }
    const struct rl_tensor_type *type = &weight->constant->type;
    const struct rl_value *bias = rl_node_tensor(point->node, "bias");
    const int axis = rl_observer_axis(weight);
    const bool has_bias = bias && bias->kind == RL_VALUE_CONSTANT && bias->type.dtype == RL_FLOAT32;
    *layer = (struct layer){
        .input = input->observer,
        .weight = weight,
        .output = observer_behind(annotation, point->node->results[0]),
        .bias = has_bias ? bias->data : NULL,
        .channels = type->rank > axis ? type->sizes[axis] : 0,
    };
    if (layer->channels < 1 || (has_bias && rl_tensor_numel(&bias->type) != layer->channels)) {
        return false;
    }
    layer->taps = (double)(rl_tensor_numel(type) / layer->channels);
    layer->magnitudes = rl_arena_array(annotation->graph->arena, (size_t)layer->channels, sizeof *layer->magnitudes);
    rl_channels_magnitude(type, axis, weight->constant->data, layer->magnitudes);
    return true;
}

// The largest |input - zero point|; int16 has none.
static double most_input(const struct layer *layer)
{
    return rl_observer_dtype(layer->input) == RL_INT16 ? -(double)INT16_MIN : 255;
}

// The largest sum of a channel as a real number.
static double reach(const struct layer *layer, size_t channel)
{
    const double bias = layer->bias ? fabs((double)layer->bias[channel]) : 0;
    return bias + most_input(layer) * (double)layer->input->qparams.scale * layer->magnitudes[channel];
}

// Raises a scale of the weight until the sum fits; roundings add half a step to each weight.
static bool raise_weight(const struct layer *layer, size_t channel, float *scale)
{
    const double room = most_sum - most_input(layer) / 2 * layer->taps - 1;
    const double least = reach(layer, channel) / (room * (double)layer->input->qparams.scale);
    if (room <= 0 || !(least > (double)*scale) || least > FLT_MAX) {
        return false;
    }
    *scale = nextafterf((float)least, INFINITY);
    return true;
}

// The sum after its left shift is at most twice its steps on the output's grid.
static bool raise_output(const struct layer *layer, size_t channel)
{
    const double least = reach(layer, channel) / most_steps;
    const bool has_own_scale =
        layer->output && (layer->output->spec == RL_SPEC_ACTIVATION || layer->output->spec == RL_SPEC_RESULT ||
                          layer->output->spec == RL_SPEC_SPECTRUM);
    if (!has_own_scale || !(least > (double)layer->output->qparams.scale) || least > FLT_MAX) {
        return false;
    }
    layer->output->qparams.scale = nextafterf((float)least, INFINITY);
    return true;
}

static bool fit(const struct layer *layer)
{
    struct rl_observer *weight = layer->weight;
    bool raised = false;
    for (size_t i = 0; i < (size_t)layer->channels; i++) {
        raised |=
            raise_weight(layer, i, weight->channel_count > 0 ? &weight->channel_scales[i] : &weight->qparams.scale);
        raised |= raise_output(layer, i);
    }
    return raised;
}

void rl_quantize_fit_sums(const struct rl_annotation *annotation)
{
    bool raised = annotation->quantizer != RL_QUANTIZER_STOCK;
    for (int round = 0; raised && round < ROUNDS; round++) {
        raised = false;
        for (int i = 0; i < annotation->point_count; i++) {
            struct layer layer;
            if (read_layer(annotation, &annotation->points[i], &layer)) {
                raised |= fit(&layer);
            }
        }
    }
}

void rl_quantize_find_room(const struct rl_annotation *annotation, const struct rl_node *node, int64_t channels,
                           double *room)
{
    // What fitting leaves for roundings is small against the tenth that stays free here.
    const double used = 0.9;
    struct layer layer;
    const struct rl_point *weight = rl_annotation_used(annotation, rl_node_tensor(node, "weight"), node);
    const bool is_layer = weight && read_layer(annotation, weight, &layer) && layer.channels == channels;
    for (int64_t i = 0; i < channels; i++) {
        if (!is_layer) {
            room[i] = 0;
            continue;
        }
        const double scale =
            (double)(layer.weight->channel_count > 0 ? layer.weight->channel_scales[i] : layer.weight->qparams.scale);
        const double sum = most_sum * (double)layer.input->qparams.scale * scale;
        const double steps = layer.output ? most_steps * (double)layer.output->qparams.scale : sum;
        room[i] = fmax(0, used * fmin(sum, steps) - reach(&layer, (size_t)i));
    }
}
