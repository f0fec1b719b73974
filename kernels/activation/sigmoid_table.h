// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_ACTIVATION_SIGMOID_TABLE_H
#define RL_KERNELS_ACTIVATION_SIGMOID_TABLE_H

#include <stdint.h>

enum { RL_SIGMOID_TABLE_SIZE = 256 };

// rl_sigmoid_table[i]: sigmoid(i / 24) with 16 fractional bits. tanh(x) = 2 sigmoid(2x) - 1 uses it too.
extern const uint16_t rl_sigmoid_table[RL_SIGMOID_TABLE_SIZE];

#endif
