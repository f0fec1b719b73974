// SPDX-License-Identifier: Apache-2.0
// The convolutions of CMSIS-NN: what each function accepts, what it announces, and which path it takes.
#include "convolution/convolution.h"

#include "arm_nn_convolution.h"
#include "arm_nn_convolution_s16.h"
#include "arm_nn_convolution_s4.h"
#include "arm_nnsupportfunctions.h"
#include "cmsis_nn/few_pixels.h"
#include "cmsis_nn/translate.h"
#include "isa.h"

// The sizes of filters that see `filter_channels` of the input. Where these do not divide the input's channels,
// `groups` is 0, which rl_convolution_prepare refuses. Fields that others set are left out, because clearing the whole
// struct takes as long as a tiny layer.
static struct rl_convolution sizes_of(enum rl_convolution_type type, const cmsis_nn_dims *input_dims,
                                      const cmsis_nn_dims *filter_dims, int32_t filter_channels)
{
    struct rl_convolution c;
    c.type = type;
    c.spread_h = c.spread_w = false;
    c.input = rl_image_of(input_dims);
    c.filter = (struct rl_extent){filter_dims->h, filter_dims->w};
    c.folded = NULL;
    c.path = RL_CONVOLUTION_PATCHES;
    c.groups = 1;
    if (filter_channels != input_dims->c) {
        const bool divides = filter_channels > 0 && input_dims->c % filter_channels == 0;
        c.groups = divides ? input_dims->c / filter_channels : 0;
    }
    return c;
}

static void set_window(struct rl_convolution *c, const cmsis_nn_conv_params *params, const cmsis_nn_dims *output_dims)
{
    c->output = rl_image_of(output_dims);
    c->stride = rl_extent_of(params->stride);
    c->padding = rl_extent_of(params->padding);
    c->dilation = rl_extent_of(params->dilation);
}

static void set_values(struct rl_convolution *c, const cmsis_nn_conv_params *params,
                       const cmsis_nn_per_channel_quant_params *quant, const int8_t *weights, const int32_t *bias)
{
    c->weights = weights;
    c->bias = bias;
    c->scales = rl_scales_of(quant);
    c->input_offset = params->input_offset;
    c->output_offset = params->output_offset;
    c->range = rl_range_of(params->activation);
}

typedef void convolution_run(const struct rl_convolution *, const int8_t *, int8_t *, struct rl_scratch);

// With filters of 1x1, whatever filter_dims say. With stride 1, pixels are taken one after the other, whatever the
// shapes of input and output.
static arm_cmsis_nn_status run_pointwise(const cmsis_nn_context *ctx, struct rl_convolution *c, const int8_t *input,
                                         int8_t *output, convolution_run *run)
{
    if (c->padding.w != 0 || c->padding.h != 0) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    c->groups = 1;
    c->filter = (struct rl_extent){1, 1};
    if (c->stride.w == 1 && c->stride.h == 1) {
        const int32_t pixels = c->input.n * c->input.h * c->input.w;
        if (pixels > c->output.n * c->output.h * c->output.w) {
            return ARM_CMSIS_NN_FAILURE;
        }
        c->input = (struct rl_image){1, 1, pixels, c->input.c};
        c->output = (struct rl_image){1, 1, pixels, c->output.c};
        rl_convolution_prepare_pixels(c);
    } else if (rl_convolution_prepare_as(c, RL_CONVOLUTION_POINTWISE) != RL_OK) {
        return ARM_CMSIS_NN_FAILURE;
    }
    run(c, input, output, rl_scratch_of(ctx, 0));
    return ARM_CMSIS_NN_SUCCESS;
}

// A prepared layer of int8, whose scratch has the `announced` bytes unless the context says otherwise, and enough for
// one patch.
static arm_cmsis_nn_status run_prepared(const cmsis_nn_context *ctx, const struct rl_convolution *c, int32_t announced,
                                        const int8_t *input, int8_t *output)
{
    const struct rl_scratch scratch = rl_scratch_of(ctx, announced);
    if (scratch.bytes < c->least_scratch) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    rl_convolution_run(c, input, output, scratch);
    return ARM_CMSIS_NN_SUCCESS;
}

