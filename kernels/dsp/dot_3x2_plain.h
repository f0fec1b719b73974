// SPDX-License-Identifier: Apache-2.0
// Three rows of expanded values times pairs of int8 filters: dot_3x2.h in C.
//
// Values are int16 in the order in which SXTB16 leaves four bytes. Six words hold four values of three rows: values 0
// and 2 of each row, then values 1 and 3 of each row. The last zero to three values of a row take a word each.
#ifndef RL_KERNELS_DSP_DOT_3X2_PLAIN_H
#define RL_KERNELS_DSP_DOT_3X2_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dsp/simd_plain.h"
#include "elementwise/rescale.h"
#include "isa.h"

#include RL_TILE(rescale_tile.h)

// The assembler relies on the offsets of the fields.
struct rl_dot_3x2 {
    const uint32_t *from;                // 0: the assembler's own: `values` less what the first round skips
    const int8_t *filter;                // 4: the filter of channel 0
    ptrdiff_t filter_step;               // 8: bytes from a filter to the next
    const int32_t *bias;                 // 12: NULL to continue from `start`
    int32_t channel;                     // 16: the first channel; on return `end`
    uintptr_t entry;                     // 20: the loop's entry; 0 before the first run with this number of `fours`
    const struct rl_rescale *scale;      // 24: that of the first channel; NULL if `rest` or `sums` is not 0
    int32_t rest;                        // 28: values after the groups of four, 0 to 3
    const struct rl_rescale *rest_scale; // 32: used instead of `scale` if `rest` is not 0
    int8_t *output[3];                   // 36: the outputs of channel 0
    int32_t end;                         // 48: above `channel` by an even number
    int32_t fours;                       // 52: groups of four values
    int32_t *start;                      // 56: [channel][row], may be `sums`
    int32_t *sums;                       // 60: [channel][row], NULL for outputs
    uint32_t *values;                    // 64
    const uint32_t *limits;              // 68: of outputs, low and high in all four bytes; NULL for those of int8
};

// The dot product of a filter and a row, whose words are the first of each three.
static inline int32_t rl_dot_3x2_products(const struct rl_dot_3x2 *job, const uint32_t *words, const int8_t *filter)
{
    int32_t sum = 0;
    for (int32_t i = 0; i < job->fours; i++, words += 6, filter += 4) {
        sum += rl_pairs_product(words[0], words[3], filter);
    }
    for (int32_t i = 0; i < job->rest; i++) {
        sum += (int32_t)words[3 * i] * filter[i];
    }
    return sum;
}

// Computes the sums of three rows with each filter from `channel` to `end`, and scales them to `output` or keeps them
// in `sums`. Advances `channel` and the scale that it used.
static inline void rl_dot_3x2_plain(struct rl_dot_3x2 *job)
{
    const struct rl_rescale **scale = job->scale ? &job->scale : &job->rest_scale;
    const uint32_t *limits = job->limits;
    const struct rl_limits_s8 range = {limits ? (int8_t)limits[0] : INT8_MIN, limits ? (int8_t)limits[1] : INT8_MAX};
    const bool keeps_sums = !job->scale && job->sums;
    for (; job->channel != job->end; job->channel++) {
        const int8_t *filter = job->filter + job->channel * job->filter_step;
        for (int32_t row = 0; row < 3; row++) {
            const int32_t at = 3 * job->channel + row;
            const int32_t start = job->bias ? job->bias[job->channel] : job->start[at];
            const int32_t sum = start + rl_dot_3x2_products(job, job->values + row, filter);
            if (keeps_sums) {
                job->sums[at] = sum;
            } else {
                job->output[row][job->channel] = rl_limit_s8(rl_rescale(**scale, 2 * sum), range, !limits);
            }
        }
        *scale += keeps_sums ? 0 : 1;
    }
}

#endif
