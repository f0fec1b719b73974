// SPDX-License-Identifier: Apache-2.0
// Convolution of int8 activations with int4 weights, per-channel scales. All is as in arm_nn_convolution.h, except:
//
// - Weights are -8..7, two to a byte: weight i of the whole filter [out_ch][kh][kw][c] is in byte i / 2, the lower half
//   first. A filter of odd length shares a byte with the next one.
// - There are no groups: the filter depth is kh * kw * input c.
// - Weights are spread to int8 for some channels at a time, on the stack: 1 KB.
#ifndef ARM_NN_CONVOLUTION_S4_H
#define ARM_NN_CONVOLUTION_S4_H

#include "arm_nn_types.h"

#ifdef __cplusplus
extern "C" {
#endif

// The one to call: picks the function below that fits. Errors are those of the function picked.
arm_cmsis_nn_status arm_convolve_wrapper_s4(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                            const cmsis_nn_per_channel_quant_params *quant_params,
                                            const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                            const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                            const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                            const cmsis_nn_dims *output_dims, int8_t *output_data);

int32_t arm_convolve_wrapper_s4_get_buffer_size(const cmsis_nn_conv_params *conv_params,
                                                const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                const cmsis_nn_dims *output_dims);
int32_t arm_convolve_wrapper_s4_get_buffer_size_dsp(const cmsis_nn_conv_params *conv_params,
                                                    const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                    const cmsis_nn_dims *output_dims);
int32_t arm_convolve_wrapper_s4_get_buffer_size_mve(const cmsis_nn_conv_params *conv_params,
                                                    const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                    const cmsis_nn_dims *output_dims);

// Any filter, stride, padding and dilation.
// Returns ARM_CMSIS_NN_ARG_ERROR when ctx->buf is NULL, else ARM_CMSIS_NN_SUCCESS.
arm_cmsis_nn_status arm_convolve_s4(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                    const cmsis_nn_per_channel_quant_params *quant_params,
                                    const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                    const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                    const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                    const cmsis_nn_dims *output_dims, int8_t *output_data);
int32_t arm_convolve_s4_get_buffer_size(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims);

// As arm_convolve_s4 for filters of even length, on Helium only.
// Returns ARM_CMSIS_NN_NO_IMPL_ERROR on other cores; ARM_CMSIS_NN_ARG_ERROR when ctx->buf is NULL or the length is odd;
// else ARM_CMSIS_NN_SUCCESS.
arm_cmsis_nn_status arm_convolve_even_s4(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                         const cmsis_nn_per_channel_quant_params *quant_params,
                                         const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                         const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                         const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                         const cmsis_nn_dims *output_dims, int8_t *output_data);

// 1x1 filters of depth input_dims->c (filter_dims is not read), any stride. ctx: not used.
// Returns ARM_CMSIS_NN_ARG_ERROR when padding is not 0; ARM_CMSIS_NN_FAILURE when an output lies outside the input or,
// with stride 1, there are fewer outputs than inputs; else ARM_CMSIS_NN_SUCCESS.
arm_cmsis_nn_status arm_convolve_1x1_s4(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                        const cmsis_nn_per_channel_quant_params *quant_params,
                                        const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                        const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                        const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                        const cmsis_nn_dims *output_dims, int8_t *output_data);

// As arm_convolve_1x1_s4 with stride 1; also ARM_CMSIS_NN_ARG_ERROR when a stride is not 1.
arm_cmsis_nn_status arm_convolve_1x1_s4_fast(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                             const cmsis_nn_per_channel_quant_params *quant_params,
                                             const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                             const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                             const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                             const cmsis_nn_dims *output_dims, int8_t *output_data);
int32_t arm_convolve_1x1_s4_fast_get_buffer_size(const cmsis_nn_dims *input_dims);

// Inputs of one row, dilation 1.
// Returns ARM_CMSIS_NN_ARG_ERROR when the input has more than one row, dilation.w is not 1, stride.w is 0, stride.w *
// input c is not a multiple of 4, or ctx->buf is NULL although its size is not 0; else ARM_CMSIS_NN_SUCCESS.
arm_cmsis_nn_status arm_convolve_1_x_n_s4(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                          const cmsis_nn_per_channel_quant_params *quant_params,
                                          const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                          const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                          const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                          const cmsis_nn_dims *output_dims, int8_t *output_data);
int32_t arm_convolve_1_x_n_s4_get_buffer_size(const cmsis_nn_conv_params *conv_params, const cmsis_nn_dims *input_dims,
                                              const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims);

#ifdef __cplusplus
}
#endif

#endif
