// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_SCALAR_MUL_S8_TILE_H
#define RL_KERNELS_SCALAR_MUL_S8_TILE_H

#include "elementwise/elementwise.h"
#include "isa.h"
#include RL_TILE(packed_s8_tile.h)
#include RL_TILE(rescale_tile.h)

// The data of the inner loop. It is passed by value, so that the int8 stores cannot alias it.
struct rl_mul_loop {
    int32_t double_offset_a;
    int32_t offset_b;
    struct rl_rescale rescale;
    struct rl_limits_s8 limits;
};

static inline int8_t rl_mul_rescaled(struct rl_mul_loop loop, int32_t a, int32_t b, bool open)
{
    const int32_t doubled = (2 * a + loop.double_offset_a) * (b + loop.offset_b);
    return rl_limit_s8(rl_rescale(loop.rescale, doubled), loop.limits, open);
}

static inline __attribute__((always_inline)) void
rl_mul_all_rescaled(struct rl_mul_loop loop, const int8_t *a, const int8_t *b, int8_t *output, int32_t count, bool open)
{
    const bool words = RL_HAS_DSP && RL_LATE_RESULTS && !RL_SMALL && open; // are stored
    for (; count >= 4; count -= 4, a += 4, b += 4, output += 4) {
        if (words) {
            rl_store_s8x4(output, rl_word_of_s8(rl_mul_rescaled(loop, a[0], b[0], open),
                                                rl_mul_rescaled(loop, a[1], b[1], open),
                                                rl_mul_rescaled(loop, a[2], b[2], open),
                                                rl_mul_rescaled(loop, a[3], b[3], open)));
            continue;
        }
        output[0] = rl_mul_rescaled(loop, a[0], b[0], open);
        output[1] = rl_mul_rescaled(loop, a[1], b[1], open);
        output[2] = rl_mul_rescaled(loop, a[2], b[2], open);
        output[3] = rl_mul_rescaled(loop, a[3], b[3], open);
    }
    for (; count > 0; count--) {
        *output++ = rl_mul_rescaled(loop, *a++, *b++, open);
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
