// SPDX-License-Identifier: Apache-2.0
// The transposed convolution as one ordinary convolution for each phase of the strides.
//
// Outputs whose padded position leaves the same remainder modulo the strides ("phase") meet the same taps of
// the filter, every stride.h-th and stride.w-th, and neighbours among them meet neighbouring inputs. Those
// taps in reverse order are the filter of a convolution with stride 1 that computes just these outputs.
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

// Whether every phase has taps, padding is not negative, and the filter of a phase and four patches fit in
// `bytes`.
bool rl_transpose_conv_fits_phases(const struct rl_transpose_conv *t, int32_t bytes);

// Runs it when that is so.
void rl_transpose_conv_run_phases(const struct rl_transpose_conv *t, int8_t *scratch);

#endif
