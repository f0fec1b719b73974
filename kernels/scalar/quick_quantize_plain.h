// SPDX-License-Identifier: Apache-2.0
// rl_quick_quantize in C. Included by scalar/quick_quantize.h.
#ifndef RL_KERNELS_SCALAR_QUICK_QUANTIZE_PLAIN_H
#define RL_KERNELS_SCALAR_QUICK_QUANTIZE_PLAIN_H

#include "requantize.h"

static inline void rl_quick_quantize(struct rl_quick_quantize *job)
{
    const struct rl_quick_inverse *inverse = &job->inverse;
    for (; job->from != job->end; job->from++, job->to++) {
        const uint32_t number = rl_bits_of_float(*job->from);
        int32_t rounded = 0;
        if (inverse->base - rl_exponent(number) < RL_QUICK_ZERO && !rl_round_upper_halves(number, inverse, &rounded)) {
            return;
        }
        *job->to = (int8_t)rl_clamp_s32(rounded + job->zero_point, INT8_MIN, INT8_MAX);
    }
}

#endif
