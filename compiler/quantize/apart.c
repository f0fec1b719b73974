// SPDX-License-Identifier: Apache-2.0
//
// Concatenations put the grid of the widest operand on all others, and on what these are views of. Where the samples
// show that another operand takes an eighth of that range at most, three of its eight bits would be lost. So it gets a
// grid of its own, and the concatenation changes it:
//
// - where something else computes with it, as detectors do, which cut one tensor into sizes, places and scores, and put
//   them together again;
// - where the caller alone gets the concatenation, in floating point. That is int16 then: boxes in pixels would leave
//   the scores beside them none of 256 steps.
#include "compiler/quantize/annotation.h"
#include "compiler/quantize/patterns.h"

enum { LEAST_RATIO = 8 };

// The points of one observer that a concatenation does not separate.
struct part {
    struct rl_histogram seen; // of its values
    bool computes;            // something else than a concatenation uses it
    bool is_output;           // the caller gets it, in floating point,
    bool only_moves;          // and nothing but views and concatenations makes or uses it
    bool has_narrow;          // one of its operands is narrow
    bool is_operand;          // of a part that becomes int16
    struct rl_observer *observer;
};

struct parting {
    struct rl_annotation *annotation;
    struct rl_observer *observer;
    struct rl_point **parents; // by point: towards the first one of its part
    struct part *parts;        // by point: of the first one
};

static size_t index_of(const struct parting *p, const struct rl_point *point)
{
    return (size_t)(point - p->annotation->points);
}

static struct rl_point *first_of(const struct parting *p, struct rl_point *point)
{
    while (p->parents[index_of(p, point)] != point) {
        point = p->parents[index_of(p, point)];
    }
    return point;
}

static struct part *part_of(const struct parting *p, struct rl_point *point)
{
    return &p->parts[index_of(p, first_of(p, point))];
}

static void connect(const struct parting *p, struct rl_point *one, struct rl_point *other)
{
    if (one && other && one->observer == p->observer && other->observer == p->observer) {
        struct rl_point *first = first_of(p, one), *second = first_of(p, other);
        p->parents[index_of(p, first > second ? first : second)] = first > second ? second : first;
    }
}

static bool is_concatenation(const struct rl_node *node)
{
    return node && node->op == RL_OP_aten_cat;
}

static bool is_operand_use(const struct rl_point *point)
{
    return point->kind == RL_POINT_USED && is_concatenation(point->node);
}

// Whether a node gives the elements of its operand, all or some, in any order, in int16 as well.
static bool moves(const struct rl_node *node)
{
    return node && (node->op == RL_OP_aten_view_copy || node->op == RL_OP_aten_permute_copy ||
                    node->op == RL_OP_aten_slice_copy_tensor);
}

// Whether a concatenation separates its operand from what made it. It does not where that is another one, which nothing
// else uses.
static bool is_separate(const struct parting *p, const struct rl_point *point)
{
    const struct rl_graph *graph = p->annotation->graph;
    const struct rl_value *value = point->value;
    if (!is_operand_use(point)) {
        return false;
    }
    while (value->kind == RL_VALUE_RESULT && moves(value->producer) && rl_value_use_count(graph, value) == 1) {
        value = value->producer->args[0].as.value;
    }
    return value->kind != RL_VALUE_RESULT || !is_concatenation(value->producer) ||
           rl_value_use_count(graph, value) != 1;
}

// A node that only passes values on has one grid. Others may share one, too, if their annotation says so.
static void connect_site(const struct parting *p, const struct rl_site *site)
{
    const bool has_one = rl_pattern_shares_grid(site->node->op, RL_QUANTIZER_BEST);
    const int count = site->use_count + site->result_count;
    for (int i = 0; i < count; i++) {
        struct rl_point *point = i < site->use_count ? &site->uses[i] : &site->results[i - site->use_count];
        if (has_one) {
            connect(p, i > 0 ? &site->uses[0] : NULL, point);
        } else if (point->spec == RL_SPEC_SHARED) {
            connect(p, point->shares, point);
        }
    }
}

static void connect_all(const struct parting *p)
{
    const struct rl_annotation *annotation = p->annotation;
    for (int i = 0; i < annotation->point_count; i++) {
        struct rl_point *point = &annotation->points[i];
        if (point->observer != p->observer) {
            continue;
        }
        if (point->kind == RL_POINT_MADE && !point->node && point->spec == RL_SPEC_SHARED) {
            connect(p, point->shares, point); // a state, and its next value
        }
        for (int k = 0; k < i; k++) {
            struct rl_point *other = &annotation->points[k];
            if (other->value == point->value && !is_separate(p, point) && !is_separate(p, other)) {
                connect(p, other, point);
            }
        }
    }
    for (int i = 0; i < annotation->site_count; i++) {
        if (annotation->sites[i].use_count > 0) {
            connect_site(p, &annotation->sites[i]);
        }
    }
}

