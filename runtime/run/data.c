// SPDX-License-Identifier: Apache-2.0
//
// Tensors with an initial value: mutable buffers, which keep their values from run to run, and tensors in another file.
#include <string.h>

#include "format/proved.h"
#include "format/ptd_reader.h"
#include "runtime/error.h"
#include "runtime/run/shapes.h"
#include "runtime/run/slots.h"
#include "runtime/run/view.h"
#include "runtime/verify/verify.h"

// The bytes of item `index` in set `set` of initial values.
static const uint8_t *initial_data(const struct rl_pte *pte, const uint8_t *sets, uint32_t set, uint32_t index)
{
    uint32_t count;
    const uint8_t *table = rl_proved_follow(sets + 4 * set);
    const uint8_t *offsets = rl_proved_vector(table, RL_PTE_subsegment_offsets, &count);
    const uint32_t number = rl_proved_number(table, RL_PTE_subsegment_segment_index);
    const uint8_t *segment = rl_proved_item_table(pte, &pte->segments, number);
    const uint8_t *start = rl_proved_field(segment, RL_PTE_segment_offset);
    return pte->fb.data + pte->segment_base + (start ? rl_proved_u32(start) : 0) + rl_proved_u32(offsets + 8 * index);
}

// Finds a tensor in the attached file, from where `search` says; false if it is not there.
static bool find_in_data(const struct rl_program *program, const uint8_t *extra, const struct rl_tensor *tensor,
                         struct rl_ptd_search *search)
{
    search->key = (const char *)rl_proved_vector(extra, RL_PTE_extra_fully_qualified_name, &search->key_length);
    search->dtype = tensor->dtype;
    search->least = tensor->bytes;
    return search->key && program->find_data && program->find_data(&program->data, search);
}

// Finds a tensor while calls are checked; false if no steps are left.
static bool find_checked(const struct rl_checked_method *checked, const uint8_t *extra, const struct rl_tensor *tensor,
                         uint32_t *position)
{
    struct rl_ptd_search search = {.entry = checked->effort->entry, .steps = checked->effort->left};
    const bool found = find_in_data(checked->method.program, extra, tensor, &search);
    *checked->effort = (struct rl_effort){search.steps, search.entry};
    *position = search.position;
    return found;
}

// Names are looked up once, when the method is initialized, and each time during verification.
bool rl_find_external(const struct rl_method *method, uint32_t value, const uint8_t *table, struct rl_tensor *tensor)
{
    const uint8_t *extra = rl_proved_external(table);
    uint32_t position = 0;
    if (!extra) {
        return false;
    }
    tensor->data = NULL;
    tensor->constant = true;
    if (method->slots) {
        position = method->slots[value].words[1];
    } else if (!method->stand_in || !find_checked(rl_checked(method), extra, tensor, &position)) {
        return true;
    }
    tensor->data = (void *)(uintptr_t)(method->program->data.fb.data + position);
    return true;
}

static enum rl_status place_external(struct rl_method *method, uint32_t value, const uint8_t *extra,
                                     const struct rl_tensor *tensor, struct rl_ptd_search *search)
{
    if (!method->slots || !find_in_data(method->program, extra, tensor, search)) {
        return rl_report(&method->error, RL_ERROR_FORMAT, "a tensor is not in the file of data", 0);
    }
    method->slots[value].words[1] = search->position;
    return RL_OK;
}

static enum rl_status place_value(struct rl_method *method, const uint8_t *sets, uint32_t value,
                                  struct rl_ptd_search *search)
{
    const struct rl_pte *pte = &method->program->pte;
    struct rl_tensor tensor;
    const uint8_t *table;
    if (rl_proved_value(pte->fb.data + method->plan.values.items + 4 * value, &table) != RL_PTE_TENSOR) {
        return RL_OK;
    }
    const uint8_t *extra = rl_proved_child(table, RL_PTE_tensor_extra_tensor_info);
    const uint32_t constant = rl_proved_number(table, RL_PTE_tensor_data_buffer_idx);
    const enum rl_storage place = rl_view_tensor(method, value, table, &tensor);
    if (place == RL_STORAGE_PLANNED && constant != 0) {
        const uint32_t set = extra ? rl_proved_number(extra, RL_PTE_extra_mutable_data_segments_idx) : 0;
        memcpy(tensor.data, initial_data(pte, sets, set, constant), tensor.bytes);
    }
    if (place == RL_STORAGE_PLANNED || !rl_proved_external(table)) {
        return RL_OK;
    }
    return place_external(method, value, extra, &tensor, search);
}

enum rl_status rl_place_data(struct rl_method *method)
{
    const struct rl_pte *pte = &method->program->pte;
    uint32_t set_count;
    const uint8_t *sets = rl_proved_vector(pte->fb.data + pte->root, RL_PTE_program_mutable_data_segments, &set_count);
    struct rl_ptd_search search = {.steps = UINT64_MAX}; // no more than verification took
    enum rl_status status = RL_OK;
    rl_shapes_reset(method);
    for (uint32_t i = 0; i < method->plan.values.count && status == RL_OK; i++) {
        status = place_value(method, sets, i, &search);
    }
    return status;
}
