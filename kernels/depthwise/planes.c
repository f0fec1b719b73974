// SPDX-License-Identifier: Apache-2.0
#include "depthwise/planes.h"

#include "isa.h"

#include RL_TILE(plane_nest.h)

// False if lines can go in neither direction.
static bool choose_axes(const struct rl_depthwise *d, struct rl_plane_axes *axes, struct rl_plane_block *b)
{
    const cmsis_nn_dims *in = d->input_dims;
    const cmsis_nn_dims *out = d->output_dims;
    const cmsis_nn_dw_conv_params *p = d->params;
    const struct rl_plane_axis x = {in->w,        out->w, d->filter_dims->w, p->stride.w,
                                    p->padding.w, in->c,  d->channels,       d->channels};
    const struct rl_plane_axis y = {in->h,
                                    out->h,
                                    d->filter_dims->h,
                                    p->stride.h,
                                    p->padding.h,
                                    (ptrdiff_t)in->w * in->c,
                                    (ptrdiff_t)out->w * d->channels,
                                    (ptrdiff_t)d->filter_dims->w * d->channels};
    *axes = (struct rl_plane_axes){y, x};
    if (rl_plane_computed(&y, &x) < rl_plane_computed(&x, &y) && rl_plane_fit_block(axes, b)) {
        return true;
    }
    *axes = (struct rl_plane_axes){x, y};
    return rl_plane_fit_block(axes, b);
}

bool rl_depthwise_run_planes(const struct rl_depthwise *d)
{
    struct rl_plane_axes axes;
    struct rl_plane_block b;
    const bool plain = d->channel_multiplier == 1 && d->channels >= RL_PLANE_CHANNELS &&
                       d->params->dilation.w == 1 && d->params->dilation.h == 1;
    if (!plain || !choose_axes(d, &axes, &b)) {
        return false;
    }
    const ptrdiff_t image = (ptrdiff_t)d->input_dims->h * d->input_dims->w * d->input_dims->c;
    const ptrdiff_t result = (ptrdiff_t)d->output_dims->h * d->output_dims->w * d->channels;
    for (int32_t i = 0; i < d->channels; i += RL_PLANE_CHANNELS) {
        // The last group overlaps the one before when the channels are no multiple.
        const int32_t channel = rl_min_s32(i, d->channels - RL_PLANE_CHANNELS);
        struct rl_plane_group group;
        rl_plane_prepare(d, &axes, channel, &group);
        for (int32_t batch = 0; batch < d->input_dims->n; batch++) {
            rl_plane_image(d, &axes, &b, &group, d->input + batch * image + channel,
                           d->output + batch * result + channel);
        }
    }
    return true;
}
