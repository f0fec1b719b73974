// SPDX-License-Identifier: Apache-2.0
//
// The first stage: which points are quantized, with the decisions of CortexMQuantizer. Three rounds, each over the
// nodes in order: patterns whose weights have a grid for each channel; all other patterns; clusters of operators that
// only pass values on, which take the grid of whatever they touch first.
#include "compiler/quantize/annotation.h"
#include "compiler/quantize/patterns.h"

// ---- patterns

static bool is_constant_arg(const struct rl_node *node, const char *name, const struct rl_value *value)
{
    return value->kind == RL_VALUE_CONSTANT && rl_node_tensor(node, name) == value;
}

static enum rl_spec spec_of_use(const struct rl_point *use, const struct rl_pattern *pattern)
{
    const struct rl_op *op = rl_op_get(use->node->op);
    if (pattern->own && use->value->kind == RL_VALUE_CONSTANT) {
        return RL_SPEC_NONE;
    }
    if (!op->has_weights) {
        return RL_SPEC_ACTIVATION;
    }
    if (!is_constant_arg(use->node, "weight", use->value)) {
        return is_constant_arg(use->node, "bias", use->value) ? RL_SPEC_BIAS : RL_SPEC_ACTIVATION;
    }
    if (!pattern->channel_weights) {
        return RL_SPEC_WEIGHT;
    }
    return op->transposed ? RL_SPEC_TRANSPOSED_WEIGHT : RL_SPEC_CHANNEL_WEIGHT;
}

static void annotate_match(const struct rl_annotation *annotation, struct rl_site *first, struct rl_site *activation,
                           const struct rl_pattern *pattern, const struct rl_candidate *candidate)
{
    if (rl_op_get(first->node->op)->layer == RL_LAYER_RECURRENT) {
        rl_annotation_mark_recurrent(annotation, first, pattern->result);
        return;
    }
    const enum rl_spec result = rl_pattern_result(pattern, candidate);
    for (int i = 0; i < first->use_count; i++) {
        first->uses[i].spec = spec_of_use(&first->uses[i], pattern);
    }
    if (first->node->op == RL_OP_rl_magnitude) { // its parts have one grid
        first->uses[1].spec = RL_SPEC_SHARED;
        first->uses[1].shares = &first->uses[0];
    }
    struct rl_site *last = activation ? activation : first;
    for (int i = 0; i < last->result_count; i++) {
        last->results[i].spec = result;
        if (result == RL_SPEC_SHARED) {
            last->results[i].shares = &first->uses[0];
        }
    }
    first->annotated = true;
    last->annotated = true;
}

static const char *object_to_dtype(const struct rl_node *node)
{
    bool all_float = node->results[0]->type.dtype == RL_FLOAT32;
    for (int i = 0; i < node->arg_count; i++) {
        const struct rl_arg *arg = &node->args[i];
        const bool is_mask = rl_op_get(node->op)->layer == RL_LAYER_SOFTMAX && i > 0;
        all_float &= arg->kind != RL_ARG_VALUE || arg->as.value->type.dtype == RL_FLOAT32 || is_mask;
    }
    return all_float ? NULL : "only float32 tensors are quantized";
}

static const char *object(const struct rl_pattern *pattern, const struct rl_candidate *candidate)
{
    const char *objection = object_to_dtype(candidate->node);
    return objection || !pattern->object ? objection : pattern->object(candidate);
}

// The next site of this round: convolutions and activations in the first, every node in the second.
static struct rl_site *next_site(const struct rl_annotation *annotation, struct rl_site *site, bool channel_weights)
{
    struct rl_site *end = annotation->sites + annotation->site_count;
    for (site++; site < end; site++) {
        const struct rl_pattern *pattern = rl_pattern_find(site->node->op);
        if (!channel_weights || (pattern && pattern->channel_weights) || rl_pattern_is_activation(site->node->op)) {
            return site;
        }
    }
    return NULL;
}

// The activation that fuses into a node: its only user. The stock quantizer wants it to be the next node of the round.
static struct rl_site *find_activation(const struct rl_annotation *annotation, struct rl_site *site,
                                       const struct rl_pattern *pattern, enum rl_quantizer quantizer)
{
    const struct rl_node *user = rl_value_only_user(annotation->graph, site->node->results[0]);
    if (!user || !rl_pattern_fuses(pattern, user, quantizer)) {
        return NULL;
    }
    struct rl_site *found = rl_annotation_site(annotation, user);
    if (quantizer == RL_QUANTIZER_STOCK && found != next_site(annotation, site, pattern->channel_weights)) {
        return NULL;
    }
    return found->annotated ? NULL : found;
}

