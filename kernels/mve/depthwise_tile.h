// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution with Helium, eight channels at a time in int16 lanes; products are widened as they
// are made, even and odd channels apart. See depthwise/depthwise.h for the contract.
#ifndef RL_KERNELS_MVE_DEPTHWISE_TILE_H
#define RL_KERNELS_MVE_DEPTHWISE_TILE_H

#include "depthwise/depthwise.h"
#include "mve/requantize_mve.h"
#include "scalar/depthwise_channel.h"

enum { RL_DEPTHWISE_LANES = 8 };

// Bias, multiplier and shift of eight channels, even and odd ones apart.
struct rl_depthwise_scales {
    int32x4_t bias[2];
    int32x4_t multiplier[2];
    int32x4_t shift[2];
};

// Even and odd elements of the first `count` of eight values; the others are 0.
static inline void rl_split_eight(const int32_t *values, int32_t count, int32x4_t parts[2])
{
    const uint32x4_t even = vshlq_n_u32(vidupq_n_u32(0, 1), 1);
    const uint32x4_t odd = vaddq_n_u32(even, 1);
    const uint32x4_t limit = vdupq_n_u32((uint32_t)count);
    parts[0] = vldrwq_gather_shifted_offset_z_s32(values, even, vcmphiq_u32(limit, even));
    parts[1] = vldrwq_gather_shifted_offset_z_s32(values, odd, vcmphiq_u32(limit, odd));
}

static inline void rl_depthwise_load_scales(const struct rl_depthwise *d, int32_t channel,
                                            struct rl_depthwise_scales *s)
{
    const int32_t count = d->channels - channel;
    s->bias[0] = vdupq_n_s32(0);
    s->bias[1] = vdupq_n_s32(0);
    if (d->bias != NULL) {
        rl_split_eight(d->bias + channel, count, s->bias);
    }
    rl_split_eight(d->quant->multiplier + channel, count, s->multiplier);
    rl_split_eight(d->quant->shift + channel, count, s->shift);
}

// Scales the sums of the even and odd channels and stores the active ones side by side.
static inline void rl_depthwise_store(const struct rl_depthwise *d, const struct rl_depthwise_scales *s,
                                      int32x4_t even, int32x4_t odd, mve_pred16_t active, int8_t *output)
{
    even = rl_requantize_lanes_mve(even, s->multiplier[0], s->shift[0]);
    odd = rl_requantize_lanes_mve(odd, s->multiplier[1], s->shift[1]);
    int16x8_t value = vqmovntq_s32(vqmovnbq_s32(vdupq_n_s16(0), even), odd);
    value = vqaddq_n_s16(value, (int16_t)d->params->output_offset);
    value = vmaxq_s16(value, vdupq_n_s16((int16_t)d->params->activation.min));
    value = vminq_s16(value, vdupq_n_s16((int16_t)d->params->activation.max));
    vstrbq_p_s16(output, value, active);
}

static inline __attribute__((always_inline)) void
rl_depthwise_eight(const struct rl_depthwise *d, const struct rl_depthwise_window *w,
                   const struct rl_depthwise_scales *s, const int8_t *input, const int8_t *filter,
                   mve_pred16_t active, int8_t *output)
{
    const int16_t offset = (int16_t)d->params->input_offset;
    int32x4_t even = s->bias[0];
    int32x4_t odd = s->bias[1];
    for (int32_t row = w->rows; row > 0; row--) {
        const int8_t *x = input;
        const int8_t *k = filter;
        for (int32_t column = w->columns; column > 0; column--) {
            const int16x8_t values = vaddq_n_s16(vldrbq_z_s16(x, active), offset);
            const int16x8_t weights = vldrbq_z_s16(k, active);
            even = vaddq_s32(even, vmullbq_int_s16(values, weights));
            odd = vaddq_s32(odd, vmulltq_int_s16(values, weights));
            x += w->input_column;
            k += w->filter_column;
        }
        input += w->input_row;
        filter += w->filter_row;
    }
    rl_depthwise_store(d, s, even, odd, active, output);
}

static inline void rl_depthwise_outputs(const struct rl_depthwise *d, const struct rl_depthwise_window *w,
                                        int32_t count, int8_t *output)
{
    if (d->channel_multiplier != 1) {
        rl_depthwise_channels(d, w, 0, count, output);
        return;
    }
    for (int32_t channel = 0; channel < d->channels; channel += RL_DEPTHWISE_LANES) {
        const mve_pred16_t active = vctp16q((uint32_t)(d->channels - channel));
        struct rl_depthwise_scales scales;
        rl_depthwise_load_scales(d, channel, &scales);
        const int8_t *input = w->input + channel;
        int8_t *out = output + channel;
        for (int32_t i = count; i > 0; i--, input += w->output_step, out += d->channels) {
            rl_depthwise_eight(d, w, &scales, input, w->filter + channel, active, out);
        }
    }
}

#endif
