// SPDX-License-Identifier: Apache-2.0
// The depthwise convolution with int4 weights: the filter is spread to int8 once, and the int8 kernel runs.
#include <stddef.h>

#include "arm_nn_depthwise_s4.h"
#include "convolution/unpack_s4.h"
#include "depthwise/depthwise.h"
#include "isa.h"

enum {
    STACK_BYTES = 1024,
    MVE_BLOCK = 124, // channels that CMSIS-NN takes at a time on Helium; its scratch is four times that per tap
};

static int32_t opt_size_dsp(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims)
{
    return input_dims->c * filter_dims->w * filter_dims->h * (int32_t)sizeof(int16_t);
}

static int32_t opt_size_mve(const cmsis_nn_dims *filter_dims)
{
    return 4 * MVE_BLOCK * filter_dims->w * filter_dims->h;
}

int32_t arm_depthwise_conv_s4_opt_get_buffer_size(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims)
{
    return RL_HAS_MVE ? opt_size_mve(filter_dims) : opt_size_dsp(input_dims, filter_dims);
}

static bool has_opt_size(const cmsis_nn_dw_conv_params *params, const cmsis_nn_dims *input_dims,
                         const cmsis_nn_dims *output_dims)
{
    return input_dims->c == output_dims->c && input_dims->n == 1 && params->dilation.w == 1 && params->dilation.h == 1;
}

int32_t arm_depthwise_conv_wrapper_s4_get_buffer_size(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                      const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                      const cmsis_nn_dims *output_dims)
{
    return has_opt_size(dw_conv_params, input_dims, output_dims)
               ? arm_depthwise_conv_s4_opt_get_buffer_size(input_dims, filter_dims)
               : 0;
}

// As in CMSIS-NN, the plain size of the build it is in.
int32_t arm_depthwise_conv_wrapper_s4_get_buffer_size_dsp(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                          const cmsis_nn_dims *input_dims,
                                                          const cmsis_nn_dims *filter_dims,
                                                          const cmsis_nn_dims *output_dims)
{
    return arm_depthwise_conv_wrapper_s4_get_buffer_size(dw_conv_params, input_dims, filter_dims, output_dims);
}

int32_t arm_depthwise_conv_wrapper_s4_get_buffer_size_mve(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                          const cmsis_nn_dims *input_dims,
                                                          const cmsis_nn_dims *filter_dims,
                                                          const cmsis_nn_dims *output_dims)
{
    return has_opt_size(dw_conv_params, input_dims, output_dims) ? opt_size_mve(filter_dims) : 0;
}

static int32_t weight_at(const int8_t *packed, int32_t index)
{
    int8_t weight;
    rl_unpack_s4(packed, index, 1, &weight);
    return weight;
}

// Where the next weight is found: see read_weight.
struct weight_walk {
    bool counts; // false: at the index that the shape gives
    bool upper;
    int32_t skipped;
};

// CMSIS-NN reads odd numbers of input channels by counting half bytes, from tap to tap and from channel to channel of
// an output position, and starts each tap at a whole number of bytes. That differs from the layout where taps fall
// outside the image, and with a channel multiplier; programs made for it depend on its results.
static int32_t read_weight(const struct rl_depthwise *d, struct weight_walk *walk, int32_t tap, int32_t channel)
{
    if (!walk->counts) {
        return weight_at(d->filter, tap * d->channels + channel);
    }
    const int32_t byte = tap * (d->input_dims->c / 2 * d->channel_multiplier) + channel / 2 + walk->skipped;
    const int32_t weight = weight_at(d->filter, 2 * byte + (walk->upper ? 1 : 0));
    walk->skipped += walk->upper ? 1 : 0;
    walk->upper = !walk->upper;
    return weight;
}

// One output with weights read one by one. `image` points at the input channel.
static int32_t slow_sum(const struct rl_depthwise *d, const int8_t *image, int32_t y, int32_t x, int32_t channel,
                        struct weight_walk *walk)
{
    const int32_t taps = d->filter_dims->h * d->filter_dims->w;
    int32_t sum = 0;
    walk->skipped = 0;
    for (int32_t tap = 0; tap < taps; tap++) {
        const int32_t ky = tap / d->filter_dims->w, kx = tap % d->filter_dims->w;
        const int32_t row = y * d->params->stride.h - d->params->padding.h + ky * d->params->dilation.h;
        const int32_t column = x * d->params->stride.w - d->params->padding.w + kx * d->params->dilation.w;
        if (row >= 0 && row < d->input_dims->h && column >= 0 && column < d->input_dims->w) {
            const int32_t value = image[(row * d->input_dims->w + column) * d->input_dims->c];
            sum += (value + d->params->input_offset) * read_weight(d, walk, tap, channel);
        }
    }
    walk->upper = walk->upper != (taps % 2 == 0);
    return sum;
}

