// SPDX-License-Identifier: Apache-2.0
#include "format/pte_writer.h"
#include "format/checksum.h"

#include <stdlib.h>
#include <string.h>

#include "format/flatbuffer_builder.h"
#include "format/pte_description.h"

// Data of tensors, which become a segment of the file.
struct part {
    const struct rl_pte_constant_description *items;
    int count;
    uint64_t *offsets; // count + 1 of them; the first one is not used by any tensor
    uint64_t bytes;
};

struct writer {
    struct rl_fbb fbb;
    const struct rl_pte_description *description;
    uint32_t *references; // of the vector of tables that is being collected
    size_t reference_capacity;
    struct part constants, initials;
    size_t name_bytes;
};

// ---- values

static uint32_t write_payload(struct rl_fbb *fbb, uint32_t width, uint64_t bits)
{
    rl_fbb_scalar(fbb, RL_PTE_payload_item, width, bits);
    return rl_fbb_end(fbb);
}

static uint32_t write_list(struct rl_fbb *fbb, uint32_t vector)
{
    rl_fbb_reference(fbb, RL_PTE_payload_item, vector);
    return rl_fbb_end(fbb);
}

// Lists of ints are stored as 64-bit indices of values, unlike all other indices.
static uint32_t write_int_list(struct rl_fbb *fbb, const struct rl_pte_value_description *value)
{
    if (value->count == 0) {
        return write_list(fbb, rl_fbb_vector(fbb, NULL, 0, 8));
    }
    size_t bytes = (size_t)value->count * sizeof(int64_t);
    int64_t *wide = fbb->failed ? NULL : fbb->reallocate(fbb->user, NULL, 0, bytes);
    if (!wide) {
        fbb->failed = true;
        return 0;
    }
    for (int i = 0; i < value->count; i++) {
        wide[i] = value->as.indices[i];
    }
    uint32_t vector = rl_fbb_vector(fbb, wide, (uint32_t)value->count, 8);
    fbb->reallocate(fbb->user, wide, bytes, 0);
    return write_list(fbb, vector);
}

static uint32_t write_allocation(struct rl_fbb *fbb, const struct rl_pte_tensor_description *tensor)
{
    if (tensor->memory_id == 0) {
        return 0;
    }
    rl_fbb_scalar(fbb, RL_PTE_allocation_memory_id, 4, tensor->memory_id);
    rl_fbb_scalar(fbb, RL_PTE_allocation_memory_offset_low, 4, (uint32_t)tensor->memory_offset);
    rl_fbb_scalar(fbb, RL_PTE_allocation_memory_offset_high, 4, tensor->memory_offset >> 32);
    return rl_fbb_end(fbb);
}

static uint32_t write_tensor(struct rl_fbb *fbb, const struct rl_pte_tensor_description *tensor)
{
    uint32_t sizes = rl_fbb_vector(fbb, tensor->sizes, (uint32_t)tensor->rank, 4);
    uint32_t dim_order = rl_fbb_vector(fbb, tensor->dim_order, (uint32_t)tensor->rank, 1);
    uint32_t allocation = write_allocation(fbb, tensor);
    rl_fbb_scalar(fbb, RL_PTE_tensor_scalar_type, 1, (uint8_t)tensor->dtype);
    rl_fbb_reference(fbb, RL_PTE_tensor_sizes, sizes);
    rl_fbb_reference(fbb, RL_PTE_tensor_dim_order, dim_order);
    rl_fbb_scalar(fbb, RL_PTE_tensor_data_buffer_idx, 4, tensor->initial != 0 ? tensor->initial : tensor->constant);
    rl_fbb_reference(fbb, RL_PTE_tensor_allocation_info, allocation);
    return rl_fbb_end(fbb);
}

