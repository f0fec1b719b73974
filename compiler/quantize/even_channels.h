// SPDX-License-Identifier: Apache-2.0
#ifndef RL_COMPILER_QUANTIZE_EVEN_CHANNELS_H
#define RL_COMPILER_QUANTIZE_EVEN_CHANNELS_H

#include "compiler/data/dataset.h"
#include "compiler/ir/graph.h"

// Gives the channels between a convolution and its PReLU about equal ranges on the first samples: weights and bias of
// the convolution are divided by a number for each channel, and the PReLU multiplies by it. The value between changes,
// and so does its name.
enum rl_status rl_quantize_even_channels(struct rl_context *context, struct rl_graph *graph,
                                         const struct rl_dataset *dataset);

#endif
