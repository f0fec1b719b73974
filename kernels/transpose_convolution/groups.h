// SPDX-License-Identifier: Apache-2.0
// The transposed convolution as a few products for each row of outputs.
//
// The outputs of a row are taken in groups of stride.w neighbours. All groups see their window of the input in the same
// way, so a group is a pixel of an ordinary convolution with stride 1 and stride.w * output.c channels, whose filters
// hold the taps that the outputs meet, and zeros. Groups take fewer and larger products than phases (phases.h), which
// multiply by no zeros. A group may also be a single output, or a part of its channels, which takes little memory.
#ifndef RL_KERNELS_TRANSPOSE_CONVOLUTION_GROUPS_H
#define RL_KERNELS_TRANSPOSE_CONVOLUTION_GROUPS_H

#include "rushlight/kernels/transpose_convolution.h"

// Runs a layer that has phases and few channels. Returns false, and does nothing, for other layers, and for those that
// would take more memory than the scratch and a few kilobytes of stack.
bool rl_transpose_convolution_run_groups(const struct rl_transpose_convolution *layer, const int8_t *input,
                                         int8_t *output, struct rl_scratch scratch);

// Runs a layer that has phases in groups of single outputs. Returns false, and does nothing, if even one channel takes
// too much memory.
bool rl_transpose_convolution_run_singly(const struct rl_transpose_convolution *layer, const int8_t *input,
                                         int8_t *output, struct rl_scratch scratch);

#endif
