// SPDX-License-Identifier: Apache-2.0
// Windows of an input times three expanded filters, with int16 outputs: dot_lines.h in C.
//
// The values of a filter row have the order that dot_3x2_plain.h describes. Those of the next row follow.
#ifndef RL_KERNELS_DSP_DOT_LINES_PLAIN_H
#define RL_KERNELS_DSP_DOT_LINES_PLAIN_H

#include <stddef.h>
#include <stdint.h>

#include "dsp/simd_plain.h"
#include "elementwise/rescale.h"
#include "isa.h"

#include RL_TILE(rescale_tile.h)

// The assembler relies on the offsets of the fields.
struct rl_dot_lines {
    const int8_t *input;         // 0: of the first output; advances
    ptrdiff_t step;              // 4: from the input of an output to that of the next
    ptrdiff_t gap;               // 8: from the end of the input of a filter row to that of the next
    const uint32_t *values;      // 12
    int32_t fours;               // 16: groups of four values in a filter row, at least one
    int32_t rest;                // 20: values after them
    int32_t rows;                // 24: at least one
    int32_t pairs;               // 28: of outputs, at least one; 0 on return
    int32_t starts[3];           // 32: of the sums
    struct rl_rescale scales[3]; // 44: for sums that are doubled and saturated
    int16_t *output[3];          // 80: those of the third filter are stored first; advance
    ptrdiff_t output_step;       // 92: bytes
    uint32_t low, high;          // 96: the limits of outputs, twice
    uint32_t is_limited;         // 104: whether they are not those of int16
};

static inline int32_t rl_dot_lines_sum(const struct rl_dot_lines *job, const int8_t *input, int32_t filter)
{
    const uint32_t *words = job->values + filter;
    int32_t sum = job->starts[filter];
    for (int32_t row = 0; row < job->rows; row++, input += job->gap) {
        for (int32_t i = 0; i < job->fours; i++, words += 6, input += 4) {
            sum += rl_pairs_product(words[0], words[3], input);
        }
        for (int32_t i = 0; i < job->rest; i++, words += 3) {
            sum += (int32_t)words[0] * *input++;
        }
    }
    return sum;
}

// Computes two outputs of three filters for each pair.
static inline void rl_dot_lines_plain(struct rl_dot_lines *job)
{
    for (; job->pairs > 0; job->pairs--, job->input += 2 * job->step) {
        for (int32_t i = 2; i >= 0; i--) {
            for (int32_t k = 0; k < 2; k++) {
                const int32_t sum = rl_dot_lines_sum(job, job->input + k * job->step, i);
                const int32_t scaled = rl_rescale(job->scales[i], rl_double_limited(sum));
                *job->output[i] = (int16_t)rl_clamp_s32(scaled, (int16_t)job->low, (int16_t)job->high);
                job->output[i] += job->output_step / (ptrdiff_t)sizeof(int16_t);
            }
        }
    }
}

#endif
