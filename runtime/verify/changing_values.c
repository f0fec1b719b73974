// SPDX-License-Identifier: Apache-2.0
//
// The values of a method that may change before they are read. During verification operators see every value as it is
// in the file. A refusal counts only if it does not follow from a value that may change later: the sizes of tensors
// whose shape changes, numbers that an instruction writes, and tensors that a move replaces. The order of instructions,
// and whether they are reached, does not matter: any of them may have changed a value before it is read.
#include <string.h>

#include "format/proved.h"
#include "runtime/reason.h"
#include "runtime/run/instructions.h"
#include "runtime/run/shapes.h"
#include "runtime/run/slots.h"
#include "runtime/verify/verify.h"

// What is not known of an argument: a set of these.
enum { SIZES = 1, NUMBERS = 2, TYPES = 4, PLACES = 8 };

static enum rl_pte_kind kind_of(const struct rl_method *method, uint32_t value, const uint8_t **table)
{
    return rl_proved_value(method->program->pte.fb.data + method->plan.values.items + 4 * (size_t)value, table);
}

// ---- numbers

// Finding the operator of a call by its name takes as long as looking at so many instructions.
enum { STEPS_AN_OPERATOR = 32 };

static void note(uint32_t *set, uint32_t value)
{
    set[value / 32 % RL_VALUE_SET] |= 1u << value % 32;
}

// Whether each bit of a set stands for one value.
static bool is_exact(const struct rl_method *method)
{
    return method->plan.values.count <= 32 * RL_VALUE_SET;
}

// Whether the call of this table may make `value` another number.
static bool call_writes(const struct rl_method *method, const struct rl_registry *registry, const uint8_t *table,
                        uint32_t value)
{
    uint32_t count;
    const uint8_t *arguments = rl_proved_vector(table, RL_PTE_kernel_call_args, &count);
    const struct rl_kernel *kernel = NULL;
    rl_spend(rl_checked(method)->effort, count);
    for (uint32_t i = 0; i < count; i++) {
        if (rl_proved_u32(arguments + 4 * (size_t)i) != value) {
            continue;
        }
        rl_spend(rl_checked(method)->effort, kernel ? 0 : STEPS_AN_OPERATOR);
        kernel = kernel ? kernel : rl_called_kernel(method, registry, table);
        if (kernel->signature[i] == 'W') {
            return true;
        }
    }
    return false;
}

// Whether any instruction may change `value`: a call or a move that writes a number, or a move that replaces a tensor.
// True if no steps are left.
static bool is_written(const struct rl_method *method, const struct rl_registry *registry, uint32_t value)
{
    if (!rl_is_noted(rl_checked(method)->changes->written, value) || is_exact(method)) {
        return rl_is_noted(rl_checked(method)->changes->written, value);
    }
    for (uint32_t i = 0; i < method->plan.instructions.count; i++) {
        const uint8_t *table;
        if (!rl_spend(rl_checked(method)->effort, 1)) {
            return true;
        }
        if (rl_proved_instruction(&method->program->pte, &method->plan.instructions, i, &table) == RL_PTE_KERNEL_CALL &&
            call_writes(method, registry, table, value)) {
            return true;
        }
    }
    return rl_is_moved(method, value);
}

// ---- tensors

// Operators also read the elements of constants.
static unsigned compare_tensors(const struct rl_method *method, uint32_t from, uint32_t to)
{
    const uint8_t *from_table, *to_table;
    struct rl_tensor a, b;
    if (kind_of(method, from, &from_table) != RL_PTE_TENSOR || kind_of(method, to, &to_table) != RL_PTE_TENSOR) {
        return 0;
    }
    rl_view_tensor(method, from, from_table, &a);
    rl_view_tensor(method, to, to_table, &b);
    if (a.dtype != b.dtype || a.rank != b.rank) {
        return TYPES;
    }
    if (a.constant || b.constant || rl_changing_rank(method->program, &method->plan, from) > 0 ||
        rl_changing_rank(method->program, &method->plan, to) > 0 ||
        (a.rank > 0 &&
         (memcmp(a.sizes, b.sizes, a.rank * sizeof *a.sizes) != 0 || memcmp(a.dim_order, b.dim_order, a.rank) != 0))) {
        return SIZES;
    }
    return 0;
}

// The values that a call makes another number, and the one that it makes an alias.
static void note_call(const struct rl_method *method, const struct rl_registry *registry, const uint8_t *table,
                      struct rl_changes *changes)
{
    uint32_t count;
    const struct rl_kernel *kernel = rl_called_kernel(method, registry, table);
    const uint8_t *arguments = rl_proved_vector(table, RL_PTE_kernel_call_args, &count);
    for (uint32_t i = 0; kernel && i < count; i++) {
        if (kernel->signature[i] == 'W') {
            note(changes->written, rl_proved_u32(arguments + 4 * (size_t)i));
        }
    }
    if (count > 0 &&
        rl_makes_alias(&method->program->pte, &method->plan, rl_proved_number(table, RL_PTE_kernel_call_op_index))) {
        note(changes->aliases, rl_proved_u32(arguments + 4 * (size_t)(count - 1)));
    }
}

