// SPDX-License-Identifier: Apache-2.0
#include <stdbool.h>
#include <stddef.h>

#include "arm_nn_depthwise_s16.h"
#include "cmsis_nn/translate.h"
#include "convolution/output_s16.h"
#include "depthwise/window.h"
#include "isa.h"
#include RL_TILE(depthwise_s16_tile.h)

struct problem {
    const cmsis_nn_dw_conv_params *params;
    const cmsis_nn_dims *input_dims;
    const cmsis_nn_dims *filter_dims;
    const int8_t *filter;
    struct rl_output_s16 scale;
    int32_t channels;                       // of the output
    int32_t first;                          // of those that are run
    int32_t count;                          // how many those are
    struct rl_depthwise_s16_scale prepared; // for them
};

// One output channel of any window, with a 64-bit sum. `input` is its first tap and its input channel.
static int64_t wide_sum(const struct rl_window_s16 *w, const int16_t *input, const int8_t *filter)
{
    int64_t sum = 0;
    for (int32_t y = 0; y < w->rows; y++) {
        for (int32_t x = 0; x < w->columns; x++) {
            sum += input[y * w->input_row + x * w->input_column] * filter[y * w->filter_row + x * w->filter_column];
        }
    }
    return sum;
}

static void one_output(const struct problem *p, const struct rl_window_s16 *w, int16_t *output)
{
    const int32_t multiplier = p->params->ch_mult;
    if (multiplier == 1 && w->rows * w->columns <= RL_WINDOW_S16_LIMIT) {
        rl_depthwise_s16_outputs(w, &p->prepared, &p->scale, p->first, p->count, output);
        return;
    }
    for (int32_t channel = p->first; channel < p->first + p->count; channel++) {
        const int64_t sum = wide_sum(w, w->input + channel / multiplier, w->filter + channel);
        output[channel] = rl_output_s16(&p->scale, channel, sum);
    }
}

static void one_image(const struct problem *p, const cmsis_nn_dims *output_dims, const int16_t *image, int16_t *output)
{
    const cmsis_nn_dw_conv_params *params = p->params;
    const int32_t input_row = p->input_dims->w * p->input_dims->c, filter_row = p->filter_dims->w * p->channels;
    struct rl_window_s16 w = {.input_row = input_row * params->dilation.h,
                              .input_column = p->input_dims->c * params->dilation.w,
                              .filter_row = filter_row,
                              .filter_column = p->channels};
    for (int32_t y = 0; y < output_dims->h; y++) {
        const struct rl_taps rows = rl_taps_of(y * params->stride.h - params->padding.h, params->dilation.h,
                                               p->filter_dims->h, p->input_dims->h);
        w.rows = rows.count;
        for (int32_t x = 0; x < output_dims->w; x++) {
            const struct rl_taps columns = rl_taps_of(x * params->stride.w - params->padding.w, params->dilation.w,
                                                      p->filter_dims->w, p->input_dims->w);
            w.columns = columns.count;
            w.input = image;
            w.filter = p->filter;
            if (w.rows > 0 && w.columns > 0) {
                w.input += rows.input * input_row + columns.input * p->input_dims->c;
                w.filter += rows.first * filter_row + columns.first * p->channels;
            }
            one_output(p, &w, output);
            output += p->channels;
        }
    }
}

arm_cmsis_nn_status arm_depthwise_conv_s16(const cmsis_nn_context *ctx, const cmsis_nn_dw_conv_params *dw_conv_params,
                                           const cmsis_nn_per_channel_quant_params *quant_params,
                                           const cmsis_nn_dims *input_dims, const int16_t *input_data,
                                           const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                           const cmsis_nn_dims *bias_dims, const int64_t *bias_data,
                                           const cmsis_nn_dims *output_dims, int16_t *output_data)
{
    (void)ctx;
    (void)bias_dims;
    struct problem p = {
        .params = dw_conv_params,
        .input_dims = input_dims,
        .filter_dims = filter_dims,
        .filter = filter_data,
        .scale = rl_output_s16_of(rl_scales_of(quant_params), bias_data, rl_range_of(dw_conv_params->activation)),
        .channels = input_dims->c * dw_conv_params->ch_mult};
    if (output_dims->c != p.channels) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    const int32_t input_image = input_dims->h * input_dims->w * input_dims->c;
    const int32_t output_image = output_dims->h * output_dims->w * p.channels;
    const int32_t taps = rl_min_s32(filter_dims->h * filter_dims->w, RL_WINDOW_S16_LIMIT);
    for (p.first = 0; p.first < p.channels; p.first += p.count) {
        p.count = rl_min_s32(p.channels - p.first, RL_DEPTHWISE_S16_BLOCK);
        rl_depthwise_s16_start(&p.prepared, &p.scale, taps, p.first, p.count);
        for (int32_t n = 0; n < input_dims->n; n++) {
            one_image(&p, output_dims, input_data + n * input_image, output_data + n * output_image);
        }
    }
    return ARM_CMSIS_NN_SUCCESS;
}
