// SPDX-License-Identifier: Apache-2.0
// 1x1 convolutions of one pixel or two as rows of a fully connected layer, and those of few channels, straight from the
// arguments: preparing a convolution takes longer than some of them do.
#ifndef RL_KERNELS_CMSIS_NN_FEW_PIXELS_H
#define RL_KERNELS_CMSIS_NN_FEW_PIXELS_H

#include "cmsis_nn/translate.h"
#include "convolution/choice.h"
#include "convolution/convolution.h"
#include "convolution/few_channels.h"
#include "fully_connected/fully_connected.h"

static inline void rl_pixels_as_rows(const cmsis_nn_conv_params *params, const cmsis_nn_per_channel_quant_params *quant,
                                     const cmsis_nn_dims *input_dims, const int8_t *input, const int8_t *weights,
                                     const int32_t *bias, const cmsis_nn_dims *output_dims, int8_t *output)
{
    struct rl_fully_connected f; // other fields are not read
    f.rows = output_dims->n * output_dims->h * output_dims->w;
    f.depth = input_dims->c;
    f.channels = output_dims->c;
    f.weights = weights;
    f.bias = bias;
    f.scales = rl_scales_of(quant);
    f.scale = (struct rl_scale){0, 0};
    f.input_offset = params->input_offset;
    f.weight_offset = 0;
    f.output_offset = params->output_offset;
    f.range = rl_range_of(params->activation);
    f.folded = NULL;
    rl_fully_connected_begin(&f);
    rl_fully_connected_run(&f, input, output, (struct rl_scratch){NULL, 0});
}

static inline void rl_pixels_of_few_channels(const cmsis_nn_conv_params *params,
                                             const cmsis_nn_per_channel_quant_params *quant,
                                             const cmsis_nn_dims *input_dims, const int8_t *input,
                                             const int8_t *weights, const int32_t *bias,
                                             const cmsis_nn_dims *output_dims, int8_t *output)
{
    struct rl_few_channels f; // other fields are not read
    f.rows = input;
    f.depth = input_dims->c;
    f.step = params->stride.w * f.depth;
    f.count = output_dims->w;
    f.line_step = params->stride.h * input_dims->w * f.depth;
    f.lines = output_dims->h;
    if (params->stride.w == 1 && params->stride.h == 1) {
        f.count *= output_dims->n * output_dims->h;
        f.lines = 1;
    }
    f.channels = output_dims->c;
    f.weights = weights;
    f.bias = bias;
    f.input_offset = params->input_offset;
    f.scales = rl_scales_of(quant);
    f.output_offset = params->output_offset;
    f.range = rl_range_of(params->activation);
    rl_few_channels_run(&f, output);
}

// Whether the pixels of a layer with a stride have inputs under them. Such a layer has one image here.
static inline bool rl_strided_pixels_fit(cmsis_nn_tile stride, const cmsis_nn_dims *input, const cmsis_nn_dims *output,
                                         int32_t pixels)
{
    if (stride.h <= 0 || stride.w <= 0 || input->n != 1 || output->n != 1) {
        return false;
    }
    if (!RL_HAS_MVE || pixels == 1) {
        return pixels == 1 && input->h > 0 && input->w > 0;
    }
    return (int64_t)(output->h - 1) * stride.h < input->h && (int64_t)(output->w - 1) * stride.w < input->w;
}

// Runs a layer of 1x1 filters that is one of these, in the way that rl_convolution_run would take; else returns false.
// What it refuses is left to it. Only Helium has loops for few channels.
static inline bool rl_run_few_pixels(const cmsis_nn_conv_params *params, const cmsis_nn_per_channel_quant_params *quant,
                                     const cmsis_nn_dims *input_dims, const int8_t *input,
                                     const cmsis_nn_dims *filter_dims, const int8_t *weights, const int32_t *bias,
                                     const cmsis_nn_dims *output_dims, int8_t *output)
{
    const int32_t pixels = output_dims->n * output_dims->h * output_dims->w, channels = output_dims->c;
    const struct rl_convolution_core here = rl_convolution_core_here();
    const bool few_channels =
        RL_HAS_MVE && channels > 0 &&
        (channels <= RL_CONVOLUTION_FEW_CHANNELS || rl_convolution_are_few_rows(pixels, channels, here));
    const bool one_channel = !RL_HAS_DSP && channels == 1; // whose filter is the row
    const bool as_rows = pixels <= (RL_HAS_DSP ? 2 : 8) &&
                         (one_channel || rl_convolution_are_few(pixels, channels, input_dims->c, here));
    if ((!as_rows && !few_channels) || pixels < 1 || filter_dims->c != input_dims->c || params->padding.h != 0 ||
        params->padding.w != 0 || params->dilation.h != 1 || params->dilation.w != 1) {
        return false;
    }
    const bool moves = params->stride.h != 1 || params->stride.w != 1;
    if (moves && channels > RL_CONVOLUTION_FEW_CHANNELS && pixels > 1) {
        return false;
    }
    if (moves ? !rl_strided_pixels_fit(params->stride, input_dims, output_dims, pixels)
              : input_dims->n * input_dims->h * input_dims->w != pixels) {
        return false;
    }
    if (as_rows && (pixels == 1 || (!moves && !few_channels))) {
        rl_pixels_as_rows(params, quant, input_dims, input, weights, bias, output_dims, output);
    } else if (few_channels) {
        rl_pixels_of_few_channels(params, quant, input_dims, input, weights, bias, output_dims, output);
    } else {
        return false;
    }
    return true;
}

#endif
