// SPDX-License-Identifier: Apache-2.0
// rl_store_short_s16 in C. Included by scalar/store_s16.h.
#ifndef RL_KERNELS_SCALAR_STORE_S16_PLAIN_H
#define RL_KERNELS_SCALAR_STORE_S16_PLAIN_H

#include "elementwise/rescale.h"
#include "requantize.h"

static inline void rl_store_short_s16(struct rl_store_s16 *job)
{
    const int32_t limit = INT32_C(1) << 30;
    while (job->sums != job->end) {
        const int32_t sum = *job->sums, shift = *job->shifts;
        if (!rl_rescale_fits(0, shift) || sum < -limit || sum >= limit) {
            return;
        }
        *job->output = (int16_t)rl_clamp_s32(rl_requantize(sum, *job->multipliers, shift), INT16_MIN, INT16_MAX);
        job->sums++;
        job->output++;
        job->multipliers++;
        job->shifts++;
    }
}

#endif
