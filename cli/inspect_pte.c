// SPDX-License-Identifier: Apache-2.0
//
// A program as in its file: values, calls and the places of tensors. No operator is run.
#include <stdio.h>
#include <string.h>

#include "cli/inspect.h"
#include "compiler/data/array.h"
#include "compiler/emit/interface.h"
#include "format/pte_reader.h"
#include "ops/ops.h"
#include "rushlight/registry.h"
#include "rushlight/runtime.h"

static const char *memory_kind(const struct rl_pte_tensor *tensor)
{
    if (tensor->planned) {
        return "planned";
    }
    if (tensor->external) {
        return "external";
    }
    return tensor->constant > 0 ? "constant" : "unplanned";
}

static json_t *tensor_json(const struct rl_cli_file *file, uint32_t value, const struct rl_pte_tensor *tensor)
{
    json_t *shape = json_array(), *order = json_array();
    json_int_t bytes = (json_int_t)rl_scalar_size(tensor->dtype);

    for (uint32_t i = 0; i < tensor->sizes.count; i++) {
        int32_t size = rl_pte_item_i32(file->pte, &tensor->sizes, i);
        bytes *= size;
        json_array_append_new(shape, json_integer(size));
    }
    for (uint32_t i = 0; i < tensor->dim_order.count; i++) {
        json_array_append_new(order, json_integer(rl_fb_u8(&file->pte->fb, tensor->dim_order.items + i)));
    }
    json_t *object =
        json_pack("{s:I, s:s, s:o, s:o, s:I, s:s}", "value", (json_int_t)value, "dtype", rl_dtype_name(tensor->dtype),
                  "shape", shape, "dim_order", order, "bytes", bytes, "kind", memory_kind(tensor));
    if (tensor->dynamism != RL_PTE_SHAPE_STATIC) {
        json_object_set_new(object, "at_most", json_true()); // its sizes may be smaller
    }
    if (tensor->planned) {
        json_object_set_new(object, "memory", json_integer(tensor->memory_id));
        json_object_set_new(object, "offset", json_integer((json_int_t)tensor->memory_offset));
        json_object_set_new(object, "initial_value", json_boolean(tensor->constant > 0));
    } else if (tensor->external) {
        json_object_set_new(object, "key", json_string(tensor->key ? tensor->key : ""));
    } else if (tensor->constant > 0) {
        json_object_set_new(object, "constant", json_integer(tensor->constant));
    }
    return object;
}

// The tensor description of a value, or NULL when it is not a tensor.
static json_t *describe_value(const struct rl_cli_file *file, uint32_t value)
{
    struct rl_pte_tensor tensor;
    uint32_t table;

    if (rl_pte_value(file->pte, &file->plan, value, &table) != RL_PTE_TENSOR ||
        !rl_pte_tensor(file->pte, table, &tensor)) {
        return NULL;
    }
    return tensor_json(file, value, &tensor);
}

static uint32_t item_width(enum rl_pte_kind kind)
{
    switch (kind) {
    case RL_PTE_BOOL_LIST:
        return 1;
    case RL_PTE_INT_LIST:
    case RL_PTE_DOUBLE_LIST:
        return 8;
    default:
        return 4;
    }
}

static json_t *list_items(const struct rl_cli_file *file, enum rl_pte_kind kind, uint32_t table)
{
    json_t *list = json_array();
    struct rl_fb_vector items;

    rl_pte_list(file->pte, table, item_width(kind), &items);
    for (uint32_t i = 0; i < items.count; i++) {
        uint32_t value;
        if (kind == RL_PTE_INT_LIST) {
            rl_pte_value(file->pte, &file->plan, (uint32_t)rl_pte_item_i64(file->pte, &items, i), &value);
            json_array_append_new(list, json_integer(rl_pte_int(file->pte, value)));
        } else if (kind == RL_PTE_DOUBLE_LIST) {
            json_array_append_new(list, json_real(rl_fb_f64(&file->pte->fb, items.items + 8 * i)));
        } else if (kind == RL_PTE_BOOL_LIST) {
            json_array_append_new(list, json_boolean(rl_fb_u8(&file->pte->fb, items.items + i)));
        } else {
            json_array_append_new(list, json_sprintf("%%%d", (int)rl_pte_item_i32(file->pte, &items, i)));
        }
    }
    return list;
}

