// SPDX-License-Identifier: Apache-2.0
// Convolution with int16 activations and int8 weights.
//
//     output[n][y][x][o] = clamp(requantize(bias[o] + sum input * filter[o]))
//
// - input [n][h][w][c] int16, filter [out_ch][kh][kw][c] int8, output [n][out h][out w][out_ch] int16; zero points are
//   0, so input_offset and output_offset are not read and padding counts as 0. int16 data needs its natural alignment.
// - bias_data->data may be NULL. With is_int32_bias the bias is int32, sums wrap at 32 bits, and the scale is that of
//   the int8 kernels. Otherwise it is int64, sums have 64 bits, and multipliers are used with 16 bits
//   (rl_requantize_s64 in requantize.h), shifts at most 14.
// - ctx->buf: the bytes that the matching *_get_buffer_size returns, aligned to 2, any contents. Functions ending in
//   _dsp and _mve return the size for such a core, the plain ones that for the core they were compiled for.
// - bias_dims is not used. Activation limits within int16.
#ifndef ARM_NN_CONVOLUTION_S16_H
#define ARM_NN_CONVOLUTION_S16_H

#include "arm_nn_types.h"

#ifdef __cplusplus
extern "C" {
#endif

// The one to call. Returns what arm_convolve_s16 returns.
arm_cmsis_nn_status arm_convolve_wrapper_s16(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                             const cmsis_nn_per_channel_quant_params *quant_params,
                                             const cmsis_nn_dims *input_dims, const int16_t *input_data,
                                             const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                             const cmsis_nn_dims *bias_dims, const cmsis_nn_bias_data *bias_data,
                                             const cmsis_nn_dims *output_dims, int16_t *output_data);

int32_t arm_convolve_wrapper_s16_get_buffer_size(const cmsis_nn_conv_params *conv_params,
                                                 const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                 const cmsis_nn_dims *output_dims);
int32_t arm_convolve_wrapper_s16_get_buffer_size_dsp(const cmsis_nn_conv_params *conv_params,
                                                     const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                     const cmsis_nn_dims *output_dims);
int32_t arm_convolve_wrapper_s16_get_buffer_size_mve(const cmsis_nn_conv_params *conv_params,
                                                     const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                     const cmsis_nn_dims *output_dims);

// Any filter, stride, padding and dilation.
// Returns ARM_CMSIS_NN_ARG_ERROR when ctx->buf is NULL, else ARM_CMSIS_NN_SUCCESS.
arm_cmsis_nn_status arm_convolve_s16(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                     const cmsis_nn_per_channel_quant_params *quant_params,
                                     const cmsis_nn_dims *input_dims, const int16_t *input_data,
                                     const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                     const cmsis_nn_dims *bias_dims, const cmsis_nn_bias_data *bias_data,
                                     const cmsis_nn_dims *output_dims, int16_t *output_data);
int32_t arm_convolve_s16_get_buffer_size(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims);

#ifdef __cplusplus
}
#endif

#endif
