// SPDX-License-Identifier: Apache-2.0
#ifndef ARM_NN_TRANSPOSE_H
#define ARM_NN_TRANSPOSE_H

#include "arm_nn_types.h"

#ifdef __cplusplus
extern "C" {
#endif

// Permutes the axes of an int8 tensor: output axis i is input axis permutations[i].
// The tensor has transpose_params->num_dims axes, held in the leading fields n, h, w, c of input_dims:
//     1: the n elements are copied, permutations is not read
//     2: n x h elements, always transposed, permutations is not read
//     3: n x h x w elements, permutations of 0..2
//     4 (and any other number): n x h x w x c elements, permutations of 0..3
// output_dims are implied by the above and not read. Input and output must not overlap. No alignment, no scratch.
// Returns ARM_CMSIS_NN_ARG_ERROR when permutations names an axis that does not exist or names one twice, else
// ARM_CMSIS_NN_SUCCESS.
arm_cmsis_nn_status arm_transpose_s8(const int8_t *input_data, int8_t *output_data, const cmsis_nn_dims *input_dims,
                                     const cmsis_nn_dims *output_dims,
                                     const cmsis_nn_transpose_params *transpose_params);

#ifdef __cplusplus
}
#endif

#endif
