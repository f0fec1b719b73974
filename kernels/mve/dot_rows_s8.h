// SPDX-License-Identifier: Apache-2.0
// Three int8 rows times int8 filters. dot_rows_plain.h is the same in C.
#ifndef RL_KERNELS_MVE_DOT_ROWS_S8_H
#define RL_KERNELS_MVE_DOT_ROWS_S8_H

#include "mve/dot_rows.h"
#include "mve/dot_rows_fixed.h"
#include "mve/short_rows_plain.h"

__extension__ _Static_assert(offsetof(struct rl_filters, step) == 72, "the assembler below uses this offset");

// clang-format off
// A round of int8: the products of a vector, and the first two loads of the next vector.
#define RL_DOT_ROUND(multiply) \
    RL_DOT_VECTOR(multiply, "[r9], #16", "[r11], #16", "vldrb.8 q0, [r1], #16\n", "vldrb.8 q2, [r5], #16\n")

// Rows of two vectors of int8 or more. The first round of a pair of filters starts its sums. r0 is the address of the
// last sum, r4 the distance of filters, r7 what of that lies behind whole vectors; the stack holds them, the rows and
// the number of further rounds.
// The arguments are the rounds and the stores of sums.
#define RL_DOT_LONG_ROWS_S8(first, next, last, stores) \
    "push {r7, lr}\n" \
    "ldm r0, {r5, r8, r9, r11, r12}\n" \
    "ldm r8, {r1, r3, r6}\n" \
    "ldr r4, [r8, #72]\n" \
    "and r7, r3, #15\n" \
    "vctp.8 r7\n" \
    "lsr lr, r3, #4\n" \
    "sub r7, r4, lr, lsl #4\n" \
    "sub lr, lr, #2\n" \
    "add r0, r12, r6, lsl #2\n" \
    "sub r0, r0, #4\n" \
    "push {r0, r4, r5, r9, r11, lr}\n" \
    "b 5f\n" \
    ".p2align 2\n" \
    "1:\n" \
    "vldrb.8 q0, [r1], #16\n" \
    "vldrb.8 q2, [r5], #16\n" \
    first \
    "wls lr, lr, 3f\n" \
    ".p2align 2\n" \
    "2:\n" \
    next \
    "le lr, 2b\n" \
    "3:\n" \
    last \
    stores \
    "add r1, r3, r7\n" \
    "ldm sp, {r0, r4, r5, r9, r11, lr}\n" \
    "5:\n" \
    "cmp r0, r12\n" \
    "add r3, r1, r4\n" \
    "bgt 1b\n" \
    "mov r3, r1\n" \
    "beq 1b\n" \
    "add sp, sp, #24\n" \
    "pop {r7, pc}\n"

#define RL_DOT_THREE_ROWS(last) \
    RL_DOT_LONG_ROWS_S8(RL_DOT_ROUND("vmladav.s8"), RL_DOT_ROUND("vmladava.s8"), last, \
                        "strd r4, r6, [r12, #256]\n" \
                        "strd r8, r10, [r12, #512]\n" \
                        "strd r0, r2, [r12], #8\n")

// Two rows only, whose sums and loads alternate as those of three. See RL_DOT_VECTOR for the arguments.
#define RL_DOT_TWO_VECTOR(multiply, row_1, next_0, next_2) \
    multiply " r0, q0, q2\n" \
    "vldrb.8 q1, [r3], #16\n" \
    multiply " r2, q1, q2\n" \
    "vldrb.8 q3, " row_1 "\n" \
    multiply " r4, q0, q3\n" \
    next_0 \
    multiply " r6, q1, q3\n" \
    next_2
#define RL_DOT_TWO_ROUND(multiply) \
    RL_DOT_TWO_VECTOR(multiply, "[r9], #16", "vldrb.8 q0, [r1], #16\n", "vldrb.8 q2, [r5], #16\n")
#define RL_DOT_TWO_ROWS(last) \
    RL_DOT_LONG_ROWS_S8(RL_DOT_TWO_ROUND("vmladav.s8"), RL_DOT_TWO_ROUND("vmladava.s8"), last, \
                        "strd r4, r6, [r12, #256]\n" \
                        "strd r0, r2, [r12], #8\n")
