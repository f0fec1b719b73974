// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution of int8 activations with int4 weights, per-channel scales. All is as in arm_nn_depthwise.h,
// except that weights are -8..7, two to a byte: weight i of the whole filter [1][kh][kw][channels] is in byte i / 2,
// the lower half first.
#ifndef ARM_NN_DEPTHWISE_S4_H
#define ARM_NN_DEPTHWISE_S4_H

#include "arm_nn_types.h"

#ifdef __cplusplus
extern "C" {
#endif

// The one to call: arm_depthwise_conv_s4_opt for ch_mult 1, one batch and dilation 1, else arm_depthwise_conv_s4.
arm_cmsis_nn_status arm_depthwise_conv_wrapper_s4(const cmsis_nn_context *ctx,
                                                  const cmsis_nn_dw_conv_params *dw_conv_params,
                                                  const cmsis_nn_per_channel_quant_params *quant_params,
                                                  const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                  const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                  const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                                  const cmsis_nn_dims *output_dims, int8_t *output_data);

// Bytes of ctx->buf. Functions ending in _dsp and _mve return the size for such a core, the plain ones that for the
// core they were compiled for.
int32_t arm_depthwise_conv_wrapper_s4_get_buffer_size(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                      const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                      const cmsis_nn_dims *output_dims);
int32_t arm_depthwise_conv_wrapper_s4_get_buffer_size_dsp(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                          const cmsis_nn_dims *input_dims,
                                                          const cmsis_nn_dims *filter_dims,
                                                          const cmsis_nn_dims *output_dims);
int32_t arm_depthwise_conv_wrapper_s4_get_buffer_size_mve(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                          const cmsis_nn_dims *input_dims,
                                                          const cmsis_nn_dims *filter_dims,
                                                          const cmsis_nn_dims *output_dims);

// Any shape. ctx: not used. Stack: 1 KB, in which filters of up to 1,024 weights are spread to int8; larger ones are
// read as they are, more slowly. With an odd number of input channels, this function reads weights at other places than
// the layout says when taps lie outside the image or ch_mult is above 1, exactly as CMSIS-NN does.
// arm_depthwise_conv_s4_opt does not have this flaw. Returns ARM_CMSIS_NN_ARG_ERROR when the output does not have
// ch_mult channels for each of the input, else ARM_CMSIS_NN_SUCCESS.
arm_cmsis_nn_status arm_depthwise_conv_s4(const cmsis_nn_context *ctx, const cmsis_nn_dw_conv_params *dw_conv_params,
                                          const cmsis_nn_per_channel_quant_params *quant_params,
                                          const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                          const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                          const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                          const cmsis_nn_dims *output_dims, int8_t *output_data);

// For ch_mult 1 and dilation 1, whatever dw_conv_params says. The filter is spread to int8 in the scratch. Returns
// ARM_CMSIS_NN_ARG_ERROR when input and output channels differ or ctx->buf is NULL, else ARM_CMSIS_NN_SUCCESS.
arm_cmsis_nn_status arm_depthwise_conv_s4_opt(const cmsis_nn_context *ctx,
                                              const cmsis_nn_dw_conv_params *dw_conv_params,
                                              const cmsis_nn_per_channel_quant_params *quant_params,
                                              const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                              const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                              const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                              const cmsis_nn_dims *output_dims, int8_t *output_data);
int32_t arm_depthwise_conv_s4_opt_get_buffer_size(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims);

#ifdef __cplusplus
}
#endif

#endif
