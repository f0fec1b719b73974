// SPDX-License-Identifier: Apache-2.0
// The memory of depthwise layers with a channel multiplier that run by planes of single input channels
// (shared_nest.h). It is plain arithmetic: memory planners use it on the host.
#ifndef RL_KERNELS_DSP_SHARED_SIZES_H
#define RL_KERNELS_DSP_SHARED_SIZES_H

#include "requantize.h"
#include "rushlight/kernels/depthwise.h"

enum {
    RL_SHARED_PLANE = 2048,   // bytes of a plane, unless a line of outputs needs more
    RL_SHARED_WEIGHTS = 1024, // bytes, at most
    RL_SHARED_BYTES = 4 * 4,  // of a pair of taps of four channels
    RL_SHARED_PAIRS = 5,      // of taps in a row, at most
};

// A plane: the inputs of one channel that some lines of outputs read, beside each other, with the padding around them
// and the offset added, as int16.
struct rl_shared_plane {
    int32_t lines; // of outputs; 0 if the plane of one would be too large
    int32_t h, w;  // of inputs; `w` is even
    int32_t pairs; // of taps in a row
};

// Inputs on one axis under so many outputs.
static inline int64_t rl_shared_inputs(int32_t outputs, int32_t stride, int32_t taps, int32_t dilation)
{
    return (int64_t)(outputs - 1) * stride + (int64_t)(taps - 1) * dilation + 1;
}

static inline struct rl_shared_plane rl_shared_plane_of(const struct rl_depthwise *d)
{
    enum { VALUES = RL_SHARED_PLANE / 2 };
    struct rl_shared_plane p = {0, 0, 0, (d->filter.w + 1) / 2};
    const int64_t w = (rl_shared_inputs(d->output.w, d->stride.w, 2 * p.pairs, 1) + 1) & ~(int64_t)1;
    const int64_t first = rl_shared_inputs(1, d->stride.h, d->filter.h, d->dilation.h);
    if (w > VALUES || first > VALUES || w * first > VALUES) {
        return p;
    }
    p.w = (int32_t)w;
    p.lines = rl_min_s32((VALUES / p.w - (int32_t)first) / d->stride.h + 1, d->output.h);
    p.h = (int32_t)rl_shared_inputs(p.lines, d->stride.h, d->filter.h, d->dilation.h);
    return p;
}

// Whether the shape is one that the loop takes.
static inline bool rl_shared_fits(const struct rl_depthwise *d)
{
    const int32_t pairs = (d->filter.w + 1) / 2;
    return d->multiplier > 1 && d->multiplier % 4 == 0 && d->dilation.w == 1 && d->filter.w >= 1 &&
           pairs <= RL_SHARED_PAIRS && d->filter.h >= 1 && d->filter.h <= RL_SHARED_WEIGHTS / RL_SHARED_BYTES / pairs &&
           rl_shared_plane_of(d).lines > 0;
}

static inline int32_t rl_shared_weight_bytes(const struct rl_depthwise *d, const struct rl_shared_plane *p)
{
    return d->filter.h * p->pairs * RL_SHARED_BYTES;
}

// Bytes of weights and plane.
static inline int32_t rl_shared_bytes(const struct rl_depthwise *d, const struct rl_shared_plane *p)
{
    return rl_shared_weight_bytes(d, p) + 2 * p->h * p->w;
}

#endif
