// SPDX-License-Identifier: Apache-2.0
#ifndef ARM_NN_RESHAPE_H
#define ARM_NN_RESHAPE_H

#include "arm_nn_types.h"

#ifdef __cplusplus
extern "C" {
#endif

// Copies total_size elements: dense tensors keep their order when only the shape changes. Copies nothing when input and
// output are the same address; any other overlap is undefined.
void arm_reshape_s8(const int8_t *input, int8_t *output, uint32_t total_size);

#ifdef __cplusplus
}
#endif

#endif
