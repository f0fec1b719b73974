// SPDX-License-Identifier: Apache-2.0
// One output position of a depthwise convolution, four channels at a time. In assembler because it needs every core
// register; depthwise_four_plain.h is the same in C.
//
// Pixels are as far apart as taps, so one index serves both, and a tap takes 15 cycles on a Cortex-M4. The last
// three taps of a row need no index, and take 11 each.
#ifndef RL_KERNELS_DSP_DEPTHWISE_FOUR_H
#define RL_KERNELS_DSP_DEPTHWISE_FOUR_H

#include "dsp/depthwise_four_plain.h"
#include "isa.h"

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

// A tap of a row whose first one is at r0 and r1, in 40 bytes. `at` follows these.
#define RL_DEPTHWISE_TAP(at) \
    "ldr.w r12, [r1" at "]\n" \
    "ldr.w r11, [r0" at "]\n" \
    "sxtb16 r2, r12\n" \
    "sxtab16 r3, r8, r11\n" \
    "sxtab16 r11, r8, r11, ror #8\n" \
    "smlabb r4, r3, r2, r4\n" \
    "sxtb16 r12, r12, ror #8\n" \
    "smlatt r6, r3, r2, r6\n" \
    "smlabb r5, r11, r12, r5\n" \
    "smlatt r7, r11, r12, r7\n"

// Exchanges two registers.
#define RL_DEPTHWISE_EXCHANGE(a, b) \
    "mov r2, " a "\n" \
    "mov " a ", " b "\n" \
    "mov " b ", r2\n"

