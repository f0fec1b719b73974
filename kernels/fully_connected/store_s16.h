// SPDX-License-Identifier: Apache-2.0
// From sums to int16 results. The tile of Helium has its own.
#ifndef RL_KERNELS_FULLY_CONNECTED_STORE_S16_H
#define RL_KERNELS_FULLY_CONNECTED_STORE_S16_H

#include "fully_connected/fully_connected.h"
#include "scalar/store_s16.h"

// Each sum has a scale of its own. Without long products, a second division costs too much where the first one can
// round for both.
static inline void rl_store_s16(const int32_t *sums, const int32_t *multipliers, const int32_t *shifts, int32_t count,
                                int16_t *output)
{
    struct rl_store_s16 job = {sums, output, multipliers, shifts, sums + count};
    while (job.sums != job.end) {
        if (!RL_SMALL && !RL_HAS_LONG_MULTIPLY) {
            rl_store_short_s16(&job);
        }
        if (job.sums != job.end) {
            *job.output++ = (int16_t)rl_saturate_s16(rl_requantize(*job.sums++, *job.multipliers++, *job.shifts++));
        }
    }
}

// `first` is a constant.
static inline __attribute__((always_inline)) void rl_add_rescaled_s16(struct rl_rescale rescale, const int32_t *sums,
                                                                      int32_t count, bool first, int16_t *output)
{
    for (const int32_t *const end = sums + count; sums != end; output++) {
        const int32_t scaled = rl_rescale(rescale, rl_double_limited(*sums++));
        *output = (int16_t)rl_saturate_s16(scaled + (first ? 0 : *output));
    }
}

// The same with one scale for all, added to what the output has unless `first`.
static inline void rl_add_s16(const int32_t *sums, struct rl_scale scale, int32_t count, bool first, int16_t *output)
{
    struct rl_rescale rescale;
    // Doubling saturates sums of 2^30 and more, which such a scale takes out of the range by far, saturated or not.
    if (!RL_SMALL && rl_rescale_init(0, scale.multiplier, scale.shift, &rescale) && scale.multiplier >= 1 << 30 &&
        scale.shift >= -12) {
        if (first) {
            rl_add_rescaled_s16(rescale, sums, count, true, output);
        } else {
            rl_add_rescaled_s16(rescale, sums, count, false, output);
        }
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        const int32_t scaled = rl_requantize(sums[i], scale.multiplier, scale.shift);
        output[i] = (int16_t)rl_saturate_s16(scaled + (first ? 0 : output[i]));
    }
}

#endif