#define RL_DOT_TWO_LAST_FULL RL_DOT_TWO_VECTOR("vmladava.s8", "[r9]", "", "")
#define RL_DOT_TWO_LAST_AND_REST \
    RL_DOT_TWO_VECTOR("vmladava.s8", "[r9], #16", \
                      "vpst\n" \
                      "vldrbt.8 q0, [r1]\n", \
                      "vpst\n" \
                      "vldrbt.8 q2, [r5]\n") \
    "vpstttt\n" \
    "vmladavat.s8 r0, q0, q2\n" \
    "vldrbt.8 q1, [r3]\n" \
    "vmladavat.s8 r2, q1, q2\n" \
    "vldrbt.8 q3, [r9]\n" \
    "vmladava.s8 r4, q0, q3\n" \
    "vmladava.s8 r6, q1, q3\n"

// The last round: of a full vector, and of one with the rest of a row behind it.
#define RL_DOT_LAST_FULL RL_DOT_VECTOR("vmladava.s8", "[r9]", "[r11]", "", "")
#define RL_DOT_LAST_AND_REST RL_DOT_VECTOR_AND_REST("[r9], #16", "[r11], #16", "", "[r5]", "[r9]", "[r11]")

// Rows of 17 to 31 int8. Their second vectors, in q3 to q5, end where the rows end, and so do those of the filters.
// Zeros in the rows stand for what the first vectors have, too.
#define RL_DOT_MIDDLE_ROWS \
    "push {r7, lr}\n" \
    RL_DOT_PASS_LOAD \
    "vldrb.8 q0, [r5]\n" \
    "rsb r7, r3, #32\n" \
    "vctp.8 r7\n" \
    "vldrb.8 q1, [r9]\n" \
    "vpnot\n" \
    "vldrb.8 q2, [r11]\n" \
    "add r5, r5, r3\n" \
    "add r9, r9, r3\n" \
    "add r11, r11, r3\n" \
    "vpsttt\n" \
    "vldrbt.8 q3, [r5, #-16]\n" \
    "vldrbt.8 q4, [r9, #-16]\n" \
    "vldrbt.8 q5, [r11, #-16]\n" \
    RL_DOT_PASS_BEGIN \
    "vldrb.8 q6, [r1]\n" \
    "vmladav.s8 r0, q6, q0\n" \
    "vldrb.8 q7, [r3, #-16]\n" \
    "vmladav.s8 r4, q6, q1\n" \
    "vmladav.s8 r8, q6, q2\n" \
    "vldrb.8 q6, [r3]\n" \
    "vmladava.s8 r0, q7, q3\n" \
    "vmladava.s8 r4, q7, q4\n" \
    "vmladava.s8 r8, q7, q5\n" \
    "add r1, r1, r5\n" \
    "vmladav.s8 r2, q6, q0\n" \
    "vldrb.8 q7, [r1, #-16]\n" \
    "vmladav.s8 r6, q6, q1\n" \
    "vmladav.s8 r10, q6, q2\n" \
    "vmladava.s8 r6, q7, q4\n" \
    "vmladava.s8 r2, q7, q3\n" \
    "vmladava.s8 r10, q7, q5\n" \
    "strd r4, r6, [r12, #256]\n" \
    "add r3, r3, r5\n" \
    "strd r0, r2, [r12], #8\n" \
    "strd r8, r10, [r12, #504]\n" \
    "le lr, 1b\n" \
    "2:\n" \
    "cbz r7, 3f\n" \
    "vldrb.8 q6, [r1]\n" \
    "vmladav.s8 r0, q6, q0\n" \
    "add r1, r1, r5, lsr #1\n" \
    "vldrb.8 q7, [r1, #-16]\n" \
    "vmladav.s8 r4, q6, q1\n" \
    "vmladav.s8 r8, q6, q2\n" \
    "vmladava.s8 r0, q7, q3\n" \
    "vmladava.s8 r4, q7, q4\n" \
    "vmladava.s8 r8, q7, q5\n" \
    "strd r0, r0, [r12]\n" \
    "strd r4, r4, [r12, #256]\n" \
    "strd r8, r8, [r12, #512]\n" \
    "3:\n" \
    "pop {r7, pc}\n"

