// SPDX-License-Identifier: Apache-2.0
// The four entries of the int8 depthwise convolution. They differ in what they accept, not in how they compute.
#include "arm_nn_depthwise.h"

#include "cmsis_nn/translate.h"
#include "depthwise/depthwise.h"
#include "isa.h"
#include "scratch.h"

// With the scratch that the entry announces, or that there is.
static arm_cmsis_nn_status run(const cmsis_nn_context *ctx, int32_t announced, int32_t channel_multiplier,
                               const cmsis_nn_dw_conv_params *dw_conv_params,
                               const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims,
                               const int8_t *input, const cmsis_nn_dims *filter_dims, const int8_t *filter,
                               const int32_t *bias, const cmsis_nn_dims *output_dims, int8_t *output)
{
    const struct rl_depthwise d = {
        .params = dw_conv_params,
        .quant = quant_params,
        .input_dims = input_dims,
        .input = input,
        .filter_dims = filter_dims,
        .filter = filter,
        .bias = bias,
        .output_dims = output_dims,
        .output = output,
        .channel_multiplier = channel_multiplier,
        .channels = input_dims->c * channel_multiplier,
        .work = rl_scratch_rest(rl_scratch_of(ctx, announced), 0),
    };
    if (output_dims->c != d.channels) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    rl_depthwise_run(&d);
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_depthwise_conv_s8(const cmsis_nn_context *ctx, const cmsis_nn_dw_conv_params *dw_conv_params,
                                          const cmsis_nn_per_channel_quant_params *quant_params,
                                          const cmsis_nn_dims *input_dims, const int8_t *input,
                                          const cmsis_nn_dims *filter_dims, const int8_t *filter,
                                          const cmsis_nn_dims *bias_dims, const int32_t *bias,
                                          const cmsis_nn_dims *output_dims, int8_t *output)
{
    (void)bias_dims;
    return run(ctx, 0, dw_conv_params->ch_mult, dw_conv_params, quant_params, input_dims, input, filter_dims, filter,
               bias, output_dims, output);
}

static bool lacks_scratch(const cmsis_nn_context *ctx, const cmsis_nn_dims *input_dims,
                          const cmsis_nn_dims *filter_dims)
{
    return !ctx->buf && arm_depthwise_conv_s8_opt_get_buffer_size(input_dims, filter_dims) > 0;
}

arm_cmsis_nn_status arm_depthwise_conv_s8_opt(const cmsis_nn_context *ctx,
                                              const cmsis_nn_dw_conv_params *dw_conv_params,
                                              const cmsis_nn_per_channel_quant_params *quant_params,
                                              const cmsis_nn_dims *input_dims, const int8_t *input,
                                              const cmsis_nn_dims *filter_dims, const int8_t *filter,
                                              const cmsis_nn_dims *bias_dims, const int32_t *bias,
                                              const cmsis_nn_dims *output_dims, int8_t *output)
{
    (void)bias_dims;
    if (lacks_scratch(ctx, input_dims, filter_dims)) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    return run(ctx, arm_depthwise_conv_s8_opt_get_buffer_size(input_dims, filter_dims), 1, dw_conv_params, quant_params,
               input_dims, input, filter_dims, filter, bias, output_dims, output);
}

arm_cmsis_nn_status arm_depthwise_conv_3x3_s8(const cmsis_nn_context *ctx,
                                              const cmsis_nn_dw_conv_params *dw_conv_params,
                                              const cmsis_nn_per_channel_quant_params *quant_params,
                                              const cmsis_nn_dims *input_dims, const int8_t *input,
                                              const cmsis_nn_dims *filter_dims, const int8_t *filter,
                                              const cmsis_nn_dims *bias_dims, const int32_t *bias,
                                              const cmsis_nn_dims *output_dims, int8_t *output)
{
    (void)bias_dims;
    if (dw_conv_params->padding.w > 1 || filter_dims->w != 3 || filter_dims->h != 3) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    return run(ctx, 0, 1, dw_conv_params, quant_params, input_dims, input, filter_dims, filter, bias, output_dims,
               output);
}

// Accepts what the function that CMSIS-NN would choose accepts.
arm_cmsis_nn_status arm_depthwise_conv_wrapper_s8(const cmsis_nn_context *ctx,
                                                  const cmsis_nn_dw_conv_params *dw_conv_params,
                                                  const cmsis_nn_per_channel_quant_params *quant_params,
                                                  const cmsis_nn_dims *input_dims, const int8_t *input,
                                                  const cmsis_nn_dims *filter_dims, const int8_t *filter,
                                                  const cmsis_nn_dims *bias_dims, const int32_t *bias,
                                                  const cmsis_nn_dims *output_dims, int8_t *output)
{
    (void)bias_dims;
    const bool plain = dw_conv_params->ch_mult == 1 && input_dims->n == 1 && dw_conv_params->dilation.w == 1 &&
                       dw_conv_params->dilation.h == 1;
    const bool small =
        filter_dims->w == 3 && filter_dims->h == 3 && dw_conv_params->padding.h <= 1 && dw_conv_params->padding.w <= 1;
    const bool needs_no_scratch = small && !RL_HAS_MVE;
    if (plain && !needs_no_scratch && lacks_scratch(ctx, input_dims, filter_dims)) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    const int32_t announced =
        RL_HAS_MVE ? arm_depthwise_conv_wrapper_s8_get_buffer_size_mve(dw_conv_params, input_dims, filter_dims,
                                                                       output_dims)
                   : 0; // not used
    return run(ctx, announced, dw_conv_params->ch_mult, dw_conv_params, quant_params, input_dims, input, filter_dims,
               filter, bias, output_dims, output);
}
