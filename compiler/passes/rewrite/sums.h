// SPDX-License-Identifier: Apache-2.0
//
// The proof that the sums of a layer fit int32.
#ifndef RL_COMPILER_PASSES_REWRITE_SUMS_H
#define RL_COMPILER_PASSES_REWRITE_SUMS_H

#include "compiler/passes/pass.h"
#include "compiler/passes/rewrite/weights.h"

// Finds the smallest and the largest sum of every output channel over all inputs of int8. A warning names the node, and
// the first channel of those whose sum, or its left shift before the rounding to the output, leaves int32 for some
// input: there it wraps. `bias` is that of rl_match_bias.
void rl_prove_sums(const struct rl_pass *pass, const struct rl_node *lowered, const struct rl_match *match,
                   const struct rl_weights *weights, const struct rl_value *bias);

#endif
