// SPDX-License-Identifier: Apache-2.0
// An expanded row times groups of three int8 filters, with scaled outputs. In assembler for the same reason as
// dot_3x2.h; dot_expanded_plain.h is the same in C and describes the job.
//
// Twelve products take 18 cycles on a Cortex-M4, and a group of three outputs 80 more, so that filters may be short.
#ifndef RL_KERNELS_DSP_DOT_EXPANDED_H
#define RL_KERNELS_DSP_DOT_EXPANDED_H

#include "dsp/dot_expanded_plain.h"
#include "isa.h"

#include RL_SCHEDULE(dot_expanded)

__extension__ _Static_assert(offsetof(struct rl_dot_expanded, scale) == 32 &&
                                 offsetof(struct rl_dot_expanded, low) == 44 &&
                                 offsetof(struct rl_dot_expanded, multiplier) == 64 &&
                                 offsetof(struct rl_dot_expanded, fours) == 84,
                             "the assembler below uses these offsets");

// clang-format off
// The output of a doubled sum, before saturation, with a scale of its own. `shift` is the right shift minus 1, r12 the
// rounding, lr is used.
#define RL_DOT_EXPANDED_OWN(sum, multiplier, shift) \
    "lsl lr, r12, " shift "\n" \
    "qadd " sum ", " sum ", " sum "\n" \
    "add " shift ", " shift ", #1\n" \
    "smmlar lr, " sum ", " multiplier ", lr\n" \
    "asr " sum ", " sum ", #31\n" \
    "add " sum ", " sum ", lr\n" \
    "asr " sum ", " sum ", " shift "\n"

