// SPDX-License-Identifier: Apache-2.0
// Element by element: addition, multiplication, minimum, maximum. The formulas and the ranges of the arguments are
// those of struct rl_add, rl_mul and rl_extremum in rushlight/kernels/elementwise.h.
//
// add and mul work on flat arrays of `block_size` elements (0 or negative: nothing to do) and never broadcast; minimum
// and maximum broadcast. Inputs and output need no alignment beyond that of their type. The output may be exactly one
// of the inputs (in place); any other overlap is undefined. Only arm_minimum_s8 and arm_maximum_s8 can fail.
//
// Scratch: none. Stack: arm_elementwise_add_s8 puts a table of 1 KB there when block_size is 512 or more, except on
// cores with Helium.
#ifndef ARM_NN_ELEMENTWISE_H
#define ARM_NN_ELEMENTWISE_H

#include "arm_nn_types.h"

#ifdef __cplusplus
extern "C" {
#endif

// The sum of int8.
arm_cmsis_nn_status arm_elementwise_add_s8(const int8_t *input_1_vect, const int8_t *input_2_vect,
                                           int32_t input_1_offset, int32_t input_1_mult, int32_t input_1_shift,
                                           int32_t input_2_offset, int32_t input_2_mult, int32_t input_2_shift,
                                           int32_t left_shift, int8_t *output, int32_t out_offset, int32_t out_mult,
                                           int32_t out_shift, int32_t out_activation_min, int32_t out_activation_max,
                                           int32_t block_size);

// The product of int8.
arm_cmsis_nn_status arm_elementwise_mul_s8(const int8_t *input_1_vect, const int8_t *input_2_vect,
                                           int32_t input_1_offset, int32_t input_2_offset, int8_t *output,
                                           int32_t out_offset, int32_t out_mult, int32_t out_shift,
                                           int32_t out_activation_min, int32_t out_activation_max, int32_t block_size);

// The sum of int16, whose zero points are 0: the offsets are not read.
arm_cmsis_nn_status arm_elementwise_add_s16(const int16_t *input_1_vect, const int16_t *input_2_vect,
                                            int32_t input_1_offset, int32_t input_1_mult, int32_t input_1_shift,
                                            int32_t input_2_offset, int32_t input_2_mult, int32_t input_2_shift,
                                            int32_t left_shift, int16_t *output, int32_t out_offset, int32_t out_mult,
                                            int32_t out_shift, int32_t out_activation_min, int32_t out_activation_max,
                                            int32_t block_size);

// The product of int16, whose zero points are 0: the offsets are not read.
arm_cmsis_nn_status arm_elementwise_mul_s16(const int16_t *input_1_vect, const int16_t *input_2_vect,
                                            int32_t input_1_offset, int32_t input_2_offset, int16_t *output,
                                            int32_t out_offset, int32_t out_mult, int32_t out_shift,
                                            int32_t out_activation_min, int32_t out_activation_max, int32_t block_size);

// The product of int16, added to what the output holds. With out_activation_max of 0 or less, the limits are those of
// int16.
arm_cmsis_nn_status arm_elementwise_mul_acc_s16(const int16_t *input_1_vect, const int16_t *input_2_vect,
                                                int32_t input_1_offset, int32_t input_2_offset, int16_t *output,
                                                int32_t out_offset, int32_t out_mult, int32_t out_shift,
                                                int32_t out_activation_min, int32_t out_activation_max,
                                                int32_t block_size);

// The smaller of two tensors, element by element. output_dims follow from those of the inputs and are not read. ctx is
// not used and may hold a NULL buffer. Returns ARM_CMSIS_NN_ARG_ERROR when two sizes differ and neither is 1, else
// ARM_CMSIS_NN_SUCCESS.
arm_cmsis_nn_status arm_minimum_s8(const cmsis_nn_context *ctx, const int8_t *input_1_data,
                                   const cmsis_nn_dims *input_1_dims, const int8_t *input_2_data,
                                   const cmsis_nn_dims *input_2_dims, int8_t *output_data,
                                   const cmsis_nn_dims *output_dims);

// The larger of two tensors; everything else as arm_minimum_s8.
arm_cmsis_nn_status arm_maximum_s8(const cmsis_nn_context *ctx, const int8_t *input_1_data,
                                   const cmsis_nn_dims *input_1_dims, const int8_t *input_2_data,
                                   const cmsis_nn_dims *input_2_dims, int8_t *output_data,
                                   const cmsis_nn_dims *output_dims);

#ifdef __cplusplus
}
#endif

#endif