// r0 is the input and r1 the weights, at the last three taps of a row or at all of them if they are fewer; r2 is the
// index of those before, r4-r7 sums, r8 offsets, r9 channels, r10 rows. In small code r0 and r1 are behind the row, and
// the index counts all taps.
static __attribute__((naked, noinline)) void
rl_depthwise_four_run(__attribute__((unused)) struct rl_depthwise_four *job)
{
    // On the stack: 0 the job, 4 and 8 its x_line and w_line, 12 the loop over a row of taps.
    __asm__("ldrd r1, r2, [r0, #40]\n"
            "push {r0-r11, lr}\n"
            "mov r3, r0\n"
            ".if !" RL_SMALL_TEXT "\n"
            "ldr r5, [r3, #36]\n"
            "ldr r4, [r3, #52]\n"
            "adr.w r6, 2f\n"
            "add r2, r4, r4, lsl #1\n"
            "adds r2, r2, r5\n"
            "str r2, [r3, #36]\n"
            "it mi\n"
            "submi r5, r5, r2\n"
            "bmi 11f\n"
            // A tap that is missing to three skips 40 bytes.
            "adr.w r6, 23f\n"
            "it ne\n"
            "addne r6, r6, #40\n"
            "cmp r2, r4\n"
            "it gt\n"
            "addgt r6, r6, #40\n"
            "11:\n"
            "ldrd r0, r1, [r3]\n"
            "add r0, r0, r5\n"
            "add r1, r1, r5\n"
            "strd r0, r1, [r3]\n"
            "adds r6, r6, #1\n"
            "str r6, [sp, #12]\n"
            ".endif\n"
            // Four channels.
            "1:\n"
            "ldr r2, [r3, #16]\n"
            "ldr r0, [r3, #24]\n"
            "adds r0, r2, r0\n"
            "ldr r10, [r3, #32]\n"
            "ldrd r8, r9, [r3, #48]\n"
            "ldm r2!, {r4-r7}\n"
            "str r0, [r3, #16]\n"
            "ldr r0, [r3]\n"
            "ldr r1, [r3, #4]\n"
            "cmp r10, #0\n"
            "beq 4f\n"
            ".if !" RL_SMALL_TEXT "\n"
            "ldr lr, [sp, #12]\n"
            "bx lr\n"
            ".p2align 2\n"
            ".endif\n"
            "2:\n"
            "ldr r3, [sp]\n"
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
            ".if !" RL_SMALL_TEXT "\n"
            "ldr.w lr, [sp, #12]\n"
            ".p2align 2\n"
            "23:\n"
            RL_DEPTHWISE_TAP(", r9, lsl #1") RL_DEPTHWISE_TAP(", r9") RL_DEPTHWISE_TAP("")
            RL_SIZE_CHECK("23b", "120")
            ".endif\n"
            // The next row.
            "24:\n"
            "ldr r2, [sp, #4]\n"
            "ldr r3, [sp, #8]\n"
            "subs r10, r10, #1\n"
            "add r0, r0, r2\n"
            "add r1, r1, r3\n"
            ".if " RL_SMALL_TEXT "\n"
            "bne 2b\n"
            ".else\n"
            "it ne\n"
            "bxne lr\n"
            ".endif\n"
            "ldr r3, [sp]\n"
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
            "ldr r6, [r3, #60]\n"
            "ldr r7, [r3, #64]\n"
            "ldr r5, [r3, #20]\n"
            "ldr r11, [r3, #28]\n"
            "ldr r2, [r3]\n"
            "strd r0, r1, [r3, #8]\n"
            "ldr r0, [r3, #4]\n"
            "ssub8 r1, r4, r6\n"
            "sel r4, r4, r6\n"
            "ssub8 r1, r7, r4\n"
            "sel r4, r4, r7\n"
            "str r4, [r5], #4\n"
            "adds r2, r2, #4\n"
            "adds r0, r0, #4\n"
            "str r5, [r3, #20]\n"
            "strd r2, r0, [r3]\n"
            "cmp r5, r11\n"
            "bls 1b\n"
            "subs r11, r5, r11\n"
            "cmp r11, #4\n"
            "beq 12f\n"
            // One to three channels are left: four again, of which the first ones were computed before.
            "sub r5, r5, r11\n"
            "sub r2, r2, r11\n"
            "sub r0, r0, r11\n"
            "str r5, [r3, #20]\n"
            "strd r2, r0, [r3]\n"
            "ldrd r0, r1, [r3, #8]\n"
            "ldr r2, [r3, #16]\n"
            "ldr r4, [r3, #24]\n"
            "sub r0, r0, r11, lsl #2\n"
            "sub r1, r1, r11, lsl #2\n"
            "lsrs r4, r4, #2\n"
            "mls r2, r11, r4, r2\n"
            "strd r0, r1, [r3, #8]\n"
            "str r2, [r3, #16]\n"
            "b 1b\n"
            "12:\n"
            "pop {r0-r11, pc}\n"
            // Pairs of channels of which one does not shift right.
            "6:\n"
            "bl 9f\n"
            "b 5b\n"
            "8:\n"
            "push {r4, r5}\n"
            "mov r4, r6\n"
            "mov r5, r7\n"
            "bl 9f\n"
            "mov r6, r4\n"
            "mov r7, r5\n"
            "pop {r4, r5}\n"
            "b 7b\n"
            // Scales r4 and r5, one after the other, by any shift. One to the left needs the whole product, because the
            // doubled sum may not fit.
            "9:\n"
            "push {lr}\n"
            "bl 10f\n"
            RL_DEPTHWISE_EXCHANGE("r4", "r5")
            "mov r8, r9\n"
            "mov r10, r11\n"
            "bl 10f\n"
            RL_DEPTHWISE_EXCHANGE("r4", "r5")
            "pop {pc}\n"
            "10:\n"
            "cmp r10, #0\n"
            "bge 31f\n"
            RL_DEPTHWISE_SCALE("r4", "r8", "r10")
            "bx lr\n"
            "31:\n"
            "lsl r4, r4, r10\n"
            "smull r2, r3, r4, r8\n"
            "adds r2, r2, #0x40000000\n"
            "adc r3, r3, #0\n"
            "lsls r3, r3, #1\n"
            "orr r4, r3, r2, lsr #31\n"
            "add r4, r4, r12, asr #1\n"
            "ssat r4, #8, r4\n"
            "bx lr\n");
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