// An argument for readers: numbers and lists by their values, tensors as "%index".
static json_t *argument_json(const struct rl_cli_file *file, uint32_t value)
{
    uint32_t table;
    uint32_t length;
    enum rl_pte_kind kind = rl_pte_value(file->pte, &file->plan, value, &table);

    switch (kind) {
    case RL_PTE_NULL:
        return json_null();
    case RL_PTE_INT:
        return json_integer(rl_pte_int(file->pte, table));
    case RL_PTE_BOOL:
        return json_boolean(rl_pte_bool(file->pte, table));
    case RL_PTE_DOUBLE: {
        json_t *number = json_real(rl_pte_double(file->pte, table));
        return number ? number : json_sprintf("%g", rl_pte_double(file->pte, table));
    }
    case RL_PTE_STRING: {
        const char *text = rl_pte_string(file->pte, table, &length);
        json_t *string = text ? json_stringn(text, length) : NULL;
        return string ? string : json_null();
    }
    case RL_PTE_TENSOR:
        return json_sprintf("%%%u", (unsigned)value);
    case RL_PTE_INVALID:
        return json_null();
    default:
        return list_items(file, kind, table);
    }
}

static const char *kind_name(enum rl_pte_kind kind)
{
    switch (kind) {
    case RL_PTE_INT:
        return "int";
    case RL_PTE_DOUBLE:
        return "float";
    case RL_PTE_BOOL:
        return "bool";
    case RL_PTE_STRING:
        return "string";
    case RL_PTE_NULL:
        return "None";
    default:
        return "list";
    }
}

// A value that is not a tensor, with its number if the method computes nothing.
static json_t *number_json(const struct rl_cli_file *file, uint32_t value)
{
    uint32_t table;
    enum rl_pte_kind kind = rl_pte_value(file->pte, &file->plan, value, &table);
    json_t *object = json_pack("{s:I, s:s}", "value", (json_int_t)value, "kind", kind_name(kind));

    if (file->plan.instructions.count == 0) {
        json_object_set_new(object, "is", argument_json(file, value));
    }
    return object;
}

// Inputs or outputs ("input", "output"), with the grid of those that are int8 where it is known.
static json_t *list_interface(const struct rl_cli_file *file, const struct rl_program *program, const char *side,
                              const struct rl_fb_vector *indices)
{
    json_t *list = json_array();
    struct rl_io_grid grid;

    for (uint32_t i = 0; i < indices->count; i++) {
        uint32_t value = (uint32_t)rl_pte_item_i32(file->pte, indices, i);
        json_t *tensor = describe_value(file, value);
        tensor = tensor ? tensor : number_json(file, value);
        const char *dtype = json_string_value(json_object_get(tensor, "dtype"));
        if (dtype && strcmp(dtype, "int8") == 0 && rl_interface_grid(program, side, (int)i, &grid)) {
            json_object_set_new(tensor, "scale", json_real(grid.scale));
            json_object_set_new(tensor, "zero_point", json_integer(grid.zero_point));
        }
        json_array_append_new(list, tensor);
    }
    return list;
}

static bool touches_float(const struct rl_cli_file *file, const struct rl_fb_vector *arguments)
{
    for (uint32_t i = 0; i < arguments->count; i++) {
        struct rl_pte_tensor tensor;
        uint32_t table;
        uint32_t value = (uint32_t)rl_pte_item_i32(file->pte, arguments, i);
        if (rl_pte_value(file->pte, &file->plan, value, &table) == RL_PTE_TENSOR &&
            rl_pte_tensor(file->pte, table, &tensor) && tensor.dtype == RL_FLOAT32) {
            return true;
        }
    }
    return false;
}