static uint32_t write_value_table(struct rl_fbb *fbb, const struct rl_pte_value_description *value)
{
    uint64_t bits;
    switch (value->kind) {
    case RL_PTE_INT:
        return write_payload(fbb, 8, (uint64_t)value->as.integer);
    case RL_PTE_BOOL:
        return write_payload(fbb, 1, value->as.boolean ? 1 : 0);
    case RL_PTE_DOUBLE:
        memcpy(&bits, &value->as.number, sizeof bits);
        return write_payload(fbb, 8, bits);
    case RL_PTE_TENSOR:
        return write_tensor(fbb, &value->as.tensor);
    case RL_PTE_STRING:
        return write_list(fbb, rl_fbb_string(fbb, value->as.string));
    case RL_PTE_INT_LIST:
        return write_int_list(fbb, value);
    case RL_PTE_DOUBLE_LIST:
        return write_list(fbb, rl_fbb_vector(fbb, value->as.numbers, (uint32_t)value->count, 8));
    case RL_PTE_BOOL_LIST:
        return write_list(fbb, rl_fbb_vector(fbb, value->as.booleans, (uint32_t)value->count, 1));
    case RL_PTE_TENSOR_LIST:
    case RL_PTE_OPTIONAL_TENSOR_LIST:
        return write_list(fbb, rl_fbb_vector(fbb, value->as.indices, (uint32_t)value->count, 4));
    case RL_PTE_NULL:
    case RL_PTE_INVALID:
        break;
    }
    return rl_fbb_end(fbb); // Null has no field
}

// ---- methods

static uint32_t write_values(struct writer *writer, const struct rl_pte_method_description *method)
{
    struct rl_fbb *fbb = &writer->fbb;
    for (int i = 0; i < method->value_count; i++) {
        uint32_t table = write_value_table(fbb, &method->values[i]);
        rl_fbb_scalar(fbb, RL_PTE_value_type, 1, method->values[i].kind);
        rl_fbb_reference(fbb, RL_PTE_value_table, table);
        writer->references[i] = rl_fbb_end(fbb);
    }
    return rl_fbb_references(fbb, writer->references, (uint32_t)method->value_count);
}

static uint32_t write_operators(struct writer *writer, const struct rl_pte_method_description *method)
{
    struct rl_fbb *fbb = &writer->fbb;
    for (int i = 0; i < method->operator_count; i++) {
        uint32_t name = rl_fbb_string(fbb, method->operators[i].name);
        uint32_t overload = rl_fbb_string(fbb, method->operators[i].overload);
        rl_fbb_reference(fbb, RL_PTE_operator_name, name);
        rl_fbb_reference(fbb, RL_PTE_operator_overload, overload);
        writer->references[i] = rl_fbb_end(fbb);
    }
    return rl_fbb_references(fbb, writer->references, (uint32_t)method->operator_count);
}

// The names of the instructions as stack traces of one frame each (format/pte_names.h).
static uint32_t write_names(struct writer *writer, const struct rl_pte_method_description *method)
{
    struct rl_fbb *fbb = &writer->fbb;
    const size_t used = fbb->used;
    for (int i = 0; i < method->instruction_count; i++) {
        const struct rl_pte_name_description *name = &method->names[i];
        const uint32_t layer = name->layer ? rl_fbb_string(fbb, name->layer) : 0;
        const uint32_t node = name->node ? rl_fbb_string(fbb, name->node) : 0;
        rl_fbb_reference(fbb, RL_PTE_frame_name, layer);
        rl_fbb_reference(fbb, RL_PTE_frame_context, node);
        const uint32_t frame = rl_fbb_end(fbb);
        const uint32_t frames = rl_fbb_references(fbb, &frame, 1);
        rl_fbb_reference(fbb, RL_PTE_frame_list_items, frames);
        writer->references[i] = rl_fbb_end(fbb);
    }
    const uint32_t names = rl_fbb_references(fbb, writer->references, (uint32_t)method->instruction_count);
    writer->name_bytes += fbb->used - used;
    return names;
}

static uint32_t write_chains(struct writer *writer, const struct rl_pte_method_description *method)
{
    struct rl_fbb *fbb = &writer->fbb;
    for (int i = 0; i < method->instruction_count; i++) {
        const struct rl_pte_instruction_description *instruction = &method->instructions[i];
        uint32_t args = rl_fbb_vector(fbb, instruction->args, (uint32_t)instruction->arg_count, 4);
        rl_fbb_scalar(fbb, RL_PTE_kernel_call_op_index, 4, (uint32_t)instruction->op_index);
        rl_fbb_reference(fbb, RL_PTE_kernel_call_args, args);
        uint32_t call = rl_fbb_end(fbb);
        rl_fbb_scalar(fbb, RL_PTE_instruction_type, 1, RL_PTE_KERNEL_CALL);
        rl_fbb_reference(fbb, RL_PTE_instruction_table, call);
        writer->references[i] = rl_fbb_end(fbb);
    }
    uint32_t instructions = rl_fbb_references(fbb, writer->references, (uint32_t)method->instruction_count);
    uint32_t names = method->names ? write_names(writer, method) : 0;
    uint32_t none = rl_fbb_vector(fbb, NULL, 0, 4);
    rl_fbb_reference(fbb, RL_PTE_chain_inputs, none);
    rl_fbb_reference(fbb, RL_PTE_chain_outputs, none);
    rl_fbb_reference(fbb, RL_PTE_chain_instructions, instructions);
    rl_fbb_reference(fbb, RL_PTE_chain_stacktrace, names);
    uint32_t chain = rl_fbb_end(fbb);
    return rl_fbb_references(fbb, &chain, 1);
}

