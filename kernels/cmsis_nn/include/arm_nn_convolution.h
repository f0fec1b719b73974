// SPDX-License-Identifier: Apache-2.0
// int8 convolutions with int8 weights, per-channel scales.
//
//     output[n][y][x][o] = clamp(requantize(bias[o] + sum (input + input_offset) * filter[o]) + output_offset)
//
// Common to all functions here
// - input [n][h][w][c] int8; filter [out_ch][kh][kw][filter c] int8 (symmetric, no offset); bias [out_ch] int32, may be
//   NULL; output [n][out h][out w][out_ch] int8. Any alignment; output must not overlap the rest.
// - quant_params: out_ch multipliers and shifts. Accumulators are int32 and exact while
//   |bias| + kh * kw * c * 255 * 128 < 2^31.
// - input_offset -127..128, output_offset -128..127, activation limits within -128..127.
// - padding is what lies above and to the left. Rows and columns below and to the right that the output size implies
//   are padding as well. Padded values count as zero points.
// - ctx->buf: at least the bytes that the matching *_get_buffer_size returns, any contents. The functions ending in
//   _dsp and _mve return the size for such a core, the plain ones that for the core they were compiled for. One
//   exception, kept from CMSIS-NN: arm_convolve_wrapper_s8_get_buffer_size_dsp of a Helium build returns Helium's size.
//   A caller that sets ctx->size may give less, down to one patch of kh * kw * filter c bytes.
// - bias_dims is not used.
#ifndef ARM_NN_CONVOLUTION_H
#define ARM_NN_CONVOLUTION_H

#include "arm_nn_types.h"

#ifdef __cplusplus
extern "C" {
#endif

// The one to call: picks the function below that fits. Errors are those of the function picked.
arm_cmsis_nn_status arm_convolve_wrapper_s8(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                            const cmsis_nn_per_channel_quant_params *quant_params,
                                            const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                            const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                            const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                            const cmsis_nn_dims *output_dims, int8_t *output_data);

int32_t arm_convolve_wrapper_s8_get_buffer_size(const cmsis_nn_conv_params *conv_params,
                                                const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                const cmsis_nn_dims *output_dims);
int32_t arm_convolve_wrapper_s8_get_buffer_size_dsp(const cmsis_nn_conv_params *conv_params,
                                                    const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                    const cmsis_nn_dims *output_dims);
int32_t arm_convolve_wrapper_s8_get_buffer_size_mve(const cmsis_nn_conv_params *conv_params,
                                                    const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                    const cmsis_nn_dims *output_dims);

// Any filter, stride and dilation. filter_dims->c below input_dims->c makes it a grouped convolution of input c /
// filter c groups. upscale_dims may be NULL; h or w of 2 means that input_dims describe a tensor of which only every
// second row or column (0, 2, 4 ...) is stored in input_data, the others being padding. ARG_ERROR: ctx->buf is NULL, or
// ctx->size is positive and less than a patch; filter_dims->c does not divide the input channels, or the groups the
// output channels.
arm_cmsis_nn_status arm_convolve_s8(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                    const cmsis_nn_per_channel_quant_params *quant_params,
                                    const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                    const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                    const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                    const cmsis_nn_dims *upscale_dims, const cmsis_nn_dims *output_dims,
                                    int8_t *output_data);
int32_t arm_convolve_s8_get_buffer_size(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims);

// 1x1 filters of depth input_dims->c (filter_dims is not read), any stride. ctx->buf may be NULL.
// ARG_ERROR: padding is not 0. FAILURE: an output lies outside the input or, with stride 1, there are fewer outputs
// than inputs.
arm_cmsis_nn_status arm_convolve_1x1_s8(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                        const cmsis_nn_per_channel_quant_params *quant_params,
                                        const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                        const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                        const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                        const cmsis_nn_dims *output_dims, int8_t *output_data);

// As arm_convolve_1x1_s8, with stride 1. ARG_ERROR: padding is not 0, or a stride is not 1. FAILURE: there are fewer
// outputs than inputs.
arm_cmsis_nn_status arm_convolve_1x1_s8_fast(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                             const cmsis_nn_per_channel_quant_params *quant_params,
                                             const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                             const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                             const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                             const cmsis_nn_dims *output_dims, int8_t *output_data);
int32_t arm_convolve_1x1_s8_fast_get_buffer_size(const cmsis_nn_dims *input_dims);

// Inputs of one row (a convolution in time), dilation 1, stride w * input c a multiple of 4. Any stride and padding, on
// every core. ARG_ERROR: one of these does not hold, or the scratch is too small as above. NO_IMPL_ERROR, on Helium
// only: the filter has more than one row or fewer channels than the input.
arm_cmsis_nn_status arm_convolve_1_x_n_s8(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                          const cmsis_nn_per_channel_quant_params *quant_params,
                                          const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                          const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                          const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                          const cmsis_nn_dims *output_dims, int8_t *output_data);
int32_t arm_convolve_1_x_n_s8_get_buffer_size(const cmsis_nn_conv_params *conv_params, const cmsis_nn_dims *input_dims,
                                              const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims);

#ifdef __cplusplus
}
#endif

#endif
