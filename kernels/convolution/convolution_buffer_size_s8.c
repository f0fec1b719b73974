// SPDX-License-Identifier: Apache-2.0
// Scratch of the int8 convolutions. The values are those of CMSIS-NN, which callers may have built in; what
// the kernels need is documented in convolution.h and never more.
#include "arm_nn_convolution.h"
#include "arm_nnsupportfunctions.h"

#include "convolution/convolution.h"
#include "isa.h"

static int32_t patch_bytes(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims)
{
    return filter_dims->w * filter_dims->h * input_dims->c;
}

static int32_t round_up(int32_t value, int32_t multiple)
{
    return (value + multiple - 1) / multiple * multiple;
}

// Two patches of int16, each rounded up to four values.
static int32_t convolve_size_dsp(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims)
{
    return 2 * round_up(patch_bytes(input_dims, filter_dims), 4) * (int32_t)sizeof(int16_t);
}

// Four patches of int8, each rounded up to a vector.
int32_t arm_convolve_s8_get_buffer_size_mve(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims)
{
    return 4 * round_up(patch_bytes(input_dims, filter_dims), 16);
}

// One patch and the padding on one side of it.
static int32_t convolve_1_x_n_size_mve(const cmsis_nn_conv_params *params, const cmsis_nn_dims *input_dims,
                                       const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims)
{
    const int32_t stride = params->stride.w;
    const int32_t pad = params->padding.w;
    const int32_t total_pad = (output_dims->w - 1) * stride + filter_dims->w - input_dims->w;
    const int32_t odd_pad = total_pad % 2;
    const int32_t pad_right = pad + odd_pad;
    const int32_t padded_right = pad_right != 0 ? rl_max_s32(1, (pad_right + stride - 1) / stride) : 0;
    const int32_t padded_left = pad != 0 ? rl_max_s32(1, (pad + stride - 1) / stride) : 0;
    const int32_t unpadded = rl_max_s32(output_dims->w - (padded_right + padded_left), 0);
    if (padded_right + unpadded + padded_left != output_dims->w) {
        return arm_convolve_s8_get_buffer_size_mve(input_dims, filter_dims);
    }
    const int32_t left = (filter_dims->w + pad) * input_dims->c;
    const int32_t right = (filter_dims->w - 1 + (odd_pad != 0 ? padded_right : pad)) * input_dims->c;
    return rl_max_s32(left, right);
}

int32_t arm_convolve_s8_get_buffer_size(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims)
{
    return RL_HAS_MVE ? arm_convolve_s8_get_buffer_size_mve(input_dims, filter_dims)
                      : convolve_size_dsp(input_dims, filter_dims);
}

int32_t arm_convolve_1x1_s8_fast_get_buffer_size(const cmsis_nn_dims *input_dims)
{
    (void)input_dims;
    return 0;
}

int32_t arm_convolve_1_x_n_s8_get_buffer_size(const cmsis_nn_conv_params *conv_params,
                                              const cmsis_nn_dims *input_dims,
                                              const cmsis_nn_dims *filter_dims,
                                              const cmsis_nn_dims *output_dims)
{
    return RL_HAS_MVE ? convolve_1_x_n_size_mve(conv_params, input_dims, filter_dims, output_dims)
                      : convolve_size_dsp(input_dims, filter_dims);
}

int32_t arm_convolve_wrapper_s8_get_buffer_size(const cmsis_nn_conv_params *conv_params,
                                                const cmsis_nn_dims *input_dims,
                                                const cmsis_nn_dims *filter_dims,
                                                const cmsis_nn_dims *output_dims)
{
    return RL_HAS_MVE ? arm_convolve_wrapper_s8_get_buffer_size_mve(conv_params, input_dims, filter_dims,
                                                                    output_dims)
                      : arm_convolve_wrapper_s8_get_buffer_size_dsp(conv_params, input_dims, filter_dims,
                                                                    output_dims);
}

int32_t arm_convolve_wrapper_s8_get_buffer_size_mve(const cmsis_nn_conv_params *conv_params,
                                                    const cmsis_nn_dims *input_dims,
                                                    const cmsis_nn_dims *filter_dims,
                                                    const cmsis_nn_dims *output_dims)
{
    if (arm_nn_is_convolve_1x1(conv_params, input_dims, filter_dims)) {
        return 0;
    }
    return arm_nn_is_convolve_1_x_n(conv_params, input_dims, filter_dims)
               ? convolve_1_x_n_size_mve(conv_params, input_dims, filter_dims, output_dims)
               : arm_convolve_s8_get_buffer_size_mve(input_dims, filter_dims);
}

// As in CMSIS-NN, a Helium build gives its own sizes here, and only a build without Helium those of DSP
// cores.
int32_t arm_convolve_wrapper_s8_get_buffer_size_dsp(const cmsis_nn_conv_params *conv_params,
                                                    const cmsis_nn_dims *input_dims,
                                                    const cmsis_nn_dims *filter_dims,
                                                    const cmsis_nn_dims *output_dims)
{
    if (arm_nn_is_convolve_1x1(conv_params, input_dims, filter_dims)) {
        return 0;
    }
    return arm_nn_is_convolve_1_x_n(conv_params, input_dims, filter_dims)
               ? arm_convolve_1_x_n_s8_get_buffer_size(conv_params, input_dims, filter_dims, output_dims)
               : arm_convolve_s8_get_buffer_size(input_dims, filter_dims);
}
