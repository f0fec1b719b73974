// SPDX-License-Identifier: Apache-2.0
// Three rows of 33 to 159 int8, or of a few more lengths that layers have, times int8 filters. There is a function for
// each number of vectors: it reads rows from fixed places, so that no pointer is set back for the next filters, and one
// loop passes over the filters. Loops of vectors inside a loop of filters (dot_rows_s8.h) take about 14 cycles more for
// each two filters. dot_rows_plain.h is the same in C.
#ifndef RL_KERNELS_MVE_DOT_ROWS_FIXED_H
#define RL_KERNELS_MVE_DOT_ROWS_FIXED_H

#include "mve/dot_rows.h"

// clang-format off
// The products of vector `at`, the number of a vector or a symbol of the assembler, and the loads of the next one. r5, r9
// and r11 point to vector 7 of a row, so that all are in reach.
#define RL_FIXED_AT(row, at) "[" row ", #(" at " - 7) * 16]"
#define RL_FIXED_LOAD(at) "vldrb.8 q2, " RL_FIXED_AT("r5", at) "\n"
#define RL_FIXED_VECTOR(multiply, at) \
    RL_DOT_VECTOR(multiply, RL_FIXED_AT("r9", at), RL_FIXED_AT("r11", at), "vldrb.8 q0, [r1], #16\n", \
                  RL_FIXED_LOAD(at " + 1"))

// The last vector, full or not, the load of a row's first vector for the next filters, and the step to these, in r7.
#define RL_FIXED_LAST_FULL(at) \
    RL_DOT_VECTOR("vmladava.s8", RL_FIXED_AT("r9", at), RL_FIXED_AT("r11", at), "", RL_FIXED_LOAD("0")) \
    "mov r1, r3\n" \
    "adds r3, r3, r7\n"
#define RL_FIXED_LAST_PARTIAL(at) \
    RL_DOT_VECTOR_AND_REST(RL_FIXED_AT("r9", at " - 1"), RL_FIXED_AT("r11", at " - 1"), RL_FIXED_LOAD("0"), \
                           RL_FIXED_AT("r5", at), RL_FIXED_AT("r9", at), RL_FIXED_AT("r11", at)) \
    "add r1, r1, r7\n" \
    "add r3, r3, r7\n"

// The vectors between the first and the last. Their numbers follow a comma.
#define RL_FIXED_MIDDLE(numbers) \
    ".irp at" numbers "\n" \
    RL_FIXED_VECTOR("vmladava.s8", "\\at") \
    ".endr\n"

// `middle` has those or nothing. The stack holds whether a channel remains.
#define RL_FIXED_ROWS(step, middle, last) \
    "push {r7, lr}\n" \
    RL_DOT_PASS_LOAD \
    step \
    "add r3, r3, r1\n" \
    "and r0, r4, #1\n" \
    "push {r0, r2}\n" \
    "add r5, r5, #112\n" \
    "add r9, r9, #112\n" \
    "add r11, r11, #112\n" \
    RL_FIXED_LOAD("0") \
    "lsr lr, r4, #1\n" \
    "wls lr, lr, 2f\n" \
    ".p2align 2\n" \
    "1:\n" \
    "vldrb.8 q0, [r1], #16\n" \
    RL_FIXED_VECTOR("vmladav.s8", "0") \
    middle \
    last \
    "strd r4, r6, [r12, #256]\n" \
    "strd r0, r2, [r12], #8\n" \
    "strd r8, r10, [r12, #504]\n" \
    "le lr, 1b\n" \
    "2:\n" \
    "ldr r0, [sp]\n" \
    "cbz r0, 3f\n" \
    "movs r0, #0\n" \
    "str r0, [sp]\n" \
    "mov r3, r1\n" \
    "mov lr, #1\n" \
    "dls lr, lr\n" \
    "b 1b\n" \
    "3:\n" \
    "add sp, sp, #8\n" \
    "pop {r7, pc}\n"

