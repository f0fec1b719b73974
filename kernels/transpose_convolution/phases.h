// SPDX-License-Identifier: Apache-2.0
// The transposed convolution as one ordinary convolution for each phase of the strides.
//
// Outputs whose padded position leaves the same remainder modulo the strides ("phase") meet the same taps of the
// filter, every stride.h-th and stride.w-th, and neighbours among them meet neighbouring inputs. Those taps in reverse
// order are the filter of a convolution with stride 1 that computes just these outputs.
#ifndef RL_KERNELS_TRANSPOSE_CONVOLUTION_PHASES_H
#define RL_KERNELS_TRANSPOSE_CONVOLUTION_PHASES_H

#include <stdbool.h>

#include "arm_nn_types.h"

// One transposed convolution, its tensors and parameters gathered.
struct rl_transpose_conv {
    const cmsis_nn_transpose_conv_params *params;
    const cmsis_nn_per_channel_quant_params *quant;
    const cmsis_nn_dims *input_dims;
    const int8_t *input;
    const cmsis_nn_dims *filter_dims;
    const int8_t *filter;
    const int32_t *bias; // may be NULL
    const cmsis_nn_dims *output_dims;
    int8_t *output;
};

// Where the filters of a phase, in the order of its taps, and its patches lie.
struct rl_phase_memory {
    int8_t *filters;
    int8_t *patches;
    int32_t patch_bytes;
};

// Whether every phase has taps and padding is not negative.
bool rl_transpose_conv_has_phases(const struct rl_transpose_conv *t);

// The most weights of a filter that a phase has.
int32_t rl_transpose_conv_phase_depth(const struct rl_transpose_conv *t);

// Runs it when it has phases. The memory takes the filters and one patch of a phase at least.
void rl_transpose_conv_run_phases(const struct rl_transpose_conv *t, const struct rl_phase_memory *memory);

#endif
