// SPDX-License-Identifier: Apache-2.0
//
// quantize_interface: inputs and outputs of the program become int8 values instead of floats.
//   needs   lower_quantize
//   keeps   names of inputs and outputs; the values of all other nodes
//   breaks  the type of the graph's inputs and outputs: the caller has to quantize and dequantize. Scales and zero
//           points of the removed nodes stay in the graph, and methods of the program return them
//
// An input becomes int8 if a quantize node is its only user. An output becomes int8 if it comes from a dequantize node.
#include "compiler/passes/passes.h"

#include "compiler/passes/rewrite/match.h"
#include "compiler/passes/rewrite/rewrite.h"

static void quantize_input(struct rl_graph *graph, int index)
{
    struct rl_value *input = graph->inputs[index];
    struct rl_grid grid;
    struct rl_node *user = rl_value_only_user(graph, input);
    if (!user || !rl_is_quantize(user, &grid) || grid.dtype != RL_INT8) {
        return;
    }
    input->type = user->results[0]->type;
    struct rl_value *integers = input;
    if (grid.min > INT8_MIN || grid.max < INT8_MAX) { // a fused activation, which the caller would not apply
        integers = rl_insert_clamp(graph, user, input, grid.min, grid.max, user)->results[0];
    }
    rl_replace_node(graph, user, integers);
    graph->input_grids[index] = (struct rl_io_grid){grid.scale, grid.zero_point};
}

static void quantize_output(struct rl_graph *graph, int index)
{
    struct rl_grid grid;
    struct rl_value *integers = rl_int8_behind(graph->outputs[index], &grid);
    if (integers && integers->kind == RL_VALUE_RESULT) {
        graph->outputs[index] = integers;
        graph->output_grids[index] = (struct rl_io_grid){grid.scale, grid.zero_point};
    }
}

enum rl_status rl_pass_quantize_interface(struct rl_pass *pass)
{
    struct rl_graph *graph = pass->graph;
    graph->input_grids = rl_arena_array(graph->arena, (size_t)graph->input_count, sizeof *graph->input_grids);
    graph->output_grids = rl_arena_array(graph->arena, (size_t)graph->output_count, sizeof *graph->output_grids);
    for (int i = 0; i < graph->input_count; i++) {
        quantize_input(graph, i);
    }
    for (int i = 0; i < graph->output_count; i++) {
        quantize_output(graph, i);
    }
    rl_graph_remove_dead(graph);
    return RL_OK;
}
