// SPDX-License-Identifier: Apache-2.0
#ifndef ARM_NN_PAD_H
#define ARM_NN_PAD_H

#include "arm_nn_types.h"

#ifdef __cplusplus
extern "C" {
#endif

// Surrounds a tensor of shape input_size with a constant: pre_pad elements before and post_pad elements after it in
// each of n, h, w and c. The output has pre_pad + input_size + post_pad elements on each axis. All sizes are 0 or more.
// pad_value: usually the zero point. Input and output must not overlap. No alignment, no scratch. Returns
// ARM_CMSIS_NN_SUCCESS.
arm_cmsis_nn_status arm_pad_s8(const int8_t *input, int8_t *output, int8_t pad_value, const cmsis_nn_dims *input_size,
                               const cmsis_nn_dims *pre_pad, const cmsis_nn_dims *post_pad);

#ifdef __cplusplus
}
#endif

#endif
