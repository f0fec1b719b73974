// SPDX-License-Identifier: Apache-2.0
//
// Attention as operators that have kernels: softmax(query * key' * scale + mask) * value. With a mask that may exclude
// a whole row, the softmax is _safe_softmax: PyTorch's attention gives zeros for such a row, not NaN.
#ifndef RL_COMPILER_PASSES_REWRITE_ATTENTION_H
#define RL_COMPILER_PASSES_REWRITE_ATTENTION_H

#include "compiler/passes/pass.h"

// Decomposes a scaled_dot_product_attention, which gives its name to the last view. `times` multiplies the scores by a
// number: aten_mul_scalar, or aten_mul with a constant, the form of canonical graphs. False, with the node's reason,
// when the node must stay.
bool rl_decompose_attention(const struct rl_pass *pass, struct rl_node *node, enum rl_op_id times);

// Whether a mask may exclude every score along its last dimension: bools that are all false, or numbers that are all
// minus infinity. Only constants are known not to.
bool rl_may_exclude_rows(const struct rl_value *mask);

#endif
