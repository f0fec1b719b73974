// SPDX-License-Identifier: Apache-2.0
//
// The functions with which operators read their arguments, for programs in C (rushlight/direct.h). The compiler has
// checked kinds, ranges and shapes by running the operators on the same values, so nothing is checked again. What is
// refused here is data that an operator refuses itself.
#include "rushlight/direct.h"

#include <string.h>

#include "rushlight/operator.h"

// A call and where it reads its arguments. Operators see the first member.
struct direct_call {
    struct rl_call call;
    const struct rl_direct_value *values;
    uint8_t *arena;
};

enum rl_status rl_direct_call(enum rl_status (*run)(struct rl_call *call), const struct rl_direct_value *values,
                              void *arena)
{
    struct rl_method method;
    struct direct_call direct;
    method.stand_in = NULL; // of the method, operators read only this and `spare`
    method.spare.data = NULL;
    method.spare.bytes = 0;
    memset(&direct.call, 0, sizeof direct.call);
    direct.call.method = &method;
    direct.values = values;
    direct.arena = arena;
    const enum rl_status status = run(&direct.call);
    return direct.call.status != RL_OK ? direct.call.status : status;
}

static const struct rl_direct_value *find(const struct rl_call *call, uint32_t argument)
{
    return &((const struct direct_call *)call)->values[argument];
}

enum rl_status rl_call_fail(struct rl_call *call, uint32_t argument, enum rl_status status, const char *message)
{
    (void)argument;
    (void)message;
    if (call->status == RL_OK) {
        call->status = status;
    }
    return call->status;
}

enum rl_pte_kind rl_call_kind(const struct rl_call *call, uint32_t argument)
{
    return find(call, argument)->kind;
}

// Operators take it for an identity at most: no two arguments are one value unless they are the same struct.
int32_t rl_call_value(const struct rl_call *call, uint32_t argument)
{
    (void)call;
    return (int32_t)argument;
}

// ---- tensors

static void view(const struct rl_call *call, const struct rl_direct_tensor *from, struct rl_tensor *tensor)
{
    uint8_t *arena = ((const struct direct_call *)call)->arena;
    tensor->data = from->constant ? (void *)(uintptr_t)from->constant : arena + from->offset;
    tensor->sizes = from->sizes;
    tensor->dim_order = from->dim_order;
    tensor->bytes = from->bytes;
    tensor->rank = from->rank;
    tensor->dtype = from->dtype;
    tensor->constant = from->constant;
}

void rl_call_tensor(struct rl_call *call, uint32_t argument, struct rl_tensor *tensor)
{
    view(call, find(call, argument)->data, tensor);
}

bool rl_call_optional_tensor(struct rl_call *call, uint32_t argument, struct rl_tensor *tensor)
{
    if (find(call, argument)->kind == RL_PTE_TENSOR) {
        rl_call_tensor(call, argument, tensor);
        return true;
    }
    memset(tensor, 0, sizeof *tensor);
    return false;
}

void rl_call_output(struct rl_call *call, uint32_t argument, struct rl_tensor *tensor)
{
    rl_call_tensor(call, argument, tensor);
    call->empty = tensor->bytes == 0;
}

uint32_t rl_call_list(struct rl_call *call, uint32_t argument)
{
    return (uint32_t)find(call, argument)->number;
}

static const struct rl_direct_tensor *item(const struct rl_call *call, uint32_t argument, uint32_t index)
{
    const struct rl_direct_tensor *const *items = find(call, argument)->data;
    return items[index];
}

void rl_call_list_tensor(struct rl_call *call, uint32_t argument, uint32_t index, struct rl_tensor *tensor)
{
    view(call, item(call, argument, index), tensor);
}

bool rl_call_list_optional_tensor(struct rl_call *call, uint32_t argument, uint32_t index, struct rl_tensor *tensor)
{
    const struct rl_direct_tensor *from = item(call, argument, index);
    if (from) {
        view(call, from, tensor);
        return true;
    }
    memset(tensor, 0, sizeof *tensor);
    return false;
}

void rl_call_list_output(struct rl_call *call, uint32_t argument, uint32_t index, struct rl_tensor *tensor)
{
    rl_call_list_tensor(call, argument, index, tensor);
}

// Shapes are fixed. A result whose size depends on data, such as that of a mask, may have another one.
static void check_sizes(struct rl_call *call, uint32_t argument, const struct rl_tensor *tensor, uint32_t rank,
                        const int32_t *sizes)
{
    bool same = tensor->rank == rank;
    for (uint32_t i = 0; same && i < rank; i++) {
        same = tensor->sizes[i] == sizes[i];
    }
    if (!same) {
        rl_call_fail(call, argument, RL_ERROR_TYPE, NULL);
    }
}

