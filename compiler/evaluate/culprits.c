// SPDX-License-Identifier: Apache-2.0
#include "compiler/evaluate/culprits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/data/array.h"
#include "compiler/evaluate/results.h"
#include "compiler/ir/work.h"

// A value of the model that a call of the program computes, or an input.
struct rl_culprit_value {
    const struct rl_layer *layer; // NULL: an input
    struct rl_culprit *culprit;
    int64_t count;
    struct rl_io_grid grid;    // scale 0: the program has floats, too
    enum rl_scalar_type dtype; // of the integers
    double lowest, highest;    // that they can stand for
    bool is_seen;              // in the model as it runs
    float *reference;          // of the current sample in the untouched model
    double *own;               // of the same sample in the forced one
    float **errors;            // by sample
};

int64_t rl_culprits_samples(const struct rl_graph *graph, const struct rl_layers *layers)
{
    enum { MOST_SAMPLES = 8 };
    const double most_work = 1e9; // about a second
    double work = 1;

    for (const struct rl_node *node = graph->first; node; node = node->next) {
        work += rl_node_work(node);
    }
    const double samples = most_work / (work * (double)(layers->count + 1));
    if (samples < 1) {
        return 1;
    }
    return samples < MOST_SAMPLES ? (int64_t)samples : MOST_SAMPLES;
}

// ---- start

static void add_value(struct rl_culprits *culprits, const char *name, const struct rl_culprit_value *like,
                      int64_t samples)
{
    struct rl_culprit_value *value = &culprits->values[culprits->value_count];
    if (!rl_name_map_add(&culprits->by_name, name, value)) {
        return; // another call computes the same
    }
    *value = *like;
    value->lowest = rl_rounded_to_grid(&value->grid, value->dtype, -INFINITY);
    value->highest = rl_rounded_to_grid(&value->grid, value->dtype, INFINITY);
    value->reference = rl_arena_array(culprits->arena, (size_t)value->count, sizeof *value->reference);
    value->own = rl_arena_array(culprits->arena, (size_t)value->count, sizeof *value->own);
    value->errors = rl_arena_array(culprits->arena, (size_t)samples, sizeof *value->errors);
    for (int64_t i = 0; i < samples; i++) {
        value->errors[i] = rl_arena_array(culprits->arena, (size_t)value->count, sizeof *value->errors[i]);
    }
    if (value->layer) {
        culprits->by_instruction[value->layer->instruction] = value;
    }
    culprits->value_count++;
}

static struct rl_culprit *culprit_of_line(struct rl_culprits *culprits, const struct rl_layer *line)
{
    for (int i = 0; i < culprits->count; i++) {
        if (culprits->items[i].line == line) {
            return &culprits->items[i];
        }
    }
    struct rl_culprit *culprit = &culprits->items[culprits->count++];
    const enum rl_op_layer kind = rl_op_get(line->own->producer->op)->layer;
    *culprit = (struct rl_culprit){.name = line->name, .line = line};
    culprit->has_weights = kind == RL_LAYER_CONVOLUTION || kind == RL_LAYER_LINEAR || kind == RL_LAYER_RECURRENT;
    return culprit;
}

static bool is_integer(enum rl_scalar_type dtype)
{
    return dtype == RL_INT8 || dtype == RL_INT16;
}

