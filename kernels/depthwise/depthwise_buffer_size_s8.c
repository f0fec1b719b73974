// SPDX-License-Identifier: Apache-2.0
// Scratch of the int8 depthwise convolutions: the values of CMSIS-NN, which callers may have built in.
#include "arm_nn_depthwise.h"

#include "arm_nn_convolution.h"
#include "arm_nnsupportfunctions.h"
#include "isa.h"
#include "requantize.h"

// Channels that the Helium kernel of CMSIS-NN copies at a time; four such blocks per tap.
enum { MVE_BLOCK = 124 };

int32_t arm_depthwise_conv_s8_opt_get_buffer_size_dsp(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims)
{
    return input_dims->c * filter_dims->w * filter_dims->h * (int32_t)sizeof(int16_t);
}

int32_t arm_depthwise_conv_s8_opt_get_buffer_size_mve(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims)
{
    (void)input_dims;
    return 4 * MVE_BLOCK * filter_dims->w * filter_dims->h;
}

// One input channel: the scratch of the equivalent convolution and a transposed copy of the filter.
static int32_t one_channel_size_mve(const cmsis_nn_dw_conv_params *params, const cmsis_nn_dims *input_dims,
                                    const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims)
{
    const cmsis_nn_dims conv_filter_dims = {filter_dims->c, filter_dims->h, filter_dims->w, filter_dims->n};
    const cmsis_nn_conv_params conv_params = {
        .stride = params->stride, .padding = params->padding, .dilation = params->dilation};
    return arm_convolve_wrapper_s8_get_buffer_size_mve(&conv_params, input_dims, &conv_filter_dims, output_dims) +
           filter_dims->n * filter_dims->h * filter_dims->w * filter_dims->c;
}

static bool is_one_channel(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *output_dims)
{
    return input_dims->c == 1 && output_dims->c > 1;
}

static bool is_plain(const cmsis_nn_dw_conv_params *params, const cmsis_nn_dims *input_dims,
                     const cmsis_nn_dims *output_dims)
{
    return input_dims->c == output_dims->c && input_dims->n == 1 && params->dilation.w == 1 && params->dilation.h == 1;
}

static bool is_3x3(const cmsis_nn_dw_conv_params *params, const cmsis_nn_dims *filter_dims)
{
    return filter_dims->w == 3 && filter_dims->h == 3 && params->padding.h <= 1 && params->padding.w <= 1;
}

int32_t arm_depthwise_conv_s8_opt_get_buffer_size(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims)
{
    if (RL_HAS_MVE) {
        return arm_depthwise_conv_s8_opt_get_buffer_size_mve(input_dims, filter_dims);
    }
    return RL_HAS_DSP ? arm_depthwise_conv_s8_opt_get_buffer_size_dsp(input_dims, filter_dims) : 0;
}

int32_t arm_depthwise_conv_wrapper_s8_get_buffer_size(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                      const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                      const cmsis_nn_dims *output_dims)
{
    if (RL_HAS_MVE) {
        return arm_depthwise_conv_wrapper_s8_get_buffer_size_mve(dw_conv_params, input_dims, filter_dims, output_dims);
    }
    return RL_HAS_DSP
               ? arm_depthwise_conv_wrapper_s8_get_buffer_size_dsp(dw_conv_params, input_dims, filter_dims, output_dims)
               : 0;
}

int32_t arm_depthwise_conv_wrapper_s8_get_buffer_size_dsp(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                          const cmsis_nn_dims *input_dims,
                                                          const cmsis_nn_dims *filter_dims,
                                                          const cmsis_nn_dims *output_dims)
{
    const bool needs_scratch =
        is_plain(dw_conv_params, input_dims, output_dims) && !is_3x3(dw_conv_params, filter_dims);
    return needs_scratch ? arm_depthwise_conv_s8_opt_get_buffer_size_dsp(input_dims, filter_dims) : 0;
}

int32_t arm_depthwise_conv_wrapper_s8_get_buffer_size_mve(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                          const cmsis_nn_dims *input_dims,
                                                          const cmsis_nn_dims *filter_dims,
                                                          const cmsis_nn_dims *output_dims)
{
    if (is_one_channel(input_dims, output_dims)) {
        return one_channel_size_mve(dw_conv_params, input_dims, filter_dims, output_dims);
    }
    return is_plain(dw_conv_params, input_dims, output_dims)
               ? arm_depthwise_conv_s8_opt_get_buffer_size_mve(input_dims, filter_dims)
               : 0;
}
