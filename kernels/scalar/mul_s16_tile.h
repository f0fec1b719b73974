// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_SCALAR_MUL_S16_TILE_H
#define RL_KERNELS_SCALAR_MUL_S16_TILE_H

#include "elementwise/elementwise.h"
#include "isa.h"
#include RL_TILE(rescale_tile.h)

// The data of the inner loops. It is passed by value, so that the stores cannot alias it.
struct rl_mul_s16_loop {
    struct rl_rescale rescale;
    struct rl_limits_s16 limits;
};

// Whether `rescale` can take the place of the scale, with `offset` in it. Of all products, only that of two INT16_MIN
// saturates when it is doubled.
static inline bool rl_mul_s16_start(const struct rl_mul *m, int32_t offset, struct rl_mul_s16_loop *loop)
{
    const int32_t low = m->range.min, high = m->range.max, most = INT32_C(1) << 30;
    loop->limits = (struct rl_limits_s16){low, high};
    if (RL_SMALL || !rl_rescale_init(offset, m->scale.multiplier, m->scale.shift, &loop->rescale)) {
        return false;
    }
    const int32_t exact = rl_requantize(most, m->scale.multiplier, m->scale.shift) + offset;
    const int32_t here = rl_rescale(loop->rescale, rl_double_limited(most));
    return rl_clamp_s32(exact, low, high) == rl_clamp_s32(here, low, high);
}

static inline int32_t rl_mul_s16_rescaled(struct rl_mul_s16_loop loop, int32_t a, int32_t b)
{
    return rl_rescale(loop.rescale, rl_double_limited(a * b));
}

static inline __attribute__((always_inline)) void rl_mul_s16_all(struct rl_mul_s16_loop loop, const int16_t *a,
                                                                 const int16_t *b, int16_t *output, int32_t count,
                                                                 bool open)
{
    for (; count >= 2; count -= 2, a += 2, b += 2, output += 2) {
        const int32_t first = rl_mul_s16_rescaled(loop, a[0], b[0]), second = rl_mul_s16_rescaled(loop, a[1], b[1]);
        output[0] = rl_limit_s16(first, loop.limits, open);
        output[1] = rl_limit_s16(second, loop.limits, open);
    }
    if (count > 0) {
        *output = rl_limit_s16(rl_mul_s16_rescaled(loop, *a, *b), loop.limits, open);
    }
}

// output[i] = a[i] * b[i] for all elements. The output may be one of the inputs.
static inline void rl_mul_s16_tile(const struct rl_mul *mul, const int16_t *a, const int16_t *b, int16_t *output)
{
    const struct rl_mul m = *mul;
    struct rl_mul_s16_loop loop;
    if (rl_mul_s16_start(mul, 0, &loop)) {
        if (rl_limits_are_open_s16(loop.limits)) {
            rl_mul_s16_all(loop, a, b, output, m.count, true);
        } else {
            rl_mul_s16_all(loop, a, b, output, m.count, false);
        }
        return;
    }
    for (int32_t i = 0; i < m.count; i++) {
        output[i] = rl_mul_s16_one(&m, a[i], b[i]);
    }
}

// output[i] += a[i] * b[i] for all elements.
static inline void rl_mul_accumulate_s16_tile(const struct rl_mul *mul, const int16_t *a, const int16_t *b,
                                              int16_t *output)
{
    const struct rl_mul m = *mul;
    for (int32_t i = 0; i < m.count; i++) {
        const int32_t sum = output[i] + rl_requantize(a[i] * b[i], m.scale.multiplier, m.scale.shift);
        output[i] = (int16_t)rl_clamp_s32(sum, m.range.min, m.range.max);
    }
}

// output[i] = a[i] * b[i] + the output offset, for outputs of int8.
static inline void rl_mul_s16_s8_tile(const struct rl_mul *mul, const int16_t *a, const int16_t *b, int8_t *output)
{
    const struct rl_mul m = *mul;
    struct rl_mul_s16_loop loop;
    if (rl_mul_s16_start(mul, m.output_offset, &loop)) {
        for (int32_t i = 0; i < m.count; i++) {
            const int32_t scaled = rl_mul_s16_rescaled(loop, a[i], b[i]);
            output[i] = (int8_t)rl_clamp_s32(scaled, loop.limits.low, loop.limits.high);
        }
        return;
    }
    for (int32_t i = 0; i < m.count; i++) {
        const int32_t scaled = rl_requantize(a[i] * b[i], m.scale.multiplier, m.scale.shift);
        output[i] = rl_output_s8(scaled, m.output_offset, m.range.min, m.range.max);
    }
}

#endif
