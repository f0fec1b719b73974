// SPDX-License-Identifier: Apache-2.0
// Scratch of the convolutions with int4 weights: the values of CMSIS-NN.
#include "arm_nn_convolution_s4.h"
#include "convolution/convolution.h"
#include "isa.h"

static int32_t filter_length(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims)
{
    return filter_dims->w * filter_dims->h * input_dims->c;
}

// Two patches of int16.
static int32_t convolve_size_dsp(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims)
{
    return 2 * filter_length(input_dims, filter_dims) * (int32_t)sizeof(int16_t);
}

// Four patches of int8, each rounded up to a vector.
static int32_t convolve_size_mve(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims)
{
    return 4 * ((filter_length(input_dims, filter_dims) + 15) / 16 * 16);
}

// Nothing, unless the outputs with padding on the left and on the right are more than there are.
static int32_t convolve_1_x_n_size_mve(const cmsis_nn_conv_params *params, const cmsis_nn_dims *input_dims,
                                       const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims)
{
    const int32_t stride = params->stride.w, pad = params->padding.w;
    const int32_t pad_right = pad + ((output_dims->w - 1) * stride + filter_dims->w - input_dims->w) % 2;
    const int32_t padded_right = pad_right != 0 ? rl_max_s32(1, (pad_right + stride - 1) / stride) : 0;
    const int32_t padded_left = pad != 0 ? rl_max_s32(1, (pad + stride - 1) / stride) : 0;
    const int32_t unpadded = rl_max_s32(output_dims->w - (padded_right + padded_left), 0);
    return padded_right + unpadded + padded_left != output_dims->w
               ? convolve_size_mve(input_dims, filter_dims)
               : 0;
}

// The same on every core: four patches of int8 fit as well.
int32_t arm_convolve_s4_get_buffer_size(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims)
{
    return convolve_size_dsp(input_dims, filter_dims);
}

int32_t arm_convolve_1x1_s4_fast_get_buffer_size(const cmsis_nn_dims *input_dims)
{
    (void)input_dims;
    return 0;
}

int32_t arm_convolve_1_x_n_s4_get_buffer_size(const cmsis_nn_conv_params *conv_params,
                                              const cmsis_nn_dims *input_dims,
                                              const cmsis_nn_dims *filter_dims,
                                              const cmsis_nn_dims *output_dims)
{
    return RL_HAS_MVE ? convolve_1_x_n_size_mve(conv_params, input_dims, filter_dims, output_dims)
                      : convolve_size_dsp(input_dims, filter_dims);
}

int32_t arm_convolve_wrapper_s4_get_buffer_size(const cmsis_nn_conv_params *conv_params,
                                                const cmsis_nn_dims *input_dims,
                                                const cmsis_nn_dims *filter_dims,
                                                const cmsis_nn_dims *output_dims)
{
    if (RL_HAS_MVE) {
        return arm_convolve_wrapper_s4_get_buffer_size_mve(conv_params, input_dims, filter_dims, output_dims);
    }
    return arm_nn_is_convolve_1x1(conv_params, input_dims, filter_dims)
               ? 0
               : convolve_size_dsp(input_dims, filter_dims);
}

int32_t arm_convolve_wrapper_s4_get_buffer_size_mve(const cmsis_nn_conv_params *conv_params,
                                                    const cmsis_nn_dims *input_dims,
                                                    const cmsis_nn_dims *filter_dims,
                                                    const cmsis_nn_dims *output_dims)
{
    if (arm_nn_is_convolve_1x1(conv_params, input_dims, filter_dims)) {
        return 0;
    }
    return arm_nn_is_convolve_1_x_n(conv_params, input_dims, filter_dims)
               ? convolve_1_x_n_size_mve(conv_params, input_dims, filter_dims, output_dims)
               : convolve_size_mve(input_dims, filter_dims);
}

// As in CMSIS-NN, the plain size of the build it is in.
int32_t arm_convolve_wrapper_s4_get_buffer_size_dsp(const cmsis_nn_conv_params *conv_params,
                                                    const cmsis_nn_dims *input_dims,
                                                    const cmsis_nn_dims *filter_dims,
                                                    const cmsis_nn_dims *output_dims)
{
    return arm_convolve_wrapper_s4_get_buffer_size(conv_params, input_dims, filter_dims, output_dims);
}
