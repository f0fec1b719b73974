// SPDX-License-Identifier: Apache-2.0
//
// Activations of int16 beside weights of int8 (a16w8): every operator that has a kernel for them takes and gives int16.
// The others keep int8. convert.c changes the grid where the two meet. What only moves values follows those that it
// moves, or, if an input or constants alone are moved, those that use them.
#include "compiler/ir/functions.h"
#include "compiler/quantize/annotation.h"
#include "compiler/quantize/patterns.h"

// ---- operators that take int16

static bool is_constant(const struct rl_value *value, int rank)
{
    return value && value->kind == RL_VALUE_CONSTANT && value->type.rank == rank;
}

static bool takes_convolution(const struct rl_node *node)
{
    const int64_t groups = rl_node_int(node, "groups");
    return is_constant(rl_node_tensor(node, "weight"), 4) &&
           (groups == 1 || groups == rl_node_tensor(node, "input")->type.sizes[1]);
}

// Averages divide by the number of elements that a window has inside the image, maxima look at neighbours.
bool rl_pool_takes_int16(const struct rl_node *node)
{
    enum { MOST_ELEMENTS = 1 << 15 };
    int64_t kernel[2], dilation[2];
    if (rl_op_get(node->op)->layer == RL_LAYER_MAX_POOL) {
        return rl_node_ints(node, "dilation", 2, 1, dilation) && dilation[0] == 1 && dilation[1] == 1;
    }
    return rl_node_arg(node, "divisor_override")->kind == RL_ARG_NONE &&
           rl_node_ints(node, "kernel_size", 2, 1, kernel) && kernel[0] > 0 && kernel[1] > 0 &&
           kernel[0] <= MOST_ELEMENTS && kernel[1] <= MOST_ELEMENTS / kernel[0];
}

static bool takes_int16(const struct rl_site *site)
{
    const struct rl_node *node = site->node;
    switch (node->op) {
    case RL_OP_aten_conv2d:
        return takes_convolution(node);
    case RL_OP_aten_linear:
        return is_constant(rl_node_tensor(node, "weight"), 2);
    case RL_OP_aten_add:
    case RL_OP_aten_sub_tensor:
    case RL_OP_aten_mul:
    case RL_OP_aten_div_tensor:
    case RL_OP_rl_magnitude:
        return true;
    case RL_OP_aten_avg_pool2d:
    case RL_OP_aten_max_pool2d:
        return rl_pool_takes_int16(node);
    case RL_OP_aten_softmax:
    case RL_OP_aten_softmax_int:
    case RL_OP_aten_log_softmax_int:
    case RL_OP_aten_log_softmax_internal:
        return true;
    default:
        return rl_node_is_smooth_function(node);
    }
}

// ---- sites

struct widening {
    const struct rl_annotation *annotation;
    bool *is_wide; // by site
    int *queue;    // sites that move values from one to the next
    bool *is_queued;
};

static int index_of(const struct widening *w, const struct rl_site *site)
{
    return (int)(site - w->annotation->sites);
}

// The site that makes a value, and that of a node; NULL for inputs, constants and outputs of the graph.
static struct rl_site *site_of(const struct widening *w, const struct rl_node *node)
{
    return node ? rl_annotation_site(w->annotation, node) : NULL;
}

static struct rl_site *maker_of(const struct widening *w, const struct rl_value *value)
{
    return value->kind == RL_VALUE_RESULT ? site_of(w, value->producer) : NULL;
}

// Whether a pattern starts here.
static bool starts_pattern(const struct rl_site *site)
{
    return site->annotated && site->use_count > 0 && site->uses[0].spec != RL_SPEC_NONE &&
           rl_pattern_find(site->node->op);
}

static bool moves(const struct rl_site *site)
{
    return site->annotated && site->use_count > 0 && site->uses[0].spec != RL_SPEC_NONE &&
           !rl_pattern_find(site->node->op) && rl_pattern_shares_grid(site->node->op, RL_QUANTIZER_BEST);
}

// Hardsigmoid needs a zero point where it is part of a layer, which int16 does not have.
static struct rl_site *end_before_ramp(const struct widening *w, struct rl_site *site)
{
    struct rl_site *end = rl_annotation_end_of(w->annotation, site);
    if (end != site && rl_op_get(end->node->op)->layer == RL_LAYER_RAMP) {
        site->results[0].spec = RL_SPEC_RESULT;
        end->uses[0].spec = RL_SPEC_RESULT;
        end->results[0].spec = RL_SPEC_RESULT;
        w->is_wide[index_of(w, end)] = true;
        return site;
    }
    return end;
}

