// SPDX-License-Identifier: Apache-2.0
#include "rl_work_bytes.h"

#include "dsp/matmul_bytes.h"

#include "convolution/blocks.h"

int32_t rl_convolve_wrapper_s8_work_bytes_dsp(const cmsis_nn_conv_params *conv_params, const cmsis_nn_dims *input_dims,
                                              const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims)
{
    const int32_t groups = rl_max_s32(input_dims->c / rl_max_s32(filter_dims->c, 1), 1);
    const struct rl_block_shape shape = {
        .matmul_bytes = RL_MATMUL_BYTES,
        .depth = filter_dims->h * filter_dims->w * filter_dims->c,
        .channels = output_dims->c / groups,
        .taps_first = false,
    };
    const bool in_place = arm_nn_is_convolve_1x1(conv_params, input_dims, filter_dims);
    return (in_place ? 0 : rl_patches_bytes(shape.depth)) + rl_block_bytes(&shape, rl_block_channels(&shape, 0));
}
