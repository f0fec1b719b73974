// SPDX-License-Identifier: Apache-2.0
#include "runtime/operators/portable/shape.h"

#include <string.h>

#include "ops/sizes.h"

struct rl_shape rl_shape_of(const struct rl_tensor *tensor)
{
    struct rl_shape shape = {.rank = tensor->rank};
    for (uint32_t i = 0; i < tensor->rank; i++) {
        shape.sizes[i] = tensor->sizes[i];
    }
    return shape;
}

bool rl_shape_broadcast(struct rl_shape *shape, const struct rl_tensor *tensor)
{
    while (shape->rank < tensor->rank) {
        rl_shape_insert(shape, 0, 1);
    }
    int32_t *sizes = shape->sizes + (shape->rank - tensor->rank);
    for (uint32_t i = 0; i < tensor->rank; i++) {
        sizes[i] = (int32_t)rl_broadcast_size(sizes[i], tensor->sizes[i]);
        if (tensor->sizes[i] != 1 && tensor->sizes[i] != sizes[i]) {
            return false;
        }
    }
    return true;
}

void rl_shape_remove(struct rl_shape *shape, uint32_t dim)
{
    shape->rank--;
    memmove(shape->sizes + dim, shape->sizes + dim + 1, (shape->rank - dim) * sizeof *shape->sizes);
}

void rl_shape_insert(struct rl_shape *shape, uint32_t dim, int32_t size)
{
    memmove(shape->sizes + dim + 1, shape->sizes + dim, (shape->rank - dim) * sizeof *shape->sizes);
    shape->sizes[dim] = size;
    shape->rank++;
}
