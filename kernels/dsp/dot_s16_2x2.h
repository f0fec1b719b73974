// SPDX-License-Identifier: Apache-2.0
// Two int16 vectors times two int8 filters. In assembler for the same reason as dot_3x2.h; scalar/dot_s16_plain.h is
// the same in C.
//
// Four values of each array take 6 loads, 4 expansions, 4 PKH that bring weights into the order of the values, and 8
// SMLAD. Loads are single words, which may be unaligned. Nothing is read beyond `count`.
#ifndef RL_KERNELS_DSP_DOT_S16_2X2_H
#define RL_KERNELS_DSP_DOT_S16_2X2_H

#include <stdint.h>

// clang-format off
// r0-r3 are vectors and filters, r4-r7 sums. Weights 0, 1 of the filters end in r12 and r9, weights 2, 3 in r8, r11.
static __attribute__((naked, noinline)) void
rl_dot_s16_2x2_run(__attribute__((unused)) const int16_t *x_0, __attribute__((unused)) const int16_t *x_1,
                   __attribute__((unused)) const int8_t *w_0, __attribute__((unused)) const int8_t *w_1,
                   __attribute__((unused)) int32_t count, __attribute__((unused)) int32_t *sums)
{
    __asm__("push {r4-r11, lr}\n"
            "sub sp, sp, #4\n" // on the stack: 0 the end of x_0's blocks of four, 40 count, 44 sums
            "mov r4, #0\n"
            "mov r5, #0\n"
            "mov r6, #0\n"
            "mov r7, #0\n"
            "ldr r8, [sp, #40]\n"
            "bics r8, r8, #3\n"
            "beq 2f\n"
            "add r8, r0, r8, lsl #1\n"
            "str r8, [sp]\n"
            // Four values.
            "1:\n"
            "ldr r8, [r2], #4\n"
            "ldr r10, [r3], #4\n"
            "sxtb16 r9, r8, ror #8\n"
            "sxtb16 r8, r8\n"
            "sxtb16 r11, r10, ror #8\n"
            "sxtb16 r10, r10\n"
            "pkhbt r12, r8, r9, lsl #16\n"
            "pkhtb r9, r9, r8, asr #16\n"
            "pkhbt r8, r10, r11, lsl #16\n"
            "pkhtb r11, r11, r10, asr #16\n"
            "ldr r10, [r0], #4\n"
            "ldr lr, [r0], #4\n"
            "smlad r4, r10, r12, r4\n"
            "smlad r5, r10, r8, r5\n"
            "ldr r10, [r1], #4\n"
            "smlad r4, lr, r9, r4\n"
            "smlad r5, lr, r11, r5\n"
            "ldr lr, [r1], #4\n"
            "smlad r6, r10, r12, r6\n"
            "smlad r7, r10, r8, r7\n"
            "ldr r8, [sp]\n"
            "smlad r6, lr, r9, r6\n"
            "smlad r7, lr, r11, r7\n"
            "cmp r0, r8\n"
            "bne 1b\n"
            // The last 0 to 3.
            "2:\n"
            "ldr r8, [sp, #40]\n"
            "and r8, r8, #3\n"
            "b 4f\n"
            "3:\n"
            "ldrsh r9, [r0], #2\n"
            "ldrsh r10, [r1], #2\n"
            "ldrsb r11, [r2], #1\n"
            "ldrsb r12, [r3], #1\n"
            "mla r4, r9, r11, r4\n"
            "mla r5, r9, r12, r5\n"
            "mla r6, r10, r11, r6\n"
            "mla r7, r10, r12, r7\n"
            "4:\n"
            "subs r8, r8, #1\n"
            "bpl 3b\n"
            "ldr r8, [sp, #44]\n"
            "stm r8, {r4-r7}\n"
            "add sp, sp, #4\n"
            "pop {r4-r11, pc}\n");
}
// clang-format on

// Takes up to RL_DOT_S16_BLOCK elements. The empty statements tell the compiler that memory is read and written.
static inline void rl_dot_s16_s8_2x2(const int16_t *x_0, const int16_t *x_1, const int8_t *w_0, const int8_t *w_1,
                                     int32_t count, int32_t sums[4])
{
    __asm__ volatile("" : : "r"(sums) : "memory");
    rl_dot_s16_2x2_run(x_0, x_1, w_0, w_1, count, sums);
    __asm__ volatile("" : : "r"(sums) : "memory");
}

#endif
