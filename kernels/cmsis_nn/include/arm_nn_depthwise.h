// SPDX-License-Identifier: Apache-2.0
// int8 depthwise convolutions with int8 weights, per-channel scales: output channel o sees input channel o / ch_mult
// only.
//
//     output[n][y][x][o] = clamp(requantize(bias[o] + sum_taps (input[o / ch_mult] + input_offset) * filter[tap][o])
//                                + output_offset)
//
// Common to all functions here
// - input [n][h][w][c] int8; filter [1][kh][kw][c * ch_mult] int8; bias [c * ch_mult] int32, may be NULL; output
//   [n][out h][out w][c * ch_mult] int8. Any alignment; output must not overlap the rest.
// - quant_params: one multiplier and shift per output channel. Accumulators are int32.
// - padding is what lies above and to the left; what the output size implies below and to the right is padding as well.
// - ctx->buf: at least the bytes that the matching *_get_buffer_size returns, any contents. The functions ending in
//   _dsp and _mve return the size for such a core, the plain ones that for the core they were compiled for.
// - bias_dims is not used.
// - Stack: up to 4 KB for a part of the input; with Helium up to 2 KB, and only where the scratch has less.
#ifndef ARM_NN_DEPTHWISE_H
#define ARM_NN_DEPTHWISE_H

#include "arm_nn_types.h"

#ifdef __cplusplus
extern "C" {
#endif

// The one to call: picks the function below that fits. Errors are those of the function picked.
arm_cmsis_nn_status arm_depthwise_conv_wrapper_s8(const cmsis_nn_context *ctx,
                                                  const cmsis_nn_dw_conv_params *dw_conv_params,
                                                  const cmsis_nn_per_channel_quant_params *quant_params,
                                                  const cmsis_nn_dims *input_dims, const int8_t *input,
                                                  const cmsis_nn_dims *filter_dims, const int8_t *filter,
                                                  const cmsis_nn_dims *bias_dims, const int32_t *bias,
                                                  const cmsis_nn_dims *output_dims, int8_t *output);

int32_t arm_depthwise_conv_wrapper_s8_get_buffer_size(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                      const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                      const cmsis_nn_dims *output_dims);
int32_t arm_depthwise_conv_wrapper_s8_get_buffer_size_dsp(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                          const cmsis_nn_dims *input_dims,
                                                          const cmsis_nn_dims *filter_dims,
                                                          const cmsis_nn_dims *output_dims);
int32_t arm_depthwise_conv_wrapper_s8_get_buffer_size_mve(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                          const cmsis_nn_dims *input_dims,
                                                          const cmsis_nn_dims *filter_dims,
                                                          const cmsis_nn_dims *output_dims);

// Any multiplier, kernel, stride, dilation, padding and batch count. ctx->buf may be NULL.
// ARG_ERROR: the output does not have ch_mult channels for each of the input.
arm_cmsis_nn_status arm_depthwise_conv_s8(const cmsis_nn_context *ctx, const cmsis_nn_dw_conv_params *dw_conv_params,
                                          const cmsis_nn_per_channel_quant_params *quant_params,
                                          const cmsis_nn_dims *input_dims, const int8_t *input,
                                          const cmsis_nn_dims *filter_dims, const int8_t *filter,
                                          const cmsis_nn_dims *bias_dims, const int32_t *bias,
                                          const cmsis_nn_dims *output_dims, int8_t *output);

// Multiplier 1 (ch_mult is not read). ARG_ERROR: input and output channels differ, or ctx->buf is NULL where the buffer
// size is not 0.
arm_cmsis_nn_status arm_depthwise_conv_s8_opt(const cmsis_nn_context *ctx,
                                              const cmsis_nn_dw_conv_params *dw_conv_params,
                                              const cmsis_nn_per_channel_quant_params *quant_params,
                                              const cmsis_nn_dims *input_dims, const int8_t *input,
                                              const cmsis_nn_dims *filter_dims, const int8_t *filter,
                                              const cmsis_nn_dims *bias_dims, const int32_t *bias,
                                              const cmsis_nn_dims *output_dims, int8_t *output);
int32_t arm_depthwise_conv_s8_opt_get_buffer_size(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims);

// Multiplier 1 (ch_mult is not read), 3x3 filters, at most one padded column on the left. ctx->buf may be NULL.
// ARG_ERROR: input and output channels differ, the filter is not 3x3, or padding.w is above 1.
arm_cmsis_nn_status arm_depthwise_conv_3x3_s8(const cmsis_nn_context *ctx,
                                              const cmsis_nn_dw_conv_params *dw_conv_params,
                                              const cmsis_nn_per_channel_quant_params *quant_params,
                                              const cmsis_nn_dims *input_dims, const int8_t *input,
                                              const cmsis_nn_dims *filter_dims, const int8_t *filter,
                                              const cmsis_nn_dims *bias_dims, const int32_t *bias,
                                              const cmsis_nn_dims *output_dims, int8_t *output);

#ifdef __cplusplus
}
#endif

#endif