static arm_cmsis_nn_status run_patches(const cmsis_nn_context *ctx, struct rl_convolution *c, const int8_t *input,
                                       int8_t *output)
{
    if (!ctx->buf || rl_convolution_prepare_as(c, RL_CONVOLUTION_PATCHES) != RL_OK) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    return run_prepared(ctx, c, RL_PATCHES * c->least_scratch, input, output);
}

// What arm_convolve_1_x_n_s8 and the other 1xN functions accept.
static bool is_strided_row(const struct rl_convolution *c)
{
    return c->input.h == 1 && c->dilation.w == 1 && c->stride.w != 0 && c->stride.w * c->input.c % 4 == 0;
}

static arm_cmsis_nn_status run_row_s8(const cmsis_nn_context *ctx, struct rl_convolution *c, const int8_t *input,
                                      int8_t *output)
{
    if (!is_strided_row(c) || !ctx->buf) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    if (!RL_HAS_MVE) {
        return run_patches(ctx, c, input, output);
    }
    if (c->filter.h != 1 || c->groups != 1) {
        return ARM_CMSIS_NN_NO_IMPL_ERROR; // the scratch of this function is too small for that
    }
    if (rl_convolution_prepare_as(c, RL_CONVOLUTION_ROW) != RL_OK) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    return run_prepared(ctx, c, rl_convolution_announced(c, RL_ISA_MVE), input, output);
}

arm_cmsis_nn_status arm_convolve_s8(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                    const cmsis_nn_per_channel_quant_params *quant_params,
                                    const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                    const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                    const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                    const cmsis_nn_dims *upscale_dims, const cmsis_nn_dims *output_dims,
                                    int8_t *output_data)
{
    (void)bias_dims;
    struct rl_convolution c = sizes_of(RL_CONVOLUTION_S8, input_dims, filter_dims, filter_dims->c);
    set_window(&c, conv_params, output_dims);
    set_values(&c, conv_params, quant_params, filter_data, bias_data);
    c.spread_h = upscale_dims && upscale_dims->h == 2;
    c.spread_w = upscale_dims && upscale_dims->w == 2;
    return run_patches(ctx, &c, input_data, output_data);
}

arm_cmsis_nn_status arm_convolve_1x1_s8(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                        const cmsis_nn_per_channel_quant_params *quant_params,
                                        const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                        const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                        const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                        const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    (void)bias_dims;
    struct rl_convolution c = sizes_of(RL_CONVOLUTION_S8, input_dims, filter_dims, input_dims->c);
    set_window(&c, conv_params, output_dims);
    set_values(&c, conv_params, quant_params, filter_data, bias_data);
    return run_pointwise(ctx, &c, input_data, output_data, rl_convolution_run);
}

arm_cmsis_nn_status arm_convolve_1x1_s8_fast(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                             const cmsis_nn_per_channel_quant_params *quant_params,
                                             const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                             const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                             const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                             const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    if (!arm_nn_is_convolve_1x1_fast(conv_params)) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    return arm_convolve_1x1_s8(ctx, conv_params, quant_params, input_dims, input_data, filter_dims, filter_data,
                               bias_dims, bias_data, output_dims, output_data);
}

arm_cmsis_nn_status arm_convolve_1_x_n_s8(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                          const cmsis_nn_per_channel_quant_params *quant_params,
                                          const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                          const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                          const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                          const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    (void)bias_dims;
    struct rl_convolution c = sizes_of(RL_CONVOLUTION_S8, input_dims, filter_dims, filter_dims->c);
    set_window(&c, conv_params, output_dims);
    set_values(&c, conv_params, quant_params, filter_data, bias_data);
    return run_row_s8(ctx, &c, input_data, output_data);
}

