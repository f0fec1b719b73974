// SPDX-License-Identifier: Apache-2.0
// Sigmoid and tanh of int16 by the definition of TFLite's integer kernels: a table of sigmoid(i / 24) for i of 0..255
// with 16 fractional bits, interpolated, mirrored for negative inputs; tanh(x) = 2 sigmoid(2x) - 1 from the same table.
#ifndef RL_TESTS_KERNELS_REFERENCE_ACTIVATION_H
#define RL_TESTS_KERNELS_REFERENCE_ACTIVATION_H

#include "arm_nn_types.h"

// The input has 12 fractional bits before it is multiplied by 2^left_shift, with rounding where that is negative; the
// output has 15.
int16_t reference_activation_s16(int16_t value, int32_t left_shift, arm_nn_activation_type type);

// Entry of the table, 0..255: sigmoid(index / 24) * 2^16, a little off because TFLite's table is.
int32_t reference_sigmoid_entry(int32_t index);

#endif
