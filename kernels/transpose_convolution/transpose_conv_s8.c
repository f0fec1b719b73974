// SPDX-License-Identifier: Apache-2.0
// Output by output: the sum of one output is complete before it is scaled, so nothing needs to be kept between them.
#include <stdbool.h>
#include <stddef.h>

#include "arm_nn_transpose_convolution.h"
#include "cmsis_nn/translate.h"
#include "convolution/convolution.h"
#include "isa.h"
#include "requantize.h"
#include "transpose_convolution/phases.h"
#include RL_TILE(dot_tile.h)

// The filter taps of one output on one axis that meet an input: first, first + stride, ... The first meets input
// `input`, the others the inputs before it.
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

static int8_t scaled(const struct rl_transpose_conv *t, int32_t channel, int32_t sum)
{
    const int32_t value = rl_requantize(sum, t->quant->multiplier[channel], t->quant->shift[channel]);
    const cmsis_nn_activation *limits = &t->params->activation;
    return (int8_t)rl_clamp_s32(value + t->params->output_offset, limits->min, limits->max);
}

// All channels of one output position, two at a time.
static void one_output(const struct rl_transpose_conv *t, const int8_t *image, struct taps rows, struct taps columns,
                       int8_t *output)
{
    const int32_t depth = t->input_dims->c, row_bytes = t->input_dims->w * depth;
    const int32_t filter_bytes = t->filter_dims->h * t->filter_dims->w * depth;
    const int8_t *pixel = image + rows.input * row_bytes + columns.input * depth;
    const int8_t *tap = t->filter + (rows.first * t->filter_dims->w + columns.first) * depth;
    for (int32_t channel = 0; channel < t->output_dims->c; channel += 2) {
        const bool pair = channel + 1 < t->output_dims->c;
        const int32_t next = pair ? filter_bytes : 0;
        int32_t sums[2] = {0, 0};
        if (t->bias) {
            sums[0] = t->bias[channel];
            sums[1] = t->bias[channel + (pair ? 1 : 0)];
        }
        for (int32_t y = 0; y < rows.count; y++) {
            const int8_t *x_data = pixel - y * row_bytes;
            const int8_t *w_data = tap + y * t->params->stride.h * t->filter_dims->w * depth;
            for (int32_t x = 0; x < columns.count; x++) {
                rl_dot_s8_s8_pair(x_data, t->params->input_offset, w_data, w_data + next, depth, sums);
                x_data -= depth;
                w_data += t->params->stride.w * depth;
            }
        }
        output[channel] = scaled(t, channel, sums[0]);
        if (pair) {
            output[channel + 1] = scaled(t, channel + 1, sums[1]);
        }
        tap += 2 * filter_bytes;
    }
}

static void run_by_output(const struct rl_transpose_conv *t)
{
    const cmsis_nn_tile stride = t->params->stride, padding = t->params->padding;
    const int8_t *image = t->input;
    int8_t *output = t->output;
    for (int32_t n = 0; n < t->input_dims->n; n++) {
        for (int32_t y = 0; y < t->output_dims->h; y++) {
            const struct taps rows = taps_of(y, padding.h, stride.h, t->filter_dims->h, t->input_dims->h);
            for (int32_t x = 0; x < t->output_dims->w; x++) {
                const struct taps columns = taps_of(x, padding.w, stride.w, t->filter_dims->w, t->input_dims->w);
                one_output(t, image, rows, columns, output);
                output += t->output_dims->c;
            }
        }
        image += t->input_dims->h * t->input_dims->w * t->input_dims->c;
    }
}

// What the caller must have given unless ctx->size says less: see arm_transpose_conv_s8_get_buffer_size.
static int32_t announced_bytes(const cmsis_nn_transpose_conv_params *params, const cmsis_nn_dims *input_dims,
                               const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims)
{
    const int32_t width = (input_dims->w - 1) * params->stride.w + rl_max_s32(filter_dims->w, params->stride.w);
    const int32_t rows =
        width * output_dims->c * rl_max_s32(filter_dims->h, params->stride.h) * (int32_t)sizeof(int32_t);
    return rl_min_s32(rows, arm_transpose_conv_s8_get_buffer_size(params, input_dims, filter_dims, output_dims));
}

arm_cmsis_nn_status arm_transpose_conv_s8(const cmsis_nn_context *ctx, const cmsis_nn_context *output_ctx,
                                          const cmsis_nn_transpose_conv_params *transpose_conv_params,
                                          const cmsis_nn_per_channel_quant_params *quant_params,
                                          const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                          const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                          const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                          const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    (void)output_ctx;
    (void)bias_dims;
    const struct rl_transpose_conv t = {transpose_conv_params, quant_params, input_dims,  input_data, filter_dims,
                                        filter_data,           bias_data,    output_dims, output_data};
    const int32_t bytes =
        rl_scratch_of(ctx, announced_bytes(transpose_conv_params, input_dims, filter_dims, output_dims)).bytes;
    const int64_t depth = rl_transpose_conv_phase_depth(&t);
    if (!ctx->buf || !rl_transpose_conv_has_phases(&t) || depth * (output_dims->c + RL_PATCHES) > bytes) {
        run_by_output(&t);
        return ARM_CMSIS_NN_SUCCESS;
    }
    const int32_t filters = (int32_t)depth * output_dims->c;
    const struct rl_phase_memory memory = {ctx->buf, (int8_t *)ctx->buf + filters, bytes - filters};
    rl_transpose_conv_run_phases(&t, &memory);
    return ARM_CMSIS_NN_SUCCESS;
}
