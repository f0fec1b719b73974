// SPDX-License-Identifier: Apache-2.0
#include "compiler/plan/reuse.h"

// What one node offers: the buffer of an operand that nothing reads afterwards, and that of its result.
struct offer {
    const struct rl_memory_plan *plan;
    const struct rl_node *node;
    int64_t time;
    int result; // a buffer
};

static int buffer_of(const struct rl_memory_plan *plan, const struct rl_value *value)
{
    const int index = rl_value_table_index(&plan->table, value);
    return index < 0 ? -1 : plan->buffer_of[index];
}

static bool same_elements(const struct rl_tensor_type *a, const struct rl_tensor_type *b)
{
    return a->dtype == b->dtype && rl_tensor_same_sizes(a, b) && rl_tensor_same_layout(a, b);
}

// Whether an argument that lies in `buffer` is read element by element, in the order in which the result is written.
static bool suits(const struct offer *o, int index, int buffer)
{
    const struct rl_arg *arg = &o->node->args[index];
    for (int k = 0; arg->kind == RL_ARG_VALUES && k < arg->count; k++) {
        if (arg->as.values[k] && buffer_of(o->plan, arg->as.values[k]) == buffer) {
            return false;
        }
    }
    return arg->kind != RL_ARG_VALUE || buffer_of(o->plan, arg->as.value) != buffer ||
           (rl_op_get(o->node->op)->args[index].reused &&
            same_elements(&arg->as.value->type, &o->node->results[0]->type));
}

// The buffer of an operand that the result may take; -1 if there is none.
static int find_operand(const struct offer *o)
{
    const struct rl_plan_buffer *result = &o->plan->buffers[o->result];
    for (int i = 0; i < o->node->arg_count; i++) {
        const struct rl_arg *arg = &o->node->args[i];
        const int buffer = arg->kind == RL_ARG_VALUE ? buffer_of(o->plan, arg->as.value) : -1;
        if (buffer < 0 || buffer == o->result || !rl_op_get(o->node->op)->args[i].reused ||
            o->plan->buffers[buffer].end != o->time + 1 || o->plan->buffers[buffer].bytes != result->bytes) {
            continue;
        }
        bool all = true;
        for (int k = 0; k < o->node->arg_count && all; k++) {
            all = suits(o, k, buffer);
        }
        if (all) {
            return buffer;
        }
    }
    return -1;
}

// The second buffer becomes part of the first one.
static void merge(struct rl_memory_plan *plan, int first, int second)
{
    plan->buffers[first].end = plan->buffers[second].end;
    plan->buffers[second].bytes = 0;
    for (int i = 0; i < plan->table.count; i++) {
        if (plan->buffer_of[i] == second) {
            plan->buffer_of[i] = first;
        }
    }
}

bool rl_plan_reuse(const struct rl_graph *graph, struct rl_memory_plan *plan)
{
    bool any = false;
    int64_t time = 0;
    for (const struct rl_node *node = graph->first; node; node = node->next) {
        time++;
        if (node->result_count != 1 || rl_op_get(node->op)->in_place_of) {
            continue;
        }
        const struct offer offer = {plan, node, time, buffer_of(plan, node->results[0])};
        if (offer.result < 0 || plan->buffers[offer.result].first != time) { // of a view, or a state
            continue;
        }
        const int operand = find_operand(&offer);
        if (operand >= 0) {
            merge(plan, operand, offer.result);
            any = true;
        }
    }
    return any;
}
