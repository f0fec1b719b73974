// SPDX-License-Identifier: Apache-2.0
#include "arm_nn_svdf.h"

#include <stddef.h>

#include "cmsis_nn/translate.h"
#include "isa.h"
#include "rushlight/kernels/svdf.h"

// All but the time weights.
static struct rl_svdf layer_of(const cmsis_nn_svdf_params *params, const cmsis_nn_per_tensor_quant_params *input_quant,
                               const cmsis_nn_per_tensor_quant_params *output_quant, const cmsis_nn_dims *input_dims,
                               const cmsis_nn_dims *feature_dims, const int8_t *feature_weights,
                               const cmsis_nn_dims *time_dims, const int32_t *bias)
{
    return (struct rl_svdf){
        .batches = input_dims->n,
        .input_size = input_dims->h,
        .features = feature_dims->n,
        .time = time_dims->h,
        .rank = params->rank,
        .feature_weights = feature_weights,
        .bias = bias,
        .input_offset = -params->input_offset,
        .output_offset = params->output_offset,
        .state_scale = rl_scale_of(input_quant),
        .scale = rl_scale_of(output_quant),
        .state_range = rl_range_of(params->input_activation),
        .range = rl_range_of(params->output_activation),
    };
}

arm_cmsis_nn_status
arm_svdf_s8(const cmsis_nn_context *ctx, const cmsis_nn_context *input_ctx, const cmsis_nn_context *output_ctx,
            const cmsis_nn_svdf_params *svdf_params, const cmsis_nn_per_tensor_quant_params *input_quant_params,
            const cmsis_nn_per_tensor_quant_params *output_quant_params, const cmsis_nn_dims *input_dims,
            const int8_t *input_data, const cmsis_nn_dims *state_dims, int8_t *state_data,
            const cmsis_nn_dims *weights_feature_dims, const int8_t *weights_feature_data,
            const cmsis_nn_dims *weights_time_dims, const int8_t *weights_time_data, const cmsis_nn_dims *bias_dims,
            const int32_t *bias_data, const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    (void)state_dims;
    (void)bias_dims;
    (void)output_dims;
    struct rl_svdf layer = layer_of(svdf_params, input_quant_params, output_quant_params, input_dims,
                                    weights_feature_dims, weights_feature_data, weights_time_dims, bias_data);
    layer.time_weights = weights_time_data;
    layer.folded = RL_HAS_MVE ? ctx->buf : NULL;
    if ((RL_HAS_MVE && !ctx->buf) || !input_ctx->buf || !output_ctx->buf || rl_svdf_prepare(&layer) != RL_OK) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    rl_svdf_run(&layer, input_data, state_data, output_data);
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_svdf_state_s16_s8(const cmsis_nn_context *input_ctx, const cmsis_nn_context *output_ctx,
                                          const cmsis_nn_svdf_params *svdf_params,
                                          const cmsis_nn_per_tensor_quant_params *input_quant_params,
                                          const cmsis_nn_per_tensor_quant_params *output_quant_params,
                                          const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                          const cmsis_nn_dims *state_dims, int16_t *state_data,
                                          const cmsis_nn_dims *weights_feature_dims, const int8_t *weights_feature_data,
                                          const cmsis_nn_dims *weights_time_dims, const int16_t *weights_time_data,
                                          const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                          const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    (void)state_dims;
    (void)bias_dims;
    (void)output_dims;
    struct rl_svdf layer = layer_of(svdf_params, input_quant_params, output_quant_params, input_dims,
                                    weights_feature_dims, weights_feature_data, weights_time_dims, bias_data);
    layer.wide_time_weights = weights_time_data;
    if (!input_ctx->buf || !output_ctx->buf || rl_svdf_prepare(&layer) != RL_OK) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    rl_svdf_s16_run(&layer, input_data, state_data, output_data);
    return ARM_CMSIS_NN_SUCCESS;
}

int32_t arm_svdf_s8_get_buffer_size(const cmsis_nn_dims *filter_dims)
{
    return RL_HAS_MVE ? arm_svdf_s8_get_buffer_size_mve(filter_dims) : arm_svdf_s8_get_buffer_size_dsp(filter_dims);
}

int32_t arm_svdf_s8_get_buffer_size_dsp(const cmsis_nn_dims *filter_dims)
{
    (void)filter_dims;
    return 0;
}

int32_t arm_svdf_s8_get_buffer_size_mve(const cmsis_nn_dims *filter_dims)
{
    return filter_dims->n * (int32_t)sizeof(int32_t);
}
