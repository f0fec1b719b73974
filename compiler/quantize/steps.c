// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/steps.h"

#include <math.h>

#include "compiler/quantize/guarded.h"

enum { MOST_STEPS = 255, FEWEST_VALUES = 256 };

// Floats of 24 bits that are 255 steps away from 0 or less are much closer to their step than this.
static const double tolerance = 1e-3;

static bool are_multiples(const float *values, size_t count, double step)
{
    for (size_t i = 0; i < count; i++) {
        const double steps = (double)values[i] / step;
        if (!(fabs(steps - rint(steps)) <= tolerance)) {
            return false;
        }
    }
    return true;
}

struct rl_steps rl_steps_find(const float *values, size_t count)
{
    struct rl_steps steps = {0};
    struct rl_minmax range = rl_minmax_empty();
    if (count < FEWEST_VALUES || !rl_minmax_observe(&range, values, count) || !(range.min < range.max)) {
        return steps;
    }
    const double min = range.min, max = range.max, width = fmax(max, 0) - fmin(min, 0);
    for (int between = 1; between <= MOST_STEPS; between++) {
        const double step = (max - min) / between;
        if (width / step <= MOST_STEPS + tolerance && are_multiples(values, count, step)) {
            steps.step = step;
            steps.lowest = (int)fmin(rint(min / step), 0);
            steps.highest = (int)fmax(rint(max / step), 0);
            return steps;
        }
    }
    return steps;
}

// Whether what a grid holds all comes from one input.
static bool is_of_input(const struct rl_annotation *annotation, const struct rl_observer *observer,
                        const struct rl_value *input)
{
    for (int i = 0; i < annotation->point_count; i++) {
        const struct rl_point *point = &annotation->points[i];
        const struct rl_op *op = point->node ? rl_op_get(point->node->op) : NULL;
        if (point->observer == observer && point->kind == RL_POINT_MADE && point->value != input &&
            !(op && (op->shares_grid || op->shares_grid_in_best))) {
            return false;
        }
    }
    return true;
}

struct search {
    struct rl_context *context;
    const struct rl_dataset *dataset;
    int input;
    struct rl_steps *steps;
};

static bool are_equal(const float *values, size_t count)
{
    size_t i = 0;
    while (i < count && values[i] == values[0]) {
        i++;
    }
    return i == count;
}

// Of samples in a file, the others are read where the first one has steps, or is all one number.
static enum rl_status find_in_file(void *user, struct rl_arena *arena)
{
    const struct search *search = user;
    const struct rl_dataset *dataset = search->dataset;
    const size_t count = (size_t)rl_tensor_numel(&dataset->inputs[search->input].type);
    const void *data;
    float *values = rl_arena_array(arena, count, sizeof *values);
    enum rl_status status = rl_dataset_fetch(search->context, dataset, search->input, 0, values, &data);
    if (status != RL_OK || (rl_steps_find(values, count).step == 0 && !are_equal(values, count))) {
        return status;
    }
    values = rl_arena_array(arena, count * (size_t)dataset->sample_count, sizeof *values);
    for (int64_t i = 0; i < dataset->sample_count && status == RL_OK; i++) {
        status = rl_dataset_fetch(search->context, dataset, search->input, i, values + (size_t)i * count, &data);
    }
    if (status == RL_OK) {
        *search->steps = rl_steps_find(values, count * (size_t)dataset->sample_count);
    }
    return status;
}

enum rl_status rl_quantize_find_steps(struct rl_context *context, const struct rl_annotation *annotation,
                                      const struct rl_dataset *dataset)
{
    enum rl_status status = RL_OK;
    for (int i = 0; i < annotation->graph->input_count && status == RL_OK; i++) {
        const struct rl_value *input = annotation->graph->inputs[i];
        const struct rl_point *made = rl_annotation_made(annotation, input);
        if (!made || !made->observer || made->observer->spec != RL_SPEC_ACTIVATION ||
            !is_of_input(annotation, made->observer, input)) {
            continue;
        }
        if (rl_dataset_room(dataset, i) > 0) {
            struct search search = {context, dataset, i, &made->observer->steps};
            status = rl_run_guarded(context, annotation->graph, find_in_file, &search);
            continue;
        }
        const size_t count = (size_t)rl_tensor_numel(&input->type) * (size_t)dataset->sample_count;
        made->observer->steps = rl_steps_find(rl_dataset_sample(dataset, i, 0), count);
    }
    return status;
}
