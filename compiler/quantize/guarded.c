// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/guarded.h"

enum rl_status rl_run_guarded(struct rl_context *context, const struct rl_graph *graph, rl_guarded *run, void *user)
{
    struct rl_arena *const arena = graph->arena;
    struct rl_arena run_arena = {0};
    jmp_buf *const outer = arena->out_of_memory;
    jmp_buf here;
    enum rl_status status;
    if (setjmp(here) == 0) {
        arena->out_of_memory = run_arena.out_of_memory = &here;
        status = run(user, &run_arena);
    } else {
        status = rl_fail(context, RL_ERROR_OUT_OF_MEMORY, "%s: no memory left", graph->source);
    }
    arena->out_of_memory = outer;
    rl_arena_free(&run_arena);
    return status;
}
