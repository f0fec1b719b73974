// SPDX-License-Identifier: Apache-2.0
// From the sums of three positions of an int16 convolution to their outputs. In assembler, because compilers know
// neither SMLAWT nor SEL; scale_three_s16_plain.h is the same in C.
//
// The three outputs of a channel take 37 cycles on a Cortex-M4.
#ifndef RL_KERNELS_DSP_SCALE_THREE_S16_H
#define RL_KERNELS_DSP_SCALE_THREE_S16_H

#include "dsp/scale_three_s16_plain.h"

__extension__ _Static_assert(offsetof(struct rl_scale_three_s16, channels) == 20 &&
                                 offsetof(struct rl_scale_three_s16, high) == 28,
                             "the assembler below uses these offsets");

// clang-format off
// r0 are sums, r1 scales, r2, r3 and r12 outputs, r4-r6 the sums of a channel, r7-r9 its scale, r10 and r11 the limits,
// lr counts channels.
static __attribute__((naked, noinline)) void
rl_scale_three_s16_run(__attribute__((unused)) const struct rl_scale_three_s16 *job)
{
    __asm__("push {r4-r11, lr}\n"
            "mov r11, r0\n"
            "ldm r11, {r0-r3, r12, lr}\n"
            "ldr r10, [r11, #24]\n"
            "ldr r11, [r11, #28]\n"
            ".p2align 2\n"
            "1:\n"
            "ldm r0!, {r4-r6}\n"
            "ldm r1!, {r7-r9}\n"
            "smlawt r4, r4, r7, r8\n"
            "smlawt r5, r5, r7, r8\n"
            "smlawt r6, r6, r7, r8\n"
            "asr r4, r4, r7\n"
            "asr r5, r5, r7\n"
            "add r4, r4, r9\n"
            "asr r6, r6, r7\n"
            "add r5, r5, r9\n"
            "add r6, r6, r9\n"
            "ssat r4, #16, r4\n"
            "ssat r5, #16, r5\n"
            "ssat r6, #16, r6\n"
            "pkhbt r4, r4, r5, lsl #16\n"
            "ssub16 r7, r6, r10\n"
            "sel r6, r6, r10\n"
            "ssub16 r7, r4, r10\n"
            "sel r4, r4, r10\n"
            "ssub16 r7, r11, r6\n"
            "sel r6, r6, r11\n"
            "ssub16 r7, r11, r4\n"
            "sel r4, r4, r11\n"
            "subs lr, lr, #1\n"
            "lsr r5, r4, #16\n"
            "strh r6, [r12], #2\n"
            "strh r5, [r3], #2\n"
            "strh r4, [r2], #2\n"
            "bne 1b\n"
            "pop {r4-r11, pc}\n");
}
// clang-format on

// See rl_scale_three_s16_plain. The empty statements tell the compiler that the assembler uses memory through `job`.
static inline void rl_scale_three_s16(const struct rl_scale_three_s16 *job)
{
    __asm__ volatile("" : : "r"(job) : "memory");
    rl_scale_three_s16_run(job);
    __asm__ volatile("" : : "r"(job) : "memory");
}

#endif
