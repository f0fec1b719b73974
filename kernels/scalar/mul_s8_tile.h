// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_SCALAR_MUL_S8_TILE_H
#define RL_KERNELS_SCALAR_MUL_S8_TILE_H

#include "elementwise/elementwise.h"
#include "elementwise/mul_loop.h"
#include "isa.h"
#include RL_TILE(mul_fours.h)
#include RL_TILE(rescale_tile.h)

static inline __attribute__((always_inline)) void
rl_mul_all_rescaled(struct rl_mul_loop loop, const int8_t *a, const int8_t *b, int8_t *output, int32_t count, bool open)
{
    struct rl_mul_rest rest = {a, b, output, count};
    for (rest = rl_mul_fours(loop, rest, open); rest.count > 0; rest.count--) {
        *rest.output++ = rl_mul_limited(loop, *rest.a++, *rest.b++, open);
    }
}

// The usual case. Not inlined, because gcc would then keep more of its values on the stack.
static __attribute__((noinline)) void rl_mul_open(const struct rl_mul_loop *loop, const int8_t *a, const int8_t *b,
                                                  int8_t *output, int32_t count)
{
    rl_mul_all_rescaled(*loop, a, b, output, count, true);
}

// output[i] = a[i] * b[i] for all elements. The output may be one of the inputs.
static inline void rl_mul_s8_tile(const struct rl_mul *mul, const int8_t *a, const int8_t *b, int8_t *output)
{
    const int32_t count = mul->count;
    const int32_t *offset = mul->input_offset;
    struct rl_mul_loop loop = {2 * offset[0], offset[1], {0, 0, 0}, {mul->range.min, mul->range.max}};
    const bool small = rl_offset_is_small(offset[0]) && rl_offset_is_small(offset[1]);
    if (!small || !rl_rescale_init(mul->output_offset, mul->scale.multiplier, mul->scale.shift, &loop.rescale)) {
        const struct rl_mul plain = *mul;
        for (int32_t i = 0; i < count; i++) {
            output[i] = rl_mul_s8_one(&plain, a[i], b[i]);
        }
    } else if (RL_HAS_DSP && rl_limits_are_open(loop.limits)) {
        rl_mul_all_rescaled(loop, a, b, output, count, true);
    } else if (rl_limits_are_open(loop.limits)) {
        rl_mul_open(&loop, a, b, output, count);
    } else {
        rl_mul_all_rescaled(loop, a, b, output, count, false);
    }
}

#endif
