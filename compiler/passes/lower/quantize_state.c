// SPDX-License-Identifier: Apache-2.0
//
// quantize_state: states that are read and written on one grid of int8 or int16 become such integers instead of floats.
//   needs   lower_quantize
//   keeps   the values of all nodes: quantizing a number that was dequantized from the same grid gives it back
//   breaks  the type of these states and of their first values
//
// A state stays in floating point when one of its users takes floats, or when its next value is on another grid.
#include "compiler/passes/passes.h"

#include "compiler/passes/rewrite/match.h"
#include "compiler/passes/rewrite/rewrite.h"

// Whether nothing but quantize nodes to all of this grid reads the state.
static bool is_read_on(const struct rl_graph *graph, const struct rl_value *state, const struct rl_grid *grid)
{
    struct rl_grid read;
    for (const struct rl_node *node = graph->first; node; node = node->next) {
        if (rl_node_use_count(node, state) > 0 && (!rl_is_quantize(node, &read) || read.min > grid->min ||
                                                   read.max < grid->max || !rl_grid_equal(&read, grid))) {
            return false;
        }
    }
    return !rl_value_is_output(graph, state);
}

static void *integers_of(struct rl_graph *graph, const struct rl_value *state, const struct rl_grid *grid)
{
    const float *reals = state->data;
    const size_t count = (size_t)rl_tensor_numel(&state->type);
    int8_t *narrow = rl_arena_array(graph->arena, count, sizeof(int16_t));
    int16_t *wide = (int16_t *)narrow;
    for (size_t i = 0; i < count; i++) {
        const int64_t integer = rl_grid_quantize(grid, reals[i]);
        if (grid->dtype == RL_INT16) {
            wide[i] = (int16_t)integer;
        } else {
            narrow[i] = (int8_t)integer;
        }
    }
    return narrow;
}

static void become_integers(struct rl_graph *graph, struct rl_value *state, const struct rl_grid *grid)
{
    state->data = integers_of(graph, state, grid);
    state->type.dtype = grid->dtype;
    struct rl_grid read;
    struct rl_node *next;
    for (struct rl_node *node = graph->first; node; node = next) {
        next = node->next;
        if (rl_is_quantize(node, &read) && rl_node_use_count(node, state) > 0) {
            rl_replace_node(graph, node, state);
        }
    }
}

enum rl_status rl_pass_quantize_state(struct rl_pass *pass)
{
    struct rl_graph *graph = pass->graph;
    for (int i = 0; i < graph->state_count; i++) {
        struct rl_value *state = graph->inputs[graph->input_count + i];
        struct rl_grid grid;
        struct rl_value *integers = rl_integers_behind(graph->outputs[graph->output_count + i], &grid);
        const bool is_wide = integers && grid.dtype == RL_INT16;
        grid.min = is_wide ? INT16_MIN : INT8_MIN;
        grid.max = is_wide ? INT16_MAX : INT8_MAX;
        if (integers && state->type.dtype == RL_FLOAT32 && is_read_on(graph, state, &grid)) {
            become_integers(graph, state, &grid);
            rl_graph_set_next(graph, i, integers);
        }
    }
    if (graph->state_count > 0) {
        rl_graph_remove_dead(graph);
    }
    return RL_OK;
}