// An instruction that calls no operator of the registry.
static json_t *control_json(const struct rl_pte_instruction *instruction)
{
    const int from = instruction->operands[0], to = instruction->operands[1];

    switch (instruction->kind) {
    case RL_PTE_MOVE_CALL:
        return json_pack("{s:s, s:[o, o]}", "op", "move", "args", json_sprintf("%%%d", from), json_sprintf("%%%d", to));
    case RL_PTE_JUMP_FALSE_CALL:
        return json_pack("{s:s, s:[o, i]}", "op", "jump_false", "args", json_sprintf("%%%d", from), to);
    case RL_PTE_FREE_CALL:
        return json_pack("{s:s, s:[o]}", "op", "free", "args", json_sprintf("%%%d", from));
    default:
        return json_pack("{s:s, s:[]}", "op", "delegate", "args");
    }
}

// Adds a tensor, or those of a list, to `list`; false for other values.
static bool add_tensors(const struct rl_cli_file *file, uint32_t value, json_t *list)
{
    uint32_t table;
    struct rl_fb_vector items;
    const enum rl_pte_kind kind = rl_pte_value(file->pte, &file->plan, value, &table);

    if (kind == RL_PTE_TENSOR) {
        json_array_append_new(list, json_integer(value));
        return true;
    }
    if (kind != RL_PTE_TENSOR_LIST && kind != RL_PTE_OPTIONAL_TENSOR_LIST) {
        return false;
    }
    rl_pte_list(file->pte, table, 4, &items);
    for (uint32_t i = 0; i < items.count; i++) {
        const int32_t item = rl_pte_item_i32(file->pte, &items, i);
        if (item >= 0) { // None is -1
            json_array_append_new(list, json_integer(item));
        }
    }
    return true;
}

// The tensors that a call reads and those that it gives, and its numbers by the names of the schema. Of an operator
// that is not known, the last tensor is its result.
static void describe_roles(const struct rl_cli_file *file, const char *name, const char *overload,
                           const struct rl_fb_vector *arguments, json_t *call)
{
    enum rl_op_id id;
    const struct rl_op *op = rl_op_find_out(name, overload, &id) ? rl_op_get(id) : NULL;
    const uint32_t count = arguments->count;
    const uint32_t results_begin = op ? (uint32_t)op->arg_count : count - (count > 0);
    json_t *reads = json_array(), *results = json_array(), *numbers = json_object();

    // The last argument is what the call returns, which is one of the others once more.
    for (uint32_t i = 0; i < count && (i + 1 < count || !op); i++) {
        const uint32_t value = (uint32_t)rl_pte_item_i32(file->pte, arguments, i);
        const bool is_read = i < results_begin;
        if (!add_tensors(file, value, is_read ? reads : results) && op && is_read) {
            json_object_set_new(numbers, op->args[i].name, argument_json(file, value));
        }
    }
    json_object_set_new(call, "reads", reads);
    json_object_set_new(call, "results", results);
    json_object_set_new(call, "numbers", numbers);
}

static json_t *text_or_null(const char *text)
{
    return text ? json_string(text) : json_null();
}

static json_t *call_json(const struct rl_cli_file *file, uint32_t index, const char *name, const char *overload,
                         const struct rl_fb_vector *arguments)
{
    const struct rl_pte_name origin = rl_pte_names_at(&file->names, index);
    json_t *list = json_array();

    for (uint32_t i = 0; i < arguments->count; i++) {
        json_array_append_new(list, argument_json(file, (uint32_t)rl_pte_item_i32(file->pte, arguments, i)));
    }
    json_t *call = json_pack("{s:s, s:s, s:o, s:I, s:o, s:o}", "op", name, "overload", overload, "args", list, "index",
                             (json_int_t)index, "layer", text_or_null(origin.layer), "node", text_or_null(origin.node));
    json_object_set_new(call, "macs", rl_cli_file_macs(file, name, overload, arguments));
    describe_roles(file, name, overload, arguments, call);
    return call;
}