// Rows of three or four vectors, which are read from fixed places. Each filter's pointer moves on by two filters.
#define RL_DOT_THREE_VECTORS \
    "vldrb.8 q0, [r1], #16\n" \
    "vldrb.8 q6, [r11, #0]\n" \
    "vmladav.s8 r8, q0, q6\n" \
    "vldrb.8 q1, [r3], #16\n" \
    "vmladav.s8 r10, q1, q6\n" \
    "vldrb.8 q3, [r9, #0]\n" \
    "vmladav.s8 r6, q1, q3\n" \
    "vldrb.8 q4, [r1], #16\n" \
    "vmladav.s8 r4, q0, q3\n" \
    "vldrb.8 q2, [r5, #0]\n" \
    "vmladav.s8 r0, q0, q2\n" \
    "vldrb.8 q7, [r5, #16]\n" \
    "vmladav.s8 r2, q1, q2\n" \
    "vldrb.8 q2, [r9, #16]\n" \
    "vmladava.s8 r4, q4, q2\n" \
    "vldrb.8 q3, [r11, #16]\n" \
    "vmladava.s8 r8, q4, q3\n" \
    "vldrb.8 q5, [r3], #16\n" \
    "vmladava.s8 r10, q5, q3\n" \
    "vldrb.8 q6, [r5, #32]\n" \
    "vmladava.s8 r6, q5, q2\n" \
    "vldrb.8 q0, [r1], #64\n" \
    "vmladava.s8 r0, q4, q7\n" \
    "vmladava.s8 r2, q5, q7\n" \
    "vldrb.8 q2, [r11, #32]\n" \
    "vmladava.s8 r8, q0, q2\n" \
    "vldrb.8 q1, [r3], #64\n" \
    "vmladava.s8 r10, q1, q2\n" \
    "vldrb.8 q7, [r9, #32]\n" \
    "vmladava.s8 r6, q1, q7\n" \
    "vmladava.s8 r4, q0, q7\n" \
    "vmladava.s8 r0, q0, q6\n" \
    "vmladava.s8 r2, q1, q6\n" \
    "strd r4, r6, [r12, #256]\n" \
    "strd r8, r10, [r12, #512]\n" \
    "strd r0, r2, [r12], #8\n"
#define RL_DOT_FOUR_VECTORS \
    "vldrb.8 q3, [r9, #0]\n" \
    "vldrb.8 q1, [r3], #16\n" \
    "vmladav.s8 r6, q1, q3\n" \
    "vldrb.8 q2, [r5, #0]\n" \
    "vmladav.s8 r2, q1, q2\n" \
    "vldrb.8 q6, [r11, #0]\n" \
    "vmladav.s8 r10, q1, q6\n" \
    "vldrb.8 q0, [r1], #16\n" \
    "vmladav.s8 r8, q0, q6\n" \
    "vldrb.8 q5, [r3], #16\n" \
    "vmladav.s8 r0, q0, q2\n" \
    "vldrb.8 q2, [r9, #16]\n" \
    "vmladava.s8 r6, q5, q2\n" \
    "vldrb.8 q4, [r1], #16\n" \
    "vmladav.s8 r4, q0, q3\n" \
    "vldrb.8 q0, [r1], #16\n" \
    "vmladava.s8 r4, q4, q2\n" \
    "vldrb.8 q7, [r5, #16]\n" \
    "vmladava.s8 r0, q4, q7\n" \
    "vldrb.8 q2, [r11, #32]\n" \
    "vmladava.s8 r2, q5, q7\n" \
    "vldrb.8 q3, [r11, #16]\n" \
    "vmladava.s8 r8, q4, q3\n" \
    "vldrb.8 q7, [r9, #32]\n" \
    "vmladava.s8 r4, q0, q7\n" \
    "vldrb.8 q6, [r5, #32]\n" \
    "vmladava.s8 r0, q0, q6\n" \
    "vldrb.8 q1, [r3], #16\n" \
    "vmladava.s8 r6, q1, q7\n" \
    "vmladava.s8 r2, q1, q6\n" \
    "vldrb.8 q6, [r9, #48]\n" \
    "vmladava.s8 r10, q5, q3\n" \
    "vldrb.8 q3, [r5, #48]\n" \
    "vmladava.s8 r10, q1, q2\n" \
    "vldrb.8 q5, [r3], #80\n" \
    "vmladava.s8 r2, q5, q3\n" \
    "vldrb.8 q7, [r11, #48]\n" \
    "vmladava.s8 r6, q5, q6\n" \
    "vldrb.8 q4, [r1], #80\n" \
    "vmladava.s8 r4, q4, q6\n" \
    "vmladava.s8 r0, q4, q3\n" \
    "vmladava.s8 r8, q0, q2\n" \
    "vmladava.s8 r8, q4, q7\n" \
    "vmladava.s8 r10, q5, q7\n" \
    "strd r4, r6, [r12, #256]\n" \
    "strd r8, r10, [r12, #512]\n" \
    "strd r0, r2, [r12], #8\n"