// Whether the quantizer leaves the operator of a pattern in floating point: the stock one those that another pass gave
// a reason, and operators that the program's runtime lacks.
static bool leaves(const struct rl_pattern *pattern, const struct rl_node *node,
                   const struct rl_quantize_options *options)
{
    const bool is_stock = options->quantizer == RL_QUANTIZER_STOCK;
    return (is_stock && node->reason) || (pattern->own && (is_stock || options->only_cortex_m));
}

static void match_patterns(const struct rl_annotation *annotation, bool channel_weights,
                           const struct rl_quantize_options *options)
{
    for (int i = 0; i < annotation->site_count; i++) {
        struct rl_site *site = &annotation->sites[i];
        const struct rl_pattern *pattern = rl_pattern_find(site->node->op);
        if (!pattern || pattern->channel_weights != channel_weights || site->annotated ||
            leaves(pattern, site->node, options)) {
            continue;
        }
        struct rl_site *activation = find_activation(annotation, site, pattern, options->quantizer);
        struct rl_candidate candidate = {site->node, activation ? activation->node : NULL, options->quantizer,
                                         options->explicit_layout, options->only_cortex_m};
        if (activation && !object(pattern, &candidate)) {
            annotate_match(annotation, site, activation, pattern, &candidate);
            continue;
        }
        candidate.activation = NULL;
        site->objection = object(pattern, &candidate);
        if (!site->objection) {
            annotate_match(annotation, site, NULL, pattern, &candidate);
        }
    }
}

// Graph inputs and outputs are always quantized, unless every bit of them counts.
static void annotate_interface(const struct rl_annotation *annotation)
{
    for (int i = 0; i < annotation->point_count; i++) {
        struct rl_point *point = &annotation->points[i];
        if (!point->node && !point->exact) {
            point->spec = RL_SPEC_ACTIVATION;
        }
    }
}

// An output that keeps the grid of its value is not quantized again. The stock quantizer does so when that grid is
// fixed (softmax).
static void keep_grids_of_outputs(const struct rl_annotation *annotation)
{
    for (int i = 0; i < annotation->point_count; i++) {
        struct rl_point *point = &annotation->points[i];
        struct rl_point *made = rl_annotation_made(annotation, point->value);
        if (point->kind == RL_POINT_USED_AS_OUTPUT && made && made->spec != RL_SPEC_NONE) {
            point->spec = RL_SPEC_SHARED;
            point->shares = made;
        }
    }
}

// The spec of a point after following shared ones.
static enum rl_spec spec_behind(const struct rl_point *point)
{
    enum { LONGEST_CHAIN = 1000 };
    for (int step = 0; point->spec == RL_SPEC_SHARED && step < LONGEST_CHAIN; step++) {
        point = point->shares;
    }
    return point->spec;
}

// Users of a softmax keep its grid, which is fixed, so that probabilities are quantized once.
static void keep_grids_of_softmax(const struct rl_annotation *annotation)
{
    for (int i = 0; i < annotation->point_count; i++) {
        struct rl_point *point = &annotation->points[i];
        struct rl_point *made = rl_annotation_made(annotation, point->value);
        if (point->kind == RL_POINT_USED && point->spec == RL_SPEC_ACTIVATION && made &&
            spec_behind(made) == RL_SPEC_SOFTMAX) {
            point->spec = RL_SPEC_SHARED;
            point->shares = made;
        }
    }
}

// A state gets the grid of its next value, so that integers can be copied from the one to the other.
static void keep_grids_of_states(const struct rl_annotation *annotation)
{
    const struct rl_graph *graph = annotation->graph;
    for (int i = 0; i < graph->state_count; i++) {
        const struct rl_value *next = graph->outputs[graph->output_count + i];
        struct rl_point *state = rl_annotation_made(annotation, graph->inputs[graph->input_count + i]);
        struct rl_point *made = rl_annotation_made(annotation, next);
        if (state && made && state != made && state->spec == RL_SPEC_ACTIVATION && made->spec != RL_SPEC_NONE) {
            state->spec = RL_SPEC_SHARED;
            state->shares = made;
        }
    }
}

// ---- clusters

// Connected operators that share one grid, in the order of the search.
struct cluster {
    struct rl_site **sites;
    int count;
    const struct rl_point *neighbour; // the first quantized point outside that the cluster touches
};

static void enqueue(const struct rl_annotation *annotation, struct cluster *cluster, struct rl_site *site)
{
    if (site && rl_pattern_shares_grid(site->node->op, annotation->quantizer) && !site->annotated && !site->queued) {
        site->queued = true;
        cluster->sites[cluster->count++] = site;
    }
}

static void consider_neighbour(struct cluster *cluster, const struct rl_point *point)
{
    if (!cluster->neighbour && point->spec != RL_SPEC_NONE) {
        cluster->neighbour = point;
    }
}

static bool is_result_of(const struct rl_site *site, const struct rl_value *value)
{
    for (int i = 0; i < site->result_count; i++) {
        if (site->results[i].value == value) {
            return true;
        }
    }
    return false;
}

