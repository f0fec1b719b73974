// SPDX-License-Identifier: Apache-2.0
//
// The second stage: observers see what the float program computes on each sample, then choose their parameters.
#include <math.h>

#include "compiler/data/dataset.h"
#include "compiler/quantize/annotation.h"
#include "compiler/quantize/channels.h"
#include "compiler/quantize/observe.h"
#include "compiler/quantize/steps.h"
#include "compiler/quantize/sums.h"

static const char not_finite[] = "holds a NaN or an infinite number";

static enum rl_status fail_on_constant(struct rl_context *context, const struct rl_graph *graph,
                                       const struct rl_value *constant, const char *found)
{
    return rl_fail(context, RL_ERROR_FORMAT, "%s: constant '%s' %s, and cannot be quantized", graph->source,
                   constant->name, found);
}

static enum rl_status choose_for_weight(struct rl_context *context, const struct rl_graph *graph,
                                        struct rl_observer *observer)
{
    const struct rl_value *weight = observer->constant;
    struct rl_minmax range = rl_minmax_empty();
    const bool is_number = rl_minmax_observe(&range, weight->data, (size_t)rl_tensor_numel(&weight->type));
    observer->qparams = rl_qparams_symmetric(range.min, range.max, rl_observer_range(observer));
    if (!is_number || !isfinite(observer->qparams.scale)) {
        return fail_on_constant(context, graph, weight, not_finite);
    }
    return RL_OK;
}

static enum rl_status choose_for_channels(struct rl_context *context, const struct rl_graph *graph,
                                          struct rl_observer *observer)
{
    const struct rl_value *weight = observer->constant;
    const int axis = rl_observer_axis(observer);
    if (weight->type.rank <= axis) {
        return fail_on_constant(context, graph, weight, "has no dimension of output channels");
    }
    const size_t channels = (size_t)weight->type.sizes[axis];
    struct rl_minmax *ranges = rl_arena_array(graph->arena, channels, sizeof *ranges);
    bool is_number = rl_channels_observe(&weight->type, axis, weight->data, ranges);
    observer->channel_count = (int)channels;
    observer->channel_scales = rl_arena_array(graph->arena, channels, sizeof *observer->channel_scales);
    for (size_t i = 0; i < channels; i++) {
        observer->channel_scales[i] =
            rl_qparams_symmetric(ranges[i].min, ranges[i].max, rl_observer_range(observer)).scale;
        is_number &= isfinite(observer->channel_scales[i]) != 0;
    }
    return is_number ? RL_OK : fail_on_constant(context, graph, weight, not_finite);
}

static enum rl_status derive_for_bias(struct rl_context *context, const struct rl_graph *graph,
                                      struct rl_observer *observer)
{
    const struct rl_tensor_type *type = &observer->constant->type;
    const float input_scale = observer->input->qparams.scale;
    const int channels = observer->weight->channel_count;
    observer->qparams = (struct rl_qparams){input_scale * observer->weight->qparams.scale, 0};
    if (channels == 0) {
        return RL_OK;
    }
    if (type->rank != 1 || type->sizes[0] != channels) {
        return fail_on_constant(context, graph, observer->constant, "does not fit the weight that it is the bias of");
    }
    observer->channel_count = channels;
    observer->channel_scales = rl_arena_array(graph->arena, (size_t)channels, sizeof *observer->channel_scales);
    for (int i = 0; i < channels; i++) {
        observer->channel_scales[i] = input_scale * observer->weight->channel_scales[i];
    }
    return RL_OK;
}

static enum rl_status choose_for_activation(struct rl_context *context, const struct rl_annotation *annotation,
                                            struct rl_observer *observer)
{
    const struct rl_minmax range = rl_observer_choose_range(annotation, observer);
    const struct rl_qrange integers = rl_observer_range(observer);
    observer->qparams = observer->spec == RL_SPEC_ACTIVATION ? rl_qparams_affine(range.min, range.max, integers)
                                                             : rl_qparams_symmetric(range.min, range.max, integers);
    if (!isfinite(observer->qparams.scale)) {
        return rl_fail(context, RL_ERROR_ARGUMENT,
                       "%s: values of the program reach from %g to %g on the calibration data, which no %s "
                       "scale covers",
                       annotation->graph->source, (double)range.min, (double)range.max,
                       rl_dtype_name(rl_observer_dtype(observer)));
    }
    return RL_OK;
}

