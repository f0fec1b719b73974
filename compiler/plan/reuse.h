// SPDX-License-Identifier: Apache-2.0
//
// Results in the memory of operands. An operator that computes element by element may write its result over an operand
// (REUSED in ops.def) that nothing reads afterwards.
#ifndef RL_COMPILER_PLAN_REUSE_H
#define RL_COMPILER_PLAN_REUSE_H

#include "compiler/plan/memory.h"

// Merges the buffers of such results into those of their operands: changes plan->buffers, whose merged ones take 0
// bytes, and plan->buffer_of. The lifetimes must be known; places are not. Returns whether there were any.
bool rl_plan_reuse(const struct rl_graph *graph, struct rl_memory_plan *plan);

#endif
