// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_CONVOLUTION_SPREAD_H
#define RL_KERNELS_CONVOLUTION_SPREAD_H

#include "rushlight/kernels/convolution.h"

// Runs a layer whose weights are int4 or prepacked by spreading them to int8, a few channels at a time. Any scratch
// will do, also none.
void rl_convolution_run_spread(const struct rl_convolution *layer, const int8_t *input, int8_t *output,
                               struct rl_scratch scratch);

// How many channels it spreads at a time, below 1 if the filter of a channel does not fit.
int32_t rl_spread_channels(const struct rl_convolution *layer, struct rl_scratch scratch);

// Runs a layer with patches and without groups, of few outputs, without the taps that meet padding at all of them. If
// that does not pay, it returns false and does nothing. Small maps often have such taps: of 5x5 filters on a 2x2 map,
// nine of 25 remain.
bool rl_convolution_run_cut(const struct rl_convolution *layer, const int8_t *input, int8_t *output,
                            struct rl_scratch scratch);

#endif
