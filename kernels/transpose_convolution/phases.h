// SPDX-License-Identifier: Apache-2.0
// The transposed convolution as one ordinary convolution for each phase of the strides.
//
// The phase of an output is the remainder of its padded position modulo the strides. Outputs of one phase meet the same
// taps of the filter, every stride.h-th and stride.w-th, and neighbours among them meet neighbouring inputs. Those taps
// in reverse order are the filter of a convolution with stride 1 that computes just these outputs.
#ifndef RL_KERNELS_TRANSPOSE_CONVOLUTION_PHASES_H
#define RL_KERNELS_TRANSPOSE_CONVOLUTION_PHASES_H

#include "rushlight/kernels/transpose_convolution.h"

// Runs a layer that has phases. `filters` has room for layer->phase_depth weights of each output channel, `scratch` for
// at least one patch of as many inputs.
void rl_transpose_convolution_run_phases(const struct rl_transpose_convolution *layer, const int8_t *input,
                                         int8_t *output, struct rl_scratch scratch, int8_t *filters);

#endif