static bool is_quantized(const char *name, const char *overload)
{
    enum rl_op_id id;
    return rl_op_find_out(name, overload, &id) && rl_op_is_quantized(rl_op_get(id));
}

// Adds the instructions, how often each operator is called, and the calls that compute in floating point.
static void describe_instructions(const struct rl_cli_file *file, json_t *report)
{
    json_t *calls = json_array(), *counts = json_object(), *float_nodes = json_array();

    for (uint32_t i = 0; i < file->plan.instructions.count; i++) {
        struct rl_pte_instruction instruction;
        const char *name, *overload;
        uint32_t name_length, overload_length;
        if (!rl_pte_instruction(file->pte, &file->plan, i, &instruction)) {
            continue;
        }
        if (instruction.kind != RL_PTE_KERNEL_CALL ||
            !rl_pte_operator(file->pte, &file->plan, instruction.op_index, &name, &name_length, &overload,
                             &overload_length)) {
            json_array_append_new(calls, control_json(&instruction));
            continue;
        }
        json_array_append_new(calls, call_json(file, i, name, overload, &instruction.arguments));
        rl_cli_count(counts, name);
        if (!is_quantized(name, overload) && touches_float(file, &instruction.arguments)) {
            json_array_append_new(float_nodes,
                                  json_pack("{s:o, s:s, s:s}", "node", json_sprintf("instruction %u", i), "op", name,
                                            "reason", "a .pte does not record it; 'rushlight compile' tells"));
        }
    }
    json_object_set_new(report, "ops", counts);
    json_object_set_new(report, "instructions", calls);
    json_object_set_new(report, "fp32_nodes", float_nodes);
}

static json_t *list_tensors(const struct rl_cli_file *file)
{
    json_t *tensors = json_array();

    for (uint32_t i = 0; i < file->plan.values.count; i++) {
        json_t *tensor = describe_value(file, i);
        if (tensor) {
            json_array_append_new(tensors, tensor);
        }
    }
    return tensors;
}

static json_t *list_methods(const struct rl_program *program)
{
    json_t *methods = json_array();

    for (uint32_t i = 0; i < rl_program_method_count(program); i++) {
        json_array_append_new(methods, json_string(rl_program_method_name(program, i)));
    }
    return methods;
}

static json_t *list_missing(struct rl_cli *cli, const struct rl_program *program)
{
    const char **names;
    const int count = rl_host_missing_operators(cli->arena, program, &names);
    json_t *list = json_array();

    for (int i = 0; i < count; i++) {
        json_array_append_new(list, json_string(names[i]));
    }
    return list;
}

static json_t *describe_method(const struct rl_cli_file *file, const struct rl_program *program,
                               const struct rl_host_files *files)
{
    json_int_t arena = 0;

    for (uint32_t i = 1; i < file->plan.buffer_sizes.count; i++) {
        arena += rl_pte_item_i64(file->pte, &file->plan.buffer_sizes, i);
    }
    json_t *tensors = list_tensors(file);
    json_t *report =
        json_pack("{s:s, s:s, s:I, s:I, s:I, s:o, s:o}", "file", files->source, "format", "pte", "program_bytes",
                  (json_int_t)files->program_size, "constant_bytes", (json_int_t)file->pte->constants_size,
                  "arena_bytes", arena, "inputs", list_interface(file, program, "input", &file->plan.inputs), "outputs",
                  list_interface(file, program, "output", &file->plan.outputs));
    describe_instructions(file, report);
    json_object_set_new(report, "tensors", tensors);
    json_object_set_new(report, "memory_map", rl_cli_file_memory_map(file, tensors));
    json_object_set_new(report, "values", json_integer(file->plan.values.count));
    json_object_set_new(report, "memory_peak", rl_cli_file_memory_peak(json_object_get(report, "memory_map")));
    return report;
}

