// SPDX-License-Identifier: Apache-2.0
// arm_convolve_s8: any filter, stride, dilation, number of groups; patches are copied to the scratch, one by one when
// it is smaller than announced.
#include "arm_nn_convolution.h"

#include "cmsis_nn/translate.h"
#include "convolution/convolution.h"
#include "scratch.h"

arm_cmsis_nn_status arm_convolve_s8(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                    const cmsis_nn_per_channel_quant_params *quant_params,
                                    const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                    const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                    const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                    const cmsis_nn_dims *upscale_dims, const cmsis_nn_dims *output_dims,
                                    int8_t *output_data)
{
    (void)bias_dims;
    if (!ctx->buf || filter_dims->c <= 0) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    const int32_t groups = input_dims->c / filter_dims->c;
    if (groups == 0 || input_dims->c % groups != 0 || output_dims->c % groups != 0) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    const int32_t patch = filter_dims->h * filter_dims->w * filter_dims->c;
    const int32_t scratch = rl_scratch_of(ctx, RL_PATCHES * patch).bytes;
    if (scratch < patch) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    struct rl_convolution c = rl_convolution_of(conv_params, quant_params, input_dims, input_data, filter_dims,
                                                filter_data, bias_data, output_dims, output_data);
    c.groups = groups;
    c.upscale_h = upscale_dims && upscale_dims->h == 2;
    c.upscale_w = upscale_dims && upscale_dims->w == 2;
    c.rows_are_runs = conv_params->dilation.h == 1 && !c.upscale_h && !c.upscale_w &&
                      (filter_dims->w == 1 || (c.rows_are_runs && groups == 1));
    c.one_patch = scratch < RL_PATCHES * patch;
    c.scratch = ctx->buf;
    c.work = rl_scratch_rest((struct rl_scratch){c.scratch, scratch}, RL_PATCHES * patch);
    rl_convolution_run(&c);
    return ARM_CMSIS_NN_SUCCESS;
}
