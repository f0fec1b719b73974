// SPDX-License-Identifier: Apache-2.0
// One output position of a depthwise convolution, four channels at a time: depthwise_four.h in C.
#ifndef RL_KERNELS_DSP_DEPTHWISE_FOUR_PLAIN_H
#define RL_KERNELS_DSP_DEPTHWISE_FOUR_PLAIN_H

#include <stddef.h>
#include <stdint.h>

#include "dsp/simd_plain.h"
#include "elementwise/rescale.h"
#include "isa.h"
#include "requantize.h"

#include RL_TILE(rescale_tile.h)

// The assembler relies on the offsets of the fields; it changes those up to `output`, and `start`. Pointers are to
// channel 0.
struct rl_depthwise_four {
    const int8_t *x;           // 0: behind the first row of taps, like `w`
    const int8_t *w;           // 4
    const int32_t *multiplier; // 8
    const int32_t *shift;      // 12
    const int32_t *bias;       // 16
    int8_t *output;            // 20
    ptrdiff_t bias_step;       // 24: bytes
    const int8_t *last;        // 28: the last output at which four begin
    int32_t rows;              // 32: 0 if there are no taps
    ptrdiff_t start;           // 36: -columns * channels
    ptrdiff_t x_line;          // 40
    ptrdiff_t w_line;          // 44
    uint32_t offsets;          // 48: the input offset twice
    ptrdiff_t channels;        // 52
    int32_t rounding;          // 56: rl_rescale_rounding of the output offset
    uint32_t low;              // 60: the limit four times
    uint32_t high;             // 64
};

// The sum of channel i, without the bias.
static inline int32_t rl_depthwise_four_taps(const struct rl_depthwise_four *job, ptrdiff_t i)
{
    int32_t sum = 0;
    for (int32_t row = 0; row < job->rows; row++) {
        const int8_t *x = job->x + row * job->x_line + i;
        const int8_t *w = job->w + row * job->w_line + i;
        for (ptrdiff_t tap = job->start; tap < 0; tap += job->channels) {
            sum += (x[tap] + rl_pair_low(job->offsets)) * w[tap];
        }
    }
    return sum;
}

// Computes the outputs up to the four at `last`. Shifts are -22 to 30. `bias_step` is 16, or 0 if there are only four
// biases, all zero.
static inline void rl_depthwise_four_plain(struct rl_depthwise_four *job)
{
    const int8_t *const end = job->last + 4;
    for (ptrdiff_t i = 0; job->output != end; i++, job->output++) {
        const int32_t sum = job->bias[i / 4 * (job->bias_step / 4) + i % 4] + rl_depthwise_four_taps(job, i);
        int32_t scaled;
        if (job->shift[i] < 0) {
            scaled = rl_rescale(rl_rescale_of(job->rounding, job->multiplier[i], job->shift[i]), 2 * sum);
        } else {
            scaled = rl_requantize(sum, job->multiplier[i], job->shift[i]) + (job->rounding >> 1);
        }
        *job->output = (int8_t)rl_clamp_s32(scaled, (int8_t)job->low, (int8_t)job->high);
    }
}

#endif
