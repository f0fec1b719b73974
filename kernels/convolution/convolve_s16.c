// SPDX-License-Identifier: Apache-2.0
#include <stdbool.h>
#include <stddef.h>

#include "arm_nn_convolution_s16.h"
#include "convolution/output_s16.h"
#include "convolution/patch.h"
#include "isa.h"
#include RL_TILE(dot_tile.h)
#include RL_TILE(output_s16_tile.h)

// Some channels of a convolution, first to first + channels.
struct problem {
    const int8_t *filter;
    const cmsis_nn_bias_data *bias;
    struct rl_output_s16 scale; // with a bias of 64 bits
    int32_t depth;
    int32_t first;
    int32_t channels;
    int32_t output_step; // from one position to the next
};

// Output `channel` from its sum.
static inline __attribute__((always_inline)) int16_t scaled(const struct problem *p, int32_t channel, int64_t sum)
{
    if (!p->bias->is_int32_bias) {
        return rl_output_s16(&p->scale, channel, sum);
    }
    const int32_t *bias = p->bias->data;
    const uint32_t biased = (uint32_t)sum + (bias ? (uint32_t)bias[p->first + channel] : 0u);
    const int32_t value = rl_requantize((int32_t)biased, p->scale.multiplier[channel], p->scale.shift[channel]);
    return (int16_t)rl_clamp_s32(value, p->scale.min, p->scale.max);
}

// Not inlined: together with the loops around it it has more live values than there are registers.
static __attribute__((noinline)) void sum_2x2(const int16_t *first, const int16_t *second, const int8_t *filter,
                                              const int8_t *next, int32_t depth, int64_t sums[4])
{
    // Parts whose sums fit in 32 bits; mostly there is one.
    int32_t at = 0;
    do {
        int32_t part[4];
        rl_dot_s16_s8_2x2(first + at, second + at, filter + at, next + at, rl_min_s32(depth - at, RL_DOT_S16_BLOCK),
                          part);
        for (int32_t i = 0; i < 4; i++) {
            sums[i] = at == 0 ? part[i] : sums[i] + part[i];
        }
        at += RL_DOT_S16_BLOCK;
    } while (at < depth);
}

// Two neighbouring output positions (the second one not written when `patches` is 1), two channels at a time.
static void two_outputs(const struct problem *p, const int16_t *patch, int32_t patches, int16_t *output)
{
    const int32_t channels = p->channels, depth = p->depth, step = p->output_step;
    const int16_t *second = patches > 1 ? patch + depth : patch;
    const int8_t *filter = p->filter;
    for (int32_t channel = 0; channel < channels; channel += 2, filter += 2 * depth) {
        const int32_t next = channel + 1 < channels ? channel + 1 : channel; // repeated, and written twice, at the end
        int64_t sums[4];
        sum_2x2(patch, second, filter, next > channel ? filter + depth : filter, depth, sums);
        for (int32_t i = 0; i < patches; i++) {
            output[i * step + channel] = scaled(p, channel, sums[2 * i]);
            output[i * step + next] = scaled(p, next, sums[2 * i + 1]);
        }
    }
}

// Up to RL_OUTPUT_S16_POSITIONS neighbouring positions.
static void outputs_of(const struct problem *p, struct rl_outputs_s16 *several, const int16_t *patches, int32_t count,
                       int16_t *output)
{
    if (several->possible && count > 0) {
        const struct rl_patches_s16 filled = {patches, count, p->filter, p->depth, p->channels, p->output_step};
        rl_outputs_s16(several, &p->scale, &filled, output);
        return;
    }
    for (; count > 0; count -= 2, patches += 2 * p->depth, output += 2 * p->output_step) {
        two_outputs(p, patches, rl_min_s32(count, 2), output);
    }
}

