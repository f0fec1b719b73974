// SPDX-License-Identifier: Apache-2.0
//
// A layer's result is the product of weights w and inputs x. Rounded weights w + d make the mean squared error
//
//   d H d^T,   H the mean of x^T x
//
// for each output channel. The nearest integers make every element of d small. That is not best for the sum, because
// inputs depend on each other: neighbouring pixels are alike, and so are many channels. So, from the nearest integers
// on, one weight at a time goes to the integer on its other side, the one that takes most off the error, until none
// takes anything off. (Frantar et al., GPTQ, 2023, minimize the same error, weight by weight in a fixed order.)
//
// A mean error of the result is taken off the bias later, so H is about the inputs' mean then. What a few samples show
// of dependences is uncertain: H is mixed with its diagonal, by more the fewer samples there are for its size.
#include "compiler/quantize/rounding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/quantize/moments.h"
#include "compiler/support/workers.h"

enum { MOST_ROWS = 6000 };

// Multiplications for the moments of a graph.
static const double most_products = 1.5e9;

// How much the diagonal counts: as that many places for each weight of a block. And the part of the mean error that the
// correction of the bias may leave. The results of eleven trained networks are within 0.3 dB from 0 to 3 and 0 to 0.1.
static const double mixing = 0.3, left = 0.1;

struct layer {
    struct rl_moments moments;
    const char *input; // name of the value
    struct rl_observer *weight;
    const struct rl_point *use; // of the input
    bool is_centered;           // whether the bias takes the mean error off
    struct rl_node *node;
    const char *own_bias; // the argument that takes it off here, not in a later stage; NULL: none
};

struct rl_rounding {
    const struct rl_annotation *annotation;
    struct layer *layers;
    int count;
    int64_t wanted; // places of each sample
    float **work;   // by worker
    int worker_count;
};

// The point of what a layer multiplies by one of its constants. A recurrent layer multiplies its results by the hidden
// weights, each one step later.
static const struct rl_point *multiplied_by(const struct rl_annotation *annotation, const struct rl_node *node,
                                            const struct rl_value *weight)
{
    const struct rl_op *op = rl_op_get(node->op);
    if (op->layer == RL_LAYER_RECURRENT && rl_node_tensor(node, "hidden_weight") == weight) {
        return rl_annotation_made(annotation, node->results[0]);
    }
    const bool has_input = op->layer == RL_LAYER_RECURRENT || op->has_weights;
    return has_input ? rl_annotation_used(annotation, rl_node_tensor(node, "input"), node) : NULL;
}

// The bias that belongs to a weight of a recurrent layer, or of a layer in a graph with state: the correction of biases
// leaves both out.
static void find_own_bias(const struct rl_point *weight, struct layer *layer)
{
    const bool is_recurrent = rl_op_get(weight->node->op)->layer == RL_LAYER_RECURRENT;
    const bool is_hidden = is_recurrent && rl_node_tensor(weight->node, "hidden_weight") == weight->value;
    const char *own = is_hidden ? "hidden_bias" : "input_bias", *name = is_recurrent ? own : "bias";
    const struct rl_value *bias = rl_node_tensor(weight->node, name);
    if (bias && bias->kind == RL_VALUE_CONSTANT && bias->type.dtype == RL_FLOAT32 && bias->type.rank == 1 &&
        rl_tensor_is_contiguous(&bias->type) && bias->type.sizes[0] == weight->value->type.sizes[0]) {
        layer->node = weight->node;
        layer->own_bias = name;
        layer->is_centered = true;
    }
}

static bool read_layer(const struct rl_annotation *annotation, const struct rl_point *point, bool corrects_means,
                       struct layer *layer)
{
    struct rl_observer *weight = point->observer;
    if (point->kind != RL_POINT_USED || !weight || !rl_observer_is_weight(weight) || weight->constant != point->value ||
        rl_value_use_count(annotation->graph, point->value) != 1) {
        return false;
    }
    const struct rl_point *input = multiplied_by(annotation, point->node, point->value);
    if (!input || !input->observer || !rl_moments_read(point->node, input->value, point->value, &layer->moments)) {
        return false;
    }
    layer->own_bias = NULL;
    const bool is_recurrent = rl_op_get(point->node->op)->layer == RL_LAYER_RECURRENT;
    const struct rl_value *bias = is_recurrent ? NULL : rl_node_tensor(point->node, "bias");
    const struct rl_point *bias_use = bias ? rl_annotation_used(annotation, bias, point->node) : NULL;
    layer->input = rl_value_shown(input->value)->name;
    layer->weight = weight;
    layer->use = input;
    layer->is_centered = corrects_means && bias_use && bias_use->spec == RL_SPEC_BIAS &&
                         rl_value_use_count(annotation->graph, bias) == 1;
    if (is_recurrent || annotation->graph->state_count > 0) {
        find_own_bias(point, layer);
    }
    return true;
}