// A program with unknown operators can be inspected, and so can one with arguments that an operator refuses here,
// because it may be compiled for another core. The file itself is then valid.
static bool is_readable(enum rl_status status, const struct rl_error *error)
{
    return status == RL_OK || status == RL_ERROR_MISSING_OPERATOR || (error->operator_name && error->offset == 0);
}

static enum rl_status open_program(struct rl_cli *cli, const struct rl_host_files *files, struct rl_program *program)
{
    struct rl_error error = {0};
    enum rl_status status = rl_program_open(program, files->program, files->program_size, &error);

    if (status == RL_OK && files->require_checksum) {
        status = rl_program_require_checksum(program, &error);
    }
    if (status == RL_OK && files->data) {
        status = rl_program_attach(program, files->data, files->data_size, &error);
    }
    if (status == RL_OK) {
        status = rl_program_verify(program, &rl_registry_all, &error);
    }
    if (is_readable(status, &error)) {
        return RL_OK;
    }
    return rl_fail(&cli->context, status, "%s: byte %u: %s", files->source, (unsigned)error.offset, error.message);
}

static const char *describe_checksum(const struct rl_program *program)
{
    const enum rl_status status = rl_program_check(program, NULL);

    if (status == RL_ERROR_UNSUPPORTED) {
        return "none";
    }
    return status == RL_OK ? "right" : "wrong";
}

static json_t *count(uint64_t units)
{
    return json_integer(units < INT64_MAX ? (json_int_t)units : INT64_MAX);
}

// What rl_method_work says; null for a program that does not verify here.
static json_t *describe_work(const struct rl_program *program, uint32_t method)
{
    struct rl_work work;

    if (rl_method_work(program, method, &rl_registry_all, &work, NULL) != RL_OK) {
        return json_null();
    }
    return json_pack("{s:o, s:o, s:o, s:I, s:b}", "total", count(work.total), "clearing", count(work.clearing),
                     "largest", count(work.largest), "instruction", (json_int_t)work.instruction, "repeats",
                     (int)work.repeats);
}

json_t *rl_cli_inspect_pte(struct rl_cli *cli, const struct rl_host_files *files)
{
    struct rl_program program;
    struct rl_cli_file file = {.pte = &program.pte};
    uint32_t method = 0;

    if (open_program(cli, files, &program) != RL_OK ||
        rl_host_find_method(&cli->context, cli->arena, files, &program, &method) != RL_OK) {
        return NULL;
    }
    if (!rl_pte_plan(file.pte, method, &file.plan)) {
        rl_fail(&cli->context, RL_ERROR_FORMAT, "%s: the program has no method", files->source);
        return NULL;
    }
    const char *unnamed = rl_pte_names_open(file.pte, &file.plan, &file.names);
    if (unnamed) {
        rl_log(&cli->context, RL_LOG_WARNING, "%s: operators are shown without layers: %s", files->source, unnamed);
    }
    json_t *report = describe_method(&file, &program, files);
    json_object_set_new(report, "work", describe_work(&program, method));
    json_object_set_new(report, "checksum", json_string(describe_checksum(&program)));
    json_object_set_new(report, "has_names", json_boolean(file.names.frames.count > 0));
    json_object_set_new(report, "methods", list_methods(&program));
    json_object_set_new(report, "method", json_string(rl_program_method_name(&program, method)));
    json_object_set_new(report, "missing_operators", list_missing(cli, &program));
    json_object_set_new(report, "registry", rl_cli_list_registry(&program));
    json_object_set_new(report, "control_flow", json_boolean(rl_cli_needs_flow(&program)));
    return report;
}
