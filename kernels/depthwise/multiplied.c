// SPDX-License-Identifier: Apache-2.0
#include "depthwise/multiplied.h"

#include "convolution/convolution.h"

enum {
    FEWEST_CHANNELS = 4, // per input channel; fewer do not repay copying patches
    FEW_CHANNELS = 16,   // at a time: the stack takes about as many
    MOST_TAPS = 64,
    PATCHES = 4, // as rl_convolution_run_channels wants
    // Patches and transposed filters: of 64 channels of 10x4, as in keyword spotting, or with Helium, where
    // the scratch takes those, of the channels that a scratch planned for another core leaves.
    STACK_BYTES = RL_HAS_MVE ? 1024 : 2816,
};

// filters[channel][tap] of `count` channels from `first` on.
static void transpose_filters(const struct rl_depthwise *d, int32_t first, int32_t count, int8_t *filters)
{
    const int32_t taps = d->filter_dims->h * d->filter_dims->w;
    for (int32_t channel = 0; channel < count; channel++) {
        const int8_t *from = d->filter + first + channel;
        for (int32_t tap = taps; tap > 0; tap--, from += d->channels) {
            *filters++ = *from;
        }
    }
}

// The output channels [first, first + count), which share the input channel at `input`. `memory` takes the
// patches and a filter for each.
static void run_channels(const struct rl_depthwise *d, const int8_t *input, int32_t first, int32_t count,
                         int8_t *memory)
{
    int8_t *filters = memory + PATCHES * d->filter_dims->h * d->filter_dims->w;
    const cmsis_nn_dw_conv_params *p = d->params;
    const cmsis_nn_conv_params params = {p->input_offset, p->output_offset, p->stride,
                                         p->padding,      p->dilation,      p->activation};
    const cmsis_nn_per_channel_quant_params quant = {d->quant->multiplier + first, d->quant->shift + first};
    const cmsis_nn_dims filter_dims = {count, d->filter_dims->h, d->filter_dims->w, 1};
    const cmsis_nn_dims output_dims = {d->output_dims->n, d->output_dims->h, d->output_dims->w, d->channels};
    const struct rl_convolution c = {
        .params = &params,
        .quant = &quant,
        .input_dims = d->input_dims,
        .input = input,
        .filter_dims = &filter_dims,
        .filter = filters,
        .bias = d->bias != NULL ? d->bias + first : NULL,
        .output_dims = &output_dims,
        .output = d->output + first,
        .groups = d->input_dims->c,
        .rows_are_runs = d->input_dims->c == 1 && p->dilation.w == 1 && p->dilation.h == 1,
    };
    struct rl_matmul m;
    transpose_filters(d, first, count, filters);
    rl_convolution_channels(&m, &c, 0, count);
    rl_convolution_run_channels(&c, &m, input, d->output + first, memory);
}

// As many channels at a time as `bytes` of memory take.
static void run_within(const struct rl_depthwise *d, int8_t *memory, int32_t bytes)
{
    const int32_t multiplier = d->channel_multiplier;
    const int32_t filters = bytes / (d->filter_dims->h * d->filter_dims->w) - PATCHES;
    const int32_t at_once = rl_min_s32(filters, RL_CHANNEL_BLOCK) & ~1; // even: channels go in pairs
    for (int32_t channel = 0; channel < d->input_dims->c; channel++) {
        const int32_t end = (channel + 1) * multiplier;
        for (int32_t first = channel * multiplier; first < end; first += at_once) {
            run_channels(d, d->input + channel, first, rl_min_s32(end - first, at_once), memory);
        }
    }
}

// Not inlined: the others need not have the memory on their stack.
static __attribute__((noinline)) void run_on_stack(const struct rl_depthwise *d)
{
    int8_t memory[STACK_BYTES];
    run_within(d, memory, STACK_BYTES);
}

bool rl_depthwise_run_multiplied(const struct rl_depthwise *d)
{
    const int32_t taps = d->filter_dims->h * d->filter_dims->w;
    const int32_t multiplier = d->channel_multiplier;
    if (multiplier < FEWEST_CHANNELS || taps < 1 || taps > MOST_TAPS) {
        return false;
    }
    const int32_t needed = (rl_min_s32(multiplier, FEW_CHANNELS) + 1 + PATCHES) * taps;
    if (d->scratch_bytes >= needed) {
        run_within(d, d->scratch, d->scratch_bytes);
    } else {
        run_on_stack(d);
    }
    return true;
}