void rl_find_changes(const struct rl_method *method, const struct rl_registry *registry)
{
    struct rl_changes *changes = rl_checked(method)->changes;
    if (changes->are_known) {
        return;
    }
    *changes = (struct rl_changes){.are_known = true, .moved = PLACES};
    for (uint32_t i = 0; i < method->plan.instructions.count; i++) {
        const uint8_t *table;
        switch (rl_proved_instruction(&method->program->pte, &method->plan.instructions, i, &table)) {
        case RL_PTE_KERNEL_CALL:
            note_call(method, registry, table, changes);
            break;
        case RL_PTE_MOVE_CALL:
            note(changes->written, rl_proved_number(table, RL_PTE_move_call_move_to));
            changes->moved |= compare_tensors(method, rl_proved_number(table, RL_PTE_move_call_move_from),
                                              rl_proved_number(table, RL_PTE_move_call_move_to));
            break;
        default:
            break;
        }
    }
}

// Whether a call makes `value`, its last argument, an alias. True if no steps are left.
static bool is_alias(const struct rl_method *method, uint32_t value)
{
    const struct rl_pte *pte = &method->program->pte;
    if (!rl_is_noted(rl_checked(method)->changes->aliases, value) || is_exact(method)) {
        return rl_is_noted(rl_checked(method)->changes->aliases, value);
    }
    for (uint32_t i = 0; i < method->plan.instructions.count; i++) {
        const uint8_t *table;
        uint32_t count;
        if (!rl_spend(rl_checked(method)->effort, 1)) {
            return true;
        }
        if (rl_proved_instruction(pte, &method->plan.instructions, i, &table) != RL_PTE_KERNEL_CALL ||
            !rl_makes_alias(pte, &method->plan, rl_proved_number(table, RL_PTE_kernel_call_op_index))) {
            continue;
        }
        const uint8_t *arguments = rl_proved_vector(table, RL_PTE_kernel_call_args, &count);
        if (count > 0 && rl_proved_u32(arguments + 4 * (size_t)(count - 1)) == value) {
            return true;
        }
    }
    return false;
}

// ---- values

// What is not known of a number or a tensor.
static unsigned open_of_item(const struct rl_method *method, const struct rl_registry *registry, uint32_t value)
{
    const uint8_t *table;
    if (kind_of(method, value, &table) != RL_PTE_TENSOR) {
        return is_written(method, registry, value) ? NUMBERS : 0;
    }
    rl_spend(rl_checked(method)->effort,
             (uint64_t)rl_checked(method)->inputs.count + rl_checked(method)->outputs.count);
    unsigned own = rl_changing_rank(method->program, &method->plan, value) > 0 ? SIZES : 0;
    if (rl_is_only_alias(&method->program->pte, &method->plan, value) && is_alias(method, value)) {
        own |= PLACES;
    }
    return is_written(method, registry, value) ? own | rl_checked(method)->changes->moved : own;
}

// What is not known of any value. Nothing is known of a value that moves replace as a whole.
static unsigned open_of(const struct rl_method *method, const struct rl_registry *registry, uint32_t value)
{
    const uint8_t *table;
    uint32_t count, width = 4;
    unsigned open = 0;
    switch (kind_of(method, value, &table)) {
    case RL_PTE_INT:
    case RL_PTE_BOOL:
    case RL_PTE_DOUBLE:
    case RL_PTE_TENSOR:
        return open_of_item(method, registry, value);
    case RL_PTE_INT_LIST:
        width = 8;
        break;
    case RL_PTE_TENSOR_LIST:
    case RL_PTE_OPTIONAL_TENSOR_LIST:
        break;
    default:
        return is_written(method, registry, value) ? SIZES | NUMBERS | TYPES | PLACES : 0;
    }
    const uint8_t *items = rl_proved_vector(table, RL_PTE_payload_item, &count);
    for (uint32_t i = 0; i < count && rl_spend(rl_checked(method)->effort, 1); i++) {
        const uint32_t item = rl_proved_u32(items + (size_t)width * i);
        if (item <= INT32_MAX) { // None is -1
            open |= open_of_item(method, registry, item);
        }
    }
    return is_written(method, registry, value) ? SIZES | NUMBERS | TYPES | PLACES : open;
}

// ---- refusals

// Whether a refusal for this reason may follow from what is not known.
static bool is_open(unsigned open, enum rl_reason reason, enum rl_status status)
{
    static const unsigned matters[] = {
        [RL_BY_SIZES] = SIZES | NUMBERS | TYPES,
        [RL_BY_ADDRESSES] = SIZES | NUMBERS | TYPES | PLACES,
        [RL_BY_TYPES] = TYPES,
        [RL_BY_NUMBERS] = TYPES | NUMBERS,
    };
    return (open & matters[status == RL_ERROR_MEMORY ? RL_BY_ADDRESSES : reason]) != 0;
}

bool rl_tolerates(const struct rl_call *call, const struct rl_registry *registry)
{
    rl_find_changes(call->method, registry);
    for (uint32_t i = 0; i < call->argument_count; i++) {
        if (call->kernel->signature[i] != 'W' && is_open(open_of(call->method, registry, (uint32_t)call->arguments[i]),
                                                         call->method->reason, call->status)) {
            return true;
        }
    }
    return false;
}

// Moves and frees are proved by their structure. Only the kind of a jump's condition is checked here.
enum rl_status rl_check_flow(struct rl_method *method, const struct rl_registry *registry,
                             enum rl_pte_instruction_kind kind, const uint8_t *table)
{
    const enum rl_status status = kind == RL_PTE_JUMP_FALSE_CALL ? rl_run_flow(method, kind, table) : RL_OK;
    if (status == RL_OK) {
        return RL_OK;
    }
    const uint32_t value = rl_proved_number(table, RL_PTE_jump_false_call_cond_value_index);
    rl_find_changes(method, registry);
    return is_open(open_of(method, registry, value), RL_BY_NUMBERS, status) ? RL_OK : status;
}
