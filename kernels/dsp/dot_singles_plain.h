// SPDX-License-Identifier: Apache-2.0
// A row times short filters, one at a time, with scaled outputs: dot_singles.h in C.
#ifndef RL_KERNELS_DSP_DOT_SINGLES_PLAIN_H
#define RL_KERNELS_DSP_DOT_SINGLES_PLAIN_H

#include <stddef.h>
#include <stdint.h>

#include "fully_connected/fully_connected.h"

// Computes the outputs of all channels, at least one, with `constant` added to all sums. The layer has scales per
// channel that rl_pairs_scale allows, or else a `rescale` that takes values that saturate when they are doubled
// (rl_saturation_is_exact).
static inline void rl_dot_singles_plain(const struct rl_fully_connected *f, const int8_t *input, int8_t *output,
                                        int32_t constant)
{
    const int8_t *filter = f->weights;
    for (int32_t channel = 0; channel < f->channels; channel++, filter += f->depth) {
        int32_t sum = constant + (f->base ? f->base[channel] : 0);
        for (int32_t k = 0; k < f->depth; k++) {
            sum += (input[k] + f->base_offset) * (filter[k] + f->weight_offset);
        }
        const struct rl_scale own = rl_fully_connected_scale_of(f, channel);
        const struct rl_rescale scale =
            f->scales.multiplier ? rl_rescale_of(rl_rescale_rounding(f->output_offset), own.multiplier, own.shift)
                                 : f->rescale;
        const int32_t doubled = sum == rl_clamp_s32(sum, -(1 << 30), (1 << 30) - 1) ? 2 * sum : INT32_MAX ^ (sum >> 31);
        *output++ = (int8_t)rl_clamp_s32(rl_rescale(scale, doubled), f->range.min, f->range.max);
    }
}

#endif
