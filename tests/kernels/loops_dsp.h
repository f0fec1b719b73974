// SPDX-License-Identifier: Apache-2.0
// What the tests of the loops in kernels/dsp share.
#ifndef RL_TESTS_KERNELS_LOOPS_DSP_H
#define RL_TESTS_KERNELS_LOOPS_DSP_H

#include "elementwise/rescale.h"
#include "support/kernel_test.h"

// The product sum of `depth` values and weights.
int32_t rl_products(const int32_t *values, const int8_t *weights, int32_t depth);

// Sets the lower (0) or upper half of a word that holds two int16.
void rl_set_half(uint32_t *word, int32_t half, int32_t value);

// A scale that can be folded, with `offset` in it.
struct rl_rescale rl_random_rescale(struct rl_case *c, int32_t offset, int32_t *multiplier, int32_t *shift);

#endif
