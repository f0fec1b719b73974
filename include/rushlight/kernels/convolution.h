// SPDX-License-Identifier: Apache-2.0
//
// Convolution of int8 images with filters of int8 weights and one scale a channel.
//
//     output[n][y][x][o] = clamp(requantize(bias[o] + sum (input + input_offset) * weights[o]) + output_offset)
#ifndef RUSHLIGHT_KERNELS_CONVOLUTION_H
#define RUSHLIGHT_KERNELS_CONVOLUTION_H

#include <stdint.h>

#include "rushlight/kernels/layer.h"

struct rl_convolution {
    struct rl_image input;
    struct rl_image output;    // rows and columns below and to the right that its size implies are padding as well
    struct rl_extent filter;   // rows and columns of a filter
    struct rl_extent stride;   // at least 1
    struct rl_extent padding;  // above and to the left
    struct rl_extent dilation; // at least 1
    int32_t groups;            // at least 1; divides the channels of input and output
    const int8_t *weights;     // [output.c][filter.h][filter.w][input.c / groups]
    const int32_t *bias;       // [output.c], or NULL for zeros
    struct rl_scales scales;   // [output.c]
    int32_t input_offset;      // -127..128
    int32_t output_offset;     // -128..127
    struct rl_range range;     // within -128..127
};

#endif
