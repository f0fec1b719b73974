// SPDX-License-Identifier: Apache-2.0
//
// The functions with which operators and hooks read their arguments: tensors, their element types and their sizes.
#include <string.h>

#include "runtime/error.h"
#include "runtime/flow.h"
#include "runtime/run/call.h"
#include "runtime/run/view.h"

int32_t rl_call_value(const struct rl_call *call, uint32_t argument)
{
    return argument < call->argument_count ? call->arguments[argument] : -1;
}

enum rl_status rl_call_fail(struct rl_call *call, uint32_t argument, enum rl_status status, const char *message)
{
    if (call->status != RL_OK) {
        return call->status;
    }
    struct rl_error *error = &call->method->error;
    rl_record(error, status, message, 0);
    error->operator_name = call->kernel->name;
    error->instruction = (int32_t)call->instruction;
    error->argument = (int32_t)argument;
    error->value = rl_call_value(call, argument);
    call->status = status;
    return status;
}

enum rl_pte_kind rl_call_find_place(const struct rl_call *call, uint32_t argument, uint32_t *value,
                                    const uint8_t **table)
{
    if (argument >= call->argument_count) {
        return RL_PTE_INVALID;
    }
    *value = (uint32_t)call->arguments[argument];
    return rl_call_find_value(call, value, table);
}

enum rl_pte_kind rl_call_find(const struct rl_call *call, uint32_t argument, const uint8_t **table)
{
    uint32_t value;
    return rl_call_find_place(call, argument, &value, table);
}

enum rl_pte_kind rl_call_kind(const struct rl_call *call, uint32_t argument)
{
    const uint8_t *table;
    return rl_call_find(call, argument, &table);
}

// ---- tensors

static void view(struct rl_call *call, uint32_t argument, uint32_t value, const uint8_t *table,
                 struct rl_tensor *tensor)
{
    if (rl_view_tensor(call->method, value, table, tensor) == RL_STORAGE_CALLER) {
        if (call->method->stand_in) {
            tensor->data = call->method->stand_in(call->method, value);
        } else {
            call->keeps = false; // another address may be bound
        }
    }
    if (tensor->data) {
        return;
    }
    // An empty tensor gets an address that nobody reads, because nothing may be added to NULL, not even 0.
    tensor->data = (void *)(uintptr_t)call->values;
    if (tensor->bytes > 0) {
        rl_call_refuse(call, argument, RL_ERROR_MEMORY,
                       "a tensor has no memory: it is neither planned nor bound by the caller");
    }
}

static void refuse_view(struct rl_call *call, uint32_t argument, const char *message, struct rl_tensor *tensor)
{
    memset(tensor, 0, sizeof *tensor);
    rl_call_refuse(call, argument, RL_ERROR_TYPE, message);
}

void rl_call_tensor(struct rl_call *call, uint32_t argument, struct rl_tensor *tensor)
{
    uint32_t value;
    const uint8_t *table;
    if (rl_call_find_place(call, argument, &value, &table) == RL_PTE_TENSOR) {
        view(call, argument, value, table, tensor);
    } else {
        refuse_view(call, argument, "a tensor was expected here", tensor);
    }
}

bool rl_call_optional_tensor(struct rl_call *call, uint32_t argument, struct rl_tensor *tensor)
{
    uint32_t value;
    const uint8_t *table;
    enum rl_pte_kind kind = rl_call_find_place(call, argument, &value, &table);
    if (kind == RL_PTE_TENSOR) {
        view(call, argument, value, table, tensor);
    } else if (kind == RL_PTE_NULL) {
        memset(tensor, 0, sizeof *tensor);
    } else {
        refuse_view(call, argument, "a tensor was expected here", tensor);
    }
    return kind == RL_PTE_TENSOR && call->status == RL_OK;
}

void rl_call_output(struct rl_call *call, uint32_t argument, struct rl_tensor *tensor)
{
    rl_call_tensor(call, argument, tensor);
    call->empty = tensor->bytes == 0;
    if (tensor->constant) {
        rl_call_refuse(call, argument, RL_ERROR_FORMAT, "an operator would write to a constant");
    }
}

// The indices of the values in a list of tensors. Refuses an argument that is not a list of tensors; *count is then 0.
static const uint8_t *find_list(struct rl_call *call, uint32_t argument, uint32_t *count)
{
    const uint8_t *table;
    enum rl_pte_kind kind = rl_call_find(call, argument, &table);
    if (kind == RL_PTE_TENSOR_LIST || kind == RL_PTE_OPTIONAL_TENSOR_LIST) {
        return rl_proved_vector(table, RL_PTE_payload_item, count);
    }
    rl_call_refuse(call, argument, RL_ERROR_TYPE, "a list of tensors was expected here");
    *count = 0;
    return NULL;
}

uint32_t rl_call_list(struct rl_call *call, uint32_t argument)
{
    uint32_t count;
    find_list(call, argument, &count);
    return count;
}

void rl_call_list_tensor(struct rl_call *call, uint32_t argument, uint32_t index, struct rl_tensor *tensor)
{
    uint32_t count;
    const uint8_t *items = find_list(call, argument, &count), *table;
    uint32_t value = index < count ? rl_proved_u32(items + 4 * index) : UINT32_MAX; // None is -1
    if (value > INT32_MAX) {
        refuse_view(call, argument, "a list has fewer tensors than the operator needs", tensor);
    } else if (rl_call_find_value(call, &value, &table) == RL_PTE_TENSOR) {
        view(call, argument, value, table, tensor);
    } else {
        refuse_view(call, argument, "a tensor was expected here", tensor);
    }
}

