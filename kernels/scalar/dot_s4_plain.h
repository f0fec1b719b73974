// SPDX-License-Identifier: Apache-2.0
// rl_dot_s4_bytes in portable C. Included by scalar/dot_s4.h.
#ifndef RL_KERNELS_SCALAR_DOT_S4_PLAIN_H
#define RL_KERNELS_SCALAR_DOT_S4_PLAIN_H

static inline int32_t rl_dot_s4_filter(const struct rl_dot_s4 *job, const int8_t *filter)
{
    int32_t sum = 0;
    for (int32_t i = 0; i < job->bytes; i++) {
        const int32_t x_0 = job->x[2 * i] + job->offset, x_1 = job->x[2 * i + 1] + job->offset;
        sum += x_0 * ((int8_t)((uint32_t)filter[i] << 4) >> 4) + x_1 * (filter[i] >> 4);
    }
    return sum;
}

static inline void rl_dot_s4_bytes(struct rl_dot_s4 *job)
{
    const int32_t sum_step = job->sum_step / (int32_t)sizeof *job->sums;
    for (; job->pairs > 0; job->pairs--, job->sums += 2 * sum_step) {
        job->sums[0] = rl_dot_s4_filter(job, job->w_0);
        job->sums[sum_step] = rl_dot_s4_filter(job, job->w_1);
        job->w_0 = job->w_1 + job->step;
        job->w_1 = job->w_0 + job->step;
    }
}

#endif
