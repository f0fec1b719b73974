// SPDX-License-Identifier: Apache-2.0
#include "depthwise/multiplied.h"

#include "convolution/convolution.h"

bool rl_depthwise_run_multiplied(const struct rl_depthwise *d)
{
    if (!rl_depthwise_suits_multiplied(d, RL_HAS_MVE)) {
        return false;
    }
    const cmsis_nn_dw_conv_params *p = d->params;
    const cmsis_nn_conv_params params = {p->input_offset, p->output_offset, p->stride,
                                         p->padding,      p->dilation,      p->activation};
    const cmsis_nn_dims filter_dims = {d->channels, d->filter_dims->h, d->filter_dims->w, 1};
    struct rl_convolution c = rl_convolution_of(&params, d->quant, d->input_dims, d->input, &filter_dims, d->filter,
                                                d->bias, d->output_dims, d->output);
    c.groups = d->input_dims->c;
    c.taps_first = true;
    c.rows_are_runs = c.rows_are_runs && c.groups == 1;
    c.work = d->work;
    rl_convolution_run(&c);
    return true;
}