static void describe(const struct parting *p, struct rl_point *point)
{
    struct part *part = part_of(p, point);
    if (point->kind == RL_POINT_MADE || point->value->kind == RL_VALUE_CONSTANT) {
        rl_histogram_join(&part->seen, point->seen);
    }
    if (point->kind == RL_POINT_USED_AS_OUTPUT) {
        const bool is_float = rl_annotation_is_float_output(p->annotation, point->value);
        part->computes = true;
        part->is_output |= is_float;
        part->only_moves &= is_float;
        return;
    }
    part->only_moves &= is_concatenation(point->node) || moves(point->node);
    part->computes |= point->kind == RL_POINT_USED && !rl_pattern_shares_grid(point->node->op, RL_QUANTIZER_BEST);
}

static float width_of(const struct rl_histogram *histogram)
{
    const struct rl_minmax range = histogram->range;
    return (range.max > 0.0f ? range.max : 0.0f) - (range.min < 0.0f ? range.min : 0.0f);
}

static bool is_narrow(const struct parting *p, const struct part *part)
{
    return part->seen.seen > 0 && width_of(&part->seen) * LEAST_RATIO <= width_of(p->observer->histogram);
}

// The part that an operand of a concatenation comes from; NULL if that is a constant, or on another grid.
static struct part *source_of(const struct parting *p, const struct rl_point *use)
{
    struct rl_point *made = is_operand_use(use) ? rl_annotation_made(p->annotation, use->value) : NULL;
    return made && made->observer == p->observer ? part_of(p, made) : NULL;
}

static bool becomes_wide(const struct part *part)
{
    return part->is_output && part->only_moves && part->has_narrow;
}

static struct rl_observer *add_observer(const struct parting *p, const struct part *part, enum rl_spec spec)
{
    struct rl_annotation *annotation = p->annotation;
    struct rl_observer *observer = rl_arena_alloc(annotation->graph->arena, sizeof *observer);
    observer->spec = spec;
    observer->histogram = rl_arena_alloc(annotation->graph->arena, sizeof *observer->histogram);
    *observer->histogram = part->seen;
    annotation->observers[annotation->observer_count++] = observer;
    return observer;
}

// Visits the points of the observer, in graph order.
typedef void visit(const struct parting *p, struct rl_point *point);

static void visit_all(const struct parting *p, visit *see)
{
    for (int i = 0; i < p->annotation->point_count; i++) {
        if (p->annotation->points[i].observer == p->observer) {
            see(p, &p->annotation->points[i]);
        }
    }
}

static void find_narrow(const struct parting *p, struct rl_point *point)
{
    struct part *source = source_of(p, point), *part = part_of(p, point);
    part->has_narrow |= source && source != part && is_narrow(p, source);
}

static void find_operands(const struct parting *p, struct rl_point *point)
{
    struct part *source = source_of(p, point), *part = part_of(p, point);
    if (source && source != part && becomes_wide(part)) {
        source->is_operand = true;
    }
}

static void choose_observer(const struct parting *p, struct rl_point *point)
{
    struct part *part = part_of(p, point);
    if (first_of(p, point) != point) {
        return;
    }
    if (becomes_wide(part)) {
        part->observer = add_observer(p, part, RL_SPEC_SPECTRUM);
    } else if (part->is_operand || (part->computes && is_narrow(p, part))) {
        part->observer = add_observer(p, part, RL_SPEC_ACTIVATION);
    }
}

static void part_observer(struct parting *p)
{
    const struct rl_annotation *annotation = p->annotation;
    for (int i = 0; i < annotation->point_count; i++) {
        p->parents[i] = &annotation->points[i];
        p->parts[i] = (struct part){.only_moves = true};
        rl_histogram_init(&p->parts[i].seen, NULL);
    }
    connect_all(p);
    visit_all(p, describe);
    visit_all(p, find_narrow);
    visit_all(p, find_operands);
    visit_all(p, choose_observer);
    for (int i = 0; i < annotation->point_count; i++) {
        struct rl_point *point = &annotation->points[i];
        const struct part *part = point->observer == p->observer ? part_of(p, point) : NULL;
        point->observer = part && part->observer ? part->observer : point->observer;
    }
}

static bool holds_concatenation(const struct parting *p)
{
    for (int i = 0; i < p->annotation->point_count; i++) {
        const struct rl_point *point = &p->annotation->points[i];
        if (point->observer == p->observer && point->kind == RL_POINT_MADE && is_concatenation(point->node)) {
            return true;
        }
    }
    return false;
}

void rl_annotation_part_grids(struct rl_annotation *annotation)
{
    struct rl_arena *arena = annotation->graph->arena;
    const size_t count = (size_t)annotation->point_count;
    struct parting p = {.annotation = annotation,
                        .parents = rl_arena_array(arena, count, sizeof *p.parents),
                        .parts = rl_arena_array(arena, count, sizeof *p.parts)};
    const int observers = annotation->observer_count;
    for (int i = 0; i < observers; i++) {
        p.observer = annotation->observers[i];
        if (p.observer->spec == RL_SPEC_ACTIVATION && p.observer->histogram && !p.observer->histogram->infinite &&
            holds_concatenation(&p)) {
            part_observer(&p);
        }
    }
    rl_annotation_tell_biases(annotation);
}