static void visit(const struct rl_annotation *annotation, const struct rl_site *site, struct cluster *cluster)
{
    for (int i = 0; i < site->use_count; i++) {
        const struct rl_point *made = rl_annotation_made(annotation, site->uses[i].value);
        if (made) {
            enqueue(annotation, cluster, !made->node ? NULL : rl_annotation_site(annotation, made->node));
            consider_neighbour(cluster, made);
        }
    }
    for (int i = 0; i < annotation->point_count; i++) {
        const struct rl_point *point = &annotation->points[i];
        if (point->kind != RL_POINT_MADE && is_result_of(site, point->value)) {
            enqueue(annotation, cluster, !point->node ? NULL : rl_annotation_site(annotation, point->node));
            consider_neighbour(cluster, point);
        }
    }
}

static struct rl_site *first_in_graph(const struct cluster *cluster)
{
    struct rl_site *first = cluster->sites[0];
    for (int i = 1; i < cluster->count; i++) {
        first = cluster->sites[i] < first ? cluster->sites[i] : first;
    }
    return first;
}

static bool is_used(const struct rl_annotation *annotation, const struct rl_value *value)
{
    return rl_value_use_count(annotation->graph, value) > 0;
}

// The first input of the first operator takes the spec of the neighbour; everything else shares with that point.
static void annotate_cluster(const struct rl_annotation *annotation, const struct cluster *cluster)
{
    struct rl_point *root = &first_in_graph(cluster)->uses[0];
    for (int i = 0; i < cluster->count; i++) {
        struct rl_site *site = cluster->sites[i];
        for (int k = 0; k < site->use_count; k++) {
            site->uses[k].spec = RL_SPEC_SHARED;
            site->uses[k].shares = root;
        }
        for (int k = 0; k < site->result_count; k++) {
            if (is_used(annotation, site->results[k].value)) {
                site->results[k].spec = RL_SPEC_SHARED;
                site->results[k].shares = root;
            }
        }
        site->annotated = true;
    }
    root->spec = cluster->neighbour->spec;
    root->shares = cluster->neighbour->shares;
}

static void match_clusters(const struct rl_annotation *annotation)
{
    struct cluster cluster = {
        .sites = rl_arena_array(annotation->graph->arena, (size_t)annotation->site_count, sizeof *cluster.sites)};
    for (int i = 0; i < annotation->site_count; i++) {
        cluster.count = 0;
        cluster.neighbour = NULL;
        enqueue(annotation, &cluster, &annotation->sites[i]);
        for (int visited = 0; visited < cluster.count; visited++) {
            visit(annotation, cluster.sites[visited], &cluster);
        }
        if (cluster.neighbour && first_in_graph(&cluster)->use_count > 0) {
            annotate_cluster(annotation, &cluster);
        }
    }
}

// ---- reasons

static const char *reason_of(const struct rl_annotation *annotation, const struct rl_site *site)
{
    if (site->objection) {
        return site->objection;
    }
    if (rl_pattern_shares_grid(site->node->op, annotation->quantizer)) {
        return "nothing that it is connected to is quantized";
    }
    return rl_arena_format(annotation->graph->arena, "%s has no integer kernel", rl_op_get(site->node->op)->name);
}

static void explain_the_rest(const struct rl_annotation *annotation)
{
    for (int i = 0; i < annotation->site_count; i++) {
        const struct rl_site *site = &annotation->sites[i];
        const bool computes_floats = site->use_count + site->result_count > 0;
        if (!site->annotated && computes_floats && !site->node->reason) {
            site->node->reason = reason_of(annotation, site);
        }
    }
}

struct rl_annotation *rl_quantize_annotate(struct rl_graph *graph, const struct rl_quantize_options *options)
{
    struct rl_annotation *annotation = rl_annotation_new(graph);
    annotation->quantizer = options->quantizer;
    annotation->widens_outputs = !options->only_cortex_m && !options->int8_outputs;
    if (options->quantizer == RL_QUANTIZER_BEST) {
        rl_annotation_keep_exact(annotation);
    }
    match_patterns(annotation, true, options);
    match_patterns(annotation, false, options);
    annotate_interface(annotation);
    rl_annotation_share_states(annotation);
    match_clusters(annotation);
    if (options->quantizer == RL_QUANTIZER_BEST) {
        keep_grids_of_outputs(annotation);
        keep_grids_of_softmax(annotation);
        keep_grids_of_states(annotation);
        rl_annotation_keep_hidden(annotation);
        if (!options->only_cortex_m) {
            if (!options->int8_outputs) {
                rl_annotation_widen_spectra(annotation);
            }
            rl_annotation_widen_results(annotation);
        }
        if (options->is_wide) {
            rl_annotation_widen_activations(annotation);
        }
    }
    explain_the_rest(annotation);
    rl_annotation_share(annotation);
    return annotation;
}
