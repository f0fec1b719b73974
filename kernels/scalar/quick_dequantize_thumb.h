// SPDX-License-Identifier: Apache-2.0
// rl_quick_dequantize in assembler for a Cortex-M0, whose compilers keep half of this loop in memory: about 70 cycles a
// value instead of 132. quick_dequantize_plain.h is the same in C. Included by scalar/quick_dequantize.h.
#ifndef RL_KERNELS_SCALAR_QUICK_DEQUANTIZE_THUMB_H
#define RL_KERNELS_SCALAR_QUICK_DEQUANTIZE_THUMB_H

#if RL_HAS_THUMB2_LOOP
#include "scalar/quick_dequantize_plain.h"
#else

__extension__ _Static_assert(offsetof(struct rl_quick_dequantize, zero_point) == 12 &&
                                 offsetof(struct rl_quick_dequantize, scale) == 16,
                             "the assembler below uses these offsets");

// Shifts the magnitude in r3 and lowers the exponent in r5 by `bits`, unless it has `left` bits or more.
#define RL_DEQUANTIZE_SHIFT(left, bits, label)                                                                         \
    "lsrs r6, r3, #" left "\n"                                                                                         \
    "bne " label "f\n"                                                                                                 \
    "lsls r3, r3, #" bits "\n"                                                                                         \
    "subs r5, #" bits "\n" label ":\n"

// r0 is the address of a value, r1 of a float, r2 the lower 8 bits of the scale's mantissa and r7 the upper 16. r3 is
// the value less the zero point, then its magnitude, shifted to 16 bits, then the upper 32 of the product's 40 bits; r6
// its lower 8. r4 is the sign, r5 the exponent. r8 is the zero point, r9 the exponent for 16 bits, r10 what rounds, r12
// the end.
static __attribute__((naked, noinline)) void
rl_quick_dequantize_run(__attribute__((unused)) struct rl_quick_dequantize *job)
{
    __asm__(".syntax unified\n"
            "push {r4-r7, lr}\n"
            "mov r4, r8\n"
            "mov r5, r9\n"
            "mov r6, r10\n"
            "push {r4-r6}\n"
            "ldr r3, [r0, #8]\n"
            "mov r12, r3\n"
            "ldr r3, [r0, #12]\n"
            "mov r8, r3\n"
            "ldr r3, [r0, #16]\n"
            "lsls r4, r3, #1\n"
            "lsrs r4, r4, #24\n"
            "adds r4, #15\n" // 16 more, less 1 for the implicit bit of the mantissa
            "mov r9, r4\n"
            "uxtb r2, r3\n"
            "lsls r7, r3, #8\n"
            "movs r4, #1\n"
            "lsls r4, r4, #31\n"
            "orrs r7, r4\n"
            "lsrs r7, r7, #16\n"
            "subs r4, #1\n"
            "mov r10, r4\n"
            "ldm r0, {r0, r1}\n"
            "1:\n"
            "movs r6, #0\n"
            "ldrsh r3, [r0, r6]\n"
            "adds r0, #2\n"
            "mov r6, r8\n"
            "subs r3, r3, r6\n"
            "beq 9f\n"
            "asrs r4, r3, #31\n"
            "eors r3, r4\n"
            "subs r3, r3, r4\n"
            "lsls r4, r4, #31\n"
            "mov r5, r9\n" RL_DEQUANTIZE_SHIFT("8", "8", "2") RL_DEQUANTIZE_SHIFT("12", "4", "3")
                RL_DEQUANTIZE_SHIFT("14", "2", "4")
                    RL_DEQUANTIZE_SHIFT("15", "1", "5") "movs r6, r3\n"
                                                        "muls r6, r2, r6\n"
                                                        "muls r3, r7, r3\n"
                                                        "mov lr, r4\n"
                                                        "lsrs r4, r6, #8\n"
                                                        "adds r3, r3, r4\n"
                                                        "lsls r6, r6, #24\n" // the lower 8 bits, on top
                                                        "cmp r3, #0\n"
                                                        "bmi 6f\n"
                                                        "adds r6, r6, r6\n"
                                                        "adcs r3, r3\n"
                                                        "subs r5, #1\n"
                                                        "6:\n"
                                                        // What lies behind 24 bits, then the mantissa and its last bit.
                                                        "lsrs r6, r6, #8\n"
                                                        "lsls r4, r3, #24\n"
                                                        "orrs r6, r4\n"
                                                        "lsls r5, r5, #23\n"
                                                        "lsrs r3, r3, #8\n"
                                                        "lsrs r4, r3, #1\n"
                                                        "mov r4, r10\n"
                                                        "adcs r6, r4\n"
                                                        "adcs r3, r5\n"
                                                        "mov r4, lr\n"
                                                        "orrs r3, r4\n"
                                                        "9:\n"
                                                        "stm r1!, {r3}\n"
                                                        "cmp r0, r12\n"
                                                        "bne 1b\n"
                                                        "pop {r4-r6}\n"
                                                        "mov r8, r4\n"
                                                        "mov r9, r5\n"
                                                        "mov r10, r6\n"
                                                        "pop {r4-r7, pc}\n");
}

// The empty statements tell the compiler that the assembler reads and writes memory through the job.
static inline void rl_quick_dequantize(struct rl_quick_dequantize *job)
{
    __asm__ volatile("" : : "r"(job) : "memory");
    rl_quick_dequantize_run(job);
    __asm__ volatile("" : : "r"(job) : "memory");
}

#endif

#endif
