// SPDX-License-Identifier: Apache-2.0
// rl_quick_dequantize in C. Included by scalar/quick_dequantize.h.
#ifndef RL_KERNELS_SCALAR_QUICK_DEQUANTIZE_PLAIN_H
#define RL_KERNELS_SCALAR_QUICK_DEQUANTIZE_PLAIN_H

#include <string.h>

static inline void rl_quick_dequantize(struct rl_quick_dequantize *job)
{
    for (; job->from != job->end; job->from++, job->to++) {
        const uint32_t bits = rl_scale_soft(*job->from - job->zero_point, job->scale);
        memcpy(job->to, &bits, sizeof bits);
    }
}

#endif
