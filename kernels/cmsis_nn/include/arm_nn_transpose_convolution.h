// SPDX-License-Identifier: Apache-2.0
// Transposed convolution of int8: each input pixel adds its products with the filter to a window of the output.
//
//     sum[y][x][o] = bias[o] + sum over ky, kx, c of (input[iy][ix][c] + input_offset) * filter[o][ky][kx][c],
//                    where iy * stride.h + ky = y + padding.h and ix * stride.w + kx = x + padding.w
//     output = clamp(requantize(sum, multiplier[o], shift[o]) + output_offset)
//
// Shapes: input [n, h, w, c], filter [out_c, kh, kw, c] (fields h and w are read), bias [out_c] int32 or NULL, output
// [n, h, w, out_c]. The output size is taken from output_dims: outputs that no input reaches have the bias as their
// sum. padding_offsets and dilation are not used. Ranges and alignment as in arm_nn_convolution.h.
#ifndef ARM_NN_TRANSPOSE_CONVOLUTION_H
#define ARM_NN_TRANSPOSE_CONVOLUTION_H

#include "arm_nn_types.h"

#ifdef __cplusplus
extern "C" {
#endif

// The one to call. With strides of at most 2 and more than 16 input channels it keeps filters in reverse_conv_ctx;
// otherwise it is arm_transpose_conv_s8. ctx: arm_transpose_conv_s8_get_buffer_size bytes; reverse_conv_ctx:
// ..._get_reverse_conv_buffer_size bytes. Returns ARM_CMSIS_NN_ARG_ERROR when ctx->buf is NULL, or
// reverse_conv_ctx->buf where it is used; else ARM_CMSIS_NN_SUCCESS.
arm_cmsis_nn_status arm_transpose_conv_wrapper_s8(const cmsis_nn_context *ctx, const cmsis_nn_context *reverse_conv_ctx,
                                                  const cmsis_nn_transpose_conv_params *transpose_conv_params,
                                                  const cmsis_nn_per_channel_quant_params *quant_params,
                                                  const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                  const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                  const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                                  const cmsis_nn_dims *output_dims, int8_t *output_data);

// Any stride and number of channels. ctx: arm_transpose_conv_s8_get_buffer_size bytes; with a NULL buffer the function
// still works, several times slower. output_ctx: not used, may hold a NULL buffer. Returns ARM_CMSIS_NN_SUCCESS.
arm_cmsis_nn_status arm_transpose_conv_s8(const cmsis_nn_context *ctx, const cmsis_nn_context *output_ctx,
                                          const cmsis_nn_transpose_conv_params *transpose_conv_params,
                                          const cmsis_nn_per_channel_quant_params *quant_params,
                                          const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                          const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                          const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                          const cmsis_nn_dims *output_dims, int8_t *output_data);

// Bytes of ctx->buf: on this core, with Helium.
int32_t arm_transpose_conv_s8_get_buffer_size(const cmsis_nn_transpose_conv_params *transpose_conv_params,
                                              const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                              const cmsis_nn_dims *out_dims);
int32_t arm_transpose_conv_s8_get_buffer_size_mve(const cmsis_nn_transpose_conv_params *transpose_conv_params,
                                                  const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                  const cmsis_nn_dims *out_dims);

// Bytes of reverse_conv_ctx->buf, which takes the reversed filter.
int32_t arm_transpose_conv_s8_get_reverse_conv_buffer_size(const cmsis_nn_transpose_conv_params *transpose_conv_params,
                                                           const cmsis_nn_dims *input_dims,
                                                           const cmsis_nn_dims *filter_dims);

#ifdef __cplusplus
}
#endif

#endif
