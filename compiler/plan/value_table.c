// SPDX-License-Identifier: Apache-2.0
#include "compiler/plan/memory.h"

static int find_slot(const struct rl_value_table *table, const struct rl_value *value)
{
    uint64_t hash = ((uint64_t)(uintptr_t)value >> 4) * UINT64_C(0x9E3779B97F4A7C15);
    int slot = (int)(hash >> 32) & (table->slot_count - 1);

    while (table->slots[slot] != 0 && table->values[table->slots[slot] - 1] != value) {
        slot = (slot + 1) & (table->slot_count - 1);
    }
    return slot;
}

static void add(struct rl_value_table *table, const struct rl_value *value)
{
    int slot = find_slot(table, value);

    if (table->slots[slot] == 0) {
        table->values[table->count++] = value;
        table->slots[slot] = table->count;
    }
}

static bool is_scratch(const struct rl_arg *arg)
{
    return arg->kind == RL_ARG_VALUE && arg->as.value->kind == RL_VALUE_SCRATCH;
}

static int most_values(const struct rl_graph *graph)
{
    int count = rl_graph_source_count(graph);

    for (const struct rl_value *constant = graph->constants; constant; constant = constant->next) {
        count++;
    }
    for (const struct rl_node *node = graph->first; node; node = node->next) {
        count += node->arg_count + node->result_count;
    }
    return count;
}

void rl_value_table_build(struct rl_arena *arena, const struct rl_graph *graph, struct rl_value_table *table)
{
    int most = most_values(graph);

    *table = (struct rl_value_table){.slot_count = 16};
    while (table->slot_count / 2 < most) {
        table->slot_count *= 2;
    }
    table->values = rl_arena_array(arena, (size_t)most, sizeof(const struct rl_value *));
    table->slots = rl_arena_array(arena, (size_t)table->slot_count, sizeof *table->slots);
    for (int i = 0; i < rl_graph_source_count(graph); i++) {
        add(table, graph->inputs[i]);
    }
    for (const struct rl_value *constant = graph->constants; constant; constant = constant->next) {
        add(table, constant);
    }
    for (const struct rl_node *node = graph->first; node; node = node->next) {
        for (int i = 0; i < node->arg_count; i++) {
            if (is_scratch(&node->args[i])) {
                add(table, node->args[i].as.value);
            }
        }
        for (int i = 0; i < node->result_count; i++) {
            add(table, node->results[i]);
        }
    }
}

int rl_value_table_index(const struct rl_value_table *table, const struct rl_value *value)
{
    return table->slots[find_slot(table, value)] - 1;
}
