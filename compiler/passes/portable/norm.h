// SPDX-License-Identifier: Apache-2.0
//
// Norms of vectors, and logarithms of sums, for the passes that decompose them before quantization and after it.
#ifndef RL_COMPILER_PASSES_PORTABLE_NORM_H
#define RL_COMPILER_PASSES_PORTABLE_NORM_H

#include "compiler/passes/pass.h"

// A norm of order 1 or 2 becomes a sum of sizes, or the root of a sum of squares.
bool rl_decompose_norm(const struct rl_pass *pass, struct rl_node *node);

// The logarithm of a sum of powers becomes the largest exponent plus the logarithm of what is left.
bool rl_decompose_logsumexp(const struct rl_pass *pass, struct rl_node *node);

#endif
