// SPDX-License-Identifier: Apache-2.0
// One int8 row times groups of four int8 filters. It is in assembler because gcc makes no loop that ends in a partial
// vector from intrinsics, and because four sums, their filters and the row take most core registers. dot_1x4_plain.h
// is the same in C.
#ifndef RL_KERNELS_MVE_DOT_1X4_H
#define RL_KERNELS_MVE_DOT_1X4_H

#include "mve/dot_1x4_plain.h"

__extension__ _Static_assert(sizeof(struct rl_dot_1x4) == 28 && offsetof(struct rl_dot_1x4, offset) == 24,
                             "the assembler below uses these offsets");

// clang-format off
// r0, r2, r4 and r6 are the sums, r1 reads the row from r8 on, r3, r5, r7 and r9 read the filters, r10 is
// depth, r11 `start`, r12 sums. Behind the inner loop r1 - r8 is the number of bytes read, which may exceed `depth`.
// `step` leads from a filter to the next one, `first` is where sums start.
#define RL_DOT_1X4(step, first) \
    "push {r4-r11, lr}\n" \
    "ldm r0, {r8-r12, lr}\n" \
    "push {lr}\n" \
    "1:\n" \
    "mov r1, r8\n" \
    "mov r3, r9\n" \
    "add r5, r9, " step "\n" \
    "add r7, r9, " step ", lsl #1\n" \
    "add r9, r7, " step "\n" \
    "mov r0, " first "\n" \
    "mov r2, " first "\n" \
    "mov r4, " first "\n" \
    "mov r6, " first "\n" \
    "wlstp.8 lr, r10, 3f\n" \
    ".p2align 2\n" \
    "2:\n" \
    "vldrb.u8 q0, [r1], #16\n" \
    "vldrb.u8 q1, [r3], #16\n" \
    "vmladava.s8 r0, q0, q1\n" \
    "vldrb.u8 q2, [r5], #16\n" \
    "vmladava.s8 r2, q0, q2\n" \
    "vldrb.u8 q1, [r7], #16\n" \
    "vmladava.s8 r4, q0, q1\n" \
    "vldrb.u8 q2, [r9], #16\n" \
    "vmladava.s8 r6, q0, q2\n" \
    "letp lr, 2b\n" \
    "3:\n" \
    "strd r0, r2, [r12], #8\n" \
    "strd r4, r6, [r12], #8\n" \
    "sub r1, r1, r8\n" \
    "sub r9, r9, r1\n" \
    "add r9, r9, " step "\n" \
    "ldr r0, [sp]\n" \
    "cmp r0, r12\n" \
    "bne 1b\n" \
    "pop {r0}\n" \
    "pop {r4-r11, pc}\n"

// This function and that with an offset are aligned, so that their loops lie in as few cache lines as possible.
static __attribute__((naked, noinline, unused, aligned(128))) void
rl_dot_1x4_run(__attribute__((unused)) const struct rl_dot_1x4 *job)
{
    __asm__(RL_DOT_1X4("r10", "r11"));
}

// The same for filters that are `start` bytes apart. Sums start from 0.
static __attribute__((naked, noinline, unused)) void
rl_dot_1x4_apart(__attribute__((unused)) const struct rl_dot_1x4 *job)
{
    __asm__(RL_DOT_1X4("r11", "#0"));
}

// rl_dot_1x4_run with an offset added to the row: sum (x + offset) * w = sum x * w + offset * sum w. VABAV against -128 adds
// w + 128 for each weight, beside the products: VADDV would take turns with them. The stack holds the row, depth, the
// start of each sum without what the 128s add, sums, end and offset; r8 and r10 to r12 add up weights.
static __attribute__((naked, noinline, unused, aligned(128))) void
rl_dot_1x4_offset(__attribute__((unused)) const struct rl_dot_1x4 *job)
{
    __asm__("push {r4-r11, lr}\n"
            "ldm r0, {r1-r7}\n"
            "sub sp, sp, #28\n"
            "mul r0, r3, r7\n"
            "vmov.i8 q3, #0x80\n"
            "sub r4, r4, r0, lsl #7\n"
            "strd r3, r4, [sp, #4]\n"
            "strd r5, r6, [sp, #12]\n"
            "strd r7, r1, [sp, #20]\n"
            "movs r0, #0\n"
            "str r0, [sp]\n"
            "mov r9, r2\n"
            "1:\n"
            "ldm sp, {r8, r12, lr}\n"
            "ldr r1, [sp, #24]\n"
            "mov r3, r9\n"
            "add r5, r9, r12\n"
            "add r7, r9, r12, lsl #1\n"
            "add r9, r7, r12\n"
            "mov r0, lr\n"
            "mov r2, lr\n"
            "mov r4, lr\n"
            "mov r6, lr\n"
            "mov r10, r8\n"
            "mov r11, r8\n"
            "wlstp.8 lr, r12, 3f\n"
            "mov r12, r8\n"
            ".p2align 2\n"
            "2:\n"
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
            "letp lr, 2b\n"
            "3:\n"
            "ldrd r3, r5, [sp, #20]\n"
            "ldr lr, [sp, #12]\n"
            "mla r0, r8, r3, r0\n"
            "mla r2, r10, r3, r2\n"
            "mla r4, r11, r3, r4\n"
            "mla r6, r12, r3, r6\n"
            "sub r1, r1, r5\n"
            "sub r9, r9, r1\n"
            "ldr r1, [sp, #4]\n"
            "strd r0, r2, [lr], #8\n"
            "add r9, r9, r1\n"
            "ldr r0, [sp, #16]\n"
            "strd r4, r6, [lr], #8\n"
            "str lr, [sp, #12]\n"
            "cmp r0, lr\n"
            "bne 1b\n"
            "add sp, sp, #28\n"
            "pop {r4-r11, pc}\n");
}

// The same for rows of at most a vector, with an offset of -126 or more. An offset of 128 does not fit int8, but ~x and
// 1 - offset do. The loop multiplies both by the filters and subtracts: x + offset = -(~x + (1 - offset)). Two filters
// at a time.
static __attribute__((naked, noinline, unused)) void
rl_dot_1x4_short(__attribute__((unused)) const struct rl_dot_1x4 *job)
{
    __asm__("push {r4-r7, lr}\n"
            "ldr r5, [r0, #24]\n"
            "ldm r0, {r1, r3, r4, r6, r7, r12}\n"
            "vctp.8 r4\n"
            "rsb r5, r5, #1\n"
            "vdup.8 q3, r5\n"
            "vpst\n"
            "vldrbt.u8 q0, [r1]\n"
            "sub lr, r12, r7\n"
            "add r5, r3, r4\n"
            "vmvn q0, q0\n"
            "lsr lr, lr, #3\n"
            "lsl r4, r4, #1\n"
            "dls lr, lr\n"
            ".p2align 2\n"
            "1:\n"
            "vpsttt\n"
            "vldrbt.u8 q2, [r5]\n"
            "vmladavt.s8 r2, q0, q2\n"
            "vldrbt.u8 q1, [r3]\n"
            "vmladava.s8 r2, q3, q2\n"
            "vmladav.s8 r0, q0, q1\n"
            "vmladava.s8 r0, q3, q1\n"
            "sub r2, r6, r2\n"
            "sub r0, r6, r0\n"
            "strd r0, r2, [r7], #8\n"
            "add r3, r3, r4\n"
            "add r5, r5, r4\n"
            "le lr, 1b\n"
            "pop {r4-r7, pc}\n");
}
// clang-format on

#endif