static void allocate_work(struct rl_rounding *rounding, int workers)
{
    struct rl_arena *arena = rounding->annotation->graph->arena;
    size_t work = 0;
    for (int i = 0; i < rounding->count; i++) {
        const size_t one = rl_moments_work(&rounding->layers[i].moments);
        work = one > work ? one : work;
    }
    rounding->work = rl_arena_array(arena, (size_t)workers, sizeof(float *));
    for (int i = 0; i < workers; i++) {
        rounding->work[i] = rl_arena_array(arena, work, sizeof(float));
    }
    rounding->worker_count = workers;
}

struct rl_rounding *rl_rounding_new(const struct rl_context *context, const struct rl_annotation *annotation,
                                    const struct rl_dataset *dataset, bool corrects_means)
{
    struct rl_arena *arena = annotation->graph->arena;
    struct rl_rounding *rounding = rl_arena_alloc(arena, sizeof *rounding);
    *rounding = (struct rl_rounding){.annotation = annotation};
    rounding->layers = rl_arena_array(arena, (size_t)annotation->point_count, sizeof *rounding->layers);
    double cost = 1;
    for (int i = 0; i < annotation->point_count; i++) {
        struct layer *layer = &rounding->layers[rounding->count];
        if (read_layer(annotation, &annotation->points[i], corrects_means, layer)) {
            cost += rl_moments_cost(&layer->moments);
            rounding->count++;
        }
    }
    const double rows = fmin(most_products / cost, MOST_ROWS) / (double)dataset->sample_count;
    rounding->wanted = rows > 1 ? (int64_t)rows : 1;
    allocate_work(rounding, rl_workers_count(context, dataset->sample_count));
    return rounding;
}

static bool takes(const struct layer *layer, const struct rl_value *value)
{
    return strcmp(layer->input, value->name) == 0 && value->type.dtype == RL_FLOAT32;
}

void rl_rounding_observe(struct rl_rounding *rounding, int worker, const struct rl_value *value, const void *data)
{
    for (int i = 0; i < rounding->count; i++) {
        struct rl_moments *moments = &rounding->layers[i].moments;
        if (!takes(&rounding->layers[i], value)) {
            continue;
        }
        if (!moments->sums) {
            rl_moments_start(moments, rounding->annotation->graph->arena, rounding->wanted);
        }
        rl_moments_add(moments, &value->type, data, rounding->work[worker]);
    }
}

size_t rl_rounding_keeps(const struct rl_rounding *rounding, const struct rl_value *value)
{
    size_t bytes = 0;
    for (int i = 0; i < rounding->count; i++) {
        bytes += takes(&rounding->layers[i], value) ? rl_moments_bytes(&rounding->layers[i].moments) : 0;
    }
    return bytes;
}

// ---- integers

// The error of a block of weights: H, of size * size, from the sums over all places.
static void find_error(const struct layer *layer, int64_t group, int64_t block, int64_t size, double *error,
                       double *diagonal)
{
    const struct rl_moments *m = &layer->moments;
    const double *sums = m->sums + group * m->taps + block * m->block;
    const double rows = (double)m->rows, step = (double)layer->use->observer->qparams.scale;

    const double kept = rows / (rows + mixing * (double)size), mean = layer->is_centered ? 1 - left : 0;
    for (int64_t i = 0; i < size; i++) {
        const float *products = rl_moments_row(m, group, block, i);
        for (int64_t k = i; k < size; k++) {
            const double centre = sums[i] * sums[k] / rows * mean;
            const double moment = ((double)products[k] - centre) / rows;
            error[i * size + k] = error[k * size + i] = k == i ? moment : kept * moment;
        }
        error[i * size + i] += step * step / 12; // the rounding of the input itself
        diagonal[i] = error[i * size + i];
    }
}

// TOGETHER channels are prepared with each CHUNK of rows of the error, which stay in the cache for them.
enum { LANES = 8, TOGETHER = 8, CHUNK = 4 };

struct search {
    double *error; // H
    int64_t size;
    double *diagonal; // of H
    double *slope;    // H d
    double *others;   // how far each weight would move: 1 or -1
    double *offs;     // d, of the nearest integers
    double *changes;  // of the error, if a weight moved
};

