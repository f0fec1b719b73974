// SPDX-License-Identifier: Apache-2.0
//
// Finds the points that share one grid, and so one observer. Two rules of torchao's prepare step: a point joins the one
// that its annotation names; and every use of a value joins the other uses and the point where it is made if their
// specs are equal, because they are the same tensor. A union-find over points, in graph order.
#include "compiler/quantize/annotation.h"

static struct rl_point *root_of(struct rl_point *point)
{
    while (point->parent != point) {
        point->parent = point->parent->parent;
        point = point->parent;
    }
    return point;
}

// Points that only name each other are of computed values.
enum rl_spec rl_point_spec(struct rl_point *point)
{
    enum { LONGEST_CHAIN = 1000 };
    for (int step = 0; point->spec == RL_SPEC_SHARED; step++) {
        if (step == LONGEST_CHAIN) {
            return RL_SPEC_ACTIVATION;
        }
        point = root_of(point->shares);
    }
    return point->spec;
}

static void join(struct rl_point *parent, struct rl_point *child)
{
    struct rl_point *parent_root = root_of(parent);
    struct rl_point *child_root = root_of(child);
    if (parent_root->spec == RL_SPEC_SHARED && parent_root->shares == child_root) {
        parent_root->parent = child_root; // the parent already asks to share with the child
    } else {
        child_root->parent = parent_root;
    }
}

// torchao's DeduplicateGetAttrPass copies a constant for each of its users, so only computed values are one tensor.
static void join_same_tensor(struct rl_annotation *annotation, struct rl_point *use)
{
    if (use->value->kind == RL_VALUE_CONSTANT) {
        return;
    }
    const enum rl_spec spec = rl_point_spec(use);
    struct rl_point *made = NULL;
    for (int i = 0; i < annotation->point_count; i++) {
        struct rl_point *other = &annotation->points[i];
        if (other->value != use->value || other == use || other->spec == RL_SPEC_NONE) {
            continue;
        }
        if (other->kind == RL_POINT_MADE) {
            made = other;
        } else if (rl_point_spec(other) == spec) {
            join(other, use);
        }
    }
    if (made && rl_point_spec(made) == spec) {
        join(made, use);
    }
}

static void join_points(struct rl_annotation *annotation)
{
    for (int i = 0; i < annotation->point_count; i++) {
        struct rl_point *point = &annotation->points[i];
        if (point->spec == RL_SPEC_NONE) {
            continue;
        }
        if (point->kind != RL_POINT_MADE) {
            join_same_tensor(annotation, point);
        }
        if (point->spec == RL_SPEC_SHARED) {
            join(point->shares, point);
        }
    }
}

// Whether a grid follows from the values on the samples.
static bool has_range(enum rl_spec spec)
{
    return spec == RL_SPEC_ACTIVATION || spec == RL_SPEC_HIDDEN || spec == RL_SPEC_CELL || spec == RL_SPEC_RESULT ||
           spec == RL_SPEC_SPECTRUM;
}

static struct rl_observer *add_observer(struct rl_annotation *annotation, enum rl_spec spec,
                                        const struct rl_value *value)
{
    struct rl_arena *arena = annotation->graph->arena;
    struct rl_observer *observer = rl_arena_alloc(arena, sizeof *observer);
    observer->spec = spec;
    if (has_range(spec)) {
        observer->histogram = rl_arena_alloc(arena, sizeof *observer->histogram);
        const size_t bins = annotation->quantizer == RL_QUANTIZER_STOCK ? RL_HISTOGRAM_BINS : 0; // only it clips
        rl_histogram_init(observer->histogram, bins > 0 ? rl_arena_array(arena, bins, sizeof(float)) : NULL);
    } else if (spec == RL_SPEC_SOFTMAX) {
        observer->qparams = (struct rl_qparams){1.0f / 256, -128};
    } else if (spec == RL_SPEC_PROBABILITY) {
        observer->qparams = (struct rl_qparams){1.0f / 32768, 0};
    } else {
        observer->constant = value;
    }
    annotation->observers[annotation->observer_count++] = observer;
    return observer;
}

static const struct rl_observer *observer_of_arg(const struct rl_annotation *annotation, const struct rl_node *node,
                                                 const char *name)
{
    const struct rl_point *point = rl_annotation_used(annotation, rl_node_tensor(node, name), node);
    return !point ? NULL : point->observer;
}

void rl_annotation_tell_biases(const struct rl_annotation *annotation)
{
    for (int i = 0; i < annotation->point_count; i++) {
        const struct rl_point *point = &annotation->points[i];
        if (point->spec == RL_SPEC_BIAS) {
            point->observer->input = observer_of_arg(annotation, point->node, "input");
            point->observer->weight = observer_of_arg(annotation, point->node, "weight");
        }
    }
}

void rl_annotation_share(struct rl_annotation *annotation)
{
    join_points(annotation);
    const size_t most = 2 * (size_t)annotation->point_count; // with those of parts (apart.c)
    annotation->observers = rl_arena_array(annotation->graph->arena, most, sizeof *annotation->observers);
    for (int i = 0; i < annotation->point_count; i++) {
        struct rl_point *point = &annotation->points[i];
        if (point->spec == RL_SPEC_NONE) {
            continue;
        }
        struct rl_point *root = root_of(point);
        if (!root->observer) {
            root->observer = add_observer(annotation, rl_point_spec(point), point->value);
        }
        point->observer = root->observer;
    }
    rl_annotation_tell_biases(annotation);
}
