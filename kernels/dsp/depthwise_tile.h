// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution, four channels at a time: SXTAB16 expands and offsets two values, SMLABB and SMLATT
// multiply each by its own weight. See depthwise/depthwise.h for the contract.
#ifndef RL_KERNELS_DSP_DEPTHWISE_TILE_H
#define RL_KERNELS_DSP_DEPTHWISE_TILE_H

#include "depthwise/depthwise.h"
#include "dsp/simd.h"
#include "scalar/depthwise_channel.h"

// Sums of the four channels at `filter`. `same_input`: they all see the one input channel at `input`.
static inline __attribute__((always_inline)) void rl_depthwise_sum_4(const struct rl_depthwise_window *w,
                                                                     const int8_t *input,
                                                                     const int8_t *filter, int16x2_t offset,
                                                                     bool same_input, int32_t sums[4])
{
    const ptrdiff_t input_column = w->input_column;
    const ptrdiff_t filter_column = w->filter_column;
    int32_t sum_0 = 0;
    int32_t sum_1 = 0;
    int32_t sum_2 = 0;
    int32_t sum_3 = 0;
    for (int32_t row = w->rows; row > 0; row--) {
        const int8_t *x = input;
        const int8_t *k = filter;
        for (int32_t column = w->columns; column > 0; column--) {
            const uint32_t values = same_input ? (uint8_t)*x * UINT32_C(0x01010101) : rl_load_s8x4(x);
            const uint32_t weights = rl_load_s8x4(k);
            const int16x2_t x_even = rl_even_s16_add(offset, values);
            const int16x2_t x_odd = rl_odd_s16_add(offset, values);
            const int16x2_t w_even = rl_even_s16(weights);
            const int16x2_t w_odd = rl_odd_s16(weights);
            sum_0 = __smlabb(x_even, w_even, sum_0);
            sum_2 = __smlatt(x_even, w_even, sum_2);
            sum_1 = __smlabb(x_odd, w_odd, sum_1);
            sum_3 = __smlatt(x_odd, w_odd, sum_3);
            x += input_column;
            k += filter_column;
        }
        input += w->input_row;
        filter += w->filter_row;
    }
    sums[0] = sum_0;
    sums[1] = sum_1;
    sums[2] = sum_2;
    sums[3] = sum_3;
}

// Channels from `channel` on, as many times four as there are, for `count` outputs; returns the first one
// left.
static inline __attribute__((always_inline)) int32_t rl_depthwise_fours(const struct rl_depthwise *d,
                                                                        const struct rl_depthwise_window *w,
                                                                        int32_t count, bool same_input,
                                                                        int8_t *output)
{
    const int16x2_t offset = (int16x2_t)((uint16_t)d->params->input_offset * UINT32_C(0x00010001));
    int32_t channel = 0;
    for (; channel + 4 <= d->channels; channel += 4) {
        const int8_t *input = w->input + (same_input ? channel / d->channel_multiplier : channel);
        int8_t *out = output + channel;
        for (int32_t i = count; i > 0; i--, input += w->output_step, out += d->channels) {
            int32_t sums[4];
            rl_depthwise_sum_4(w, input, w->filter + channel, offset, same_input, sums);
            for (int32_t k = 0; k < 4; k++) {
                out[k] = rl_depthwise_output(d, channel + k, sums[k]);
            }
        }
    }
    return channel;
}

static inline void rl_depthwise_outputs(const struct rl_depthwise *d, const struct rl_depthwise_window *w,
                                        int32_t count, int8_t *output)
{
    int32_t channel = 0;
    if (d->channel_multiplier == 1) {
        channel = rl_depthwise_fours(d, w, count, false, output);
    } else if (d->channel_multiplier % 4 == 0) {
        channel = rl_depthwise_fours(d, w, count, true, output);
    }
    rl_depthwise_channels(d, w, channel, count, output);
}

#endif
