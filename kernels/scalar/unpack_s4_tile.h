// SPDX-License-Identifier: Apache-2.0
// Many weights of four bits to int8 at once, where the core has instructions for that.
#ifndef RL_KERNELS_SCALAR_UNPACK_S4_TILE_H
#define RL_KERNELS_SCALAR_UNPACK_S4_TILE_H

#include <stdint.h>

// The first so many of `count` weights, an even number, which is returned: none here.
static inline int32_t rl_unpack_s4_many(const int8_t *packed, int32_t count, int8_t *weights)
{
    (void)packed, (void)count, (void)weights;
    return 0;
}

#endif
