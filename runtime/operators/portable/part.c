// SPDX-License-Identifier: Apache-2.0
#include "runtime/operators/portable/part.h"

#include "ops/sizes.h"
#include "runtime/operators/portable/index.h"

void rl_expect_part(struct rl_call *call, uint32_t argument, const struct rl_tensor *whole,
                    const struct rl_tensor *part, uint32_t dim, bool dropped)
{
    rl_expect(call, part->rank + (dropped ? 1 : 0) == whole->rank, argument, "input and output differ in rank");
    for (uint32_t i = 0; call->status == RL_OK && i < whole->rank; i++) {
        uint32_t own = dropped && i > dim ? i - 1 : i;
        rl_expect(call, i == dim || whole->sizes[i] == part->sizes[own], argument, "input and output differ in shape");
    }
    rl_expect_disjoint(call, argument, whole, part);
}

static int64_t read_bound(struct rl_call *call, uint32_t argument, int64_t fallback, int64_t size)
{
    const bool is_given = rl_call_kind(call, argument) != RL_PTE_NULL;
    return is_given ? rl_slice_bound(rl_call_int(call, argument), size) : fallback;
}

struct rl_index_range rl_read_range(struct rl_call *call, uint32_t argument, const struct rl_tensor *whole)
{
    struct rl_index_range range = {.dim = rl_read_dim(call, argument, whole->rank), .step = 1};
    int32_t step = rl_bounded_int(call, argument + 3, 1, INT32_MAX);
    rl_expect_by(call, RL_BY_TYPES, whole->rank > 0, argument, "the tensor has no dimensions");
    if (call->status != RL_OK) {
        return range;
    }
    int32_t size = whole->sizes[range.dim];
    int64_t start = read_bound(call, argument + 1, 0, size), end = read_bound(call, argument + 2, size, size);
    range.start = (uint32_t)start;
    range.step = (uint32_t)step;
    range.count = end > start ? (uint32_t)((end - start + step - 1) / step) : 0;
    return range;
}

uint32_t rl_strides_without(const struct rl_tensor *whole, uint32_t dim, uint32_t strides[RL_TENSOR_MAX_RANK])
{
    uint32_t own[RL_TENSOR_MAX_RANK];
    rl_tensor_element_strides(whole, own);
    for (uint32_t i = 0; i + 1 < whole->rank; i++) {
        strides[i] = own[i < dim ? i : i + 1];
    }
    return own[dim];
}

uint32_t rl_read_index(struct rl_call *call, uint32_t argument, const struct rl_tensor *whole, uint32_t dim)
{
    rl_expect_by(call, RL_BY_TYPES, whole->rank > 0, argument, "the tensor has no dimensions");
    if (call->status != RL_OK) {
        return 0;
    }
    int32_t size = whole->sizes[dim], index = rl_bounded_int(call, argument, -size, size - 1);
    return (uint32_t)(index < 0 ? index + size : index);
}
