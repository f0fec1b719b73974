// SPDX-License-Identifier: Apache-2.0
//
// Recurrent layers, each one node for one direction of one layer (split_recurrent). The states before and after a layer
// have one grid: int8 for the hidden state, which is also the output, int16 for the cell, whose small changes add up.
#include <math.h>

#include "compiler/quantize/annotation.h"
static bool is_used(const struct rl_annotation *annotation, const struct rl_point *result)
{
    return rl_value_use_count(annotation->graph, result->value) > 0;
}

static void share(struct rl_point *point, struct rl_point *with)
{
    point->spec = RL_SPEC_SHARED;
    point->shares = with;
}

// The argument `cell`; NULL for layers without one.
static const struct rl_value *cell_of(const struct rl_node *node)
{
    return rl_op_argument(rl_op_get(node->op), "cell") >= 0 ? rl_node_tensor(node, "cell") : NULL;
}

static void mark_use(const struct rl_site *site, struct rl_point *use)
{
    const struct rl_node *node = site->node;
    if (use->value == rl_node_tensor(node, "hidden")) {
        share(use, &site->results[0]);
    } else if (use->value == cell_of(node)) {
        share(use, &site->results[2]);
    } else if (use->value == rl_node_tensor(node, "input")) {
        use->spec = RL_SPEC_ACTIVATION;
    } else if (use->value == rl_node_tensor(node, "input_weight") ||
               use->value == rl_node_tensor(node, "hidden_weight")) {
        use->spec = RL_SPEC_CHANNEL_WEIGHT;
    }
}

void rl_annotation_mark_recurrent(const struct rl_annotation *annotation, struct rl_site *site, enum rl_spec hidden)
{
    struct rl_point *outputs = &site->results[0];
    const bool has_cell = cell_of(site->node);
    if (!is_used(annotation, outputs) && !(has_cell && is_used(annotation, &site->results[1]))) {
        site->objection = "nothing uses its outputs";
        return;
    }
    outputs->spec = hidden;
    if (has_cell) {
        struct rl_point *last_cell = &site->results[1], *cells = &site->results[2];
        cells->spec = RL_SPEC_CELL;
        if (is_used(annotation, last_cell)) {
            share(last_cell, cells);
        }
    }
    for (int i = 0; i < site->use_count; i++) {
        mark_use(site, &site->uses[i]);
    }
    site->annotated = true;
}

// ---- initial states

// The value that `value` is a part or a view of.
static const struct rl_value *behind_movement(const struct rl_value *value)
{
    while (value->kind == RL_VALUE_RESULT && rl_op_get(value->producer->op)->commutes) {
        value = value->producer->args[0].as.value;
    }
    return value;
}

static void share_state(const struct rl_annotation *annotation, const struct rl_value *state, struct rl_point *with)
{
    struct rl_point *made = rl_annotation_made(annotation, behind_movement(state));
    if (made && !made->node && made->spec == RL_SPEC_ACTIVATION) {
        share(made, with);
    }
}

void rl_annotation_share_states(const struct rl_annotation *annotation)
{
    for (int i = 0; i < annotation->site_count; i++) {
        const struct rl_site *site = &annotation->sites[i];
        if (site->annotated && rl_op_get(site->node->op)->layer == RL_LAYER_RECURRENT) {
            share_state(annotation, rl_node_tensor(site->node, "hidden"), &site->results[0]);
            if (cell_of(site->node)) {
                share_state(annotation, cell_of(site->node), &site->results[2]);
            }
        }
    }
}

// ---- users

void rl_annotation_keep_hidden(const struct rl_annotation *annotation)
{
    for (int i = 0; i < annotation->point_count; i++) {
        struct rl_point *point = &annotation->points[i];
        struct rl_point *made = rl_annotation_made(annotation, point->value);
        if (point->kind == RL_POINT_USED && point->spec == RL_SPEC_ACTIVATION && made &&
            rl_point_spec(made) == RL_SPEC_HIDDEN) {
            share(point, made);
        }
    }
}

// ---- grids

static float largest_seen(const struct rl_observer *observer)
{
    const struct rl_minmax range = observer->histogram->range;
    return fmaxf(-fminf(range.min, 0.0f), fmaxf(range.max, 0.0f));
}

// Whether a GRU has the state. What becomes its next state is on the grid of the state, and may be larger than any.
static bool is_of_gru(const struct rl_annotation *annotation, const struct rl_observer *observer)
{
    for (int i = 0; i < annotation->point_count; i++) {
        const struct rl_point *point = &annotation->points[i];
        if (point->observer == observer && point->kind == RL_POINT_MADE && point->node &&
            point->node->op == RL_OP_rl_gru) {
            return true;
        }
    }
    return false;
}

// Products of a sigmoid and a tanh are below 1; only a given first state may be larger. States that stay far below 1
// have finer steps, with room for larger ones than the samples show, because errors of a state last.
void rl_recurrent_choose_hidden(const struct rl_annotation *annotation, struct rl_observer *observer)
{
    const float margin = 1.25f, largest = largest_seen(observer), finer = largest * margin / 127;
    float scale = largest <= 1.0f ? 1.0f / 128 : largest / 127;
    if (finer > 0 && finer < scale && !is_of_gru(annotation, observer)) {
        scale = finer;
    }
    observer->qparams = (struct rl_qparams){scale, 0};
}

// The exponent of the scale is at most 0 and at least -15, which is what the kernel takes.
void rl_recurrent_choose_cell(struct rl_observer *observer)
{
    int exponent; // the largest value is below 2^exponent
    (void)frexpf(largest_seen(observer), &exponent);
    int room = exponent + 1;
    room = room < 0 ? 0 : room;
    room = room > 15 ? 15 : room;
    observer->qparams = (struct rl_qparams){ldexpf(1.0f, room - 15), 0};
}
