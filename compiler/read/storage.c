// SPDX-License-Identifier: Apache-2.0
#include "compiler/read/storage.h"

#include <string.h>

enum { MAX_STORAGE = 1 << 30 };

enum rl_status rl_pt2_read_storage(struct rl_zip *zip, const char *member, struct rl_name_map *storages,
                                   const struct rl_pt2_storage **storage)
{
    struct rl_pt2_storage *found = rl_name_map_find(storages, member);
    if (!found) {
        void *data;
        size_t size;
        const enum rl_status status = rl_zip_read(zip, member, MAX_STORAGE, &data, &size);
        if (status != RL_OK) {
            return status;
        }
        found = rl_arena_alloc(zip->arena, sizeof *found);
        *found = (struct rl_pt2_storage){.data = data, .size = size};
        rl_name_map_add(storages, member, found);
    }
    *storage = found;
    return RL_OK;
}

// Orders dimensions by descending stride. Dimensions of size 1 have no stride of their own: they follow the dimension
// before them. Dimensions of equal strides (one may be 0) keep their order.
static void order_by_strides(struct rl_tensor_type *type, const int64_t *strides)
{
    int count = 0;
    for (int d = 0; d < type->rank; d++) {
        if (type->sizes[d] == 1) {
            continue;
        }
        int place = count++;
        while (place > 0 && strides[type->order[place - 1]] < strides[d]) {
            type->order[place] = type->order[place - 1];
            place--;
        }
        type->order[place] = (uint8_t)d;
    }
    for (int d = 0; d < type->rank; d++) {
        if (type->sizes[d] != 1) {
            continue;
        }
        int place = 0;
        while (place < count && d > 0 && type->order[place] != d - 1) {
            place++;
        }
        place = d > 0 ? place + 1 : 0;
        memmove(&type->order[place + 1], &type->order[place], (size_t)(count - place));
        type->order[place] = (uint8_t)d;
        count++;
    }
}

static bool strides_match(const struct rl_tensor_type *type, const int64_t *strides)
{
    int64_t dense[RL_MAX_RANK];
    rl_tensor_strides(type, dense);
    for (int d = 0; d < type->rank; d++) {
        if (type->sizes[d] > 1 && dense[d] != strides[d]) {
            return false;
        }
    }
    return true;
}

static bool any_negative(const int64_t *items, int count)
{
    for (int i = 0; i < count; i++) {
        if (items[i] < 0) {
            return true;
        }
    }
    return false;
}

// Takes contiguous order if that reproduces the strides, else channels-last, else the order of the strides.
static void find_order(struct rl_pt2_tensor *tensor)
{
    static const uint8_t channels_last[4] = {0, 2, 3, 1};
    struct rl_tensor_type *type = &tensor->type;
    tensor->dense = true;
    if (rl_tensor_numel(type) == 0 || strides_match(type, tensor->strides)) {
        return;
    }
    if (type->rank == 4) {
        memcpy(type->order, channels_last, sizeof channels_last);
        if (strides_match(type, tensor->strides)) {
            return;
        }
    }
    order_by_strides(type, tensor->strides);
    tensor->dense = strides_match(type, tensor->strides);
}

bool rl_pt2_check_tensor(struct rl_pt2_tensor *tensor)
{
    if (tensor->offset < 0 || !rl_tensor_type_is_valid(&tensor->type) ||
        any_negative(tensor->strides, tensor->type.rank)) {
        return false;
    }
    find_order(tensor);
    return true;
}

bool rl_pt2_fits_storage(const struct rl_pt2_tensor *tensor, size_t size)
{
    if (rl_tensor_numel(&tensor->type) == 0) {
        return true;
    }
    // No sum or product that leads to the last element may overflow.
    const int64_t elements = (int64_t)(size / rl_scalar_size((int)tensor->type.dtype));
    int64_t last = tensor->offset;
    for (int d = 0; d < tensor->type.rank; d++) {
        const int64_t steps = tensor->type.sizes[d] - 1;
        if (last >= elements || (steps > 0 && tensor->strides[d] > (elements - 1 - last) / steps)) {
            return false;
        }
        last += steps > 0 ? steps * tensor->strides[d] : 0;
    }
    return last < elements;
}

void rl_pt2_gather(const struct rl_pt2_tensor *tensor, const unsigned char *storage, unsigned char *target)
{
    const struct rl_tensor_type *type = &tensor->type;
    const size_t element = rl_scalar_size((int)type->dtype);
    const int64_t count = rl_tensor_numel(type);
    int64_t index[RL_MAX_RANK] = {0};
    for (int64_t i = 0; i < count; i++) {
        int64_t position = tensor->offset;
        for (int d = 0; d < type->rank; d++) {
            position += index[d] > 0 ? index[d] * tensor->strides[d] : 0;
        }
        memcpy(target + (size_t)i * element, storage + (size_t)position * element, element);
        for (int d = type->rank - 1; d >= 0 && ++index[d] == type->sizes[d]; d--) {
            index[d] = 0;
        }
    }
}