void rl_culprits_start(struct rl_arena *arena, const struct rl_graph *graph, const struct rl_layers *layers,
                       const struct rl_culprit_input *inputs, const struct rl_classes *classes, int output,
                       int64_t samples, struct rl_culprits *culprits)
{
    const size_t most = (size_t)(layers->count + graph->input_count);
    const struct rl_value *measured = classes->axis >= 0 && classes->logits ? classes->logits : graph->outputs[output];
    int64_t largest = rl_tensor_numel(&measured->type);

    *culprits = (struct rl_culprits){.arena = arena, .layers = layers, .measured = measured->name};
    culprits->measured_count = largest;
    culprits->by_name.arena = arena;
    culprits->items = rl_arena_array(arena, most, sizeof *culprits->items);
    culprits->values = rl_arena_array(arena, most, sizeof *culprits->values);
    culprits->by_instruction =
        rl_arena_array(arena, (size_t)layers->instruction_count, sizeof(struct rl_culprit_value *));
    culprits->expected = rl_arena_array(arena, (size_t)samples, sizeof *culprits->expected);
    for (int64_t i = 0; i < samples; i++) {
        culprits->expected[i] = rl_arena_array(arena, (size_t)largest, sizeof **culprits->expected);
    }
    for (int i = 0; i < graph->input_count; i++) {
        const int64_t count = rl_tensor_numel(&graph->inputs[i]->type);
        if (inputs[i].grid.scale > 0 && is_integer(inputs[i].dtype) && graph->inputs[i]->type.dtype == RL_FLOAT32) {
            struct rl_culprit *culprit = &culprits->items[culprits->count++];
            *culprit = (struct rl_culprit){.name = graph->inputs[i]->name};
            const struct rl_culprit_value like = {
                .culprit = culprit, .count = count, .grid = inputs[i].grid, .dtype = inputs[i].dtype};
            add_value(culprits, graph->inputs[i]->name, &like, samples);
            largest = count > largest ? count : largest;
        }
    }
    for (int i = 0; i < layers->count; i++) {
        const struct rl_layer *layer = &layers->items[i];
        const struct rl_culprit_value like = {.layer = layer,
                                              .culprit = culprit_of_line(culprits, layer->line),
                                              .count = layer->count,
                                              .grid = layer->grid,
                                              .dtype = layer->own->type.dtype};
        add_value(culprits, layer->value, &like, samples);
        largest = layer->count > largest ? layer->count : largest;
    }
    culprits->scratch = rl_arena_array(arena, (size_t)largest, sizeof *culprits->scratch);
}

// ---- the error of each layer

static struct rl_culprit_value *find(const struct rl_culprits *culprits, const struct rl_value *value)
{
    struct rl_culprit_value *found = rl_name_map_find(&culprits->by_name, value->name);

    return found && value->type.dtype == RL_FLOAT32 && rl_tensor_numel(&value->type) == found->count ? found : NULL;
}

static bool is_measured(const struct rl_culprits *culprits, const struct rl_value *value)
{
    return value->type.dtype == RL_FLOAT32 && strcmp(value->name, culprits->measured) == 0 &&
           rl_tensor_numel(&value->type) == culprits->measured_count;
}

void rl_culprits_see_model(void *user, const struct rl_value *value, void *data)
{
    const struct rl_culprits *culprits = user;
    struct rl_culprit_value *found = find(culprits, value);

    if (found) {
        rl_tensor_to_c_order(&value->type, data, found->reference);
        found->is_seen = true;
    }
    if (is_measured(culprits, value)) {
        rl_tensor_to_c_order(&value->type, data, culprits->expected[culprits->sample]);
    }
}

// Counts what explains the error of one element: `exact` is the result without it.
static void explain(const struct rl_culprit_value *value, double exact, double error)
{
    enum { INNER_PART = 4 };
    struct rl_culprit *culprit = value->culprit;
    const struct rl_io_grid *grid = &value->grid;
    const double over = fmax(fmax(exact - value->highest, value->lowest - exact), 0);

    culprit->elements++;
    culprit->total += error * error;
    if (grid->scale == 0) {
        return;
    }
    if (over > grid->scale / 2) {
        culprit->clipped += over * over;
    } else {
        culprit->rounded += grid->scale * grid->scale / 12; // the variance of what rounding cuts off
    }
    culprit->beyond += fabs(exact) > fmax(value->highest, -value->lowest) / INNER_PART;
}

static void keep_error(const struct rl_culprits *culprits, struct rl_culprit_value *value, int64_t index, double exact,
                       double found)
{
    value->errors[culprits->sample][index] = (float)(found - exact);
    explain(value, exact, found - exact);
}

