// SPDX-License-Identifier: Apache-2.0
#include <stdbool.h>
#include <stddef.h>

#include "arm_nn_convolution_s16.h"
#include "convolution/output_s16.h"
#include "isa.h"
#include RL_TILE(dot_tile.h)
#include RL_TILE(memory_tile.h)
#include RL_TILE(output_s16_tile.h)

struct problem {
    const cmsis_nn_conv_params *params;
    const cmsis_nn_dims *input_dims;
    const cmsis_nn_dims *filter_dims;
    const int8_t *filter;
    const cmsis_nn_bias_data *bias;
    struct rl_output_s16 scale; // with a bias of 64 bits
    int32_t depth;
    int32_t channels; // of the output
};

// Output `channel` from its sum. Not inlined: it is long, and called from many places.
static __attribute__((noinline)) int16_t scaled(const struct problem *p, int32_t channel, int64_t sum)
{
    if (!p->bias->is_int32_bias) {
        return rl_output_s16(&p->scale, channel, sum);
    }
    const int32_t *bias = p->bias->data;
    const uint32_t biased = (uint32_t)sum + (bias != NULL ? (uint32_t)bias[channel] : 0u);
    const int32_t value =
        rl_requantize((int32_t)biased, p->scale.multiplier[channel], p->scale.shift[channel]);
    return (int16_t)rl_clamp_s32(value, p->scale.min, p->scale.max);
}

// Filters so long that their sums need 64 bits: one output position.
static void one_long_output(const struct problem *p, const int16_t *patch, int16_t *output)
{
    const int8_t *filter = p->filter;
    for (int32_t channel = 0; channel < p->channels; channel++) {
        int64_t sums[2] = {0, 0};
        rl_dot_s16_s8_pair(patch, filter, filter, p->depth, sums);
        output[channel] = scaled(p, channel, sums[0]);
        filter += p->depth;
    }
}

// Not inlined: together with the loops around it it has more live values than there are registers.
static __attribute__((noinline)) void sum_2x2(const int16_t *first, const int16_t *second,
                                              const int8_t *filter, const int8_t *next, int32_t depth,
                                              int32_t sums[4])
{
    rl_dot_s16_s8_2x2(first, second, filter, next, depth, sums);
}

// Two neighbouring output positions (the second one not written when `patches` is 1), two channels at a time.
static void two_outputs(const struct problem *p, const int16_t *patch, int32_t patches, int16_t *output)
{
    const int32_t channels = p->channels, depth = p->depth;
    const int16_t *second = patches > 1 ? patch + depth : patch;
    if (depth > RL_DOT_S16_BLOCK) {
        one_long_output(p, patch, output);
        if (patches > 1) {
            one_long_output(p, second, output + channels);
        }
        return;
    }
    const bool blocks = patches > 1 && !p->bias->is_int32_bias;
    const int8_t *filter = p->filter;
    for (int32_t channel = 0; channel < channels; channel += 2, filter += 2 * depth) {
        const int32_t next =
            channel + 1 < channels ? channel + 1 : channel; // repeated, and written twice, at the end
        int32_t sums[4];
        sum_2x2(patch, second, filter, next > channel ? filter + depth : filter, depth, sums);
        if (blocks && rl_output_s16_2x2(&p->scale, channel, next, sums, output, output + channels)) {
            continue;
        }
        output[channel] = scaled(p, channel, sums[0]);
        output[next] = scaled(p, next, sums[1]);
        if (patches > 1) {
            output[channels + channel] = scaled(p, channel, sums[2]);
            output[channels + next] = scaled(p, next, sums[3]);
        }
    }
}

// Elements are copied and cleared as bytes.
static void copy_elements(int16_t *to, const int16_t *from, int32_t count)
{
    rl_copy_s8((int8_t *)to, (const int8_t *)from, 2 * count);
}

static void clear_elements(int16_t *to, int32_t count)
{
    rl_fill_s8((int8_t *)to, 0, 2 * count);
}

// One row of the filter, `row` of the image: a run of pixels with zeros on both sides.
static int16_t *copy_run(const struct problem *p, const int16_t *row, int32_t left, int16_t *patch)
{
    const int32_t pixel = p->input_dims->c, taps = p->filter_dims->w;
    const int32_t before = rl_clamp_s32(-left, 0, taps);
    const int32_t after = rl_clamp_s32(left + taps - p->input_dims->w, 0, taps - before);
    const int32_t run = taps - before - after;
    clear_elements(patch, before * pixel);
    if (run > 0) {
        copy_elements(patch + before * pixel, row + (left + before) * pixel, run * pixel);
    }
    clear_elements(patch + (before + run) * pixel, after * pixel);
    return patch + taps * pixel;
}

// The same with dilation, pixel by pixel.
static int16_t *copy_taps(const struct problem *p, const int16_t *row, int32_t left, int16_t *patch)
{
    const int32_t pixel = p->input_dims->c;
    for (int32_t tap = 0; tap < p->filter_dims->w; tap++) {
        const int32_t column = left + tap * p->params->dilation.w;
        if (column >= 0 && column < p->input_dims->w) {
            copy_elements(patch, row + column * pixel, pixel);
        } else {
            clear_elements(patch, pixel);
        }
        patch += pixel;
    }
    return patch;
}

// The inputs under the filter at output (y, x), zeros where it sticks out.
static void copy_patch(const struct problem *p, const int16_t *image, int32_t y, int32_t x, int16_t *patch)
{
    const int32_t top = y * p->params->stride.h - p->params->padding.h;
    const int32_t left = x * p->params->stride.w - p->params->padding.w;
    const int32_t row_elements = p->input_dims->w * p->input_dims->c;
    const int32_t patch_row = p->filter_dims->w * p->input_dims->c;
    for (int32_t ky = 0; ky < p->filter_dims->h; ky++) {
        const int32_t row = top + ky * p->params->dilation.h;
        if (row < 0 || row >= p->input_dims->h) {
            clear_elements(patch, patch_row);
            patch += patch_row;
        } else if (p->params->dilation.w == 1) {
            patch = copy_run(p, image + row * row_elements, left, patch);
        } else {
            patch = copy_taps(p, image + row * row_elements, left, patch);
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
                              .input_dims = input_dims,
                              .filter_dims = filter_dims,
                              .filter = filter_data,
                              .bias = bias_data,
                              .scale = rl_output_s16_of(quant_params,
                                                        bias_data->is_int32_bias ? NULL : bias_data->data,
                                                        conv_params->activation),
                              .depth = input_dims->c * filter_dims->h * filter_dims->w,
                              .channels = output_dims->c};
    int16_t *patches = ctx->buf;
    int32_t filled = 0;
    for (int32_t n = 0; n < input_dims->n; n++) {
        for (int32_t y = 0; y < output_dims->h; y++) {
            for (int32_t x = 0; x < output_dims->w; x++) {
                copy_patch(&p, input_data, y, x, patches + filled * p.depth);
                if (++filled == 2) {
                    two_outputs(&p, patches, 2, output_data);
                    output_data += 2 * p.channels;
                    filled = 0;
                }
            }
        }
        input_data += input_dims->h * input_dims->w * input_dims->c;
    }
    if (filled > 0) {
        two_outputs(&p, patches, 1, output_data);
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

// Two patches; with Helium four of whole vectors. Two are used.
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
