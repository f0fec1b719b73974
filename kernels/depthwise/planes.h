// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution by parts of the image. For a few channels at a time the input is copied in the form that the
// core multiplies best, with padding filled in. Then no output needs to know of padding, and neighbouring values are
// next to each other. Lines of outputs go along one axis of the image.
//
// Nest contract (RL_TILE(plane_nest.h)):
// - enum RL_PLANE_CHANNELS: how many channels the nest runs at a time.
// - rl_plane_takes(channels, multiplier): whether it runs a layer with so many channels of the output, and this channel
//   multiplier.
// - rl_plane_computed(along, across): outputs that it computes, including those beyond the end of a line.
// - struct rl_plane_block, rl_plane_fit_block(axes, room, &block): divides the image into blocks, of `room` bytes at
//   most if that is enough; false if this filter does not fit.
// - rl_plane_bytes(axes, &block): the memory that block and group take.
// - struct rl_plane_group, rl_plane_place(axes, memory, &block, &group): divides this memory between them. The layer
//   sets group.done: so many of the first channels were run before and may be left out.
// - rl_plane_prepare(d, axes, first, &group): prepares the channels from `first` on. Returns those that it leaves to
//   others, bit i for channel first + i, whose outputs may be any; RL_PLANE_NONE if rl_plane_image is not to run.
// - rl_plane_image(d, axes, &block, &group, input, output): runs one image, from the first of these channels on.
// - rl_plane_finish(d, output): called once after all groups, if RL_PLANE_ALL_LAYERS.
// The nest may read RL_PLANE_ALL_LAYERS (plane_layer.h). Where it is 0, the multiplier is 1 and no channel is left.
#ifndef RL_KERNELS_DEPTHWISE_PLANES_H
#define RL_KERNELS_DEPTHWISE_PLANES_H

#include "depthwise/depthwise.h"

enum { RL_PLANE_NONE = 0xff }; // no channel of a group

// One of the two directions of the image.
struct rl_plane_axis {
    int32_t input; // pixels
    int32_t output;
    int32_t taps;
    int32_t dilation;
    int32_t reach; // pixels from the first tap to the last, both included
    int32_t stride;
    int32_t padding;
    ptrdiff_t input_step; // bytes from one pixel to the next
    ptrdiff_t output_step;
    ptrdiff_t filter_step;
};

// Lines of a block go along the axis that wastes fewer of the outputs computed together.
struct rl_plane_axes {
    struct rl_plane_axis along;
    struct rl_plane_axis across;
};

// Describes the layer with lines that go down the image if `down`, else to the right.
void rl_plane_axes_of(const struct rl_depthwise *d, bool down, struct rl_plane_axes *axes);

// Runs all channels and returns true; `others` runs those that the nest does not prepare. Returns false and does
// nothing for channels and multipliers that the nest does not take, and for filters that do not fit. The scratch is
// aligned to 8.
bool rl_depthwise_run_planes(const struct rl_depthwise *d, const int8_t *input, int8_t *output,
                             struct rl_scratch scratch, rl_depthwise_channels_loop *others);

#endif
