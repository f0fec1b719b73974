// SPDX-License-Identifier: Apache-2.0
// Convolution by its definition, on values that are already widened: every output is the sum over its window, taps on
// padding count as 0. Nothing here is fast.
#ifndef RL_TESTS_KERNELS_REFERENCE_CONVOLUTION_H
#define RL_TESTS_KERNELS_REFERENCE_CONVOLUTION_H

#include "support/kernel_test.h"

struct reference_convolution {
    cmsis_nn_dims input, output;
    int32_t height, width; // of the filter
    int32_t depth;         // input channels that one output channel sees: below input.c there are groups
    bool depthwise;        // filter [height][width][output channel], else [output channel][height][width][depth]
    cmsis_nn_tile stride, padding, dilation;
    const int32_t *values; // of the input, offset included
    const int32_t *weights;
};

// sums[i] = what the filter sees at output i.
void reference_convolution_sums(const struct reference_convolution *r, int64_t *sums);

// A random height and width of everything: inputs of 1..largest_input, filters of 1..largest_filter, strides up to 3,
// dilations up to largest_dilation, padding up to that of the filter's reach; the output is between one element and one
// more than the padding explains. input.n is 1 or 2. Channels are left to the caller.
void reference_convolution_random(struct rl_case *c, int32_t largest_input, int32_t largest_filter,
                                  int32_t largest_dilation, struct reference_convolution *r);

// Describes the case and frees the buffers of the one before.
void reference_convolution_begin(struct rl_case *c, const struct reference_convolution *r);

#endif