static uint32_t write_container(struct rl_fbb *fbb, const struct rl_pte_method_description *method)
{
    uint32_t input = rl_fbb_string(fbb, method->input_tree ? method->input_tree : "");
    uint32_t output = rl_fbb_string(fbb, method->output_tree ? method->output_tree : "");
    rl_fbb_reference(fbb, RL_PTE_container_encoded_inp_str, input);
    rl_fbb_reference(fbb, RL_PTE_container_encoded_out_str, output);
    return rl_fbb_end(fbb);
}

// Sizes of the planned buffers after the unused entry 0.
static uint32_t write_buffer_sizes(struct rl_fbb *fbb, const struct rl_pte_method_description *method)
{
    size_t bytes = (size_t)(method->buffer_count + 1) * sizeof(int64_t);
    int64_t *sizes = fbb->failed ? NULL : fbb->reallocate(fbb->user, NULL, 0, bytes);
    if (!sizes) {
        fbb->failed = true;
        return 0;
    }
    sizes[0] = 0;
    for (int i = 0; i < method->buffer_count; i++) {
        sizes[i + 1] = method->buffer_sizes[i];
    }
    uint32_t vector = rl_fbb_vector(fbb, sizes, (uint32_t)method->buffer_count + 1, 8);
    fbb->reallocate(fbb->user, sizes, bytes, 0);
    return vector;
}

static uint32_t write_method(struct writer *writer, const struct rl_pte_method_description *method)
{
    struct rl_fbb *fbb = &writer->fbb;
    uint32_t values = write_values(writer, method);
    uint32_t operators = write_operators(writer, method);
    uint32_t chains = write_chains(writer, method);
    uint32_t inputs = rl_fbb_vector(fbb, method->inputs, (uint32_t)method->input_count, 4);
    uint32_t outputs = rl_fbb_vector(fbb, method->outputs, (uint32_t)method->output_count, 4);
    uint32_t sizes = write_buffer_sizes(fbb, method);
    uint32_t container = write_container(fbb, method);
    uint32_t none = rl_fbb_references(fbb, NULL, 0);
    uint32_t name = rl_fbb_string(fbb, method->name);
    rl_fbb_reference(fbb, RL_PTE_plan_name, name);
    rl_fbb_reference(fbb, RL_PTE_plan_container_meta_type, container);
    rl_fbb_reference(fbb, RL_PTE_plan_values, values);
    rl_fbb_reference(fbb, RL_PTE_plan_inputs, inputs);
    rl_fbb_reference(fbb, RL_PTE_plan_outputs, outputs);
    rl_fbb_reference(fbb, RL_PTE_plan_chains, chains);
    rl_fbb_reference(fbb, RL_PTE_plan_operators, operators);
    rl_fbb_reference(fbb, RL_PTE_plan_delegates, none);
    rl_fbb_reference(fbb, RL_PTE_plan_non_const_buffer_sizes, sizes);
    return rl_fbb_end(fbb);
}

// ---- program

static uint64_t align_up(uint64_t bytes)
{
    return (bytes + RL_PTE_ALIGNMENT - 1) / RL_PTE_ALIGNMENT * RL_PTE_ALIGNMENT;
}

// Fills in the part's offsets and size. Its data lie behind one another, aligned.
static void place_part(struct part *part)
{
    uint64_t end = 0;
    part->offsets[0] = 0;
    for (int i = 0; i < part->count; i++) {
        part->offsets[i + 1] = align_up(end);
        end = align_up(end) + part->items[i].size;
    }
    part->bytes = end;
}

