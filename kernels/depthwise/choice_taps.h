// SPDX-License-Identifier: Apache-2.0
// What the choices of all instruction sets (choice.h) ask about a depthwise layer.
#ifndef RL_KERNELS_DEPTHWISE_CHOICE_TAPS_H
#define RL_KERNELS_DEPTHWISE_CHOICE_TAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "requantize.h"
#include "rushlight/kernels/depthwise.h"

// Channels up to which one loop over the image keeps everything in core registers, which is faster than vectors and
// than loops over channels.
enum { RL_DEPTHWISE_NARROW = 3 };

// Whether planes of every core take this filter: a condition that is simpler than theirs (scalar/plane_blocks.h,
// mve/plane_nest.h), and narrower.
static inline bool rl_depthwise_filter_fits_planes(const struct rl_depthwise *d)
{
    enum { REACH = 7, TAPS = 28, STRIDE = 2 };
    const struct rl_extent f = d->filter, s = d->stride, p = d->dilation;
    return f.h > 0 && f.w > 0 && f.h <= REACH && f.w <= REACH && p.h > 0 && p.w > 0 && p.h <= REACH && p.w <= REACH &&
           (f.h - 1) * p.h < REACH && (f.w - 1) * p.w < REACH && f.h * f.w <= TAPS && s.h > 0 && s.w > 0 &&
           s.h <= STRIDE && s.w <= STRIDE;
}

static inline bool rl_depthwise_fits_planes(const struct rl_depthwise *d)
{
    enum { CHANNELS = 8 };
    return d->multiplier == 1 && d->output.c >= CHANNELS && rl_depthwise_filter_fits_planes(d);
}

// Whether planes waste much, because they compute pairs of rows and of columns and keep the pixels between taps.
static inline bool rl_depthwise_wastes_planes(const struct rl_depthwise *d)
{
    return d->output.h == 1 || d->output.w == 1 || d->stride.w > 2;
}

// How many of the taps of all outputs on one axis lie on the input; without dilation, about as many with one.
static inline int32_t rl_depthwise_taps_inside(int32_t outputs, int32_t stride, int32_t padding, int32_t taps,
                                               int32_t inputs)
{
    int32_t count = outputs * taps;
    int32_t before = padding, behind = (outputs - 1) * stride - padding + taps - inputs;
    for (; outputs > 0 && (before > 0 || behind > 0); outputs--, before -= stride, behind -= stride) {
        count -= rl_clamp_s32(before, 0, taps) + rl_clamp_s32(behind, 0, taps);
    }
    return count;
}

// The taps of all outputs that lie on the image.
static inline int32_t rl_depthwise_all_taps_inside(const struct rl_depthwise *d)
{
    return rl_depthwise_taps_inside(d->output.h, d->stride.h, d->padding.h, d->filter.h, d->input.h) *
           rl_depthwise_taps_inside(d->output.w, d->stride.w, d->padding.w, d->filter.w, d->input.w);
}

#endif
