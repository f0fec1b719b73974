// SPDX-License-Identifier: Apache-2.0
// 1x1 convolutions of one pixel or two as rows of a fully connected layer, straight from the arguments: preparing a
// convolution takes longer than some of them do.
#ifndef RL_KERNELS_CMSIS_NN_FEW_PIXELS_H
#define RL_KERNELS_CMSIS_NN_FEW_PIXELS_H

#include "cmsis_nn/translate.h"
#include "convolution/choice.h"
#include "fully_connected/fully_connected.h"

// Whether rl_convolution_run would take them for such rows. What it refuses or takes otherwise is left to it.
static inline bool rl_are_few_pixels(const cmsis_nn_conv_params *params, const cmsis_nn_dims *input,
                                     const cmsis_nn_dims *filter, const cmsis_nn_dims *output,
                                     struct rl_convolution_core core)
{
    const int32_t pixels = output->n * output->h * output->w;
    if (pixels < 1 || pixels > 2 || filter->h != 1 || filter->w != 1 || filter->c != input->c) {
        return false;
    }
    const cmsis_nn_tile stride = params->stride;
    const bool moves = stride.h != 1 || stride.w != 1;
    const bool same = !moves && input->n * input->h * input->w == pixels;
    const bool first =
        moves && pixels == 1 && stride.h > 0 && stride.w > 0 && input->n == 1 && input->h > 0 && input->w > 0;
    return (same || first) && params->padding.h == 0 && params->padding.w == 0 && params->dilation.h == 1 &&
           params->dilation.w == 1 && rl_convolution_are_few(pixels, output->c, input->c, core);
}

static inline void rl_few_pixels_run(const cmsis_nn_conv_params *params, const cmsis_nn_per_channel_quant_params *quant,
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

#endif
