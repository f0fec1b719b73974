// SPDX-License-Identifier: Apache-2.0
//
// The first part of rl_program_verify: everything but the checks that operators make of their arguments, which come
// last (calls.c).
#include "format/proved.h"
#include "format/pte_reader.h"
#include "runtime/error.h"
#include "runtime/flow.h"
#include "runtime/plan.h"
#include "runtime/run/shapes.h"
#include "runtime/run/slots.h"
#include "runtime/signature.h"
#include "runtime/verify/verify.h"

struct verifier {
    const struct rl_program *program;
    const struct rl_pte *pte; // the program's
    const struct rl_registry *registry;
    struct rl_pte_plan plan;
    bool reads_unwritten;      // whether any method may read what it has not written, so far
    bool shapes_change;        // whether that of any tensor does, so far
    struct rl_written written; // by the calls of the method so far
    uint64_t initial_bytes;    // of the values in the file of the method's planned tensors, so far
    struct rl_effort *effort;
    struct rl_error *error;
};

// ---- values

static enum rl_status report_value(const struct verifier *v, uint32_t value, enum rl_status status, const char *message,
                                   uint32_t offset)
{
    rl_report(v->error, status, message, offset);
    if (v->error) {
        v->error->value = (int32_t)value;
    }
    return status;
}

static enum rl_pte_kind kind_of(const struct verifier *v, int64_t value)
{
    uint32_t table;
    if (value < 0 || value > INT32_MAX) {
        return RL_PTE_INVALID;
    }
    return rl_pte_value(v->pte, &v->plan, (uint32_t)value, &table);
}

// The same, once all values are proved.
static enum rl_pte_kind proved_kind(const struct verifier *v, int64_t value, const uint8_t **table)
{
    if (value < 0 || value >= v->plan.values.count) {
        return RL_PTE_INVALID;
    }
    return rl_proved_value(v->pte->fb.data + v->plan.values.items + 4 * (size_t)value, table);
}

// Whether every item of a list names a value of `kind`; -1 is allowed for None in optional lists.
static bool items_are(struct verifier *v, uint32_t table, uint32_t width, enum rl_pte_kind kind, bool optional)
{
    struct rl_fb_vector items;
    if (!rl_pte_list(v->pte, table, width, &items) || !rl_spend(v->effort, items.count)) {
        return false;
    }
    for (uint32_t i = 0; i < items.count; i++) {
        int64_t item = width == 8 ? rl_pte_item_i64(v->pte, &items, i) : rl_pte_item_i32(v->pte, &items, i);
        if (kind_of(v, item) != kind && !(optional && item == -1)) {
            return false;
        }
    }
    return true;
}

// Whether the payload of a scalar lies in the file.
static bool is_scalar(const struct verifier *v, uint32_t table, uint32_t width)
{
    return rl_fb_field(&v->pte->fb, table, RL_PTE_payload_item, width) != RL_FB_BAD;
}

static bool is_whole(struct verifier *v, enum rl_pte_kind kind, uint32_t table)
{
    struct rl_fb_vector items;
    uint32_t length;
    switch (kind) {
    case RL_PTE_NULL:
    case RL_PTE_BOOL:
        return is_scalar(v, table, 1);
    case RL_PTE_INT:
    case RL_PTE_DOUBLE:
        return is_scalar(v, table, 8);
    case RL_PTE_STRING:
        return rl_pte_string(v->pte, table, &length);
    case RL_PTE_DOUBLE_LIST:
        return rl_pte_list(v->pte, table, 8, &items);
    case RL_PTE_BOOL_LIST:
        return rl_pte_list(v->pte, table, 1, &items);
    case RL_PTE_INT_LIST:
        return items_are(v, table, 8, RL_PTE_INT, false);
    case RL_PTE_TENSOR_LIST:
        return items_are(v, table, 4, RL_PTE_TENSOR, false);
    case RL_PTE_OPTIONAL_TENSOR_LIST:
        return items_are(v, table, 4, RL_PTE_TENSOR, true);
    case RL_PTE_TENSOR:
    case RL_PTE_INVALID:
        break;
    }
    return false;
}

static enum rl_status verify_value(struct verifier *v, uint32_t index)
{
    uint32_t table;
    enum rl_pte_kind kind = rl_pte_value(v->pte, &v->plan, index, &table);
    if (kind == RL_PTE_TENSOR) {
        struct rl_placed_tensor placed;
        const char *message;
        enum rl_status status = rl_place_tensor(v->program, &v->plan, index, v->effort, &placed, &message);
        v->shapes_change = v->shapes_change || placed.changes;
        v->initial_bytes += placed.initial != 0 ? placed.view.bytes : 0;
        return status == RL_OK ? RL_OK : report_value(v, index, status, message, table);
    }
    if (!is_whole(v, kind, table)) {
        return report_value(v, index, RL_ERROR_FORMAT, "a value is damaged", table);
    }
    return RL_OK;
}

