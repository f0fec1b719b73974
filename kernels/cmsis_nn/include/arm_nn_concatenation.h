// SPDX-License-Identifier: Apache-2.0
// Concatenation, one input at a time: each call copies one tensor to its place in the larger one.
//
// Axes are named from the innermost outwards: x (fastest), y, z, w; input_x * input_y * input_z * input_w elements are
// read. The output has the sizes of the input except on the axis of concatenation, where it has output_x (output_y,
// output_z); offset_x (offset_y, ...) is where the input starts on that axis. Elements of the output that belong to
// other inputs are not touched. Sizes 0..65535. Input and output must not overlap.
#ifndef ARM_NN_CONCATENATION_H
#define ARM_NN_CONCATENATION_H

#include "arm_nn_types.h"

#ifdef __cplusplus
extern "C" {
#endif

// Along the innermost axis.
void arm_concatenation_s8_x(const int8_t *input, uint16_t input_x, uint16_t input_y, uint16_t input_z, uint16_t input_w,
                            int8_t *output, uint16_t output_x, uint32_t offset_x);

// Along the second axis.
void arm_concatenation_s8_y(const int8_t *input, uint16_t input_x, uint16_t input_y, uint16_t input_z, uint16_t input_w,
                            int8_t *output, uint16_t output_y, uint32_t offset_y);

// Along the third axis.
void arm_concatenation_s8_z(const int8_t *input, uint16_t input_x, uint16_t input_y, uint16_t input_z, uint16_t input_w,
                            int8_t *output, uint16_t output_z, uint32_t offset_z);

// Along the outermost axis, where the size of the output is not needed.
void arm_concatenation_s8_w(const int8_t *input, uint16_t input_x, uint16_t input_y, uint16_t input_z, uint16_t input_w,
                            int8_t *output, uint32_t offset_w);

#ifdef __cplusplus
}
#endif

#endif