// All positions of the channels of `p`. `copy` describes the convolution for the copies of patches.
static void run_channels(const struct problem *p, const struct rl_convolution *copy, int16_t *patches, int16_t *output)
{
    struct rl_outputs_s16 several;
    rl_outputs_s16_start(&several, &p->scale, p->depth, p->channels);
    several.possible = several.possible && !p->bias->is_int32_bias;
    const int8_t *image = copy->input;
    int32_t filled = 0;
    for (int32_t n = 0; n < copy->input_dims->n; n++) {
        for (int32_t y = 0; y < copy->output_dims->h; y++) {
            struct rl_patch_row row;
            rl_patch_row_start(&row, copy, image, y);
            for (int32_t x = 0; x < copy->output_dims->w; x++) {
                rl_patch_copy(&row, x, (int8_t *)(patches + filled * p->depth));
                if (++filled == RL_OUTPUT_S16_POSITIONS) {
                    outputs_of(p, &several, patches, filled, output);
                    output += filled * p->output_step;
                    filled = 0;
                }
            }
        }
        image += (ptrdiff_t)copy->input_dims->h * copy->input_dims->w * copy->input_dims->c;
    }
    outputs_of(p, &several, patches, filled, output);
    if (several.possible) {
        const struct rl_patches_s16 none = {patches, 0, p->filter, p->depth, p->channels, p->output_step};
        rl_outputs_s16_end(&several, &p->scale, &none);
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
    if (!ctx->buf) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    // Patches are copied as those of an int8 convolution with two bytes for each value, padded with zeros.
    const int32_t pixel_bytes = 2 * input_dims->c;
    const cmsis_nn_dims input_bytes = {input_dims->n, input_dims->h, input_dims->w, pixel_bytes};
    const cmsis_nn_dims filter_bytes = {filter_dims->n, filter_dims->h, filter_dims->w, pixel_bytes};
    cmsis_nn_conv_params copy_params = *conv_params;
    copy_params.input_offset = 0;
    const struct rl_convolution copy = {
        .params = &copy_params,
        .input_dims = &input_bytes,
        .input = (const int8_t *)input_data,
        .filter_dims = &filter_bytes,
        .output_dims = output_dims,
        .rows_are_runs = conv_params->dilation.w == 1 && conv_params->dilation.h == 1,
    };
    struct problem p = {
        .bias = bias_data, .depth = input_dims->c * filter_dims->h * filter_dims->w, .output_step = output_dims->c};
    for (int32_t first = 0; first < output_dims->c; first += p.channels) {
        const cmsis_nn_per_channel_quant_params quant = {quant_params->multiplier + first, quant_params->shift + first};
        const int64_t *bias = bias_data->is_int32_bias ? NULL : bias_data->data;
        p.first = first;
        p.channels = rl_min_s32(output_dims->c - first, RL_OUTPUT_S16_CHANNELS);
        p.filter = filter_data + (ptrdiff_t)first * p.depth;
        p.scale = rl_output_s16_of(&quant, bias ? bias + first : NULL, conv_params->activation);
        run_channels(&p, &copy, ctx->buf, output_data + first);
    }
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_convolve_wrapper_s16(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                             const cmsis_nn_per_channel_quant_params *quant_params,
                                             const cmsis_nn_dims *input_dims, const int16_t *input_data,
                                             const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                             const cmsis_nn_dims *bias_dims, const cmsis_nn_bias_data *bias_data,
                                             const cmsis_nn_dims *output_dims, int16_t *output_data)
{
    return arm_convolve_s16(ctx, conv_params, quant_params, input_dims, input_data, filter_dims, filter_data, bias_dims,
                            bias_data, output_dims, output_data);
}

// Two patches; with Helium four of whole vectors, of which three are used.
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
                                                 const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                 const cmsis_nn_dims *output_dims)
{
    (void)conv_params;
    (void)output_dims;
    return arm_convolve_s16_get_buffer_size(input_dims, filter_dims);
}

// As in CMSIS-NN, the plain size of the build it is in.
int32_t arm_convolve_wrapper_s16_get_buffer_size_dsp(const cmsis_nn_conv_params *conv_params,
                                                     const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                     const cmsis_nn_dims *output_dims)
{
    return arm_convolve_wrapper_s16_get_buffer_size(conv_params, input_dims, filter_dims, output_dims);
}

int32_t arm_convolve_wrapper_s16_get_buffer_size_mve(const cmsis_nn_conv_params *conv_params,
                                                     const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                     const cmsis_nn_dims *output_dims)
{
    (void)conv_params;
    (void)output_dims;
    return size_mve(input_dims, filter_dims);
}
