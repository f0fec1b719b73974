// SPDX-License-Identifier: Apache-2.0
// rl_depthwise_channels in portable C. Included by scalar/depthwise_channels.h.
#ifndef RL_KERNELS_SCALAR_DEPTHWISE_CHANNELS_PLAIN_H
#define RL_KERNELS_SCALAR_DEPTHWISE_CHANNELS_PLAIN_H

// The sum of channel i, without the bias.
static inline int32_t rl_depthwise_channel_taps(const struct rl_depthwise_channels *job, ptrdiff_t i)
{
    const int8_t *x = job->x + i, *w = job->w + i;
    int32_t sum = 0;
    for (int32_t row = 0; row < job->rows; row++, x += job->x_back, w += job->w_back) {
        for (int32_t column = 0; column < job->columns; column++, x += job->step, w += job->step) {
            sum += (*x + job->offset) * *w;
        }
    }
    return sum;
}

static inline void rl_depthwise_channels(struct rl_depthwise_channels *job)
{
    for (ptrdiff_t i = 0; job->output != job->end; i++, job->output++) {
        const int32_t sum = job->bias[i / 4 * (job->bias_step / 4) + i % 4] + rl_depthwise_channel_taps(job, i);
        const struct rl_rescale scale = rl_rescale_of(job->rounding, job->multiplier[i], job->shift[i]);
        *job->output = (int8_t)rl_clamp_s32(rl_rescale(scale, 2 * sum), job->low, job->high);
    }
}

#endif
