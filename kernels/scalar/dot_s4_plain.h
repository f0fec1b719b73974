// SPDX-License-Identifier: Apache-2.0
// rl_dot_s4_bytes in portable C. Included by scalar/dot_s4.h.
#ifndef RL_KERNELS_SCALAR_DOT_S4_PLAIN_H
#define RL_KERNELS_SCALAR_DOT_S4_PLAIN_H

static inline void rl_dot_s4_bytes(struct rl_dot_s4 *job)
{
    const int8_t *x = job->x;
    for (int32_t i = 0; i < job->bytes; i++, x += 2) {
        const int32_t x_0 = x[0] + job->offset, x_1 = x[1] + job->offset;
        const int8_t byte_0 = job->w_0[i], byte_1 = job->w_1[i];
        job->sums[0] += x_0 * ((int8_t)((uint32_t)byte_0 << 4) >> 4) + x_1 * (byte_0 >> 4);
        job->sums[1] += x_0 * ((int8_t)((uint32_t)byte_1 << 4) >> 4) + x_1 * (byte_1 >> 4);
    }
}

#endif
