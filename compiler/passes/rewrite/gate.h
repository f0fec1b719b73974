// SPDX-License-Identifier: Apache-2.0
//
// Gated linear units as operators that have kernels.
#ifndef RL_COMPILER_PASSES_REWRITE_GATE_H
#define RL_COMPILER_PASSES_REWRITE_GATE_H

#include "compiler/passes/pass.h"

// glu becomes the first half times the sigmoid of the second.
bool rl_decompose_glu(const struct rl_pass *pass, struct rl_node *node);

#endif