static enum rl_status verify_values(struct verifier *v)
{
    for (uint32_t i = 0; i < v->plan.values.count; i++) {
        enum rl_status status = verify_value(v, i);
        if (status != RL_OK) {
            return status;
        }
    }
    return RL_OK;
}

// Inputs and outputs must name values. The caller writes inputs, so an input may not be a constant in the file.
static enum rl_status verify_ends(const struct verifier *v, const struct rl_fb_vector *list, bool is_input)
{
    for (uint32_t i = 0; i < list->count; i++) {
        int32_t value = rl_pte_item_i32(v->pte, list, i);
        const uint8_t *table;
        enum rl_pte_kind kind = proved_kind(v, value, &table);
        if (kind == RL_PTE_INVALID) {
            return report_value(v, (uint32_t)value, RL_ERROR_FORMAT, "an input or output is not a value", list->items);
        }
        if (kind != RL_PTE_TENSOR || !is_input) {
            continue;
        }
        if (rl_proved_is_constant(table)) {
            return report_value(v, (uint32_t)value, RL_ERROR_FORMAT, "an input is a constant", list->items);
        }
    }
    return RL_OK;
}

// ---- instructions

static enum rl_status report_instruction(const struct verifier *v, uint32_t instruction, const char *name,
                                         int32_t argument, enum rl_status status, const char *message, uint32_t offset)
{
    rl_report(v->error, status, message, offset);
    if (v->error) {
        v->error->instruction = (int32_t)instruction;
        v->error->operator_name = name;
        v->error->argument = argument;
    }
    return status;
}

static enum rl_status verify_argument(const struct verifier *v, uint32_t instruction, const struct rl_kernel *kernel,
                                      const struct rl_fb_vector *arguments, uint32_t argument)
{
    const uint8_t *table;
    char letter = kernel->signature[argument];
    int32_t value = rl_pte_item_i32(v->pte, arguments, argument);
    enum rl_pte_kind kind = proved_kind(v, value, &table);
    if (kind == RL_PTE_INVALID) {
        return report_instruction(v, instruction, kernel->name, (int32_t)argument, RL_ERROR_FORMAT,
                                  "an argument is not a value", arguments->items + 4 * argument);
    }
    if (!rl_signature_accepts(letter, kind)) {
        return report_instruction(v, instruction, kernel->name, (int32_t)argument, RL_ERROR_TYPE,
                                  "an argument is of another kind than the operator takes",
                                  arguments->items + 4 * argument);
    }
    if (letter == 'W' && !v->registry->flow) {
        return report_instruction(v, instruction, kernel->name, (int32_t)argument, RL_ERROR_MISSING_OPERATOR,
                                  rl_no_flow, arguments->items + 4 * argument);
    }
    if ((letter == 'O' || letter == 'S') && rl_proved_is_constant(table)) {
        return report_instruction(v, instruction, kernel->name, (int32_t)argument, RL_ERROR_FORMAT,
                                  "an operator would write to a constant", arguments->items + 4 * argument);
    }
    return RL_OK;
}

static bool read_operator(const struct verifier *v, uint32_t index, struct rl_operator_name *name)
{
    return rl_pte_operator(v->pte, &v->plan, index, &name->base, &name->base_length, &name->overload,
                           &name->overload_length);
}

// Verifies all operators, also those that no instruction calls, because rl_method_init reads all of them.
static enum rl_status verify_operators(const struct verifier *v)
{
    struct rl_operator_name name;
    for (uint32_t i = 0; i < v->plan.operators.count; i++) {
        if (!read_operator(v, i, &name)) {
            return rl_report(v->error, RL_ERROR_FORMAT, "the name of an operator is damaged",
                             v->plan.operators.items + 4 * i);
        }
    }
    return RL_OK;
}

static enum rl_status verify_call(struct verifier *v, uint32_t index, const struct rl_pte_instruction *instruction)
{
    struct rl_operator_name name;
    if (!read_operator(v, instruction->op_index, &name)) {
        return report_instruction(v, index, NULL, -1, RL_ERROR_FORMAT,
                                  "an instruction calls an operator that does not exist", instruction->table);
    }
    const struct rl_kernel *kernel = rl_find_kernel(v->registry, &name);
    if (!kernel) {
        return report_instruction(v, index, name.base, -1, RL_ERROR_MISSING_OPERATOR,
                                  "an operator that the program calls is not registered", instruction->table);
    }
    if (instruction->arguments.count != kernel->argument_count) {
        return report_instruction(v, index, kernel->name, -1, RL_ERROR_FORMAT,
                                  "the operator is called with a wrong number of arguments", instruction->table);
    }
    for (uint32_t i = 0; i < kernel->argument_count; i++) {
        enum rl_status status = verify_argument(v, index, kernel, &instruction->arguments, i);
        if (status != RL_OK) {
            return status;
        }
    }
    rl_follow_written(v->pte, &v->plan, kernel, &instruction->arguments, v->effort, &v->written);
    return RL_OK;
}

