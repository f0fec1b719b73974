// SPDX-License-Identifier: Apache-2.0
// arm_convolve_1_x_n_s8: one input row. With Helium, whose scratch is small here, outputs away from the ends take their
// patches from the input, of which they are contiguous runs. Elsewhere copying all of them is faster: no block of rows
// is left incomplete at the ends.
#include "arm_nn_convolution.h"

#include "cmsis_nn/translate.h"
#include "convolution/convolution.h"
#include "isa.h"

arm_cmsis_nn_status arm_convolve_1_x_n_s8(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                          const cmsis_nn_per_channel_quant_params *quant_params,
                                          const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                          const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                          const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                          const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    if (input_dims->h != 1 || conv_params->dilation.w != 1 || !ctx->buf || conv_params->stride.w == 0 ||
        (conv_params->stride.w * input_dims->c) % 4 != 0) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    if (!RL_HAS_MVE) {
        return arm_convolve_s8(ctx, conv_params, quant_params, input_dims, input_data, filter_dims, filter_data,
                               bias_dims, bias_data, NULL, output_dims, output_data);
    }
    if (filter_dims->h != 1 || filter_dims->c != input_dims->c) {
        return ARM_CMSIS_NN_NO_IMPL_ERROR; // the scratch of this function does not take that
    }
    const int32_t patch = filter_dims->w * filter_dims->c;
    if (rl_scratch_of(ctx, patch).bytes < patch) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    struct rl_convolution c = rl_convolution_of(conv_params, quant_params, input_dims, input_data, filter_dims,
                                                filter_data, bias_data, output_dims, output_data);
    c.rows_are_runs = true; // whatever the vertical dilation: there is one row
    c.scratch = ctx->buf;
    rl_convolution_run_1_x_n(&c);
    return ARM_CMSIS_NN_SUCCESS;
}