// `vectors` full ones.
#define RL_FIXED_FULL(vectors, middle) \
static __attribute__((naked, noinline)) void \
rl_dot_rows_of_##vectors##_vectors(__attribute__((unused)) const void *rows) \
{ \
    __asm__(RL_FIXED_ROWS("mov r7, r3\n", middle, RL_FIXED_LAST_FULL(#vectors " - 1"))); \
}
RL_FIXED_FULL(5, RL_FIXED_MIDDLE(", 1, 2, 3"))
RL_FIXED_FULL(6, RL_FIXED_MIDDLE(", 1, 2, 3, 4"))
RL_FIXED_FULL(7, RL_FIXED_MIDDLE(", 1, 2, 3, 4, 5"))
RL_FIXED_FULL(8, RL_FIXED_MIDDLE(", 1, 2, 3, 4, 5, 6"))
RL_FIXED_FULL(9, RL_FIXED_MIDDLE(", 1, 2, 3, 4, 5, 6, 7"))
RL_FIXED_FULL(10, RL_FIXED_MIDDLE(", 1, 2, 3, 4, 5, 6, 7, 8"))
RL_FIXED_FULL(12, RL_FIXED_MIDDLE(", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10"))
RL_FIXED_FULL(15, RL_FIXED_MIDDLE(", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13"))

// `vectors` full ones and one of fewer values.
#define RL_FIXED_PARTIAL(vectors, middle) \
static __attribute__((naked, noinline)) void \
rl_dot_rows_over_##vectors##_vectors(__attribute__((unused)) const void *rows) \
{ \
    __asm__(RL_FIXED_ROWS("and r7, r3, #15\n" \
                          "vctp.8 r7\n" \
                          "sub r7, r3, #" #vectors " * 8\n" \
                          "lsl r7, r7, #1\n", \
                          middle, RL_FIXED_LAST_PARTIAL(#vectors))); \
}
RL_FIXED_PARTIAL(2, "")
RL_FIXED_PARTIAL(3, RL_FIXED_MIDDLE(", 1"))
RL_FIXED_PARTIAL(4, RL_FIXED_MIDDLE(", 1, 2"))
RL_FIXED_PARTIAL(5, RL_FIXED_MIDDLE(", 1, 2, 3"))
RL_FIXED_PARTIAL(6, RL_FIXED_MIDDLE(", 1, 2, 3, 4"))
RL_FIXED_PARTIAL(7, RL_FIXED_MIDDLE(", 1, 2, 3, 4, 5"))
RL_FIXED_PARTIAL(8, RL_FIXED_MIDDLE(", 1, 2, 3, 4, 5, 6"))
RL_FIXED_PARTIAL(9, RL_FIXED_MIDDLE(", 1, 2, 3, 4, 5, 6, 7"))
RL_FIXED_PARTIAL(13, RL_FIXED_MIDDLE(", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11"))
// clang-format on

// The function for rows of `depth` >= 33 values, or NULL.
static inline rl_assembler *rl_dot_rows_fixed(int32_t depth)
{
    const bool full = depth % 16 == 0;
    switch (depth / 16) {
    case 2:
        return rl_dot_rows_over_2_vectors;
    case 3:
        return full ? NULL : rl_dot_rows_over_3_vectors;
    case 4:
        return full ? NULL : rl_dot_rows_over_4_vectors;
    case 5:
        return full ? rl_dot_rows_of_5_vectors : rl_dot_rows_over_5_vectors;
    case 6:
        return full ? rl_dot_rows_of_6_vectors : rl_dot_rows_over_6_vectors;
    case 7:
        return full ? rl_dot_rows_of_7_vectors : rl_dot_rows_over_7_vectors;
    case 8:
        return full ? rl_dot_rows_of_8_vectors : rl_dot_rows_over_8_vectors;
    case 9:
        return full ? rl_dot_rows_of_9_vectors : rl_dot_rows_over_9_vectors;
    case 10:
        return full ? rl_dot_rows_of_10_vectors : NULL;
    case 12:
        return full ? rl_dot_rows_of_12_vectors : NULL;
    case 13:
        return full ? NULL : rl_dot_rows_over_13_vectors;
    case 15:
        return full ? rl_dot_rows_of_15_vectors : NULL;
    default:
        return NULL;
    }
}

#endif
