// SPDX-License-Identifier: Apache-2.0
//
// A convolution after its arguments have been read, and the loop over plain convolutions of floats. Cores have
// the one in convolution_floats.c, hosts the one in host/convolution_floats.c; both give the same bits.
#ifndef RL_RUNTIME_OPERATORS_PORTABLE_CONVOLUTION_H
#define RL_RUNTIME_OPERATORS_PORTABLE_CONVOLUTION_H

#include <stddef.h>

#include "runtime/operators/portable/number.h"

// Strides in elements along batch, channel, row, column. In the weights, batch is the output channel and channel the
// input channel of its group. A convolution of one spatial dimension has one row.
struct rl_strides {
    ptrdiff_t batch, channel, row, column;
};

struct rl_convolution {
    struct rl_tensor input, weight, bias, output;
    struct rl_strides in, tap, out;
    int32_t batches, in_height, in_width, channels, out_height, out_width;
    int32_t height, width;        // of the kernel
    int32_t depth, group_outputs; // input and output channels of a group
    int32_t stride_y, stride_x, padding_y, padding_x, dilation_y, dilation_x;
    int32_t more_y, more_x; // output padding
    bool transposed;
};

// Computes a convolution that is not transposed, of tensors of RL_REAL. Order of each sum: bias, then kernel rows,
// kernel columns, input channels. Taps beside the input add nothing.
void rl_convolve_floats(const struct rl_convolution *convolution);

#endif
