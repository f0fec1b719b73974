// SPDX-License-Identifier: Apache-2.0
#include "fuzz/pte_fields.h"

static void add_field(struct fields *fields, uint32_t position, uint32_t width, enum field_role role)
{
    if (position != RL_FB_ABSENT && position != RL_FB_BAD && fields->count < MOST_FIELDS) {
        fields->items[fields->count++] = (struct field){position, width, role};
    }
}

static void add_vector(struct fields *fields, const struct rl_fb_vector *vector, uint32_t width, enum field_role role)
{
    for (uint32_t i = 0; i < vector->count && i < 64; i++) {
        add_field(fields, vector->items + width * i, width, role);
    }
}

static void add_tensor(struct fields *fields, const struct rl_pte *pte, uint32_t table)
{
    static const struct {
        uint32_t id, width;
        enum field_role role;
    } numbers[] = {{RL_PTE_tensor_scalar_type, 1, FIELD_TYPE},
                   {RL_PTE_tensor_storage_offset, 4, FIELD_OTHER},
                   {RL_PTE_tensor_data_buffer_idx, 4, FIELD_OTHER},
                   {RL_PTE_tensor_shape_dynamism, 1, FIELD_OTHER}};
    const struct rl_flatbuffer *fb = &pte->fb;
    struct rl_pte_tensor tensor;
    for (uint32_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        add_field(fields, rl_fb_field(fb, table, numbers[i].id, numbers[i].width), numbers[i].width, numbers[i].role);
    }
    uint32_t allocation = rl_fb_child(fb, table, RL_PTE_tensor_allocation_info);
    if (allocation != RL_FB_ABSENT && allocation != RL_FB_BAD) {
        add_field(fields, rl_fb_field(fb, allocation, RL_PTE_allocation_memory_id, 4), 4, FIELD_MEMORY);
        add_field(fields, rl_fb_field(fb, allocation, RL_PTE_allocation_memory_offset_low, 4), 4, FIELD_OFFSET);
    }
    if (rl_pte_tensor(pte, table, &tensor)) {
        add_vector(fields, &tensor.sizes, 4, FIELD_SIZE);
        add_vector(fields, &tensor.dim_order, 1, FIELD_ORDER);
    }
}

// A value and, of a list, its items, but not the values that they name.
static void add_value(struct fields *fields, const struct rl_pte *pte, const struct rl_pte_plan *plan, uint32_t index)
{
    static const struct {
        uint8_t width;
        enum field_role role;
    } scalars[] = {[RL_PTE_INT] = {8, FIELD_INT}, [RL_PTE_BOOL] = {1, FIELD_BOOL}, [RL_PTE_DOUBLE] = {8, FIELD_DOUBLE}},
      items[] = {[RL_PTE_INT_LIST] = {8, FIELD_ITEM},
                 [RL_PTE_DOUBLE_LIST] = {8, FIELD_DOUBLE},
                 [RL_PTE_BOOL_LIST] = {1, FIELD_BOOL},
                 [RL_PTE_TENSOR_LIST] = {4, FIELD_ITEM},
                 [RL_PTE_OPTIONAL_TENSOR_LIST] = {4, FIELD_ITEM}};
    uint32_t table;
    struct rl_fb_vector list;
    enum rl_pte_kind kind = rl_pte_value(pte, plan, index, &table);
    if (kind == RL_PTE_TENSOR) {
        add_tensor(fields, pte, table);
    } else if (kind < sizeof scalars / sizeof *scalars && scalars[kind].width != 0) {
        add_field(fields, rl_fb_field(&pte->fb, table, RL_PTE_payload_item, scalars[kind].width), scalars[kind].width,
                  scalars[kind].role);
    } else if (kind < sizeof items / sizeof *items && items[kind].width != 0 &&
               rl_pte_list(pte, table, items[kind].width, &list)) {
        add_vector(fields, &list, items[kind].width, items[kind].role);
        if (list.items != RL_FB_ABSENT) {
            add_field(fields, list.items - 4, 4, FIELD_COUNT);
        }
    }
}

