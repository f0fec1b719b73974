// SPDX-License-Identifier: Apache-2.0
// The steps of an int8 depthwise convolution.
#ifndef RL_KERNELS_DEPTHWISE_DEPTHWISE_H
#define RL_KERNELS_DEPTHWISE_DEPTHWISE_H

#include <stdbool.h>
#include <stddef.h>

#include "requantize.h"
#include "rushlight/kernels/depthwise.h"

static inline int8_t rl_depthwise_output(const struct rl_depthwise *d, int32_t channel, int32_t sum)
{
    const int32_t biased = sum + (d->bias ? d->bias[channel] : 0);
    const int32_t scaled = rl_requantize(biased, d->scales.multiplier[channel], d->scales.shift[channel]);
    return rl_output_s8(scaled, d->output_offset, d->range.min, d->range.max);
}

// Runs the output channels [first, end) of all images. `input` and `output` are at channel 0; `first` is a multiple of
// the multiplier.
typedef void rl_depthwise_channels_loop(const struct rl_depthwise *d, int32_t first, int32_t end, const int8_t *input,
                                        int8_t *output);

// Output by output, for layers that no block suits or that have few outputs.
rl_depthwise_channels_loop rl_depthwise_run_channels;

// The same with one small loop, for small code and for layers that vectors do not take in programs without other loops.
rl_depthwise_channels_loop rl_depthwise_run_one_by_one;

enum { RL_DEPTHWISE_S16_FAST = 512 }; // taps from which on CMSIS-NN does not copy int16 filters

// The bytes that CMSIS-NN announces for its function that copies filters, even for layers that cannot use it.
int32_t rl_depthwise_announced_fast(const struct rl_depthwise *d, enum rl_isa isa);

// Runs with int4 weights for an odd number of input channels, and reads the weights that CMSIS-NN reads. CMSIS-NN
// counts half bytes from tap to tap and from channel to channel of an output position, and starts each tap at a whole
// byte. These are other weights than the layout says if taps fall outside the image or there is a channel multiplier,
// but programs made for CMSIS-NN depend on its results.
void rl_depthwise_s4_run_counted(const struct rl_depthwise *d, const int8_t *input, int8_t *output);

// Elements of an image.
static inline ptrdiff_t rl_image_size(struct rl_image image)
{
    return (ptrdiff_t)image.h * image.w * image.c;
}

#endif