// to[i] += row[i] * factor
static void add_scaled(double *restrict to, const double *restrict row, double factor, int64_t size)
{
    for (int64_t i = 0; i < size; i++) {
        to[i] += row[i] * factor;
    }
}

// The same for CHUNK rows, one after the other. Each sum is loaded and stored once.
static void add_scaled_chunk(double *restrict to, const double *restrict rows, const double factors[CHUNK],
                             int64_t size)
{
    const double *restrict a = rows, *restrict b = a + size, *restrict c = b + size, *restrict d = c + size;
    const double by_a = factors[0], by_b = factors[1], by_c = factors[2], by_d = factors[3];
    for (int64_t i = 0; i < size; i++) {
        to[i] = to[i] + a[i] * by_a + b[i] * by_b + c[i] * by_c + d[i] * by_d;
    }
}

// The least of some numbers below `best`; `best` if there is none. LANES at a time, because compilers keep the order of
// comparisons.
static double find_least(const double *numbers, int64_t count, double best)
{
    double least[LANES];
    for (int lane = 0; lane < LANES; lane++) {
        least[lane] = best;
    }
    int64_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        for (int lane = 0; lane < LANES; lane++) {
            least[lane] = numbers[i + lane] < least[lane] ? numbers[i + lane] : least[lane];
        }
    }
    for (; i < count; i++) {
        best = numbers[i] < best ? numbers[i] : best;
    }
    for (int lane = 0; lane < LANES; lane++) {
        best = least[lane] < best ? least[lane] : best;
    }
    return best;
}

// Finds how the error changes with each weight, and the least change below `best`.
static double find_changes(const struct search *search, double best)
{
    double *restrict changes = search->changes;
    const double *restrict others = search->others, *restrict slope = search->slope,
                           *restrict diagonal = search->diagonal;
    for (int64_t i = 0; i < search->size; i++) {
        changes[i] = 2 * others[i] * slope[i] + diagonal[i];
    }
    return find_least(changes, search->size, best);
}

// Moves the weight that takes most off the error to its other side, the first of equal ones; false if none does.
static bool improve(const struct search *search, int8_t *integers)
{
    const double enough = -1e-12, best = find_changes(search, enough);
    int64_t at = 0;
    if (!(best < enough)) {
        return false;
    }
    while (search->changes[at] != best) {
        at++;
    }
    const double move = search->others[at];
    integers[at] = (int8_t)(integers[at] + (int)move);
    search->others[at] = -move;
    add_scaled(search->slope, search->error + at * search->size, move, search->size);
    return true;
}

static void start_search(const struct search *search, const float *weights, float scale, struct rl_qrange range,
                         const int8_t *integers)
{
    memset(search->slope, 0, (size_t)search->size * sizeof *search->slope);
    for (int64_t i = 0; i < search->size; i++) {
        const double exact = (double)weights[i] / (double)scale, off = integers[i] - exact;
        const double other = off > 0 ? -1.0 : 1.0, target = integers[i] + other;
        search->others[i] = off == 0 || target < range.min || target > range.max ? 0 : other;
        search->offs[i] = off;
    }
}

static void find_slopes(const struct search searches[TOGETHER], int count)
{
    const int64_t size = searches[0].size;
    for (int64_t first = 0; first < size; first += CHUNK) {
        for (int channel = 0; channel < count; channel++) {
            const struct search *search = &searches[channel];
            const double *offs = search->offs + first;
            if (first + CHUNK <= size && offs[0] != 0 && offs[1] != 0 && offs[2] != 0 && offs[3] != 0) {
                add_scaled_chunk(search->slope, search->error + first * size, offs, size);
                continue;
            }
            for (int64_t i = first; i < size && i < first + CHUNK; i++) {
                if (search->offs[i] != 0) {
                    add_scaled(search->slope, search->error + i * size, search->offs[i], size);
                }
            }
        }
    }
}

// The block of weights from `first` on of `count` output channels from `channel` on.
static void round_channels(const struct layer *layer, struct search searches[TOGETHER], int64_t first, int64_t channel,
                           int count)
{
    const struct rl_observer *observer = layer->weight;
    const float *weights = observer->constant->data;
    for (int i = 0; i < count; i++) {
        const int64_t at = (channel + i) * layer->moments.taps + first;
        const float scale =
            observer->channel_count > 0 ? observer->channel_scales[channel + i] : observer->qparams.scale;
        start_search(&searches[i], weights + at, scale, rl_observer_range(observer), observer->integers + at);
    }
    find_slopes(searches, count);
    for (int i = 0; i < count; i++) {
        int8_t *integers = observer->integers + (channel + i) * layer->moments.taps + first;
        for (int64_t moves = 0; moves < 2 * searches[i].size && improve(&searches[i], integers); moves++) {
        }
    }
}