static void widen_point(struct rl_point *point)
{
    if (point->spec != RL_SPEC_SPECTRUM && rl_point_spec(point) != RL_SPEC_SPECTRUM) {
        point->spec = RL_SPEC_RESULT;
    }
}

static void share(struct rl_point *point, struct rl_point *with)
{
    point->spec = RL_SPEC_SHARED;
    point->shares = with;
}

static void widen_use(const struct rl_site *site, struct rl_point *use)
{
    const bool is_number = use->value->kind == RL_VALUE_CONSTANT && rl_tensor_numel(&use->value->type) == 1;
    if (use->spec == RL_SPEC_WEIGHT) {
        use->spec = RL_SPEC_CHANNEL_WEIGHT;
    } else if (is_number && rl_node_is_smooth_function(site->node)) {
        use->spec = RL_SPEC_NONE;
    } else if (use->spec != RL_SPEC_NONE && use->spec != RL_SPEC_CHANNEL_WEIGHT && use->spec != RL_SPEC_BIAS) {
        widen_point(use);
    }
}

static void widen_site(const struct widening *w, struct rl_site *site)
{
    const enum rl_op_layer layer = rl_op_get(site->node->op)->layer;
    struct rl_site *end = end_before_ramp(w, site);
    w->is_wide[index_of(w, site)] = w->is_wide[index_of(w, end)] = true;
    for (int i = 0; i < site->use_count; i++) {
        widen_use(site, &site->uses[i]);
    }
    if (site->node->op == RL_OP_rl_magnitude && site->use_count > 1) {
        share(&site->uses[1], &site->uses[0]);
    }
    for (int i = 0; i < end->result_count; i++) {
        struct rl_point *result = &end->results[i];
        if (layer == RL_LAYER_AVG_POOL || layer == RL_LAYER_MAX_POOL) {
            share(result, &site->uses[0]);
        } else if (result->spec == RL_SPEC_ACTIVATION) {
            result->spec = RL_SPEC_RESULT;
        }
    }
    if (layer == RL_LAYER_SOFTMAX) {
        rl_annotation_widen_probabilities(w->annotation, site->uses[0].value);
    }
}

// ---- what moves values

static void enqueue(const struct widening *w, int *count, const struct rl_site *site)
{
    if (site && moves(site) && !w->is_queued[index_of(w, site)]) {
        w->is_queued[index_of(w, site)] = true;
        w->queue[(*count)++] = index_of(w, site);
    }
}

static bool is_int16(struct rl_point *point)
{
    const enum rl_spec spec = rl_point_spec(point);
    return spec == RL_SPEC_RESULT || spec == RL_SPEC_SPECTRUM || spec == RL_SPEC_PROBABILITY;
}

// What the values of connected sites come from and go to.
struct ends {
    bool has_wide_maker, has_narrow_maker, has_wide_user;
};

static void look_at_uses(const struct widening *w, const struct rl_site *site, int *count, struct ends *ends)
{
    for (int i = 0; i < site->use_count; i++) {
        const struct rl_value *value = site->uses[i].value;
        const struct rl_site *maker = maker_of(w, value);
        if (maker && !moves(maker)) {
            const bool is_wide = is_int16(rl_annotation_made(w->annotation, value));
            ends->has_wide_maker |= is_wide;
            ends->has_narrow_maker |= !is_wide;
        }
        ends->has_narrow_maker |= rl_value_is_state(value);
        enqueue(w, count, maker);
        // The other users of a value share its grid.
        for (int k = 0; k < w->annotation->point_count; k++) {
            const struct rl_point *point = &w->annotation->points[k];
            if (point->kind == RL_POINT_USED && point->value == value && value->kind != RL_VALUE_CONSTANT && maker &&
                moves(maker)) {
                enqueue(w, count, site_of(w, point->node));
            }
        }
    }
}

