// SPDX-License-Identifier: Apache-2.0
// The first three int8 rows that meet filters, or the first two, whose weights are added up beside the products. A pass
// over the weights of its own takes a third as long as three rows. dot_rows_plain.h is the same in C.
#ifndef RL_KERNELS_MVE_DOT_ROWS_SUMS_H
#define RL_KERNELS_MVE_DOT_ROWS_SUMS_H

#include "mve/dot_rows.h"

__extension__ _Static_assert(offsetof(struct rl_filters, late_sums) == 68, "the assembler below uses this offset");

// clang-format off
// Registers are those of RL_DOT_BEGIN, except that r7 and r12 add up weights + 128. VABAV does not multiply, so it does
// not wait for the multiplier. The stack holds what a pair of filters starts with, then filter, depth, the places of
// sums, and how many channels are left.
static __attribute__((naked, noinline)) void
rl_dot_rows_sums(__attribute__((unused)) const void *rows)
{
    __asm__("push {r7, lr}\n"
            "ldm r0, {r5, r8, r9, r11, r12}\n"
            "ldm r8, {r1, r3, r4}\n"
            "ldr r6, [r8, #68]\n"
            "vmov.i8 q7, #0x80\n"
            "sub sp, sp, #20\n"
            "strd r1, r3, [sp]\n"
            "strd r12, r6, [sp, #8]\n"
            "str r4, [sp, #16]\n"
            "movs r0, #0\n"
            "movs r2, #0\n"
            "movs r4, #0\n"
            "movs r6, #0\n"
            "movs r7, #0\n"
            "mov r8, r0\n"
            "mov r10, r0\n"
            "mov r12, r0\n"
            "push {r0, r2, r4-r12}\n"
            "1:\n"
            "ldr r3, [sp, #60]\n"
            "ldrd r1, lr, [sp, #44]\n"
            "cmp r3, #1\n"
            "ldm sp, {r0, r2, r4-r12}\n"
            "ite eq\n"
            "moveq r3, r1\n"
            "addne r3, r1, lr\n"
            "wlstp.8 lr, lr, 3f\n"
            ".p2align 2\n"
            "2:\n"
            "vldrb.8 q0, [r1], #16\n"
            "vabav.s8 r7, q0, q7\n"
            "vldrb.8 q2, [r5], #16\n"
            "vmladava.s8 r0, q0, q2\n"
            "vldrb.8 q1, [r3], #16\n"
            "vmladava.s8 r2, q1, q2\n"
            "vldrb.8 q3, [r9], #16\n"
            "vmladava.s8 r4, q0, q3\n"
            "vldrb.8 q4, [r11], #16\n"
            "vmladava.s8 r6, q1, q3\n"
            "vabav.s8 r12, q1, q7\n"
            "vmladava.s8 r8, q0, q4\n"
            "vmladava.s8 r10, q1, q4\n"
            "letp lr, 2b\n"
            "3:\n"
            "ldrd r11, lr, [sp, #52]\n"
            "ldrd r1, r3, [sp, #44]\n"
            "strd r4, r6, [r11, #256]\n"
            "strd r8, r10, [r11, #512]\n"
            "strd r0, r2, [r11], #8\n"
            "strd r7, r12, [lr], #8\n"
            "ldr r4, [sp, #60]\n"
            "add r1, r1, r3, lsl #1\n"
            "strd r11, lr, [sp, #52]\n"
            "str r1, [sp, #44]\n"
            "subs r4, r4, #2\n"
            "str r4, [sp, #60]\n"
            "bgt 1b\n"
            "add sp, sp, #64\n"
            "pop {r7, pc}\n");
}

// The same for row_0 and row_1 alone. r0, r2, r4, r6 are the sums, r8 and r9 add up weights + 128; r10 and r11 keep the
// rows. The stack holds depth, how many channels are left, and the place of sums of weights.
static __attribute__((naked, noinline)) void
rl_dot_two_rows_sums(__attribute__((unused)) const void *rows)
{
    __asm__("push {r7, lr}\n"
            "ldm r0, {r5, r8, r9, r11, r12}\n"
            "ldm r8, {r1, r3, r4}\n"
            "ldr r6, [r8, #68]\n"
            "vmov.i8 q7, #0x80\n"
            "push {r3, r4, r6}\n"
            "mov r10, r5\n"
            "mov r11, r9\n"
            "1:\n"
            "cmp r4, #1\n"
            "mov lr, r3\n"
            "ite eq\n"
            "moveq r3, r1\n"
            "addne r3, r1, r3\n"
            "movs r0, #0\n"
            "mov r5, r10\n"
            "movs r2, #0\n"
            "mov r7, r11\n"
            "movs r4, #0\n"
            "movs r6, #0\n"
            "mov r8, r0\n"
            "mov r9, r0\n"
            "wlstp.8 lr, lr, 3f\n"
            ".p2align 2\n"
            "2:\n"
            "vldrb.8 q0, [r1], #16\n"
            "vabav.s8 r8, q0, q7\n"
            "vldrb.8 q2, [r5], #16\n"
            "vmladava.s8 r0, q0, q2\n"
            "vldrb.8 q1, [r3], #16\n"
            "vmladava.s8 r2, q1, q2\n"
            "vldrb.8 q3, [r7], #16\n"
            "vmladava.s8 r4, q0, q3\n"
            "vabav.s8 r9, q1, q7\n"
            "vmladava.s8 r6, q1, q3\n"
            "letp lr, 2b\n"
            "3:\n"
            "strd r4, r6, [r12, #256]\n"
            "strd r0, r2, [r12], #8\n"
            "sub r7, r7, r11\n"
            "sub r1, r3, r7\n"
            "ldm sp, {r3, r4, r6}\n"
            "strd r8, r9, [r6], #8\n"
            "add r1, r1, r3\n"
            "subs r4, r4, #2\n"
            "strd r4, r6, [sp, #4]\n"
            "bgt 1b\n"
            "add sp, sp, #12\n"
            "pop {r7, pc}\n");
}
// clang-format on

#endif
