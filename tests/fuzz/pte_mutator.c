// SPDX-License-Identifier: Apache-2.0
//
// Changes numbers of a program where they matter: what tensors, values and instructions say, so that most of
// what comes out is still a FlatBuffer and is refused, or runs, for reasons deeper than that.
#include "format/pte_reader.h"
#include "fuzz/fuzz.h"

enum { MOST_FIELDS = 4096 };

struct field {
    uint32_t position, width;
};

struct fields {
    struct field items[MOST_FIELDS];
    uint32_t count;
};

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void add_field(struct fields *fields, uint32_t position, uint32_t width)
{
    if (position != RL_FB_ABSENT && position != RL_FB_BAD && fields->count < MOST_FIELDS)
        fields->items[fields->count++] = (struct field){position, width};
}

static void add_vector(struct fields *fields, const struct rl_fb_vector *vector, uint32_t width)
{
    for (uint32_t i = 0; i < vector->count && i < 64; i++)
        add_field(fields, vector->items + width * i, width);
}

static void add_tensor(struct fields *fields, const struct rl_pte *pte, uint32_t table)
{
    static const struct {
        uint32_t id, width;
    } numbers[] = {{RL_PTE_tensor_scalar_type, 1},
                   {RL_PTE_tensor_storage_offset, 4},
                   {RL_PTE_tensor_data_buffer_idx, 4},
                   {RL_PTE_tensor_shape_dynamism, 1}};
    const struct rl_flatbuffer *fb = &pte->fb;
    struct rl_pte_tensor tensor;
    for (uint32_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        add_field(fields, rl_fb_field(fb, table, numbers[i].id, numbers[i].width), numbers[i].width);
    uint32_t allocation = rl_fb_child(fb, table, RL_PTE_tensor_allocation_info);
    if (allocation != RL_FB_ABSENT && allocation != RL_FB_BAD) {
        add_field(fields, rl_fb_field(fb, allocation, RL_PTE_allocation_memory_id, 4), 4);
        add_field(fields, rl_fb_field(fb, allocation, RL_PTE_allocation_memory_offset_low, 4), 4);
    }
    if (rl_pte_tensor(pte, table, &tensor)) {
        add_vector(fields, &tensor.sizes, 4);
        add_vector(fields, &tensor.dim_order, 1);
    }
}

static void add_value(struct fields *fields, const struct rl_pte *pte, const struct rl_pte_plan *plan,
                      uint32_t index)
{
    static const uint8_t widths[] = {[RL_PTE_INT] = 8, [RL_PTE_BOOL] = 1, [RL_PTE_DOUBLE] = 8};
    static const uint8_t item_widths[] = {[RL_PTE_INT_LIST] = 8,
                                          [RL_PTE_DOUBLE_LIST] = 8,
                                          [RL_PTE_BOOL_LIST] = 1,
                                          [RL_PTE_TENSOR_LIST] = 4,
                                          [RL_PTE_OPTIONAL_TENSOR_LIST] = 4};
    uint32_t table;
    struct rl_fb_vector items;
    enum rl_pte_kind kind = rl_pte_value(pte, plan, index, &table);
    if (kind == RL_PTE_TENSOR)
        add_tensor(fields, pte, table);
    else if (kind == RL_PTE_INT || kind == RL_PTE_BOOL || kind == RL_PTE_DOUBLE)
        add_field(fields, rl_fb_field(&pte->fb, table, RL_PTE_payload_item, widths[kind]), widths[kind]);
    else if (kind < sizeof item_widths && item_widths[kind] != 0 &&
             rl_pte_list(pte, table, item_widths[kind], &items))
        add_vector(fields, &items, item_widths[kind]);
    add_field(fields, plan->values.items + 4 * index, 4);
}

static void add_instruction(struct fields *fields, const struct rl_pte *pte, const struct rl_pte_plan *plan,
                            uint32_t index)
{
    struct rl_pte_instruction instruction;
    if (!rl_pte_instruction(pte, plan, index, &instruction))
        return;
    add_vector(fields, &instruction.arguments, 4);
    add_field(fields, rl_fb_field(&pte->fb, instruction.table, 0, 4), 4); // operator, source, condition
    if (instruction.kind != RL_PTE_KERNEL_CALL)
        add_field(fields, rl_fb_field(&pte->fb, instruction.table, 1, 4), 4);
    uint32_t table = rl_fb_item_table(&pte->fb, &plan->instructions, index);
    add_field(fields, rl_fb_field(&pte->fb, table, RL_PTE_instruction_type, 1), 1);
}

static void add_plan(struct fields *fields, const struct rl_pte *pte, uint32_t index)
{
    struct rl_pte_plan plan;
    if (!rl_pte_plan(pte, index, &plan))
        return;
    for (uint32_t i = 0; i < plan.values.count && i < 400; i++)
        add_value(fields, pte, &plan, i);
    for (uint32_t i = 0; i < plan.instructions.count && i < 100; i++)
        add_instruction(fields, pte, &plan, i);
    add_vector(fields, &plan.inputs, 4);
    add_vector(fields, &plan.outputs, 4);
    add_vector(fields, &plan.buffer_sizes, 8);
}

static uint64_t read_number(const uint8_t *place, uint32_t width)
{
    uint64_t number = 0;
    for (uint32_t i = 0; i < width; i++)
        number |= (uint64_t)place[i] << 8 * i;
    return number;
}

static uint64_t choose_number(uint32_t *random, uint64_t old)
{
    static const int64_t corners[] = {-1, 0, 1, 2, 3, 4, 8, 127, 128, 255, -128, 32767, INT32_MAX, INT32_MIN};
    switch (next_random(random) % 4) {
    case 0:
        return (uint64_t)corners[next_random(random) % (sizeof corners / sizeof *corners)];
    case 1:
        return old + next_random(random) % 9 - 4;
    case 2:
        return next_random(random) % 64;
    default:
        return old ^ (uint64_t)1 << next_random(random) % 32;
    }
}

// Gives one number another value, or, half of the time, that of another number of its width.
static void change_number(uint8_t *data, const struct fields *fields, uint32_t *random)
{
    const struct field field = fields->items[next_random(random) % fields->count];
    const struct field other = fields->items[next_random(random) % fields->count];
    uint64_t number = other.width == field.width && next_random(random) % 2 == 0
                          ? read_number(data + other.position, other.width)
                          : choose_number(random, read_number(data + field.position, field.width));
    for (uint32_t i = 0; i < field.width; i++)
        data[field.position + i] = (uint8_t)(number >> 8 * i);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    static struct fields fields;
    struct rl_pte pte;
    uint32_t offset, random = seed;
    fields.count = 0;
    if (next_random(&random) % 4 == 0 || rl_pte_open(&pte, data, size, &offset) != NULL)
        return LLVMFuzzerMutate(data, size, max_size);
    for (uint32_t i = 0; i < pte.plans.count && i < 4; i++)
        add_plan(&fields, &pte, i);
    if (fields.count == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    for (uint32_t changes = 1 + next_random(&random) % 3; changes > 0; changes--)
        change_number(data, &fields, &random);
    return size;
}