arm_cmsis_nn_status arm_convolve_wrapper_s8(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                            const cmsis_nn_per_channel_quant_params *quant_params,
                                            const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                            const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                            const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                            const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    (void)bias_dims;
    if ((RL_HAS_MVE || !RL_HAS_DSP) && !RL_SMALL && filter_dims->h == 1 && filter_dims->w == 1 &&
        rl_run_few_pixels(conv_params, quant_params, input_dims, input_data, filter_dims, filter_data, bias_data,
                          output_dims, output_data)) {
        return ARM_CMSIS_NN_SUCCESS;
    }
    struct rl_convolution c = sizes_of(RL_CONVOLUTION_S8, input_dims, filter_dims, filter_dims->c);
    set_window(&c, conv_params, output_dims);
    set_values(&c, conv_params, quant_params, filter_data, bias_data);
    switch (rl_convolution_path(&c)) {
    case RL_CONVOLUTION_POINTWISE:
        return run_pointwise(ctx, &c, input_data, output_data, rl_convolution_run);
    case RL_CONVOLUTION_ROW:
        return run_row_s8(ctx, &c, input_data, output_data);
    default:
        return run_patches(ctx, &c, input_data, output_data);
    }
}

// int4 weights, of which every filter sees all channels.
static struct rl_convolution layer_s4(const cmsis_nn_conv_params *params,
                                      const cmsis_nn_per_channel_quant_params *quant, const cmsis_nn_dims *input_dims,
                                      const cmsis_nn_dims *filter_dims, const int8_t *weights, const int32_t *bias,
                                      const cmsis_nn_dims *output_dims)
{
    struct rl_convolution c = sizes_of(RL_CONVOLUTION_S4, input_dims, filter_dims, input_dims->c);
    set_window(&c, params, output_dims);
    set_values(&c, params, quant, weights, bias);
    return c;
}