static enum rl_status choose(struct rl_context *context, const struct rl_annotation *annotation,
                             struct rl_observer *observer)
{
    const struct rl_graph *graph = annotation->graph;
    switch (observer->spec) {
    case RL_SPEC_ACTIVATION:
    case RL_SPEC_RESULT:
    case RL_SPEC_SPECTRUM:
        return choose_for_activation(context, annotation, observer);
    case RL_SPEC_HIDDEN:
        rl_recurrent_choose_hidden(annotation, observer);
        return RL_OK;
    case RL_SPEC_CELL:
        rl_recurrent_choose_cell(observer);
        return RL_OK;
    case RL_SPEC_WEIGHT:
        return choose_for_weight(context, graph, observer);
    case RL_SPEC_CHANNEL_WEIGHT:
    case RL_SPEC_TRANSPOSED_WEIGHT:
        return choose_for_channels(context, graph, observer);
    case RL_SPEC_BIAS:
        return derive_for_bias(context, graph, observer);
    default:
        return RL_OK;
    }
}

// ---- points without a grid

static void keep_float(struct rl_point *point)
{
    point->observer = NULL;
    point->spec = RL_SPEC_NONE;
}

// ---- masks

static bool feeds_softmax(const struct rl_annotation *annotation, const struct rl_observer *observer)
{
    for (int i = 0; i < annotation->point_count; i++) {
        const struct rl_point *point = &annotation->points[i];
        if (point->observer == observer && point->kind == RL_POINT_USED &&
            rl_op_get(point->node->op)->layer == RL_LAYER_SOFTMAX) {
            return true;
        }
    }
    return false;
}

static float steps_of(const struct rl_observer *observer)
{
    const struct rl_qrange range = rl_observer_range(observer);
    return (float)(range.max - range.min);
}

// Attention masks scores with infinities, or with numbers so large that every score falls into one step: a step of 1 is
// already a factor of e for a softmax.
static bool is_masked(const struct rl_annotation *annotation, const struct rl_observer *observer)
{
    const struct rl_histogram *histogram = observer->histogram;
    return histogram && (histogram->infinite || (histogram->range.max - histogram->range.min > steps_of(observer) &&
                                                 feeds_softmax(annotation, observer)));
}

static void give_up(const struct rl_annotation *annotation, struct rl_observer *observer, const char *reason)
{
    for (int i = 0; i < annotation->point_count; i++) {
        struct rl_point *point = &annotation->points[i];
        if (point->observer == observer) {
            if (point->node && !point->node->reason) {
                point->node->reason = reason;
            }
            keep_float(point);
        }
    }
    observer->spec = RL_SPEC_NONE;
}

// Masked values stay in floating point, and with them biases whose scale would derive from theirs. The stock quantizer
// clamps them, and with them the mask.
static void give_up_masked(struct rl_annotation *annotation)
{
    for (int i = 0; i < annotation->observer_count && annotation->quantizer != RL_QUANTIZER_STOCK; i++) {
        struct rl_observer *observer = annotation->observers[i];
        if (is_masked(annotation, observer) ||
            (observer->spec == RL_SPEC_BIAS && observer->input->spec == RL_SPEC_NONE)) {
            give_up(annotation, observer,
                    "its values are masked by numbers so far apart that one int8 scale cannot hold them");
        }
    }
}

// ---- comparisons

// An input that is compared with a number below all that the samples show, as a mask is, would be clipped to a grid on
// which the comparison never holds.
static void give_up_compared(const struct rl_annotation *annotation)
{
    for (int i = 0; i < annotation->point_count && annotation->quantizer != RL_QUANTIZER_STOCK; i++) {
        const struct rl_point *point = &annotation->points[i];
        struct rl_observer *observer = point->observer;
        if (point->kind == RL_POINT_USED && point->node->op == RL_OP_aten_le_scalar && observer &&
            observer->histogram && point->value->kind == RL_VALUE_INPUT &&
            rl_node_number(point->node, "other") < (double)observer->histogram->range.min) {
            give_up(annotation, observer, "it compares with a number beyond what the samples show");
        }
    }
}

// ---- sums far from zero

static bool is_number(const struct rl_arg *arg)
{
    return arg->kind != RL_ARG_VALUE ||
           (arg->as.value->kind == RL_VALUE_CONSTANT && rl_tensor_numel(&arg->as.value->type) == 1);
}

static bool adds_number(const struct rl_node *node)
{
    return node && rl_op_get(node->op)->adds && (is_number(&node->args[0]) || is_number(&node->args[1]));
}

// Whether a grid, which holds zero too, would leave what varies fewer than an eighth of its steps.
static bool is_far_from_zero(const struct rl_histogram *histogram)
{
    const double min = histogram->range.min, max = histogram->range.max;
    return fmin(fabs(min), fabs(max)) > 7.0 * (max - min) && (min > 0.0) == (max > 0.0);
}

