// SPDX-License-Identifier: Apache-2.0
// Pairs of neighbouring outputs of a depthwise convolution with filters of 3x3 and a stride of 2, four channels at a
// time: depthwise_pairs.h in C.
#ifndef RL_KERNELS_DSP_DEPTHWISE_PAIRS_PLAIN_H
#define RL_KERNELS_DSP_DEPTHWISE_PAIRS_PLAIN_H

#include <stddef.h>
#include <stdint.h>

#include "dsp/simd_plain.h"
#include "elementwise/rescale.h"
#include "isa.h"
#include "requantize.h"

#include RL_TILE(rescale_tile.h)

// Two of the four channels: 0 and 2, or 1 and 3. Bias and weights are doubled for rl_rescale. A word of weights holds
// those of both channels.
struct rl_depthwise_half {
    int32_t bias[2];
    struct rl_rescale scale[2];
    uint32_t weights[9];
};

// The assembler relies on the offsets of the fields; it changes `x`, `output` and `lines`. Steps are in bytes.
struct rl_depthwise_pairs {
    const int8_t *x;                  // 0: the first tap of the first output that lies on the input
    int8_t *output;                   // 4
    ptrdiff_t pixel;                  // 8: from a pixel of the input to the next
    ptrdiff_t line;                   // 12: from a line of taps to the next
    ptrdiff_t x_right;                // 16: of the input, from a pair to the next
    ptrdiff_t output_right;           // 20: from an output to the next
    int32_t pairs;                    // 24: in a line of outputs, at least one
    int32_t lines;                    // 28: of outputs, at least one
    ptrdiff_t x_down;                 // 32: of the input, from a line of outputs to the next
    ptrdiff_t output_down;            // 36
    int32_t rows;                     // 40: the last rows of the weights that are used, 0 to 3
    uint32_t offsets;                 // 44: the input offset twice
    uint32_t low;                     // 48: the limit four times
    uint32_t high;                    // 52
    struct rl_depthwise_half half[2]; // 56
};

// The output of channel `channel` whose first tap is at x.
static inline int8_t rl_depthwise_pairs_output(const struct rl_depthwise_pairs *job, const int8_t *x, int32_t channel)
{
    const struct rl_depthwise_half *half = &job->half[channel & 1];
    const int32_t upper = channel >> 1;
    int32_t doubled = half->bias[upper];
    for (int32_t row = 0; row < job->rows; row++) {
        const uint32_t *weights = half->weights + 3 * (3 - job->rows + row);
        for (int32_t column = 0; column < 3; column++) {
            const int32_t weight = upper ? rl_pair_high(weights[column]) : rl_pair_low(weights[column]);
            doubled += (x[row * job->line + column * job->pixel + channel] + rl_pair_low(job->offsets)) * weight;
        }
    }
    return (int8_t)rl_clamp_s32(rl_rescale(half->scale[upper], doubled), (int8_t)job->low, (int8_t)job->high);
}

static inline void rl_depthwise_pairs_plain(struct rl_depthwise_pairs *job)
{
    for (; job->lines > 0; job->lines--, job->x += job->x_down, job->output += job->output_down) {
        const int8_t *x = job->x;
        int8_t *output = job->output;
        for (int32_t i = 0; i < job->pairs; i++, x += job->x_right, output += 2 * job->output_right) {
            for (int32_t channel = 0; channel < 4; channel++) {
                output[channel] = rl_depthwise_pairs_output(job, x, channel);
                output[job->output_right + channel] = rl_depthwise_pairs_output(job, x + 2 * job->pixel, channel);
            }
        }
    }
}

#endif
