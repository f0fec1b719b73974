// SPDX-License-Identifier: Apache-2.0
// Softmax over the rows of a matrix [num_rows, row_size]: struct rl_softmax of rushlight/kernels/softmax.h. That header
// also says what mult and shift mean, and what is on the stack.
//
// Input and output may be the same array where they have the same type, and must not overlap otherwise. No scratch.
#ifndef ARM_NN_SOFTMAX_H
#define ARM_NN_SOFTMAX_H

#include "arm_nn_types.h"

#ifdef __cplusplus
extern "C" {
#endif

// int8 to int8 with output scale 1/256 and zero point -128.
// Ranges: mult 0..2^31-1, shift 0..31, diff_min usually -(largest useful difference), at most 0.
void arm_softmax_s8(const int8_t *input, int32_t num_rows, int32_t row_size, int32_t mult, int32_t shift,
                    int32_t diff_min, int8_t *output);

// int8 to int16 with output scale 1/65536 and zero point -32768; ranges as arm_softmax_s8.
void arm_softmax_s8_s16(const int8_t *input, int32_t num_rows, int32_t row_size, int32_t mult, int32_t shift,
                        int32_t diff_min, int16_t *output);

// uint8 to uint8 with output scale 1/256 and zero point 0; ranges as arm_softmax_s8.
void arm_softmax_u8(const uint8_t *input, int32_t num_rows, int32_t row_size, int32_t mult, int32_t shift,
                    int32_t diff_min, uint8_t *output);

// int16 to int16 with output scale 1/32768 and zero point 0. softmax_params->exp_lut and ->one_by_one_lut are the
// tables of struct rl_softmax. Returns ARM_CMSIS_NN_ARG_ERROR when one is NULL, else ARM_CMSIS_NN_SUCCESS.
arm_cmsis_nn_status arm_softmax_s16(const int16_t *input, int32_t num_rows, int32_t row_size, int32_t mult,
                                    int32_t shift, const cmsis_nn_softmax_lut_s16 *softmax_params, int16_t *output);

#ifdef __cplusplus
}
#endif

#endif
