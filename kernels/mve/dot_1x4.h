// SPDX-License-Identifier: Apache-2.0
// One int8 row times groups of four int8 filters. It is in assembler because gcc makes no loop that ends in a partial
// vector from intrinsics, and because four sums, their filters and the row take most core registers. dot_1x4_plain.h
// is the same in C.
#ifndef RL_KERNELS_MVE_DOT_1X4_H
#define RL_KERNELS_MVE_DOT_1X4_H

#include "mve/dot_1x4_plain.h"

__extension__ _Static_assert(sizeof(struct rl_dot_1x4) == 28 && offsetof(struct rl_dot_1x4, turned_offset) == 24,
                             "the assembler below uses these offsets");

// clang-format off
// r0, r2, r4 and r6 are the sums, r1 reads the row from r8 on, r3, r5, r7 and r9 read the filters, r10 is
// depth, r11 start, r12 sums. Behind the inner loop r1 - r8 is the number of bytes read, which may exceed `depth`.
// `turn` stands behind the load of the row, each `add` behind the product with a filter.
#define RL_DOT_1X4(prepare, start, turn, add_0, add_1, add_2, add_3, finish) \
    "push {r4-r11, lr}\n" \
    prepare \
    "ldm r0, {r8-r12, lr}\n" \
    "push {lr}\n" \
    "1:\n" \
    "mov r1, r8\n" \
    "mov r3, r9\n" \
    "add r5, r9, r10\n" \
    "add r7, r9, r10, lsl #1\n" \
    "add r9, r7, r10\n" \
    "mov r0, " start "\n" \
    "mov r2, " start "\n" \
    "mov r4, " start "\n" \
    "mov r6, " start "\n" \
    "wlstp.8 lr, r10, 3f\n" \
    ".p2align 2\n" \
    "2:\n" \
    "vldrb.u8 q0, [r1], #16\n" \
    turn \
    "vldrb.u8 q1, [r3], #16\n" \
    "vmladava.s8 r0, q0, q1\n" \
    add_0 \
    "vldrb.u8 q2, [r5], #16\n" \
    "vmladava.s8 r2, q0, q2\n" \
    add_1 \
    "vldrb.u8 q1, [r7], #16\n" \
    "vmladava.s8 r4, q0, q1\n" \
    add_2 \
    "vldrb.u8 q2, [r9], #16\n" \
    "vmladava.s8 r6, q0, q2\n" \
    add_3 \
    "letp lr, 2b\n" \
    "3:\n" \
    finish \
    "strd r0, r2, [r12], #8\n" \
    "strd r4, r6, [r12], #8\n" \
    "sub r1, r1, r8\n" \
    "sub r9, r9, r1\n" \
    "add r9, r9, r10\n" \
    "ldr r0, [sp]\n" \
    "cmp r0, r12\n" \
    "bne 1b\n" \
    "pop {r0}\n" \
    "pop {r4-r11, pc}\n"

// This function and the next are aligned, so that their loops lie in as few cache lines as possible.
static __attribute__((naked, noinline, unused, aligned(128))) void
rl_dot_1x4_run(__attribute__((unused)) const struct rl_dot_1x4 *job)
{
    __asm__(RL_DOT_1X4("", "r11", "", "", "", "", "", ""));
}

// The same with an offset added to the row. An offset of 128 does not fit int8, but ~x and 1 - offset do. The loop
// multiplies both by the filters and subtracts: x + offset = -(~x + (1 - offset)).
static __attribute__((naked, noinline, unused, aligned(128))) void
rl_dot_1x4_offset(__attribute__((unused)) const struct rl_dot_1x4 *job)
{
    __asm__(RL_DOT_1X4("ldr r1, [r0, #24]\n"
                       "vdup.8 q3, r1\n",
                       "#0",
                       "vmvn q0, q0\n",
                       "vmladava.s8 r0, q3, q1\n",
                       "vmladava.s8 r2, q3, q2\n",
                       "vmladava.s8 r4, q3, q1\n",
                       "vmladava.s8 r6, q3, q2\n",
                       "sub r0, r11, r0\n"
                       "sub r2, r11, r2\n"
                       "sub r4, r11, r4\n"
                       "sub r6, r11, r6\n"));
}

// The same for rows of at most a vector, with any offset of rl_dot_1x4_offset or 0. Two filters at a time.
static __attribute__((naked, noinline, unused)) void
rl_dot_1x4_short(__attribute__((unused)) const struct rl_dot_1x4 *job)
{
    __asm__("push {r4-r7, lr}\n"
            "ldr r5, [r0, #24]\n"
            "ldm r0, {r1, r3, r4, r6, r7, r12}\n"
            "vctp.8 r4\n"
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