#define RL_DOT_FIXED_ROWS(load, body) \
    "push {r7, lr}\n" \
    RL_DOT_PASS_LOAD \
    load \
    "add r3, r3, r1\n" \
    "and r7, r4, #1\n" \
    "lsr lr, r4, #1\n" \
    "wls lr, lr, 2f\n" \
    ".p2align 2\n" \
    "1:\n" \
    body \
    "le lr, 1b\n" \
    RL_DOT_PASS_LAST \
    "pop {r7, pc}\n"

// Rows of 16 and 32 int8, which stay in q0 to q5. Each filter's pointer moves on by two filters.
#define RL_DOT_LOAD_FIRST \
    "vldrb.8 q0, [r5]\n" \
    "vldrb.8 q1, [r9]\n" \
    "vldrb.8 q2, [r11]\n"
#define RL_DOT_LOAD_SECOND \
    "vldrb.8 q3, [r5, #16]\n" \
    "vldrb.8 q4, [r9, #16]\n" \
    "vldrb.8 q5, [r11, #16]\n"
#define RL_DOT_TWO_VECTORS \
    "vldrb.8 q6, [r1], #16\n" \
    "vmladav.s8 r0, q6, q0\n" \
    "vldrb.8 q7, [r1], #48\n" \
    "vmladav.s8 r4, q6, q1\n" \
    "vmladav.s8 r8, q6, q2\n" \
    "vldrb.8 q6, [r3], #16\n" \
    "vmladava.s8 r0, q7, q3\n" \
    "vmladava.s8 r4, q7, q4\n" \
    "vmladava.s8 r8, q7, q5\n" \
    "vmladav.s8 r2, q6, q0\n" \
    "vldrb.8 q7, [r3], #48\n" \
    "vmladav.s8 r6, q6, q1\n" \
    "vmladav.s8 r10, q6, q2\n" \
    "vmladava.s8 r6, q7, q4\n" \
    "vmladava.s8 r2, q7, q3\n" \
    "vmladava.s8 r10, q7, q5\n" \
    "strd r4, r6, [r12, #256]\n" \
    "strd r0, r2, [r12], #8\n" \
    "strd r8, r10, [r12, #504]\n"
#define RL_DOT_ONE_VECTOR \
    "vldrb.8 q3, [r1], #32\n" \
    "vmladav.s8 r4, q3, q1\n" \
    "vmladav.s8 r0, q3, q0\n" \
    "vmladav.s8 r8, q3, q2\n" \
    "vldrb.8 q4, [r3], #32\n" \
    "vmladav.s8 r2, q4, q0\n" \
    "vmladav.s8 r6, q4, q1\n" \
    "vmladav.s8 r10, q4, q2\n" \
    "strd r4, r6, [r12, #256]\n" \
    "strd r8, r10, [r12, #512]\n" \
    "strd r0, r2, [r12], #8\n"