void rl_culprits_force_model(void *user, const struct rl_value *value, void *data)
{
    const struct rl_culprits *culprits = user;
    struct rl_culprit_value *found = find(culprits, value);

    if (!found || !found->is_seen) {
        return;
    }
    rl_tensor_to_c_order(&value->type, data, culprits->scratch);
    for (int64_t i = 0; i < found->count; i++) {
        const double rounded = rl_rounded_to_grid(&found->grid, found->dtype, found->reference[i]);
        found->own[i] = culprits->scratch[i];
        if (!found->layer) {
            keep_error(culprits, found, i, found->own[i], rounded);
        }
        culprits->scratch[i] = (float)rounded;
    }
    rl_tensor_from_c_order(&value->type, culprits->scratch, data);
}

enum rl_status rl_culprits_force_program(void *user, struct rl_call *call)
{
    const struct rl_culprits *culprits = user;
    const struct rl_layers *layers = culprits->layers;
    struct rl_culprit_value *value =
        call->instruction < (uint32_t)layers->instruction_count ? culprits->by_instruction[call->instruction] : NULL;
    struct rl_tensor result;

    if (!value || !value->is_seen || !rl_result_of_call(call, value->layer, &result)) {
        return call->status;
    }
    rl_result_read(value->layer, &result, layers->found);
    for (int64_t i = 0; i < value->layer->own_count; i++) {
        const int64_t place = rl_layer_place(value->layer, i);
        if (place >= 0) {
            keep_error(culprits, value, place, value->own[place], layers->found[place]);
            layers->found[place] = value->reference[place];
        }
    }
    rl_result_write(value->layer, layers->found, &result);
    return call->status;
}

// ---- what it costs

void rl_culprits_add_error(void *user, const struct rl_value *value, void *data)
{
    const struct rl_culprits *culprits = user;
    struct rl_culprit *culprit = &culprits->items[culprits->current];
    const struct rl_culprit_value *found = find(culprits, value);

    if (found && found->culprit == culprit) {
        rl_tensor_to_c_order(&value->type, data, culprits->scratch);
        for (int64_t i = 0; i < found->count; i++) {
            culprits->scratch[i] += found->errors[culprits->sample][i];
        }
        rl_tensor_from_c_order(&value->type, culprits->scratch, data);
    }
    if (is_measured(culprits, value)) {
        const float *expected = culprits->expected[culprits->sample];
        rl_tensor_to_c_order(&value->type, data, culprits->scratch);
        for (int64_t i = 0; i < culprits->measured_count; i++) {
            rl_similarity_add(&culprit->alone, expected[i], culprits->scratch[i]);
        }
    }
}

static int compare(const void *a, const void *b)
{
    const struct rl_culprit *one = a, *other = b;

    if (one->alone.noise != other->alone.noise) {
        return one->alone.noise > other->alone.noise ? -1 : 1;
    }
    return strcmp(one->name, other->name);
}

void rl_culprits_rank(struct rl_culprits *culprits)
{
    double sum = 0;

    qsort(culprits->items, (size_t)culprits->count, sizeof *culprits->items, compare);
    for (int i = 0; i < culprits->count; i++) {
        sum += culprits->items[i].alone.noise;
    }
    for (int i = 0; i < culprits->count && sum > 0; i++) {
        culprits->items[i].share = culprits->items[i].alone.noise / sum;
    }
}

enum rl_cause rl_culprit_cause(const struct rl_culprit *culprit)
{
    enum { RARELY = 1000 };
    const double weights = culprit->has_weights ? culprit->total - culprit->clipped - culprit->rounded : 0;

    if (!(culprit->total > 0)) {
        return RL_CAUSE_NONE;
    }
    if (culprit->clipped > weights && culprit->clipped > culprit->rounded) {
        return RL_CAUSE_CLIPPING;
    }
    if (weights > culprit->rounded) {
        return RL_CAUSE_WEIGHTS;
    }
    return culprit->beyond < culprit->elements / RARELY ? RL_CAUSE_OUTLIERS : RL_CAUSE_ROUNDING;
}
