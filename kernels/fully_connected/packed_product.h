// SPDX-License-Identifier: Apache-2.0
// Rows times filters on cores without DSP, several rows at a time: see scalar/packed_rows.h.
#ifndef RL_KERNELS_FULLY_CONNECTED_PACKED_PRODUCT_H
#define RL_KERNELS_FULLY_CONNECTED_PACKED_PRODUCT_H

#include "fully_connected/fully_connected.h"

// The layer after rl_fully_connected_begin. It is worth while from three rows on. Takes up to 3 KB of stack.
void rl_packed_product(const struct rl_fully_connected *f, const int8_t *input, int8_t *output);

#endif
