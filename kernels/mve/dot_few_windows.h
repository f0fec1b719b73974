// SPDX-License-Identifier: Apache-2.0
// The part of a window that lies on the input times groups of four int8 filters. In assembler for the same reasons as
// dot_1x4.h; dot_few_windows_plain.h is the same in C.
#ifndef RL_KERNELS_MVE_DOT_FEW_WINDOWS_H
#define RL_KERNELS_MVE_DOT_FEW_WINDOWS_H

#include <stddef.h>

#include "mve/dot_few_windows_plain.h"
#include "mve/dot_rows.h"

__extension__ _Static_assert(sizeof(struct rl_few_windows) == 44 && offsetof(struct rl_few_windows, sums) == 36,
                             "the assembler below uses these offsets");

// clang-format off
// r0, r2, r4, r6 are the sums, r8 and r10 to r12 add up weights + 128 (see dot_1x4.h), r1 reads the input, r3, r5, r7, r9
// the filters. The stack holds how many lines are left, and the fields of the structure.
static __attribute__((naked, noinline)) void
rl_dot_few_windows(__attribute__((unused)) const void *windows)
{
    __asm__("push {r7, lr}\n"
            "ldm r0, {r1-r11}\n"
            "vmov.i8 q3, #0x80\n"
            "push {r1-r11}\n"
            "sub sp, sp, #4\n"
            "1:\n"
            "ldrd r1, r3, [sp, #4]\n"
            "ldr lr, [sp, #28]\n"
            "ldr r0, [sp, #36]\n"
            "movs r2, #0\n"
            "add r5, r3, lr\n"
            "add r7, r3, lr, lsl #1\n"
            "add r9, r7, lr\n"
            "add lr, r9, lr\n"
            "str lr, [sp, #8]\n"
            "mov r8, r2\n"
            "mov r10, r2\n"
            "mov r11, r2\n"
            "mov r12, r2\n"
            "mov r2, r0\n"
            "mov r4, r0\n"
            "ldr lr, [sp, #16]\n"
            "mov r6, r0\n"
            "str lr, [sp]\n"
            "2:\n"
            "ldr lr, [sp, #12]\n"
            "wlstp.8 lr, lr, 4f\n"
            ".p2align 2\n"
            "3:\n"
            "vldrb.u8 q1, [r3], #16\n"
            "vabav.s8 r8, q1, q3\n"
            "vldrb.u8 q0, [r1], #16\n"
            "vmladava.s8 r0, q0, q1\n"
            "vldrb.u8 q2, [r5], #16\n"
            "vmladava.s8 r2, q0, q2\n"
            "vabav.s8 r10, q2, q3\n"
            "vldrb.u8 q1, [r7], #16\n"
            "vmladava.s8 r4, q0, q1\n"
            "vabav.s8 r11, q1, q3\n"
            "vldrb.u8 q2, [r9], #16\n"
            "vmladava.s8 r6, q0, q2\n"
            "vabav.s8 r12, q2, q3\n"
            "letp lr, 3b\n"
            "4:\n"
            "ldr lr, [sp, #20]\n"
            "add r1, r1, lr\n"
            "ldr lr, [sp, #24]\n"
            "add r3, r3, lr\n"
            "add r5, r5, lr\n"
            "add r7, r7, lr\n"
            "add r9, r9, lr\n"
            "ldr lr, [sp]\n"
            "subs lr, lr, #1\n"
            "str lr, [sp]\n"
            "bne 2b\n"
            "ldr lr, [sp, #32]\n"
            "ldrd r1, r3, [sp, #40]\n"
            "mla r0, r8, lr, r0\n"
            "mla r2, r10, lr, r2\n"
            "mla r4, r11, lr, r4\n"
            "mla r6, r12, lr, r6\n"
            "subs r3, r3, #1\n"
            "strd r0, r2, [r1], #8\n"
            "strd r4, r6, [r1], #8\n"
            "strd r1, r3, [sp, #40]\n"
            "bne 1b\n"
            "add sp, sp, #48\n"
            "pop {r7, pc}\n");
}
// clang-format on

#endif
