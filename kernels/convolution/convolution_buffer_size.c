// SPDX-License-Identifier: Apache-2.0
// Scratch of the int8 convolutions, with weights of int8 and int4. The values are those of CMSIS-NN, which callers may
// have built in; what the kernels need is documented in convolution.h and convolution_s4.h and never more.
#include "arm_nn_convolution.h"
#include "arm_nn_convolution_s4.h"
#include "arm_nnsupportfunctions.h"

#include "convolution/convolution.h"
#include "isa.h"

static int32_t patch_bytes(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims)
{
    return filter_dims->w * filter_dims->h * input_dims->c;
}

// `multiple` is a power of two.
static int32_t round_up(int32_t value, int32_t multiple)
{
    return (value + multiple - 1) & -multiple;
}

// Two patches of int16, for weights of int8 each rounded up to four values.
static int32_t size_dsp(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims, bool weights_s4)
{
    return 2 * round_up(patch_bytes(input_dims, filter_dims), weights_s4 ? 1 : 4) * (int32_t)sizeof(int16_t);
}

// Four patches of int8, each rounded up to a vector.
int32_t arm_convolve_s8_get_buffer_size_mve(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims)
{
    return 4 * round_up(patch_bytes(input_dims, filter_dims), 16);
}

// One patch and the padding on one side of it, or nothing for weights of int4; but four patches where the outputs with
// padding on the left and on the right are more than there are.
static int32_t size_1_x_n_mve(const cmsis_nn_conv_params *params, const cmsis_nn_dims *input_dims,
                              const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims, bool weights_s4)
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
    if (weights_s4) {
        return 0;
    }
    const int32_t left = (filter_dims->w + pad) * input_dims->c;
    const int32_t right = (filter_dims->w - 1 + (odd_pad != 0 ? padded_right : pad)) * input_dims->c;
    return rl_max_s32(left, right);
}

static int32_t size_1_x_n(const cmsis_nn_conv_params *params, const cmsis_nn_dims *input_dims,
                          const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims, bool weights_s4)
{
    return RL_HAS_MVE ? size_1_x_n_mve(params, input_dims, filter_dims, output_dims, weights_s4)
                      : size_dsp(input_dims, filter_dims, weights_s4);
}

// What the wrappers choose.
static int32_t size_wrapper_mve(const cmsis_nn_conv_params *params, const cmsis_nn_dims *input_dims,
                                const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims, bool weights_s4)
{
    if (arm_nn_is_convolve_1x1(params, input_dims, filter_dims)) {
        return 0;
    }
    return arm_nn_is_convolve_1_x_n(params, input_dims, filter_dims)
               ? size_1_x_n_mve(params, input_dims, filter_dims, output_dims, weights_s4)
               : arm_convolve_s8_get_buffer_size_mve(input_dims, filter_dims);
}

static int32_t size_wrapper(const cmsis_nn_conv_params *params, const cmsis_nn_dims *input_dims,
                            const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims, bool weights_s4)
{
    if (RL_HAS_MVE) {
        return size_wrapper_mve(params, input_dims, filter_dims, output_dims, weights_s4);
    }
    return arm_nn_is_convolve_1x1(params, input_dims, filter_dims) ? 0 : size_dsp(input_dims, filter_dims, weights_s4);
}

int32_t arm_convolve_s8_get_buffer_size(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims)
{
    return RL_HAS_MVE ? arm_convolve_s8_get_buffer_size_mve(input_dims, filter_dims)
                      : size_dsp(input_dims, filter_dims, false);
}

int32_t arm_convolve_1x1_s8_fast_get_buffer_size(const cmsis_nn_dims *input_dims)
{
    (void)input_dims;
    return 0;
}

int32_t arm_convolve_1_x_n_s8_get_buffer_size(const cmsis_nn_conv_params *conv_params, const cmsis_nn_dims *input_dims,
                                              const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims)
{
    return size_1_x_n(conv_params, input_dims, filter_dims, output_dims, false);
}

int32_t arm_convolve_wrapper_s8_get_buffer_size(const cmsis_nn_conv_params *conv_params,
                                                const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                const cmsis_nn_dims *output_dims)
{
    return size_wrapper(conv_params, input_dims, filter_dims, output_dims, false);
}

int32_t arm_convolve_wrapper_s8_get_buffer_size_mve(const cmsis_nn_conv_params *conv_params,
                                                    const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                    const cmsis_nn_dims *output_dims)
{
    return size_wrapper_mve(conv_params, input_dims, filter_dims, output_dims, false);
}

// As in CMSIS-NN, the plain size of the build it is in.
int32_t arm_convolve_wrapper_s8_get_buffer_size_dsp(const cmsis_nn_conv_params *conv_params,
                                                    const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                    const cmsis_nn_dims *output_dims)
{
    return arm_convolve_wrapper_s8_get_buffer_size(conv_params, input_dims, filter_dims, output_dims);
}

// The same on every core: four patches of int8 fit as well.
int32_t arm_convolve_s4_get_buffer_size(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims)
{
    return size_dsp(input_dims, filter_dims, true);
}

int32_t arm_convolve_1x1_s4_fast_get_buffer_size(const cmsis_nn_dims *input_dims)
{
    (void)input_dims;
    return 0;
}

int32_t arm_convolve_1_x_n_s4_get_buffer_size(const cmsis_nn_conv_params *conv_params, const cmsis_nn_dims *input_dims,
                                              const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims)
{
    return size_1_x_n(conv_params, input_dims, filter_dims, output_dims, true);
}

int32_t arm_convolve_wrapper_s4_get_buffer_size(const cmsis_nn_conv_params *conv_params,
                                                const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                const cmsis_nn_dims *output_dims)
{
    return size_wrapper(conv_params, input_dims, filter_dims, output_dims, true);
}

int32_t arm_convolve_wrapper_s4_get_buffer_size_mve(const cmsis_nn_conv_params *conv_params,
                                                    const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                    const cmsis_nn_dims *output_dims)
{
    return size_wrapper_mve(conv_params, input_dims, filter_dims, output_dims, true);
}

// As in CMSIS-NN, the plain size of the build it is in.
int32_t arm_convolve_wrapper_s4_get_buffer_size_dsp(const cmsis_nn_conv_params *conv_params,
                                                    const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                    const cmsis_nn_dims *output_dims)
{
    return arm_convolve_wrapper_s4_get_buffer_size(conv_params, input_dims, filter_dims, output_dims);
}
