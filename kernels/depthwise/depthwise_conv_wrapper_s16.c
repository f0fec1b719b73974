// SPDX-License-Identifier: Apache-2.0
// The choice between the int16 depthwise functions, which differ in what they accept, and their scratch, which is not
// used: sums stay in registers. The sizes are those of CMSIS-NN, which callers may have built in.
#include <stdbool.h>
#include <stddef.h>

#include "arm_nn_depthwise_s16.h"
#include "isa.h"

// Filters from this many taps on are left to the general function.
enum { FAST_TAPS_END = 512 };

static bool is_fast(const cmsis_nn_dw_conv_params *params, const cmsis_nn_dims *filter_dims)
{
    return params->ch_mult == 1 && params->dilation.w == 1 && params->dilation.h == 1 &&
           filter_dims->w * filter_dims->h < FAST_TAPS_END;
}

static int32_t fast_size_dsp(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims)
{
    return input_dims->c * filter_dims->w * filter_dims->h * (int32_t)sizeof(int16_t);
}

static int32_t fast_size_mve(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims)
{
    return 4 * fast_size_dsp(input_dims, filter_dims) + 8;
}

int32_t arm_depthwise_conv_fast_s16_get_buffer_size(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims)
{
    if (RL_HAS_MVE) {
        return fast_size_mve(input_dims, filter_dims);
    }
    return RL_HAS_DSP ? fast_size_dsp(input_dims, filter_dims) : 0;
}

int32_t arm_depthwise_conv_wrapper_s16_get_buffer_size(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                       const cmsis_nn_dims *input_dims,
                                                       const cmsis_nn_dims *filter_dims,
                                                       const cmsis_nn_dims *output_dims)
{
    (void)output_dims;
    return is_fast(dw_conv_params, filter_dims) ? arm_depthwise_conv_fast_s16_get_buffer_size(input_dims, filter_dims)
                                                : 0;
}

int32_t arm_depthwise_conv_wrapper_s16_get_buffer_size_dsp(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                           const cmsis_nn_dims *input_dims,
                                                           const cmsis_nn_dims *filter_dims,
                                                           const cmsis_nn_dims *output_dims)
{
    (void)output_dims;
    return is_fast(dw_conv_params, filter_dims) ? fast_size_dsp(input_dims, filter_dims) : 0;
}

int32_t arm_depthwise_conv_wrapper_s16_get_buffer_size_mve(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                           const cmsis_nn_dims *input_dims,
                                                           const cmsis_nn_dims *filter_dims,
                                                           const cmsis_nn_dims *output_dims)
{
    (void)output_dims;
    return is_fast(dw_conv_params, filter_dims) ? fast_size_mve(input_dims, filter_dims) : 0;
}

arm_cmsis_nn_status arm_depthwise_conv_fast_s16(const cmsis_nn_context *ctx,
                                                const cmsis_nn_dw_conv_params *dw_conv_params,
                                                const cmsis_nn_per_channel_quant_params *quant_params,
                                                const cmsis_nn_dims *input_dims, const int16_t *input_data,
                                                const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                const cmsis_nn_dims *bias_dims, const int64_t *bias_data,
                                                const cmsis_nn_dims *output_dims, int16_t *output_data)
{
    if (input_dims->c != output_dims->c || filter_dims->w * filter_dims->h >= FAST_TAPS_END) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    if (!ctx->buf && arm_depthwise_conv_fast_s16_get_buffer_size(input_dims, filter_dims) > 0) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    cmsis_nn_dw_conv_params params = *dw_conv_params;
    params.ch_mult = 1; // equal channels leave no other
    return arm_depthwise_conv_s16(ctx, &params, quant_params, input_dims, input_data, filter_dims, filter_data,
                                  bias_dims, bias_data, output_dims, output_data);
}

arm_cmsis_nn_status arm_depthwise_conv_wrapper_s16(const cmsis_nn_context *ctx,
                                                   const cmsis_nn_dw_conv_params *dw_conv_params,
                                                   const cmsis_nn_per_channel_quant_params *quant_params,
                                                   const cmsis_nn_dims *input_dims, const int16_t *input_data,
                                                   const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                   const cmsis_nn_dims *bias_dims, const int64_t *bias_data,
                                                   const cmsis_nn_dims *output_dims, int16_t *output_data)
{
    if (is_fast(dw_conv_params, filter_dims)) {
        return arm_depthwise_conv_fast_s16(ctx, dw_conv_params, quant_params, input_dims, input_data, filter_dims,
                                           filter_data, bias_dims, bias_data, output_dims, output_data);
    }
    return arm_depthwise_conv_s16(ctx, dw_conv_params, quant_params, input_dims, input_data, filter_dims, filter_data,
                                  bias_dims, bias_data, output_dims, output_data);
}
