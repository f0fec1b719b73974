// SPDX-License-Identifier: Apache-2.0
//
// write_back: the next value of each state is copied to the state at the end of the program.
//   needs   the layout of all values
//   keeps   values, and the layout of states
//   breaks  the list of next values, which is empty afterwards
//
// All states are read before the first one is written. So what still points to the memory of a state at the end (the
// output of a model that gives its old state, or a state that gets the old value of another) is copied first.
#include "compiler/passes/passes.h"

#include "compiler/passes/layout/layout.h"
#include "compiler/passes/rewrite/rewrite.h"
#include "compiler/plan/alias.h"

// A copy of `value` in memory of its own.
static struct rl_value *insert_copy(struct rl_graph *graph, struct rl_value *value)
{
    struct rl_node *copy = rl_insert_before(graph, NULL, RL_OP_aten_copy,
                                            rl_arena_format(graph->arena, "%s_old", value->name), NULL, &value->type);
    rl_node_set(copy, "self", rl_arg_value(value));
    rl_node_set(copy, "src", rl_arg_value(value));
    rl_node_set(copy, "non_blocking", rl_arg_bool(false));
    return copy->results[0];
}

static void insert_write(struct rl_graph *graph, struct rl_value *state, struct rl_value *next)
{
    struct rl_node *write =
        rl_insert_before(graph, NULL, RL_OP_aten_copy_, rl_arena_format(graph->arena, "%s_next", state->name),
                         next->kind == RL_VALUE_RESULT ? next->producer : NULL, &state->type);
    rl_node_set(write, "self", rl_arg_value(state));
    rl_node_set(write, "src", rl_arg_value(next));
    rl_node_set(write, "non_blocking", rl_arg_bool(false));
}

enum rl_status rl_pass_write_back(struct rl_pass *pass)
{
    struct rl_graph *graph = pass->graph;
    const int count = graph->state_count;
    if (count == 0 || graph->writes_back) {
        return RL_OK;
    }
    struct rl_value **states = graph->inputs + graph->input_count;
    struct rl_value **next = graph->outputs + graph->output_count;
    for (int i = 0; i < count; i++) {
        next[i] = rl_value_in_layout(graph, NULL, next[i], &states[i]->type);
    }
    for (int i = 0; i < graph->output_count + count; i++) {
        const bool stays = i >= graph->output_count && graph->outputs[i] == states[i - graph->output_count];
        if (!stays && rl_value_is_state(rl_alias_root(graph->outputs[i]))) {
            graph->outputs[i] = insert_copy(graph, graph->outputs[i]);
        }
    }
    for (int i = 0; i < count; i++) {
        if (next[i] != states[i]) {
            insert_write(graph, states[i], next[i]);
        }
    }
    graph->writes_back = true;
    return RL_OK;
}
