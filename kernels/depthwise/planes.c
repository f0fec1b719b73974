// SPDX-License-Identifier: Apache-2.0
#include "depthwise/planes.h"

#include "isa.h"
#include "scratch.h"

#include RL_TILE(plane_nest.h)
#include "depthwise/plane_axes.h"

bool rl_depthwise_run_planes(const struct rl_depthwise *d, const int8_t *input, int8_t *output,
                             struct rl_scratch scratch)
{
    struct rl_plane_axes axes;
    struct rl_plane_block b;
    struct rl_plane_group group;
    if (!rl_plane_choose_axes(d, scratch.bytes, &axes, &b)) {
        return false;
    }
    const int32_t bytes = rl_plane_bytes(&axes, &b);
    uint64_t stack[rl_scratch_missing(scratch, bytes)];
    rl_plane_place(&axes, rl_scratch_memory(scratch, bytes, stack), &b, &group);
    for (int32_t i = 0; i < d->output.c; i += RL_PLANE_CHANNELS) {
        // The last group overlaps the one before when the channels are not a multiple of a group.
        const int32_t channel = rl_min_s32(i, d->output.c - RL_PLANE_CHANNELS);
        if (!rl_plane_prepare(d, &axes, channel, &group)) {
            rl_depthwise_run_channels(d, channel, channel + RL_PLANE_CHANNELS, input, output);
            continue;
        }
        for (int32_t batch = 0; batch < d->input.n; batch++) {
            rl_plane_image(d, &axes, &b, &group, input + batch * rl_image_size(d->input) + channel,
                           output + batch * rl_image_size(d->output) + channel);
        }
    }
    return true;
}
