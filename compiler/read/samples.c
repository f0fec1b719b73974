// SPDX-License-Identifier: Apache-2.0
#include "compiler/read/samples.h"

enum rl_status rl_pt2_read_samples(struct rl_context *context, struct rl_arena *arena, const char *path,
                                   const struct rl_graph *graph, struct rl_array **arrays, int *count)
{
    (void)arena;
    (void)graph;
    *arrays = NULL;
    *count = 0;
    return rl_fail(context, RL_ERROR_UNSUPPORTED,
                   "%s: the samples stored in the model cannot be read; give data", path);
}
