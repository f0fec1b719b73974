// SPDX-License-Identifier: Apache-2.0
//
// The parameters of a batch norm, for the passes that fold it.
#ifndef RL_COMPILER_PASSES_CANONICAL_BATCH_NORM_H
#define RL_COMPILER_PASSES_CANONICAL_BATCH_NORM_H

#include "compiler/ir/graph.h"

struct rl_batch_norm {
    const struct rl_value *gamma, *beta, *mean, *variance; // gamma and beta may be NULL: 1 and 0
    float eps;
};

// Reads an aten::batch_norm; false unless all parameters are float32 constants of `channels` elements.
bool rl_batch_norm_read(const struct rl_node *node, int64_t channels, struct rl_batch_norm *norm);

#endif
