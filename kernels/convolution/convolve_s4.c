// SPDX-License-Identifier: Apache-2.0
// The entries of the convolution with int4 weights. They differ in what they accept and in where patches go.
#include "arm_nn_convolution_s4.h"
#include "convolution/convolution_s4.h"
#include "isa.h"

static void run(int8_t *scratch, const cmsis_nn_conv_params *conv_params,
                const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims,
                const int8_t *input_data, const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                const int32_t *bias_data, const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    const cmsis_nn_dims whole_depth = {output_dims->c, filter_dims->h, filter_dims->w, input_dims->c};
    struct rl_convolution c = rl_convolution_of(conv_params, quant_params, input_dims, input_data, &whole_depth,
                                                filter_data, bias_data, output_dims, output_data);
    c.scratch = scratch;
    rl_convolution_s4_run(&c);
}

arm_cmsis_nn_status arm_convolve_s4(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                    const cmsis_nn_per_channel_quant_params *quant_params,
                                    const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                    const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                    const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                    const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    (void)bias_dims;
    if (!ctx->buf) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    run(ctx->buf, conv_params, quant_params, input_dims, input_data, filter_dims, filter_data, bias_data, output_dims,
        output_data);
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_convolve_even_s4(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                         const cmsis_nn_per_channel_quant_params *quant_params,
                                         const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                         const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                         const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                         const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    if (!RL_HAS_MVE) {
        return ARM_CMSIS_NN_NO_IMPL_ERROR;
    }
    if ((filter_dims->w * filter_dims->h * input_dims->c) & 1) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    return arm_convolve_s4(ctx, conv_params, quant_params, input_dims, input_data, filter_dims, filter_data, bias_dims,
                           bias_data, output_dims, output_data);
}

arm_cmsis_nn_status arm_convolve_1x1_s4(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                        const cmsis_nn_per_channel_quant_params *quant_params,
                                        const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                        const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                        const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                        const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    (void)filter_dims;
    (void)bias_dims;
    return rl_convolve_1x1(conv_params, quant_params, input_dims, input_data, filter_data, bias_data, output_dims,
                           output_data, ctx, rl_convolution_s4_run_1x1);
}

arm_cmsis_nn_status arm_convolve_1x1_s4_fast(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                             const cmsis_nn_per_channel_quant_params *quant_params,
                                             const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                             const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                             const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                             const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    if (!arm_nn_is_convolve_1x1_fast(conv_params)) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    return arm_convolve_1x1_s4(ctx, conv_params, quant_params, input_dims, input_data, filter_dims, filter_data,
                               bias_dims, bias_data, output_dims, output_data);
}

arm_cmsis_nn_status arm_convolve_1_x_n_s4(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                          const cmsis_nn_per_channel_quant_params *quant_params,
                                          const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                          const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                          const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                          const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    (void)bias_dims;
    const int32_t stride = conv_params->stride.w;
    if (input_dims->h != 1 || conv_params->dilation.w != 1 || stride == 0 || stride * input_dims->c % 4 != 0) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    const bool has_scratch =
        arm_convolve_1_x_n_s4_get_buffer_size(conv_params, input_dims, filter_dims, output_dims) > 0;
    if (has_scratch && !ctx->buf) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    run(has_scratch ? ctx->buf : NULL, conv_params, quant_params, input_dims, input_data, filter_dims, filter_data,
        bias_data, output_dims, output_data);
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_convolve_wrapper_s4(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                            const cmsis_nn_per_channel_quant_params *quant_params,
                                            const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                            const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                            const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                            const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    if (arm_nn_is_convolve_1x1(conv_params, input_dims, filter_dims)) {
        return arm_convolve_1x1_s4(ctx, conv_params, quant_params, input_dims, input_data, filter_dims, filter_data,
                                   bias_dims, bias_data, output_dims, output_data);
    }
    if (arm_nn_is_convolve_1_x_n(conv_params, input_dims, filter_dims)) {
        return arm_convolve_1_x_n_s4(ctx, conv_params, quant_params, input_dims, input_data, filter_dims, filter_data,
                                     bias_dims, bias_data, output_dims, output_data);
    }
    return arm_convolve_s4(ctx, conv_params, quant_params, input_dims, input_data, filter_dims, filter_data, bias_dims,
                           bias_data, output_dims, output_data);
}
