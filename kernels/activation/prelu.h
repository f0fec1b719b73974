// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_ACTIVATION_PRELU_H
#define RL_KERNELS_ACTIVATION_PRELU_H

#include "requantize.h"
#include "rushlight/kernels/activation.h"

enum { RL_PRELU_BITS = 8 }; // that are shifted out beside `shift`

// One channel while it runs. Passed by value, so that stores cannot alias it.
struct rl_prelu_loop {
    int32_t offset, positive, negative;
    int32_t start; // what a product is added to: a half, for the rounding, and the output offset; within 2^31
    int32_t bits;  // that are shifted out
};

static inline struct rl_prelu_loop rl_prelu_loop_of(const struct rl_prelu *p, int32_t channel)
{
    const int32_t bits = RL_PRELU_BITS + p->shift;
    return (struct rl_prelu_loop){p->input_offset, p->positive[channel], p->negative[channel],
                                  (1 << (bits - 1)) + p->output_offset * (1 << bits), bits};
}

// `count` values, `step` bytes from one to the next. In place is allowed.
static inline void rl_prelu_walk(struct rl_prelu_loop loop, int32_t count, int32_t step, const int8_t *input,
                                 int8_t *output)
{
    for (; count > 0; count--, input += step, output += step) {
        const int32_t x = *input + loop.offset, factor = x < 0 ? loop.negative : loop.positive;
        *output = (int8_t)rl_clamp_s32((loop.start + x * factor) >> loop.bits, INT8_MIN, INT8_MAX);
    }
}

#endif
