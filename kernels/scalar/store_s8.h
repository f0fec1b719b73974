// SPDX-License-Identifier: Apache-2.0
// The sums of channels that each have a scale, to int8.
#ifndef RL_KERNELS_SCALAR_STORE_S8_H
#define RL_KERNELS_SCALAR_STORE_S8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elementwise/rescale.h"
#include "isa.h"
#include "requantize.h"

// The assembler relies on the order.
struct rl_store_s8 {
    const int32_t *sums;       // 0
    int8_t *output;            // 4
    const int32_t *shift;      // 8
    const int32_t *multiplier; // 12
    const int32_t *bias;       // 16: added to the sums
    int32_t bias_step;         // 20: bytes from one bias to the next, 4 or 0
    const int32_t *end;        // 24: behind the sums, of which there is at least one
    int32_t low;               // 28
    int32_t range;             // 32: the upper limit less the lower one
    int32_t rounding;          // 36: rl_rescale_rounding of the offset
    int32_t addend;            // 40: of RL_QUICK
};

// Stores outputs until the sums end, or one comes that it does not take. Of the job only `sums` is as it should be
// then.
static inline void rl_store_some_s8(struct rl_store_s8 *job);

// Defines RL_HAS_STORE_S8: whether rl_store_some_s8 takes less time than a compiler's loop.
#include RL_LOOP(store_s8)

// Scales, limits and stores `count` >= 1 outputs of channels that follow each other. `bias` may be NULL.
static inline void rl_store_s8(const int32_t *sums, const int32_t *bias, struct rl_scales scales, int32_t offset,
                               struct rl_limits_s8 limits, int32_t count, int8_t *output)
{
    static const int32_t no_bias = 0;
    const int32_t low = rl_max_s32(limits.low, INT8_MIN), high = rl_min_s32(limits.high, INT8_MAX);
    struct rl_store_s8 job = {.sums = sums,
                              .output = output,
                              .shift = scales.shift,
                              .multiplier = scales.multiplier,
                              .bias = bias ? bias : &no_bias,
                              .bias_step = bias ? (int32_t)sizeof *bias : 0,
                              .end = sums + count,
                              .low = low,
                              .range = high - low,
                              .rounding = rl_rescale_rounding(offset)};
    for (;;) {
        if (rl_offset_is_small(offset)) {
            rl_store_some_s8(&job);
        }
        const ptrdiff_t done = job.sums - sums;
        if (done == count) {
            return;
        }
        const int32_t sum = sums[done] + (bias ? bias[done] : 0);
        const int32_t scaled = rl_requantize(sum, scales.multiplier[done], scales.shift[done]);
        output[done] = rl_output_s8(scaled, offset, low, high);
        if (done + 1 == count) {
            return;
        }
        job.sums++;
        job.output = output + done + 1;
        job.shift = scales.shift + done + 1;
        job.multiplier = scales.multiplier + done + 1;
        job.bias = bias ? bias + done + 1 : &no_bias;
    }
}

#endif
