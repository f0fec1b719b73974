// SPDX-License-Identifier: Apache-2.0
//
// eliminate_common: keeps one of equal constants and of equal computations, and removes unused ones.
//   needs   functional operators, all of which give the same results for the same arguments
//   keeps   values
//   breaks  the names of the duplicates
#include "compiler/passes/passes.h"

#include <string.h>

#include "compiler/passes/rewrite/rewrite.h"

static bool same_type(const struct rl_tensor_type *a, const struct rl_tensor_type *b)
{
    return a->dtype == b->dtype && rl_tensor_same_sizes(a, b) && rl_tensor_same_layout(a, b);
}

static bool same_constant(const struct rl_value *a, const struct rl_value *b)
{
    return same_type(&a->type, &b->type) && memcmp(a->data, b->data, rl_tensor_bytes(&a->type)) == 0;
}

static void merge_constants(struct rl_graph *graph)
{
    for (struct rl_value *first = graph->constants; first; first = first->next) {
        for (const struct rl_value *other = first->next; other; other = other->next) {
            if (same_constant(first, other)) {
                rl_graph_replace_uses(graph, other, first);
            }
        }
    }
}

static bool same_double(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static bool same_item(const struct rl_arg *a, const struct rl_arg *b, int i)
{
    switch (a->kind) {
    case RL_ARG_VALUES:
        return a->as.values[i] == b->as.values[i];
    case RL_ARG_INTS:
        return a->as.integers[i] == b->as.integers[i];
    default:
        return same_double(a->as.numbers[i], b->as.numbers[i]);
    }
}

static bool same_list(const struct rl_arg *a, const struct rl_arg *b)
{
    if (a->count != b->count) {
        return false;
    }
    for (int i = 0; i < a->count; i++) {
        if (!same_item(a, b, i)) {
            return false;
        }
    }
    return true;
}

// Work space is private to a node, and its contents do not matter.
static bool both_scratch(const struct rl_arg *a, const struct rl_arg *b)
{
    return a->as.value->kind == RL_VALUE_SCRATCH && b->as.value->kind == RL_VALUE_SCRATCH;
}

static bool same_arg(const struct rl_arg *a, const struct rl_arg *b)
{
    if (a->kind != b->kind) {
        return false;
    }
    switch (a->kind) {
    case RL_ARG_NONE:
        return true;
    case RL_ARG_VALUE:
        return a->as.value == b->as.value || both_scratch(a, b);
    case RL_ARG_INT:
        return a->as.integer == b->as.integer;
    case RL_ARG_DOUBLE:
        return same_double(a->as.number, b->as.number);
    case RL_ARG_BOOL:
        return a->as.boolean == b->as.boolean;
    case RL_ARG_STRING:
        return strcmp(a->as.string, b->as.string) == 0;
    default:
        return same_list(a, b);
    }
}

static bool same_computation(const struct rl_node *a, const struct rl_node *b)
{
    if (a->op != b->op || a->result_count != b->result_count) {
        return false;
    }
    for (int i = 0; i < a->arg_count; i++) {
        if (!same_arg(&a->args[i], &b->args[i])) {
            return false;
        }
    }
    for (int i = 0; i < a->result_count; i++) {
        if (!same_type(&a->results[i]->type, &b->results[i]->type)) {
            return false;
        }
    }
    return true;
}

static bool has_output(const struct rl_graph *graph, const struct rl_node *node)
{
    for (int i = 0; i < node->result_count; i++) {
        if (rl_value_is_output(graph, node->results[i])) {
            return true;
        }
    }
    return false;
}

// Two outputs of a program remain two tensors, so a duplicate that is an output is kept.
static void merge_computations(struct rl_graph *graph)
{
    for (struct rl_node *first = graph->first; first; first = first->next) {
        for (const struct rl_node *other = first->next; other; other = other->next) {
            if (!same_computation(first, other) || has_output(graph, other)) {
                continue;
            }
            for (int i = 0; i < first->result_count; i++) {
                rl_graph_replace_uses(graph, other->results[i], first->results[i]);
            }
        }
    }
}

enum rl_status rl_pass_eliminate_common(struct rl_pass *pass)
{
    struct rl_graph *graph = pass->graph;
    merge_constants(graph);
    merge_computations(graph);
    rl_graph_remove_dead(graph);
    return RL_OK;
}