static void run_slowly(const struct rl_depthwise *d, bool counts)
{
    const int8_t *image = d->input;
    int8_t *output = d->output;
    for (int32_t batch = 0; batch < d->input_dims->n; batch++) {
        for (int32_t y = 0; y < d->output_dims->h; y++) {
            for (int32_t x = 0; x < d->output_dims->w; x++) {
                struct weight_walk walk = {counts, false, 0};
                for (int32_t channel = 0; channel < d->channels; channel++) {
                    const int32_t sum = slow_sum(d, image + channel / d->channel_multiplier, y, x, channel, &walk);
                    *output++ = rl_depthwise_output(d, channel, sum);
                }
            }
        }
        image += d->input_dims->h * d->input_dims->w * d->input_dims->c;
    }
}

// Runs `d`, whose filter holds int4 weights. `bytes` of `weights` are there to spread it; the rest is scratch.
static void run(struct rl_depthwise *d, int8_t *weights, int32_t bytes)
{
    const int32_t count = d->filter_dims->h * d->filter_dims->w * d->channels;
    if (count > bytes) {
        run_slowly(d, false);
        return;
    }
    rl_unpack_s4(d->filter, 0, count, weights);
    d->filter = weights;
    d->work = rl_scratch_rest((struct rl_scratch){weights, bytes}, count);
    rl_depthwise_run(d);
}

arm_cmsis_nn_status arm_depthwise_conv_s4(const cmsis_nn_context *ctx, const cmsis_nn_dw_conv_params *dw_conv_params,
                                          const cmsis_nn_per_channel_quant_params *quant_params,
                                          const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                          const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                          const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                          const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    (void)ctx;
    (void)bias_dims;
    struct rl_depthwise d = {
        .params = dw_conv_params,
        .quant = quant_params,
        .input_dims = input_dims,
        .input = input_data,
        .filter_dims = filter_dims,
        .filter = filter_data,
        .bias = bias_data,
        .output_dims = output_dims,
        .output = output_data,
        .channel_multiplier = dw_conv_params->ch_mult,
        .channels = input_dims->c * dw_conv_params->ch_mult,
    };
    if (output_dims->c != d.channels) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    if (input_dims->c % 2 != 0) {
        run_slowly(&d, true);
        return ARM_CMSIS_NN_SUCCESS;
    }
    int8_t weights[STACK_BYTES];
    run(&d, weights, STACK_BYTES);
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_depthwise_conv_s4_opt(const cmsis_nn_context *ctx,
                                              const cmsis_nn_dw_conv_params *dw_conv_params,
                                              const cmsis_nn_per_channel_quant_params *quant_params,
                                              const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                              const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                              const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                              const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    (void)bias_dims;
    if (input_dims->c != output_dims->c || !ctx->buf) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    cmsis_nn_dw_conv_params params = *dw_conv_params;
    params.dilation = (cmsis_nn_tile){1, 1};
    struct rl_depthwise d = {
        .params = &params,
        .quant = quant_params,
        .input_dims = input_dims,
        .input = input_data,
        .filter_dims = filter_dims,
        .filter = filter_data,
        .bias = bias_data,
        .output_dims = output_dims,
        .output = output_data,
        .channel_multiplier = 1,
        .channels = input_dims->c,
    };
    run(&d, ctx->buf, arm_depthwise_conv_s4_opt_get_buffer_size(input_dims, filter_dims));
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_depthwise_conv_wrapper_s4(const cmsis_nn_context *ctx,
                                                  const cmsis_nn_dw_conv_params *dw_conv_params,
                                                  const cmsis_nn_per_channel_quant_params *quant_params,
                                                  const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                  const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                  const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                                  const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    if (dw_conv_params->ch_mult == 1 && input_dims->n == 1 && dw_conv_params->dilation.w == 1 &&
        dw_conv_params->dilation.h == 1) {
        return arm_depthwise_conv_s4_opt(ctx, dw_conv_params, quant_params, input_dims, input_data, filter_dims,
                                         filter_data, bias_dims, bias_data, output_dims, output_data);
    }
    return arm_depthwise_conv_s4(ctx, dw_conv_params, quant_params, input_dims, input_data, filter_dims, filter_data,
                                 bias_dims, bias_data, output_dims, output_data);
}
