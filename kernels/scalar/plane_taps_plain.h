// SPDX-License-Identifier: Apache-2.0
// rl_plane_taps in portable C. Included by scalar/plane_nine.h.
#ifndef RL_KERNELS_SCALAR_PLANE_TAPS_PLAIN_H
#define RL_KERNELS_SCALAR_PLANE_TAPS_PLAIN_H

static inline void rl_plane_taps(struct rl_plane_job *job)
{
    const struct rl_plane_channel *c = job->channel;
    const struct rl_limits_s8 all = {INT8_MIN, INT8_MAX};
    const struct rl_limits_s8 limits = job->limits ? *job->limits : all;
    for (; job->columns > 0; job->columns--) {
        struct rl_plane_sums sums = c->start;
        for (const struct rl_plane_tap *tap = c->taps; tap < c->end; tap++) {
            const uint32_t product = job->line[tap->offset] * tap->weight;
            sums.whole += product;
            sums.upper += (uint32_t)((int32_t)product >> 16);
        }
        const uint32_t upper = sums.whole - (sums.upper << 16);
        job->output[job->down] = rl_limit_s8(rl_rescale(c->scale, (int32_t)(sums.upper * 2u)), limits, false);
        job->output[0] = rl_limit_s8(rl_rescale(c->scale, (int32_t)(upper * 2u)), limits, false);
        job->output += job->right;
        job->line += job->next / (ptrdiff_t)sizeof *job->line;
    }
}

#endif
