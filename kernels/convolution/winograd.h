// SPDX-License-Identifier: Apache-2.0
// Winograd's F(2x2, 3x3) in integers: four outputs of a 3x3 filter from 16 products a channel instead of 36
// (S. Winograd, Arithmetic Complexity of Computations, 1980; A. Lavin and S. Gray, Fast Algorithms for Convolutional
// Neural Networks, 2015). A tile is two by two outputs and the four by four inputs d that they need. With
//
//            1  0 -1  0             2  0  0
//     B^T =  0  1  1  0      2 G =  1  1  1      A^T =  1  1  1  0
//            0 -1  1  0             1 -1  1             0  1 -1 -1
//            0  1  0 -1             0  0  2
//
// four times the outputs are A^T [(2 G) g (2 G)^T * (B^T d B)] A, summed over the channels, where * multiplies element
// by element. Transformed int8 weights are within 9 * 128, transformed int8 inputs within 4 * 128, so both are int16.
// Sums are modulo 2^32, and four times an output is within 4 * 2^14 * 128 * 128 = 2^30 for at most 2^14 weights, so the
// outputs are exact.
//
// Transformed weights are in groups of four filters: [group][position][two channels][filter of the group][2]. Channels
// are in the order in which SXTB16 leaves four bytes: 0 and 2, then 1 and 3.
#ifndef RL_KERNELS_CONVOLUTION_WINOGRAD_H
#define RL_KERNELS_CONVOLUTION_WINOGRAD_H

#include <stdint.h>

enum {
    RL_WINOGRAD_GROUP = 4,      // filters in a group
    RL_WINOGRAD_POSITIONS = 16, // of a transformed tile or filter, row by row
    RL_WINOGRAD_CHANNELS = 8,   // input channels are a multiple of it
    RL_WINOGRAD_MOST_CHANNELS = (1 << 14) / 9,
};

// The number of an element of the transformed weights of filters with `channels` channels.
static inline int32_t rl_winograd_place(int32_t channels, int32_t filter, int32_t position, int32_t channel)
{
    const int32_t group = filter / RL_WINOGRAD_GROUP, half = (channel & ~3) / 2 + (channel & 1);
    return ((group * RL_WINOGRAD_POSITIONS + position) * (channels / 2) + half) * 2 * RL_WINOGRAD_GROUP +
           2 * (filter % RL_WINOGRAD_GROUP) + (channel >> 1 & 1);
}

// Restores `count` weights in the usual order, [filter][3][3][channels], from number `first` on.
void rl_spread_winograd(const int16_t *transformed, int32_t channels, int32_t first, int32_t count, int8_t *weights);

#endif
