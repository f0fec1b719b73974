// SPDX-License-Identifier: Apache-2.0
// Three outputs of a convolution below each other at once, whose windows of three by three lose their first or last
// column to the padding: the other two are read in place. For pixels of 16, 32 or 64 values. In assembler for the same
// reason as dot_rows.h; dot_edge_plain.h is the same in C.
#ifndef RL_KERNELS_MVE_DOT_EDGE_H
#define RL_KERNELS_MVE_DOT_EDGE_H

#include "mve/dot_edge_plain.h"
#include "mve/dot_rows.h"

__extension__ _Static_assert(offsetof(struct rl_edge, line_bytes) == 8 && offsetof(struct rl_edge, sums) == 12,
                             "the assembler below uses these offsets");

// clang-format off
// r0, r2, r4, r6, r8, r10 are the sums, r1 and r3 the filters, r12 where sums go. q0 and q1 are the filters. A round has
// the products of a vector of the lines `line_0` to `line_2`, at `at`; its loads of q0 and q2 are done. `step` leads to
// the filters' next vectors, the rest are the loads of q0 and q2 for the next round.
#define RL_EDGE_ROUND(multiply, line_1, line_2, at, step, next_0, next_2) \
    multiply " r0, q0, q2\n" \
    "vldrb.8 q1, [r3], #" step "\n" \
    multiply " r2, q1, q2\n" \
    "vldrb.8 q2, [" line_1 ", #" at "]\n" \
    multiply " r4, q0, q2\n" \
    "vldrb.8 q3, [" line_2 ", #" at "]\n" \
    multiply " r8, q0, q3\n" \
    next_0 \
    multiply " r6, q1, q2\n" \
    next_2 \
    multiply " r10, q1, q3\n"
#define RL_EDGE_FILTER(step) "vldrb.8 q0, [r1], #" step "\n"
#define RL_EDGE_INPUT(line, at) "vldrb.8 q2, [" line ", #" at "]\n"

// Two pixels of three lines; `next_0` and `next_2` are the loads for what follows them.
#define RL_EDGE_LINE_OF_16(multiply, line_0, line_1, line_2, next_0, next_2) \
    RL_EDGE_ROUND(multiply, line_1, line_2, "0", "16", RL_EDGE_FILTER("32"), RL_EDGE_INPUT(line_0, "16")) \
    RL_EDGE_ROUND("vmladava.s8", line_1, line_2, "16", "32", next_0, next_2)
#define RL_EDGE_LINE_OF_32(multiply, line_0, line_1, line_2, next_0, next_2) \
    RL_EDGE_ROUND(multiply, line_1, line_2, "0", "16", RL_EDGE_FILTER("16"), RL_EDGE_INPUT(line_0, "16")) \
    RL_EDGE_ROUND("vmladava.s8", line_1, line_2, "16", "16", RL_EDGE_FILTER("16"), RL_EDGE_INPUT(line_0, "32")) \
    RL_EDGE_ROUND("vmladava.s8", line_1, line_2, "32", "16", RL_EDGE_FILTER("48"), RL_EDGE_INPUT(line_0, "48")) \
    RL_EDGE_ROUND("vmladava.s8", line_1, line_2, "48", "48", next_0, next_2)
#define RL_EDGE_LINE_OF_64(multiply, line_0, line_1, line_2, next_0, next_2) \
    RL_EDGE_ROUND(multiply, line_1, line_2, "0", "16", RL_EDGE_FILTER("16"), RL_EDGE_INPUT(line_0, "16")) \
    RL_EDGE_ROUND("vmladava.s8", line_1, line_2, "16", "16", RL_EDGE_FILTER("16"), RL_EDGE_INPUT(line_0, "32")) \
    RL_EDGE_ROUND("vmladava.s8", line_1, line_2, "32", "16", RL_EDGE_FILTER("16"), RL_EDGE_INPUT(line_0, "48")) \
    RL_EDGE_ROUND("vmladava.s8", line_1, line_2, "48", "16", RL_EDGE_FILTER("16"), RL_EDGE_INPUT(line_0, "64")) \
    RL_EDGE_ROUND("vmladava.s8", line_1, line_2, "64", "16", RL_EDGE_FILTER("16"), RL_EDGE_INPUT(line_0, "80")) \
    RL_EDGE_ROUND("vmladava.s8", line_1, line_2, "80", "16", RL_EDGE_FILTER("16"), RL_EDGE_INPUT(line_0, "96")) \
    RL_EDGE_ROUND("vmladava.s8", line_1, line_2, "96", "16", RL_EDGE_FILTER("80"), RL_EDGE_INPUT(line_0, "112")) \
    RL_EDGE_ROUND("vmladava.s8", line_1, line_2, "112", "80", next_0, next_2)

// All pairs of filters. r5, r9, r11, r7 and lr are the five lines; the stack holds the depth and the end of the sums.
#define RL_EDGE_PASSES(line) \
    "push {r7, lr}\n" \
    "ldm r0, {r5, r8, r9, r12}\n" \
    "ldm r8, {r1, r3, r4}\n" \
    "add r11, r5, r9, lsl #1\n" \
    "add r4, r12, r4, lsl #2\n" \
    "push {r3, r4}\n" \
    "add r3, r3, r1\n" \
    "add r7, r11, r9\n" \
    "add lr, r11, r9, lsl #1\n" \
    "add r9, r5, r9\n" \
    ".p2align 2\n" \
    "1:\n" \
    RL_EDGE_FILTER("16") \
    "vldrb.8 q2, [r5]\n" \
    line("vmladav.s8", "r5", "r9", "r11", RL_EDGE_FILTER("16"), RL_EDGE_INPUT("r9", "0")) \
    line("vmladava.s8", "r9", "r11", "r7", RL_EDGE_FILTER("16"), RL_EDGE_INPUT("r11", "0")) \
    line("vmladava.s8", "r11", "r7", "lr", "", "") \
    "strd r4, r6, [r12, #256]\n" \
    "strd r8, r10, [r12, #512]\n" \
    "strd r0, r2, [r12], #8\n" \
    "ldrd r0, r2, [sp]\n" \
    "mov r1, r3\n" \
    "cmp r12, r2\n" \
    "add r3, r3, r0\n" \
    "blo 1b\n" \
    "add sp, sp, #8\n" \
    "pop {r7, pc}\n"

static __attribute__((naked, noinline)) void
rl_dot_edge_16(__attribute__((unused)) const void *edge)
{
    __asm__(RL_EDGE_PASSES(RL_EDGE_LINE_OF_16));
}

static __attribute__((naked, noinline)) void
rl_dot_edge_32(__attribute__((unused)) const void *edge)
{
    __asm__(RL_EDGE_PASSES(RL_EDGE_LINE_OF_32));
}

static __attribute__((naked, noinline)) void
rl_dot_edge_64(__attribute__((unused)) const void *edge)
{
    __asm__(RL_EDGE_PASSES(RL_EDGE_LINE_OF_64));
}
// clang-format on

// The function for a struct rl_edge with such pixels.
static inline rl_assembler *rl_dot_edge(int32_t pixel)
{
    if (pixel == 16) {
        return rl_dot_edge_16;
    }
    return pixel == 32 ? rl_dot_edge_32 : rl_dot_edge_64;
}

#endif
