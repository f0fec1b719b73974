// SPDX-License-Identifier: Apache-2.0
// Rows of at most two vectors of int8 times four filters, scaled and stored: short_rows.h in C.
#ifndef RL_KERNELS_MVE_SHORT_ROWS_PLAIN_H
#define RL_KERNELS_MVE_SHORT_ROWS_PLAIN_H

#include <stddef.h>
#include <stdint.h>

#include "requantize.h"

// The longest rows.
enum { RL_SHORT_DEPTH = 32 };

// Pairs of rows, four filters and their scales, for shifts of -1 or less. The assembler relies on the order of the
// fields.
struct rl_short_rows {
    const int8_t *rows;
    const int8_t *filter; // [4][depth]
    int8_t *output;       // four channels of the first row
    int32_t depth;        // 1 to RL_SHORT_DEPTH
    ptrdiff_t row_step;   // from a row to the next
    const int32_t *bias;
    ptrdiff_t output_step; // from the outputs of a row to those of the next
    const int32_t *multiplier;
    int32_t limits[3]; // rl_short_rows_limits
    const int32_t *shift;
    int32_t pairs; // of rows, at least 1
};

// Sets `limits`. A scaled sum becomes its distance from the lower limit, saturates at 0 and, moved up to the end of
// uint16, at the upper limit; the last constant leads back.
static inline void rl_short_rows_limits(struct rl_short_rows *job, int32_t offset, int32_t min, int32_t max)
{
    const int32_t most = UINT16_MAX - (max - min);
    job->limits[0] = offset - min;
    job->limits[1] = most;
    job->limits[2] = min - most;
}

static inline void rl_short_rows_plain(const void *argument)
{
    const struct rl_short_rows *job = argument;
    for (int32_t i = 0; i < 8 * job->pairs; i++) {
        const int32_t row = i / 4, channel = i % 4;
        int32_t sum = job->bias[channel];
        for (int32_t k = 0; k < job->depth; k++) {
            sum += job->rows[row * job->row_step + k] * job->filter[channel * job->depth + k];
        }
        const int32_t min = job->limits[1] + job->limits[2], max = min + UINT16_MAX - job->limits[1];
        const int32_t scaled = rl_requantize(sum, job->multiplier[channel], job->shift[channel]);
        job->output[row * job->output_step + channel] = rl_output_s8(scaled, min + job->limits[0], min, max);
    }
}

#endif