static bool is_number(enum rl_pte_kind kind)
{
    return kind == RL_PTE_INT || kind == RL_PTE_BOOL || kind == RL_PTE_DOUBLE;
}

// A move must keep the kind of a value, so that what is proved of arguments stays true. Numbers may change their kind,
// because every reader of a number looks at it.
static enum rl_status verify_move(const struct verifier *v, uint32_t index,
                                  const struct rl_pte_instruction *instruction)
{
    const uint8_t *table;
    enum rl_pte_kind from = proved_kind(v, instruction->operands[0], &table);
    enum rl_pte_kind to = proved_kind(v, instruction->operands[1], &table);
    if (from == RL_PTE_INVALID || to == RL_PTE_INVALID) {
        return report_instruction(v, index, NULL, -1, RL_ERROR_FORMAT, "a move names a value that does not exist",
                                  instruction->table);
    }
    if (from != to && !(is_number(from) && is_number(to))) {
        return report_instruction(v, index, NULL, -1, RL_ERROR_TYPE, "a move is between values of different kinds",
                                  instruction->table);
    }
    return RL_OK;
}

static enum rl_status verify_jump(const struct verifier *v, uint32_t index,
                                  const struct rl_pte_instruction *instruction)
{
    const uint8_t *table;
    enum rl_pte_kind kind = proved_kind(v, instruction->operands[0], &table);
    uint32_t destination = (uint32_t)instruction->operands[1];
    if (kind != RL_PTE_TENSOR && !is_number(kind)) {
        return report_instruction(v, index, NULL, -1, RL_ERROR_TYPE,
                                  "the condition of a jump is neither a bool nor a tensor", instruction->table);
    }
    if (destination > v->plan.instructions.count) {
        return report_instruction(v, index, NULL, -1, RL_ERROR_FORMAT, "a jump leaves the program", instruction->table);
    }
    return RL_OK;
}

static enum rl_status verify_instruction(struct verifier *v, uint32_t index)
{
    struct rl_pte_instruction instruction;
    const uint8_t *table;
    if (!rl_pte_instruction(v->pte, &v->plan, index, &instruction)) {
        return report_instruction(v, index, NULL, -1, RL_ERROR_FORMAT, "an instruction is damaged", instruction.table);
    }
    if (instruction.kind != RL_PTE_KERNEL_CALL && !v->registry->flow) {
        return report_instruction(v, index, NULL, -1, RL_ERROR_MISSING_OPERATOR, rl_no_flow, instruction.table);
    }
    v->written.is_missing = v->written.is_missing || instruction.kind != RL_PTE_KERNEL_CALL;
    switch (instruction.kind) {
    case RL_PTE_KERNEL_CALL:
        return verify_call(v, index, &instruction);
    case RL_PTE_MOVE_CALL:
        return verify_move(v, index, &instruction);
    case RL_PTE_JUMP_FALSE_CALL:
        return verify_jump(v, index, &instruction);
    case RL_PTE_FREE_CALL:
        if (proved_kind(v, instruction.operands[0], &table) == RL_PTE_TENSOR) {
            return RL_OK;
        }
        return report_instruction(v, index, NULL, -1, RL_ERROR_TYPE, "only a tensor can be freed", instruction.table);
    case RL_PTE_DELEGATE_CALL:
        return report_instruction(v, index, NULL, -1, RL_ERROR_UNSUPPORTED,
                                  "the program calls a delegate, which is not supported", instruction.table);
    default:
        return report_instruction(v, index, NULL, -1, RL_ERROR_FORMAT, "an instruction is of unknown kind",
                                  instruction.table);
    }
}

// ---- program

static uint64_t state_bytes_at_most(const struct rl_pte_plan *plan)
{
    return ((uint64_t)plan->operators.count + plan->inputs.count + plan->outputs.count) * sizeof(void *) +
           (uint64_t)plan->values.count * (sizeof(struct rl_slot) + RL_TENSOR_MAX_RANK * sizeof(int32_t));
}

// Initial values of tensors that share no memory fill it once. Values that share a description in the file may say
// that it is filled again and again.
enum { MOST_FILLS = 4 };

static enum rl_status verify_initial_bytes(const struct verifier *v)
{
    uint64_t planned = 0;
    for (uint32_t i = 0; i + 1 < v->plan.buffer_sizes.count; i++) {
        uint32_t bytes = 0;
        rl_planned_bytes(v->pte, &v->plan, i, &bytes);
        planned += bytes;
    }
    if (v->initial_bytes <= MOST_FILLS * planned) {
        return RL_OK;
    }
    return rl_report(v->error, RL_ERROR_UNSUPPORTED, "the initial values of a method fill its memory many times",
                     v->plan.table);
}

