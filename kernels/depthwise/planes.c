// SPDX-License-Identifier: Apache-2.0
#include "depthwise/planes.h"

#include "isa.h"

#include RL_TILE(plane_nest.h)
#include "depthwise/plane_axes.h"

bool rl_depthwise_run_planes(const struct rl_depthwise *d)
{
    struct rl_plane_axes axes;
    struct rl_plane_block b;
    struct rl_plane_group group;
    if (!rl_plane_choose_axes(d, &axes, &b)) {
        return false;
    }
    const int32_t bytes = rl_plane_bytes(&axes, &b);
    uint64_t stack[rl_scratch_missing(d->work, bytes)];
    rl_plane_place(&axes, rl_scratch_memory(d->work, bytes, stack), &b, &group);
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
