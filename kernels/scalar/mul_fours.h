// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_SCALAR_MUL_FOURS_H
#define RL_KERNELS_SCALAR_MUL_FOURS_H

#include "elementwise/mul_loop.h"

// Computes products while there are four. `open` is rl_limits_are_open of the limits, and a constant where this is
// inlined. Returns what is left.
static inline __attribute__((always_inline)) struct rl_mul_rest rl_mul_fours(struct rl_mul_loop loop,
                                                                             struct rl_mul_rest rest, bool open)
{
    for (; rest.count >= 4; rest.count -= 4, rest.a += 4, rest.b += 4, rest.output += 4) {
        rest.output[0] = rl_mul_limited(loop, rest.a[0], rest.b[0], open);
        rest.output[1] = rl_mul_limited(loop, rest.a[1], rest.b[1], open);
        rest.output[2] = rl_mul_limited(loop, rest.a[2], rest.b[2], open);
        rest.output[3] = rl_mul_limited(loop, rest.a[3], rest.b[3], open);
    }
    return rest;
}

#endif
