// SPDX-License-Identifier: Apache-2.0
// Softmax over the rows of a matrix [num_rows, row_size].
//
// The exponential of x - max(row) is computed in fixed point: the difference times 2^shift is multiplied by mult / 2^31
// and read with 26 fractional bits, so mult and shift hold beta * input_scale * 2^26 (gemmlowp's exp_on_negative_values
// on 5 integer bits). Differences below diff_min count as exp = 0. The sum keeps 12 bits less than the exponentials;
// row_size up to 4095 cannot overflow it.
//
// Input and output may be the same array where they have the same type; rows must not overlap otherwise. Scratch: none.
// Stack: one table of 1 KB (the exponential of each of the 256 possible differences, filled as needed), but for a
// single row of at most 16 int8 for arm_softmax_s8 on cores without Helium.
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

// int16 to int16 with output scale 1/32768 and zero point 0, by linear interpolation in two tables of 513 values. mult
// and shift: requantize(x - max(row)) must give the difference in units of 10 / 65535. softmax_params->exp_lut: exp of
// -10..0, evenly spaced, as q15; ->one_by_one_lut: 1 / (1 + x) for x of 0..1, as q15. row_size up to 65535. Stack: none
// to speak of. In place is allowed. Returns ARM_CMSIS_NN_ARG_ERROR when a table is NULL, else ARM_CMSIS_NN_SUCCESS.
arm_cmsis_nn_status arm_softmax_s16(const int16_t *input, int32_t num_rows, int32_t row_size, int32_t mult,
                                    int32_t shift, const cmsis_nn_softmax_lut_s16 *softmax_params, int16_t *output);

#ifdef __cplusplus
}
#endif

#endif
