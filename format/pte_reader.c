// SPDX-License-Identifier: Apache-2.0
#include "format/pte_reader.h"

#include <limits.h>
#include <string.h>

// ---- file

// The vector in a field of an open table.
static bool table_vector(const struct rl_flatbuffer *fb, const struct rl_fb_table *table, uint32_t id,
                         uint32_t item_width, struct rl_fb_vector *vector)
{
    return rl_fb_vector_at(fb, rl_fb_table_child(fb, table, id), item_width, vector);
}

// Whether the four characters of `mark` lie at a position. Inlined, so that they become one number.
static inline __attribute__((always_inline)) bool has_mark(const struct rl_flatbuffer *fb, uint32_t position,
                                                           const char *mark)
{
    return rl_fb_u32(fb, position) ==
           ((uint32_t)mark[0] | (uint32_t)mark[1] << 8 | (uint32_t)mark[2] << 16 | (uint32_t)mark[3] << 24);
}

// A number of 64 bits; one that is more than any file's size when it does not fit 32.
static uint32_t read_size(const struct rl_flatbuffer *fb, uint32_t position)
{
    uint64_t number = rl_fb_u64(fb, position);
    return number > UINT32_MAX ? UINT32_MAX : (uint32_t)number;
}

// Reads the extended header, if there is one, into the bounds of tables and segments.
static const char *read_header(struct rl_pte *pte, uint32_t *offset)
{
    struct rl_flatbuffer file = {pte->fb.data, pte->file_size};
    *offset = RL_PTE_HEADER_OFFSET;
    if (!has_mark(&file, RL_PTE_HEADER_OFFSET, RL_PTE_HEADER_MAGIC)) {
        return NULL; // an old file without segments
    }
    uint32_t length = rl_fb_u32(&file, RL_PTE_HEADER_OFFSET + 4);
    if (length < RL_PTE_HEADER_MINIMUM || !rl_fb_inside(&file, RL_PTE_HEADER_OFFSET, length)) {
        return rl_sentence("the extended header has a wrong length");
    }
    uint32_t program_size = read_size(&file, RL_PTE_HEADER_OFFSET + 8);
    if (program_size > file.size || program_size < RL_PTE_HEADER_OFFSET + length) {
        return rl_sentence("the file is shorter than its header says");
    }
    uint32_t segment_base = read_size(&file, RL_PTE_HEADER_OFFSET + 16);
    if (segment_base > file.size || (segment_base != 0 && segment_base < program_size)) {
        return rl_sentence("the segments lie outside the file");
    }
    pte->end = segment_base != 0 ? file.size : program_size;
    if (length >= RL_PTE_HEADER_BYTES && segment_base != 0) {
        uint32_t segment_bytes = read_size(&file, RL_PTE_HEADER_OFFSET + 24);
        if (segment_bytes > file.size - segment_base) {
            return rl_sentence("the file is shorter than its segments");
        }
        pte->end = segment_base + segment_bytes;
    }
    pte->has_checksum =
        length >= RL_PTE_CHECKED_HEADER_BYTES && has_mark(&file, RL_PTE_MARK_OFFSET, RL_PTE_CHECKSUM_MARK);
    pte->fb.size = program_size;
    pte->segment_base = segment_base;
    return NULL;
}

bool rl_pte_segment(const struct rl_flatbuffer *fb, const struct rl_fb_vector *segments, uint32_t base,
                    uint32_t file_size, uint32_t index, uint32_t *position, uint32_t *size)
{
    const struct rl_fb_table table = rl_fb_open_table(fb, rl_fb_item_table(fb, segments, index));
    const uint32_t offset_field = rl_fb_table_field(fb, &table, RL_PTE_segment_offset, 8);
    const uint32_t size_field = rl_fb_table_field(fb, &table, RL_PTE_segment_size, 8);
    if (base == 0 || offset_field == RL_FB_BAD || size_field == RL_FB_BAD) {
        return false;
    }
    const uint32_t room = file_size - base, offset = read_size(fb, offset_field);
    *size = read_size(fb, size_field);
    if (offset > room || *size > room - offset) {
        return false;
    }
    *position = base + offset;
    return true;
}

// The segment that a table names in its first field.
static bool find_named_segment(const struct rl_pte *pte, uint32_t subsegment, uint32_t *position, uint32_t *size)
{
    uint32_t index_field = rl_fb_field(&pte->fb, subsegment, RL_PTE_subsegment_segment_index, 4);
    return index_field != RL_FB_BAD && rl_pte_segment(&pte->fb, &pte->segments, pte->segment_base, pte->file_size,
                                                      rl_fb_u32(&pte->fb, index_field), position, size);
}

