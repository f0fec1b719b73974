// SPDX-License-Identifier: Apache-2.0
//
// From a value of a proved program to a view of its memory: what rl_place_tensor checks, without the checks.
#include "format/proved.h"
#include "runtime/internal.h"

static const uint8_t *constant_data(const struct rl_pte *pte, uint32_t index)
{
    uint32_t count;
    if (pte->constants_inline)
        return rl_proved_vector(rl_proved_item_table(pte, &pte->constants, index), RL_PTE_buffer_storage,
                                &count);
    const uint8_t *offset = pte->fb.data + pte->constants.items + 8 * index;
    return pte->fb.data + pte->constants_position + rl_proved_u32(offset);
}

// Address that the caller bound to an input or output; NULL for other values.
static void *bound_data(const struct rl_method *method, uint32_t value)
{
    const struct rl_pte *pte = &method->program->pte;
    const struct rl_fb_vector *inputs = &method->plan.inputs, *outputs = &method->plan.outputs;
    for (uint32_t i = 0; i < inputs->count; i++) {
        if (rl_proved_item(pte, inputs, i) == (int32_t)value)
            return method->bound[i];
    }
    for (uint32_t i = 0; i < outputs->count; i++) {
        if (rl_proved_item(pte, outputs, i) == (int32_t)value)
            return method->bound[inputs->count + i];
    }
    return NULL;
}

static enum rl_place view_data(const struct rl_method *method, uint32_t value, const uint8_t *table,
                               struct rl_tensor *tensor)
{
    const uint8_t *allocation = rl_proved_child(table, RL_PTE_tensor_allocation_info);
    tensor->constant = false;
    if (allocation) {
        uint32_t memory = rl_proved_number(allocation, RL_PTE_allocation_memory_id) - 1;
        uint32_t offset = rl_proved_number(allocation, RL_PTE_allocation_memory_offset_low);
        tensor->data = (uint8_t *)method->buffers[memory].data + offset;
        return RL_PLACE_PLANNED;
    }
    uint32_t constant = rl_proved_number(table, RL_PTE_tensor_data_buffer_idx);
    if (constant != 0) {
        tensor->data = (void *)(uintptr_t)constant_data(&method->program->pte, constant);
        tensor->constant = true;
        return RL_PLACE_CONSTANT;
    }
    tensor->data = bound_data(method, value);
    return RL_PLACE_CALLER;
}

enum rl_place rl_view_tensor(const struct rl_method *method, uint32_t value, const uint8_t *table,
                             struct rl_tensor *tensor)
{
    uint32_t rank, bytes;
    tensor->dtype = (uint8_t)rl_proved_byte(table, RL_PTE_tensor_scalar_type);
    tensor->sizes = (const int32_t *)(const void *)rl_proved_vector(table, RL_PTE_tensor_sizes, &rank);
    tensor->rank = (uint8_t)rank;
    tensor->dim_order = rl_proved_vector(table, RL_PTE_tensor_dim_order, &rank);
    bytes = (uint32_t)rl_scalar_size(tensor->dtype);
    for (uint32_t i = 0; i < tensor->rank; i++)
        bytes *= (uint32_t)tensor->sizes[i];
    tensor->bytes = bytes;
    return view_data(method, value, table, tensor);
}

enum rl_pte_kind rl_view_value(const struct rl_method *method, uint32_t value, const uint8_t **table)
{
    const struct rl_pte *pte = &method->program->pte;
    if (value >= method->plan.values.count)
        return RL_PTE_INVALID;
    const uint8_t *found = rl_proved_item_table(pte, &method->plan.values, value);
    *table = rl_proved_child(found, RL_PTE_value_table);
    return (enum rl_pte_kind)rl_proved_byte(found, RL_PTE_value_type);
}
