// SPDX-License-Identifier: Apache-2.0
#include "depthwise/multiplied.h"

#include "cmsis_nn/translate.h"
#include "convolution/convolution.h"

bool rl_depthwise_run_multiplied(const struct rl_depthwise *d)
{
    if (!rl_depthwise_suits_multiplied(d, RL_HAS_MVE)) {
        return false;
    }
    const cmsis_nn_dw_conv_params *p = d->params;
    struct rl_convolution c = {
        .input = rl_image_of(d->input_dims),
        .output = rl_image_of(d->output_dims),
        .filter = {d->filter_dims->h, d->filter_dims->w},
        .stride = rl_extent_of(p->stride),
        .padding = rl_extent_of(p->padding),
        .dilation = rl_extent_of(p->dilation),
        .groups = d->input_dims->c,
        .weights = d->filter,
        .bias = d->bias,
        .scales = rl_scales_of(d->quant),
        .input_offset = p->input_offset,
        .output_offset = p->output_offset,
        .range = rl_range_of(p->activation),
    };
    (void)rl_convolution_prepare_as(&c, RL_CONVOLUTION_TAPS_FIRST);
    rl_convolution_run(&c, d->input, d->output, d->work);
    return true;
}
