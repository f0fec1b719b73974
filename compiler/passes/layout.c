// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/layout.h"

#include <string.h>

static const uint8_t channels_last[4] = {0, 2, 3, 1};

struct rl_tensor_type rl_type_channels_last(struct rl_tensor_type type)
{
    memcpy(type.order, channels_last, sizeof channels_last);
    return type;
}

struct rl_tensor_type rl_type_contiguous(struct rl_tensor_type type)
{
    return rl_tensor_type_make(type.dtype, type.rank, type.sizes);
}

bool rl_type_reads_channels_last(const struct rl_tensor_type *type)
{
    if (type->rank != 4) {
        return false;
    }
    return type->sizes[1] == 1 || (type->sizes[2] == 1 && type->sizes[3] == 1) ||
           memcmp(type->order, channels_last, sizeof channels_last) == 0;
}

struct rl_tensor_type rl_type_permuted_in_place(const struct rl_tensor_type *type, const struct rl_arg *dims)
{
    struct rl_tensor_type permuted = *type;
    for (int d = 0; d < type->rank; d++) {
        const int64_t from = dims->as.integers[d];
        permuted.sizes[d] = type->sizes[from];
        for (int i = 0; i < type->rank; i++) {
            if (type->order[i] == from) {
                permuted.order[i] = (uint8_t)d;
            }
        }
    }
    return permuted;
}

// Dimensions larger than one, outermost in memory first; returns how many.
static int wide_dimensions(const struct rl_tensor_type *type, uint8_t *dims)
{
    int count = 0;
    for (int i = 0; i < type->rank; i++) {
        if (type->sizes[type->order[i]] != 1) {
            dims[count++] = type->order[i];
        }
    }
    return count;
}

// A view that only adds or drops dimensions of size one: the others keep their order in memory.
static bool viewed_same_dimensions(const struct rl_tensor_type *from, struct rl_tensor_type *to)
{
    uint8_t from_order[RL_MAX_RANK];
    uint8_t to_dims[RL_MAX_RANK]; // dimensions of `to` that are not 1, in logical order
    int rank_of[RL_MAX_RANK];     // position among the wide dimensions, by dimension of `from`
    const struct rl_tensor_type logical_from = rl_type_contiguous(*from);
    const struct rl_tensor_type logical_to = rl_type_contiguous(*to);
    uint8_t from_dims[RL_MAX_RANK];
    const int count = wide_dimensions(&logical_from, from_dims);
    if (wide_dimensions(&logical_to, to_dims) != count) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        if (from->sizes[from_dims[i]] != to->sizes[to_dims[i]]) {
            return false;
        }
        rank_of[from_dims[i]] = i;
    }
    wide_dimensions(from, from_order);
    int position = 0;
    for (int d = 0; d < to->rank; d++) {
        if (to->sizes[d] == 1) {
            to->order[position++] = (uint8_t)d;
        }
    }
    for (int i = 0; i < count; i++) {
        to->order[position++] = to_dims[rank_of[from_order[i]]];
    }
    return true;
}

bool rl_type_viewed_in_place(const struct rl_tensor_type *from, struct rl_tensor_type *to)
{
    if (rl_tensor_is_contiguous(from)) {
        *to = rl_type_contiguous(*to);
        return true;
    }
    return viewed_same_dimensions(from, to);
}

bool rl_view_keeps_bytes(const struct rl_tensor_type *from, const struct rl_tensor_type *to)
{
    struct rl_tensor_type in_place = *to;
    return rl_type_viewed_in_place(from, &in_place) && rl_tensor_same_layout(&in_place, to);
}
