// SPDX-License-Identifier: Apache-2.0
// The int8 fully connected layer without its argument checks.
//
//     output[c] = clamp(requantize(base[c] + row_constant + sum_k (x[k] + input_offset) * w[c][k]) +
//     output_offset)
//
// An offset of the filter contributes the same to every channel: row_constant = filter_offset * sum_k (x + offset).
// Kernel sums computed ahead (base = bias + input_offset * sum_k (w + filter_offset)) leave input_offset = 0 here.
#ifndef RL_KERNELS_FULLY_CONNECTED_FULLY_CONNECTED_H
#define RL_KERNELS_FULLY_CONNECTED_FULLY_CONNECTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elementwise/rescale.h"
#include "isa.h"
#include "requantize.h"
#include "scratch.h"

#include RL_TILE(rescale_tile.h)

// Channels that do not repay what is prepared for many, which is right for any number.
enum { RL_FEW = RL_HAS_MVE ? 2 : RL_SMALL ? 0 : RL_HAS_DSP ? 1 : 2 };

struct rl_fully_connected {
    const int8_t *filter; // [channels][depth]
    int32_t depth;
    int32_t channels;
    const int32_t *base; // [channels], or NULL for zeros
    const int32_t *multiplier;
    const int32_t *shift;
    int32_t scale_step; // 1: one multiplier and shift per channel, 0: one for all
    int32_t input_offset;
    int32_t filter_offset;
    int32_t output_offset;
    int32_t output_min;
    int32_t output_max;
    const struct rl_rescale *rescale; // for all channels, or NULL; small code does without
    struct rl_scratch work;           // may hold the arrays of the DSP tile
};

// The output of a channel from its sum, base included.
static inline int8_t rl_fully_connected_scaled(const struct rl_fully_connected *f, int32_t channel, int32_t sum)
{
    const bool small = sum >= -(INT32_C(1) << 29) && sum <= (INT32_C(1) << 29);
    if (!RL_SMALL && f->rescale && small) {
        return (int8_t)rl_clamp_s32(rl_rescale(*f->rescale, sum * 2), f->output_min, f->output_max);
    }
    const int32_t scale = channel * f->scale_step;
    const int32_t scaled = rl_requantize(sum, f->multiplier[scale], f->shift[scale]);
    return rl_output_s8(scaled, f->output_offset, f->output_min, f->output_max);
}

static inline int8_t rl_fully_connected_output(const struct rl_fully_connected *f, int32_t channel, int32_t sum)
{
    return rl_fully_connected_scaled(f, channel, sum + (f->base ? f->base[channel] : 0));
}

// `rows` rows of f->depth values give `rows` rows of f->channels values.
void rl_fully_connected_run(const struct rl_fully_connected *f, const int8_t *input, int32_t rows, int8_t *output);

// One row, with a constant added to all sums and outputs `step` bytes apart; not in small code without Helium.
void rl_fully_connected_run_apart(const struct rl_fully_connected *f, const int8_t *input, int32_t constant,
                                  int8_t *output, ptrdiff_t step);

#endif
