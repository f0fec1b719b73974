// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/report.h"

#include <string.h>

#include "compiler/quantize/annotation.h"

static const char *role_of(const struct rl_point *point)
{
    switch (point->observer->spec) {
    case RL_SPEC_WEIGHT:
    case RL_SPEC_CHANNEL_WEIGHT:
    case RL_SPEC_TRANSPOSED_WEIGHT:
        return "weight";
    case RL_SPEC_BIAS:
        return "bias";
    default:
        return point->kind == RL_POINT_MADE ? "output" : "input";
    }
}

static bool has_grid(const struct rl_point *point)
{
    return point->observer && point->observer->spec != RL_SPEC_NONE;
}

static void add_tensors(const struct rl_point *points, int count, struct rl_quantizer_match *match)
{
    for (int i = 0; i < count; i++) {
        const struct rl_observer *observer = points[i].observer;
        if (!has_grid(&points[i])) {
            continue;
        }
        const bool by_channel = observer->channel_count > 0;
        match->tensors[match->tensor_count++] = (struct rl_quantizer_tensor){
            .role = role_of(&points[i]),
            .name = points[i].value->name,
            .dtype = rl_observer_dtype(observer),
            .zero_point = by_channel ? 0 : observer->qparams.zero_point,
            .scale_count = by_channel ? observer->channel_count : 1,
            .scales = by_channel ? observer->channel_scales : &observer->qparams.scale,
        };
    }
}

// The node that the next one continues: its only user, which takes a value without a grid.
static struct rl_site *fused_site(const struct rl_annotation *annotation, const struct rl_site *site)
{
    if (site->result_count != 1 || has_grid(&site->results[0])) {
        return NULL;
    }
    const struct rl_node *user = rl_value_only_user(annotation->graph, site->results[0].value);
    struct rl_site *next = user ? rl_annotation_site(annotation, user) : NULL;
    const struct rl_point *use = next ? rl_annotation_used(annotation, site->results[0].value, user) : NULL;
    return use && next->annotated && !has_grid(use) ? next : NULL;
}

static void add_node(struct rl_arena *arena, const struct rl_site *site, int most, struct rl_quantizer_match *match)
{
    const struct rl_node *node = site->node;

    if (!match->nodes) {
        match->nodes = rl_arena_array(arena, (size_t)most, sizeof *match->nodes);
        match->pattern = rl_op_get(node->op)->name;
    } else {
        match->pattern = rl_arena_format(arena, "%s + %s", match->pattern, rl_op_get(node->op)->name);
    }
    match->nodes[match->node_count++] = node->origin ? node->origin : node->name;
}

// Of a node that starts a pattern, with the activations that its kernel applies.
static void report_site(const struct rl_annotation *annotation, const struct rl_site *site, bool *is_reported,
                        struct rl_quantizer_match *match)
{
    enum { MOST_NODES = 8 };
    struct rl_arena *arena = annotation->graph->arena;
    const struct rl_site *last = site;
    int points = site->use_count;

    add_node(arena, site, MOST_NODES, match);
    for (struct rl_site *next = site->annotated ? fused_site(annotation, site) : NULL;
         next && match->node_count < MOST_NODES; next = fused_site(annotation, next)) {
        add_node(arena, next, MOST_NODES, match);
        is_reported[next - annotation->sites] = true;
        points += last->result_count + next->use_count;
        last = next;
    }
    match->tensors = rl_arena_array(arena, (size_t)points + (size_t)last->result_count, sizeof *match->tensors);
    add_tensors(site->uses, site->use_count, match);
    for (const struct rl_site *part = site; part != last;) {
        part = fused_site(annotation, part);
        add_tensors(part->uses, part->use_count, match);
    }
    add_tensors(last->results, last->result_count, match);
    match->accepted = site->annotated && match->tensor_count > 0;
    if (!match->accepted) {
        match->reason = site->node->reason ? site->node->reason : "nothing around it is quantized";
    }
}

static void report_input(const struct rl_annotation *annotation, const struct rl_point *point,
                         struct rl_quantizer_match *match)
{
    struct rl_arena *arena = annotation->graph->arena;

    match->pattern = rl_value_is_state(point->value) ? "state" : "input";
    match->nodes = rl_arena_array(arena, 1, sizeof *match->nodes);
    match->nodes[match->node_count++] = point->value->name;
    match->tensors = rl_arena_array(arena, 1, sizeof *match->tensors);
    add_tensors(point, 1, match);
    match->accepted = match->tensor_count > 0;
    match->reason = match->accepted ? NULL : "its values must stay exact, or nothing that takes them is quantized";
}

const struct rl_quantizer_report *rl_quantizer_report_new(const struct rl_annotation *annotation)
{
    struct rl_arena *arena = annotation->graph->arena;
    struct rl_quantizer_report *report = rl_arena_alloc(arena, sizeof *report);
    bool *is_reported = rl_arena_array(arena, (size_t)annotation->site_count, sizeof *is_reported);

    report->matches = rl_arena_array(arena, (size_t)(annotation->site_count + rl_graph_source_count(annotation->graph)),
                                     sizeof *report->matches);
    for (int i = 0; i < annotation->point_count; i++) {
        const struct rl_point *point = &annotation->points[i];
        if (point->kind == RL_POINT_MADE && !point->node) {
            report_input(annotation, point, &report->matches[report->count++]);
        }
    }
    for (int i = 0; i < annotation->site_count; i++) {
        const struct rl_site *site = &annotation->sites[i];
        if (!is_reported[i] && site->use_count + site->result_count > 0) {
            report_site(annotation, site, is_reported, &report->matches[report->count++]);
        }
    }
    return report;
}
