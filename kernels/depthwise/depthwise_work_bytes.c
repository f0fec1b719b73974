// SPDX-License-Identifier: Apache-2.0
// Makes the choices of rl_depthwise_run, in small code: faster code runs some layers window by window, without blocks.
#include "rl_work_bytes.h"

#include "depthwise/multiplied.h"
#include "dsp/matmul_bytes.h"
#include "dsp/plane_sizes.h"

#include "convolution/blocks.h"
#include "scalar/plane_blocks.h"

#include "depthwise/plane_axes.h"

static int32_t multiplied_bytes(const struct rl_depthwise *d)
{
    const struct rl_block_shape shape = {
        .matmul_bytes = RL_MATMUL_BYTES,
        .depth = d->filter_dims->h * d->filter_dims->w,
        .channels = d->channel_multiplier,
        .taps_first = true,
    };
    return rl_block_bytes(&shape, rl_block_channels(&shape, 0));
}

int32_t rl_depthwise_conv_wrapper_s8_work_bytes_dsp(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                    const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                    const cmsis_nn_dims *output_dims)
{
    const struct rl_depthwise d = {
        .params = dw_conv_params,
        .input_dims = input_dims,
        .filter_dims = filter_dims,
        .output_dims = output_dims,
        .channel_multiplier = dw_conv_params->ch_mult,
        .channels = output_dims->c,
    };
    struct rl_plane_axes axes;
    struct rl_plane_block b;
    if (rl_plane_choose_axes(&d, &axes, &b)) {
        return rl_plane_bytes(&axes, &b);
    }
    return rl_depthwise_suits_multiplied(&d, false) ? multiplied_bytes(&d) : 0;
}
