// SPDX-License-Identifier: Apache-2.0
// The direction of the lines of a depthwise nest. rl_plane_computed and rl_plane_fit_block must be defined before this
// is included: see planes.h.
#ifndef RL_KERNELS_DEPTHWISE_PLANE_AXES_H
#define RL_KERNELS_DEPTHWISE_PLANE_AXES_H

#include "depthwise/planes.h"

// Lines go down the image if `down`, else to the right.
static void rl_plane_set_axes(const struct rl_depthwise *d, bool down, struct rl_plane_axes *axes)
{
    struct rl_plane_axis *x = down ? &axes->across : &axes->along;
    struct rl_plane_axis *y = down ? &axes->along : &axes->across;
    *x = (struct rl_plane_axis){.input = d->input.w,
                                .output = d->output.w,
                                .taps = d->filter.w,
                                .dilation = d->dilation.w,
                                .reach = (d->filter.w - 1) * d->dilation.w + 1,
                                .stride = d->stride.w,
                                .padding = d->padding.w,
                                .input_step = d->input.c,
                                .output_step = d->output.c,
                                .filter_step = d->output.c};
    *y = (struct rl_plane_axis){.input = d->input.h,
                                .output = d->output.h,
                                .taps = d->filter.h,
                                .dilation = d->dilation.h,
                                .reach = (d->filter.h - 1) * d->dilation.h + 1,
                                .stride = d->stride.h,
                                .padding = d->padding.h,
                                .input_step = d->input.w * x->input_step,
                                .output_step = d->output.w * x->output_step,
                                .filter_step = d->filter.w * x->filter_step};
}

// Tries both directions with `room` bytes of scratch, first the one in which fewer outputs are computed. False if lines
// can go in neither, for multipliers other than 1, and for fewer channels than the nest runs at a time. This function
// and the one above are not inlined, because the function that runs the planes has the deepest stack of many networks.
static __attribute__((noinline)) bool rl_plane_choose_axes(const struct rl_depthwise *d, int32_t room,
                                                           struct rl_plane_axes *axes, struct rl_plane_block *b)
{
    if (d->multiplier != 1 || d->output.c < RL_PLANE_CHANNELS) {
        return false;
    }
    rl_plane_set_axes(d, false, axes);
    const bool down = rl_plane_computed(&axes->across, &axes->along) < rl_plane_computed(&axes->along, &axes->across);
    rl_plane_set_axes(d, down, axes);
    if (rl_plane_fit_block(axes, room, b)) {
        return true;
    }
    rl_plane_set_axes(d, !down, axes);
    return rl_plane_fit_block(axes, room, b);
}

#endif
