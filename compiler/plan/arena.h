// SPDX-License-Identifier: Apache-2.0
//
// Places buffers with known lifetimes into one block of memory (offline dynamic storage allocation).
#ifndef RL_COMPILER_PLAN_ARENA_H
#define RL_COMPILER_PLAN_ARENA_H

#include <stddef.h>
#include <stdint.h>

#include "compiler/support/arena.h"
#include "compiler/support/context.h"

// A buffer is alive at the times first <= t < end. Buffers alive at a common time must not share a byte.
struct rl_plan_buffer {
    size_t bytes;
    int64_t first, end;
    size_t offset; // decided by rl_plan_arena
};

struct rl_plan_sizes {
    size_t arena_bytes;       // end of the highest buffer, rounded up to the alignment
    size_t lower_bound_bytes; // the most bytes alive at one time: no plan can be smaller
};

// Sets the offset of each buffer to a multiple of `alignment` (a power of two). Several orders of placement are tried,
// the smallest result is kept; equal inputs give equal plans. Buffers of size 0 get offset 0. `temporary` is only used
// during the call. RL_ERROR_ARGUMENT: an empty lifetime; RL_ERROR_UNSUPPORTED: the sum of the sizes overflows;
// RL_ERROR_INTERNAL: the plan failed rl_plan_check.
enum rl_status rl_plan_arena(struct rl_context *context, struct rl_arena *temporary, struct rl_plan_buffer *buffers,
                             int count, size_t alignment, struct rl_plan_sizes *sizes);

// Independent check: offsets aligned, every end within arena_bytes, no two live buffers overlap, and arena_bytes is not
// below the lower bound.
enum rl_status rl_plan_check(struct rl_context *context, const struct rl_plan_buffer *buffers, int count,
                             size_t alignment, const struct rl_plan_sizes *sizes);

#endif
