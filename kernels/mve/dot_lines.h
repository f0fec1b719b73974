// SPDX-License-Identifier: Apache-2.0
// Three windows of some lines, read in place from the input, times int8 filters: for few channels, for which copies of
// the windows take longer than a loop that is entered anew for each line. In assembler for the same reason as
// dot_rows.h; dot_lines_plain.h is the same in C.
#ifndef RL_KERNELS_MVE_DOT_LINES_H
#define RL_KERNELS_MVE_DOT_LINES_H

#include "mve/dot_lines_plain.h"
#include "mve/dot_rows.h"
#include "mve/dot_rows_s8.h"

__extension__ _Static_assert(offsetof(struct rl_window_lines, more_vectors) == 32 &&
                                 offsetof(struct rl_window_lines, rest) == 44 &&
                                 offsetof(struct rl_filters, step) == 72,
                             "the assembler below uses these offsets");

// clang-format off
// Registers as in RL_DOT_LONG_ROWS_S8, but r7 is `jump` and r12 counts lines. The stack holds what a pair of filters
// starts with: the rows, `jump`, `lines` and `more_vectors`; then one vector more than these and `rest`, the filter and
// the distance of filters, the place of sums and that of the last one. The arguments are the last whole vector of a line
// with what lies behind it, and the way to the next line of the filters.
#define RL_DOT_LINES(last, next_weights) \
    "push {r7, lr}\n" \
    "ldm r0, {r5, r8, r9, r11, r12}\n" \
    "add r0, r0, #32\n" \
    "ldm r0, {r2, r7, r10, lr}\n" \
    "vctp.8 lr\n" \
    "ldm r8, {r1, r3, r6}\n" \
    "ldr r4, [r8, #72]\n" \
    "add r6, r12, r6, lsl #2\n" \
    "sub r6, r6, #4\n" \
    "push {r12}\n" \
    "push {r6}\n" \
    "push {r1, r4}\n" \
    "add r0, r2, #1\n" \
    "mov r12, r10\n" \
    "push {r0, lr}\n" \
    "mov lr, r2\n" \
    "push {r5, r7, r9, r11, r12, lr}\n" \
    "mov r0, r6\n" \
    "ldr r12, [sp, #44]\n" \
    "b 7f\n" \
    ".p2align 2\n" \
    "1:\n" \
    "ldm sp, {r5, r7, r9, r11, r12, lr}\n" \
    "vldrb.8 q0, [r1], #16\n" \
    "vldrb.8 q2, [r5], #16\n" \
    RL_DOT_ROUND("vmladav.s8") \
    "wls lr, lr, 4f\n" \
    "b 3f\n" \
    ".p2align 2\n" \
    "2:\n" \
    next_weights \
    "add r5, r5, r7\n" \
    "vldrb.8 q0, [r1], #16\n" \
    "add r9, r9, r7\n" \
    "add r11, r11, r7\n" \
    "vldrb.8 q2, [r5], #16\n" \
    "dls lr, lr\n" \
    ".p2align 2\n" \
    "3:\n" \
    RL_DOT_ROUND("vmladava.s8") \
    "le lr, 3b\n" \
    "4:\n" \
    last \
    "ldr lr, [sp, #24]\n" \
    "subs r12, r12, #1\n" \
    "bne 2b\n" \
    "ldr r12, [sp, #44]\n" \
    "ldrd r1, r7, [sp, #32]\n" \
    "ldr r11, [sp, #40]\n" \
    "strd r4, r6, [r12, #256]\n" \
    "strd r8, r10, [r12, #512]\n" \
    "strd r0, r2, [r12], #8\n" \
    "add r1, r1, r7, lsl #1\n" \
    "str r12, [sp, #44]\n" \
    "str r1, [sp, #32]\n" \
    "mov r4, r7\n" \
    "mov r0, r11\n" \
    "7:\n" \
    "cmp r0, r12\n" \
    "add r3, r1, r4\n" \
    "bgt 1b\n" \
    "mov r3, r1\n" \
    "beq 1b\n" \
    "add sp, sp, #48\n" \
    "pop {r7, pc}\n"

static __attribute__((naked, noinline)) void
rl_dot_whole_lines(__attribute__((unused)) const void *windows)
{
    __asm__(RL_DOT_LINES(RL_DOT_VECTOR("vmladava.s8", "[r9], #16", "[r11], #16", "", ""), ""));
}

static __attribute__((naked, noinline)) void
rl_dot_odd_lines(__attribute__((unused)) const void *windows)
{
    __asm__(RL_DOT_LINES(RL_DOT_LAST_AND_REST,
                         "ldr lr, [sp, #28]\n"
                         "add r1, r1, lr\n"
                         "add r3, r3, lr\n"
                         "ldr lr, [sp, #24]\n"));
}
// clang-format on

// The function that multiplies windows whose lines have so many values.
static inline rl_assembler *rl_dot_lines(int32_t run)
{
    return run % 16 == 0 ? rl_dot_whole_lines : rl_dot_odd_lines;
}

#endif
