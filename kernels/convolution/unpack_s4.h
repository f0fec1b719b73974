// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_CONVOLUTION_UNPACK_S4_H
#define RL_KERNELS_CONVOLUTION_UNPACK_S4_H

#include <stdint.h>

// Spreads `count` weights of a filter to int8, from number `first` on. A byte holds two weights, the first in its lower
// half.
void rl_unpack_s4(const int8_t *packed, int32_t first, int32_t count, int8_t *weights);

#endif