// Finds the constants: in a segment, or in the tables themselves.
static const char *read_constants(struct rl_pte *pte, const struct rl_fb_table *root)
{
    const struct rl_flatbuffer *fb = &pte->fb;
    uint32_t subsegment = rl_fb_table_child(fb, root, RL_PTE_program_constant_segment);
    if (!rl_fb_vector(fb, subsegment, RL_PTE_subsegment_offsets, 8, &pte->constants)) {
        return rl_sentence("the list of constants is damaged");
    }
    if (pte->constants.count == 0) {
        pte->constants_inline = true;
        if (!table_vector(fb, root, RL_PTE_program_constant_buffer, 4, &pte->constants)) {
            return rl_sentence("the list of constants is damaged");
        }
        return NULL;
    }
    if (pte->constants.count == 1) {
        return NULL; // entry 0 means that the tensor has no constant; there need not be a segment
    }
    if (!find_named_segment(pte, subsegment, &pte->constants_position, &pte->constants_size)) {
        return rl_sentence("the segment of constants lies outside the file");
    }
    return NULL;
}

const char *rl_pte_open(struct rl_pte *pte, const void *data, size_t size, uint32_t *offset)
{
    *offset = 0;
    memset(pte, 0, sizeof *pte);
    if (size < 2 * RL_PTE_HEADER_BYTES) {
        return rl_sentence("the file is too short for a program");
    }
    if (size > INT32_MAX) {
        return rl_sentence("the file is larger than 2 GiB");
    }
    pte->fb.data = data;
    pte->fb.size = pte->file_size = (uint32_t)size;
    *offset = 4;
    if (!has_mark(&pte->fb, 4, RL_PTE_IDENTIFIER)) {
        return rl_sentence("not an ExecuTorch program (identifier ET12 expected)");
    }
    const char *message = read_header(pte, offset);
    if (message) {
        return message;
    }
    *offset = 0;
    const uint32_t root = rl_fb_root(&pte->fb);
    if (root == 0) {
        return rl_sentence("the root table lies outside the file");
    }
    pte->root = root;
    *offset = root;
    const struct rl_flatbuffer *fb = &pte->fb;
    const struct rl_fb_table table = rl_fb_open_table(fb, root);
    if (rl_fb_u32(fb, rl_fb_table_field(fb, &table, RL_PTE_program_version, 4)) != 0) {
        return rl_sentence("the program has a newer schema version than 0");
    }
    if (!table_vector(fb, &table, RL_PTE_program_execution_plan, 4, &pte->plans)) {
        return rl_sentence("the list of methods is damaged");
    }
    if (!table_vector(fb, &table, RL_PTE_program_segments, 4, &pte->segments)) {
        return rl_sentence("the list of segments is damaged");
    }
    return read_constants(pte, &table);
}

bool rl_pte_constant(const struct rl_pte *pte, uint32_t index, uint32_t *position, uint32_t *available)
{
    if (index == 0 || index >= pte->constants.count) {
        return false;
    }
    if (pte->constants_inline) {
        uint32_t buffer = rl_fb_item_table(&pte->fb, &pte->constants, index);
        struct rl_fb_vector storage;
        if (!rl_fb_vector(&pte->fb, buffer, RL_PTE_buffer_storage, 1, &storage)) {
            return false;
        }
        *position = storage.items;
        *available = storage.count;
        return true;
    }
    uint64_t offset = rl_fb_u64(&pte->fb, pte->constants.items + 8 * index);
    if (offset > pte->constants_size) {
        return false;
    }
    *position = pte->constants_position + (uint32_t)offset;
    *available = pte->constants_size - (uint32_t)offset;
    return true;
}

bool rl_pte_initial(const struct rl_pte *pte, uint32_t set, uint32_t index, uint32_t *position, uint32_t *available)
{
    const struct rl_flatbuffer *fb = &pte->fb;
    struct rl_fb_vector sets, offsets;
    uint32_t segment, size;
    if (!rl_fb_vector(fb, pte->root, RL_PTE_program_mutable_data_segments, 4, &sets)) {
        return false;
    }
    uint32_t table = rl_fb_item_table(fb, &sets, set);
    if (!rl_fb_vector(fb, table, RL_PTE_subsegment_offsets, 8, &offsets) || index >= offsets.count ||
        !find_named_segment(pte, table, &segment, &size)) {
        return false;
    }
    uint64_t offset = rl_fb_u64(fb, offsets.items + 8 * index);
    if (offset > size) {
        return false;
    }
    *position = segment + (uint32_t)offset;
    *available = size - (uint32_t)offset;
    return true;
}

// ---- plan

