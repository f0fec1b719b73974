// SPDX-License-Identifier: Apache-2.0
// Memory for the blocks of a kernel: the scratch of the layer, or the stack.
#ifndef RL_KERNELS_SCRATCH_H
#define RL_KERNELS_SCRATCH_H

#include <stddef.h>
#include <stdint.h>

// Scratch that nothing else uses serves where it is large enough. Otherwise the blocks lie in an array on the stack of
// exactly the size that this layer needs, so that small layers take little:
//
//     uint64_t stack[rl_work_missing(work, bytes)];
//     void *memory = rl_work_memory(work, bytes, stack);
//
// `bytes` is above 0 and bounded by what the tile takes at most.
struct rl_work {
    void *memory; // aligned to eight
    int32_t bytes;
};

// `scratch` may have any address; NULL goes with 0 bytes.
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
