// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "rushlight/tensor.h"

uint32_t rl_tensor_count(const struct rl_tensor *tensor)
{
    uint32_t size = (uint32_t)rl_scalar_size(tensor->dtype);
    return size == 0 ? 0 : tensor->bytes / size;
}

void rl_tensor_element_strides(const struct rl_tensor *tensor, uint32_t strides[RL_TENSOR_MAX_RANK])
{
    uint32_t stride = 1;
    for (uint32_t i = tensor->rank; i-- > 0;) {
        uint32_t dimension = tensor->dim_order[i];
        strides[dimension] = stride;
        stride *= (uint32_t)tensor->sizes[dimension];
    }
}

// Walks all elements in logical order and copies each between `elements` and its place in the tensor.
static void copy_logical(const struct rl_tensor *tensor, uint8_t *elements, bool to_tensor)
{
    uint32_t strides[RL_TENSOR_MAX_RANK], index[RL_TENSOR_MAX_RANK] = {0};
    uint32_t count = rl_tensor_count(tensor), size = (uint32_t)rl_scalar_size(tensor->dtype), offset = 0;
    rl_tensor_element_strides(tensor, strides);
    for (uint32_t n = 0; n < count; n++, elements += size) {
        uint8_t *place = (uint8_t *)tensor->data + (size_t)offset * size;
        memcpy(to_tensor ? place : elements, to_tensor ? elements : place, size);
        for (uint32_t i = tensor->rank; i-- > 0;) {
            offset += strides[i];
            if (++index[i] < (uint32_t)tensor->sizes[i]) {
                break;
            }
            offset -= strides[i] * index[i];
            index[i] = 0;
        }
    }
}

enum rl_status rl_tensor_from_logical(const struct rl_tensor *tensor, const void *elements, size_t bytes)
{
    if (bytes != tensor->bytes || tensor->constant) {
        return RL_ERROR_ARGUMENT;
    }
    copy_logical(tensor, (uint8_t *)(uintptr_t)elements, true); // are only read
    return RL_OK;
}

enum rl_status rl_tensor_to_logical(const struct rl_tensor *tensor, void *elements, size_t bytes)
{
    if (bytes != tensor->bytes) {
        return RL_ERROR_ARGUMENT;
    }
    copy_logical(tensor, elements, false);
    return RL_OK;
}
