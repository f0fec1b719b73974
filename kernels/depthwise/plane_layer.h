// SPDX-License-Identifier: Apache-2.0
// A depthwise convolution by planes (planes.h), on top of the nest. A file defines RL_PLANE_ALL_LAYERS before it
// includes this one: 1 for all layers of rl_depthwise_run_planes, 0 for those of rl_depthwise_planes_run. The latter
// have a multiplier of 1, and the nest leaves none of their channels to others. What only other layers need is then not
// linked.
#ifndef RL_KERNELS_DEPTHWISE_PLANE_LAYER_H
#define RL_KERNELS_DEPTHWISE_PLANE_LAYER_H

#include "depthwise/planes.h"
#include "isa.h"
#include "scratch.h"

#include RL_TILE(plane_nest.h)
#include "depthwise/plane_axes.h"

// Whether a layer may have fewer channels than a group.
enum { RL_PLANE_FEW = RL_PLANE_ALL_LAYERS && !RL_SMALL };

// Runs those channels of the group from `first` on that the nest left.
static __attribute__((cold, noinline)) void rl_plane_left_channels(const struct rl_depthwise *d, int32_t first,
                                                                   uint32_t left, const int8_t *input, int8_t *output,
                                                                   rl_depthwise_channels_loop *others)
{
    if (RL_SMALL || left == RL_PLANE_NONE) {
        const int32_t end = first + RL_PLANE_CHANNELS;
        others(d, first, RL_PLANE_FEW ? rl_min_s32(end, d->output.c) : end, input, output);
        return;
    }
    for (; left != 0; left >>= 1, first++) {
        if (left & 1) {
            others(d, first, first + 1, input, output);
        }
    }
}

static inline bool rl_plane_layer(const struct rl_depthwise *d, const int8_t *input, int8_t *output,
                                  struct rl_scratch scratch, rl_depthwise_channels_loop *others)
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
        const int32_t overlapping = rl_min_s32(i, d->output.c - RL_PLANE_CHANNELS);
        const int32_t channel = RL_PLANE_FEW && overlapping < 0 ? 0 : overlapping;
        group.done = i - channel;
        const uint32_t left = rl_plane_prepare(d, &axes, channel, &group);
        const int32_t input_channel = !RL_PLANE_ALL_LAYERS || d->multiplier == 1 ? channel : channel / d->multiplier;
        for (int32_t batch = 0; left != RL_PLANE_NONE && batch < d->input.n; batch++) {
            rl_plane_image(d, &axes, &b, &group, input + batch * rl_image_size(d->input) + input_channel,
                           output + batch * rl_image_size(d->output) + channel);
        }
        if (RL_PLANE_ALL_LAYERS && left != 0) {
            rl_plane_left_channels(d, channel, left, input, output, others);
        }
    }
    if (RL_PLANE_ALL_LAYERS) {
        rl_plane_finish(d, output);
    }
    return true;
}

#endif
