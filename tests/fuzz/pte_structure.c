// SPDX-License-Identifier: Apache-2.0
#include "fuzz/pte_structure.h"

#include "fuzz/pte_run.h"

uint32_t fuzz_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

bool fuzz_is_size(const struct field *field)
{
    return field->role == FIELD_SIZE || field->role == FIELD_INT;
}

void fuzz_rename_size(uint8_t *data, const struct fields *fields, uint64_t old, uint64_t number)
{
    for (uint32_t i = 0; i < fields->count; i++) {
        const struct field *field = &fields->items[i];
        if (fuzz_is_size(field) && field_read(data, field) == old) {
            field_write(data, field, number);
        }
    }
}

// ---- shared tables

// The offset at position `to` leads to the table that the one at `from` leads to, if that lies behind both.
static void share(uint8_t *data, uint32_t from, uint32_t to)
{
    const struct field source = {.position = from, .width = 4}, target = {.position = to, .width = 4};
    const uint64_t table = from + field_read(data, &source);
    if (table > to) {
        field_write(data, &target, table - to);
    }
}

static void share_instructions(uint8_t *data, const struct rl_pte_plan *plan, uint32_t *random)
{
    const struct rl_fb_vector *entries = &plan->instructions;
    if (entries->count > 0) {
        const uint32_t from = fuzz_random(random) % entries->count, to = fuzz_random(random) % entries->count;
        share(data, entries->items + 4 * from, entries->items + 4 * to);
    }
}

// A value of this kind, or of any kind if it is RL_PTE_NULL; without one, the number of values.
static uint32_t choose_value(const struct rl_pte *pte, const struct rl_pte_plan *plan, enum rl_pte_kind kind,
                             uint32_t *random)
{
    const uint32_t count = plan->values.count;
    uint32_t table;
    for (uint32_t i = 0; i < 64 && count > 0; i++) {
        const uint32_t value = fuzz_random(random) % count;
        if (kind == RL_PTE_NULL || rl_pte_value(pte, plan, value, &table) == kind) {
            return value;
        }
    }
    return count;
}

static void share_values(uint8_t *data, const struct rl_pte *pte, const struct rl_pte_plan *plan, uint32_t *random)
{
    uint32_t table;
    const uint32_t from = choose_value(pte, plan, RL_PTE_NULL, random);
    if (from == plan->values.count) {
        return;
    }
    const uint32_t to = choose_value(pte, plan, rl_pte_value(pte, plan, from, &table), random);
    if (to < plan->values.count) {
        share(data, plan->values.items + 4 * from, plan->values.items + 4 * to);
    }
}

// Two tensors get the same sizes, the same place or the same dim_order by the same table.
static void share_parts(uint8_t *data, const struct rl_pte *pte, const struct rl_pte_plan *plan, uint32_t *random)
{
    static const uint32_t parts[] = {RL_PTE_tensor_sizes, RL_PTE_tensor_dim_order, RL_PTE_tensor_allocation_info};
    const uint32_t part = parts[fuzz_random(random) % 3];
    uint32_t positions[2];
    for (int i = 0; i < 2; i++) {
        const uint32_t value = choose_value(pte, plan, RL_PTE_TENSOR, random);
        uint32_t table;
        if (value == plan->values.count) {
            return;
        }
        rl_pte_value(pte, plan, value, &table);
        positions[i] = rl_fb_field(&pte->fb, table, part, 4);
        if (positions[i] == RL_FB_ABSENT || positions[i] == RL_FB_BAD) {
            return;
        }
    }
    share(data, positions[0], positions[1]);
}

// ---- moves and jumps