static void look_behind(const struct widening *w, const struct rl_site *site, int *count, struct ends *ends)
{
    for (int i = 0; i < w->annotation->point_count; i++) {
        const struct rl_point *point = &w->annotation->points[i];
        const struct rl_site *maker = point->kind == RL_POINT_USED ? maker_of(w, point->value) : NULL;
        if (maker == site && maker) {
            const struct rl_site *user = site_of(w, point->node);
            ends->has_wide_user |= w->is_wide[index_of(w, user)];
            enqueue(w, count, user);
        }
    }
}

// Gives all points of connected sites one grid.
static void join(const struct widening *w, int first, int count, bool is_wide)
{
    int least = w->queue[first];
    for (int i = first; i < count; i++) {
        least = w->queue[i] < least ? w->queue[i] : least;
    }
    struct rl_point *root = &w->annotation->sites[least].uses[0];
    const enum rl_spec spec = rl_point_spec(root);
    if (!is_wide) {
        if (spec == RL_SPEC_RESULT) { // it shared that of an operator that takes int16 now
            root->spec = RL_SPEC_ACTIVATION;
        }
        return;
    }
    root->spec = spec == RL_SPEC_SPECTRUM ? RL_SPEC_SPECTRUM : RL_SPEC_RESULT;
    for (int i = first; i < count; i++) {
        struct rl_site *site = &w->annotation->sites[w->queue[i]];
        w->is_wide[w->queue[i]] = true;
        for (int k = 0; k < site->use_count + site->result_count; k++) {
            struct rl_point *point = k < site->use_count ? &site->uses[k] : &site->results[k - site->use_count];
            if (point != root && point->spec != RL_SPEC_NONE) {
                share(point, root);
            }
        }
    }
}

static void widen_movements(const struct widening *w)
{
    int count = 0;
    for (int i = 0; i < w->annotation->site_count; i++) {
        struct ends ends = {false, false, false};
        const int first = count;
        enqueue(w, &count, &w->annotation->sites[i]);
        for (int at = first; at < count; at++) {
            look_at_uses(w, &w->annotation->sites[w->queue[at]], &count, &ends);
            look_behind(w, &w->annotation->sites[w->queue[at]], &count, &ends);
        }
        if (count > first) {
            join(w, first, count, ends.has_wide_maker || (ends.has_wide_user && !ends.has_narrow_maker));
        }
    }
}

// Operators that take int8 may have shared a grid that is int16 now.
static void narrow_uses(const struct widening *w)
{
    for (int i = 0; i < w->annotation->site_count; i++) {
        struct rl_site *site = &w->annotation->sites[i];
        for (int k = 0; k < site->use_count && !w->is_wide[i] && starts_pattern(site); k++) {
            if (is_int16(&site->uses[k])) {
                site->uses[k].spec = RL_SPEC_ACTIVATION;
            }
        }
    }
}

// ---- inputs

static bool has_wide_user(const struct widening *w, const struct rl_value *value)
{
    for (int i = 0; i < w->annotation->point_count; i++) {
        const struct rl_point *point = &w->annotation->points[i];
        if (point->kind == RL_POINT_USED && point->value == value && w->is_wide[index_of(w, site_of(w, point->node))]) {
            return true;
        }
    }
    return false;
}

static void widen_inputs(const struct widening *w)
{
    for (int i = 0; i < w->annotation->point_count; i++) {
        struct rl_point *point = &w->annotation->points[i];
        if (point->kind == RL_POINT_MADE && !point->node && point->spec == RL_SPEC_ACTIVATION &&
            has_wide_user(w, point->value)) {
            point->spec = RL_SPEC_RESULT;
        }
    }
}

void rl_annotation_widen_activations(const struct rl_annotation *annotation)
{
    struct rl_arena *arena = annotation->graph->arena;
    const size_t sites = (size_t)annotation->site_count;
    struct widening w = {.annotation = annotation,
                         .is_wide = rl_arena_array(arena, sites, sizeof *w.is_wide),
                         .queue = rl_arena_array(arena, sites, sizeof *w.queue),
                         .is_queued = rl_arena_array(arena, sites, sizeof *w.is_queued)};
    for (int i = 0; i < annotation->site_count; i++) {
        struct rl_site *site = &annotation->sites[i];
        if (starts_pattern(site) && takes_int16(site)) {
            widen_site(&w, site);
        }
    }
    widen_movements(&w);
    narrow_uses(&w);
    widen_inputs(&w);
}
