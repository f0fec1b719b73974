// SPDX-License-Identifier: Apache-2.0
// Output by output: the sum of one output is complete before it is scaled, so nothing needs to be kept
// between them.
#include <stdbool.h>
#include <stddef.h>

#include "arm_nn_transpose_convolution.h"
#include "isa.h"
#include "requantize.h"
#include RL_TILE(dot_tile.h)

struct problem {
    const cmsis_nn_transpose_conv_params *params;
    const cmsis_nn_per_channel_quant_params *quant;
    const cmsis_nn_dims *input_dims;
    const cmsis_nn_dims *filter_dims;
    const int8_t *filter;
    const int32_t *bias; // may be NULL
    int32_t channels;    // of the output
};

// The filter taps of one output on one axis that meet an input: first, first + stride, ... The first meets
// input `input`, the others the inputs before it.
struct taps {
    int32_t first;
    int32_t count;
    int32_t input;
};

static struct taps taps_of(int32_t output, int32_t padding, int32_t stride, int32_t window, int32_t size)
{
    const int32_t position = output + padding;
    const int32_t lowest = rl_max_s32(position - (size - 1) * stride, 0);
    const int32_t first = lowest + (position - lowest) % stride;
    const int32_t last = rl_min_s32(position, window - 1);
    const int32_t count = position < 0 || first > last ? 0 : (last - first) / stride + 1;
    return (struct taps){first, count, (position - first) / stride};
}

static int8_t scaled(const struct problem *p, int32_t channel, int32_t sum)
{
    const int32_t value = rl_requantize(sum, p->quant->multiplier[channel], p->quant->shift[channel]);
    const cmsis_nn_activation *limits = &p->params->activation;
    return (int8_t)rl_clamp_s32(value + p->params->output_offset, limits->min, limits->max);
}

// All channels of one output position, two at a time.
static void one_output(const struct problem *p, const int8_t *image, struct taps rows, struct taps columns,
                       int8_t *output)
{
    const int32_t depth = p->input_dims->c, row_bytes = p->input_dims->w * depth;
    const int32_t filter_bytes = p->filter_dims->h * p->filter_dims->w * depth;
    const int8_t *pixel = image + rows.input * row_bytes + columns.input * depth;
    const int8_t *tap = p->filter + (rows.first * p->filter_dims->w + columns.first) * depth;
    for (int32_t channel = 0; channel < p->channels; channel += 2) {
        const bool pair = channel + 1 < p->channels;
        const int32_t next = pair ? filter_bytes : 0;
        int32_t sums[2] = {0, 0};
        if (p->bias != NULL) {
            sums[0] = p->bias[channel];
            sums[1] = p->bias[channel + (pair ? 1 : 0)];
        }
        for (int32_t y = 0; y < rows.count; y++) {
            const int8_t *x_data = pixel - y * row_bytes;
            const int8_t *w_data = tap + y * p->params->stride.h * p->filter_dims->w * depth;
            for (int32_t x = 0; x < columns.count; x++) {
                rl_dot_s8_s8_pair(x_data, p->params->input_offset, w_data, w_data + next, depth, sums);
                x_data -= depth;
                w_data += p->params->stride.w * depth;
            }
        }
        output[channel] = scaled(p, channel, sums[0]);
        if (pair) {
            output[channel + 1] = scaled(p, channel + 1, sums[1]);
        }
        tap += 2 * filter_bytes;
    }
}

arm_cmsis_nn_status arm_transpose_conv_s8(const cmsis_nn_context *ctx, const cmsis_nn_context *output_ctx,
                                          const cmsis_nn_transpose_conv_params *transpose_conv_params,
                                          const cmsis_nn_per_channel_quant_params *quant_params,
                                          const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                          const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                          const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                          const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    (void)ctx;
    (void)output_ctx;
    (void)bias_dims;
    const struct problem p = {transpose_conv_params, quant_params, input_dims,    filter_dims,
                              filter_data,           bias_data,    output_dims->c};
    const cmsis_nn_tile stride = transpose_conv_params->stride, padding = transpose_conv_params->padding;
    for (int32_t n = 0; n < input_dims->n; n++) {
        for (int32_t y = 0; y < output_dims->h; y++) {
            const struct taps rows = taps_of(y, padding.h, stride.h, filter_dims->h, input_dims->h);
            for (int32_t x = 0; x < output_dims->w; x++) {
                const struct taps columns = taps_of(x, padding.w, stride.w, filter_dims->w, input_dims->w);
                one_output(&p, input_data, rows, columns, output_data);
                output_data += p.channels;
            }
        }
        input_data += input_dims->h * input_dims->w * input_dims->c;
    }
    return ARM_CMSIS_NN_SUCCESS;
}
