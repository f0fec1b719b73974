// SPDX-License-Identifier: Apache-2.0
#include <stdbool.h>
#include <stddef.h>

#include "arm_nn_convolution.h"
#include "arm_nn_transpose_convolution.h"
#include "cmsis_nn/translate.h"
#include "convolution/convolution.h"
#include "requantize.h"
#include "transpose_convolution/phases.h"

// CMSIS-NN multiplies with the zeros between the inputs from this many input channels on. Here only the scratch is
// another one: the phases have memory for the filters apart.
enum { REVERSE_MINIMUM_CHANNELS = 17 };

static bool runs_as_convolution(const cmsis_nn_transpose_conv_params *params, const cmsis_nn_dims *input_dims)
{
    return params->stride.w <= 2 && params->stride.h <= 2 && input_dims->c >= REVERSE_MINIMUM_CHANNELS;
}

static cmsis_nn_dims spread_dims(const cmsis_nn_transpose_conv_params *params, const cmsis_nn_dims *dims)
{
    return (cmsis_nn_dims){dims->n, dims->h * params->stride.h, dims->w * params->stride.w, dims->c};
}

// The rows of sums that a kernel going input by input keeps. CMSIS-NN's value, except that it takes the vertical stride
// for the width, which is too little where that is the smaller one.
static int32_t size_of_rows(const cmsis_nn_transpose_conv_params *params, const cmsis_nn_dims *input_dims,
                            const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *out_dims)
{
    const int32_t width = (input_dims->w - 1) * params->stride.w +
                          rl_max_s32(filter_dims->w, rl_max_s32(params->stride.w, params->stride.h));
    const int32_t height = rl_max_s32(filter_dims->h, params->stride.h);
    return width * out_dims->c * height * (int32_t)sizeof(int32_t);
}

int32_t arm_transpose_conv_s8_get_buffer_size(const cmsis_nn_transpose_conv_params *transpose_conv_params,
                                              const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                              const cmsis_nn_dims *out_dims)
{
    if (runs_as_convolution(transpose_conv_params, input_dims)) {
        const cmsis_nn_dims spread = spread_dims(transpose_conv_params, input_dims);
        return arm_convolve_s8_get_buffer_size(&spread, filter_dims);
    }
    return size_of_rows(transpose_conv_params, input_dims, filter_dims, out_dims);
}

int32_t arm_transpose_conv_s8_get_buffer_size_mve(const cmsis_nn_transpose_conv_params *transpose_conv_params,
                                                  const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                  const cmsis_nn_dims *out_dims)
{
    if (runs_as_convolution(transpose_conv_params, input_dims)) {
        const cmsis_nn_dims spread = spread_dims(transpose_conv_params, input_dims);
        return arm_convolve_s8_get_buffer_size_mve(&spread, filter_dims);
    }
    return size_of_rows(transpose_conv_params, input_dims, filter_dims, out_dims);
}

int32_t arm_transpose_conv_s8_get_reverse_conv_buffer_size(const cmsis_nn_transpose_conv_params *transpose_conv_params,
                                                           const cmsis_nn_dims *input_dims,
                                                           const cmsis_nn_dims *filter_dims)
{
    if (runs_as_convolution(transpose_conv_params, input_dims)) {
        return input_dims->c * filter_dims->w * filter_dims->h * filter_dims->n;
    }
    return 0;
}

arm_cmsis_nn_status arm_transpose_conv_wrapper_s8(const cmsis_nn_context *ctx, const cmsis_nn_context *reverse_conv_ctx,
                                                  const cmsis_nn_transpose_conv_params *transpose_conv_params,
                                                  const cmsis_nn_per_channel_quant_params *quant_params,
                                                  const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                  const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                  const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                                  const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    if (!ctx->buf) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    const int32_t patch = filter_dims->h * filter_dims->w * input_dims->c;
    const int32_t reversed = patch * output_dims->c;
    const bool as_convolution = runs_as_convolution(transpose_conv_params, input_dims);
    if (as_convolution && !reverse_conv_ctx->buf) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    const struct rl_transpose_conv t = {transpose_conv_params, quant_params, input_dims,  input_data, filter_dims,
                                        filter_data,           bias_data,    output_dims, output_data};
    const int32_t bytes = rl_scratch_of(ctx, RL_PATCHES * patch).bytes;
    if (!as_convolution || bytes < patch || rl_scratch_of(reverse_conv_ctx, reversed).bytes < reversed ||
        !rl_transpose_conv_has_phases(&t)) {
        return arm_transpose_conv_s8(ctx, reverse_conv_ctx, transpose_conv_params, quant_params, input_dims, input_data,
                                     filter_dims, filter_data, bias_dims, bias_data, output_dims, output_data);
    }
    const struct rl_phase_memory memory = {reverse_conv_ctx->buf, ctx->buf, bytes};
    rl_transpose_conv_run_phases(&t, &memory);
    return ARM_CMSIS_NN_SUCCESS;
}
