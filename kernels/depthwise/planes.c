// SPDX-License-Identifier: Apache-2.0
#include "depthwise/planes.h"

#include "isa.h"

#include RL_TILE(plane_nest.h)

// Lines go down the image if `down`, else to the right.
static void set_axes(const struct rl_depthwise *d, bool down, struct rl_plane_axes *axes)
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

// Tries both directions, first the one with fewer outputs computed. False if lines can go in neither.
static bool choose_axes(const struct rl_depthwise *d, struct rl_plane_axes *axes, struct rl_plane_block *b)
{
    set_axes(d, false, axes);
    const bool down =
        rl_plane_computed(&axes->across, &axes->along) < rl_plane_computed(&axes->along, &axes->across);
    set_axes(d, down, axes);
    if (rl_plane_fit_block(axes, d->work.bytes, b)) {
        return true;
    }
    set_axes(d, !down, axes);
    return rl_plane_fit_block(axes, d->work.bytes, b);
}

bool rl_depthwise_run_planes(const struct rl_depthwise *d)
{
    struct rl_plane_axes axes;
    struct rl_plane_block b;
    struct rl_plane_group group;
    if (d->channel_multiplier != 1 || d->channels < RL_PLANE_CHANNELS || !choose_axes(d, &axes, &b)) {
        return false;
    }
    const int32_t bytes = rl_plane_bytes(&axes, &b);
    uint64_t stack[rl_work_missing(d->work, bytes)];
    rl_plane_place(&axes, rl_work_memory(d->work, bytes, stack), &b, &group);
    const ptrdiff_t image = (ptrdiff_t)d->input_dims->h * d->input_dims->w * d->input_dims->c;
    const ptrdiff_t result = (ptrdiff_t)d->output_dims->h * d->output_dims->w * d->channels;
    for (int32_t i = 0; i < d->channels; i += RL_PLANE_CHANNELS) {
        // The last group overlaps the one before when the channels are no multiple.
        const int32_t channel = rl_min_s32(i, d->channels - RL_PLANE_CHANNELS);
        if (!rl_plane_prepare(d, &axes, channel, &group)) {
            rl_depthwise_run_channels(d, channel, channel + RL_PLANE_CHANNELS);
            continue;
        }
        for (int32_t batch = 0; batch < d->input_dims->n; batch++) {
            rl_plane_image(d, &axes, &b, &group, d->input + batch * image + channel,
                           d->output + batch * result + channel);
        }
    }
    return true;
}