bool rl_pte_plan(const struct rl_pte *pte, uint32_t index, struct rl_pte_plan *plan)
{
    const struct rl_flatbuffer *fb = &pte->fb;
    struct rl_fb_vector chains, delegates;
    memset(plan, 0, sizeof *plan);
    plan->table = rl_fb_item_table(fb, &pte->plans, index);
    const struct rl_fb_table table = rl_fb_open_table(fb, plan->table);
    bool whole = table_vector(fb, &table, RL_PTE_plan_values, 4, &plan->values) &&
                 table_vector(fb, &table, RL_PTE_plan_inputs, 4, &plan->inputs) &&
                 table_vector(fb, &table, RL_PTE_plan_outputs, 4, &plan->outputs) &&
                 table_vector(fb, &table, RL_PTE_plan_operators, 4, &plan->operators) &&
                 table_vector(fb, &table, RL_PTE_plan_non_const_buffer_sizes, 8, &plan->buffer_sizes) &&
                 table_vector(fb, &table, RL_PTE_plan_chains, 4, &chains) &&
                 table_vector(fb, &table, RL_PTE_plan_delegates, 4, &delegates);
    if (!whole) {
        return false;
    }
    plan->is_plain = chains.count <= 1 && delegates.count == 0;
    if (chains.count == 0) {
        return true;
    }
    return rl_fb_vector(fb, rl_fb_item_table(fb, &chains, 0), RL_PTE_chain_instructions, 4, &plan->instructions);
}

const char *rl_pte_plan_name(const struct rl_pte *pte, const struct rl_pte_plan *plan)
{
    uint32_t length;
    return rl_fb_string(&pte->fb, plan->table, RL_PTE_plan_name, &length);
}

bool rl_pte_operator(const struct rl_pte *pte, const struct rl_pte_plan *plan, uint32_t index, const char **name,
                     uint32_t *name_length, const char **overload, uint32_t *overload_length)
{
    uint32_t table = rl_fb_item_table(&pte->fb, &plan->operators, index);
    *name = rl_fb_string(&pte->fb, table, RL_PTE_operator_name, name_length);
    *overload = rl_fb_string(&pte->fb, table, RL_PTE_operator_overload, overload_length);
    return *name && *overload;
}

// Operands of an instruction that calls nothing: one or two 32-bit fields with the ids 0 and 1.
static bool read_operands(const struct rl_flatbuffer *fb, uint32_t position, struct rl_pte_instruction *out)
{
    const struct rl_fb_table table = rl_fb_open_table(fb, position);
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t field = rl_fb_table_field(fb, &table, i, 4);
        if (field == RL_FB_BAD) {
            return false;
        }
        out->operands[i] = field == RL_FB_ABSENT ? 0 : (int32_t)rl_fb_u32(fb, field);
    }
    return true;
}

bool rl_pte_instruction(const struct rl_pte *pte, const struct rl_pte_plan *plan, uint32_t index,
                        struct rl_pte_instruction *instruction)
{
    const struct rl_flatbuffer *fb = &pte->fb;
    const struct rl_fb_table table = rl_fb_open_table(fb, rl_fb_item_table(fb, &plan->instructions, index));
    uint32_t kind_field = rl_fb_table_field(fb, &table, RL_PTE_instruction_type, 1);
    memset(instruction, 0, sizeof *instruction);
    instruction->kind = rl_fb_u8(fb, kind_field);
    instruction->table = rl_fb_table_child(fb, &table, RL_PTE_instruction_table);
    if (kind_field == RL_FB_BAD || instruction->table == RL_FB_ABSENT || instruction->table == RL_FB_BAD) {
        return false;
    }
    if (instruction->kind != RL_PTE_KERNEL_CALL && instruction->kind != RL_PTE_DELEGATE_CALL) {
        return read_operands(fb, instruction->table, instruction);
    }
    const struct rl_fb_table call = rl_fb_open_table(fb, instruction->table);
    uint32_t op_field = rl_fb_table_field(fb, &call, RL_PTE_kernel_call_op_index, 4);
    instruction->op_index = rl_fb_u32(fb, op_field);
    return op_field != RL_FB_BAD && table_vector(fb, &call, RL_PTE_kernel_call_args, 4, &instruction->arguments);
}

// ---- values

enum rl_pte_kind rl_pte_value(const struct rl_pte *pte, const struct rl_pte_plan *plan, uint32_t index, uint32_t *table)
{
    const struct rl_flatbuffer *fb = &pte->fb;
    const struct rl_fb_table value = rl_fb_open_table(fb, rl_fb_item_table(fb, &plan->values, index));
    uint32_t kind = rl_fb_u8(fb, rl_fb_table_field(fb, &value, RL_PTE_value_type, 1));
    *table = rl_fb_table_child(fb, &value, RL_PTE_value_table);
    if (*table == RL_FB_ABSENT || *table == RL_FB_BAD || kind > RL_PTE_OPTIONAL_TENSOR_LIST) {
        return RL_PTE_INVALID;
    }
    return (enum rl_pte_kind)kind;
}

