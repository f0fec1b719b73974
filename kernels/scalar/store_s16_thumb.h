// SPDX-License-Identifier: Apache-2.0
// rl_store_short_s16 in assembler for a Cortex-M0, whose compilers keep half of this loop in memory: 75 cycles a sum
// instead of 145. store_s16_plain.h is the same in C. Included by scalar/store_s16.h.
#ifndef RL_KERNELS_SCALAR_STORE_S16_THUMB_H
#define RL_KERNELS_SCALAR_STORE_S16_THUMB_H

#if RL_HAS_THUMB2_LOOP
#include "scalar/store_s16_plain.h"
#else

#include "scalar/rescale_thumb.h"

__extension__ _Static_assert(offsetof(struct rl_store_s16, output) == 4 && offsetof(struct rl_store_s16, end) == 16,
                             "the assembler below uses these offsets");

// What RL_RESCALED takes as limits: those of int16.
#define RL_STORE_S16_LIMITS                                                                                            \
    "movs r2, #1\n"                                                                                                    \
    "lsls r2, r2, #15\n"                                                                                               \
    "subs r7, r2, #1\n"                                                                                                \
    "adds r7, r7, r2\n"                                                                                                \
    "negs r2, r2\n"

// r3 is a sum, r4 the address of the next one, r5 of an output, r8 of a multiplier, r9 of a shift, r10 the end of the
// sums. The stack holds the shift and the job.
static __attribute__((naked, noinline)) void rl_store_s16_run(__attribute__((unused)) struct rl_store_s16 *job)
{
    __asm__(".syntax unified\n"
            "push {r4-r7, lr}\n" RL_HIGH_TO_LOW "push {r0, r4-r7}\n"
            "sub sp, #4\n"
            "ldm r0!, {r4-r7}\n"
            "mov r8, r6\n"
            "mov r9, r7\n"
            "ldr r0, [r0]\n"
            "mov r10, r0\n"
            "1:\n"
            "ldm r4!, {r3}\n"
            "mov r6, r9\n"
            "ldm r6!, {r0}\n"
            "negs r0, r0\n"
            "subs r1, r0, #1\n"
            "cmp r1, #21\n"
            "bhi 2f\n"
            "lsls r1, r3, #1\n"
            "asrs r1, r1, #1\n"
            "cmp r1, r3\n"
            "bne 2f\n"
            "str r0, [sp]\n"
            "movs r1, #1\n"
            "lsls r1, r0\n"
            "lsrs r1, r1, #1\n"
            "mov lr, r1\n"
            "mov r9, r6\n"
            "mov r6, r8\n"
            "ldm r6!, {r0}\n"
            "mov r8, r6\n"
            "uxth r1, r0\n"
            "mov r11, r1\n"
            "asrs r0, r0, #16\n"
            "mov r12, r0\n" //
            RL_RESCALED("r3", RL_STORE_S16_LIMITS) "strh r3, [r5]\n"
                                                   "adds r5, #2\n"
                                                   "cmp r4, r10\n"
                                                   "bne 1b\n"
                                                   "b 3f\n"
                                                   "2:\n"
                                                   "subs r4, #4\n"
                                                   "3:\n"
                                                   "add sp, #4\n"
                                                   "pop {r0}\n"
                                                   "mov r6, r8\n"
                                                   "mov r7, r9\n"
                                                   "stm r0!, {r4-r7}\n"
                                                   "pop {r4-r7}\n" RL_LOW_TO_HIGH "pop {r4-r7, pc}\n");
}

// The empty statements tell the compiler that the assembler reads and writes memory through the job.
static inline void rl_store_short_s16(struct rl_store_s16 *job)
{
    __asm__ volatile("" : : "r"(job) : "memory");
    rl_store_s16_run(job);
    __asm__ volatile("" : : "r"(job) : "memory");
}

#endif

#endif
