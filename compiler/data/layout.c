// SPDX-License-Identifier: Apache-2.0
// Tensors between C order and their order in memory.
#include <string.h>

#include "compiler/data/array.h"

int64_t rl_array_numel(const struct rl_array *array)
{
    int64_t count = 1;
    for (int d = 0; d < array->rank; d++) {
        count *= array->sizes[d];
    }
    return count;
}

// Walks the elements in C order; `position` is the place of each in memory, in elements.
struct walk {
    const struct rl_tensor_type *type;
    int64_t strides[RL_MAX_RANK];
    int64_t index[RL_MAX_RANK];
    int64_t position;
};

static void advance(struct walk *walk)
{
    for (int d = walk->type->rank - 1; d >= 0; d--) {
        walk->position += walk->strides[d];
        if (++walk->index[d] < walk->type->sizes[d]) {
            return;
        }
        walk->position -= walk->type->sizes[d] * walk->strides[d];
        walk->index[d] = 0;
    }
}

static void copy_permuted(const struct rl_tensor_type *type, const unsigned char *source, unsigned char *target,
                          bool to_c_order)
{
    const size_t size = rl_scalar_size((int)type->dtype);
    const int64_t count = rl_tensor_numel(type);
    struct walk walk = {.type = type};
    rl_tensor_strides(type, walk.strides);
    for (int64_t i = 0; i < count; i++) {
        const size_t in_order = (size_t)i * size;
        const size_t in_memory = (size_t)walk.position * size;
        memcpy(target + (to_c_order ? in_order : in_memory), source + (to_c_order ? in_memory : in_order), size);
        advance(&walk);
    }
}

static void copy_tensor(const struct rl_tensor_type *type, const void *source, void *target, bool to_c_order)
{
    if (rl_tensor_is_contiguous(type)) {
        memcpy(target, source, rl_tensor_bytes(type));
    } else {
        copy_permuted(type, source, target, to_c_order);
    }
}

void rl_tensor_from_c_order(const struct rl_tensor_type *type, const void *source, void *target)
{
    copy_tensor(type, source, target, false);
}

void rl_tensor_to_c_order(const struct rl_tensor_type *type, const void *source, void *target)
{
    copy_tensor(type, source, target, true);
}
