// SPDX-License-Identifier: Apache-2.0
// The tile's rl_sum_s8 as one function that all families share.
#ifndef RL_KERNELS_FULLY_CONNECTED_SUM_S8_H
#define RL_KERNELS_FULLY_CONNECTED_SUM_S8_H

#include <stdint.h>

// Sum of `count` int8 values.
int32_t rl_sum_of_s8(const int8_t *values, int32_t count);

// The sums of `rows` times `count` values, one behind the other.
void rl_sums_of_s8(const int8_t *values, int32_t count, int32_t rows, int32_t *sums);

#endif
