// SPDX-License-Identifier: Apache-2.0
//
// From a value in the file to its place in memory, with every check. Programs that passed use run/view.c.
#include <string.h>

#include "format/ptd_reader.h"
#include "format/pte_reader.h"
#include "runtime/run/shapes.h"
#include "runtime/verify/verify.h"

static bool is_permutation(const uint8_t *order, uint32_t rank)
{
    uint32_t seen = 0;
    for (uint32_t i = 0; i < rank; i++) {
        if (order[i] >= rank) {
            return false;
        }
        seen |= 1u << order[i];
    }
    return seen == (1u << rank) - 1;
}

static enum rl_status check_shape(const struct rl_pte *pte, const struct rl_pte_tensor *raw, struct rl_tensor *view,
                                  const char **message)
{
    view->dtype = raw->dtype;
    *message = rl_sentence("a tensor has an unknown element type");
    if (rl_scalar_size(raw->dtype) == 0) {
        return RL_ERROR_UNSUPPORTED;
    }
    *message = rl_sentence("a tensor has more dimensions than supported");
    if (raw->sizes.count > RL_TENSOR_MAX_RANK) {
        return RL_ERROR_UNSUPPORTED;
    }
    *message = rl_sentence("a tensor's shape is neither fixed nor dynamic");
    if (raw->dynamism > RL_PTE_SHAPE_UNBOUNDED) { // if unbounded, the file's sizes are the bound, as in ExecuTorch
        return RL_ERROR_FORMAT;
    }
    *message = rl_sentence("a tensor has a storage offset");
    if (raw->storage_offset != 0) {
        return RL_ERROR_UNSUPPORTED;
    }
    view->rank = (uint8_t)raw->sizes.count;
    view->sizes = (const int32_t *)(const void *)(pte->fb.data + raw->sizes.items);
    view->dim_order = pte->fb.data + raw->dim_order.items;
    *message = rl_sentence("the sizes of a tensor are misplaced, negative or too large");
    if (raw->sizes.items % sizeof(int32_t) != 0 ||
        !rl_count_bytes(view->dtype, view->rank, view->sizes, &view->bytes)) {
        return RL_ERROR_FORMAT;
    }
    *message = rl_sentence("the dim_order of a tensor is not a permutation of its dimensions");
    if (raw->dim_order.count != raw->sizes.count || !is_permutation(view->dim_order, view->rank)) {
        return RL_ERROR_FORMAT;
    }
    return RL_OK;
}

static enum rl_status place_external(const struct rl_program *program, const struct rl_pte_tensor *raw,
                                     struct rl_effort *effort, struct rl_placed_tensor *tensor, const char **message)
{
    struct rl_ptd_search search = {.key = raw->key,
                                   .key_length = raw->key_length,
                                   .dtype = raw->dtype,
                                   .least = tensor->view.bytes,
                                   .entry = effort->entry,
                                   .steps = effort->left};
    *message = rl_sentence("the name of a tensor in another file is damaged");
    if (!raw->key) {
        return RL_ERROR_FORMAT;
    }
    *message = rl_sentence("a tensor lies in another file (.ptd), which was not given");
    if (!program->find_data) {
        return RL_ERROR_UNSUPPORTED;
    }
    *message = rl_sentence("the file of data has no tensor of this name, type and size, aligned to its elements");
    const bool found = program->find_data(&program->data, &search);
    *effort = (struct rl_effort){search.steps, search.entry};
    if (!found) {
        return RL_ERROR_FORMAT;
    }
    tensor->position = search.position;
    tensor->place = RL_STORAGE_EXTERNAL;
    tensor->view.constant = true;
    return RL_OK;
}