// Where the first values lie behind the end of the tables.
static uint64_t initials_offset(const struct writer *writer)
{
    return writer->initials.bytes > 0 ? align_up(writer->constants.bytes) : 0;
}

static uint64_t segments_bytes(const struct writer *writer)
{
    return writer->initials.bytes > 0 ? initials_offset(writer) + writer->initials.bytes : writer->constants.bytes;
}

static uint32_t write_segments(struct writer *writer)
{
    struct rl_fbb *fbb = &writer->fbb;
    uint32_t segments[2];
    uint32_t count = 0;
    if (writer->constants.bytes > 0) {
        rl_fbb_scalar(fbb, RL_PTE_segment_size, 8, writer->constants.bytes);
        segments[count++] = rl_fbb_end(fbb);
    }
    if (writer->initials.bytes > 0) {
        rl_fbb_scalar(fbb, RL_PTE_segment_offset, 8, initials_offset(writer));
        rl_fbb_scalar(fbb, RL_PTE_segment_size, 8, writer->initials.bytes);
        segments[count++] = rl_fbb_end(fbb);
    }
    return rl_fbb_references(fbb, segments, count);
}

static uint32_t write_subsegment(struct rl_fbb *fbb, const struct part *part, uint32_t segment)
{
    uint32_t offsets = rl_fbb_vector(fbb, part->offsets, (uint32_t)part->count + 1, 8);
    rl_fbb_scalar(fbb, RL_PTE_subsegment_segment_index, 4, segment);
    rl_fbb_reference(fbb, RL_PTE_subsegment_offsets, offsets);
    return rl_fbb_end(fbb);
}

static bool write_tables(struct writer *writer)
{
    const struct rl_pte_description *description = writer->description;
    struct rl_fbb *fbb = &writer->fbb;
    uint32_t *methods = writer->references + writer->reference_capacity - (size_t)description->method_count;
    for (int i = 0; i < description->method_count; i++) {
        methods[i] = write_method(writer, &description->methods[i]);
    }
    uint32_t plans = rl_fbb_references(fbb, methods, (uint32_t)description->method_count);
    uint32_t constant_segment = write_subsegment(fbb, &writer->constants, 0);
    uint32_t initial_sets = 0;
    if (writer->initials.bytes > 0) {
        uint32_t set = write_subsegment(fbb, &writer->initials, writer->constants.bytes > 0 ? 1 : 0);
        initial_sets = rl_fbb_references(fbb, &set, 1);
    }
    uint32_t segments = write_segments(writer);
    uint32_t none = rl_fbb_references(fbb, NULL, 0);
    rl_fbb_reference(fbb, RL_PTE_program_execution_plan, plans);
    rl_fbb_reference(fbb, RL_PTE_program_constant_buffer, none);
    rl_fbb_reference(fbb, RL_PTE_program_backend_delegate_data, none);
    rl_fbb_reference(fbb, RL_PTE_program_segments, segments);
    rl_fbb_reference(fbb, RL_PTE_program_constant_segment, constant_segment);
    rl_fbb_reference(fbb, RL_PTE_program_mutable_data_segments, initial_sets);
    return rl_fbb_finish(fbb, rl_fbb_end(fbb), RL_PTE_IDENTIFIER);
}

static void store(uint8_t *bytes, uint64_t number, size_t width)
{
    for (size_t i = 0; i < width; i++) {
        bytes[i] = (uint8_t)(number >> (8 * i));
    }
}

static void copy_part(const struct part *part, uint8_t *segment)
{
    for (int i = 0; i < part->count; i++) {
        if (part->items[i].size > 0) {
            memcpy(segment + part->offsets[i + 1], part->items[i].data, part->items[i].size);
        }
    }
}

