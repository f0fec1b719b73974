// SPDX-License-Identifier: Apache-2.0
#ifndef RL_COMPILER_QUANTIZE_GUARDED_H
#define RL_COMPILER_QUANTIZE_GUARDED_H

#include "compiler/ir/graph.h"

typedef enum rl_status rl_guarded(void *user, struct rl_arena *arena);

// Calls `run` with an arena of its own, which is freed behind it, also when it or the graph's runs out of memory: that
// is an error then (RL_ERROR_OUT_OF_MEMORY).
enum rl_status rl_run_guarded(struct rl_context *context, const struct rl_graph *graph, rl_guarded *run, void *user);

#endif
