// SPDX-License-Identifier: Apache-2.0
//
// What operators and hooks read their arguments with.
#include <string.h>

#include "runtime/internal.h"

enum rl_status rl_call_refuse(struct rl_call *call, uint32_t argument, enum rl_status status,
                              const char *message)
{
    if (call->status != RL_OK)
        return call->status;
    struct rl_error *error = &call->method->error;
    rl_report(error, status, message, 0);
    error->operator_name = call->kernel->name;
    error->instruction = (int32_t)call->instruction;
    error->argument = (int32_t)argument;
    error->value = rl_call_value(call, argument);
    call->status = status;
    return status;
}

int32_t rl_call_value(const struct rl_call *call, uint32_t argument)
{
    if (argument >= call->arguments.count)
        return -1;
    return rl_pte_item_i32(&call->method->program->pte, &call->arguments, argument);
}

// Kind of an argument and the table of its value.
static enum rl_pte_kind find(const struct rl_call *call, uint32_t argument, uint32_t *table)
{
    uint32_t value = (uint32_t)rl_call_value(call, argument);
    return rl_pte_value(&call->method->program->pte, &call->method->plan, value, table);
}

enum rl_pte_kind rl_call_kind(const struct rl_call *call, uint32_t argument)
{
    uint32_t table;
    return find(call, argument, &table);
}

// ---- tensors

static void view_value(struct rl_call *call, uint32_t argument, uint32_t value, struct rl_tensor *tensor)
{
    const char *message;
    enum rl_status status = rl_view_tensor(call->method, value, tensor, &message);
    if (status != RL_OK)
        rl_call_refuse(call, argument, status, message);
    else if (!tensor->data && tensor->bytes > 0)
        rl_call_refuse(call, argument, RL_ERROR_MEMORY,
                       "a tensor has no memory: it is neither planned nor bound by the caller");
}

void rl_call_tensor(struct rl_call *call, uint32_t argument, struct rl_tensor *tensor)
{
    view_value(call, argument, (uint32_t)rl_call_value(call, argument), tensor);
}

bool rl_call_optional_tensor(struct rl_call *call, uint32_t argument, struct rl_tensor *tensor)
{
    if (rl_call_kind(call, argument) == RL_PTE_NULL) {
        memset(tensor, 0, sizeof *tensor);
        return false;
    }
    rl_call_tensor(call, argument, tensor);
    return call->status == RL_OK;
}

void rl_call_output(struct rl_call *call, uint32_t argument, struct rl_tensor *tensor)
{
    rl_call_tensor(call, argument, tensor);
    if (tensor->constant)
        rl_call_refuse(call, argument, RL_ERROR_FORMAT, "an operator would write to a constant");
}

// Values that a list of tensors names; empty and refused when it is none.
static struct rl_fb_vector find_list(struct rl_call *call, uint32_t argument)
{
    struct rl_fb_vector items = {0};
    uint32_t table;
    enum rl_pte_kind kind = find(call, argument, &table);
    bool is_list = kind == RL_PTE_TENSOR_LIST || kind == RL_PTE_OPTIONAL_TENSOR_LIST;
    if (!is_list || !rl_pte_list(&call->method->program->pte, table, 4, &items))
        rl_call_refuse(call, argument, RL_ERROR_TYPE, "a list of tensors was expected here");
    return items;
}

uint32_t rl_call_list(struct rl_call *call, uint32_t argument)
{
    return find_list(call, argument).count;
}

void rl_call_list_tensor(struct rl_call *call, uint32_t argument, uint32_t index, struct rl_tensor *tensor)
{
    struct rl_fb_vector items = find_list(call, argument);
    memset(tensor, 0, sizeof *tensor);
    if (index < items.count)
        view_value(call, argument, (uint32_t)rl_pte_item_i32(&call->method->program->pte, &items, index),
                   tensor);
    else
        rl_call_refuse(call, argument, RL_ERROR_TYPE, "a list has fewer tensors than the operator needs");
}

