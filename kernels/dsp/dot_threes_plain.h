// SPDX-License-Identifier: Apache-2.0
// A row times groups of three filters, with scaled outputs: dot_threes.h in C.
#ifndef RL_KERNELS_DSP_DOT_THREES_PLAIN_H
#define RL_KERNELS_DSP_DOT_THREES_PLAIN_H

#include <stddef.h>
#include <stdint.h>

#include "dsp/dot_pairs_plain.h"
#include "fully_connected/fully_connected.h"

// Computes outputs, `step` bytes apart, with `constant` added to all sums, of at least three channels, or two with one
// scale, of at least four values each. It does not read weight_offset. The output offset is one of int8. One scale for
// all must take values that saturate when they are doubled (rl_saturation_is_exact). Scales of channels are checked on
// the way: it returns how many of the last channels may have no outputs yet because one of them has a scale that
// rl_pairs_scale refuses.
static inline int32_t rl_dot_threes_plain(const struct rl_fully_connected *f, const int8_t *input, int8_t *output,
                                          int32_t constant, ptrdiff_t step)
{
    const int8_t *filter = f->weights;
    for (int32_t channel = 0; channel < f->channels; channel++, filter += f->depth, output += step) {
        int32_t sum = constant + (f->base ? f->base[channel] : 0);
        for (int32_t k = 0; k < f->depth; k++) {
            sum += (input[k] + f->base_offset) * filter[k];
        }
        const struct rl_scale own = rl_fully_connected_scale_of(f, channel);
        if (f->scales.multiplier && !rl_pairs_scale(&own.multiplier, &own.shift, 1, f->output_offset)) {
            return f->channels - channel;
        }
        const struct rl_rescale scale =
            f->scales.multiplier ? rl_rescale_of(rl_rescale_rounding(f->output_offset), own.multiplier, own.shift)
                                 : f->rescale;
        const int32_t doubled = sum == rl_clamp_s32(sum, -(1 << 30), (1 << 30) - 1) ? 2 * sum : INT32_MAX ^ (sum >> 31);
        *output = (int8_t)rl_clamp_s32(rl_rescale(scale, doubled), f->range.min, f->range.max);
    }
    return 0;
}

#endif
