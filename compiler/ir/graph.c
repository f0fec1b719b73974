// SPDX-License-Identifier: Apache-2.0
// Construction of graphs.
#include "compiler/ir/graph.h"

#include <stdlib.h>
#include <string.h>

struct rl_graph *rl_graph_new(struct rl_arena *arena, const char *name, const char *source)
{
    struct rl_graph *graph = rl_arena_alloc(arena, sizeof *graph);
    graph->arena = arena;
    graph->name = rl_arena_string(arena, name);
    graph->source = rl_arena_string(arena, source);
    return graph;
}

// ---- names

// What one name says about a stem: whether it is the stem, and the number k if it is `stem_k`.
struct name_search {
    const char *stem;
    size_t length;
    bool taken;
    unsigned long highest;
};

static void look_at_name(struct name_search *search, const char *name)
{
    if (strncmp(name, search->stem, search->length) != 0) {
        return;
    }
    const char *rest = name + search->length;
    if (*rest == '\0') {
        search->taken = true;
    }
    // Numbers of more digits than we would ever reach do not count.
    if (rest[0] != '_' || rest[1] < '0' || rest[1] > '9' || strlen(rest) > 9) {
        return;
    }
    char *end;
    const unsigned long number = strtoul(rest + 1, &end, 10);
    if (*end == '\0' && number > search->highest) {
        search->highest = number;
    }
}

static void look_at_all_names(struct name_search *search, const struct rl_graph *graph)
{
    for (int i = 0; i < rl_graph_source_count(graph); i++) {
        look_at_name(search, graph->inputs[i]->name);
    }
    for (const struct rl_value *value = graph->constants; value; value = value->next) {
        look_at_name(search, value->name);
    }
    for (const struct rl_node *node = graph->first; node; node = node->next) {
        look_at_name(search, node->name);
        for (int i = 0; i < node->result_count; i++) {
            look_at_name(search, node->results[i]->name);
        }
        for (int i = 0; i < node->arg_count; i++) {
            if (node->args[i].kind == RL_ARG_VALUE && node->args[i].as.value->kind == RL_VALUE_SCRATCH) {
                look_at_name(search, node->args[i].as.value->name);
            }
        }
    }
}

const char *rl_graph_unique_name(const struct rl_graph *graph, const char *stem)
{
    struct name_search search = {.stem = stem, .length = strlen(stem)};
    look_at_all_names(&search, graph);
    if (!search.taken) {
        return rl_arena_string(graph->arena, stem);
    }
    return rl_arena_format(graph->arena, "%s_%lu", stem, search.highest + 1);
}

// ---- values

static struct rl_value *new_value(struct rl_graph *graph, enum rl_value_kind kind, const char *name,
                                  const struct rl_tensor_type *type)
{
    struct rl_value *value = rl_arena_alloc(graph->arena, sizeof *value);
    value->kind = kind;
    value->name = name;
    value->type = *type;
    return value;
}

// A list that doubles whenever its length reaches a power of two.
static struct rl_value **append(struct rl_arena *arena, struct rl_value **list, int count, struct rl_value *value)
{
    if ((count & (count - 1)) == 0) {
        struct rl_value **longer = rl_arena_array(arena, count == 0 ? 1 : (size_t)count * 2, sizeof *longer);
        if (count != 0) {
            memcpy(longer, list, (size_t)count * sizeof *longer);
        }
        list = longer;
    }
    list[count] = value;
    return list;
}

struct rl_value *rl_graph_add_input(struct rl_graph *graph, const char *name, const struct rl_tensor_type *type)
{
    struct rl_value *value = new_value(graph, RL_VALUE_INPUT, rl_graph_unique_name(graph, name), type);
    graph->inputs = append(graph->arena, graph->inputs, graph->input_count, value);
    graph->input_count++;
    return value;
}

void rl_graph_add_output(struct rl_graph *graph, struct rl_value *value)
{
    graph->outputs = append(graph->arena, graph->outputs, graph->output_count, value);
    graph->output_count++;
}

int rl_graph_source_count(const struct rl_graph *graph)
{
    return graph->input_count + graph->state_count;
}

int rl_graph_target_count(const struct rl_graph *graph)
{
    return graph->output_count + (graph->writes_back ? 0 : graph->state_count);
}

