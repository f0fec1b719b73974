// SPDX-License-Identifier: Apache-2.0
// One output position of an int16 depthwise convolution, four channels at a time, from the taps to the outputs in
// registers. In assembler because it needs every core register; depthwise_s16_four_plain.h is the same in C.
//
// A tap of four channels takes 12 cycles on a Cortex-M4: two words of values and one of weights, which SXTB16 expands
// to even and odd channels. SMLABB, SMLABT, SMLATB and SMLATT multiply the halves as they lie. Rows of taps are code in
// a row, entered where as many are left as a row has. Words may be unaligned.
#ifndef RL_KERNELS_DSP_DEPTHWISE_S16_FOUR_H
#define RL_KERNELS_DSP_DEPTHWISE_S16_FOUR_H

#include "dsp/depthwise_s16_four_plain.h"
#include "isa.h"

__extension__ _Static_assert(offsetof(struct rl_depthwise_s16_job, output) == 36 &&
                                 offsetof(struct rl_depthwise_s16_job, columns) == 52 &&
                                 sizeof(struct rl_depthwise_s16_scales) == 56,
                             "the assembler below uses these offsets");

enum { RL_DEPTHWISE_S16_COLUMNS = 7 }; // taps of a row that the assembler takes

// clang-format off
// r0 is the input, r1 the weights, r2 and r3 are the steps of columns, r4-r7 sums, r8-r11 values and weights, r12
// counts rows, lr is where a row begins.
#define RL_DEPTHWISE_S16_TAP \
    "ldr.w r10, [r1]\n" \
    "ldr.w r8, [r0]\n" \
    "ldr.w r9, [r0, #4]\n" \
    "adds r1, r1, r3\n" \
    "adds r0, r0, r2\n" \
    "sxtb16 r11, r10\n" \
    "sxtb16 r10, r10, ror #8\n" \
    "smlabb r4, r8, r11, r4\n" \
    "smlatb r5, r8, r10, r5\n" \
    "smlabt r6, r9, r11, r6\n" \
    "smlatt r7, r9, r10, r7\n"

static __attribute__((naked, noinline)) void
rl_depthwise_s16_four_run(__attribute__((unused)) struct rl_depthwise_s16_job *job)
{
    // On the stack: 0 and 4 the steps of rows, 8 the job.
    __asm__("ldr r1, [r0, #28]\n"
            "ldr r2, [r0, #32]\n"
            "mov r3, r0\n"
            "push {r1-r11, lr}\n"
            "ldr r1, [r0, #52]\n"
            "movs r2, #40\n"
            "adr.w r3, 3f\n"
            "mls r1, r1, r2, r3\n"
            "orr r1, r1, #1\n"
            "str r1, [r0, #24]\n"
            "mov lr, r0\n"
            // Four channels.
            "1:\n"
            "ldm lr, {r0-r3, r8, r12, lr}\n"
            "ldm r8, {r4-r7}\n"
            "cmp r12, #0\n"
            "beq 4f\n"
            "bx lr\n"
            ".p2align 2\n"
            "2:\n"
            RL_DEPTHWISE_S16_TAP RL_DEPTHWISE_S16_TAP RL_DEPTHWISE_S16_TAP RL_DEPTHWISE_S16_TAP
            RL_DEPTHWISE_S16_TAP RL_DEPTHWISE_S16_TAP RL_DEPTHWISE_S16_TAP
            RL_SIZE_CHECK("2b", "280")
            "3:\n"
            "ldrd r8, r9, [sp]\n"
            "subs r12, r12, #1\n"
            "add r0, r8\n"
            "add r1, r9\n"
            "it ne\n"
            "bxne lr\n"
            // r0 and r1 are multipliers, r2, r3, r8, r9 roundings, r10-r12 and lr shifts.
            "4:\n"
            "ldr r0, [sp, #8]\n"
            "ldr r0, [r0, #16]\n"
            "adds r0, r0, #16\n"
            "ldm r0, {r0-r3, r8-r12, lr}\n"
            "smlawb r4, r4, r0, r2\n"
            "smlawt r5, r5, r0, r3\n"
            "smlawb r6, r6, r1, r8\n"
            "smlawt r7, r7, r1, r9\n"
            "asr r4, r4, r10\n"
            "asr r5, r5, r11\n"
            "asr r6, r6, r12\n"
            "asr r7, r7, lr\n"
            "ldr lr, [sp, #8]\n"
            "ssat r4, #16, r4\n"
            "ssat r5, #16, r5\n"
            "ssat r6, #16, r6\n"
            "ssat r7, #16, r7\n"
            "pkhbt r4, r4, r5, lsl #16\n"
            "pkhbt r6, r6, r7, lsl #16\n"
            "add r3, lr, #36\n"
            "ldm r3, {r0-r2, r5}\n"
            "ssub16 r3, r4, r1\n"
            "sel r4, r4, r1\n"
            "ssub16 r3, r6, r1\n"
            "sel r6, r6, r1\n"
            "ssub16 r3, r2, r4\n"
            "sel r4, r4, r2\n"
            "ssub16 r3, r2, r6\n"
            "sel r6, r6, r2\n"
            "str r4, [r0]\n"
            "str r6, [r0, #4]\n"
            "ldm lr, {r1-r2}\n"
            "ldr r3, [lr, #16]\n"
            "adds r0, r0, #8\n"
            "adds r1, r1, #8\n"
            "adds r2, r2, #4\n"
            "adds r3, r3, #56\n"
            "subs r5, r5, #1\n"
            "str r0, [lr, #36]\n"
            "str r1, [lr]\n"
            "str r2, [lr, #4]\n"
            "str r3, [lr, #16]\n"
            "str r5, [lr, #48]\n"
            "bne 1b\n"
            "add sp, sp, #12\n"
            "pop {r4-r11, pc}\n");
}
// clang-format on

// See rl_depthwise_s16_four_plain. The empty statements tell the compiler that the assembler uses memory through `job`.
static inline void rl_depthwise_s16_four(struct rl_depthwise_s16_job *job)
{
    __asm__ volatile("" : : "r"(job) : "memory");
    rl_depthwise_s16_four_run(job);
    __asm__ volatile("" : : "r"(job) : "memory");
}

#endif
