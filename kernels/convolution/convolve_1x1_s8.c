// SPDX-License-Identifier: Apache-2.0
// Pointwise convolutions: arm_convolve_1x1_s8 (any stride) and arm_convolve_1x1_s8_fast (stride 1). No scratch.
#include "arm_nn_convolution.h"

#include "convolution/convolution.h"

arm_cmsis_nn_status arm_convolve_1x1_s8(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                        const cmsis_nn_per_channel_quant_params *quant_params,
                                        const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                        const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                        const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                        const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    (void)filter_dims;
    (void)bias_dims;
    return rl_convolve_1x1(conv_params, quant_params, input_dims, input_data, filter_data, bias_data, output_dims,
                           output_data, ctx, rl_convolution_run_1x1);
}

arm_cmsis_nn_status arm_convolve_1x1_s8_fast(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                             const cmsis_nn_per_channel_quant_params *quant_params,
                                             const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                             const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                             const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                             const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    if (!arm_nn_is_convolve_1x1_fast(conv_params)) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    return arm_convolve_1x1_s8(ctx, conv_params, quant_params, input_dims, input_data, filter_dims, filter_data,
                               bias_dims, bias_data, output_dims, output_data);
}
