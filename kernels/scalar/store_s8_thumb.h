// SPDX-License-Identifier: Apache-2.0
// rl_store_some_s8 in assembler for a Cortex-M0: about 45 cycles a sum instead of 80. Included by scalar/store_s8.h.
#ifndef RL_KERNELS_SCALAR_STORE_S8_THUMB_H
#define RL_KERNELS_SCALAR_STORE_S8_THUMB_H

#if RL_HAS_THUMB2_LOOP || RL_SMALL
#include "scalar/store_s8_plain.h"
#else

#include "scalar/rescale_thumb.h"

enum { RL_HAS_STORE_S8 = 1 };

__extension__ _Static_assert(offsetof(struct rl_store_s8, multiplier) == 12 &&
                                 offsetof(struct rl_store_s8, addend) == 40,
                             "the assembler below uses these offsets");

#define RL_STORE_S8_LIMITS                                                                                             \
    "ldr r2, [sp, #4]\n"                                                                                               \
    "ldr r7, [sp, #8]\n"

// r3 is a sum, r4 the address of the next one, r5 of an output, r6 of a shift, r7 of a multiplier, r8 of a bias, r9 the
// bytes to the next bias, r10 the end of the sums, r11 the addend, r12 the upper limit less the lower one, lr the lower
// limit. The stack holds a shift, lr, r12, the rounding, r11, r7 and the job.
static __attribute__((naked, noinline)) void rl_store_s8_run(__attribute__((unused)) struct rl_store_s8 *job)
{
    __asm__(".syntax unified\n"
            "push {r4-r7, lr}\n" RL_HIGH_TO_LOW "push {r0, r4-r7}\n"
            "sub sp, #24\n"
            "ldm r0!, {r4-r7}\n"
            "ldm r0!, {r1, r2, r3}\n"
            "mov r8, r1\n"
            "mov r9, r2\n"
            "mov r10, r3\n"
            "ldm r0!, {r1, r2}\n"
            "mov lr, r1\n"
            "mov r12, r2\n"
            "str r1, [sp, #4]\n"
            "str r2, [sp, #8]\n"
            "ldm r0!, {r1, r2}\n"
            "mov r11, r2\n"
            "str r1, [sp, #12]\n"
            "str r2, [sp, #16]\n"
            "1:\n"
            "ldm r4!, {r3}\n"
            "mov r1, r8\n"
            "ldr r1, [r1]\n"
            "add r8, r9\n"
            "adds r3, r3, r1\n"
            "ldm r6!, {r0}\n"
            "negs r0, r0\n"
            "ldm r7!, {r2}\n"                                                                     //
            RL_QUICK_SCALE("r2", "r0", "4f") RL_QUICK("r3", "r0", "r2", "r11", "r12", "5f", "6f") //
            "add r3, lr\n"
            "3:\n"
            "strb r3, [r5]\n"
            "adds r5, #1\n"
            "cmp r4, r10\n"
            "bne 1b\n"
            "b 8f\n"
            "5:\n"                      // beyond the limits
            RL_QUICK_LIMIT("r3", "r12") //
            "add r1, lr\n"
            "strb r1, [r5]\n"
            "adds r5, #1\n"
            "cmp r4, r10\n"
            "bne 1b\n"
            "b 8f\n"
            // A value near the limit of two results.
            "6:\n"
            "mov r1, r8\n"
            "mov r2, r9\n"
            "subs r1, r1, r2\n"
            "ldr r1, [r1]\n"
            "subs r4, #4\n"
            "ldm r4!, {r3}\n"
            "adds r3, r3, r1\n"
            "subs r7, #4\n"
            "ldm r7!, {r2}\n"
            "adds r0, #6\n"
            "b 10f\n"
            // Another scale.
            "4:\n"
            "adds r0, #6\n"
            "subs r1, r0, #1\n"
            "cmp r1, #21\n"
            "bhi 7f\n"
            "lsls r1, r3, #1\n"
            "asrs r1, r1, #1\n"
            "cmp r1, r3\n"
            "bne 7f\n"
            "10:\n"
            "str r0, [sp]\n"
            "str r7, [sp, #20]\n"
            "ldr r1, [sp, #12]\n"
            "subs r0, #1\n"
            "lsls r1, r0\n"
            "mov lr, r1\n"
            "uxth r1, r2\n"
            "mov r11, r1\n"
            "asrs r2, r2, #16\n"
            "mov r12, r2\n" //
            RL_RESCALED("r3", RL_STORE_S8_LIMITS) "mov lr, r2\n"
                                                  "ldr r1, [sp, #8]\n"
                                                  "mov r12, r1\n"
                                                  "ldr r1, [sp, #16]\n"
                                                  "mov r11, r1\n"
                                                  "ldr r7, [sp, #20]\n"
                                                  "b 3b\n"
                                                  "7:\n"
                                                  "subs r4, #4\n"
                                                  "8:\n"
                                                  "add sp, #24\n"
                                                  "pop {r0}\n"
                                                  "str r4, [r0]\n"
                                                  "pop {r4-r7}\n" RL_LOW_TO_HIGH "pop {r4-r7, pc}\n");
}

// The empty statements tell the compiler that the assembler reads and writes memory through the job.
static inline void rl_store_some_s8(struct rl_store_s8 *job)
{
    const int32_t offset = (job->rounding - 1) / 2;
    job->addend = RL_QUICK_ADDEND(offset, job->low);
    __asm__ volatile("" : : "r"(job) : "memory");
    rl_store_s8_run(job);
    __asm__ volatile("" : : "r"(job) : "memory");
}

#endif

#endif
