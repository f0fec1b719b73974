// SPDX-License-Identifier: Apache-2.0
// Activation functions on quantized arrays. The rectifiers work in place on `size` elements whose zero point is 0.
#ifndef ARM_NN_ACTIVATION_H
#define ARM_NN_ACTIVATION_H

#include "arm_nn_types.h"

#ifdef __cplusplus
extern "C" {
#endif

// data[i] = max(data[i], 0).
void arm_relu_q7(int8_t *data, uint16_t size);

// data[i] = min(max(data[i], 0), 6): the limits are the quantized values 0 and 6, whatever the scale is.
void arm_relu6_s8(int8_t *data, uint16_t size);

// data[i] = max(data[i], 0), for int16 elements.
void arm_relu_q15(int16_t *data, uint16_t size);

// Logistic sigmoid or hyperbolic tangent of `size` int16 elements, by linear interpolation in a table of 256 values.
// The input has 12 fractional bits before it is multiplied by 2^left_shift (rounded when left_shift is negative:
// -31..12). The output has 15 fractional bits. In place is allowed. Returns ARM_CMSIS_NN_SUCCESS.
arm_cmsis_nn_status arm_nn_activation_s16(const int16_t *input, int16_t *output, int32_t size, int32_t left_shift,
                                          arm_nn_activation_type type);

#ifdef __cplusplus
}
#endif

#endif
