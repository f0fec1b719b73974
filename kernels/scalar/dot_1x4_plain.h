// SPDX-License-Identifier: Apache-2.0
// rl_dot_1x4 in portable C. Included by scalar/dot_1x4.h.
#ifndef RL_KERNELS_SCALAR_DOT_1X4_PLAIN_H
#define RL_KERNELS_SCALAR_DOT_1X4_PLAIN_H

static inline void rl_dot_1x4(struct rl_dot_1x4 *job)
{
    const int8_t *filter = job->filter;
    for (int32_t k = 0; k < job->depth; k++) {
        const int32_t x = job->row[k] + job->offset;
        job->sums[0] += x * filter[k];
        job->sums[1] += x * filter[k + job->step];
        job->sums[2] += x * filter[k + 2 * job->step];
        job->sums[3] += x * job->last[k];
    }
}

#endif
