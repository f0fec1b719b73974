// SPDX-License-Identifier: Apache-2.0
// A row times few or short filters, two at a time, with scaled outputs: dot_pairs.h in C.
#ifndef RL_KERNELS_DSP_DOT_PAIRS_PLAIN_H
#define RL_KERNELS_DSP_DOT_PAIRS_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dsp/simd_plain.h"
#include "elementwise/rescale.h"
#include "isa.h"
#include "requantize.h"

#include RL_TILE(rescale_tile.h)

// Whether dot_pairs.h can use these scales: a doubled sum of 2^31 or more must leave int8 by far, saturated or not.
static inline bool rl_pairs_scale(const int32_t *multiplier, const int32_t *shift, int32_t channels, int32_t offset)
{
    bool exact = rl_offset_is_small(offset);
    for (int32_t i = 0; exact && i < channels; i++) {
        exact = multiplier[i] >= 1 << 30 && (uint32_t)(shift[i] + 20) < 20;
    }
    return exact;
}

// The assembler relies on the offsets of the fields.
struct rl_dot_pairs {
    const int8_t *row;         // 0
    const int8_t *filter;      // 4
    int32_t depth;             // 8
    uint32_t offsets;          // 12: the offset twice
    const int32_t *base;       // 16
    ptrdiff_t base_step;       // 20: bytes from one to the next, 4 or 0, like `scale_step`
    int32_t constant;          // 24
    const int32_t *multiplier; // 28
    const int32_t *shift;      // 32
    ptrdiff_t scale_step;      // 36
    int8_t *output;            // 40
    ptrdiff_t output_step;     // 44
    int32_t channels;          // 48: at least 1
    int32_t rounding;          // 52: rl_rescale_rounding of the output offset
    uint32_t low;              // 56: the limit four times
    uint32_t high;             // 60
    ptrdiff_t filter_step;     // 64: bytes from a filter to the next
};

// The value `bytes` behind the first.
static inline int32_t rl_pairs_at(const int32_t *values, ptrdiff_t bytes)
{
    return values[bytes / (ptrdiff_t)sizeof *values];
}

// Computes the outputs of all channels, for scales that rl_pairs_scale allows. Changes `channels` and the fields up to
// `output`; if the number of channels is even, `output` is then behind the last output.
static inline void rl_dot_pairs_plain(struct rl_dot_pairs *job)
{
    for (ptrdiff_t c = 0; c < job->channels; c++) {
        const int8_t *filter = job->filter + c * job->filter_step;
        int32_t sum = job->constant + rl_pairs_at(job->base, c * job->base_step);
        for (int32_t k = 0; k < job->depth; k++) {
            sum += (job->row[k] + rl_pair_low(job->offsets)) * filter[k];
        }
        const int32_t multiplier = rl_pairs_at(job->multiplier, c * job->scale_step);
        const int32_t shift = rl_pairs_at(job->shift, c * job->scale_step);
        const int32_t doubled = sum == rl_clamp_s32(sum, -(1 << 30), (1 << 30) - 1) ? 2 * sum : INT32_MAX ^ (sum >> 31);
        const int32_t scaled = rl_rescale(rl_rescale_of(job->rounding, multiplier, shift), doubled);
        *job->output = (int8_t)rl_clamp_s32(scaled, (int8_t)job->low, (int8_t)job->high);
        job->output += job->output_step;
    }
}

#endif