static enum rl_status place_constant(const struct rl_pte *pte, const struct rl_pte_tensor *raw,
                                     struct rl_placed_tensor *tensor, const char **message)
{
    uint32_t available;
    *message = rl_sentence("a constant lies outside its segment");
    if (!rl_pte_constant(pte, raw->constant, &tensor->position, &available) || tensor->view.bytes > available) {
        return RL_ERROR_FORMAT;
    }
    *message = rl_sentence("a constant is not aligned to its elements (constant_tensor_alignment=8 is enough)");
    if (tensor->position % rl_scalar_size(raw->dtype) != 0) {
        return RL_ERROR_FORMAT;
    }
    tensor->place = RL_STORAGE_CONSTANT;
    tensor->view.constant = true;
    return RL_OK;
}

static enum rl_status place_planned(const struct rl_pte *pte, const struct rl_pte_plan *plan,
                                    const struct rl_pte_tensor *raw, struct rl_placed_tensor *tensor,
                                    const char **message)
{
    uint32_t size, available;
    *message = rl_sentence("a tensor is planned in a buffer that does not exist");
    if (raw->memory_id == 0 || !rl_planned_bytes(pte, plan, raw->memory_id - 1, &size)) {
        return RL_ERROR_FORMAT;
    }
    *message = rl_sentence("a planned tensor leaves its buffer");
    if (raw->memory_offset > size || tensor->view.bytes > size - raw->memory_offset) {
        return RL_ERROR_FORMAT;
    }
    *message = rl_sentence("a planned tensor is not aligned to its elements");
    if ((uint32_t)raw->memory_offset % (uint32_t)rl_scalar_size(raw->dtype) != 0) {
        return RL_ERROR_FORMAT;
    }
    *message = rl_sentence("the initial value of a tensor lies outside its segment");
    if (raw->constant != 0 && (!rl_pte_initial(pte, raw->mutable_set, raw->constant, &tensor->initial, &available) ||
                               tensor->view.bytes > available)) {
        return RL_ERROR_FORMAT;
    }
    tensor->place = RL_STORAGE_PLANNED;
    tensor->buffer = raw->memory_id - 1;
    tensor->position = (uint32_t)raw->memory_offset;
    return RL_OK;
}

enum rl_status rl_place_tensor(const struct rl_program *program, const struct rl_pte_plan *plan, uint32_t index,
                               struct rl_effort *effort, struct rl_placed_tensor *tensor, const char **message)
{
    const struct rl_pte *pte = &program->pte;
    uint32_t table;
    struct rl_pte_tensor raw;
    memset(tensor, 0, sizeof *tensor);
    *message = rl_sentence("a tensor was expected here");
    if (rl_pte_value(pte, plan, index, &table) != RL_PTE_TENSOR) {
        return RL_ERROR_TYPE;
    }
    *message = rl_sentence("the description of a tensor is damaged");
    if (!rl_pte_tensor(pte, table, &raw)) {
        return RL_ERROR_FORMAT;
    }
    enum rl_status status = check_shape(pte, &raw, &tensor->view, message);
    if (status != RL_OK) {
        return status;
    }
    tensor->place = RL_STORAGE_CALLER;
    if (raw.planned) {
        status = place_planned(pte, plan, &raw, tensor, message);
    } else if (raw.external) {
        status = place_external(program, &raw, effort, tensor, message);
    } else if (raw.constant != 0) {
        status = place_constant(pte, &raw, tensor, message);
    }
    tensor->changes = raw.dynamism != RL_PTE_SHAPE_STATIC && !tensor->view.constant && tensor->view.rank > 0;
    return status;
}

bool rl_planned_bytes(const struct rl_pte *pte, const struct rl_pte_plan *plan, uint32_t index, uint32_t *bytes)
{
    if (index >= RL_MAX_BUFFERS || index + 1 >= plan->buffer_sizes.count) {
        return false;
    }
    int64_t size = rl_pte_item_i64(pte, &plan->buffer_sizes, index + 1);
    if (size < 0 || size > INT32_MAX) {
        return false;
    }
    *bytes = (uint32_t)size;
    return true;
}
