// SPDX-License-Identifier: Apache-2.0
//
// Room for the sums of convolutions and linear layers. A kernel adds up, in int32,
//
//   bias / (input scale * weight scale) + sum of (input - zero point) * weight
//
// and shifts the sum to the left by max(shift, 0) before the multiplication that rounds it to the output's grid. A
// channel of tiny weights with a large bias, or a layer whose output was always about zero, takes that out of int32,
// where the sum wraps.
#ifndef RL_COMPILER_QUANTIZE_SUMS_H
#define RL_COMPILER_QUANTIZE_SUMS_H

#include "compiler/quantize/annotation.h"

// Raises scales until the sums of every channel fit, whatever the inputs: those of weights for the sum, those of
// outputs for the shifted one. Call it when all scales but those of biases are chosen. The stock quantizer leaves
// scales as they are.
void rl_quantize_fit_sums(const struct rl_annotation *annotation);

// How much larger, as a real number, the bias of each channel of a layer may become while its sums still fit. Zeros if
// the node is not such a layer.
void rl_quantize_find_room(const struct rl_annotation *annotation, const struct rl_node *node, int64_t channels,
                           double *room);

#endif
