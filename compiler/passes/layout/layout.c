// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/layout/layout.h"

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
    // Several orders may describe the same layout. Chooses the usual one.
    if (rl_tensor_is_contiguous(&permuted)) {
        return rl_type_contiguous(permuted);
    }
    return permuted.rank == 4 && rl_tensor_is_channels_last(&permuted) ? rl_type_channels_last(permuted) : permuted;
}

// A run of dimensions of one type, and the run of the other type that holds as many elements.
struct group {
    int from, from_end; // dimensions of the viewed tensor
    int to, to_end;     // dimensions of the view
    int position;       // of the run in memory; smaller is further out
};

// Cuts both shapes into the shortest groups; returns how many, -1 when the shapes hold different numbers of elements.
static int cut_into_groups(const struct rl_tensor_type *from, const struct rl_tensor_type *to, struct group *groups)
{
    int count = 0;
    int i = 0;
    int k = 0;
    while (i < from->rank || k < to->rank) {
        struct group *group = &groups[count++];
        *group = (struct group){.from = i, .to = k};
        int64_t left = i < from->rank ? from->sizes[i++] : 1;
        int64_t right = k < to->rank ? to->sizes[k++] : 1;
        while (left != right) {
            if (left < right ? i == from->rank : k == to->rank) {
                return -1;
            }
            if (left < right) {
                left *= from->sizes[i++];
            } else {
                right *= to->sizes[k++];
            }
        }
        group->from_end = i;
        group->to_end = k;
    }
    return count;
}

// Whether the dimensions of the group follow each other in memory as they do in the shape; sets the group's position.
static bool is_one_run(const struct rl_tensor_type *from, struct group *group)
{
    int expected = -1;
    group->position = -1;
    for (int d = group->from; d < group->from_end; d++) {
        if (from->sizes[d] == 1) {
            continue;
        }
        int position = 0; // among the dimensions that are not 1
        for (int i = 0; from->order[i] != d; i++) {
            position += from->sizes[from->order[i]] != 1 ? 1 : 0;
        }
        if (expected >= 0 && position != expected) {
            return false;
        }
        group->position = expected < 0 ? position : group->position;
        expected = position + 1;
    }
    return true;
}

bool rl_type_viewed_in_place(const struct rl_tensor_type *from, struct rl_tensor_type *to)
{
    struct group groups[RL_MAX_RANK];
    if (rl_tensor_is_contiguous(from) || rl_tensor_numel(from) == 0) {
        *to = rl_type_contiguous(*to);
        return true;
    }
    const int count = cut_into_groups(from, to, groups);
    for (int g = 0; g < count; g++) {
        if (!is_one_run(from, &groups[g])) {
            return false;
        }
    }
    // Groups of one element come first; each other group has a position of its own.
    int filled = 0;
    for (int position = -1; position < from->rank; position++) {
        for (int g = 0; g < count; g++) {
            for (int d = groups[g].to; groups[g].position == position && d < groups[g].to_end; d++) {
                to->order[filled++] = (uint8_t)d;
            }
        }
    }
    return count >= 0;
}

bool rl_view_keeps_bytes(const struct rl_tensor_type *from, const struct rl_tensor_type *to)
{
    struct rl_tensor_type in_place = *to;
    return rl_type_viewed_in_place(from, &in_place) && rl_tensor_same_layout(&in_place, to);
}
