// SPDX-License-Identifier: Apache-2.0
//
// Lifetimes follow from the order of the nodes. Views extend the lifetime of their source. States live from run to run,
// and share their memory with nothing.
#include "compiler/plan/memory.h"

#include "compiler/plan/alias.h"
#include "compiler/plan/reuse.h"

// The buffer of a value, made at its first appearance; -1 for constant bytes and for values outside the graph.
static int buffer_of(struct rl_memory_plan *plan, const struct rl_value *value, int64_t time)
{
    int index = rl_value_table_index(&plan->table, value);
    const struct rl_value *root = rl_alias_root(value);

    if (index < 0 || root->kind == RL_VALUE_CONSTANT) {
        return -1;
    }
    int root_index = rl_value_table_index(&plan->table, root);
    if (plan->buffer_of[root_index] < 0) {
        plan->owners[plan->buffer_count] = root;
        plan->buffers[plan->buffer_count] =
            (struct rl_plan_buffer){.bytes = rl_tensor_bytes(&root->type), .first = time, .end = time + 1};
        plan->buffer_of[root_index] = plan->buffer_count++;
    }
    plan->buffer_of[index] = plan->buffer_of[root_index];
    return plan->buffer_of[index];
}

static void touch(struct rl_memory_plan *plan, const struct rl_value *value, int64_t time)
{
    int buffer = value ? buffer_of(plan, value, time) : -1;

    if (buffer >= 0) {
        plan->buffers[buffer].end = time + 1;
    }
}

static void touch_node(struct rl_memory_plan *plan, const struct rl_node *node, int64_t time)
{
    for (int i = 0; i < node->arg_count; i++) {
        const struct rl_arg *arg = &node->args[i];
        if (arg->kind == RL_ARG_VALUE) {
            touch(plan, arg->as.value, time);
        }
        for (int k = 0; arg->kind == RL_ARG_VALUES && k < arg->count; k++) {
            touch(plan, arg->as.values[k], time);
        }
    }
    for (int i = 0; i < node->result_count && !rl_op_get(node->op)->in_place_of; i++) {
        touch(plan, node->results[i], time);
    }
}

// Places the buffers once as they are and once with results in the memory of operands, and keeps the smaller plan: a
// merged buffer lives longer, which may leave less choice to the others.
static enum rl_status place(struct rl_context *context, struct rl_arena *arena, const struct rl_graph *graph,
                            bool reuses, struct rl_memory_plan *plan)
{
    struct rl_memory_plan merged = *plan;
    const size_t count = (size_t)plan->table.count;
    merged.buffer_of = rl_arena_copy(arena, plan->buffer_of, count * sizeof *plan->buffer_of);
    merged.buffers = rl_arena_copy(arena, plan->buffers, count * sizeof *plan->buffers);
    enum rl_status status =
        rl_plan_arena(context, arena, plan->buffers, plan->buffer_count, RL_PLAN_ALIGNMENT, &plan->sizes);
    if (status != RL_OK || !reuses || !rl_plan_reuse(graph, &merged)) {
        return status;
    }
    status = rl_plan_arena(context, arena, merged.buffers, merged.buffer_count, RL_PLAN_ALIGNMENT, &merged.sizes);
    if (status == RL_OK && merged.sizes.arena_bytes < plan->sizes.arena_bytes) {
        *plan = merged;
    }
    return status;
}

enum rl_status rl_plan_memory(struct rl_context *context, struct rl_arena *arena, const struct rl_graph *graph,
                              bool reuses, struct rl_memory_plan *plan)
{
    int64_t time = 0;

    *plan = (struct rl_memory_plan){0};
    rl_value_table_build(arena, graph, &plan->table);
    plan->buffer_of = rl_arena_array(arena, (size_t)plan->table.count, sizeof *plan->buffer_of);
    plan->buffers = rl_arena_array(arena, (size_t)plan->table.count, sizeof *plan->buffers);
    plan->owners = rl_arena_array(arena, (size_t)plan->table.count, sizeof(const struct rl_value *));
    for (int i = 0; i < plan->table.count; i++) {
        plan->buffer_of[i] = -1;
    }

    for (int i = 0; i < rl_graph_source_count(graph); i++) {
        touch(plan, graph->inputs[i], time);
    }
    for (const struct rl_node *node = graph->first; node; node = node->next) {
        time++;
        // A view does not run. Only its uses count.
        if (!(node->result_count == 1 && rl_alias_source(node))) {
            touch_node(plan, node, time);
        }
    }
    for (int i = 0; i < graph->output_count; i++) {
        touch(plan, graph->outputs[i], time + 1);
    }
    for (int i = graph->input_count; i < rl_graph_source_count(graph); i++) {
        touch(plan, graph->inputs[i], time + 1);
    }
    return place(context, arena, graph, reuses, plan);
}