// Every item of the method's own lists is looked at a few times. Searches for views without a place (slots.c) look at
// all inputs and outputs for each value.
static bool afford_method(const struct verifier *v)
{
    const struct rl_pte_plan *plan = &v->plan;
    const uint64_t ends = (uint64_t)plan->inputs.count + plan->outputs.count;
    return rl_spend(v->effort, (1 + ends) * (1 + (uint64_t)plan->values.count) + plan->operators.count +
                                   4 * (uint64_t)plan->instructions.count);
}

// Reads and checks a method and the sizes of its planned buffers.
static enum rl_status read_plan(const struct rl_program *program, uint32_t method, struct rl_pte_plan *plan,
                                struct rl_error *error)
{
    uint32_t bytes;
    if (!rl_pte_plan(&program->pte, method, plan)) {
        return rl_report(error, RL_ERROR_FORMAT, "a method is damaged", plan->table);
    }
    if (state_bytes_at_most(plan) > INT32_MAX) {
        return rl_report(error, RL_ERROR_UNSUPPORTED, "a method has too many values, operators or inputs", plan->table);
    }
    const uint32_t count = plan->buffer_sizes.count > 0 ? plan->buffer_sizes.count - 1 : 0;
    if (count > RL_MAX_BUFFERS) {
        return rl_report(error, RL_ERROR_UNSUPPORTED, "more planned buffers than supported", plan->table);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!rl_planned_bytes(&program->pte, plan, i, &bytes)) {
            return rl_report(error, RL_ERROR_FORMAT, "a planned buffer has an impossible size",
                             plan->buffer_sizes.items);
        }
    }
    return RL_OK;
}

static enum rl_status verify_method(struct verifier *v, uint32_t index)
{
    enum rl_status status = read_plan(v->program, index, &v->plan, v->error);
    if (status != RL_OK) {
        return status;
    }
    if (!rl_pte_plan_name(v->pte, &v->plan)) {
        return rl_report(v->error, RL_ERROR_FORMAT, "the name of a method is damaged", v->plan.table);
    }
    if (!v->plan.is_plain) {
        return rl_report(v->error, RL_ERROR_UNSUPPORTED, "a method with delegates or several chains", v->plan.table);
    }
    v->initial_bytes = 0;
    if (!afford_method(v)) {
        return rl_report_effort(v->error, -1);
    }
    status = verify_values(v);
    if (v->effort->left == 0) {
        return rl_report_effort(v->error, -1);
    }
    if (status == RL_OK) {
        status = verify_initial_bytes(v);
    }
    if (status == RL_OK) {
        status = verify_operators(v);
    }
    if (status == RL_OK) {
        status = verify_ends(v, &v->plan.inputs, true);
    }
    if (status == RL_OK) {
        status = verify_ends(v, &v->plan.outputs, false);
    }
    if (status == RL_OK) {
        rl_start_written(v->pte, &v->plan, &v->written);
    }
    for (uint32_t i = 0; status == RL_OK && i < v->plan.instructions.count; i++) {
        status = verify_instruction(v, i);
        if (v->effort->left == 0) {
            return rl_report_effort(v->error, (int32_t)i);
        }
    }
    if (status == RL_OK) {
        rl_end_written(v->pte, &v->plan, &v->written);
        v->reads_unwritten = v->reads_unwritten || v->written.is_missing;
    }
    return status;
}

enum rl_status rl_verify_structure(struct rl_program *program, const struct rl_registry *registry,
                                   struct rl_effort *effort, struct rl_error *error)
{
    struct rl_fb_vector sets;
    if (!rl_fb_vector(&program->pte.fb, program->pte.root, RL_PTE_program_mutable_data_segments, 4, &sets)) {
        return rl_report(error, RL_ERROR_FORMAT, "the list of initial values is damaged", 0);
    }
    struct verifier verifier = {
        .program = program, .pte = &program->pte, .registry = registry, .effort = effort, .error = error};
    for (uint32_t i = 0; i < program->pte.plans.count; i++) {
        enum rl_status status = verify_method(&verifier, i);
        if (status != RL_OK) {
            return status;
        }
    }
    if ((verifier.shapes_change || program->find_data) && !registry->flow) {
        return rl_report(error, RL_ERROR_MISSING_OPERATOR, rl_no_flow, 0);
    }
    program->flow = registry->flow;
    program->shapes = verifier.shapes_change ? RL_SHAPES_CHANGE : RL_SHAPES_FIXED;
    program->clear = verifier.reads_unwritten || verifier.shapes_change ? rl_clear_memory : NULL;
    return RL_OK;
}
