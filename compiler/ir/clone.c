// SPDX-License-Identifier: Apache-2.0
// Copies of graphs.
#include "compiler/ir/graph.h"

#include <assert.h>

// Old values and their copies: a value's `mark` is its place in both lists.
struct value_map {
    struct rl_arena *arena;
    struct rl_value **from, **to;
    int count;
    bool shares; // the data of constants
};

static int count_values(const struct rl_graph *graph)
{
    int count = rl_graph_source_count(graph);
    for (const struct rl_value *value = graph->constants; value; value = value->next) {
        count++;
    }
    for (const struct rl_node *node = graph->first; node; node = node->next) {
        count += node->result_count + node->arg_count; // each argument could be a scratch value
    }
    return count;
}

static void record_copy(struct value_map *map, struct rl_value *value, struct rl_value *copy)
{
    value->mark = map->count;
    map->from[map->count] = value;
    map->to[map->count] = copy;
    map->count++;
}

static struct rl_value *copy_value(struct value_map *map, struct rl_value *value)
{
    struct rl_value *copy = rl_arena_copy(map->arena, value, sizeof *value);
    copy->name = rl_arena_string(map->arena, value->name);
    copy->next = NULL;
    copy->dequantized_by = NULL; // a node of the other graph
    if (value->data && !(map->shares && value->kind == RL_VALUE_CONSTANT)) {
        copy->data = rl_arena_copy(map->arena, value->data, rl_tensor_bytes(&value->type));
    }
    record_copy(map, value, copy);
    return copy;
}

static struct rl_value *find_copy(struct value_map *map, struct rl_value *value)
{
    if (!value) {
        return NULL;
    }
    const int place = value->mark;
    if (place >= 0 && place < map->count && map->from[place] == value) {
        return map->to[place];
    }
    assert(value->kind == RL_VALUE_SCRATCH && "a value that this graph does not define");
    return copy_value(map, value);
}

static struct rl_arg copy_arg(struct value_map *map, const struct rl_arg *arg)
{
    switch (arg->kind) {
    case RL_ARG_VALUE:
        return rl_arg_value(find_copy(map, arg->as.value));
    case RL_ARG_VALUES: {
        struct rl_arg copy = rl_arg_values(map->arena, arg->as.values, arg->count);
        for (int i = 0; i < arg->count; i++) {
            copy.as.values[i] = find_copy(map, arg->as.values[i]);
        }
        return copy;
    }
    case RL_ARG_INTS:
        return rl_arg_ints(map->arena, arg->as.integers, arg->count);
    case RL_ARG_DOUBLES:
        return rl_arg_doubles(map->arena, arg->as.numbers, arg->count);
    case RL_ARG_STRING:
        return rl_arg_string(map->arena, arg->as.string);
    case RL_ARG_NONE:
    case RL_ARG_INT:
    case RL_ARG_DOUBLE:
    case RL_ARG_BOOL:
        break;
    }
    return *arg;
}

static void copy_node(struct value_map *map, struct rl_graph *clone, const struct rl_node *node)
{
    const size_t result_count = (size_t)node->result_count;
    const char **names = rl_arena_array(map->arena, result_count, sizeof(const char *));
    struct rl_tensor_type *types = rl_arena_array(map->arena, result_count, sizeof *types);
    struct rl_node *copy = rl_graph_insert_named(clone, NULL, node->op, rl_arena_string(map->arena, node->name),
                                                 node->result_count, names, types);
    for (int i = 0; i < node->arg_count; i++) {
        copy->args[i] = copy_arg(map, &node->args[i]);
    }
    for (int i = 0; i < node->result_count; i++) {
        copy->results[i] = copy_value(map, node->results[i]);
        copy->results[i]->producer = copy;
    }
    copy->origin = node->origin ? rl_arena_string(map->arena, node->origin) : NULL;
    copy->layer = node->layer ? rl_arena_string(map->arena, node->layer) : NULL;
    copy->reason = node->reason ? rl_arena_string(map->arena, node->reason) : NULL;
}

static const char *const *copy_names(struct rl_arena *arena, const char *const *names, int count)
{
    const char **copy = rl_arena_array(arena, (size_t)count, sizeof *copy);
    for (int i = 0; names && i < count; i++) {
        copy[i] = rl_arena_string(arena, names[i]);
    }
    return names ? copy : NULL;
}

static struct rl_graph *clone_graph(const struct rl_graph *graph, struct rl_arena *arena, bool shares)
{
    struct rl_graph *clone = rl_graph_new(arena, graph->name, graph->source);
    clone->input_tree = graph->input_tree ? rl_arena_string(arena, graph->input_tree) : NULL;
    clone->output_tree = graph->output_tree ? rl_arena_string(arena, graph->output_tree) : NULL;
    clone->input_names = copy_names(arena, graph->input_names, graph->input_count);
    clone->output_names = copy_names(arena, graph->output_names, graph->output_count);

    const size_t capacity = (size_t)count_values(graph);
    struct value_map map = {.arena = arena,
                            .shares = shares,
                            .from = rl_arena_array(arena, capacity, sizeof(struct rl_value *)),
                            .to = rl_arena_array(arena, capacity, sizeof(struct rl_value *))};
    for (int i = 0; i < graph->input_count; i++) {
        struct rl_value *input = graph->inputs[i];
        record_copy(&map, input, rl_graph_add_input(clone, input->name, &input->type));
    }
    for (int i = graph->input_count; i < rl_graph_source_count(graph); i++) {
        copy_value(&map, graph->inputs[i]);
    }
    struct rl_value **end = &clone->constants;
    for (struct rl_value *value = graph->constants; value; value = value->next) {
        *end = copy_value(&map, value);
        end = &(*end)->next;
    }
    for (const struct rl_node *node = graph->first; node; node = node->next) {
        copy_node(&map, clone, node);
    }
    for (int i = 0; i < graph->output_count; i++) {
        rl_graph_add_output(clone, find_copy(&map, graph->outputs[i]));
    }
    for (int i = 0; i < graph->state_count; i++) {
        rl_graph_add_state(clone, find_copy(&map, graph->inputs[graph->input_count + i]));
        if (!graph->writes_back) {
            rl_graph_set_next(clone, i, find_copy(&map, graph->outputs[graph->output_count + i]));
        }
    }
    clone->writes_back = graph->writes_back;
    return clone;
}

struct rl_graph *rl_graph_clone(const struct rl_graph *graph, struct rl_arena *arena)
{
    return clone_graph(graph, arena, false);
}

struct rl_graph *rl_graph_clone_sharing(const struct rl_graph *graph, struct rl_arena *arena)
{
    assert(arena != graph->arena);
    return clone_graph(graph, arena, true);
}
