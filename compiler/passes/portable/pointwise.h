// SPDX-License-Identifier: Apache-2.0
//
// Functions of several tensors, for the passes that write them out before quantization and after it.
#ifndef RL_COMPILER_PASSES_PORTABLE_POINTWISE_H
#define RL_COMPILER_PASSES_PORTABLE_POINTWISE_H

#include "compiler/passes/pass.h"

// addcmul and addcdiv become a product or quotient and a sum.
bool rl_decompose_addcmul(const struct rl_pass *pass, struct rl_node *node);

// A way from one tensor to another becomes a difference, a product and a sum.
bool rl_decompose_lerp(const struct rl_pass *pass, struct rl_node *node);

// Differences of neighbours become differences of slices.
bool rl_decompose_diff(const struct rl_pass *pass, struct rl_node *node);

#endif
