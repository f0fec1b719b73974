// SPDX-License-Identifier: Apache-2.0
// The functions that the int8 fully connected layer and its tiles share. A tile computes
//
//     output[c] = clamp(requantize(base[c] + row_constant + sum_k (x[k] + base_offset) * w[c][k]) + output_offset)
//
// An offset of the weights contributes the same to every channel:
//
//     row_constant = weight_offset * sum_k (x[k] + base_offset)
#ifndef RL_KERNELS_FULLY_CONNECTED_FULLY_CONNECTED_H
#define RL_KERNELS_FULLY_CONNECTED_FULLY_CONNECTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elementwise/rescale.h"
#include "isa.h"
#include "requantize.h"
#include "rushlight/kernels/fully_connected.h"
#include "scratch.h"

#include RL_TILE(rescale_tile.h)

// The scale of a channel.
static inline struct rl_scale rl_fully_connected_scale_of(const struct rl_fully_connected *f, int32_t channel)
{
    if (f->scales.multiplier) {
        return (struct rl_scale){f->scales.multiplier[channel], f->scales.shift[channel]};
    }
    return f->scale;
}

// rl_fully_connected_prepare for layers with valid sizes, with what follows from bias, input_offset and folded: no run
// of int8 weights reads those. Inlined, because small layers take little longer than a call.
static inline void rl_fully_connected_begin_with(struct rl_fully_connected *f, const int32_t *base, int32_t base_offset)
{
    f->base = base;
    f->base_offset = base_offset;
    f->has_rescale = false;
    if (!RL_SMALL && !RL_HAS_MVE && (!f->scales.multiplier || f->channels == 1)) {
        const struct rl_scale scale = rl_fully_connected_scale_of(f, 0);
        f->has_rescale = rl_rescale_init(f->output_offset, scale.multiplier, scale.shift, &f->rescale);
    }
}

static inline void rl_fully_connected_begin(struct rl_fully_connected *f)
{
    rl_fully_connected_begin_with(f, f->folded ? f->folded : f->bias, f->folded ? 0 : f->input_offset);
}

// The output of a channel from its sum, base included. It does not use `rescale`.
static inline int8_t rl_fully_connected_requantized(const struct rl_fully_connected *f, int32_t channel, int32_t sum)
{
    const struct rl_scale scale = rl_fully_connected_scale_of(f, channel);
    const int32_t scaled = rl_requantize(sum, scale.multiplier, scale.shift);
    return rl_output_s8(scaled, f->output_offset, f->range.min, f->range.max);
}

static inline int8_t rl_fully_connected_scaled(const struct rl_fully_connected *f, int32_t channel, int32_t sum)
{
    const bool small = sum >= -(INT32_C(1) << 29) && sum <= (INT32_C(1) << 29);
    if (!RL_SMALL && f->has_rescale && small) {
        return (int8_t)rl_clamp_s32(rl_rescale(f->rescale, sum * 2), f->range.min, f->range.max);
    }
    return rl_fully_connected_requantized(f, channel, sum);
}

static inline int8_t rl_fully_connected_output(const struct rl_fully_connected *f, int32_t channel, int32_t sum)
{
    return rl_fully_connected_scaled(f, channel, sum + (f->base ? f->base[channel] : 0));
}

// rl_fully_connected_run without scratch, which the least layers do not need and should not pass on.
void rl_fully_connected_run_here(const struct rl_fully_connected *layer, const int8_t *input, int8_t *output);

// Runs several rows with filters that it brings into the order of prepacked ones first, if that pays on this core; else
// returns false and does nothing. DSP cores only, and not in small code.
bool rl_fully_connected_run_rows(const struct rl_fully_connected *layer, const int8_t *input, int8_t *output,
                                 struct rl_scratch scratch);

// One row, with a constant added to all sums, and outputs `step` bytes apart. Not in small code without Helium.
void rl_fully_connected_run_apart(const struct rl_fully_connected *f, const int8_t *input, int32_t constant,
                                  int8_t *output, ptrdiff_t step, struct rl_scratch scratch);

// Whether rl_fully_connected_s4_rows takes a scale for each channel, as convolutions have it.
enum { RL_HAS_ROWS_S4 = RL_HAS_MVE || (!RL_SMALL && (RL_HAS_DSP || RL_HAS_THUMB_LOOP)) };

// Runs a layer of int4 weights without unpacking them.
void rl_fully_connected_s4_rows(const struct rl_fully_connected *layer, const int8_t *input, int8_t *output);

#endif
