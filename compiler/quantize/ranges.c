// SPDX-License-Identifier: Apache-2.0
//
// The range of numbers that the grid of an activation covers.
//
// The stock quantizer searches a histogram for the range that loses least on the calibration data, and clips what lies
// outside. Few samples rarely show the largest values that a network meets later, and a clipped value costs more than
// the slightly wider steps of all others. So our own choice covers all that was seen and a margin. It is larger where
// few values were seen, since larger ones are then likely to follow, and for the results of the whole network, whose
// largest value is what users look at.
//
// Inputs are often integers divided by a number: pixels, or the counts of a converter. A grid on which all of them lie
// loses nothing.
#include <float.h>
#include <math.h>

#include "compiler/quantize/annotation.h"

static const float least_margin = 1.05f, result_margin = 1.2f;
static const float margin_of_few = 0.15f;   // more, for values so few that their number has FEW_BITS
static const float wide_margin = 2.0f;      // of int16, which has steps to spare
static const float spectrum_margin = 1.25f; // of spectra, whose weakest parts need the steps

enum { FEW_BITS = 10, MANY_BITS = 17 }; // of numbers of values, with the largest margin and with the least

// Whether a use hands a value to the caller: as it is, or as the probabilities that a softmax makes of it.
static bool is_handed_out(const struct rl_annotation *annotation, const struct rl_point *point)
{
    return point->kind == RL_POINT_USED_AS_OUTPUT ||
           (point->kind == RL_POINT_USED && rl_op_get(point->node->op)->layer == RL_LAYER_SOFTMAX &&
            rl_value_is_output(annotation->graph, point->node->results[0]));
}

// The margin for so many values.
static float margin_for(uint64_t count)
{
    int bits = 0;
    for (; count > 0 && bits < MANY_BITS; count /= 2) {
        bits++;
    }
    const int missing = MANY_BITS - (bits > FEW_BITS ? bits : FEW_BITS);
    return least_margin + margin_of_few * (float)missing / (float)(MANY_BITS - FEW_BITS);
}

static float margin_of(const struct rl_annotation *annotation, const struct rl_observer *observer)
{
    for (int i = 0; i < annotation->point_count; i++) {
        const struct rl_point *point = &annotation->points[i];
        if (point->observer == observer && is_handed_out(annotation, point)) {
            return result_margin;
        }
    }
    return margin_for(observer->histogram->seen);
}

// A bound that a clamp may lack.
static float bound_of(const struct rl_node *node, const char *name, float none)
{
    return rl_node_arg(node, name)->kind == RL_ARG_NONE ? none : (float)rl_node_number(node, name);
}

// What the results of a node can be at all.
static struct rl_minmax bounds_of(const struct rl_node *node)
{
    switch (node->op) {
    case RL_OP_aten_hardtanh:
        return (struct rl_minmax){(float)rl_node_number(node, "min_val"), (float)rl_node_number(node, "max_val")};
    case RL_OP_aten_clamp:
        return (struct rl_minmax){bound_of(node, "min", -INFINITY), bound_of(node, "max", INFINITY)};
    case RL_OP_aten_relu6:
        return (struct rl_minmax){0.0f, 6.0f};
    case RL_OP_aten_sigmoid:
    case RL_OP_aten_hardsigmoid:
        return (struct rl_minmax){0.0f, 1.0f};
    case RL_OP_aten_tanh:
        return (struct rl_minmax){-1.0f, 1.0f};
    default:
        return (struct rl_minmax){-INFINITY, INFINITY};
    }
}

// Whether a node has no bounds of its own but those of its operands, whose values it passes on. NULL is an input.
static bool only_passes_on(const struct rl_node *node)
{
    const struct rl_op *op = node ? rl_op_get(node->op) : NULL;
    return op && (op->shares_grid || op->shares_grid_in_best) && isinf(bounds_of(node).max);
}

static void bound(struct rl_minmax *range, const struct rl_annotation *annotation, const struct rl_observer *observer)
{
    struct rl_minmax bounds = rl_minmax_empty();
    for (int i = 0; i < annotation->point_count; i++) {
        const struct rl_point *point = &annotation->points[i];
        if (point->observer != observer || point->kind != RL_POINT_MADE || only_passes_on(point->node)) {
            continue;
        }
        const struct rl_minmax own = point->node ? bounds_of(point->node) : (struct rl_minmax){-INFINITY, INFINITY};
        bounds.min = fminf(bounds.min, own.min);
        bounds.max = fmaxf(bounds.max, own.max);
    }
    if (bounds.min <= bounds.max) {
        range->min = fmaxf(range->min, bounds.min);
        range->max = fminf(range->max, bounds.max);
    }
}

static float factor_of(const struct rl_annotation *annotation, const struct rl_observer *observer)
{
    switch (observer->spec) {
    case RL_SPEC_RESULT:
        return wide_margin;
    case RL_SPEC_SPECTRUM:
        return spectrum_margin;
    default:
        return margin_of(annotation, observer);
    }
}

// The range of a grid that has every multiple of a step, with room for larger values where there are integers to spare.
// Often there is room for more integers than one a step.
static struct rl_minmax range_of_steps(const struct rl_steps *steps, struct rl_qrange integers)
{
    const int room = integers.max - integers.min;
    int lowest = steps->lowest, highest = steps->highest;
    int parts = (int)((float)room / ((float)(highest - lowest) * least_margin));
    parts = parts > 1 ? parts : 1;
    lowest *= parts, highest *= parts;
    const int rest = room - (highest - lowest);
    if (lowest < 0) {
        lowest -= highest > 0 ? rest / 2 : rest;
    }
    highest = lowest + room;
    return (struct rl_minmax){(float)fmax(lowest * steps->step / parts, -FLT_MAX),
                              (float)fmin(highest * steps->step / parts, FLT_MAX)};
}

struct rl_minmax rl_observer_choose_range(const struct rl_annotation *annotation, const struct rl_observer *observer)
{
    if (annotation->quantizer == RL_QUANTIZER_STOCK) {
        return rl_histogram_choose_range(observer->histogram);
    }
    if (observer->steps.step > 0) {
        return range_of_steps(&observer->steps, rl_observer_range(observer));
    }
    const float factor = factor_of(annotation, observer);
    struct rl_minmax range = observer->histogram->range;
    range.min = fmaxf(fminf(range.min, 0.0f) * factor, -FLT_MAX); // a grid has 0
    range.max = fminf(fmaxf(range.max, 0.0f) * factor, FLT_MAX);
    bound(&range, annotation, observer);
    return range;
}
