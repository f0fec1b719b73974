// SPDX-License-Identifier: Apache-2.0
// rl_dot_fours in portable C. Included by scalar/dot_fours.h.
#ifndef RL_KERNELS_SCALAR_DOT_FOURS_PLAIN_H
#define RL_KERNELS_SCALAR_DOT_FOURS_PLAIN_H

// The next output, with a scale.
static inline void rl_dot_fours_next(struct rl_dot_fours *job, struct rl_rescale scale)
{
    int32_t sum = job->constant + (job->base ? *job->base++ : 0);
    for (ptrdiff_t k = 0; k < job->depth; k++) {
        sum += (job->row[k] + job->offset) * *job->filter++;
    }
    const int32_t halved = rl_clamp_s32(sum, -(INT32_C(1) << 30), (INT32_C(1) << 30) - 1);
    *job->output = (int8_t)rl_clamp_s32(rl_rescale(scale, halved * 2), job->low, job->high);
    job->output += job->step;
}

static inline void rl_dot_fours(struct rl_dot_fours *job)
{
    for (int32_t channels = 4 * job->groups; channels > 0; channels--) {
        rl_dot_fours_next(job, (struct rl_rescale){job->multiplier, job->addend, job->right_shift});
    }
}

static inline void rl_dot_fours_own(struct rl_dot_fours *job)
{
    for (int32_t channels = 4 * job->groups; channels > 0; channels--) {
        rl_dot_fours_next(job, rl_rescale_of(job->rounding, *job->multipliers++, *job->shifts++));
    }
}

#endif
