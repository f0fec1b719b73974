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

static inline void rl_depthwise_channels(struct rl_depthwise_channels *job, bool left)
{
    for (ptrdiff_t i = 0; job->output != job->end; i++, job->output++) {
        const int32_t sum = job->bias[i / 4 * (job->bias_step / 4) + i % 4] + rl_depthwise_channel_taps(job, i);
        const int32_t multiplier = job->multiplier[i], shift = job->shift[i];
        const int32_t scaled = left && shift >= 0
                                   ? rl_requantize(sum, multiplier, shift) + (job->rounding >> 1) // the output offset
                                   : rl_rescale(rl_rescale_of(job->rounding, multiplier, shift), 2 * sum);
        *job->output = (int8_t)rl_clamp_s32(scaled, job->low, job->high);
    }
}

#endif