// Such a sum of a tensor and a number stays in floating point until an operator that is not one itself needs integers:
// often the next sum removes the offset again.
static void give_up_lifted(const struct rl_annotation *annotation)
{
    for (int i = 0; i < annotation->point_count && annotation->quantizer != RL_QUANTIZER_STOCK; i++) {
        const struct rl_observer *observer = annotation->points[i].observer;
        if (annotation->points[i].kind != RL_POINT_MADE || !adds_number(annotation->points[i].node) || !observer ||
            !observer->histogram || rl_observer_dtype(observer) != RL_INT8 || !is_far_from_zero(observer->histogram)) {
            continue;
        }
        annotation->points[i].node->reason = "its results lie so far from zero that few of 256 steps tell them apart";
        for (int k = 0; k < annotation->point_count; k++) {
            struct rl_point *point = &annotation->points[k];
            if (point->value == annotation->points[i].value &&
                (point->kind != RL_POINT_USED || adds_number(point->node))) {
                keep_float(point);
            }
        }
    }
}

// ---- divisors close to zero

// Whether the divisor is at least 32 steps of its grid away from zero, so that its rounding changes the quotient by
// less than two hundredths.
static bool is_far_enough(const struct rl_observer *observer)
{
    enum { FEWEST_STEPS = 32 };
    const double min = observer->histogram->range.min, max = observer->histogram->range.max;
    return (min > 0.0) == (max > 0.0) &&
           fmin(fabs(min), fabs(max)) * (double)steps_of(observer) >= FEWEST_STEPS * fmax(fabs(min), fabs(max));
}

static bool divides_tensors(const struct rl_node *node)
{
    return node->op == RL_OP_aten_div_tensor && !is_number(&node->args[0]) && !is_number(&node->args[1]);
}

// A quotient of two tensors stays in floating point where the divisor comes so close to zero that a step of it makes a
// difference. The stock quantizer does not look.
static void give_up_divisions(const struct rl_annotation *annotation)
{
    for (int i = 0; i < annotation->site_count && annotation->quantizer != RL_QUANTIZER_STOCK; i++) {
        struct rl_site *site = &annotation->sites[i];
        if (!divides_tensors(site->node)) {
            continue;
        }
        const struct rl_point *divisor =
            rl_annotation_used(annotation, rl_node_tensor(site->node, "other"), site->node);
        if (!divisor || !divisor->observer || !divisor->observer->histogram || is_far_enough(divisor->observer)) {
            continue;
        }
        site->node->reason = "its divisor comes so close to zero that steps of int8 are too coarse";
        for (int k = 0; k < site->use_count + site->result_count; k++) {
            keep_float(k < site->use_count ? &site->uses[k] : &site->results[k - site->use_count]);
        }
    }
}

enum stage { WEIGHTS, ACTIVATIONS, BIASES };

static enum stage stage_of(const struct rl_observer *observer)
{
    if (rl_observer_is_weight(observer)) {
        return WEIGHTS;
    }
    return observer->spec == RL_SPEC_BIAS ? BIASES : ACTIVATIONS;
}

static enum rl_status choose_all(struct rl_context *context, const struct rl_annotation *annotation, enum stage stage)
{
    enum rl_status status = RL_OK;
    for (int i = 0; i < annotation->observer_count && status == RL_OK; i++) {
        if (stage_of(annotation->observers[i]) == stage) {
            status = choose(context, annotation, annotation->observers[i]);
        }
    }
    return status;
}

enum rl_status rl_quantize_calibrate(struct rl_context *context, struct rl_graph *graph,
                                     const struct rl_dataset *dataset, struct rl_annotation *annotation,
                                     const struct rl_watcher *watcher)
{
    if (dataset->sample_count == 0) {
        return rl_fail(context, RL_ERROR_ARGUMENT,
                       "%s: the calibration data has no samples; accepted: one or more for each input", graph->source);
    }
    enum rl_status status = choose_all(context, annotation, WEIGHTS); // a broken weight would break the run
    if (status == RL_OK) {
        status = rl_quantize_observe(context, annotation, dataset, watcher);
    }
    if (status == RL_OK) {
        give_up_masked(annotation);
        give_up_compared(annotation);
        give_up_lifted(annotation);
        give_up_divisions(annotation);
        if (annotation->quantizer != RL_QUANTIZER_STOCK) {
            rl_annotation_part_grids(annotation);
            status = rl_quantize_find_steps(context, annotation, dataset);
        }
    }
    if (status == RL_OK) {
        status = choose_all(context, annotation, ACTIVATIONS);
    }
    if (status != RL_OK) {
        return status;
    }
    rl_quantize_fit_sums(annotation);
    return choose_all(context, annotation, BIASES);
}
