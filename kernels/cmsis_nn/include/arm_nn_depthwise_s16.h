// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution with int16 activations and int8 weights.
//
//     output[n][y][x][o] = clamp(requantize(bias[o] + sum input[.][o / ch_mult] * filter[.][o]))
//
// - input [n][h][w][c] int16, filter [1][kh][kw][c * ch_mult] int8, bias [c * ch_mult] int64 or NULL, output
//   [n][out h][out w][c * ch_mult] int16; zero points are 0, so input_offset and output_offset are not read and padding
//   counts as 0. int16 data needs its natural alignment.
// - Sums have 64 bits; multipliers are used with 16 bits (rl_requantize_s64 in requantize.h), shifts at most 14.
// - ctx->buf: see the functions; the contents do not matter. Functions ending in _dsp and _mve return the size for such
//   a core, the plain ones that for the core they were compiled for.
// - bias_dims is not used. Activation limits within int16.
#ifndef ARM_NN_DEPTHWISE_S16_H
#define ARM_NN_DEPTHWISE_S16_H

#include "arm_nn_types.h"

#ifdef __cplusplus
extern "C" {
#endif

// The one to call: arm_depthwise_conv_fast_s16 for ch_mult 1, dilation 1 and filters of less than 512 taps, else
// arm_depthwise_conv_s16.
arm_cmsis_nn_status arm_depthwise_conv_wrapper_s16(const cmsis_nn_context *ctx,
                                                   const cmsis_nn_dw_conv_params *dw_conv_params,
                                                   const cmsis_nn_per_channel_quant_params *quant_params,
                                                   const cmsis_nn_dims *input_dims, const int16_t *input_data,
                                                   const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                   const cmsis_nn_dims *bias_dims, const int64_t *bias_data,
                                                   const cmsis_nn_dims *output_dims, int16_t *output_data);

int32_t arm_depthwise_conv_wrapper_s16_get_buffer_size(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                       const cmsis_nn_dims *input_dims,
                                                       const cmsis_nn_dims *filter_dims,
                                                       const cmsis_nn_dims *output_dims);
int32_t arm_depthwise_conv_wrapper_s16_get_buffer_size_dsp(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                           const cmsis_nn_dims *input_dims,
                                                           const cmsis_nn_dims *filter_dims,
                                                           const cmsis_nn_dims *output_dims);
int32_t arm_depthwise_conv_wrapper_s16_get_buffer_size_mve(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                           const cmsis_nn_dims *input_dims,
                                                           const cmsis_nn_dims *filter_dims,
                                                           const cmsis_nn_dims *output_dims);

// Any shape. ctx: not used. Returns ARM_CMSIS_NN_ARG_ERROR when the output does not have ch_mult channels for each of
// the input, else ARM_CMSIS_NN_SUCCESS.
arm_cmsis_nn_status arm_depthwise_conv_s16(const cmsis_nn_context *ctx, const cmsis_nn_dw_conv_params *dw_conv_params,
                                           const cmsis_nn_per_channel_quant_params *quant_params,
                                           const cmsis_nn_dims *input_dims, const int16_t *input_data,
                                           const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                           const cmsis_nn_dims *bias_dims, const int64_t *bias_data,
                                           const cmsis_nn_dims *output_dims, int16_t *output_data);

// For ch_mult 1, dilation 1 and filters of less than 512 taps.
// Returns ARM_CMSIS_NN_ARG_ERROR when the filter has 512 taps or more, input and output channels differ, or ctx->buf is
// NULL although its size is not 0; else ARM_CMSIS_NN_SUCCESS.
arm_cmsis_nn_status arm_depthwise_conv_fast_s16(const cmsis_nn_context *ctx,
                                                const cmsis_nn_dw_conv_params *dw_conv_params,
                                                const cmsis_nn_per_channel_quant_params *quant_params,
                                                const cmsis_nn_dims *input_dims, const int16_t *input_data,
                                                const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                const cmsis_nn_dims *bias_dims, const int64_t *bias_data,
                                                const cmsis_nn_dims *output_dims, int16_t *output_data);
int32_t arm_depthwise_conv_fast_s16_get_buffer_size(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims);

#ifdef __cplusplus
}
#endif

#endif
