// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/graph.h"

#include <string.h>

#include "compiler/ir/elements.h"

struct rl_tensor_type rl_tensor_type_make(enum rl_scalar_type dtype, int rank, const int64_t *sizes)
{
    struct rl_tensor_type type = {.dtype = dtype, .rank = rank};
    for (int d = 0; d < rank; d++) {
        type.sizes[d] = sizes[d];
        type.order[d] = (uint8_t)d;
    }
    return type;
}

static bool order_is_permutation(const struct rl_tensor_type *type)
{
    unsigned seen = 0;
    for (int i = 0; i < type->rank; i++) {
        if (type->order[i] >= type->rank) {
            return false;
        }
        seen |= 1u << type->order[i];
    }
    return seen == (1u << type->rank) - 1u;
}

bool rl_tensor_type_is_valid(const struct rl_tensor_type *type)
{
    const size_t element = type->dtype == RL_COMPLEX64 ? 2 * sizeof(float) : rl_scalar_size((int)type->dtype);
    if (element == 0 || type->rank < 0 || type->rank > RL_MAX_RANK || !order_is_permutation(type)) {
        return false;
    }
    int64_t bytes = (int64_t)element;
    for (int d = 0; d < type->rank; d++) {
        const int64_t size = type->sizes[d];
        if (size < 0 || (size > 0 && bytes > INT64_MAX / size)) {
            return false;
        }
        bytes *= size > 0 ? size : 1;
    }
    return true;
}

bool rl_value_turns(const struct rl_value *value)
{
    struct rl_tensor_type shown = value->type;
    memcpy(shown.order, value->shown, sizeof shown.order);
    for (int i = 0; i < value->type.rank; i++) {
        if (value->type.order[i] != i) {
            return false;
        }
    }
    return order_is_permutation(&shown);
}

int64_t rl_tensor_numel(const struct rl_tensor_type *type)
{
    int64_t count = 1;
    for (int d = 0; d < type->rank; d++) {
        count *= type->sizes[d];
    }
    return count;
}

size_t rl_tensor_bytes(const struct rl_tensor_type *type)
{
    return (size_t)rl_tensor_numel(type) * rl_scalar_size((int)type->dtype);
}

bool rl_tensor_same_sizes(const struct rl_tensor_type *a, const struct rl_tensor_type *b)
{
    return a->rank == b->rank && memcmp(a->sizes, b->sizes, sizeof a->sizes[0] * (size_t)a->rank) == 0;
}

// Whether the dimensions larger than one follow each other in the same order in both lists.
static bool same_order(const struct rl_tensor_type *type, const uint8_t *order, const uint8_t *other)
{
    int i = 0;
    int k = 0;
    for (;;) {
        while (i < type->rank && type->sizes[order[i]] == 1) {
            i++;
        }
        while (k < type->rank && type->sizes[other[k]] == 1) {
            k++;
        }
        if (i == type->rank || k == type->rank) {
            return i == k;
        }
        if (order[i++] != other[k++]) {
            return false;
        }
    }
}

bool rl_tensor_same_layout(const struct rl_tensor_type *a, const struct rl_tensor_type *b)
{
    return rl_tensor_same_sizes(a, b) && (rl_tensor_numel(a) == 0 || same_order(a, a->order, b->order));
}

bool rl_tensor_is_contiguous(const struct rl_tensor_type *type)
{
    static const uint8_t contiguous[RL_MAX_RANK] = {0, 1, 2, 3, 4, 5, 6, 7};
    return same_order(type, type->order, contiguous);
}

bool rl_tensor_is_channels_last(const struct rl_tensor_type *type)
{
    static const uint8_t channels_last[4] = {0, 2, 3, 1};
    return type->rank == 4 && same_order(type, type->order, channels_last);
}

void rl_tensor_strides(const struct rl_tensor_type *type, int64_t strides[RL_MAX_RANK])
{
    int64_t stride = 1;
    for (int i = type->rank - 1; i >= 0; i--) {
        const int d = type->order[i];
        strides[d] = stride;
        stride *= type->sizes[d] > 0 ? type->sizes[d] : 1;
    }
}

const char *rl_type_text(struct rl_arena *arena, const struct rl_tensor_type *type)
{
    const char *text = rl_arena_format(arena, "%s [", rl_dtype_name(type->dtype));
    for (int d = 0; d < type->rank; d++) {
        text = rl_arena_format(arena, "%s%s%lld", text, d > 0 ? ", " : "", (long long)type->sizes[d]);
    }
    return rl_arena_format(arena, "%s]", text);
}