static void unlink_constant(struct rl_graph *graph, const struct rl_value *value)
{
    for (struct rl_value **link = &graph->constants; *link; link = &(*link)->next) {
        if (*link == value) {
            *link = value->next;
            return;
        }
    }
}

void rl_graph_add_state(struct rl_graph *graph, struct rl_value *value)
{
    unlink_constant(graph, value);
    value->kind = RL_VALUE_INPUT;
    value->next = NULL;
    graph->inputs = append(graph->arena, graph->inputs, rl_graph_source_count(graph), value);
    graph->outputs = append(graph->arena, graph->outputs, rl_graph_target_count(graph), value);
    graph->state_count++;
}

void rl_graph_set_next(struct rl_graph *graph, int index, struct rl_value *next)
{
    graph->outputs[graph->output_count + index] = next;
}

bool rl_value_is_state(const struct rl_value *value)
{
    return value->kind == RL_VALUE_INPUT && value->data;
}

struct rl_value *rl_graph_add_constant(struct rl_graph *graph, const char *name, const struct rl_tensor_type *type,
                                       const void *data)
{
    return rl_graph_take_constant(graph, name, type, rl_arena_copy(graph->arena, data, rl_tensor_bytes(type)));
}

struct rl_value *rl_graph_take_constant(struct rl_graph *graph, const char *name, const struct rl_tensor_type *type,
                                        const void *data)
{
    struct rl_value *value = new_value(graph, RL_VALUE_CONSTANT, rl_graph_unique_name(graph, name), type);
    value->data = data;
    struct rl_value **end = &graph->constants;
    while (*end) {
        end = &(*end)->next;
    }
    *end = value;
    return value;
}

struct rl_value *rl_graph_add_scratch(struct rl_graph *graph, const char *name, int64_t bytes)
{
    const struct rl_tensor_type type = rl_tensor_type_make(RL_UINT8, 1, &bytes);
    return new_value(graph, RL_VALUE_SCRATCH, rl_graph_unique_name(graph, name), &type);
}

// ---- nodes

static void link_before(struct rl_graph *graph, struct rl_node *node, struct rl_node *before)
{
    node->next = before;
    node->previous = before ? before->previous : graph->last;
    *(node->previous ? &node->previous->next : &graph->first) = node;
    *(before ? &before->previous : &graph->last) = node;
}

struct rl_node *rl_graph_insert_named(struct rl_graph *graph, struct rl_node *before, enum rl_op_id op,
                                      const char *name, int result_count, const char *const *result_names,
                                      const struct rl_tensor_type *types)
{
    struct rl_node *node = rl_arena_alloc(graph->arena, sizeof *node);
    node->op = op;
    node->name = name;
    node->origin = name;
    node->arg_count = rl_op_get(op)->arg_count;
    node->args = rl_arena_array(graph->arena, (size_t)node->arg_count, sizeof *node->args);
    node->result_count = result_count;
    node->results = rl_arena_array(graph->arena, (size_t)result_count, sizeof(struct rl_value *));
    for (int i = 0; i < result_count; i++) {
        node->results[i] = new_value(graph, RL_VALUE_RESULT, result_names[i], &types[i]);
        node->results[i]->producer = node;
    }
    link_before(graph, node, before);
    return node;
}

struct rl_node *rl_graph_insert(struct rl_graph *graph, struct rl_node *before, enum rl_op_id op, const char *name,
                                const struct rl_node *like, int result_count, const struct rl_tensor_type *types)
{
    const char *unique = rl_graph_unique_name(graph, name);
    const char **result_names = rl_arena_array(graph->arena, (size_t)result_count, sizeof(const char *));
    for (int i = 0; i < result_count; i++) {
        const char *stem = result_count == 1 ? unique : rl_arena_format(graph->arena, "%s_%d", unique, i);
        result_names[i] = result_count == 1 ? unique : rl_graph_unique_name(graph, stem);
    }
    struct rl_node *node = rl_graph_insert_named(graph, before, op, unique, result_count, result_names, types);
    if (like) {
        node->origin = like->origin;
        node->layer = like->layer;
    }
    return node;
}

void rl_graph_remove(struct rl_graph *graph, struct rl_node *node)
{
    *(node->previous ? &node->previous->next : &graph->first) = node->next;
    *(node->next ? &node->next->previous : &graph->last) = node->previous;
    node->previous = node->next = NULL;
}
