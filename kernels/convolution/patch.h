// SPDX-License-Identifier: Apache-2.0
// Copies the input values under the filter at one output position ("im2col"), padding where the filter hangs
// over.
#ifndef RL_KERNELS_CONVOLUTION_PATCH_H
#define RL_KERNELS_CONVOLUTION_PATCH_H

#include "convolution/convolution.h"

// Writes filter h * w * c bytes. `input` points at the batch and at the first channel of the group; output
// position (y, x). Padding is minus the input offset: it contributes nothing once the offset is added.
void rl_patch_copy(const struct rl_convolution *c, const int8_t *input, int32_t y, int32_t x, int8_t *patch);

#endif
