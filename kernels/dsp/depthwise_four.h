// SPDX-License-Identifier: Apache-2.0
// One output position of a depthwise convolution, four channels at a time. In assembler because it needs every core
// register; depthwise_four_plain.h is the same in C.
//
// A tap takes 15 cycles on a Cortex-M4. Pixels are as far apart as taps, so one index serves both.
#ifndef RL_KERNELS_DSP_DEPTHWISE_FOUR_H
#define RL_KERNELS_DSP_DEPTHWISE_FOUR_H

#include "dsp/depthwise_four_plain.h"

__extension__ _Static_assert(offsetof(struct rl_depthwise_four, rows) == 32 &&
                                 offsetof(struct rl_depthwise_four, high) == 64,
                             "the assembler below uses these offsets");

// clang-format off
#define RL_DEPTHWISE_SCALE(sum, multiplier, shift) \
    "mvn r2, " shift "\n" \
    "rsb " shift ", " shift ", #0\n" \
    "lsl r2, r12, r2\n" \
    "lsls " sum ", " sum ", #1\n" \
    "smmlar r3, " sum ", " multiplier ", r2\n" \
    "add " sum ", r3, " sum ", asr #31\n" \
    "asrs " sum ", " sum ", " shift "\n" \
    "ssat " sum ", #8, " sum "\n"

// The same for any shift. One to the left needs the whole product, because the doubled sum may not fit.
#define RL_DEPTHWISE_SCALE_ANY(sum, multiplier, shift) \
    "cmp " shift ", #0\n" \
    "bge 31f\n" \
    RL_DEPTHWISE_SCALE(sum, multiplier, shift) \
    "b 32f\n" \
    "31:\n" \
    "lsl " sum ", " sum ", " shift "\n" \
    "smull r2, r3, " sum ", " multiplier "\n" \
    "adds r2, r2, #0x40000000\n" \
    "adc r3, r3, #0\n" \
    "lsls r3, r3, #1\n" \
    "orr " sum ", r3, r2, lsr #31\n" \
    "add " sum ", " sum ", r12, asr #1\n" \
    "ssat " sum ", #8, " sum "\n" \
    "32:\n"

// r0 is the input and r1 the weights behind a row of taps, r2 the index, r4-r7 sums, r8 offsets, r9 channels, r10 rows.
static __attribute__((naked, noinline)) void
rl_depthwise_four_run(__attribute__((unused)) struct rl_depthwise_four *job)
{
    __asm__("push {r0, r4-r11, lr}\n"
            "mov r3, r0\n"
            // Four channels.
            "1:\n"
            "ldr r12, [r3, #16]\n"
            "ldr r11, [r3, #24]\n"
            "ldr r0, [r3]\n"
            "ldr r1, [r3, #4]\n"
            "ldr r10, [r3, #32]\n"
            "ldr r8, [r3, #48]\n"
            "ldr r9, [r3, #52]\n"
            "ldm r12, {r4-r7}\n"
            "add r12, r12, r11\n"
            "str r12, [r3, #16]\n"
            "cmp r10, #0\n"
            "beq 4f\n"
            "2:\n"
            "ldr r2, [r3, #36]\n"
            "3:\n"
            "ldr r11, [r0, r2]\n"
            "ldr r12, [r1, r2]\n"
            "adds r2, r2, r9\n"
            "sxtab16 lr, r8, r11\n"
            "sxtb16 r3, r12\n"
            "smlabb r4, lr, r3, r4\n"
            "sxtab16 r11, r8, r11, ror #8\n"
            "smlatt r6, lr, r3, r6\n"
            "sxtb16 r12, r12, ror #8\n"
            "smlabb r5, r11, r12, r5\n"
            "smlatt r7, r11, r12, r7\n"
            "bne 3b\n"
            "ldr r3, [sp]\n"
            "ldr r11, [r3, #40]\n"
            "ldr r12, [r3, #44]\n"
            "subs r10, r10, #1\n"
            "add r0, r0, r11\n"
            "add r1, r1, r12\n"
            "bne 2b\n"
            // Outputs.
            "4:\n"
            "ldr r0, [r3, #8]\n"
            "ldr r1, [r3, #12]\n"
            "ldr r12, [r3, #56]\n"
            "ldm r0!, {r8, r9}\n"
            "ldm r1!, {r10, r11}\n"
            "ands r2, r10, r11\n"
            "bpl 6f\n"
            RL_DEPTHWISE_SCALE("r4", "r8", "r10")
            RL_DEPTHWISE_SCALE("r5", "r9", "r11")
            "5:\n"
            "ldm r0!, {r8, r9}\n"
            "ldm r1!, {r10, r11}\n"
            "ands r2, r10, r11\n"
            "bpl 8f\n"
            RL_DEPTHWISE_SCALE("r6", "r8", "r10")
            RL_DEPTHWISE_SCALE("r7", "r9", "r11")
            "7:\n"
            "ldr r3, [sp]\n"
            "bfi r4, r5, #8, #8\n"
            "bfi r6, r7, #8, #8\n"
            "pkhbt r4, r4, r6, lsl #16\n"
            "ldr r8, [r3, #60]\n"
            "ldr r9, [r3, #64]\n"
            "ldr r10, [r3, #20]\n"
            "ldr r11, [r3, #28]\n"
            "ldr r2, [r3]\n"
            "ldr r12, [r3, #4]\n"
            "strd r0, r1, [r3, #8]\n"
            "ssub8 r5, r4, r8\n"
            "sel r4, r4, r8\n"
            "ssub8 r5, r9, r4\n"
            "sel r4, r4, r9\n"
            "str r4, [r10], #4\n"
            "adds r2, r2, #4\n"
            "add r12, r12, #4\n"
            "str r10, [r3, #20]\n"
            "strd r2, r12, [r3]\n"
            "cmp r10, r11\n"
            "bne 1b\n"
            "pop {r0, r4-r11, pc}\n"
            // Pairs of channels of which one does not shift right.
            "6:\n"
            RL_DEPTHWISE_SCALE_ANY("r4", "r8", "r10")
            RL_DEPTHWISE_SCALE_ANY("r5", "r9", "r11")
            "b 5b\n"
            "8:\n"
            RL_DEPTHWISE_SCALE_ANY("r6", "r8", "r10")
            RL_DEPTHWISE_SCALE_ANY("r7", "r9", "r11")
            "b 7b\n");
}
// clang-format on

// The empty statements tell the compiler that the assembler reads and writes memory through `job`.
static inline void rl_depthwise_four(struct rl_depthwise_four *job)
{
    __asm__ volatile("" : : "r"(job) : "memory");
    rl_depthwise_four_run(job);
    __asm__ volatile("" : : "r"(job) : "memory");
}

#endif
