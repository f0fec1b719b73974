// SPDX-License-Identifier: Apache-2.0
// How much scratch a kernel may use. Callers of CMSIS-NN may leave ctx->size 0, because CMSIS-NN does not read it: then
// there is what the function announces. A positive size is believed: a program may have been planned for a core whose
// kernels announce less, and a caller may give more to save stack.
#ifndef RL_KERNELS_SCRATCH_H
#define RL_KERNELS_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arm_nn_types.h"

static inline int32_t rl_scratch_bytes(const cmsis_nn_context *ctx, int32_t announced)
{
    if (!ctx->buf) {
        return 0;
    }
    return ctx->size > 0 ? ctx->size : announced;
}

// Memory for the blocks of a kernel: scratch that nothing else uses, where it is large enough, else an array on the
// stack of exactly the size that this layer needs, so that small layers take little:
//
//     uint64_t stack[rl_work_missing(work, bytes)];
//     void *memory = rl_work_memory(work, bytes, stack);
//
// `bytes` is above 0 and bounded by what the tile takes at most.
struct rl_work {
    void *memory; // aligned to eight
    int32_t bytes;
};

// Of scratch with any address, also of none.
static inline struct rl_work rl_work_of(void *scratch, int32_t bytes)
{
    const uintptr_t skipped = (0 - (uintptr_t)scratch) & 7;
    return (struct rl_work){(void *)((uintptr_t)scratch + skipped), bytes - (int32_t)skipped};
}

// Elements of the array.
static inline uint32_t rl_work_missing(struct rl_work work, int32_t bytes)
{
    return work.bytes >= bytes ? 1 : (uint32_t)(bytes + 7) / 8;
}

static inline void *rl_work_memory(struct rl_work work, int32_t bytes, void *stack)
{
    return work.bytes >= bytes ? work.memory : stack;
}

#endif
