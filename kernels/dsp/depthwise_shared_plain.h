// SPDX-License-Identifier: Apache-2.0
// Outputs of a depthwise convolution with a channel multiplier, four channels that share an input: depthwise_shared.h
// in C.
#ifndef RL_KERNELS_DSP_DEPTHWISE_SHARED_PLAIN_H
#define RL_KERNELS_DSP_DEPTHWISE_SHARED_PLAIN_H

#include <stddef.h>
#include <stdint.h>

#include "dsp/shared_sizes.h"
#include "dsp/simd_plain.h"
#include "elementwise/rescale.h"
#include "requantize.h"

#include RL_TILE(rescale_tile.h)

// The assembler relies on the offsets of the fields. It changes those from `output` to `x_end`, and `lines`.
struct rl_depthwise_shared {
    struct rl_rescale scale[4]; // 0
    int32_t bias[4];            // 48: doubled, like the sums
    uint32_t low;               // 64: the limit four times
    uint32_t high;              // 68
    int8_t *output;             // 72
    ptrdiff_t output_right;     // 76: bytes
    const int16_t *x;           // 80: behind the pairs of the first row of taps, inputs with the offset
    int32_t x_right;            // 84: bytes to those of the next output
    const int16_t *x_end;       // 88: behind the line of outputs
    const uint32_t *weights;    // 92: of four channels, a word each pair of taps, doubled
    int32_t rows;               // 96: of taps
    int32_t x_line;             // 100: bytes from one to the next
    int32_t entry;              // 104: rl_shared_entry
    int32_t lines;              // 108: of outputs
    int32_t x_gap;              // 112: bytes from the end of a line to the start of the next
    int32_t x_down;             // 116: bytes from line to line
    ptrdiff_t output_gap;       // 120: bytes
};

// Where the loop is entered for rows of so many pairs of taps, in bytes from its end.
enum { RL_SHARED_PAIR = 36, RL_SHARED_NEXT = 14 };

static inline int32_t rl_shared_entry(int32_t pairs)
{
    return -(pairs * RL_SHARED_PAIR + RL_SHARED_NEXT);
}

static inline int32_t rl_shared_pairs(int32_t entry)
{
    return (-entry - RL_SHARED_NEXT) / RL_SHARED_PAIR;
}

static inline int32_t rl_shared_sum(const struct rl_depthwise_shared *job, int32_t channel)
{
    const int32_t pairs = rl_shared_pairs(job->entry);
    const int16_t *x = job->x - 2 * pairs;
    const uint32_t *w = job->weights + channel;
    int32_t sum = job->bias[channel];
    for (int32_t row = job->rows; row > 0; row--, x += job->x_line / 2) {
        for (int32_t pair = 0; pair < pairs; pair++, w += 4) {
            sum += x[2 * pair] * rl_pair_low(*w) + x[2 * pair + 1] * rl_pair_high(*w);
        }
    }
    return sum;
}

// Computes all lines of outputs. Shifts are -22 to -1.
static inline void rl_depthwise_shared_plain(struct rl_depthwise_shared *job)
{
    for (;;) {
        for (; job->x != job->x_end; job->x += job->x_right / 2, job->output += job->output_right) {
            for (int32_t i = 0; i < 4; i++) {
                const int32_t scaled = rl_rescale(job->scale[i], rl_shared_sum(job, i));
                job->output[i] = (int8_t)rl_clamp_s32(scaled, (int8_t)job->low, (int8_t)job->high);
            }
        }
        if (--job->lines == 0) {
            return;
        }
        job->x += job->x_gap / 2;
        job->x_end += job->x_down / 2;
        job->output += job->output_gap;
    }
}

#endif
