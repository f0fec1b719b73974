// SPDX-License-Identifier: Apache-2.0
// rl_copy_lines_s8 in assembler for Cortex-M3 and later: multiple transfers are faster than single ones on all of these
// cores. copy_lines_plain.h is the same in C. Included by scalar/copy_lines.h.
#ifndef RL_KERNELS_SCALAR_COPY_LINES_THUMB_H
#define RL_KERNELS_SCALAR_COPY_LINES_THUMB_H

#if RL_HAS_THUMB2_LOOP

#define RL_COPY_ONE_LINE "ldmia.w r1!, {r3-r10}\nstmia.w r0!, {r3-r10}\n"

static __attribute__((naked, noinline)) void rl_copy_lines_run(__attribute__((unused)) int8_t *to,
                                                               __attribute__((unused)) const int8_t *from,
                                                               __attribute__((unused)) int32_t lines)
{
    __asm__("push {r4-r10, lr}\n"
            "subs r2, r2, #8\n"
            "blt 2f\n"
            "1:\n" RL_COPY_ONE_LINE RL_COPY_ONE_LINE RL_COPY_ONE_LINE RL_COPY_ONE_LINE //
                RL_COPY_ONE_LINE RL_COPY_ONE_LINE RL_COPY_ONE_LINE RL_COPY_ONE_LINE    //
            "subs r2, r2, #8\n"
            "bge 1b\n"
            "2:\n"
            "adds r2, r2, #8\n"
            "beq 4f\n"
            "3:\n" RL_COPY_ONE_LINE //
            "subs r2, r2, #1\n"
            "bne 3b\n"
            "4:\n"
            "pop {r4-r10, pc}\n");
}

// The empty statements tell the compiler that the assembler reads and writes memory.
static inline void rl_copy_lines_s8(int8_t *to, const int8_t *from, int32_t lines)
{
    __asm__ volatile("" : : "r"(to), "r"(from) : "memory");
    rl_copy_lines_run(to, from, lines);
    __asm__ volatile("" : : "r"(to), "r"(from) : "memory");
}

#else
#include "scalar/copy_lines_plain.h"
#endif

#endif
