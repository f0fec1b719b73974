// SPDX-License-Identifier: Apache-2.0
// Pairs of neighbouring outputs of a depthwise convolution with filters of 3x3 and a stride of 2, four channels at a
// time, from where their inputs lie. In assembler because it needs every core register; depthwise_pairs_plain.h is the
// same in C.
//
// A pair is computed in two passes, of channels 0 and 2 and of channels 1 and 3. A row of taps loads three words of
// weights, which both outputs share, and five pixels: 12 products in 30 cycles on a Cortex-M4.
// RL_SCHEDULE has the rows, of 112 bytes each, because the loop is entered at any of them.
#ifndef RL_KERNELS_DSP_DEPTHWISE_PAIRS_H
#define RL_KERNELS_DSP_DEPTHWISE_PAIRS_H

#include "dsp/depthwise_pairs_plain.h"
#include "isa.h"

#include RL_SCHEDULE(depthwise_pairs)

__extension__ _Static_assert(offsetof(struct rl_depthwise_pairs, rows) == 40 &&
                                 offsetof(struct rl_depthwise_pairs, half) == 56 &&
                                 sizeof(struct rl_depthwise_half) == 68,
                             "the assembler below uses these offsets");

// clang-format off
// Scales the sums of two channels, and joins those of each output in r4 and r6.
#define RL_PAIRS_SCALE(at) \
    "add.w lr, r1, #" at "\n" \
    "ldm.w lr, {r8-r12, lr}\n" \
    "add r0, r9, r4, asr #31\n" \
    "add r1, r9, r6, asr #31\n" \
    "smmlar r4, r4, r8, r0\n" \
    "smmlar r6, r6, r8, r1\n" \
    "add r0, r12, r5, asr #31\n" \
    "add r1, r12, r7, asr #31\n" \
    "asr r4, r4, r10\n" \
    "smmlar r5, r5, r11, r0\n" \
    "smmlar r7, r7, r11, r1\n" \
    "asr r6, r6, r10\n" \
    "ssat r4, #8, r4\n" \
    "asr r5, r5, lr\n" \
    "asr r7, r7, lr\n" \
    "ssat r6, #8, r6\n" \
    "ssat r5, #8, r5\n" \
    "ssat r7, #8, r7\n" \
    "pkhbt r4, r4, r5, lsl #16\n" \
    "pkhbt r6, r6, r7, lsl #16\n"

#define RL_PAIRS_CLAMP(bytes) \
    "ssub8 r8, " bytes ", r10\n" \
    "sel " bytes ", " bytes ", r10\n" \
    "ssub8 r8, r11, " bytes "\n" \
    "sel " bytes ", " bytes ", r11\n"

// r0 is the input, r1 the job, r2 the bytes of a pixel, r3 the offsets; r4, r5 are the sums of the left output, r6, r7
// those of the right one; r8-r10 are weights, r11, r12 and lr pixels. On the stack: 0 the bytes to the next row of taps,
// 4 the job, 8 the input, 12 the output, 16 the end of the line of outputs, 20 and 24 where the passes enter their rows,
// 28 and 32 the outputs of the first pass.
static __attribute__((naked, noinline)) void
rl_depthwise_pairs_run(__attribute__((unused)) struct rl_depthwise_pairs *job)
{
    __asm__("push {r4-r11, lr}\n"
            "sub sp, sp, #44\n"
            "mov r1, r0\n"
            "ldrd r2, r6, [r1, #8]\n"
            "str r1, [sp, #4]\n"
            "sub r6, r6, r2, lsl #1\n"
            "str r6, [sp]\n"
            "ldrd r6, r3, [r1, #40]\n"
            "rsb r6, r6, #3\n"
            "movs r5, #112\n"
            "mul r6, r6, r5\n"
            "adr.w r4, 3f\n"
            "adr.w r5, 4f\n"
            "add r4, r4, r6\n"
            "add r5, r5, r6\n"
            "orr r4, r4, #1\n"
            "orr r5, r5, #1\n"
            "strd r4, r5, [sp, #20]\n"
            // A line of outputs.
            "1:\n"
            "ldrd r0, r4, [r1]\n"
            "ldrd r6, r5, [r1, #20]\n"
            "ldrd r7, r8, [r1, #28]\n"
            "ldr r9, [r1, #36]\n"
            "mul r5, r5, r6\n"
            "add r5, r4, r5, lsl #1\n"
            "strd r0, r4, [sp, #8]\n"
            "str r5, [sp, #16]\n"
            "add r8, r8, r0\n"
            "add r9, r9, r4\n"
            "subs r7, r7, #1\n"
            "strd r8, r9, [r1]\n"
            "str r7, [r1, #28]\n"
            // A pair.
            "2:\n"
            "ldrd r4, r5, [r1, #56]\n"
            "ldr lr, [sp, #20]\n"
            "mov r6, r4\n"
            "mov r7, r5\n"
            "bx lr\n"
            ".p2align 2\n"
            "3:\n" RL_PAIRS_ROW("", "88") RL_PAIRS_ROW("", "100") RL_PAIRS_ROW("", "112")
            RL_SIZE_CHECK("3b", "3 * 112")
            RL_PAIRS_SCALE("64")
            "ldr r1, [sp, #4]\n"
            "ldr r0, [sp, #8]\n"
            "ldr lr, [sp, #24]\n"
            "str r4, [sp, #28]\n"
            "str r6, [sp, #32]\n"
            "ldrd r4, r5, [r1, #124]\n"
            "mov r6, r4\n"
            "mov r7, r5\n"
            "bx lr\n"
            ".p2align 2\n"
            "4:\n" RL_PAIRS_ROW(", ror #8", "156") RL_PAIRS_ROW(", ror #8", "168") RL_PAIRS_ROW(", ror #8", "180")
            RL_SIZE_CHECK("4b", "3 * 112")
            RL_PAIRS_SCALE("132")
            "ldr r1, [sp, #4]\n"
            "ldr r8, [sp, #28]\n"
            "ldr r9, [sp, #32]\n"
            "ldr r12, [sp, #12]\n"
            "ldr r0, [sp, #8]\n"
            "ldr r10, [r1, #48]\n"
            "ldr r11, [r1, #52]\n"
            "ldr lr, [r1, #20]\n"
            "ldr r5, [r1, #16]\n"
            "ldr r7, [sp, #16]\n"
            "uxtb16 r8, r8\n"
            "uxtb16 r9, r9\n"
            "uxtb16 r4, r4\n"
            "uxtb16 r6, r6\n"
            "add r0, r0, r5\n"
            "orr r4, r8, r4, lsl #8\n"
            "orr r6, r9, r6, lsl #8\n"
            RL_PAIRS_CLAMP("r4")
            RL_PAIRS_CLAMP("r6")
            "str r4, [r12]\n"
            "add r12, r12, lr\n"
            "str r6, [r12]\n"
            "add r12, r12, lr\n"
            "str r0, [sp, #8]\n"
            "str r12, [sp, #12]\n"
            "cmp r12, r7\n"
            "bne 2b\n"
            "ldr r7, [r1, #28]\n"
            "cmp r7, #0\n"
            "bne 1b\n"
            "add sp, sp, #44\n"
            "pop {r4-r11, pc}\n");
}
// clang-format on

// The empty statements tell the compiler that the assembler reads and writes memory through `job`.
static inline void rl_depthwise_pairs(struct rl_depthwise_pairs *job)
{
    __asm__ volatile("" : : "r"(job) : "memory");
    rl_depthwise_pairs_run(job);
    __asm__ volatile("" : : "r"(job) : "memory");
}

#endif
