// SPDX-License-Identifier: Apache-2.0
// One output position of an int16 depthwise convolution, four channels at a time.
#ifndef RL_KERNELS_DSP_DEPTHWISE_S16_FOUR_PLAIN_H
#define RL_KERNELS_DSP_DEPTHWISE_S16_FOUR_PLAIN_H

#include <stddef.h>
#include <stdint.h>

#include "requantize.h"

enum { RL_DEPTHWISE_S16_FOUR = 4 };

// The scales of four channels, for sums with bias that fit in 32 bits and the short form of rl_requantize_s64:
// floor((floor(x / 2^n) + 1) / 2) is floor((x + 2^n) / 2^(n + 1)).
struct rl_depthwise_s16_scales {
    int32_t bias[RL_DEPTHWISE_S16_FOUR];
    int16_t multiplier[RL_DEPTHWISE_S16_FOUR]; // reduced
    int32_t rounding[RL_DEPTHWISE_S16_FOUR];   // 2^n
    int32_t shift[RL_DEPTHWISE_S16_FOUR];      // n + 1, at least 1
};

// Steps are in bytes. The loop advances what it points to by four channels, and counts `groups` down.
struct rl_depthwise_s16_job {
    const int16_t *input; // the first tap
    const int8_t *filter; // its weights
    int32_t input_column; // from one tap to the next
    int32_t filter_column;
    const struct rl_depthwise_s16_scales *scales;
    int32_t rows;      // 0 where no tap lies on the input
    uint32_t code;     // where the assembler enters its loop
    int32_t input_row; // from the end of a row of taps to the next row
    int32_t filter_row;
    int16_t *output;
    uint32_t low; // limits, each twice
    uint32_t high;
    int32_t groups;  // of four channels, at least 1
    int32_t columns; // of taps
};

static inline void rl_depthwise_s16_four_plain(struct rl_depthwise_s16_job *job)
{
    const int32_t low = (int16_t)job->low, high = (int16_t)job->high;
    for (; job->groups > 0; job->groups--, job->scales++) {
        const struct rl_depthwise_s16_scales *s = job->scales;
        for (int32_t i = 0; i < RL_DEPTHWISE_S16_FOUR; i++) {
            const int16_t *input = job->input++;
            const int8_t *filter = job->filter++;
            int32_t sum = s->bias[i];
            for (int32_t y = 0; y < job->rows; y++) {
                for (int32_t x = 0; x < job->columns; x++) {
                    sum += *input * *filter;
                    input += job->input_column / 2;
                    filter += job->filter_column;
                }
                input += job->input_row / 2;
                filter += job->filter_row;
            }
            const int32_t scaled = (rl_multiply_q16(sum, s->multiplier[i]) + s->rounding[i]) >> s->shift[i];
            *job->output++ = (int16_t)rl_clamp_s32(scaled, low, high);
        }
    }
}

#endif
