// SPDX-License-Identifier: Apache-2.0
//
// Values that change while a method runs, and the instructions that are no kernel calls.
//
// Almost no program changes a value of the file: its tensors stay where they are planned and its numbers what they are.
// Those with branches and loops do. Moves give a value what another one is, and operators such as aten::sym_size return
// numbers. Views have no place of their own where planning did not know that of what they show: inputs that the caller
// binds, and whatever a branch views. Such a program gets one slot a value in its state, as does one that keeps tensors
// in another file; a method without slots reads its own file alone.
#include <string.h>

#include "runtime/internal.h"

// Operators that write tensors only are called in a form that ends with "out"; the form "default" is that of views,
// which are planned with what they show. The others return numbers, or may do so.
static bool returns_numbers(const uint8_t *operator_table)
{
    uint32_t length;
    const uint8_t *overload = rl_proved_vector(operator_table, RL_PTE_operator_overload, &length);
    if (!overload || length < 3) {
        return true;
    }
    const uint8_t *end = overload + length - 2;
    return !(end[0] == 'u' && end[1] == 't') && !(end[0] == 'l' && end[1] == 't');
}

// Whether a program binds a tensor: an input or an output.
static bool is_listed(const struct rl_pte *pte, const struct rl_fb_vector *list, uint32_t value)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (rl_proved_item(pte, list, i) == (int32_t)value) {
            return true;
        }
    }
    return false;
}

bool rl_is_only_alias(const struct rl_pte *pte, const struct rl_pte_plan *plan, uint32_t value)
{
    const uint8_t *table;
    if (rl_proved_value(pte->fb.data + plan->values.items + 4 * (size_t)value, &table) != RL_PTE_TENSOR ||
        rl_proved_child(table, RL_PTE_tensor_allocation_info) ||
        rl_proved_number(table, RL_PTE_tensor_data_buffer_idx) != 0) {
        return false;
    }
    const uint8_t *extra = rl_proved_child(table, RL_PTE_tensor_extra_tensor_info);
    if (extra && rl_proved_byte(extra, RL_PTE_extra_location) != 0) {
        return false;
    }
    return !is_listed(pte, &plan->inputs, value) && !is_listed(pte, &plan->outputs, value);
}

// Of all forms that a .pte calls only that of views is the default one.
bool rl_makes_views(const struct rl_pte *pte, const struct rl_pte_plan *plan, uint32_t operator_index)
{
    static const char form[] = "default";
    struct rl_operator_name name;
    rl_view_operator(pte, &plan->operators, operator_index, &name);
    return name.overload_length == sizeof form - 1 && memcmp(name.overload, form, sizeof form - 1) == 0;
}

// Only programs with views are searched for one that has no place.
static bool shows_values(const struct rl_pte *pte, const struct rl_pte_plan *plan)
{
    bool has_views = false;
    for (uint32_t i = 0; i < plan->operators.count; i++) {
        has_views = has_views || rl_makes_views(pte, plan, i);
    }
    for (uint32_t i = 0; has_views && i < plan->values.count; i++) {
        if (rl_is_only_alias(pte, plan, i)) {
            return true;
        }
    }
    return false;
}

static bool changes_values(const struct rl_pte *pte, const struct rl_pte_plan *plan)
{
    for (uint32_t i = 0; i < plan->operators.count; i++) {
        if (returns_numbers(rl_proved_item_table(pte, &plan->operators, i))) {
            return true;
        }
    }
    for (uint32_t i = 0; i < plan->instructions.count; i++) {
        const uint8_t *instruction = rl_proved_item_table(pte, &plan->instructions, i);
        if (*rl_proved_present(instruction, RL_PTE_instruction_type) == RL_PTE_MOVE_CALL) {
            return true;
        }
    }
    return false;
}

// rl_control_flow_all.slot_bytes: of the slots of a proved method and of the sizes behind them.
static uint32_t slot_bytes(const struct rl_program *program, const struct rl_pte_plan *plan)
{
    const uint32_t words = rl_shape_words(program, plan);
    if (words == 0 && !program->find_data && !changes_values(&program->pte, plan) &&
        !shows_values(&program->pte, plan)) {
        return 0;
    }
    return plan->values.count * (uint32_t)sizeof(struct rl_slot) + words * (uint32_t)sizeof(int32_t);
}

void rl_slot_set(struct rl_slot *slot, enum rl_pte_kind kind, uint64_t bits)
{
    *slot = (struct rl_slot){
        .kind = (uint16_t)(RL_SLOT_NUMBER + kind),
        // Bytes of the vtable and of the table, and where in the table its field is.
        .vtable = {sizeof slot->vtable, sizeof slot->to_vtable + sizeof slot->words, sizeof slot->to_vtable},
        .to_vtable = offsetof(struct rl_slot, to_vtable) - offsetof(struct rl_slot, vtable),
        .words = {(uint32_t)bits, (uint32_t)(bits >> 32)},
    };
}

enum rl_pte_kind rl_changed_value(const struct rl_slot *slots, const uint8_t *values, uint32_t *value,
                                  const uint8_t **table)
{
    const struct rl_slot *slot = &slots[*value];
    if (slot->kind > RL_SLOT_NUMBER) {
        *table = (const uint8_t *)slot + offsetof(struct rl_slot, to_vtable);
        return (enum rl_pte_kind)(slot->kind - RL_SLOT_NUMBER);
    }
    if (slot->kind == RL_SLOT_MOVED) {
        *value = slot->words[0];
    }
    return rl_proved_value(values + 4 * *value, table);
}

