// SPDX-License-Identifier: Apache-2.0
#ifndef ARM_NN_PAD_H
#define ARM_NN_PAD_H

#include "arm_nn_types.h"

#ifdef __cplusplus
extern "C" {
#endif

// Surrounds a tensor of shape input_size with a constant: pre_pad elements before and post_pad elements after it in
// each of n, h, w and c (struct rl_pad of rushlight/kernels/data_movement.h). Input and output must not overlap. No
// alignment, no scratch. Returns ARM_CMSIS_NN_SUCCESS.
arm_cmsis_nn_status arm_pad_s8(const int8_t *input, int8_t *output, int8_t pad_value, const cmsis_nn_dims *input_size,
                               const cmsis_nn_dims *pre_pad, const cmsis_nn_dims *post_pad);

#ifdef __cplusplus
}
#endif

#endif
