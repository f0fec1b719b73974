// SPDX-License-Identifier: Apache-2.0
//
// The last linear layer of a network, or convolution without groups, whose results the caller gets, in any order, as
// they are, as probabilities, as logarithms of these, or through functions of single numbers such as sigmoid. On an
// int8 grid their rounding is often the largest error of all, and nothing behind them needs int8. So they are int16,
// also the probabilities and the results of functions, and the weights have a scale for each channel. So are a pool
// behind such a layer, the sum of its results and another tensor, and the results of several side by side. A function
// of other values has int16 results, too.
#include "compiler/ir/functions.h"
#include "compiler/quantize/annotation.h"

// An exponential of int16 takes as long as some 60 products, while those of int8 are looked up. Over the channels of a
// map, the sum of few takes its time as well.
enum { MOST_LOGARITHMS = 2048, MOST_OF_MAPS = 512 };

// Whether a node, which has a dimension, works along the last one.
static bool is_along_last(const struct rl_node *node)
{
    const int rank = node->results[0]->type.rank;
    const int64_t dim = rl_node_int(node, "dim");
    return rank > 0 && (dim < 0 ? dim + rank : dim) == rank - 1;
}

// Whether a node makes probabilities, which the caller gets.
static bool is_last_softmax(const struct rl_graph *graph, const struct rl_node *node)
{
    const bool is_softmax = node->op == RL_OP_aten_softmax || node->op == RL_OP_aten_softmax_int;
    return is_softmax && rl_value_is_output(graph, node->results[0]) &&
           (is_along_last(node) || rl_tensor_numel(&node->results[0]->type) <= MOST_OF_MAPS);
}

// Whether a node makes logarithms of probabilities, and few.
static bool is_log_softmax(const struct rl_node *node)
{
    const bool is_one = node->op == RL_OP_aten_log_softmax_int || node->op == RL_OP_aten_log_softmax_internal;
    return is_one && rl_tensor_numel(&node->results[0]->type) <= (is_along_last(node) ? MOST_LOGARITHMS : MOST_OF_MAPS);
}

bool rl_annotation_is_float_output(const struct rl_annotation *annotation, const struct rl_value *value)
{
    const struct rl_graph *graph = annotation->graph;
    bool is_output = false;
    for (int i = 0; i < rl_graph_target_count(graph); i++) {
        if (graph->outputs[i] == value && i >= graph->output_count) {
            return false;
        }
        is_output = is_output || graph->outputs[i] == value;
    }
    return is_output && annotation->widens_outputs;
}

// What has the elements of one result, itself first.
struct result {
    const struct rl_annotation *annotation;
    const struct rl_value **values;
    int count;
};

static bool is_pool(const struct rl_node *node)
{
    const bool is_one = node->op == RL_OP_aten_avg_pool2d || node->op == RL_OP_aten_max_pool2d;
    return is_one && rl_pool_takes_int16(node);
}

// Whether a node gives the elements of its operand, all or some, in any order; or averages or maxima of them; or their
// log_softmax, whose grid may be the same, since it only subtracts a number from each.
static bool passes_on(const struct rl_node *node)
{
    return node->op == RL_OP_aten_view_copy || node->op == RL_OP_aten_permute_copy ||
           node->op == RL_OP_aten_slice_copy_tensor || is_pool(node) || is_log_softmax(node);
}

// Whether a node is a layer that has a kernel with int16 results.
static bool is_layer(const struct rl_node *node)
{
    const struct rl_value *weight =
        node->op == RL_OP_aten_linear || node->op == RL_OP_aten_conv2d ? rl_node_tensor(node, "weight") : NULL;
    if (!weight || weight->kind != RL_VALUE_CONSTANT) {
        return false;
    }
    return node->op == RL_OP_aten_linear ? weight->type.rank == 2 : rl_node_int(node, "groups") == 1;
}

// What a value has the elements of, in any order.
static const struct rl_node *moved_from(const struct rl_value *value)
{
    while (value->kind == RL_VALUE_RESULT && passes_on(value->producer)) {
        value = value->producer->args[0].as.value;
    }
    return value->kind == RL_VALUE_RESULT ? value->producer : NULL;
}

// Whether a node is the sum or difference of two tensors of one size, one of them what a layer makes: a residual.
static bool is_sum(const struct rl_node *node)
{
    bool has_layer = false;
    if (node->op != RL_OP_aten_add && node->op != RL_OP_aten_sub_tensor) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        const struct rl_value *operand = node->args[i].kind == RL_ARG_VALUE ? node->args[i].as.value : NULL;
        if (!operand || operand->kind == RL_VALUE_CONSTANT ||
            !rl_tensor_same_sizes(&operand->type, &node->results[0]->type)) {
            return false;
        }
        const struct rl_node *maker = moved_from(operand);
        has_layer = has_layer || (maker && is_layer(maker));
    }
    return has_layer;
}

