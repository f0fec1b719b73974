// SPDX-License-Identifier: Apache-2.0
#include "depthwise/planes.h"

void rl_plane_axes_of(const struct rl_depthwise *d, bool down, struct rl_plane_axes *axes)
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
