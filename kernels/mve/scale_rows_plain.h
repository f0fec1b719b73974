// SPDX-License-Identifier: Apache-2.0
// Scales the sums of three rows and stores their outputs: scale_rows.h in C.
#ifndef RL_KERNELS_MVE_SCALE_ROWS_PLAIN_H
#define RL_KERNELS_MVE_SCALE_ROWS_PLAIN_H

#include "mve/dot_rows_plain.h"
#include "requantize.h"

// Whether a loop takes eight channels at a time with these limits: those of a ReLU, or an interval of at least 128.
static inline bool rl_scale_takes_eights(int32_t offset, int32_t min, int32_t max)
{
    return min == offset || max - min >= 128;
}

// Sets `eights` and `rest` once the fields above them are set.
static inline void rl_scale_eights_init(struct rl_filters *f)
{
    const int32_t offset = f->output_offset, min = f->output_min, max = f->output_max;
    const int32_t up = INT8_MAX - max, down = up + min - INT8_MIN; // the latter fits int8
    const bool is_relu = min == offset;
    const int32_t most = UINT16_MAX - (max - min);
    f->eights = (struct rl_scale_eights){
        .shift = f->shift,
        .limits = {min - INT8_MIN, is_relu ? most : offset + up, is_relu ? offset - most : down},
        .bias = f->bias,
        .multiplier = f->multiplier,
        .count = f->channels >> 3,
    };
    f->rest = f->channels & 7;
}

// Where the bias of a channel is, for functions that take eight channels at a time: of whole eights, the even channels
// come first.
static inline int32_t rl_scale_place(int32_t channel, int32_t channels)
{
    const int32_t in_eight = channel % 8;
    return channel < channels / 8 * 8 ? channel - in_eight + in_eight % 2 * 4 + in_eight / 2 : channel;
}

// For shifts of -1 or less. Nothing is written behind `channels`. `eights`: biases are in the order of rl_scale_place.
static inline void rl_scale_rows_plain(const void *argument, bool eights)
{
    const struct rl_three_rows *rows = argument;
    const struct rl_filters *f = rows->filters;
    int8_t *const output[3] = {rows->output_0, rows->output_1, rows->output_2};
    for (int32_t i = 0; i < 3 * f->channels; i++) {
        const int32_t row = i / f->channels, channel = i % f->channels;
        const int32_t place = eights ? rl_scale_place(channel, f->channels) : channel;
        const int32_t value = rows->sums[row * RL_SUM_BLOCK + channel] + f->bias[place];
        const int32_t scaled = rl_requantize(value, f->multiplier[channel], f->shift[channel]);
        output[row][channel] = rl_output_s8(scaled, f->output_offset, f->output_min, f->output_max);
    }
}

#endif
