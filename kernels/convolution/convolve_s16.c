// SPDX-License-Identifier: Apache-2.0
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "arm_nn_convolution_s16.h"
#include "isa.h"
#include "requantize.h"
#include RL_TILE(dot_tile.h)

struct problem {
    const cmsis_nn_conv_params *params;
    const cmsis_nn_per_channel_quant_params *quant;
    const cmsis_nn_dims *input_dims;
    const cmsis_nn_dims *filter_dims;
    const int8_t *filter;
    const cmsis_nn_bias_data *bias;
    int32_t depth;
    int32_t channels; // of the output
};

static int16_t scaled(const struct problem *p, int32_t channel, int64_t sum)
{
    const int32_t multiplier = p->quant->multiplier[channel], shift = p->quant->shift[channel];
    int32_t value;
    if (p->bias->is_int32_bias) {
        const int32_t *bias = p->bias->data;
        const uint32_t biased = (uint32_t)sum + (bias != NULL ? (uint32_t)bias[channel] : 0u);
        value = rl_requantize((int32_t)biased, multiplier, shift);
    } else {
        const int64_t *bias = p->bias->data;
        value = rl_requantize_s64(sum + (bias != NULL ? bias[channel] : 0), rl_reduce_multiplier(multiplier),
                                  shift);
    }
    return (int16_t)rl_clamp_s32(value, p->params->activation.min, p->params->activation.max);
}

// All channels of one output position, two at a time.
static void one_output(const struct problem *p, const int16_t *patch, int16_t *output)
{
    const int8_t *filter = p->filter;
    for (int32_t channel = 0; channel < p->channels; channel += 2) {
        const bool pair = channel + 1 < p->channels;
        int64_t sums[2] = {0, 0};
        rl_dot_s16_s8_pair(patch, filter, pair ? filter + p->depth : filter, p->depth, sums);
        output[channel] = scaled(p, channel, sums[0]);
        if (pair) {
            output[channel + 1] = scaled(p, channel + 1, sums[1]);
        }
        filter += 2 * p->depth;
    }
}

// The inputs under the filter at output (y, x), zeros where it sticks out.
static void copy_patch(const struct problem *p, const int16_t *image, int32_t y, int32_t x, int16_t *patch)
{
    const int32_t pixel = p->input_dims->c;
    const int32_t top = y * p->params->stride.h - p->params->padding.h;
    const int32_t left = x * p->params->stride.w - p->params->padding.w;
    for (int32_t ky = 0; ky < p->filter_dims->h; ky++) {
        const int32_t row = top + ky * p->params->dilation.h;
        for (int32_t kx = 0; kx < p->filter_dims->w; kx++) {
            const int32_t column = left + kx * p->params->dilation.w;
            const bool inside =
                row >= 0 && row < p->input_dims->h && column >= 0 && column < p->input_dims->w;
            const size_t bytes = (size_t)pixel * sizeof *patch;
            if (inside) {
                memcpy(patch, image + (row * p->input_dims->w + column) * pixel, bytes);
            } else {
                memset(patch, 0, bytes);
            }
            patch += pixel;
        }
    }
}

arm_cmsis_nn_status arm_convolve_s16(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                     const cmsis_nn_per_channel_quant_params *quant_params,
                                     const cmsis_nn_dims *input_dims, const int16_t *input_data,
                                     const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                     const cmsis_nn_dims *bias_dims, const cmsis_nn_bias_data *bias_data,
                                     const cmsis_nn_dims *output_dims, int16_t *output_data)
{
    (void)bias_dims;
    if (ctx->buf == NULL) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    const struct problem p = {.params = conv_params,
                              .quant = quant_params,
                              .input_dims = input_dims,
                              .filter_dims = filter_dims,
                              .filter = filter_data,
                              .bias = bias_data,
                              .depth = input_dims->c * filter_dims->h * filter_dims->w,
                              .channels = output_dims->c};
    int16_t *patch = ctx->buf;
    for (int32_t n = 0; n < input_dims->n; n++) {
        for (int32_t y = 0; y < output_dims->h; y++) {
            for (int32_t x = 0; x < output_dims->w; x++) {
                copy_patch(&p, input_data, y, x, patch);
                one_output(&p, patch, output_data);
                output_data += p.channels;
            }
        }
        input_data += input_dims->h * input_dims->w * input_dims->c;
    }
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_convolve_wrapper_s16(const cmsis_nn_context *ctx,
                                             const cmsis_nn_conv_params *conv_params,
                                             const cmsis_nn_per_channel_quant_params *quant_params,
                                             const cmsis_nn_dims *input_dims, const int16_t *input_data,
                                             const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                             const cmsis_nn_dims *bias_dims,
                                             const cmsis_nn_bias_data *bias_data,
                                             const cmsis_nn_dims *output_dims, int16_t *output_data)
{
    return arm_convolve_s16(ctx, conv_params, quant_params, input_dims, input_data, filter_dims, filter_data,
                            bias_dims, bias_data, output_dims, output_data);
}

// Two patches; with Helium four of whole vectors. One is used.
static int32_t size_dsp(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims)
{
    return 2 * input_dims->c * filter_dims->w * filter_dims->h * (int32_t)sizeof(int16_t);
}

static int32_t size_mve(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims)
{
    const int32_t depth = input_dims->c * filter_dims->w * filter_dims->h;
    return 4 * ((depth + 7) / 8 * 8) * (int32_t)sizeof(int16_t);
}

int32_t arm_convolve_s16_get_buffer_size(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims)
{
    return RL_HAS_MVE ? size_mve(input_dims, filter_dims) : size_dsp(input_dims, filter_dims);
}

int32_t arm_convolve_wrapper_s16_get_buffer_size(const cmsis_nn_conv_params *conv_params,
                                                 const cmsis_nn_dims *input_dims,
                                                 const cmsis_nn_dims *filter_dims,
                                                 const cmsis_nn_dims *output_dims)
{
    (void)conv_params;
    (void)output_dims;
    return arm_convolve_s16_get_buffer_size(input_dims, filter_dims);
}

// As in CMSIS-NN, the plain size of the build it is in.
int32_t arm_convolve_wrapper_s16_get_buffer_size_dsp(const cmsis_nn_conv_params *conv_params,
                                                     const cmsis_nn_dims *input_dims,
                                                     const cmsis_nn_dims *filter_dims,
                                                     const cmsis_nn_dims *output_dims)
{
    return arm_convolve_wrapper_s16_get_buffer_size(conv_params, input_dims, filter_dims, output_dims);
}

int32_t arm_convolve_wrapper_s16_get_buffer_size_mve(const cmsis_nn_conv_params *conv_params,
                                                     const cmsis_nn_dims *input_dims,
                                                     const cmsis_nn_dims *filter_dims,
                                                     const cmsis_nn_dims *output_dims)
{
    (void)conv_params;
    (void)output_dims;
    return size_mve(input_dims, filter_dims);
}
