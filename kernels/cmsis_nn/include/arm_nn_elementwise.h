// SPDX-License-Identifier: Apache-2.0
// Element by element: addition, multiplication, minimum, maximum.
//
// add and mul work on flat arrays of `block_size` elements (0 or negative: nothing to do) and never broadcast; minimum
// and maximum broadcast. Inputs and output need no alignment beyond that of their type. The output may be exactly one
// of the inputs (in place); any other overlap is undefined.
//
// Scratch: none. Stack: arm_elementwise_add_s8 puts a table of 1 KB there when block_size is 512 or more and the core has
// no Helium.
#ifndef ARM_NN_ELEMENTWISE_H
#define ARM_NN_ELEMENTWISE_H

#include "arm_nn_types.h"

#ifdef __cplusplus
extern "C" {
#endif

// output = clamp(requantize(A + B, out_mult, out_shift) + out_offset), where
//     A = requantize((input_1 + input_1_offset) * 2^left_shift, input_1_mult, input_1_shift), B the same of
//     input 2.
// Ranges: input offsets -127..128; multipliers 0..2^31-1; input shifts -31..0, out_shift -31..30; left_shift 0..22 (20
// is usual: it keeps 20 fractional bits of the common scale); out_offset -128..127; -128 <= out_activation_min <=
// out_activation_max <= 127. Returns ARM_CMSIS_NN_SUCCESS.
arm_cmsis_nn_status arm_elementwise_add_s8(const int8_t *input_1_vect, const int8_t *input_2_vect,
                                           int32_t input_1_offset, int32_t input_1_mult, int32_t input_1_shift,
                                           int32_t input_2_offset, int32_t input_2_mult, int32_t input_2_shift,
                                           int32_t left_shift, int8_t *output, int32_t out_offset, int32_t out_mult,
                                           int32_t out_shift, int32_t out_activation_min, int32_t out_activation_max,
                                           int32_t block_size);

// output = clamp(requantize((input_1 + input_1_offset) * (input_2 + input_2_offset), out_mult, out_shift) +
// out_offset). Ranges: input offsets -32640..32640; out_mult 0..2^31-1; out_shift -31..30 (the product may wrap above
// 14, and from smaller shifts on the larger it is); out_offset -128..127; -128 <= out_activation_min <=
// out_activation_max <= 127. Returns ARM_CMSIS_NN_SUCCESS.
arm_cmsis_nn_status arm_elementwise_mul_s8(const int8_t *input_1_vect, const int8_t *input_2_vect,
                                           int32_t input_1_offset, int32_t input_2_offset, int8_t *output,
                                           int32_t out_offset, int32_t out_mult, int32_t out_shift,
                                           int32_t out_activation_min, int32_t out_activation_max, int32_t block_size);

// The same sum for int16, whose zero points are 0: input_1_offset, input_2_offset and out_offset are not read. Ranges:
// left_shift 0..15 (15 is usual); -32768 <= out_activation_min <= out_activation_max <= 32767; the rest as above.
// Returns ARM_CMSIS_NN_SUCCESS.
arm_cmsis_nn_status arm_elementwise_add_s16(const int16_t *input_1_vect, const int16_t *input_2_vect,
                                            int32_t input_1_offset, int32_t input_1_mult, int32_t input_1_shift,
                                            int32_t input_2_offset, int32_t input_2_mult, int32_t input_2_shift,
                                            int32_t left_shift, int16_t *output, int32_t out_offset, int32_t out_mult,
                                            int32_t out_shift, int32_t out_activation_min, int32_t out_activation_max,
                                            int32_t block_size);

// The same product for int16, whose zero points are 0: the offsets are not read.
// Ranges: out_shift -31..0 (above that the product may wrap); limits within int16.
// Returns ARM_CMSIS_NN_SUCCESS.
arm_cmsis_nn_status arm_elementwise_mul_s16(const int16_t *input_1_vect, const int16_t *input_2_vect,
                                            int32_t input_1_offset, int32_t input_2_offset, int16_t *output,
                                            int32_t out_offset, int32_t out_mult, int32_t out_shift,
                                            int32_t out_activation_min, int32_t out_activation_max, int32_t block_size);

// output = clamp(output + requantize(input_1 * input_2, out_mult, out_shift)): arm_elementwise_mul_s16 that adds to
// what is there. With out_activation_max of 0 or less, the limits are those of int16. Returns ARM_CMSIS_NN_SUCCESS.
arm_cmsis_nn_status arm_elementwise_mul_acc_s16(const int16_t *input_1_vect, const int16_t *input_2_vect,
                                                int32_t input_1_offset, int32_t input_2_offset, int16_t *output,
                                                int32_t out_offset, int32_t out_mult, int32_t out_shift,
                                                int32_t out_activation_min, int32_t out_activation_max,
                                                int32_t block_size);

// The smaller of two tensors of the same quantization, with broadcasting as in NumPy: in each of n, h, w, c the sizes
// are equal, or one of them is 1 and that input is repeated. input_*_dims: shapes of the inputs. output_dims: shape of
// the output, the larger size of each axis; it is implied by the inputs and not read. ctx: not used, may hold a NULL
// buffer. Returns ARM_CMSIS_NN_ARG_ERROR when two sizes differ and neither is 1, else ARM_CMSIS_NN_SUCCESS.
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