// What is shown is the tensor of the file: a view of a view shows what that one does. A view that was planned where its
// tensor is stays a tensor of its own.
void rl_alias(struct rl_call *call, uint32_t argument, uint32_t shown)
{
    const uint8_t *table, *from_table;
    struct rl_tensor own, other;
    uint32_t value = (uint32_t)call->arguments[argument], from = (uint32_t)call->arguments[shown];
    if (rl_value_now(call->slots, call->values, &value, &table) != RL_PTE_TENSOR ||
        rl_value_now(call->slots, call->values, &from, &from_table) != RL_PTE_TENSOR) {
        return;
    }
    struct rl_slot *slot = &call->slots[value];
    rl_view_tensor(call->method, from, from_table, &other);
    slot->kind = RL_SLOT_UNCHANGED;
    rl_view_tensor(call->method, value, table, &own);
    if (argument == shown || own.data == other.data) {
        return;
    }
    slot->words[0] = call->slots[from].kind == RL_SLOT_VIEW ? call->slots[from].words[0] : from;
    slot->kind = RL_SLOT_VIEW;
}

void rl_slots_reset(struct rl_slot *slots, uint32_t count)
{
    for (uint32_t i = 0; slots && i < count; i++) {
        slots[i].kind = RL_SLOT_UNCHANGED;
    }
}

// ---- instructions

static enum rl_status refuse(struct rl_method *method, enum rl_status status, const char *message)
{
    rl_report(&method->error, status, message, 0);
    method->error.instruction = (int32_t)method->next;
    return status;
}

static enum rl_status move(struct rl_method *method, const uint8_t *table)
{
    const uint32_t to = rl_proved_number(table, RL_PTE_move_call_move_to);
    const uint32_t from = rl_proved_number(table, RL_PTE_move_call_move_from);
    if (!method->slots || from >= method->plan.values.count || to >= method->plan.values.count) {
        return refuse(method, RL_ERROR_FORMAT, "a move names a value that does not exist");
    }
    const struct rl_slot *slot = &method->slots[from];
    if (slot->kind > RL_SLOT_NUMBER) {
        method->slots[to] = *slot;
    } else {
        method->slots[to].words[0] = slot->kind == RL_SLOT_MOVED ? slot->words[0] : from;
        method->slots[to].kind = RL_SLOT_MOVED;
    }
    method->next++;
    return RL_OK;
}

// A tensor is true when all of its elements are.
static bool all_true(const struct rl_tensor *tensor)
{
    const uint8_t *elements = tensor->data;
    for (uint32_t i = 0; i < tensor->bytes; i++) {
        if (elements[i] == 0) {
            return false;
        }
    }
    return true;
}

// During verification a tensor has no elements yet; then it is true.
static enum rl_status read_condition(struct rl_method *method, uint32_t value, bool *condition)
{
    const uint8_t *values = method->program->pte.fb.data + method->plan.values.items, *table;
    struct rl_tensor tensor;
    switch (rl_value_now(method->slots, values, &value, &table)) {
    case RL_PTE_BOOL:
        *condition = rl_proved_bool(table);
        return RL_OK;
    case RL_PTE_TENSOR:
        if (rl_view_tensor(method, value, table, &tensor) == RL_STORAGE_CALLER && method->stand_in) {
            tensor.data = method->stand_in(method, value);
        }
        if (tensor.dtype != RL_BOOL) {
            break;
        }
        if (tensor.bytes > 0 && !tensor.data) {
            return refuse(method, RL_ERROR_MEMORY, "the condition of a jump has no memory");
        }
        *condition = method->stand_in || all_true(&tensor);
        return RL_OK;
    default:
        break;
    }
    return refuse(method, RL_ERROR_TYPE, "the condition of a jump is neither a bool nor a tensor of bool");
}

static enum rl_status jump_false(struct rl_method *method, const uint8_t *table)
{
    const uint32_t value = rl_proved_number(table, RL_PTE_jump_false_call_cond_value_index);
    const uint32_t destination = rl_proved_number(table, RL_PTE_jump_false_call_destination_instruction);
    bool condition = false;
    if (value >= method->plan.values.count || destination > method->plan.instructions.count) {
        return refuse(method, RL_ERROR_FORMAT, "a jump leaves the program");
    }
    enum rl_status status = read_condition(method, value, &condition);
    if (status == RL_OK) {
        method->next = condition ? method->next + 1 : destination;
    }
    return status;
}

enum rl_status rl_run_flow(struct rl_method *method, enum rl_pte_instruction_kind kind, const uint8_t *table)
{
    switch (kind) {
    case RL_PTE_MOVE_CALL:
        return move(method, table);
    case RL_PTE_JUMP_FALSE_CALL:
        return jump_false(method, table);
    case RL_PTE_FREE_CALL: // memory is planned: there is nothing to give back
        method->next++;
        return RL_OK;
    default:
        return refuse(method, RL_ERROR_UNSUPPORTED, "the program calls a delegate, which is not supported");
    }
}

const struct rl_control_flow rl_control_flow_all = {slot_bytes,       rl_run_flow,      rl_place_data,
                                                    rl_change_sizes,  rl_change_output, rl_alias,
                                                    rl_find_external, rl_tolerates,     rl_check_flow};
