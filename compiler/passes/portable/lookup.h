// SPDX-License-Identifier: Apache-2.0
//
// Bags of looked-up rows, for the passes that decompose them before quantization and after it.
#ifndef RL_COMPILER_PASSES_PORTABLE_LOOKUP_H
#define RL_COMPILER_PASSES_PORTABLE_LOOKUP_H

#include "compiler/passes/pass.h"

// A bag becomes an embedding and a sum, mean or maximum. Needs offsets that are known ahead of time.
bool rl_decompose_bags(const struct rl_pass *pass, struct rl_node *node);

#endif
