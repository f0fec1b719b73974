// SPDX-License-Identifier: Apache-2.0
//
// Masks that were added to scores, or written over them, taken apart again:
//
//   constants with -inf               zeros.masked_fill(m, -inf), where(m, -inf, 0)    nn.MultiheadAttention
//   (1 - m) * -10,000                 m of bools, integers or an input                 BERT-like models
//   an input of fewer numbers         where it is -inf
//   full(-inf).scatter(dim, i, x)     everywhere but at i                              gates of experts
//
// behind views, and in sums of each other and of scores.
#ifndef RL_COMPILER_PASSES_CANONICAL_MASK_PARTS_H
#define RL_COMPILER_PASSES_CANONICAL_MASK_PARTS_H

#include "compiler/passes/rewrite/build.h"

// A tensor of floats is `rest`, and minus infinity where `mask` is set.
struct rl_mask_parts {
    struct rl_value *mask; // bools, of the same sizes or broadcast to them; NULL: nothing is masked
    struct rl_value *rest; // broadcast, too; NULL: zeros
    bool is_finite;        // some of what is masked is a number, not minus infinity
};

// Takes `value` apart, through sums, views and fills; what it needs is built at `at`. Numbers from -10,000 downwards
// count as minus infinity: behind a softmax nothing is left of them, but in a row that has nothing else. What an input
// masks is taken for minus infinity. Without a mask `rest` is `value`, or NULL.
struct rl_mask_parts rl_mask_parts(const struct rl_build *at, struct rl_value *value);

#endif
