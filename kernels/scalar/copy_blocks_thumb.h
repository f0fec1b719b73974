// SPDX-License-Identifier: Apache-2.0
// rl_copy_blocks_s8 in assembler for a Cortex-M0: multiple transfers take five cycles for four words, single
// ones eight. Included by scalar/copy_blocks.h.
#ifndef RL_KERNELS_SCALAR_COPY_BLOCKS_THUMB_H
#define RL_KERNELS_SCALAR_COPY_BLOCKS_THUMB_H

#if RL_HAS_THUMB2_LOOP || RL_SMALL
#include "scalar/copy_blocks_plain.h"
#else

enum { RL_HAS_COPY_BLOCKS = 1 };

#define RL_COPY_ONE_BLOCK "ldm r1!, {r3-r6}\nstm r0!, {r3-r6}\nldm r1!, {r3-r6}\nstm r0!, {r3-r6}\n"

static __attribute__((naked, noinline)) void rl_copy_blocks_run(__attribute__((unused)) int8_t *to,
                                                                __attribute__((unused)) const int8_t *from,
                                                                __attribute__((unused)) int32_t blocks)
{
    __asm__(".syntax unified\n"
            "push {r4-r6, lr}\n"
            "subs r2, r2, #4\n"
            "blt 2f\n"
            "1:\n" RL_COPY_ONE_BLOCK RL_COPY_ONE_BLOCK RL_COPY_ONE_BLOCK RL_COPY_ONE_BLOCK //
            "subs r2, r2, #4\n"
            "bge 1b\n"
            "2:\n"
            "adds r2, r2, #4\n"
            "beq 4f\n"
            "3:\n" RL_COPY_ONE_BLOCK //
            "subs r2, r2, #1\n"
            "bne 3b\n"
            "4:\n"
            "pop {r4-r6, pc}\n");
}

// The empty statements tell the compiler that the assembler reads and writes memory.
static inline void rl_copy_blocks_s8(int8_t *to, const int8_t *from, int32_t blocks)
{
    __asm__ volatile("" : : "r"(to), "r"(from) : "memory");
    rl_copy_blocks_run(to, from, blocks);
    __asm__ volatile("" : : "r"(to), "r"(from) : "memory");
}

#endif

#endif
