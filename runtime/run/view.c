// SPDX-License-Identifier: Apache-2.0
//
// From a value of a proved program to a view of its memory. rl_place_tensor does the same with checks.
#include "runtime/run/view.h"
#include "format/proved.h"
#include "runtime/flow.h"
#include "runtime/run/slots.h"

static const uint8_t *constant_data(const struct rl_pte *pte, uint32_t index)
{
    uint32_t count;
    if (pte->constants_inline) {
        return rl_proved_vector(rl_proved_item_table(pte, &pte->constants, index), RL_PTE_buffer_storage, &count);
    }
    const uint8_t *offset = pte->fb.data + pte->constants.items + 8 * index;
    return pte->fb.data + pte->constants_position + rl_proved_u32(offset);
}

static void *planned_data(const struct rl_method *method, const uint8_t *allocation)
{
    uint32_t memory = rl_proved_u32(rl_proved_present(allocation, RL_PTE_allocation_memory_id));
    uint32_t offset = rl_proved_number(allocation, RL_PTE_allocation_memory_offset_low);
    return (uint8_t *)method->buffers[memory - 1].data + offset;
}

// The address that the caller bound to an input or output; NULL for other values.
static void *bound_data(const struct rl_method *method, uint32_t value)
{
    const struct rl_fb_vector *lists[] = {&method->plan.inputs, &method->plan.outputs};
    void **bound = method->bound;
    for (uint32_t list = 0; list < 2; list++) {
        for (uint32_t i = 0; i < lists[list]->count; i++, bound++) {
            if (rl_proved_item(&method->program->pte, lists[list], i) == (int32_t)value) {
                return *bound;
            }
        }
    }
    return NULL;
}

// The place that a tensor has in the file, without aliases.
static enum rl_storage find_place(const struct rl_method *method, uint32_t value, const uint8_t *table,
                                  struct rl_tensor *tensor)
{
    const uint8_t *allocation = rl_proved_child(table, RL_PTE_tensor_allocation_info);
    const uint32_t constant = rl_proved_number(table, RL_PTE_tensor_data_buffer_idx);
    if (allocation) {
        tensor->data = planned_data(method, allocation);
        return RL_STORAGE_PLANNED;
    }
    if (method->program->find_data && method->flow->find(method, value, table, tensor)) {
        return RL_STORAGE_EXTERNAL;
    }
    if (constant != 0) {
        tensor->data = (void *)(uintptr_t)constant_data(&method->program->pte, constant);
        tensor->constant = true;
        return RL_STORAGE_CONSTANT;
    }
    tensor->data = bound_data(method, value);
    return RL_STORAGE_CALLER;
}

// The bytes of a tensor with its largest sizes, which are in the file.
static uint32_t largest_bytes(const uint8_t *table)
{
    uint32_t rank, bytes = (uint32_t)rl_scalar_size((int)rl_proved_byte(table, RL_PTE_tensor_scalar_type));
    const uint8_t *sizes = rl_proved_vector(table, RL_PTE_tensor_sizes, &rank);
    for (uint32_t i = rank; i-- > 0;) {
        bytes *= rl_proved_u32(sizes + 4 * i);
    }
    return bytes;
}

// The place of an alias. It has as much memory as its source, whatever sizes it got since.
static enum rl_storage find_alias(const struct rl_method *method, uint32_t value, struct rl_tensor *tensor)
{
    const uint8_t *values = method->program->pte.fb.data + method->plan.values.items, *table;
    const uint32_t source = method->slots[value].words[0];
    rl_proved_value(values + 4 * (size_t)source, &table);
    const enum rl_storage place = find_place(method, source, table, tensor);
    tensor->constant = true;
    if (tensor->bytes > largest_bytes(table)) {
        tensor->data = NULL;
    }
    return place;
}

enum rl_storage rl_view_tensor(const struct rl_method *method, uint32_t value, const uint8_t *table,
                               struct rl_tensor *tensor)
{
    // Everything is read before anything is written, so that the compiler looks up the vtable once.
    uint32_t rank, order;
    const uint8_t *dim_order = rl_proved_vector(table, RL_PTE_tensor_dim_order, &order);
    const uint8_t *sizes = rl_proved_vector(table, RL_PTE_tensor_sizes, &rank);
    uint32_t dtype = rl_proved_byte(table, RL_PTE_tensor_scalar_type);
    uint32_t bytes = (uint32_t)rl_scalar_size((int)dtype);
    if (method->slots && rl_own_sizes(&method->slots[value]) != 0) {
        sizes = (const uint8_t *)method->slots + 4 * (size_t)rl_own_sizes(&method->slots[value]);
    }
    for (uint32_t i = rank; i-- > 0;) {
        bytes *= rl_proved_u32(sizes + 4 * i);
    }
    tensor->sizes = (const int32_t *)(const void *)sizes;
    tensor->dim_order = dim_order;
    tensor->bytes = bytes;
    tensor->rank = (uint8_t)rank;
    tensor->dtype = (uint8_t)dtype;
    tensor->constant = false;
    if (method->slots && method->slots[value].kind == RL_SLOT_ALIAS) {
        return find_alias(method, value, tensor);
    }
    return find_place(method, value, table, tensor);
}

// The source is a tensor in the file, also for an alias of an alias. A tensor with a place of its own in the file does
// not become an alias: if its source is elsewhere, verification has refused the call.
void rl_alias(struct rl_call *call, uint32_t argument, uint32_t source)
{
    const uint8_t *table, *from_table;
    struct rl_tensor own, other;
    uint32_t value = (uint32_t)call->arguments[argument], from = (uint32_t)call->arguments[source];
    if (rl_value_now(call->slots, call->values, &value, &table) != RL_PTE_TENSOR ||
        rl_value_now(call->slots, call->values, &from, &from_table) != RL_PTE_TENSOR) {
        return;
    }
    struct rl_slot *slot = &call->slots[value];
    rl_view_tensor(call->method, from, from_table, &other);
    slot->kind = RL_SLOT_UNCHANGED;
    const enum rl_storage place = rl_view_tensor(call->method, value, table, &own);
    if (argument == source || own.data == other.data || place != RL_STORAGE_CALLER) {
        return;
    }
    slot->words[0] = call->slots[from].kind == RL_SLOT_ALIAS ? call->slots[from].words[0] : from;
    slot->kind = RL_SLOT_ALIAS;
}
