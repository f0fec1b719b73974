// SPDX-License-Identifier: Apache-2.0
#include "format/pte_description.h"

enum { MAX_RANK = 16 };

static bool all_inside(const int32_t *indices, int count, int lowest, int end)
{
    for (int i = 0; i < count; i++) {
        if (indices[i] < lowest || indices[i] >= end) {
            return false;
        }
    }
    return true;
}

static bool is_permutation(const uint8_t *order, int rank)
{
    uint32_t seen = 0;
    for (int i = 0; i < rank; i++) {
        if (order[i] >= rank || (seen >> order[i] & 1) != 0) {
            return false;
        }
        seen |= 1u << order[i];
    }
    return true;
}

// Bytes of a tensor; false when they do not fit 31 bits.
static bool tensor_bytes(const struct rl_pte_tensor_description *tensor, uint64_t *bytes)
{
    *bytes = rl_scalar_size(tensor->dtype);
    for (int i = 0; i < tensor->rank; i++) {
        if (tensor->sizes[i] < 0) {
            return false;
        }
        *bytes *= (uint64_t)tensor->sizes[i];
        if (*bytes > INT32_MAX) {
            return false;
        }
    }
    return true;
}

static const char *check_tensor(const struct rl_pte_description *description,
                                const struct rl_pte_method_description *method,
                                const struct rl_pte_tensor_description *tensor)
{
    uint64_t bytes;
    if (rl_scalar_size(tensor->dtype) == 0) {
        return "a tensor has an unknown element type";
    }
    if (tensor->rank < 0 || tensor->rank > MAX_RANK || !is_permutation(tensor->dim_order, tensor->rank)) {
        return "a tensor's dim_order is not a permutation of its dimensions";
    }
    if (!tensor_bytes(tensor, &bytes)) {
        return "a tensor has a negative size or more than 2 GiB";
    }
    if (tensor->constant != 0 && tensor->memory_id != 0) {
        return "a tensor is both a constant and planned";
    }
    if (tensor->constant > (uint32_t)description->constant_count) {
        return "a tensor refers to a constant that does not exist";
    }
    if (tensor->constant != 0 && description->constants[tensor->constant - 1].size < bytes) {
        return "a tensor is larger than its constant";
    }
    if (tensor->initial > (uint32_t)description->initial_count || (tensor->initial != 0 && tensor->memory_id == 0)) {
        return "a tensor refers to a first value that does not exist, or has no place for it";
    }
    if (tensor->initial != 0 && (tensor->constant != 0 || description->initials[tensor->initial - 1].size < bytes)) {
        return "a tensor is larger than its first value, or a constant";
    }
    if (tensor->memory_id > (uint32_t)method->buffer_count) {
        return "a tensor is planned in a buffer that does not exist";
    }
    if (tensor->memory_id == 0) {
        return NULL;
    }
    uint64_t size = (uint64_t)method->buffer_sizes[tensor->memory_id - 1];
    if (tensor->memory_offset % RL_PTE_ALIGNMENT != 0) {
        return "a planned tensor is not aligned";
    }
    if (tensor->memory_offset > size || bytes > size - tensor->memory_offset) {
        return "a planned tensor leaves its buffer";
    }
    return NULL;
}

static bool are_kind(const struct rl_pte_method_description *method, const struct rl_pte_value_description *list,
                     enum rl_pte_kind kind, bool optional)
{
    if (!all_inside(list->as.indices, list->count, optional ? -1 : 0, method->value_count)) {
        return false;
    }
    for (int i = 0; i < list->count; i++) {
        if (list->as.indices[i] >= 0 && method->values[list->as.indices[i]].kind != kind) {
            return false;
        }
    }
    return true;
}

static const char *check_value(const struct rl_pte_description *description,
                               const struct rl_pte_method_description *method,
                               const struct rl_pte_value_description *value)
{
    switch (value->kind) {
    case RL_PTE_NULL:
    case RL_PTE_INT:
    case RL_PTE_BOOL:
    case RL_PTE_DOUBLE:
    case RL_PTE_STRING:
    case RL_PTE_DOUBLE_LIST:
    case RL_PTE_BOOL_LIST:
        return NULL;
    case RL_PTE_TENSOR:
        return check_tensor(description, method, &value->as.tensor);
    case RL_PTE_INT_LIST:
        return are_kind(method, value, RL_PTE_INT, false) ? NULL : "an int list names a value that is not an int";
    case RL_PTE_TENSOR_LIST:
        return are_kind(method, value, RL_PTE_TENSOR, false) ? NULL
                                                             : "a tensor list names a value that is not a tensor";
    case RL_PTE_OPTIONAL_TENSOR_LIST:
        return are_kind(method, value, RL_PTE_TENSOR, true) ? NULL : "a tensor list names a value that is not a tensor";
    case RL_PTE_INVALID:
        break;
    }
    return "a value has an unknown kind";
}

static const char *check_method(const struct rl_pte_description *description,
                                const struct rl_pte_method_description *method)
{
    if (!all_inside(method->inputs, method->input_count, 0, method->value_count) ||
        !all_inside(method->outputs, method->output_count, 0, method->value_count)) {
        return "an input or output is a value that does not exist";
    }
    for (int i = 0; i < method->buffer_count; i++) {
        if (method->buffer_sizes[i] < 0 || method->buffer_sizes[i] > INT32_MAX) {
            return "a planned buffer has a negative size or more than 2 GiB";
        }
    }
    for (int i = 0; i < method->value_count; i++) {
        const char *message = check_value(description, method, &method->values[i]);
        if (message) {
            return message;
        }
    }
    for (int i = 0; i < method->instruction_count; i++) {
        const struct rl_pte_instruction_description *instruction = &method->instructions[i];
        if (!all_inside(&(int32_t){instruction->op_index}, 1, 0, method->operator_count)) {
            return "an instruction calls an operator that does not exist";
        }
        if (!all_inside(instruction->args, instruction->arg_count, 0, method->value_count)) {
            return "an argument is a value that does not exist";
        }
    }
    return NULL;
}

const char *rl_pte_check_description(const struct rl_pte_description *description)
{
    for (int i = 0; i < description->method_count; i++) {
        const char *message = check_method(description, &description->methods[i]);
        if (message) {
            return message;
        }
    }
    return NULL;
}