// The file: tables with the extended header put in after the identifier, then the constants and first values.
static uint8_t *assemble(struct writer *writer, size_t *size)
{
    struct rl_fbb *fbb = &writer->fbb;
    const uint8_t *tables = fbb->block + fbb->capacity - fbb->used;
    size_t program_size = fbb->used + RL_PTE_CHECKED_HEADER_BYTES;
    const uint64_t bytes = segments_bytes(writer);
    *size = program_size + (size_t)bytes;
    uint8_t *file = fbb->reallocate(fbb->user, NULL, 0, *size);
    if (!file) {
        return NULL;
    }
    memset(file + program_size, 0, *size - program_size);
    memcpy(file, tables, RL_PTE_HEADER_OFFSET);
    memset(file + RL_PTE_HEADER_OFFSET, 0, RL_PTE_CHECKED_HEADER_BYTES);
    memcpy(file + RL_PTE_HEADER_OFFSET + RL_PTE_CHECKED_HEADER_BYTES, tables + RL_PTE_HEADER_OFFSET,
           fbb->used - RL_PTE_HEADER_OFFSET);
    // The root offset is the only one that crosses the header.
    uint32_t root =
        (uint32_t)tables[0] | (uint32_t)tables[1] << 8 | (uint32_t)tables[2] << 16 | (uint32_t)tables[3] << 24;
    uint8_t *header = file + RL_PTE_HEADER_OFFSET;
    store(file, root + RL_PTE_CHECKED_HEADER_BYTES, 4);
    memcpy(header, RL_PTE_HEADER_MAGIC, 4);
    store(header + 4, RL_PTE_CHECKED_HEADER_BYTES, 4);
    store(header + 8, program_size, 8);
    store(header + 16, bytes > 0 ? program_size : 0, 8);
    store(header + 24, bytes, 8);
    copy_part(&writer->constants, file + program_size);
    copy_part(&writer->initials, file + program_size + initials_offset(writer));
    memcpy(file + RL_PTE_MARK_OFFSET, RL_PTE_CHECKSUM_MARK, 4);
    store(file + RL_PTE_CHECKSUM_OFFSET, rl_pte_checksum(file, (uint32_t)*size), 4);
    return file;
}

// References needed at once: those of one method's longest vector and, behind them, of the methods.
static size_t count_references(const struct rl_pte_description *description)
{
    int most = 0;
    for (int i = 0; i < description->method_count; i++) {
        const struct rl_pte_method_description *method = &description->methods[i];
        int counts[3] = {method->value_count, method->operator_count, method->instruction_count};
        for (int k = 0; k < 3; k++) {
            most = counts[k] > most ? counts[k] : most;
        }
    }
    return (size_t)most + (size_t)description->method_count;
}

static void *reallocate_with_c_library(void *user, void *block, size_t old_size, size_t new_size)
{
    (void)user;
    (void)old_size;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    return realloc(block, new_size);
}

enum rl_status rl_pte_write(const struct rl_pte_description *description, const struct rl_pte_allocator *allocator,
                            uint8_t **file, size_t *size, const char **message)
{
    *file = NULL;
    *size = 0;
    *message = rl_pte_check_description(description);
    if (*message) {
        return RL_ERROR_ARGUMENT;
    }
    struct writer writer = {.description = description,
                            .reference_capacity = count_references(description),
                            .constants = {.items = description->constants, .count = description->constant_count},
                            .initials = {.items = description->initials, .count = description->initial_count}};
    struct rl_fbb *fbb = &writer.fbb;
    fbb->reallocate = allocator ? allocator->reallocate : reallocate_with_c_library;
    fbb->user = allocator ? allocator->user : NULL;
    size_t reference_bytes = (writer.reference_capacity + 1) * sizeof *writer.references;
    size_t offset_count = (size_t)description->constant_count + 1 + (size_t)description->initial_count + 1;
    size_t offset_bytes = offset_count * sizeof(uint64_t);
    writer.references = fbb->reallocate(fbb->user, NULL, 0, reference_bytes);
    uint64_t *offsets = fbb->reallocate(fbb->user, NULL, 0, offset_bytes);
    if (writer.references && offsets) {
        writer.constants.offsets = offsets;
        writer.initials.offsets = offsets + description->constant_count + 1;
        place_part(&writer.constants);
        place_part(&writer.initials);
        if (write_tables(&writer) && fbb->used + segments_bytes(&writer) < INT32_MAX) {
            *file = assemble(&writer, size);
        }
    }
    if (writer.references) {
        fbb->reallocate(fbb->user, writer.references, reference_bytes, 0);
    }
    if (offsets) {
        fbb->reallocate(fbb->user, offsets, offset_bytes, 0);
    }
    rl_fbb_free(fbb);
    if (*file) {
        if (description->name_bytes) {
            *description->name_bytes = writer.name_bytes;
        }
        return RL_OK;
    }
    *message = "no memory left to write the program";
    return RL_ERROR_OUT_OF_MEMORY;
}