// Whether a node is a function of one tensor. A sum with a number may stay in floating point (calibrate.c).
static bool is_function(const struct rl_node *node)
{
    return rl_node_is_smooth_function(node) && !rl_op_get(node->op)->adds;
}

// Whether the result of a function has become int16, and its operand may.
static bool is_wide_function(const struct result *result, const struct rl_site *site)
{
    const struct rl_site *end = rl_annotation_end_of(result->annotation, (struct rl_site *)(uintptr_t)site);
    return is_function(site->node) && site->uses[0].spec != RL_SPEC_NONE && end->results[0].spec == RL_SPEC_RESULT &&
           rl_tensor_numel(&site->results[0].value->type) <= RL_FUNCTION_MOST_WIDE;
}

// Whether the sum of two tensors has become int16, and so have its operands, each on a grid of its own.
static bool is_wide_sum(const struct result *result, const struct rl_site *site)
{
    const struct rl_site *end = rl_annotation_end_of(result->annotation, (struct rl_site *)(uintptr_t)site);
    return is_sum(site->node) && end->results[0].spec == RL_SPEC_RESULT;
}

static bool may_be_wide(const struct result *result, const struct rl_point *point)
{
    const struct rl_graph *graph = result->annotation->graph;
    if (point->kind == RL_POINT_USED_AS_OUTPUT) {
        return rl_annotation_is_float_output(result->annotation, point->value);
    }
    const struct rl_site *user = rl_annotation_site(result->annotation, point->node);
    return user->annotated && (passes_on(point->node) || is_last_softmax(graph, point->node) ||
                               is_wide_function(result, user) || is_wide_sum(result, user));
}

// Takes up a value, and what is moved out of it. False if something else than the caller or a softmax uses it.
static bool take(struct result *result, const struct rl_value *value)
{
    const struct rl_annotation *annotation = result->annotation;
    int uses = 0;
    result->values[result->count++] = value;
    for (int i = 0; i < annotation->point_count; i++) {
        const struct rl_point *point = &annotation->points[i];
        if (point->kind == RL_POINT_MADE || point->value != value) {
            continue;
        }
        if (!may_be_wide(result, point)) {
            return false;
        }
        uses++;
    }
    return uses > 0;
}

// Takes up a value and all that passes its elements on. False if something else uses any of it.
static bool take_all(struct result *result, const struct rl_value *value)
{
    const struct rl_annotation *annotation = result->annotation;
    result->count = 0;
    if (!take(result, value)) {
        return false;
    }
    for (int next = 0; next < result->count; next++) { // those found behind it follow
        for (int i = 0; i < annotation->point_count; i++) {
            const struct rl_point *point = &annotation->points[i];
            const bool is_moved = point->kind == RL_POINT_USED && point->value == result->values[next];
            if (is_moved && passes_on(point->node) && !take(result, point->node->results[0])) {
                return false;
            }
        }
    }
    return true;
}

// Whether a node is a product with a number, which becomes part of the scale of the layer in front of it.
static bool is_factor(const struct rl_node *node)
{
    return (node->op == RL_OP_aten_mul || node->op == RL_OP_aten_div_tensor) && is_function(node);
}

static bool is_clamp(const struct rl_node *node)
{
    return rl_op_get(node->op)->layer == RL_LAYER_CLAMP;
}

// Whether the result of the pattern that starts at a site is on a grid of its own and goes to the caller only.
static bool is_result(struct result *result, struct rl_site *site)
{
    const struct rl_annotation *annotation = result->annotation;
    const struct rl_site *end = rl_annotation_end_of(annotation, site);
    const bool may_end = end == site || (is_layer(site->node) && is_factor(end->node)) ||
                         (!is_function(site->node) && is_clamp(end->node));
    if (!site->annotated || site->use_count == 0 || site->uses[0].spec == RL_SPEC_NONE || !may_end ||
        !(is_layer(site->node) || is_function(site->node) || is_sum(site->node)) ||
        end->results[0].spec != RL_SPEC_ACTIVATION) {
        return false;
    }
    return take_all(result, end->node->results[0]);
}

// Whether the caller alone gets the result of a node.
static bool is_handed_out(const struct rl_annotation *annotation, const struct rl_node *node)
{
    for (int i = 0; i < annotation->point_count; i++) {
        const struct rl_point *point = &annotation->points[i];
        if (point->kind == RL_POINT_USED && point->value == node->results[0]) {
            return false;
        }
    }
    return true;
}

