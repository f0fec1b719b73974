// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/annotation.h"

#include "compiler/quantize/channels.h"

static bool has_float(const struct rl_value *value)
{
    return value && value->type.dtype == RL_FLOAT32;
}

static int arg_value_count(const struct rl_arg *arg)
{
    return arg->kind == RL_ARG_VALUES ? arg->count : arg->kind == RL_ARG_VALUE;
}

static struct rl_value *arg_value(const struct rl_arg *arg, int index)
{
    return arg->kind == RL_ARG_VALUES ? arg->as.values[index] : arg->as.value;
}

static int count_points(const struct rl_graph *graph, int *node_count)
{
    int count = rl_graph_source_count(graph) + rl_graph_target_count(graph);
    *node_count = 0;
    for (const struct rl_node *node = graph->first; node; node = node->next) {
        ++*node_count;
        count += node->result_count;
        for (int i = 0; i < node->arg_count; i++) {
            count += arg_value_count(&node->args[i]);
        }
    }
    return count;
}

static struct rl_point *add_point(struct rl_annotation *annotation, enum rl_point_kind kind, struct rl_value *value,
                                  struct rl_node *node)
{
    struct rl_point *point = &annotation->points[annotation->point_count++];
    *point = (struct rl_point){.kind = kind, .value = value, .node = node, .parent = point};
    return point;
}

static bool is_listed(const struct rl_point *points, int count, const struct rl_value *value)
{
    for (int i = 0; i < count; i++) {
        if (points[i].value == value) {
            return true;
        }
    }
    return false;
}

static void add_site(struct rl_annotation *annotation, struct rl_node *node)
{
    struct rl_site *site = &annotation->sites[annotation->site_count++];
    *site = (struct rl_site){.node = node, .uses = &annotation->points[annotation->point_count]};
    for (int i = 0; i < node->arg_count; i++) {
        for (int k = 0; k < arg_value_count(&node->args[i]); k++) {
            struct rl_value *value = arg_value(&node->args[i], k);
            if (has_float(value) && !is_listed(site->uses, site->use_count, value)) {
                add_point(annotation, RL_POINT_USED, value, node);
                site->use_count++;
            }
        }
    }
    site->results = &annotation->points[annotation->point_count];
    for (int i = 0; i < node->result_count; i++) {
        if (has_float(node->results[i])) {
            add_point(annotation, RL_POINT_MADE, node->results[i], node);
            site->result_count++;
        }
    }
}

struct rl_annotation *rl_annotation_new(struct rl_graph *graph)
{
    int node_count;
    const int most = count_points(graph, &node_count);
    struct rl_annotation *annotation = rl_arena_alloc(graph->arena, sizeof *annotation);
    annotation->graph = graph;
    annotation->points = rl_arena_array(graph->arena, (size_t)most, sizeof *annotation->points);
    annotation->sites = rl_arena_array(graph->arena, (size_t)node_count, sizeof *annotation->sites);
    for (int i = 0; i < rl_graph_source_count(graph); i++) {
        if (has_float(graph->inputs[i])) {
            add_point(annotation, RL_POINT_MADE, graph->inputs[i], NULL);
        }
    }
    for (struct rl_node *node = graph->first; node; node = node->next) {
        add_site(annotation, node);
    }
    struct rl_point *outputs = &annotation->points[annotation->point_count];
    for (int i = 0; i < rl_graph_target_count(graph); i++) {
        const int listed = (int)(&annotation->points[annotation->point_count] - outputs);
        if (has_float(graph->outputs[i]) && !is_listed(outputs, listed, graph->outputs[i])) {
            add_point(annotation, RL_POINT_USED_AS_OUTPUT, graph->outputs[i], NULL);
        }
    }
    return annotation;
}

struct rl_point *rl_annotation_made(const struct rl_annotation *annotation, const struct rl_value *value)
{
    for (int i = 0; i < annotation->point_count; i++) {
        struct rl_point *point = &annotation->points[i];
        if (point->kind == RL_POINT_MADE && point->value == value) {
            return point;
        }
    }
    return NULL;
}

struct rl_point *rl_annotation_used(const struct rl_annotation *annotation, const struct rl_value *value,
                                    const struct rl_node *node)
{
    for (int i = 0; i < annotation->point_count; i++) {
        struct rl_point *point = &annotation->points[i];
        if (point->kind == RL_POINT_USED && point->value == value && point->node == node) {
            return point;
        }
    }
    return NULL;
}

struct rl_site *rl_annotation_site(const struct rl_annotation *annotation, const struct rl_node *node)
{
    for (int i = 0; i < annotation->site_count; i++) {
        if (annotation->sites[i].node == node) {
            return &annotation->sites[i];
        }
    }
    return NULL;
}

struct rl_site *rl_annotation_end_of(const struct rl_annotation *annotation, struct rl_site *site)
{
    while (site->result_count == 1 && site->results[0].spec == RL_SPEC_NONE) {
        const struct rl_node *user = rl_value_only_user(annotation->graph, site->results[0].value);
        struct rl_site *next = user ? rl_annotation_site(annotation, user) : NULL;
        if (!next || !next->annotated || next->use_count == 0 || next->uses[0].spec != RL_SPEC_NONE) {
            break;
        }
        site = next;
    }
    return site;
}

bool rl_observer_is_weight(const struct rl_observer *observer)
{
    return observer->spec == RL_SPEC_WEIGHT || observer->spec == RL_SPEC_CHANNEL_WEIGHT ||
           observer->spec == RL_SPEC_TRANSPOSED_WEIGHT;
}

struct rl_qrange rl_observer_range(const struct rl_observer *observer)
{
    if (observer->spec == RL_SPEC_BIAS) {
        return (struct rl_qrange){INT32_MIN, INT32_MAX - 1};
    }
    if (rl_observer_dtype(observer) == RL_INT16) {
        return (struct rl_qrange){INT16_MIN, INT16_MAX};
    }
    return (struct rl_qrange){INT8_MIN, INT8_MAX};
}

enum rl_scalar_type rl_observer_dtype(const struct rl_observer *observer)
{
    switch (observer->spec) {
    case RL_SPEC_BIAS:
        return RL_INT32;
    case RL_SPEC_CELL:
    case RL_SPEC_RESULT:
    case RL_SPEC_SPECTRUM:
    case RL_SPEC_PROBABILITY:
        return RL_INT16;
    default:
        return RL_INT8;
    }
}

int rl_observer_axis(const struct rl_observer *observer)
{
    return observer->spec == RL_SPEC_TRANSPOSED_WEIGHT ? 1 : 0;
}

void rl_observer_round(const struct rl_observer *observer, const struct rl_value *constant, int8_t *integers)
{
    const struct rl_qrange range = rl_observer_range(observer);
    if (observer->channel_count > 0) {
        rl_channels_quantize_to_int8(&constant->type, rl_observer_axis(observer), constant->data,
                                     observer->channel_scales, range, integers);
        return;
    }
    rl_quantize_to_int8(constant->data, (size_t)rl_tensor_numel(&constant->type), observer->qparams, range, integers);
}

const struct rl_value *rl_value_shown(const struct rl_value *value)
{
    while (value->kind == RL_VALUE_RESULT && rl_op_get(value->producer->op)->rearranges == RL_REARRANGES_SAME) {
        value = value->producer->args[0].as.value;
    }
    return value;
}
