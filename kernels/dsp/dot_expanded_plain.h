// SPDX-License-Identifier: Apache-2.0
// An expanded row times groups of three int8 filters, with scaled outputs: dot_expanded.h in C.
#ifndef RL_KERNELS_DSP_DOT_EXPANDED_PLAIN_H
#define RL_KERNELS_DSP_DOT_EXPANDED_PLAIN_H

#include <stddef.h>
#include <stdint.h>

#include "dsp/dot_pairs_plain.h"
#include "dsp/simd_plain.h"
#include "elementwise/rescale.h"
#include "isa.h"

#include RL_TILE(rescale_tile.h)

// The assembler relies on the offsets of the fields.
struct rl_dot_expanded {
    const uint32_t *row;       // 0: two words for each four values, then two more that may be read
    const int8_t *filter;      // 4: advances
    ptrdiff_t filter_step;     // 8: bytes from a filter to the next
    int32_t rounds;            // 12: the assembler's own
    const int32_t *base;       // 16: advances
    ptrdiff_t base_step;       // 20: bytes from the base of a filter to that of the next, or 0
    int32_t constant;          // 24: added to all sums
    uintptr_t entry;           // 28: the assembler's own
    struct rl_rescale scale;   // 32: of all sums, which are doubled and saturated
    uint32_t low, high;        // 44: the limits of outputs in all four bytes
    int8_t *output;            // 52: advances
    ptrdiff_t output_step;     // 56
    int32_t filters;           // 60: a multiple of three, not 0; on return those left, 0 unless a scale was refused
    const int32_t *multiplier; // 64: NULL, or the first filter's own scale; advances. If there are `sums`, not NULL
    const int32_t *shift;      // 68: advances
    ptrdiff_t scale_step;      // 72: bytes from the scale of a filter to that of the next, 0 without
    int32_t rounding;          // 76: rl_rescale_rounding, for scales of filters
    int32_t *sums;             // 80: NULL, or where sums go instead of outputs; advances
    int32_t fours;             // 84: groups of four values, at least one
};

// Whether a filter has a scale that the loop takes.
static inline bool rl_dot_expanded_takes(const struct rl_dot_expanded *job, int32_t filter)
{
    const ptrdiff_t at = filter * job->scale_step / 4;
    return job->sums || !job->multiplier || rl_pairs_scale(job->multiplier + at, job->shift + at, 1, 0);
}

static inline int32_t rl_dot_expanded_sum(const struct rl_dot_expanded *job, int32_t filter)
{
    const int8_t *weights = job->filter + filter * job->filter_step;
    int32_t sum = job->constant + job->base[filter * job->base_step / 4];
    for (int32_t k = 0; k < job->fours; k++) {
        sum += rl_pairs_product(job->row[2 * k], job->row[2 * k + 1], weights + 4 * k);
    }
    return sum;
}

// The outputs or sums of one filter after the other. The pairs of a row are those that SXTB16 makes of weights: values
// 0 and 2, 1 and 3. A scale of a filter that rl_pairs_scale refuses ends the loop before the group of three that has
// it.
static inline void rl_dot_expanded_plain(struct rl_dot_expanded *job)
{
    const int32_t count = job->filters;
    for (int32_t i = 0; i < count; i++, job->filters--) {
        const int32_t sum = rl_dot_expanded_sum(job, i);
        if (job->sums) {
            job->sums[i] = sum;
            continue;
        }
        if (i % 3 == 0 && !(rl_dot_expanded_takes(job, i) && rl_dot_expanded_takes(job, i + 1) &&
                            rl_dot_expanded_takes(job, i + 2))) {
            return;
        }
        struct rl_rescale scale = job->scale;
        if (job->multiplier) {
            const ptrdiff_t at = i * job->scale_step / 4;
            scale = rl_rescale_of(job->rounding, job->multiplier[at], job->shift[at]);
        }
        const int32_t doubled = sum == rl_clamp_s32(sum, -(1 << 30), (1 << 30) - 1) ? 2 * sum : INT32_MAX ^ (sum >> 31);
        job->output[i * job->output_step] =
            (int8_t)rl_clamp_s32(rl_rescale(scale, doubled), (int8_t)job->low, (int8_t)job->high);
    }
}

#endif