// r0 is the row, r1 the first filter of the group, r2 the distance to the next, r3 counts rounds, r4-r6 are sums, r7 and
// r8 values, r9-r12 and lr weights. The top of the stack holds the job. All instructions of a step have four bytes,
// because the loop is entered in its middle.
static __attribute__((naked, noinline)) void rl_dot_expanded_run(__attribute__((unused)) struct rl_dot_expanded *job)
{
    __asm__("push {r0, r4-r11, lr}\n"
            "ldr r1, [r0, #84]\n"
            "mov lr, r0\n"
            "rsbs r2, r1, #0\n"
            "adds r1, r1, #7\n"
            "and r2, r2, #7\n"
            "lsrs r1, r1, #3\n"
            "add r2, r2, r2, lsl #4\n"
            "adr r3, 2f\n"
            "add r3, r3, r2, lsl #2\n"
            "str r1, [r0, #12]\n"
            "str r3, [r0, #28]\n"
            // A group.
            ".balign 4\n"
            "1:\n"
            "ldm lr, {r0-r3, r7-r10}\n"
            "add r11, r1, r2\n"
            "ldr r4, [r7]\n"
            "ldr r5, [r7, r8]\n"
            "ldr r6, [r7, r8, lsl #1]\n"
            "add r8, r8, r8, lsl #1\n"
            "add r11, r11, r2, lsl #1\n"
            "add r7, r7, r8\n"
            "str r11, [lr, #4]\n"
            "str r7, [lr, #16]\n"
            "add r4, r4, r9\n"
            "mov r12, r10\n"
            RL_DOT_EXPANDED_FIRST
            "add r5, r5, r9\n"
            "add r6, r6, r9\n"
            "mov pc, r12\n"
            ".balign 4\n"
            "2:\n" RL_DOT_EXPANDED_STEP RL_DOT_EXPANDED_STEP RL_DOT_EXPANDED_STEP RL_DOT_EXPANDED_STEP
            RL_DOT_EXPANDED_STEP RL_DOT_EXPANDED_STEP RL_DOT_EXPANDED_STEP RL_DOT_EXPANDED_STEP
            RL_SIZE_CHECK("2b", "68 * 8")
            "subs r3, r3, #1\n"
            "bne 2b\n"
            "ldr lr, [sp]\n"
            "ldr r0, [lr, #64]\n"
            "add r1, lr, #32\n"
            "cmp r0, #0\n"
            "bne 5f\n"
            "ldm r1, {r1-r3, r7-r11}\n"
            "qadd r4, r4, r4\n"
            "qadd r5, r5, r5\n"
            "qadd r6, r6, r6\n"
            "smmlar r0, r4, r1, r2\n"
            "smmlar r12, r5, r1, r2\n"
            "add r4, r0, r4, asr #31\n"
            "smmlar r0, r6, r1, r2\n"
            "add r5, r12, r5, asr #31\n"
            "asr r4, r4, r3\n"
            "add r6, r0, r6, asr #31\n"
            "asr r5, r5, r3\n"
            "asr r6, r6, r3\n"
            "3:\n"
            "ssat r4, #8, r4\n"
            "ssat r5, #8, r5\n"
            "ssat r6, #8, r6\n"
            "bfi r4, r5, #8, #8\n"
            "bfi r4, r6, #16, #8\n"
            "ssub8 r5, r4, r7\n"
            "sel r4, r4, r7\n"
            "ssub8 r5, r8, r4\n"
            "sel r4, r4, r8\n"
            "subs r11, r11, #3\n"
            "lsr r5, r4, #8\n"
            "strb r4, [r9]\n"
            "lsr r6, r4, #16\n"
            "strb r5, [r9, r10]\n"
            "add r9, r9, r10, lsl #1\n"
            "strb r6, [r9]\n"
            "add r9, r9, r10\n"
            "str r9, [lr, #52]\n"
            "4:\n"
            "str r11, [lr, #60]\n"
            "bne 1b\n"
            "pop {r0, r4-r11, pc}\n"
            // Scales of filters, or sums.
            "5:\n"
            "ldr r1, [lr, #80]\n"
            "cmp r1, #0\n"
            "bne 6f\n"
            "ldr r1, [lr, #68]\n"
            "ldr r2, [lr, #72]\n"
            "ldr r12, [lr, #76]\n"
            "ldr r3, [r0]\n"
            "ldr r7, [r0, r2]\n"
            "ldr r8, [r0, r2, lsl #1]\n"
            "ldr r9, [r1]\n"
            "ldr r10, [r1, r2]\n"
            "ldr r11, [r1, r2, lsl #1]\n"
            "add r2, r2, r2, lsl #1\n"
            "add r0, r0, r2\n"
            "add r1, r1, r2\n"
            "strd r0, r1, [lr, #64]\n"
            "eor r0, r3, #0x40000000\n"
            "eor r1, r7, #0x40000000\n"
            "eor r2, r8, #0x40000000\n"
            "orr r0, r0, r1\n"
            "orr r0, r0, r2\n"
            "mvn r9, r9\n"
            "mvn r10, r10\n"
            "mvn r11, r11\n"
            "tst r0, #0xc0000000\n"
            "bne 7f\n"
            "cmp r9, #19\n"
            "it ls\n"
            "cmpls r10, #19\n"
            "it ls\n"
            "cmpls r11, #19\n"
            "bhi 7f\n"
            RL_DOT_EXPANDED_OWN("r4", "r3", "r9")
            RL_DOT_EXPANDED_OWN("r5", "r7", "r10")
            RL_DOT_EXPANDED_OWN("r6", "r8", "r11")
            "ldr lr, [sp]\n"
            "add r0, lr, #44\n"
            "ldm r0, {r7-r11}\n"
            "b 3b\n"
            "6:\n"
            "ldr r11, [lr, #60]\n"
            "stm r1!, {r4-r6}\n"
            "str r1, [lr, #80]\n"
            "subs r11, r11, #3\n"
            "b 4b\n"
            "7:\n"
            "pop {r0, r4-r11, pc}\n");
}
// clang-format on

// The empty statements tell the compiler that the assembler reads and writes memory through `job`.
static inline void rl_dot_expanded(struct rl_dot_expanded *job)
{
    __asm__ volatile("" : : "r"(job) : "memory");
    rl_dot_expanded_run(job);
    __asm__ volatile("" : : "r"(job) : "memory");
}

#endif
