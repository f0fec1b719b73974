// SPDX-License-Identifier: Apache-2.0
// One int8 row times groups of six int8 filters, in assembler: six sums and six filters take every core register but
// two. dot_1x4_plain.h is the same in C, with any number of filters.
//
// The first vectors of the row, up to six, stay in registers for all groups, so that a product waits for one load only.
#ifndef RL_KERNELS_MVE_DOT_1X6_H
#define RL_KERNELS_MVE_DOT_1X6_H

#include "isa.h"
#include "mve/dot_1x4_plain.h"

__extension__ _Static_assert(offsetof(struct rl_dot_1x4, end) == 20, "the assembler below uses these offsets");

// clang-format off
// The products of a vector of the row with those of the six filters.
#define RL_DOT_1X6_STEP(row) \
    "vldrb.u8 q6, [r1], #16\n" \
    "vmladava.s8 r0, " row ", q6\n" \
    "vldrb.u8 q7, [r3], #16\n" \
    "vmladava.s8 r2, " row ", q7\n" \
    "vldrb.u8 q6, [r5], #16\n" \
    "vmladava.s8 r4, " row ", q6\n" \
    "vldrb.u8 q7, [r7], #16\n" \
    "vmladava.s8 r6, " row ", q7\n" \
    "vldrb.u8 q6, [r9], #16\n" \
    "vmladava.s8 r8, " row ", q6\n" \
    "vldrb.u8 q7, [r11], #16\n" \
    "vmladava.s8 r10, " row ", q7\n"

// The offset of the job is 0, and `end` is at least six sums behind `sums`, in steps of six. r0, r2, r4, r6, r8, r10 are
// sums, r1, r3, r5, r7, r9, r11 filters, r12 the rest of the row, lr its bytes. The stack holds where a group enters the
// steps, `start`, the rest of the row, its bytes, `sums`, `end`, and what leads from a filter to that of the next group.
static __attribute__((naked, noinline, unused, aligned(64))) void
rl_dot_1x6_run(__attribute__((unused)) const struct rl_dot_1x4 *job)
{
    __asm__("push {r4-r11, lr}\n"
            "vpush {d8-d15}\n"
            "sub sp, sp, #32\n"
            "ldm r0, {r1-r6}\n"
            "lsr r7, r3, #4\n"
            "cmp r7, #6\n"
            "it gt\n"
            "movgt r7, #6\n"
            "strd r5, r6, [sp, #16]\n"
            "sub r9, r3, r7, lsl #4\n"
            "rsb r10, r7, #6\n"
            "adr r8, 1f\n"
            "add r8, r8, r10, lsl #2\n"
            "mov pc, r8\n"
            ".balign 4\n"
            "1:\n"
            "vldrb.u8 q0, [r1], #16\n"
            "vldrb.u8 q1, [r1], #16\n"
            "vldrb.u8 q2, [r1], #16\n"
            "vldrb.u8 q3, [r1], #16\n"
            "vldrb.u8 q4, [r1], #16\n"
            "vldrb.u8 q5, [r1], #16\n"
            RL_SIZE_CHECK("1b", "6 * 4")
            "adr r8, 3f\n"
            "mov r11, #48\n"
            "mla r8, r10, r11, r8\n"
            "add r8, r8, #1\n" // Thumb
            "strd r8, r4, [sp]\n"
            "strd r1, r9, [sp, #8]\n"
            "add r9, r9, #15\n"
            "lsr r9, r9, #4\n"
            "add r9, r9, r7\n"
            "add r8, r3, r3, lsl #1\n"
            "lsl r8, r8, #1\n"
            "sub r8, r8, r9, lsl #4\n"
            "str r8, [sp, #24]\n"
            "mov r12, r3\n"
            "mov r1, r2\n"
            "add r3, r1, r12\n"
            "add r5, r3, r12\n"
            "add r7, r5, r12\n"
            "add r9, r7, r12\n"
            "add r11, r9, r12\n"
            "ldr r0, [sp, #4]\n"
            ".p2align 2\n"
            "2:\n"
            "mov r2, r0\n"
            "mov r4, r0\n"
            "mov r6, r0\n"
            "mov r8, r0\n"
            "mov r10, r0\n"
            "ldr pc, [sp]\n"
            ".balign 4\n"
            "3:\n"
            RL_DOT_1X6_STEP("q0")
            RL_DOT_1X6_STEP("q1")
            RL_DOT_1X6_STEP("q2")
            RL_DOT_1X6_STEP("q3")
            RL_DOT_1X6_STEP("q4")
            RL_DOT_1X6_STEP("q5")
            RL_SIZE_CHECK("3b", "6 * 48")
            "ldrd r12, lr, [sp, #8]\n"
            "wlstp.8 lr, lr, 5f\n"
            ".p2align 2\n"
            "4:\n"
            "vldrb.u8 q6, [r12], #16\n"
            "vldrb.u8 q7, [r1], #16\n"
            "vmladava.s8 r0, q6, q7\n"
            "vldrb.u8 q7, [r3], #16\n"
            "vmladava.s8 r2, q6, q7\n"
            "vldrb.u8 q7, [r5], #16\n"
            "vmladava.s8 r4, q6, q7\n"
            "vldrb.u8 q7, [r7], #16\n"
            "vmladava.s8 r6, q6, q7\n"
            "vldrb.u8 q7, [r9], #16\n"
            "vmladava.s8 r8, q6, q7\n"
            "vldrb.u8 q7, [r11], #16\n"
            "vmladava.s8 r10, q6, q7\n"
            "letp lr, 4b\n"
            "5:\n"
            "ldr r12, [sp, #16]\n"
            "strd r0, r2, [r12], #8\n"
            "strd r4, r6, [r12], #8\n"
            "strd r8, r10, [r12], #8\n"
            "ldrd r4, r2, [sp, #20]\n"
            "str r12, [sp, #16]\n"
            "ldr r0, [sp, #4]\n"
            "add r1, r1, r2\n"
            "add r3, r3, r2\n"
            "add r5, r5, r2\n"
            "add r7, r7, r2\n"
            "add r9, r9, r2\n"
            "add r11, r11, r2\n"
            "cmp r4, r12\n"
            "bne 2b\n"
            "add sp, sp, #32\n"
            "vpop {d8-d15}\n"
            "pop {r4-r11, pc}\n");
}
// clang-format on

#endif