// The two fields of a call's table are those of a move and of a jump: an operator that is 0 is absent, and stays 0.
static void make_flow(uint8_t *data, const struct rl_pte *pte, const struct rl_pte_plan *plan, uint32_t *random)
{
    struct rl_pte_instruction call;
    const uint32_t index = plan->instructions.count > 0 ? fuzz_random(random) % plan->instructions.count : 0;
    if (!rl_pte_instruction(pte, plan, index, &call) || call.kind != RL_PTE_KERNEL_CALL || call.arguments.count < 2) {
        return;
    }
    const bool moves = fuzz_random(random) % 2 == 0;
    const uint32_t last = call.arguments.count - 1, table = rl_fb_item_table(&pte->fb, &plan->instructions, index);
    const uint32_t which = fuzz_random(random) % 2 == 0 ? 0 : fuzz_random(random) % call.arguments.count;
    const uint32_t truth = choose_value(pte, plan, RL_PTE_BOOL, random);
    uint32_t numbers[] = {(uint32_t)rl_pte_item_i32(pte, &call.arguments, which),
                          (uint32_t)rl_pte_item_i32(pte, &call.arguments, last)};
    if (!moves) {
        numbers[0] = truth < plan->values.count ? truth : numbers[0];
        numbers[1] = fuzz_random(random) % (plan->instructions.count + 1);
    }
    const struct field kind = {.position = rl_fb_field(&pte->fb, table, RL_PTE_instruction_type, 1), .width = 1};
    field_write(data, &kind, moves ? RL_PTE_MOVE_CALL : RL_PTE_JUMP_FALSE_CALL);
    for (uint32_t i = 0; i < 2; i++) {
        const struct field number = {.position = rl_fb_field(&pte->fb, call.table, i, 4), .width = 4};
        if (number.position != RL_FB_ABSENT && number.position != RL_FB_BAD) {
            field_write(data, &number, numbers[i]);
        }
    }
}

// ---- sizes

static uint64_t choose_size(const uint8_t *data, const struct fields *fields, uint32_t *random)
{
    for (int i = 0; i < 32 && fields->count > 0; i++) {
        const struct field *field = &fields->items[fuzz_random(random) % fields->count];
        if (field->role == FIELD_SIZE) {
            return field_read(data, field);
        }
    }
    return 0;
}

// Makes one size longer, and all planned memory as many times larger: then nothing overlaps that did not.
static void enlarge(uint8_t *data, const struct rl_pte_plan *plan, const struct fields *fields, uint32_t *random)
{
    const uint64_t old = choose_size(data, fields, random);
    const struct field arena = {.position = plan->buffer_sizes.items + 8, .width = 8};
    if (plan->buffer_sizes.count < 2 || old == 0 || old > 4096 || field_read(data, &arena) == 0) {
        return;
    }
    uint64_t factor = 2;
    while (factor < 4096 && field_read(data, &arena) * factor * 2 <= RL_FUZZ_MOST_PLANNED) {
        factor *= 2;
    }
    factor = fuzz_random(random) % 4 == 0 ? 2 : factor;
    fuzz_rename_size(data, fields, old, old * factor);
    for (uint32_t i = 0; i < fields->count; i++) {
        const struct field *field = &fields->items[i];
        if (field->role == FIELD_OFFSET) {
            field_write(data, field, field_read(data, field) * factor);
        }
    }
    field_write(data, &arena, field_read(data, &arena) * factor);
}

void fuzz_change_structure(uint8_t *data, const struct rl_pte *pte, const struct rl_pte_plan *plan,
                           const struct fields *fields, uint32_t *random)
{
    switch (fuzz_random(random) % 10) {
    case 0:
    case 1:
        share_values(data, pte, plan, random);
        break;
    case 2:
        share_instructions(data, plan, random);
        break;
    case 3:
    case 4:
        share_parts(data, pte, plan, random);
        break;
    case 5:
    case 6:
        make_flow(data, pte, plan, random);
        break;
    case 7:
        fuzz_rename_size(data, fields, choose_size(data, fields, random), 0);
        break;
    default:
        enlarge(data, plan, fields, random);
        break;
    }
}