static uint32_t item_field(const struct rl_pte *pte, uint32_t table, uint32_t width)
{
    return rl_fb_field(&pte->fb, table, RL_PTE_payload_item, width);
}

int64_t rl_pte_int(const struct rl_pte *pte, uint32_t table)
{
    return (int64_t)rl_fb_u64(&pte->fb, item_field(pte, table, 8));
}

bool rl_pte_bool(const struct rl_pte *pte, uint32_t table)
{
    return rl_fb_u8(&pte->fb, item_field(pte, table, 1)) != 0;
}

double rl_pte_double(const struct rl_pte *pte, uint32_t table)
{
    return rl_fb_f64(&pte->fb, item_field(pte, table, 8));
}

const char *rl_pte_string(const struct rl_pte *pte, uint32_t table, uint32_t *length)
{
    return rl_fb_string(&pte->fb, table, RL_PTE_payload_item, length);
}

bool rl_pte_list(const struct rl_pte *pte, uint32_t table, uint32_t item_width, struct rl_fb_vector *items)
{
    return rl_fb_vector(&pte->fb, table, RL_PTE_payload_item, item_width, items);
}

int32_t rl_pte_item_i32(const struct rl_pte *pte, const struct rl_fb_vector *vector, uint32_t index)
{
    return index < vector->count ? (int32_t)rl_fb_u32(&pte->fb, vector->items + 4 * index) : 0;
}

int64_t rl_pte_item_i64(const struct rl_pte *pte, const struct rl_fb_vector *vector, uint32_t index)
{
    return index < vector->count ? (int64_t)rl_fb_u64(&pte->fb, vector->items + 8 * index) : 0;
}

// A scalar field of at most four bytes; 0 when it is left out. A damaged one makes the whole table bad.
static uint32_t number(const struct rl_flatbuffer *fb, struct rl_fb_table *table, uint32_t id, uint32_t width)
{
    uint32_t field = rl_fb_table_field(fb, table, id, width);
    if (field == RL_FB_BAD) {
        *table = (struct rl_fb_table){.position = RL_FB_BAD};
    }
    if (field == RL_FB_BAD || field == RL_FB_ABSENT) {
        return 0;
    }
    return width == 1 ? rl_fb_u8(fb, field) : rl_fb_u32(fb, field);
}

static bool read_allocation(const struct rl_flatbuffer *fb, uint32_t position, struct rl_pte_tensor *tensor)
{
    if (position == RL_FB_ABSENT) {
        return true;
    }
    struct rl_fb_table allocation = rl_fb_open_table(fb, position);
    uint32_t low = number(fb, &allocation, RL_PTE_allocation_memory_offset_low, 4);
    uint32_t high = number(fb, &allocation, RL_PTE_allocation_memory_offset_high, 4);
    tensor->planned = true;
    tensor->memory_id = number(fb, &allocation, RL_PTE_allocation_memory_id, 4);
    tensor->memory_offset = (uint64_t)high << 32 | low;
    return allocation.position != RL_FB_BAD;
}

bool rl_pte_tensor(const struct rl_pte *pte, uint32_t table, struct rl_pte_tensor *tensor)
{
    const struct rl_flatbuffer *fb = &pte->fb;
    struct rl_fb_table opened = rl_fb_open_table(fb, table);
    memset(tensor, 0, sizeof *tensor);
    tensor->dtype = (uint8_t)number(fb, &opened, RL_PTE_tensor_scalar_type, 1);
    tensor->dynamism = (uint8_t)number(fb, &opened, RL_PTE_tensor_shape_dynamism, 1);
    tensor->storage_offset = (int32_t)number(fb, &opened, RL_PTE_tensor_storage_offset, 4);
    tensor->constant = number(fb, &opened, RL_PTE_tensor_data_buffer_idx, 4);
    uint32_t extra = rl_fb_table_child(fb, &opened, RL_PTE_tensor_extra_tensor_info);
    if (extra != RL_FB_ABSENT) {
        struct rl_fb_table info = rl_fb_open_table(fb, extra);
        tensor->external = number(fb, &info, RL_PTE_extra_location, 1) != 0;
        tensor->mutable_set = number(fb, &info, RL_PTE_extra_mutable_data_segments_idx, 4);
        if (tensor->external) {
            tensor->key = rl_fb_string(fb, extra, RL_PTE_extra_fully_qualified_name, &tensor->key_length);
        }
        if (info.position == RL_FB_BAD) {
            return false;
        }
    }
    return read_allocation(fb, rl_fb_table_child(fb, &opened, RL_PTE_tensor_allocation_info), tensor) &&
           table_vector(fb, &opened, RL_PTE_tensor_sizes, 4, &tensor->sizes) &&
           table_vector(fb, &opened, RL_PTE_tensor_dim_order, 1, &tensor->dim_order);
}
