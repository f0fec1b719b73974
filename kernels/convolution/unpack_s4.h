// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_CONVOLUTION_UNPACK_S4_H
#define RL_KERNELS_CONVOLUTION_UNPACK_S4_H

#include <stdint.h>

// Weights first, first + 1 ... of a filter with two to a byte, the lower half first, as `count` int8.
void rl_unpack_s4(const int8_t *packed, int32_t first, int32_t count, int8_t *weights);

#endif
