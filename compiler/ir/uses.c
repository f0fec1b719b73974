// SPDX-License-Identifier: Apache-2.0
// The uses of values. A graph keeps no lists of users, because graphs are small and passes rewrite uses all the time.
#include "compiler/ir/graph.h"

static int count_in_arg(const struct rl_arg *arg, const struct rl_value *value)
{
    if (arg->kind == RL_ARG_VALUE) {
        return arg->as.value == value ? 1 : 0;
    }
    int count = 0;
    if (arg->kind == RL_ARG_VALUES) {
        for (int i = 0; i < arg->count; i++) {
            count += arg->as.values[i] == value ? 1 : 0;
        }
    }
    return count;
}

int rl_node_use_count(const struct rl_node *node, const struct rl_value *value)
{
    int count = 0;
    for (int i = 0; i < node->arg_count; i++) {
        count += count_in_arg(&node->args[i], value);
    }
    return count;
}

static int count_in_outputs(const struct rl_graph *graph, const struct rl_value *value)
{
    int count = 0;
    for (int i = 0; i < rl_graph_target_count(graph); i++) {
        count += graph->outputs[i] == value ? 1 : 0;
    }
    return count;
}

int rl_value_use_count(const struct rl_graph *graph, const struct rl_value *value)
{
    int count = count_in_outputs(graph, value);
    for (const struct rl_node *node = graph->first; node; node = node->next) {
        count += rl_node_use_count(node, value);
    }
    return count;
}

bool rl_value_is_output(const struct rl_graph *graph, const struct rl_value *value)
{
    return count_in_outputs(graph, value) > 0;
}

struct rl_node *rl_value_only_user(const struct rl_graph *graph, const struct rl_value *value)
{
    if (rl_value_is_output(graph, value)) {
        return NULL;
    }
    struct rl_node *user = NULL;
    for (struct rl_node *node = graph->first; node; node = node->next) {
        const int count = rl_node_use_count(node, value);
        if (count > 1 || (count == 1 && user)) {
            return NULL;
        }
        if (count == 1) {
            user = node;
        }
    }
    return user;
}

static void replace_in_arg(struct rl_arg *arg, const struct rl_value *from, struct rl_value *to)
{
    if (arg->kind == RL_ARG_VALUE && arg->as.value == from) {
        arg->as.value = to;
    }
    if (arg->kind == RL_ARG_VALUES) {
        for (int i = 0; i < arg->count; i++) {
            if (arg->as.values[i] == from) {
                arg->as.values[i] = to;
            }
        }
    }
}

void rl_node_replace_uses(struct rl_node *node, const struct rl_value *from, struct rl_value *to)
{
    for (int i = 0; i < node->arg_count; i++) {
        replace_in_arg(&node->args[i], from, to);
    }
}

void rl_graph_replace_later_uses(struct rl_graph *graph, struct rl_node *first, const struct rl_value *from,
                                 struct rl_value *to)
{
    for (struct rl_node *node = first; node; node = node->next) {
        rl_node_replace_uses(node, from, to);
    }
    for (int i = 0; i < rl_graph_target_count(graph); i++) {
        if (graph->outputs[i] == from) {
            graph->outputs[i] = to;
        }
    }
}

void rl_graph_replace_uses(struct rl_graph *graph, const struct rl_value *from, struct rl_value *to)
{
    rl_graph_replace_later_uses(graph, graph->first, from, to);
}

static void mark_arg(const struct rl_arg *arg, int mark)
{
    if (arg->kind == RL_ARG_VALUE) {
        arg->as.value->mark = mark;
    }
    if (arg->kind == RL_ARG_VALUES) {
        for (int i = 0; i < arg->count; i++) {
            if (arg->as.values[i]) {
                arg->as.values[i]->mark = mark;
            }
        }
    }
}

static void clear_marks(const struct rl_graph *graph)
{
    for (const struct rl_node *node = graph->first; node; node = node->next) {
        for (int i = 0; i < node->result_count; i++) {
            node->results[i]->mark = 0;
        }
    }
    for (struct rl_value *value = graph->constants; value; value = value->next) {
        value->mark = 0;
    }
}

static bool any_result_marked(const struct rl_node *node)
{
    for (int i = 0; i < node->result_count; i++) {
        if (node->results[i]->mark != 0) {
            return true;
        }
    }
    return false;
}

static bool writes_state(const struct rl_node *node)
{
    return rl_op_get(node->op)->in_place_of && node->args[0].kind == RL_ARG_VALUE &&
           rl_value_is_state(node->args[0].as.value);
}

static bool lies_in(const struct rl_value *value, const unsigned char *data, size_t size)
{
    const unsigned char *at = value->data;
    return at >= data && at < data + size;
}

// Gives back the data of a removed constant unless it is part of what others have: tensors of a file may share memory.
static void release_data(const struct rl_graph *graph, const struct rl_value *removed)
{
    const size_t size = rl_arena_large_size(graph->arena, removed->data);
    bool is_shared = false;
    for (const struct rl_value *value = graph->constants; value; value = value->next) {
        is_shared = is_shared || lies_in(value, removed->data, size);
    }
    for (int i = 0; i < rl_graph_source_count(graph); i++) {
        is_shared = is_shared || lies_in(graph->inputs[i], removed->data, size);
    }
    if (size > 0 && !is_shared) {
        rl_arena_release(graph->arena, removed->data);
    }
}

void rl_graph_remove_constant(struct rl_graph *graph, const struct rl_value *constant)
{
    struct rl_value **link = &graph->constants;
    if (rl_value_use_count(graph, constant) > 0) {
        return;
    }
    while (*link && *link != constant) {
        link = &(*link)->next;
    }
    if (*link) {
        *link = constant->next;
        release_data(graph, constant);
    }
}

void rl_graph_remove_dead(struct rl_graph *graph)
{
    clear_marks(graph);
    for (int i = 0; i < rl_graph_target_count(graph); i++) {
        graph->outputs[i]->mark = 1;
    }
    // Goes from the end, because a node is alive if a later node that is alive reads it.
    struct rl_node *previous;
    for (struct rl_node *node = graph->last; node; node = previous) {
        previous = node->previous;
        if (!any_result_marked(node) && !writes_state(node)) {
            rl_graph_remove(graph, node);
            continue;
        }
        for (int i = 0; i < node->arg_count; i++) {
            mark_arg(&node->args[i], 1);
        }
    }
    struct rl_value **link = &graph->constants, *removed = NULL;
    while (*link) {
        struct rl_value *constant = *link;
        if (constant->mark != 0) {
            link = &constant->next;
            continue;
        }
        *link = constant->next;
        constant->next = removed;
        removed = constant;
    }
    for (; removed; removed = removed->next) {
        release_data(graph, removed);
    }
}