arm_cmsis_nn_status arm_convolve_s4(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                    const cmsis_nn_per_channel_quant_params *quant_params,
                                    const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                    const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                    const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                    const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    (void)bias_dims;
    struct rl_convolution c =
        layer_s4(conv_params, quant_params, input_dims, filter_dims, filter_data, bias_data, output_dims);
    if (!ctx->buf || rl_convolution_prepare_as(&c, RL_CONVOLUTION_PATCHES) != RL_OK) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    rl_convolution_s4_run(&c, input_data, output_data, rl_scratch_of(ctx, rl_convolution_announced(&c, RL_ISA_DSP)));
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_convolve_even_s4(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                         const cmsis_nn_per_channel_quant_params *quant_params,
                                         const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                         const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                         const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                         const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    if (!RL_HAS_MVE) {
        return ARM_CMSIS_NN_NO_IMPL_ERROR;
    }
    if ((filter_dims->w * filter_dims->h * input_dims->c) & 1) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    return arm_convolve_s4(ctx, conv_params, quant_params, input_dims, input_data, filter_dims, filter_data, bias_dims,
                           bias_data, output_dims, output_data);
}

arm_cmsis_nn_status arm_convolve_1x1_s4(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                        const cmsis_nn_per_channel_quant_params *quant_params,
                                        const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                        const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                        const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                        const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    (void)bias_dims;
    struct rl_convolution c =
        layer_s4(conv_params, quant_params, input_dims, filter_dims, filter_data, bias_data, output_dims);
    return run_pointwise(ctx, &c, input_data, output_data, rl_convolution_s4_run);
}

arm_cmsis_nn_status arm_convolve_1x1_s4_fast(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                             const cmsis_nn_per_channel_quant_params *quant_params,
                                             const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                             const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                             const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                             const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    if (!arm_nn_is_convolve_1x1_fast(conv_params)) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    return arm_convolve_1x1_s4(ctx, conv_params, quant_params, input_dims, input_data, filter_dims, filter_data,
                               bias_dims, bias_data, output_dims, output_data);
}

arm_cmsis_nn_status arm_convolve_1_x_n_s4(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                          const cmsis_nn_per_channel_quant_params *quant_params,
                                          const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                          const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                          const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                          const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    (void)bias_dims;
    struct rl_convolution c =
        layer_s4(conv_params, quant_params, input_dims, filter_dims, filter_data, bias_data, output_dims);
    if (!is_strided_row(&c) || rl_convolution_prepare_as(&c, RL_CONVOLUTION_ROW) != RL_OK) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    const int32_t announced = rl_convolution_announced(&c, RL_ISA_HERE);
    if (announced > 0 && !ctx->buf) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    rl_convolution_s4_run(&c, input_data, output_data,
                          announced > 0 ? rl_scratch_of(ctx, announced) : (struct rl_scratch){0});
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_convolve_wrapper_s4(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                            const cmsis_nn_per_channel_quant_params *quant_params,
                                            const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                            const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                            const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                            const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    if (arm_nn_is_convolve_1x1(conv_params, input_dims, filter_dims)) {
        return arm_convolve_1x1_s4(ctx, conv_params, quant_params, input_dims, input_data, filter_dims, filter_data,
                                   bias_dims, bias_data, output_dims, output_data);
    }
    if (arm_nn_is_convolve_1_x_n(conv_params, input_dims, filter_dims)) {
        return arm_convolve_1_x_n_s4(ctx, conv_params, quant_params, input_dims, input_data, filter_dims, filter_data,
                                     bias_dims, bias_data, output_dims, output_data);
    }
    return arm_convolve_s4(ctx, conv_params, quant_params, input_dims, input_data, filter_dims, filter_data, bias_dims,
                           bias_data, output_dims, output_data);
}

arm_cmsis_nn_status arm_convolve_s16(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                     const cmsis_nn_per_channel_quant_params *quant_params,
                                     const cmsis_nn_dims *input_dims, const int16_t *input_data,
                                     const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                     const cmsis_nn_dims *bias_dims, const cmsis_nn_bias_data *bias_data,
                                     const cmsis_nn_dims *output_dims, int16_t *output_data)
{
    (void)bias_dims;
    const enum rl_convolution_type type = bias_data->is_int32_bias ? RL_CONVOLUTION_S16 : RL_CONVOLUTION_S16_WIDE;
    struct rl_convolution c = sizes_of(type, input_dims, filter_dims, input_dims->c);
    set_window(&c, conv_params, output_dims);
    set_values(&c, conv_params, quant_params, filter_data, bias_data->data);
    if (!ctx->buf || rl_convolution_prepare(&c) != RL_OK) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    rl_convolution_s16_run(&c, input_data, output_data, rl_scratch_of(ctx, c.least_scratch));
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

// The scratch that the function for any filter announces. It does not know stride and padding.
static int32_t size_of_patches(enum rl_convolution_type type, const cmsis_nn_dims *input_dims,
                               const cmsis_nn_dims *filter_dims, enum rl_isa isa)
{
    const struct rl_convolution c = sizes_of(type, input_dims, filter_dims, input_dims->c);
    return rl_convolution_announced(&c, isa);
}

static int32_t size_of_row(enum rl_convolution_type type, const cmsis_nn_conv_params *params,
                           const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                           const cmsis_nn_dims *output_dims)
{
    struct rl_convolution c = sizes_of(type, input_dims, filter_dims, input_dims->c);
    set_window(&c, params, output_dims);
    c.path = RL_CONVOLUTION_ROW;
    return rl_convolution_announced(&c, RL_ISA_HERE);
}

// The scratch that a wrapper announces.
static int32_t size_of(enum rl_convolution_type type, const cmsis_nn_conv_params *params,
                       const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                       const cmsis_nn_dims *output_dims, enum rl_isa isa)
{
    struct rl_convolution c = sizes_of(type, input_dims, filter_dims, filter_dims->c);
    set_window(&c, params, output_dims);
    c.path = rl_convolution_path(&c);
    return rl_convolution_announced(&c, isa);
}

int32_t arm_convolve_s8_get_buffer_size(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims)
{
    return size_of_patches(RL_CONVOLUTION_S8, input_dims, filter_dims, RL_ISA_HERE);
}

int32_t arm_convolve_s8_get_buffer_size_mve(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims)
{
    return size_of_patches(RL_CONVOLUTION_S8, input_dims, filter_dims, RL_ISA_MVE);
}

int32_t arm_convolve_1x1_s8_fast_get_buffer_size(const cmsis_nn_dims *input_dims)
{
    (void)input_dims;
    return 0;
}

int32_t arm_convolve_1_x_n_s8_get_buffer_size(const cmsis_nn_conv_params *conv_params, const cmsis_nn_dims *input_dims,
                                              const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims)
{
    return size_of_row(RL_CONVOLUTION_S8, conv_params, input_dims, filter_dims, output_dims);
}

int32_t arm_convolve_wrapper_s8_get_buffer_size(const cmsis_nn_conv_params *conv_params,
                                                const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                const cmsis_nn_dims *output_dims)
{
    return size_of(RL_CONVOLUTION_S8, conv_params, input_dims, filter_dims, output_dims, RL_ISA_HERE);
}

int32_t arm_convolve_wrapper_s8_get_buffer_size_mve(const cmsis_nn_conv_params *conv_params,
                                                    const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                    const cmsis_nn_dims *output_dims)
{
    return size_of(RL_CONVOLUTION_S8, conv_params, input_dims, filter_dims, output_dims, RL_ISA_MVE);
}

// As in CMSIS-NN, _dsp here and below is the plain size of this build.
int32_t arm_convolve_wrapper_s8_get_buffer_size_dsp(const cmsis_nn_conv_params *conv_params,
                                                    const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                    const cmsis_nn_dims *output_dims)
{
    return arm_convolve_wrapper_s8_get_buffer_size(conv_params, input_dims, filter_dims, output_dims);
}

// The same on every core: four patches of int8 fit as well.
int32_t arm_convolve_s4_get_buffer_size(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims)
{
    return size_of_patches(RL_CONVOLUTION_S4, input_dims, filter_dims, RL_ISA_DSP);
}

int32_t arm_convolve_1x1_s4_fast_get_buffer_size(const cmsis_nn_dims *input_dims)
{
    (void)input_dims;
    return 0;
}

int32_t arm_convolve_1_x_n_s4_get_buffer_size(const cmsis_nn_conv_params *conv_params, const cmsis_nn_dims *input_dims,
                                              const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims)
{
    return size_of_row(RL_CONVOLUTION_S4, conv_params, input_dims, filter_dims, output_dims);
}

int32_t arm_convolve_wrapper_s4_get_buffer_size(const cmsis_nn_conv_params *conv_params,
                                                const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                const cmsis_nn_dims *output_dims)
{
    return size_of(RL_CONVOLUTION_S4, conv_params, input_dims, filter_dims, output_dims, RL_ISA_HERE);
}

int32_t arm_convolve_wrapper_s4_get_buffer_size_mve(const cmsis_nn_conv_params *conv_params,
                                                    const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                    const cmsis_nn_dims *output_dims)
{
    return size_of(RL_CONVOLUTION_S4, conv_params, input_dims, filter_dims, output_dims, RL_ISA_MVE);
}

int32_t arm_convolve_wrapper_s4_get_buffer_size_dsp(const cmsis_nn_conv_params *conv_params,
                                                    const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                    const cmsis_nn_dims *output_dims)
{
    return arm_convolve_wrapper_s4_get_buffer_size(conv_params, input_dims, filter_dims, output_dims);
}

int32_t arm_convolve_s16_get_buffer_size(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims)
{
    return size_of_patches(RL_CONVOLUTION_S16, input_dims, filter_dims, RL_ISA_HERE);
}

int32_t arm_convolve_wrapper_s16_get_buffer_size(const cmsis_nn_conv_params *conv_params,
                                                 const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                 const cmsis_nn_dims *output_dims)
{
    (void)conv_params, (void)output_dims;
    return arm_convolve_s16_get_buffer_size(input_dims, filter_dims);
}

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
    (void)conv_params, (void)output_dims;
    return size_of_patches(RL_CONVOLUTION_S16, input_dims, filter_dims, RL_ISA_MVE);
}
