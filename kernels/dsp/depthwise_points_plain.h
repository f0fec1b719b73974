// SPDX-License-Identifier: Apache-2.0
// Some outputs of a depthwise convolution, four channels at a time: depthwise_points.h in C.
#ifndef RL_KERNELS_DSP_DEPTHWISE_POINTS_PLAIN_H
#define RL_KERNELS_DSP_DEPTHWISE_POINTS_PLAIN_H

#include <stddef.h>
#include <stdint.h>

#include "dsp/points_sizes.h"
#include "dsp/simd_plain.h"
#include "elementwise/rescale.h"
#include "isa.h"
#include "requantize.h"

#include RL_TILE(rescale_tile.h)

// The window of an output.
struct rl_depthwise_point {
    int32_t x;               // 0: bytes from the input to the last tap of the first row
    const uint32_t *weights; // 4: of that tap, in the job
    uint32_t rows;           // 8: rl_point_rows
    int32_t entry;           // 12: rl_point_entry
};

// The assembler relies on the offsets of the fields. It changes those from `output` to `x`.
struct rl_depthwise_points {
    struct rl_rescale scale[4];             // 0: of the four channels, which the loop prepares, as it does `bias`
    int32_t bias[4];                        // 48: doubled, like the sums
    uint32_t low;                           // 64: the limit four times
    uint32_t high;                          // 68
    int8_t *output;                         // 72
    ptrdiff_t output_right;                 // 76: bytes
    const struct rl_depthwise_point *point; // 80
    const int8_t *x;                        // 84
    int32_t channel;                        // 88: the first of four
    int32_t last;                           // 92: where the last four begin
    const int8_t *first_x;                  // 96: like the next ones of channel 0
    const int8_t *w;                        // 100
    const int32_t *multipliers;             // 104
    const int32_t *shifts;                  // 108
    const int32_t *biases;                  // 112
    int8_t *first_output;                   // 116
    int32_t bias_step;                      // 120: 4, or 0 if there are four biases for all channels
    int32_t rounding;                       // 124: rl_rescale_rounding of the output offset
    uint32_t offsets;                       // 128: the input offset twice
    ptrdiff_t pixel;                        // 132: bytes from a tap to the next, of inputs and weights
    int32_t taps;                           // 136
    struct rl_depthwise_point points[RL_POINTS + 1]; // 140: the last one has the entry RL_POINT_END
    uint32_t weights[2 * RL_POINTS_TAPS];            // 412: channels 0 and 2, then 1 and 3 of each tap, doubled
};

// Rows of taps of a point, and what leads from one to the next: bytes of the input, and of the weights in the job.
static inline uint32_t rl_point_rows(int32_t rows, int32_t x_line, int32_t filter_columns)
{
    return (uint32_t)(rows - 1) << 28 | (uint32_t)filter_columns << 19 | (uint32_t)x_line;
}

// Where the loop is entered, in bytes from its end: for a point without taps, behind the last point, and for rows
// of so many taps, which take RL_POINT_TAP bytes each, the fourth one from the end more.
enum { RL_POINT_TAP = 36, RL_POINT_MORE = 4, RL_POINT_NEXT = 20, RL_POINT_EMPTY = -2 };
enum { RL_POINT_END = -(RL_POINTS_COLUMNS * RL_POINT_TAP + RL_POINT_MORE + RL_POINT_NEXT + 4) };

static inline int32_t rl_point_entry(int32_t columns)
{
    return -(columns * RL_POINT_TAP + (columns > 3 ? RL_POINT_MORE : 0) + RL_POINT_NEXT);
}

// The columns of an entry.
static inline int32_t rl_point_columns(int32_t entry)
{
    return (-entry - RL_POINT_NEXT) / RL_POINT_TAP;
}

// The sum of channel i of the four at a point, doubled, without the bias.
static inline int32_t rl_point_taps(const struct rl_depthwise_points *job, const struct rl_depthwise_point *point,
                                    int32_t i)
{
    if (point->entry == RL_POINT_EMPTY) {
        return 0;
    }
    const int32_t columns = rl_point_columns(point->entry), half = i >> 1;
    const int8_t *x = job->x + point->x + i;
    const uint32_t *w = point->weights + (i & 1);
    int32_t sum = 0;
    for (int32_t row = (int32_t)(point->rows >> 28); row >= 0; row--) {
        for (int32_t tap = 0; tap < columns; tap++) {
            const int32_t value = x[-tap * job->pixel] + rl_pair_low(job->offsets);
            sum += value * (half ? rl_pair_high(w[-2 * tap]) : rl_pair_low(w[-2 * tap]));
        }
        x += point->rows & RL_POINTS_LINE;
        w += (point->rows >> 16 & 0xfff) / 4;
    }
    return sum;
}

// Prepares the channels from job->channel on.
static inline void rl_points_prepare_plain(struct rl_depthwise_points *job)
{
    const int32_t channel = job->channel;
    for (int32_t i = 0; i < 4; i++) {
        job->scale[i] = rl_rescale_of(job->rounding, job->multipliers[channel + i], job->shifts[channel + i]);
        job->bias[i] = 2 * job->biases[channel * (job->bias_step / 4) + i];
    }
    for (int32_t tap = 0; tap < job->taps; tap++) {
        const int8_t *w = job->w + channel + tap * job->pixel;
        job->weights[2 * tap] = rl_pair_of(2 * w[0], 2 * w[2]);
        job->weights[2 * tap + 1] = rl_pair_of(2 * w[1], 2 * w[3]);
    }
}

// Computes all channels up to the four at `last` of all points. Shifts are -22 to -1.
static inline void rl_depthwise_points_plain(struct rl_depthwise_points *job)
{
    for (;;) {
        rl_points_prepare_plain(job);
        job->x = job->first_x + job->channel;
        job->output = job->first_output + job->channel;
        job->point = job->points;
        for (; job->point->entry != RL_POINT_END; job->point++, job->output += job->output_right) {
            for (int32_t i = 0; i < 4; i++) {
                const int32_t scaled = rl_rescale(job->scale[i], job->bias[i] + rl_point_taps(job, job->point, i));
                job->output[i] = (int8_t)rl_clamp_s32(scaled, (int8_t)job->low, (int8_t)job->high);
            }
        }
        if (job->channel == job->last) {
            return;
        }
        job->channel = rl_min_s32(job->channel + 4, job->last);
    }
}

#endif
