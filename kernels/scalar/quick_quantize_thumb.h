// SPDX-License-Identifier: Apache-2.0
// rl_quick_quantize in assembler for a Cortex-M0, whose compilers keep half of this loop in memory: 41 cycles a number
// instead of 128. quick_quantize_plain.h is the same in C. Included by scalar/quick_quantize.h.
#ifndef RL_KERNELS_SCALAR_QUICK_QUANTIZE_THUMB_H
#define RL_KERNELS_SCALAR_QUICK_QUANTIZE_THUMB_H

#if RL_HAS_THUMB2_LOOP
#include "scalar/quick_quantize_plain.h"
#else

__extension__ _Static_assert(offsetof(struct rl_quick_quantize, inverse) == 12 &&
                                 offsetof(struct rl_quick_quantize, zero_point) == 28,
                             "the assembler below uses these offsets");

// r0 is the address of a number, r1 of a result, r2 half, r3 the number, r5 its fraction, r7 bit 31. r8 is base, r9
// least, r10 span, r11 the zero point, r12 the end, lr what is between the ends of the product: DOWN + UP of
// rl_round_upper_halves. The job is at the top of the stack.
static __attribute__((naked, noinline)) void
rl_quick_quantize_run(__attribute__((unused)) struct rl_quick_quantize *job)
{
    __asm__(".syntax unified\n"
            "push {r4-r7, lr}\n" RL_HIGH_TO_LOW "push {r0, r4-r7}\n"
            "adds r0, #8\n"
            "ldm r0!, {r1-r6}\n"
            "mov r12, r1\n"
            "mov r8, r3\n"
            "mov r9, r4\n"
            "mov r10, r5\n"
            "mov r11, r6\n"
            "subs r0, #32\n"
            "ldm r0, {r0, r1}\n"
            "ldr r7, 7f\n"
            "mov lr, r7\n"
            "movs r7, #1\n"
            "lsls r7, r7, #31\n"
            "1:\n"
            "ldm r0!, {r3}\n"
            "lsls r4, r3, #1\n"
            "lsrs r4, r4, #24\n"
            "mov r5, r8\n"
            "subs r5, r5, r4\n"
            "mov r6, r9\n"
            "subs r6, r5, r6\n"
            "cmp r6, r10\n"
            "bhi 4f\n"
            "lsls r4, r3, #8\n"
            "orrs r4, r7\n"
            "lsrs r4, r4, #16\n"
            "muls r4, r2, r4\n"
            "lsrs r4, r4, #1\n"
            "movs r6, #1\n"
            "lsls r6, r5\n"
            "lsrs r6, r6, #1\n"
            "adds r4, r4, r6\n"
            "subs r4, #255\n"
            "subs r4, #1\n"
            "movs r6, r4\n"
            "lsrs r6, r5\n"
            "add r4, lr\n"
            "lsrs r4, r5\n"
            "cmp r4, r6\n"
            "bne 5f\n"
            "asrs r3, r3, #31\n"
            "eors r6, r3\n"
            "subs r6, r6, r3\n"
            "2:\n"
            "add r6, r11\n"
            "sxtb r4, r6\n"
            "cmp r4, r6\n"
            "bne 6f\n"
            "3:\n"
            "strb r6, [r1]\n"
            "adds r1, #1\n"
            "cmp r0, r12\n"
            "bne 1b\n"
            "b 8f\n"
            // Another exponent.
            "4:\n"
            "movs r6, #0\n"
            "cmp r5, #34\n"
            "bge 2b\n"
            // More bits are needed.
            "5:\n"
            "subs r0, #4\n"
            "b 8f\n"
            // Outside of int8.
            "6:\n"
            "asrs r6, r6, #31\n"
            "movs r4, #127\n"
            "eors r6, r4\n"
            "b 3b\n"
            ".balign 4\n"
            "7:\n"
            ".word 66049\n" // 2^8 + 2^16 + 1 + 2^8
            "8:\n"
            "pop {r2, r4-r7}\n"
            "stm r2!, {r0, r1}\n" RL_LOW_TO_HIGH "pop {r4-r7, pc}\n");
}

// The empty statements tell the compiler that the assembler reads and writes memory through the job.
static inline void rl_quick_quantize(struct rl_quick_quantize *job)
{
    __asm__ volatile("" : : "r"(job) : "memory");
    rl_quick_quantize_run(job);
    __asm__ volatile("" : : "r"(job) : "memory");
}

#endif

#endif
