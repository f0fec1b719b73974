// SPDX-License-Identifier: Apache-2.0
// Memory for the blocks of a kernel: unused scratch if there is enough, else an array on the stack of exactly the size
// that this layer needs, so that small layers take little:
//
//     scratch = rl_scratch_rest(scratch, 0);
//     uint64_t stack[rl_scratch_missing(scratch, bytes)];
//     void *memory = rl_scratch_memory(scratch, bytes, stack);
//
// `bytes` is above 0 and bounded by what the tile takes at most.
#ifndef RL_KERNELS_SCRATCH_H
#define RL_KERNELS_SCRATCH_H

#include <stddef.h>
#include <stdint.h>

#include "rushlight/kernels/layer.h"

// The rest of a scratch behind its first `used` bytes, from the next multiple of eight on. The scratch may have any
// address, or be NULL. The rest has negative bytes when the scratch ends before it.
static inline struct rl_scratch rl_scratch_rest(struct rl_scratch scratch, int32_t used)
{
    const uintptr_t start = (uintptr_t)scratch.memory + (uintptr_t)used;
    const uintptr_t skipped = (0 - start) & 7;
    return (struct rl_scratch){(void *)(start + skipped), scratch.bytes - used - (int32_t)skipped};
}

// The elements of the array on the stack: one when the scratch is large enough.
static inline uint32_t rl_scratch_missing(struct rl_scratch scratch, int32_t bytes)
{
    return scratch.bytes >= bytes ? 1 : (uint32_t)(bytes + 7) / 8;
}

static inline void *rl_scratch_memory(struct rl_scratch scratch, int32_t bytes, void *stack)
{
    return scratch.bytes >= bytes ? scratch.memory : stack;
}

#endif
