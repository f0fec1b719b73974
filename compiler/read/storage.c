// SPDX-License-Identifier: Apache-2.0
// Tensors as views of raw storages.
#include "compiler/read/reader.h"

#include <string.h>

bool rl_pt2_fits_storage(const struct rl_pt2_tensor *tensor, size_t size)
{
    if (rl_tensor_numel(&tensor->type) == 0) {
        return true;
    }
    // No sum or product may overflow on the way to the last element.
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