static __attribute__((naked, noinline)) void
rl_dot_long_rows_s8(__attribute__((unused)) const void *rows)
{
    __asm__(RL_DOT_THREE_ROWS(RL_DOT_LAST_FULL));
}

static __attribute__((naked, noinline)) void
rl_dot_odd_rows_s8(__attribute__((unused)) const void *rows)
{
    __asm__(RL_DOT_THREE_ROWS(RL_DOT_LAST_AND_REST));
}

static __attribute__((naked, noinline)) void
rl_dot_two_long_rows_s8(__attribute__((unused)) const void *rows)
{
    __asm__(RL_DOT_TWO_ROWS(RL_DOT_TWO_LAST_FULL));
}

static __attribute__((naked, noinline)) void
rl_dot_two_odd_rows_s8(__attribute__((unused)) const void *rows)
{
    __asm__(RL_DOT_TWO_ROWS(RL_DOT_TWO_LAST_AND_REST));
}

static __attribute__((naked, noinline)) void
rl_dot_rows_of_16_s8(__attribute__((unused)) const void *rows)
{
    __asm__(RL_DOT_FIXED_ROWS(RL_DOT_LOAD_FIRST, RL_DOT_ONE_VECTOR));
}

static __attribute__((naked, noinline)) void
rl_dot_rows_of_32_s8(__attribute__((unused)) const void *rows)
{
    __asm__(RL_DOT_FIXED_ROWS(RL_DOT_LOAD_FIRST RL_DOT_LOAD_SECOND, RL_DOT_TWO_VECTORS));
}

static __attribute__((naked, noinline)) void
rl_dot_rows_of_48_s8(__attribute__((unused)) const void *rows)
{
    __asm__(RL_DOT_FIXED_ROWS("", RL_DOT_THREE_VECTORS));
}

static __attribute__((naked, noinline)) void
rl_dot_rows_of_64_s8(__attribute__((unused)) const void *rows)
{
    __asm__(RL_DOT_FIXED_ROWS("", RL_DOT_FOUR_VECTORS));
}

static __attribute__((naked, noinline)) void
rl_dot_middle_rows_s8(__attribute__((unused)) const void *rows)
{
    __asm__(RL_DOT_MIDDLE_ROWS);
}

static __attribute__((naked, noinline)) void
rl_dot_short_rows_s8(__attribute__((unused)) const void *rows)
{
    __asm__(RL_DOT_SHORT_ROWS("8", "b", "8"));
}

// clang-format on

// The function that multiplies three rows of int8, of at most RL_SHORT_DEPTH values or of more. Each names its own
// loops only.
static inline rl_assembler *rl_dot_rows_short(int32_t depth)
{
    if (depth == 16 || depth == 32) {
        return depth == 16 ? rl_dot_rows_of_16_s8 : rl_dot_rows_of_32_s8;
    }
    return depth < 16 ? rl_dot_short_rows_s8 : rl_dot_middle_rows_s8;
}

// That for filters which do not follow each other, of more than RL_SHORT_DEPTH values.
static inline rl_assembler *rl_dot_rows_any(int32_t depth)
{
    return depth % 16 == 0 ? rl_dot_long_rows_s8 : rl_dot_odd_rows_s8;
}

// The same for row_0 and row_1 alone. The sums of row_2 stay as they are.
static inline rl_assembler *rl_dot_two_rows(int32_t depth)
{
    return depth % 16 == 0 ? rl_dot_two_long_rows_s8 : rl_dot_two_odd_rows_s8;
}

static inline rl_assembler *rl_dot_rows_long(int32_t depth)
{
    if (depth == 48 || depth == 64) {
        return depth == 48 ? rl_dot_rows_of_48_s8 : rl_dot_rows_of_64_s8;
    }
    rl_assembler *const fixed = RL_SMALL ? NULL : rl_dot_rows_fixed(depth);
    if (fixed) {
        return fixed;
    }
    return rl_dot_rows_any(depth);
}

static inline rl_assembler *rl_dot_rows_s8(int32_t depth)
{
    return depth <= RL_SHORT_DEPTH ? rl_dot_rows_short(depth) : rl_dot_rows_long(depth);
}

#endif