bool rl_call_list_optional_tensor(struct rl_call *call, uint32_t argument, uint32_t index, struct rl_tensor *tensor)
{
    uint32_t count;
    const uint8_t *items = find_list(call, argument, &count);
    bool is_none = index < count && rl_proved_u32(items + 4 * index) == UINT32_MAX;
    memset(tensor, 0, sizeof *tensor);
    if (!is_none) {
        rl_call_list_tensor(call, argument, index, tensor);
    }
    return !is_none && call->status == RL_OK;
}

void rl_call_list_output(struct rl_call *call, uint32_t argument, uint32_t index, struct rl_tensor *tensor)
{
    rl_call_list_tensor(call, argument, index, tensor);
    if (tensor->constant) {
        rl_call_refuse(call, argument, RL_ERROR_FORMAT, "an operator would write to a constant");
    }
}

// ---- tensors of float64

static bool is_float64(enum rl_pte_kind kind, const uint8_t *table)
{
    return kind == RL_PTE_TENSOR && rl_proved_byte(table, RL_PTE_tensor_scalar_type) == RL_FLOAT64;
}

// Whether the method has tensors of float64. Most have none, so the answer is kept.
static bool method_has_float64(const struct rl_call *call)
{
    enum { UNKNOWN, NONE, SOME };
    struct rl_method *method = call->method;
    if (method->doubles != UNKNOWN) {
        return method->doubles == SOME;
    }
    method->doubles = NONE;
    for (uint32_t i = 0; i < method->plan.values.count && method->doubles == NONE; i++) {
        const uint8_t *table;
        const enum rl_pte_kind kind = rl_proved_value(call->values + 4 * i, &table);
        method->doubles = is_float64(kind, table) ? SOME : NONE;
    }
    return method->doubles == SOME;
}

static bool list_has_float64(const struct rl_call *call, const uint8_t *list)
{
    uint32_t count;
    const uint8_t *items = rl_proved_vector(list, RL_PTE_payload_item, &count), *table;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t value = rl_proved_u32(items + 4 * i);
        if (value > INT32_MAX) { // None is -1
            continue;
        }
        const enum rl_pte_kind kind = rl_call_find_value(call, &value, &table);
        if (is_float64(kind, table)) {
            return true;
        }
    }
    return false;
}

bool rl_call_has_float64(const struct rl_call *call)
{
    bool found = false;
    for (uint32_t i = 0; method_has_float64(call) && !found && i < call->argument_count; i++) {
        const uint8_t *table;
        const enum rl_pte_kind kind = rl_call_find(call, i, &table);
        if (kind == RL_PTE_TENSOR_LIST || kind == RL_PTE_OPTIONAL_TENSOR_LIST) {
            found = list_has_float64(call, table);
        } else {
            found = is_float64(kind, table);
        }
    }
    return found;
}

// ---- sizes of results

static bool has_sizes(const struct rl_tensor *tensor, uint32_t rank, const int32_t *sizes)
{
    bool same = tensor->rank == rank;
    for (uint32_t i = 0; same && i < rank; i++) {
        same = tensor->sizes[i] == sizes[i];
    }
    return same;
}

// Gives these sizes to output `index` of a list, or to the output that the argument is.
static void resize(struct rl_call *call, uint32_t argument, uint32_t index, uint32_t rank, const int32_t *sizes)
{
    const struct rl_control_flow *flow = call->method->flow;
    const char *message = rl_sentence("the output has other sizes than the result");
    if (call->slots && flow) {
        message = flow->resize_output(call, argument, index, rank, sizes);
    }
    if (message) {
        rl_call_fail(call, argument, RL_ERROR_TYPE, message);
    }
}

void rl_call_resize(struct rl_call *call, uint32_t argument, struct rl_tensor *tensor, uint32_t rank,
                    const int32_t *sizes)
{
    if (call->status != RL_OK || has_sizes(tensor, rank, sizes)) {
        return;
    }
    resize(call, argument, 0, rank, sizes);
    rl_call_tensor(call, argument, tensor);
    call->empty = tensor->bytes == 0;
}

void rl_call_list_resize(struct rl_call *call, uint32_t argument, uint32_t index, struct rl_tensor *tensor,
                         uint32_t rank, const int32_t *sizes)
{
    if (call->status != RL_OK || has_sizes(tensor, rank, sizes)) {
        return;
    }
    resize(call, argument, index, rank, sizes);
    rl_call_list_tensor(call, argument, index, tensor);
}

void rl_call_alias(struct rl_call *call, uint32_t argument, uint32_t source)
{
    if (call->slots) {
        call->method->flow->alias(call, argument, source);
    }
}

// ---- work that later runs skip

const void *rl_call_keep(struct rl_call *call, const void *made, uint32_t bytes)
{
    struct rl_buffer *room = &call->method->room;
    const size_t rounded = (bytes + sizeof(void *) - 1) / sizeof(void *) * sizeof(void *);
    if (!rl_call_ready(call) || call->empty) {
        return NULL;
    }
    if (!call->keeps || rounded > room->bytes) {
        return made;
    }
    call->method->kept[call->instruction] = memcpy(room->data, made, bytes);
    room->data = (uint8_t *)room->data + rounded;
    room->bytes -= rounded;
    return made;
}
