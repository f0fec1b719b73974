// SPDX-License-Identifier: Apache-2.0
// Two or three int16 rows times int8 filters. dot_rows_plain.h is the same in C.
#ifndef RL_KERNELS_MVE_DOT_ROWS_S16_H
#define RL_KERNELS_MVE_DOT_ROWS_S16_H

#include "mve/dot_rows.h"

// clang-format off
// Rows of a vector or more. q0 and q1 are values of the filters. Each round makes the first two loads of the next one.
#define RL_DOT_LONG_ROWS_S16 \
    RL_DOT_BEGIN("and r7, r3, #7\n" \
                 "lsr lr, r3, #3\n" \
                 "sub lr, lr, #1\n" \
                 "vctp.16 r7\n") \
    "vldrb.s16 q0, [r1], #8\n" \
    "vldrh.16 q2, [r5], #16\n" \
    "wls lr, lr, 3f\n" \
    ".p2align 2\n" \
    "2:\n" \
    "vmladava.s16 r0, q0, q2\n" \
    "vldrb.s16 q1, [r3], #8\n" \
    "vmladava.s16 r2, q1, q2\n" \
    "vldrh.16 q2, [r9], #16\n" \
    "vmladava.s16 r4, q0, q2\n" \
    "vldrh.16 q3, [r11], #16\n" \
    "vmladava.s16 r8, q0, q3\n" \
    "vldrb.s16 q0, [r1], #8\n" \
    "vmladava.s16 r6, q1, q2\n" \
    "vldrh.16 q2, [r5], #16\n" \
    "vmladava.s16 r10, q1, q3\n" \
    "le lr, 2b\n" \
    "3:\n" \
    "vmladava.s16 r0, q0, q2\n" \
    "vldrb.s16 q1, [r3], #8\n" \
    "vmladava.s16 r2, q1, q2\n" \
    "vldrh.16 q2, [r9], #16\n" \
    "vmladava.s16 r4, q0, q2\n" \
    "vldrh.16 q3, [r11], #16\n" \
    "vmladava.s16 r8, q0, q3\n" \
    "vmladava.s16 r6, q1, q2\n" \
    "vmladava.s16 r10, q1, q3\n" \
    "cbz r7, 4f\n" \
    "vpstttt\n" \
    "vldrbt.s16 q0, [r1]\n" \
    "vldrht.16 q2, [r5]\n" \
    "vmladavat.s16 r0, q0, q2\n" \
    "vldrbt.s16 q1, [r3]\n" \
    "vmladava.s16 r2, q1, q2\n" \
    "vpsttt\n" \
    "vldrht.16 q2, [r9]\n" \
    "vmladavat.s16 r4, q0, q2\n" \
    "vldrht.16 q3, [r11]\n" \
    "vmladava.s16 r8, q0, q3\n" \
    "vmladava.s16 r6, q1, q2\n" \
    "vmladava.s16 r10, q1, q3\n" \
    "4:\n" \
    RL_DOT_END

static __attribute__((naked, noinline)) void
rl_dot_long_rows_s16(__attribute__((unused)) const void *rows)
{
    __asm__(RL_DOT_LONG_ROWS_S16);
}

// The same for the first two rows. Each round makes three loads of the next one.
static __attribute__((naked, noinline)) void
rl_dot_two_long_rows_s16(__attribute__((unused)) const void *rows)
{
    __asm__(RL_DOT_BEGIN("and r7, r3, #7\n"
                         "lsr lr, r3, #3\n"
                         "sub lr, lr, #1\n"
                         "vctp.16 r7\n")
            "vldrb.s16 q0, [r1], #8\n"
            "vldrh.16 q2, [r5], #16\n"
            "vldrh.16 q3, [r9], #16\n"
            "wls lr, lr, 3f\n"
            ".p2align 2\n"
            "2:\n"
            "vmladava.s16 r0, q0, q2\n"
            "vldrb.s16 q1, [r3], #8\n"
            "vmladava.s16 r4, q0, q3\n"
            "vldrb.s16 q0, [r1], #8\n"
            "vmladava.s16 r2, q1, q2\n"
            "vldrh.16 q2, [r5], #16\n"
            "vmladava.s16 r6, q1, q3\n"
            "vldrh.16 q3, [r9], #16\n"
            "le lr, 2b\n"
            "3:\n"
            "vmladava.s16 r0, q0, q2\n"
            "vldrb.s16 q1, [r3], #8\n"
            "vmladava.s16 r4, q0, q3\n"
            "vmladava.s16 r2, q1, q2\n"
            "vmladava.s16 r6, q1, q3\n"
            "cbz r7, 4f\n"
            "vpstttt\n"
            "vldrbt.s16 q0, [r1]\n"
            "vldrht.16 q2, [r5]\n"
            "vmladavat.s16 r0, q0, q2\n"
            "vldrbt.s16 q1, [r3]\n"
            "vmladava.s16 r2, q1, q2\n"
            "vpst\n"
            "vldrht.16 q2, [r9]\n"
            "vmladava.s16 r4, q0, q2\n"
            "vmladava.s16 r6, q1, q2\n"
            "4:\n"
            RL_DOT_END);
}

static __attribute__((naked, noinline)) void
rl_dot_short_rows_s16(__attribute__((unused)) const void *rows)
{
    __asm__(RL_DOT_SHORT_ROWS("16", "h", "s16"));
}
// clang-format on

// The function that multiplies three rows of int16, or two if `two` is set, which makes the third sums 0 and needs more
// than a vector. 32 bits hold the sums.
static inline rl_assembler *rl_dot_rows_s16(int32_t depth, bool two)
{
    if (depth <= 8) {
        return rl_dot_short_rows_s16;
    }
    return two ? rl_dot_two_long_rows_s16 : rl_dot_long_rows_s16;
}

#endif
