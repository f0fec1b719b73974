// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/steps.h"

#include <math.h>

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

void rl_quantize_find_steps(const struct rl_annotation *annotation, const struct rl_dataset *dataset)
{
    for (int i = 0; i < annotation->graph->input_count; i++) {
        const struct rl_value *input = annotation->graph->inputs[i];
        const struct rl_point *made = rl_annotation_made(annotation, input);
        if (made && made->observer && made->observer->spec == RL_SPEC_ACTIVATION &&
            is_of_input(annotation, made->observer, input)) {
            const size_t count = (size_t)rl_tensor_numel(&input->type) * (size_t)dataset->sample_count;
            made->observer->steps = rl_steps_find(rl_dataset_sample(dataset, i, 0), count);
        }
    }
}
