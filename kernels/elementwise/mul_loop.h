// SPDX-License-Identifier: Apache-2.0
// What a loop over the products of two inputs needs, of layers whose scale shifts right and whose offsets are small.
#ifndef RL_KERNELS_ELEMENTWISE_MUL_LOOP_H
#define RL_KERNELS_ELEMENTWISE_MUL_LOOP_H

#include "elementwise/rescale.h"
#include "isa.h"
#include RL_TILE(rescale_tile.h)

// It is passed by value, so that the int8 stores cannot alias it.
struct rl_mul_loop {
    int32_t double_offset_a;
    int32_t offset_b;
    struct rl_rescale rescale;
    struct rl_limits_s8 limits;
};

static inline int8_t rl_mul_limited(struct rl_mul_loop loop, int32_t a, int32_t b, bool open)
{
    const int32_t doubled = (2 * a + loop.double_offset_a) * (b + loop.offset_b);
    return rl_limit_s8(rl_rescale(loop.rescale, doubled), loop.limits, open);
}

// The elements that are left.
struct rl_mul_rest {
    const int8_t *a;
    const int8_t *b;
    int8_t *output;
    int32_t count;
};

#endif