void rl_call_list_output(struct rl_call *call, uint32_t argument, uint32_t index, struct rl_tensor *tensor)
{
    rl_call_list_tensor(call, argument, index, tensor);
    if (tensor->constant)
        rl_call_refuse(call, argument, RL_ERROR_FORMAT, "an operator would write to a constant");
}

// ---- numbers

// Table of an argument of the given kind; RL_FB_ABSENT, which reads as zero, when it is of another kind.
static uint32_t expect(struct rl_call *call, uint32_t argument, enum rl_pte_kind kind, const char *message)
{
    uint32_t table;
    if (find(call, argument, &table) == kind)
        return table;
    rl_call_refuse(call, argument, RL_ERROR_TYPE, message);
    return RL_FB_ABSENT;
}

int64_t rl_call_int(struct rl_call *call, uint32_t argument)
{
    return rl_pte_int(&call->method->program->pte,
                      expect(call, argument, RL_PTE_INT, "an int was expected here"));
}

static int32_t narrow(struct rl_call *call, uint32_t argument, int64_t number)
{
    if (number >= INT32_MIN && number <= INT32_MAX)
        return (int32_t)number;
    rl_call_refuse(call, argument, RL_ERROR_TYPE, "an int does not fit 32 bits");
    return 0;
}

int32_t rl_call_int32(struct rl_call *call, uint32_t argument)
{
    return narrow(call, argument, rl_call_int(call, argument));
}

bool rl_call_bool(struct rl_call *call, uint32_t argument)
{
    return rl_pte_bool(&call->method->program->pte,
                       expect(call, argument, RL_PTE_BOOL, "a bool was expected here"));
}

double rl_call_number(struct rl_call *call, uint32_t argument)
{
    uint32_t table;
    const struct rl_pte *pte = &call->method->program->pte;
    switch (find(call, argument, &table)) {
    case RL_PTE_DOUBLE:
        return rl_pte_double(pte, table);
    case RL_PTE_INT:
        return (double)rl_pte_int(pte, table);
    case RL_PTE_BOOL:
        return rl_pte_bool(pte, table) ? 1 : 0;
    default:
        rl_call_refuse(call, argument, RL_ERROR_TYPE, "a number was expected here");
        return 0;
    }
}

// Unlike rl_call_number it takes ints of 32 bits only, which spares small programs the conversion of wider
// ones.
double rl_call_double(struct rl_call *call, uint32_t argument)
{
    uint32_t table;
    const struct rl_pte *pte = &call->method->program->pte;
    enum rl_pte_kind kind = find(call, argument, &table);
    if (kind == RL_PTE_DOUBLE)
        return rl_pte_double(pte, table);
    if (kind == RL_PTE_INT)
        return narrow(call, argument, rl_pte_int(pte, table));
    rl_call_refuse(call, argument, RL_ERROR_TYPE, "a float was expected here");
    return 0;
}

uint32_t rl_call_ints(struct rl_call *call, uint32_t argument, int32_t *items, uint32_t capacity)
{
    const struct rl_pte *pte = &call->method->program->pte;
    struct rl_fb_vector list;
    uint32_t table;
    enum rl_pte_kind kind = find(call, argument, &table);
    memset(items, 0, capacity * sizeof *items);
    if (kind == RL_PTE_NULL)
        return 0;
    if (kind != RL_PTE_INT_LIST || !rl_pte_list(pte, table, 8, &list)) {
        rl_call_refuse(call, argument, RL_ERROR_TYPE, "a list of ints was expected here");
        return 0;
    }
    if (list.count > capacity) {
        rl_call_refuse(call, argument, RL_ERROR_TYPE, "a list has more items than the operator takes");
        return 0;
    }
    for (uint32_t i = 0; i < list.count; i++) {
        int64_t value = rl_pte_item_i64(pte, &list, i);
        uint32_t item = RL_FB_ABSENT;
        if (value < 0 || value > INT32_MAX ||
            rl_pte_value(pte, &call->method->plan, (uint32_t)value, &item) != RL_PTE_INT)
            rl_call_refuse(call, argument, RL_ERROR_TYPE, "an item of a list is no int");
        else
            items[i] = narrow(call, argument, rl_pte_int(pte, item));
    }
    return list.count;
}
