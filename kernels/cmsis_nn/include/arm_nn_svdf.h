// SPDX-License-Identifier: Apache-2.0
// Singular value decomposition filter: one step of a recurrent layer that keeps its last activations.
//
// Shapes: input [n, h] (batches, input size); feature weights [features, h] int8; state [n, features, time], where time
// = weights_time_dims->h; time weights [features, time]; bias [units] int32 or NULL; output [n, units] int8, where
// units = features / svdf_params->rank. Dimensions are read from input_dims (n, h), weights_feature_dims (n = features)
// and weights_time_dims (h = time); state_dims, bias_dims and output_dims are not read.
//
// 1. Each row of `time` activations in the state moves one place to the front.
// 2. The last of each row becomes clamp(requantize(sum (input - input_offset) * feature weights)), within
//    input_activation.
// 3. output = clamp(requantize(bias + sum over the `rank` features of the unit of sum state * time weights)
//                  + output_offset), within output_activation.
// Here input_offset is the zero point of the input, not minus the zero point.
//
// state_data is read and written. input_ctx->buf and output_ctx->buf must not be NULL, but are not used.
#ifndef ARM_NN_SVDF_H
#define ARM_NN_SVDF_H

#include "arm_nn_types.h"

#ifdef __cplusplus
extern "C" {
#endif

// int8 state and time weights.
// ctx: on Helium, kernel sums as arm_vector_sum_s8 computes them from the feature weights with lhs_offset
// -input_offset; not used on other cores. Returns ARM_CMSIS_NN_ARG_ERROR when input_ctx->buf, output_ctx->buf or, on
// Helium, ctx->buf is NULL, h is negative, or time or rank is below 1; else ARM_CMSIS_NN_SUCCESS.
arm_cmsis_nn_status
arm_svdf_s8(const cmsis_nn_context *ctx, const cmsis_nn_context *input_ctx, const cmsis_nn_context *output_ctx,
            const cmsis_nn_svdf_params *svdf_params, const cmsis_nn_per_tensor_quant_params *input_quant_params,
            const cmsis_nn_per_tensor_quant_params *output_quant_params, const cmsis_nn_dims *input_dims,
            const int8_t *input_data, const cmsis_nn_dims *state_dims, int8_t *state_data,
            const cmsis_nn_dims *weights_feature_dims, const int8_t *weights_feature_data,
            const cmsis_nn_dims *weights_time_dims, const int8_t *weights_time_data, const cmsis_nn_dims *bias_dims,
            const int32_t *bias_data, const cmsis_nn_dims *output_dims, int8_t *output_data);

// int16 state and time weights.
// Returns what arm_svdf_s8 returns, without ctx.
arm_cmsis_nn_status arm_svdf_state_s16_s8(const cmsis_nn_context *input_ctx, const cmsis_nn_context *output_ctx,
                                          const cmsis_nn_svdf_params *svdf_params,
                                          const cmsis_nn_per_tensor_quant_params *input_quant_params,
                                          const cmsis_nn_per_tensor_quant_params *output_quant_params,
                                          const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                          const cmsis_nn_dims *state_dims, int16_t *state_data,
                                          const cmsis_nn_dims *weights_feature_dims, const int8_t *weights_feature_data,
                                          const cmsis_nn_dims *weights_time_dims, const int16_t *weights_time_data,
                                          const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                          const cmsis_nn_dims *output_dims, int8_t *output_data);

// Bytes of ctx->buf of arm_svdf_s8, given weights_feature_dims: on this core, with DSP extension, with Helium.
int32_t arm_svdf_s8_get_buffer_size(const cmsis_nn_dims *filter_dims);
int32_t arm_svdf_s8_get_buffer_size_dsp(const cmsis_nn_dims *filter_dims);
int32_t arm_svdf_s8_get_buffer_size_mve(const cmsis_nn_dims *filter_dims);

#ifdef __cplusplus
}
#endif

#endif
