// SPDX-License-Identifier: Apache-2.0
// The direction of the lines of a depthwise nest. Whoever includes this defines rl_plane_computed and
// rl_plane_fit_block before: see planes.h.
#ifndef RL_KERNELS_DEPTHWISE_PLANE_AXES_H
#define RL_KERNELS_DEPTHWISE_PLANE_AXES_H

#include "depthwise/planes.h"

// Lines go down the image if `down`, else to the right.
static void rl_plane_set_axes(const struct rl_depthwise *d, bool down, struct rl_plane_axes *axes)
{
    const cmsis_nn_dims *in = d->input_dims;
    const cmsis_nn_dims *out = d->output_dims;
    const cmsis_nn_dims *filter = d->filter_dims;
    const cmsis_nn_dw_conv_params *p = d->params;
    struct rl_plane_axis *x = down ? &axes->across : &axes->along;
    struct rl_plane_axis *y = down ? &axes->along : &axes->across;
    *x = (struct rl_plane_axis){.input = in->w,
                                .output = out->w,
                                .taps = filter->w,
                                .dilation = p->dilation.w,
                                .reach = (filter->w - 1) * p->dilation.w + 1,
                                .stride = p->stride.w,
                                .padding = p->padding.w,
                                .input_step = in->c,
                                .output_step = d->channels,
                                .filter_step = d->channels};
    *y = (struct rl_plane_axis){.input = in->h,
                                .output = out->h,
                                .taps = filter->h,
                                .dilation = p->dilation.h,
                                .reach = (filter->h - 1) * p->dilation.h + 1,
                                .stride = p->stride.h,
                                .padding = p->padding.h,
                                .input_step = in->w * x->input_step,
                                .output_step = out->w * x->output_step,
                                .filter_step = filter->w * x->filter_step};
}

// Tries both directions, first the one with fewer outputs computed. False if lines can go in neither, for multipliers
// other than 1 and for fewer channels than the nest does at a time. Not inlined, nor the above: what runs the planes is
// the deepest stack of many networks.
static __attribute__((noinline)) bool rl_plane_choose_axes(const struct rl_depthwise *d, struct rl_plane_axes *axes,
                                                           struct rl_plane_block *b)
{
    if (d->channel_multiplier != 1 || d->channels < RL_PLANE_CHANNELS) {
        return false;
    }
    rl_plane_set_axes(d, false, axes);
    const bool down = rl_plane_computed(&axes->across, &axes->along) < rl_plane_computed(&axes->along, &axes->across);
    rl_plane_set_axes(d, down, axes);
    if (rl_plane_fit_block(axes, d->work.bytes, b)) {
        return true;
    }
    rl_plane_set_axes(d, !down, axes);
    return rl_plane_fit_block(axes, d->work.bytes, b);
}

#endif