void rl_call_resize(struct rl_call *call, uint32_t argument, struct rl_tensor *tensor, uint32_t rank,
                    const int32_t *sizes)
{
    check_sizes(call, argument, tensor, rank, sizes);
}

void rl_call_list_resize(struct rl_call *call, uint32_t argument, uint32_t index, struct rl_tensor *tensor,
                         uint32_t rank, const int32_t *sizes)
{
    (void)index;
    check_sizes(call, argument, tensor, rank, sizes);
}

void rl_call_alias(struct rl_call *call, uint32_t argument, uint32_t source)
{
    (void)call;
    (void)argument;
    (void)source;
}

// ---- numbers and strings

int64_t rl_call_int(struct rl_call *call, uint32_t argument)
{
    const struct rl_direct_value *value = find(call, argument);
    int64_t number = value->number;
    if (value->data) {
        memcpy(&number, value->data, sizeof number);
    }
    return number;
}

int32_t rl_call_int32(struct rl_call *call, uint32_t argument)
{
    return find(call, argument)->number;
}

int32_t rl_call_bounded(struct rl_call *call, uint32_t argument, int32_t lowest, int32_t highest)
{
    (void)lowest;
    (void)highest;
    return find(call, argument)->number;
}

bool rl_call_bool(struct rl_call *call, uint32_t argument)
{
    return find(call, argument)->number != 0;
}

double rl_call_double(struct rl_call *call, uint32_t argument)
{
    const struct rl_direct_value *value = find(call, argument);
    double number;
    if (value->kind != RL_PTE_DOUBLE) {
        return (double)rl_call_int(call, argument);
    }
    memcpy(&number, value->data, sizeof number);
    return number;
}

double rl_call_number(struct rl_call *call, uint32_t argument)
{
    return rl_call_double(call, argument);
}

float rl_call_positive_float(struct rl_call *call, uint32_t argument)
{
    return (float)rl_call_double(call, argument);
}

const char *rl_call_string(struct rl_call *call, uint32_t argument)
{
    return find(call, argument)->data;
}

static int32_t nearest_to_zero(int32_t lowest, int32_t highest)
{
    if (lowest > 0) {
        return lowest;
    }
    return highest < 0 ? highest : 0;
}

uint32_t rl_call_bounded_ints(struct rl_call *call, uint32_t argument, int32_t *items, uint32_t capacity,
                              int32_t lowest, int32_t highest)
{
    const struct rl_direct_value *value = find(call, argument);
    const int32_t *from = value->kind == RL_PTE_INT ? &value->number : value->data;
    uint32_t count = value->kind == RL_PTE_INT_LIST ? (uint32_t)value->number : value->kind == RL_PTE_INT;
    for (uint32_t i = 0; i < count; i++) {
        items[i] = from[i];
    }
    for (uint32_t i = count; i < capacity; i++) {
        items[i] = nearest_to_zero(lowest, highest);
    }
    return count;
}

uint32_t rl_call_ints(struct rl_call *call, uint32_t argument, int32_t *items, uint32_t capacity)
{
    return rl_call_bounded_ints(call, argument, items, capacity, INT32_MIN, INT32_MAX);
}

uint32_t rl_call_doubles(struct rl_call *call, uint32_t argument, double *items, uint32_t capacity)
{
    const struct rl_direct_value *value = find(call, argument);
    const uint32_t count = value->kind == RL_PTE_DOUBLE_LIST ? (uint32_t)value->number : 0;
    (void)capacity;
    if (count > 0) {
        memcpy(items, value->data, count * sizeof *items);
    }
    return count;
}

// The compiler refuses programs whose values change.
void rl_call_set_int(struct rl_call *call, uint32_t argument, int64_t number)
{
    (void)number;
    rl_call_fail(call, argument, RL_ERROR_UNSUPPORTED, NULL);
}

void rl_call_set_bool(struct rl_call *call, uint32_t argument, bool number)
{
    (void)number;
    rl_call_fail(call, argument, RL_ERROR_UNSUPPORTED, NULL);
}

void rl_call_set_double(struct rl_call *call, uint32_t argument, double number)
{
    (void)number;
    rl_call_fail(call, argument, RL_ERROR_UNSUPPORTED, NULL);
}

const void *rl_call_keep(struct rl_call *call, const void *made, uint32_t bytes)
{
    (void)bytes;
    return call->status == RL_OK && !call->empty ? made : NULL;
}
