// SPDX-License-Identifier: Apache-2.0
// Two output positions of an int16 depthwise convolution, eight channels at a time.
#ifndef RL_KERNELS_MVE_DEPTHWISE_S16_PAIR_PLAIN_H
#define RL_KERNELS_MVE_DEPTHWISE_S16_PAIR_PLAIN_H

#include <stddef.h>
#include <stdint.h>

#include "requantize.h"

enum { RL_DEPTHWISE_S16_CHANNELS = 8 };

// The scales of eight channels for sums with bias that fit in 32 bits and the short form of rl_requantize_s64, the even
// channels first. VMULH drops 32 bits; multipliers are shifted left by 16, so that 16 bits of the product are dropped.
struct rl_depthwise_s16_eight {
    int32_t bias[RL_DEPTHWISE_S16_CHANNELS];
    int32_t multiplier[RL_DEPTHWISE_S16_CHANNELS];
    int32_t shift[RL_DEPTHWISE_S16_CHANNELS]; // of a rounding shift to the left, below 0
};

// Steps are in bytes. The loop advances what it points to by eight channels, and counts `groups` down. The assembler
// relies on the offsets of the fields.
struct rl_depthwise_s16_pair {
    const int16_t *input; // the first tap
    const int8_t *filter; // its weights
    int32_t input_column; // from one tap to the next
    int32_t filter_column;
    int32_t second;    // from an input of the first position to that of the second; may be 0
    int32_t rows;      // 0 where no tap lies on the input
    int32_t columns;   // of taps
    int32_t input_row; // from the end of a row of taps to the next row
    int32_t filter_row;
    const struct rl_depthwise_s16_eight *scales;
    int16_t *output;
    int32_t output_second; // from an output of the first position to that of the second; 0 if both are the same
    int32_t low;
    int32_t high;
    int32_t groups; // of eight channels, at least 1
};

static inline int16_t rl_depthwise_s16_pair_output(const struct rl_depthwise_s16_pair *job, int32_t channel,
                                                   const int16_t *input)
{
    const struct rl_depthwise_s16_eight *s = job->scales;
    const int32_t at = channel % 2 * 4 + channel / 2;
    const int8_t *filter = job->filter + channel;
    int32_t sum = s->bias[at];
    for (int32_t y = 0; y < job->rows; y++, input += job->input_row / 2, filter += job->filter_row) {
        for (int32_t x = 0; x < job->columns; x++, input += job->input_column / 2, filter += job->filter_column) {
            sum += *input * *filter;
        }
    }
    const int32_t product = (int32_t)(((int64_t)sum * s->multiplier[at]) >> 32);
    const int64_t rounded = (product + (INT64_C(1) << (-s->shift[at] - 1))) >> -s->shift[at];
    return (int16_t)rl_clamp_s32((int32_t)rounded, job->low, job->high);
}

static inline void rl_depthwise_s16_pair_plain(struct rl_depthwise_s16_pair *job)
{
    for (; job->groups > 0; job->groups--, job->scales++) {
        for (int32_t i = 0; i < RL_DEPTHWISE_S16_CHANNELS; i++) {
            const int16_t *input = job->input + i;
            int16_t *output = job->output + i;
            output[job->output_second / 2] = rl_depthwise_s16_pair_output(job, i, input + job->second / 2);
            *output = rl_depthwise_s16_pair_output(job, i, input);
        }
        job->input += RL_DEPTHWISE_S16_CHANNELS;
        job->filter += RL_DEPTHWISE_S16_CHANNELS;
        job->output += RL_DEPTHWISE_S16_CHANNELS;
    }
}

#endif