static void add_instruction(struct fields *fields, const struct rl_pte *pte, const struct rl_pte_plan *plan,
                            uint32_t index)
{
    struct rl_pte_instruction instruction;
    if (!rl_pte_instruction(pte, plan, index, &instruction)) {
        return;
    }
    const bool calls = instruction.kind == RL_PTE_KERNEL_CALL;
    add_vector(fields, &instruction.arguments, 4, FIELD_ARGUMENT);
    // Operator, or source or condition; destination.
    add_field(fields, rl_fb_field(&pte->fb, instruction.table, 0, 4), 4, calls ? FIELD_CODE : FIELD_ARGUMENT);
    if (!calls) {
        add_field(fields, rl_fb_field(&pte->fb, instruction.table, 1, 4), 4, FIELD_ARGUMENT);
    }
    uint32_t table = rl_fb_item_table(&pte->fb, &plan->instructions, index);
    add_field(fields, rl_fb_field(&pte->fb, table, RL_PTE_instruction_type, 1), 1, FIELD_CODE);
}

void fields_of_plan(struct fields *fields, const struct rl_pte *pte, const struct rl_pte_plan *plan)
{
    for (uint32_t i = 0; i < plan->values.count && i < 400; i++) {
        add_value(fields, pte, plan, i);
        add_field(fields, plan->values.items + 4 * i, 4, FIELD_CODE);
    }
    for (uint32_t i = 0; i < plan->instructions.count && i < 100; i++) {
        add_instruction(fields, pte, plan, i);
    }
    add_vector(fields, &plan->inputs, 4, FIELD_ARGUMENT);
    add_vector(fields, &plan->outputs, 4, FIELD_ARGUMENT);
    add_vector(fields, &plan->buffer_sizes, 8, FIELD_CODE);
}

// A value with those that it names, if it is a list of them.
static void add_deep_value(struct fields *fields, const struct rl_pte *pte, const struct rl_pte_plan *plan,
                           int32_t index)
{
    uint32_t table;
    struct rl_fb_vector list;
    if (index < 0) {
        return;
    }
    add_value(fields, pte, plan, (uint32_t)index);
    enum rl_pte_kind kind = rl_pte_value(pte, plan, (uint32_t)index, &table);
    const bool ints = kind == RL_PTE_INT_LIST;
    if (!ints && kind != RL_PTE_TENSOR_LIST && kind != RL_PTE_OPTIONAL_TENSOR_LIST) {
        return;
    }
    if (!rl_pte_list(pte, table, ints ? 8 : 4, &list)) {
        return;
    }
    for (uint32_t i = 0; i < list.count && i < 16; i++) {
        int64_t item = ints ? rl_pte_item_i64(pte, &list, i) : rl_pte_item_i32(pte, &list, i);
        if (item >= 0) {
            add_value(fields, pte, plan, (uint32_t)item);
        }
    }
}

void fields_of_instruction(struct fields *fields, const struct rl_pte *pte, const struct rl_pte_plan *plan,
                           uint32_t index)
{
    struct rl_pte_instruction instruction;
    if (!rl_pte_instruction(pte, plan, index, &instruction)) {
        return;
    }
    add_instruction(fields, pte, plan, index);
    for (uint32_t i = 0; i < instruction.arguments.count; i++) {
        // A returned value names what was written once more.
        int32_t value = rl_pte_item_i32(pte, &instruction.arguments, i);
        bool known = false;
        for (uint32_t k = 0; k < i; k++) {
            known = known || rl_pte_item_i32(pte, &instruction.arguments, k) == value;
        }
        if (!known) {
            add_deep_value(fields, pte, plan, value);
        }
    }
}

uint64_t field_read(const uint8_t *file, const struct field *field)
{
    uint64_t number = 0;
    for (uint32_t i = 0; i < field->width; i++) {
        number |= (uint64_t)file[field->position + i] << 8 * i;
    }
    return number;
}

void field_write(uint8_t *file, const struct field *field, uint64_t number)
{
    for (uint32_t i = 0; i < field->width; i++) {
        file[field->position + i] = (uint8_t)(number >> 8 * i);
    }
}
