// SPDX-License-Identifier: Apache-2.0
//
// Instructions that are not calls of operators: moves, jumps, and frees, which do nothing.
#include "runtime/run/instructions.h"
#include "runtime/error.h"
#include "runtime/run/slots.h"
#include "runtime/run/view.h"

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

// A tensor is true if all of its elements are.
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

// During verification a tensor has no elements yet, and counts as true.
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
    case RL_PTE_FREE_CALL: // memory is planned, so nothing is freed
        method->next++;
        return RL_OK;
    default:
        return refuse(method, RL_ERROR_UNSUPPORTED, "the program calls a delegate, which is not supported");
    }
}