void rl_annotation_widen_probabilities(const struct rl_annotation *annotation, const struct rl_value *value)
{
    for (int i = 0; i < annotation->point_count; i++) {
        const struct rl_point *point = &annotation->points[i];
        if (point->kind == RL_POINT_USED && point->value == value && is_last_softmax(annotation->graph, point->node) &&
            rl_annotation_is_float_output(annotation, point->node->results[0]) &&
            is_handed_out(annotation, point->node)) {
            rl_annotation_site(annotation, point->node)->results[0].spec = RL_SPEC_PROBABILITY;
        }
    }
}

static bool holds(const struct result *result, const struct rl_value *value)
{
    for (int i = 0; i < result->count; i++) {
        if (result->values[i] == value) {
            return true;
        }
    }
    return false;
}

// The operands beside the value that becomes int16.
static void widen_operands(const struct rl_annotation *annotation, struct rl_site *site)
{
    if (is_layer(site->node)) {
        const struct rl_value *weight = rl_node_tensor(site->node, "weight");
        rl_annotation_used(annotation, weight, site->node)->spec = RL_SPEC_CHANNEL_WEIGHT;
        return;
    }
    for (int i = 0; i < site->use_count; i++) {
        struct rl_point *use = &site->uses[i];
        if (use->value->kind == RL_VALUE_CONSTANT) { // the number of a function
            use->spec = RL_SPEC_NONE;
        } else if (is_sum(site->node)) {
            use->spec = RL_SPEC_RESULT;
        }
    }
}

// Gives all values of a result the grid of the point where one of them is made.
static void share_grid(const struct result *result, struct rl_point *made)
{
    const struct rl_annotation *annotation = result->annotation;
    made->spec = RL_SPEC_RESULT;
    for (int i = 0; i < result->count; i++) {
        rl_annotation_widen_probabilities(annotation, result->values[i]);
    }
    for (int i = 0; i < annotation->point_count; i++) {
        struct rl_point *point = &annotation->points[i];
        if (point != made && holds(result, point->value)) {
            point->spec = RL_SPEC_SHARED;
            point->shares = made;
        }
    }
}

// ---- several layers, side by side

// The layer whose results alone are an operand of a concatenation, moved at most; NULL if there is none. Takes up the
// values between them.
static struct rl_site *layer_behind(struct result *result, const struct rl_value *value)
{
    const struct rl_annotation *annotation = result->annotation;
    for (;; value = value->producer->args[0].as.value) {
        if (value->kind != RL_VALUE_RESULT || rl_value_use_count(annotation->graph, value) != 1) {
            return NULL;
        }
        result->values[result->count++] = value;
        if (!passes_on(value->producer)) {
            break;
        }
    }
    struct rl_site *site = rl_annotation_site(annotation, value->producer);
    const bool is_end = rl_annotation_end_of(annotation, site) == site;
    return is_layer(site->node) && site->annotated && is_end && site->results[0].spec == RL_SPEC_ACTIVATION ? site
                                                                                                            : NULL;
}

// Whether a softmax makes probabilities of so many places that exponentials of int16 would take longer than the layers.
static bool has_many_probabilities(const struct result *result)
{
    for (int i = 0; i < result->annotation->point_count; i++) {
        const struct rl_point *point = &result->annotation->points[i];
        if (point->kind == RL_POINT_USED && rl_op_get(point->node->op)->layer == RL_LAYER_SOFTMAX &&
            rl_tensor_numel(&point->value->type) > MOST_OF_MAPS && holds(result, point->value)) {
            return true;
        }
    }
    return false;
}

// Makes a concatenation that the caller gets, as detectors have it, int16 with the layers in front of it.
static void widen_concatenation(struct result *result, const struct rl_site *site)
{
    struct rl_site *layer = NULL;
    if (!site->annotated || !take_all(result, site->node->results[0]) || has_many_probabilities(result)) {
        return;
    }
    for (int i = 0; i < site->use_count; i++) {
        layer = layer_behind(result, site->uses[i].value);
        if (!layer) {
            return;
        }
    }
    for (int i = 0; i < result->annotation->site_count; i++) {
        struct rl_site *other = &result->annotation->sites[i];
        if (is_layer(other->node) && holds(result, other->node->results[0])) {
            widen_operands(result->annotation, other);
        }
    }
    share_grid(result, &layer->results[0]);
}

// From the last node to the first, because a result may be int16 if the functions that take it are.
void rl_annotation_widen_results(const struct rl_annotation *annotation)
{
    struct result result = {.annotation = annotation};
    result.values =
        rl_arena_array(annotation->graph->arena, (size_t)annotation->point_count + 1, sizeof *result.values);
    for (int i = annotation->site_count - 1; i >= 0; i--) {
        struct rl_site *site = &annotation->sites[i];
        if (site->node->op == RL_OP_aten_cat) {
            widen_concatenation(&result, site);
        } else if (is_result(&result, site)) {
            widen_operands(annotation, site);
            share_grid(&result, &rl_annotation_end_of(annotation, site)->results[0]);
        }
    }
}
