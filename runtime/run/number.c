// SPDX-License-Identifier: Apache-2.0
//
// Outputs that need not be tensors. Few programs have any, so only firmware that asks for them links this file.
#include <string.h>

#include "runtime/run/slots.h"
#include "rushlight/runtime.h"

static void view_number(enum rl_scalar_type dtype, const uint8_t *table, struct rl_tensor *tensor)
{
    static const uint64_t zero = 0; // for a field that the table leaves out
    const uint8_t *field = rl_proved_field(table, RL_PTE_payload_item);
    tensor->dtype = (uint8_t)dtype;
    tensor->bytes = (uint32_t)rl_scalar_size((int)dtype);
    tensor->data = (void *)(uintptr_t)(field ? field : (const uint8_t *)&zero);
}

static void view_none(struct rl_tensor *tensor)
{
    static const int32_t sizes[1] = {0};
    static const uint8_t order[1] = {0};
    tensor->dtype = RL_UINT8;
    tensor->rank = 1;
    tensor->sizes = sizes;
    tensor->dim_order = order;
}

enum rl_status rl_method_output_value(struct rl_method *method, uint32_t index, struct rl_tensor *tensor)
{
    const struct rl_fb_vector *list = &method->plan.outputs;
    const struct rl_pte *pte = &method->program->pte;
    const uint8_t *table;
    if (index >= list->count) {
        return rl_method_output(method, index, tensor);
    }
    uint32_t value = (uint32_t)rl_proved_item(pte, list, index);
    memset(tensor, 0, sizeof *tensor);
    tensor->constant = true;
    switch (rl_value_now(method->slots, pte->fb.data + method->plan.values.items, &value, &table)) {
    case RL_PTE_INT:
        view_number(RL_INT64, table, tensor);
        return RL_OK;
    case RL_PTE_DOUBLE:
        view_number(RL_FLOAT64, table, tensor);
        return RL_OK;
    case RL_PTE_BOOL:
        view_number(RL_BOOL, table, tensor);
        return RL_OK;
    case RL_PTE_NULL:
        view_none(tensor);
        return RL_OK;
    default:
        return rl_method_output(method, index, tensor);
    }
}
