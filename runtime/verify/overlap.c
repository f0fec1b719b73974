// SPDX-License-Identifier: Apache-2.0
//
// The part of rl_program_verify that checks the memory that a call writes: each output and work space against all other
// tensors of the call. Tensors outside the plan have memory of their own.
#include "format/proved.h"
#include "runtime/verify/verify.h"

struct planned {
    struct rl_tensor tensor;
    bool changes; // whether its shape changes
};

// Views a value, if it is a tensor in the plan.
static bool view_planned(const struct rl_call *call, uint32_t value, struct planned *p)
{
    const uint8_t *table;
    if (rl_proved_value(call->values + 4 * (size_t)value, &table) != RL_PTE_TENSOR ||
        !rl_proved_child(table, RL_PTE_tensor_allocation_info)) {
        return false;
    }
    rl_view_tensor(call->method, value, table, &p->tensor);
    p->changes = p->tensor.rank > 0 && rl_proved_byte(table, RL_PTE_tensor_shape_dynamism) != RL_PTE_SHAPE_STATIC;
    return true;
}

// The values that argument `index` names: itself, or the items of a list.
static const uint8_t *named_values(const struct rl_call *call, uint32_t index, uint32_t *count)
{
    const uint8_t *table;
    const uint32_t value = (uint32_t)call->arguments[index];
    const enum rl_pte_kind kind = rl_proved_value(call->values + 4 * (size_t)value, &table);
    if (kind == RL_PTE_TENSOR_LIST || kind == RL_PTE_OPTIONAL_TENSOR_LIST) {
        return rl_proved_vector(table, RL_PTE_payload_item, count);
    }
    *count = 1;
    return (const uint8_t *)&call->arguments[index];
}

static bool share(const struct rl_tensor *a, const struct rl_tensor *b)
{
    const uintptr_t first = (uintptr_t)a->data, second = (uintptr_t)b->data;
    return a->bytes > 0 && b->bytes > 0 && first < second + b->bytes && second < first + a->bytes;
}

// Whether two tensors of a call may share memory: an output may take that of an input, all of it, where the signature
// says so. Layouts may forbid it still, which operators see themselves. If shapes change, the largest sizes of a view
// and of its source need not agree.
static bool may_share(char letter, const struct planned *a, char other, const struct planned *b)
{
    const bool same =
        a->tensor.data == b->tensor.data && (a->tensor.bytes == b->tensor.bytes || (a->changes && b->changes));
    return !share(&a->tensor, &b->tensor) || (same && letter == 'O' && other == 'U');
}

// Whether a tensor that the call writes shares memory with an argument in front of the results, and may not. A value
// that a move replaces need not lie where the file says, and neither need the items of such a list.
static bool shares_memory(const struct rl_call *call, uint32_t written)
{
    const char *signature = call->kernel->signature;
    const uint32_t output = (uint32_t)call->arguments[written];
    struct planned own, other;
    if (!view_planned(call, output, &own)) {
        return false;
    }
    for (uint32_t i = 0; i < call->argument_count && signature[i] != 'R' && signature[i] != 'M'; i++) {
        uint32_t count;
        const uint8_t *values = i == written ? NULL : named_values(call, i, &count);
        for (uint32_t item = 0; values && item < count; item++) {
            const uint32_t value = rl_proved_u32(values + 4 * (size_t)item);
            if (value <= INT32_MAX && view_planned(call, value, &other) && // None is -1
                !may_share(signature[written], &own, signature[i], &other) && !rl_is_moved(call->method, output) &&
                !rl_is_moved(call->method, value) && !rl_is_moved(call->method, (uint32_t)call->arguments[i])) {
                return true;
            }
        }
    }
    return false;
}

bool rl_is_moved(const struct rl_method *method, uint32_t value)
{
    for (uint32_t i = 0; i < method->plan.instructions.count; i++) {
        const uint8_t *table;
        if (!rl_spend(rl_checked(method)->effort, 1)) {
            return true;
        }
        if (rl_proved_instruction(&method->program->pte, &method->plan.instructions, i, &table) == RL_PTE_MOVE_CALL &&
            rl_proved_number(table, RL_PTE_move_call_move_to) == value) {
            return true;
        }
    }
    return false;
}

enum rl_status rl_check_overlap(struct rl_call *call)
{
    for (uint32_t i = 0; i < call->argument_count; i++) {
        const char letter = call->kernel->signature[i];
        if ((letter == 'O' || letter == 'S') && shares_memory(call, i)) {
            return rl_call_refuse(call, i, RL_ERROR_TYPE,
                                  "an output or a work space shares memory with another tensor of its call");
        }
    }
    return RL_OK;
}