static void allocate(struct search searches[TOGETHER], size_t block, struct rl_arena *arena)
{
    double *error = rl_arena_array(arena, block * block, sizeof *error);
    double *diagonal = rl_arena_array(arena, block, sizeof *diagonal);
    double *changes = rl_arena_array(arena, block, sizeof *changes);
    for (int i = 0; i < TOGETHER; i++) {
        searches[i] = (struct search){.error = error, .diagonal = diagonal, .changes = changes};
        searches[i].slope = rl_arena_array(arena, block, sizeof(double));
        searches[i].others = rl_arena_array(arena, block, sizeof(double));
        searches[i].offs = rl_arena_array(arena, block, sizeof(double));
    }
}

static void round_layer(const struct layer *layer, struct search searches[TOGETHER])
{
    const struct rl_moments *m = &layer->moments;
    const int64_t per_group = layer->weight->constant->type.sizes[0] / m->groups;
    for (int64_t i = 0; i < m->groups * m->blocks; i++) {
        const int64_t group = i / m->blocks, first = i % m->blocks * m->block, rest = m->taps - first;
        const int64_t size = rest < m->block ? rest : m->block;
        find_error(layer, group, i % m->blocks, size, searches[0].error, searches[0].diagonal);
        for (int k = 0; k < TOGETHER; k++) {
            searches[k].size = size;
        }
        for (int64_t channel = 0; channel < per_group; channel += TOGETHER) {
            const int64_t left = per_group - channel;
            round_channels(layer, searches, first, group * per_group + channel,
                           (int)(left < TOGETHER ? left : TOGETHER));
        }
    }
}

// Takes the mean error of each row of weights off the bias.
static void correct_own_bias(const struct rl_annotation *annotation, const struct layer *layer)
{
    struct rl_graph *graph = annotation->graph;
    const struct rl_moments *m = &layer->moments;
    const struct rl_observer *weight = layer->weight;
    struct rl_node *node = layer->node;
    const struct rl_value *old = rl_node_tensor(node, layer->own_bias);
    const float *weights = weight->constant->data;
    const int64_t rows = old->type.sizes[0];
    float *bias = rl_arena_array(graph->arena, (size_t)rows, sizeof *bias);
    for (int64_t row = 0; row < rows; row++) {
        const double scale = (double)(weight->channel_count > 0 ? weight->channel_scales[row] : weight->qparams.scale);
        const double *sums = m->sums + row * m->groups / rows * m->taps;
        double error = 0;
        for (int64_t i = 0; i < m->taps; i++) {
            const int64_t at = row * m->taps + i;
            error += (weight->integers[at] * scale - (double)weights[at]) * sums[i] / (double)m->rows;
        }
        bias[row] = (float)((double)((const float *)old->data)[row] - error);
    }
    struct rl_value *corrected = rl_graph_take_constant(graph, old->name, &old->type, bias);
    struct rl_point *point = rl_annotation_used(annotation, old, node);
    *rl_node_arg(node, layer->own_bias) = rl_arg_value(corrected);
    point->value = corrected;
    if (point->observer) {
        point->observer->constant = corrected;
    }
}

void rl_rounding_run(const struct rl_rounding *rounding)
{
    struct rl_arena *arena = rounding->annotation->graph->arena;
    struct search searches[TOGETHER];
    int64_t block = 0;
    for (int i = 0; i < rounding->worker_count; i++) {
        rl_arena_release(arena, rounding->work[i]);
    }
    for (int i = 0; i < rounding->count; i++) {
        const int64_t size = rounding->layers[i].moments.block;
        block = size > block ? size : block;
    }
    allocate(searches, (size_t)block, arena);
    for (int i = 0; i < rounding->count; i++) {
        const struct layer *layer = &rounding->layers[i];
        if (layer->moments.rows > 0 && layer->use->observer) {
            layer->weight->integers = rl_arena_alloc(arena, (size_t)rl_tensor_numel(&layer->weight->constant->type));
            rl_observer_round(layer->weight, layer->weight->constant, layer->weight->integers);
            round_layer(layer, searches);
            if (layer->own_bias) {
                correct_own_bias(rounding->annotation, layer);
            }
        }
        rl_moments_end(&layer->moments, arena);
    }
    rl_arena_release(arena, searches[0].error);
}
