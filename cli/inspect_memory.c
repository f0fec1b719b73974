// SPDX-License-Identifier: Apache-2.0
//
// Where the tensors of a program lie, and from when to when.
#include <stdlib.h>

#include "cli/inspect.h"

static bool names_value(const struct rl_cli_file *file, const struct rl_pte_instruction *instruction, json_int_t value)
{
    const bool moves = instruction->kind == RL_PTE_MOVE_CALL;

    for (uint32_t i = 0; i < instruction->arguments.count; i++) {
        if (rl_pte_item_i32(file->pte, &instruction->arguments, i) == value) {
            return true;
        }
    }
    return (moves && instruction->operands[1] == value) ||
           ((moves || instruction->kind == RL_PTE_JUMP_FALSE_CALL) && instruction->operands[0] == value);
}

// First and last instruction that names a value; -1 for an input before the first and an output after the last, both
// for a value that stays from run to run.
static void add_lifetime(const struct rl_cli_file *file, json_t *entry, bool stays)
{
    json_int_t value = json_integer_value(json_object_get(entry, "value"));
    int64_t first = INT64_MAX, last = -1;
    int64_t end = file->plan.instructions.count;

    for (uint32_t i = 0; i < file->plan.inputs.count; i++) {
        first = rl_pte_item_i32(file->pte, &file->plan.inputs, i) == value ? -1 : first;
    }
    for (uint32_t i = 0; i < file->plan.instructions.count; i++) {
        struct rl_pte_instruction instruction;
        rl_pte_instruction(file->pte, &file->plan, i, &instruction);
        if (names_value(file, &instruction, value)) {
            first = first == INT64_MAX ? i : first;
            last = i;
        }
    }
    for (uint32_t i = 0; i < file->plan.outputs.count; i++) {
        last = rl_pte_item_i32(file->pte, &file->plan.outputs, i) == value ? end : last;
    }
    if (stays) {
        first = -1;
        last = end;
    }
    json_object_set_new(entry, "first", json_integer(first == INT64_MAX ? last : first));
    json_object_set_new(entry, "last", json_integer(last));
}

json_t *rl_cli_file_memory_map(const struct rl_cli_file *file, const json_t *tensors)
{
    json_t *map = json_array();
    const json_t *tensor;
    size_t index;

    json_array_foreach(tensors, index, tensor)
    {
        if (json_object_get(tensor, "offset")) {
            json_t *entry = json_pack("{s:O, s:O, s:O, s:O}", "value", json_object_get(tensor, "value"), "memory",
                                      json_object_get(tensor, "memory"), "offset", json_object_get(tensor, "offset"),
                                      "bytes", json_object_get(tensor, "bytes"));
            add_lifetime(file, entry, json_is_true(json_object_get(tensor, "initial_value")));
            json_array_append_new(map, entry);
        }
    }
    return map;
}

json_t *rl_cli_file_memory_peak(const json_t *map)
{
    json_int_t most = 0, when = 0;
    const json_t *entry;
    size_t index;

    json_array_foreach(map, index, entry)
    {
        const json_int_t end =
            json_integer_value(json_object_get(entry, "offset")) + json_integer_value(json_object_get(entry, "bytes"));
        const json_int_t first = json_integer_value(json_object_get(entry, "first"));
        if (end > most) {
            most = end;
            when = first > 0 ? first : 0;
        }
    }
    return json_pack("{s:I, s:I}", "bytes", most, "instruction", when);
}

// ---- what lives

struct place {
    json_int_t memory, start, end; // in bytes
    json_int_t first, last;        // instructions
};

static int compare(json_int_t a, json_int_t b)
{
    return (a > b) - (a < b);
}

static int compare_places(const void *left, const void *right)
{
    const struct place *a = left, *b = right;

    if (a->memory != b->memory) {
        return compare(a->memory, b->memory);
    }
    return a->start != b->start ? compare(a->start, b->start) : compare(a->end, b->end);
}

// Sorted by memory and start.
static struct place *sort_places(struct rl_arena *arena, const json_t *map)
{
    const size_t count = json_array_size(map);
    struct place *places = rl_arena_array(arena, count + 1, sizeof *places);
    const json_t *entry;
    size_t index;

    json_array_foreach(map, index, entry)
    {
        places[index].memory = json_integer_value(json_object_get(entry, "memory"));
        places[index].start = json_integer_value(json_object_get(entry, "offset"));
        places[index].end = places[index].start + json_integer_value(json_object_get(entry, "bytes"));
        places[index].first = json_integer_value(json_object_get(entry, "first"));
        places[index].last = json_integer_value(json_object_get(entry, "last"));
    }
    qsort(places, count, sizeof *places, compare_places);
    return places;
}

// Of sorted places, those that live at an instruction.
static json_int_t bytes_at(const struct place *places, size_t count, json_int_t instruction)
{
    json_int_t bytes = 0, memory = -1, reached = 0;

    for (size_t i = 0; i < count; i++) {
        if (places[i].first > instruction || places[i].last < instruction) {
            continue;
        }
        if (places[i].memory != memory) {
            memory = places[i].memory;
            reached = 0;
        }
        if (places[i].end > reached) {
            bytes += places[i].end - (places[i].start > reached ? places[i].start : reached);
            reached = places[i].end;
        }
    }
    return bytes;
}

void rl_cli_file_add_live_bytes(struct rl_arena *arena, const json_t *map, json_t *instructions)
{
    const struct place *places = sort_places(arena, map);
    json_t *instruction;
    size_t index;

    json_array_foreach(instructions, index, instruction)
    {
        const json_int_t bytes = bytes_at(places, json_array_size(map), (json_int_t)index);
        json_object_set_new(instruction, "live_bytes", json_integer(bytes));
    }
}
