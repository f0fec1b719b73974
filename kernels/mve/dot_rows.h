// SPDX-License-Identifier: Apache-2.0
// Three int8 rows times int8 filters. It is in assembler because six sums and five pointers take every core
// register, which compilers spill. They also regroup the loads. dot_rows_plain.h is the same in C, for all functions,
// and those of dot_rows_s16.h.
//
// The functions compute two channels at a time and read nothing beyond `depth`. Loads and VMLADAV alternate, because
// Helium overlaps them.
#ifndef RL_KERNELS_MVE_DOT_ROWS_H
#define RL_KERNELS_MVE_DOT_ROWS_H

#include "mve/dot_rows_plain.h"

_Static_assert(offsetof(struct rl_three_rows, filters) == 4 && offsetof(struct rl_three_rows, sums) == 16 &&
                   offsetof(struct rl_filters, channels) == 8 && offsetof(struct rl_filters, output_max) == 28 &&
                   offsetof(struct rl_filters, bias) == 32 && RL_SUM_BLOCK == 32,
               "the assembler here and in scale_rows.h uses these offsets");

// A function in assembler that preserves only r7 and the stack pointer. A caller with a loop saves the other registers
// once, instead of for every three rows.
typedef void rl_assembler(const void *argument);

// Predicates are not preserved either. gcc 12 cannot be told so: make them after the call.
static inline void rl_call_assembler(rl_assembler *function, const void *argument)
{
    register const void *first __asm__("r0") = argument;
    register rl_assembler *to __asm__("r1") = function;
    __asm__ volatile("blx %[to]"
                     : "+r"(first), [to] "+r"(to)
                     :
                     : "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "lr", "q0", "q1", "q2", "q3",
                       "q4", "q5", "q6", "q7", "cc", "memory");
}

// clang-format off
// The start and the end of the functions for long rows. r0, r2, r4, r6, r8, r10 are the sums, r1 and r3 the filters,
// r5, r9 and r11 the rows, r7 the tail, r12 where sums go, lr the loop count. `loops` sets lr and r7 from the depth in
// r3. The stack holds the registers' values at the start of a pair of filters: zeros, the distance of the filters, the
// rows and the loop count. Behind them lies the address of the last channel's sum.
#define RL_DOT_BEGIN(loops) \
    "push {r7, lr}\n" \
    "ldm r0, {r5, r8, r9, r11, r12}\n" \
    "ldm r8, {r1, r3, r4}\n" \
    loops \
    "add r4, r12, r4, lsl #2\n" \
    "sub r4, r4, #4\n" \
    "push {r4}\n" \
    "movs r0, #0\n" \
    "movs r2, #0\n" \
    "movs r4, #0\n" \
    "movs r6, #0\n" \
    "mov r8, r0\n" \
    "mov r10, r0\n" \
    "push {r0, r2-r6, r8-r11, lr}\n" \
    "b 5f\n" \
    "1:\n" \
    "ldm sp, {r0, r2-r6, r8-r11, lr}\n" \
    "add r3, r3, r1\n"
#define RL_DOT_END \
    "strd r4, r6, [r12, #128]\n" \
    "strd r8, r10, [r12, #256]\n" \
    "strd r0, r2, [r12], #8\n" \
    "add r1, r3, r7\n" \
    "5:\n" \
    "ldr r0, [sp, #44]\n" \
    "subs r0, r0, r12\n" \
    "bgt 1b\n" \
    "bne 6f\n" \
    "str r0, [sp, #8]\n" \
    "b 1b\n" \
    "6:\n" \
    "add sp, sp, #48\n" \
    "pop {r7, pc}\n"

// A round of int8: the products of a vector, and the first two loads of the next vector.
#define RL_DOT_ROUND(multiply) \
    multiply " r0, q0, q2\n" \
    "vldrb.8 q1, [r3], #16\n" \
    multiply " r2, q1, q2\n" \
    "vldrb.8 q2, [r9], #16\n" \
    multiply " r4, q0, q2\n" \
    "vldrb.8 q3, [r11], #16\n" \
    multiply " r8, q0, q3\n" \
    "vldrb.8 q0, [r1], #16\n" \
    multiply " r6, q1, q2\n" \
    "vldrb.8 q2, [r5], #16\n" \
    multiply " r10, q1, q3\n"

// Rows of two vectors of int8 or more. The first round of a pair of filters starts its sums. r0 is the address of the
// last sum, r4 the depth; the stack holds them, the rows and the number of further rounds.
#define RL_DOT_LONG_ROWS_S8(last) \
    "push {r7, lr}\n" \
    "ldm r0, {r5, r8, r9, r11, r12}\n" \
    "ldm r8, {r1, r3, r6}\n" \
    "and r7, r3, #15\n" \
    "vctp.8 r7\n" \
    "lsr lr, r3, #4\n" \
    "sub lr, lr, #2\n" \
    "mov r4, r3\n" \
    "add r0, r12, r6, lsl #2\n" \
    "sub r0, r0, #4\n" \
    "push {r0, r4, r5, r9, r11, lr}\n" \
    "b 5f\n" \
    ".p2align 2\n" \
    "1:\n" \
    "vldrb.8 q0, [r1], #16\n" \
    "vldrb.8 q2, [r5], #16\n" \
    RL_DOT_ROUND("vmladav.s8") \
    "wls lr, lr, 3f\n" \
    ".p2align 2\n" \
    "2:\n" \
    RL_DOT_ROUND("vmladava.s8") \
    "le lr, 2b\n" \
    "3:\n" \
    last \
    "strd r4, r6, [r12, #128]\n" \
    "strd r8, r10, [r12, #256]\n" \
    "strd r0, r2, [r12], #8\n" \
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

// The last round: of a full vector, and of one with the rest of a row behind it.
#define RL_DOT_LAST_FULL \
    "vmladava.s8 r0, q0, q2\n" \
    "vldrb.8 q1, [r3], #16\n" \
    "vmladava.s8 r2, q1, q2\n" \
    "vldrb.8 q2, [r9]\n" \
    "vmladava.s8 r4, q0, q2\n" \
    "vldrb.8 q3, [r11]\n" \
    "vmladava.s8 r6, q1, q2\n" \
    "vmladava.s8 r8, q0, q3\n" \
    "vmladava.s8 r10, q1, q3\n"
#define RL_DOT_LAST_AND_REST \
    "vmladava.s8 r0, q0, q2\n" \
    "vldrb.8 q1, [r3], #16\n" \
    "vmladava.s8 r2, q1, q2\n" \
    "vldrb.8 q2, [r9], #16\n" \
    "vmladava.s8 r4, q0, q2\n" \
    "vldrb.8 q3, [r11], #16\n" \
    "vmladava.s8 r8, q0, q3\n" \
    "vpst\n" \
    "vldrbt.8 q4, [r1]\n" \
    "vmladava.s8 r6, q1, q2\n" \
    "vpst\n" \
    "vldrbt.8 q2, [r5]\n" \
    "vmladava.s8 r10, q1, q3\n" \
    "vpst\n" \
    "vldrbt.8 q5, [r3]\n" \
    "vmladava.s8 r0, q4, q2\n" \
    "vpst\n" \
    "vldrbt.8 q3, [r9]\n" \
    "vmladava.s8 r2, q5, q2\n" \
    "vpst\n" \
    "vldrbt.8 q6, [r11]\n" \
    "vmladava.s8 r4, q4, q3\n" \
    "vmladava.s8 r6, q5, q3\n" \
    "vmladava.s8 r8, q4, q6\n" \
    "vmladava.s8 r10, q5, q6\n"

// Parts of the functions for shorter rows, which keep the rows in registers and pass once over the filters: the loads
// from `rows`, the start and the end of the pass. r5 is the distance from one pair of filters to the next; r7 is 1 if
// one channel remains at the end.
#define RL_DOT_PASS_LOAD \
    "ldm r0, {r5, r8, r9, r11, r12}\n" \
    "ldm r8, {r1, r3, r4}\n"
#define RL_DOT_PASS_BEGIN \
    "add r5, r3, r3\n" \
    "add r3, r3, r1\n" \
    "and r7, r4, #1\n" \
    "lsr lr, r4, #1\n" \
    "wls lr, lr, 2f\n" \
    ".p2align 2\n" \
    "1:\n"
#define RL_DOT_PASS_NEXT \
    "add r1, r1, r5\n" \
    "add r3, r3, r5\n"
#define RL_DOT_PASS_LAST \
    "2:\n" \
    "cbz r7, 3f\n" \
    "movs r7, #0\n" \
    "mov r3, r1\n" \
    "mov lr, #1\n" \
    "dls lr, lr\n" \
    "b 1b\n" \
    "3:\n"
#define RL_DOT_PASS_END \
    "strd r4, r6, [r12, #128]\n" \
    "strd r8, r10, [r12, #256]\n" \
    "strd r0, r2, [r12], #8\n" \
    "le lr, 1b\n" \
    RL_DOT_PASS_LAST

// Rows of at most a vector, in q0 to q2. The arguments say how values are loaded: the bits of a lane, the letter of a
// row's load, the type of a filter's load.
#define RL_DOT_SHORT_ROWS(bits, letter, weight) \
    "push {r7, lr}\n" \
    RL_DOT_PASS_LOAD \
    "vctp." bits " r3\n" \
    "vpsttt\n" \
    "vldr" letter "t." bits " q0, [r5]\n" \
    "vldr" letter "t." bits " q1, [r9]\n" \
    "vldr" letter "t." bits " q2, [r11]\n" \
    RL_DOT_PASS_BEGIN \
    "vpsttt\n" \
    "vldrbt." weight " q3, [r1]\n" \
    "vmladavt.s" bits " r0, q3, q0\n" \
    "vldrbt." weight " q4, [r3]\n" \
    "vmladav.s" bits " r4, q3, q1\n" \
    "vmladav.s" bits " r8, q3, q2\n" \
    "vmladav.s" bits " r2, q4, q0\n" \
    "vmladav.s" bits " r6, q4, q1\n" \
    "vmladav.s" bits " r10, q4, q2\n" \
    RL_DOT_PASS_NEXT \
    RL_DOT_PASS_END \
    "pop {r7, pc}\n"

// The products of rows of two vectors of int8, the first in q0 to q2, the second in q3 to q5. `start` multiplies the
// first. `vpst` and `t` load the second where it may be partial. at_0 and at_1 stand behind r1 and r3, the filters.
#define RL_DOT_TWO_VECTORS(start, vpst, t, at_0, at_1) \
    "vldrb.8 q6, [r1" at_0 "\n" \
    start " r0, q6, q0\n" \
    start " r4, q6, q1\n" \
    start " r8, q6, q2\n" \
    vpst "vldrb" t ".8 q6, [r1" at_1 "\n" \
    "vmladava.s8 r0, q6, q3\n" \
    "vmladava.s8 r4, q6, q4\n" \
    "vmladava.s8 r8, q6, q5\n" \
    "vldrb.8 q6, [r3" at_0 "\n" \
    start " r2, q6, q0\n" \
    start " r6, q6, q1\n" \
    start " r10, q6, q2\n" \
    vpst "vldrb" t ".8 q6, [r3" at_1 "\n" \
    "vmladava.s8 r2, q6, q3\n" \
    "vmladava.s8 r6, q6, q4\n" \
    "vmladava.s8 r10, q6, q5\n"

// Rows of 17 to 32 int8.
#define RL_DOT_MIDDLE_ROWS \
    "push {r7, lr}\n" \
    RL_DOT_PASS_LOAD \
    "sub r7, r3, #16\n" \
    "vctp.8 r7\n" \
    "vpsttt\n" \
    "vldrbt.8 q3, [r5, #16]\n" \
    "vldrbt.8 q4, [r9, #16]\n" \
    "vldrbt.8 q5, [r11, #16]\n" \
    "vldrb.8 q0, [r5]\n" \
    "vldrb.8 q1, [r9]\n" \
    "vldrb.8 q2, [r11]\n" \
    RL_DOT_PASS_BEGIN \
    RL_DOT_TWO_VECTORS("vmladav.s8", "vpst\n", "t", "]", ", #16]") \
    RL_DOT_PASS_NEXT \
    RL_DOT_PASS_END \
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
    "strd r4, r6, [r12, #128]\n" \
    "strd r8, r10, [r12, #256]\n" \
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
    "strd r4, r6, [r12, #128]\n" \
    "strd r8, r10, [r12, #256]\n" \
    "strd r0, r2, [r12], #8\n"
#define RL_DOT_FIXED_ROWS(body) \
    "push {r7, lr}\n" \
    RL_DOT_PASS_LOAD \
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

// Rows of 16 int8.
#define RL_DOT_ONE_VECTOR \
    "vldrb.8 q3, [r1], #32\n" \
    "vmladav.s8 r4, q3, q1\n" \
    "vmladav.s8 r0, q3, q0\n" \
    "vmladav.s8 r8, q3, q2\n" \
    "vldrb.8 q4, [r3], #32\n" \
    "vmladav.s8 r2, q4, q0\n" \
    "vmladav.s8 r6, q4, q1\n" \
    "vmladav.s8 r10, q4, q2\n" \
    "strd r4, r6, [r12, #128]\n" \
    "strd r8, r10, [r12, #256]\n" \
    "strd r0, r2, [r12], #8\n"

static __attribute__((naked, noinline)) void
rl_dot_long_rows_s8(__attribute__((unused)) const void *rows)
{
    __asm__(RL_DOT_LONG_ROWS_S8(RL_DOT_LAST_FULL));
}

static __attribute__((naked, noinline)) void
rl_dot_odd_rows_s8(__attribute__((unused)) const void *rows)
{
    __asm__(RL_DOT_LONG_ROWS_S8(RL_DOT_LAST_AND_REST));
}

static __attribute__((naked, noinline)) void
rl_dot_rows_of_16_s8(__attribute__((unused)) const void *rows)
{
    __asm__("push {r7, lr}\n"
            RL_DOT_PASS_LOAD
            "vldrb.8 q0, [r5]\n"
            "vldrb.8 q1, [r9]\n"
            "vldrb.8 q2, [r11]\n"
            "add r3, r1, #16\n"
            "and r7, r4, #1\n"
            "lsr lr, r4, #1\n"
            "wls lr, lr, 2f\n"
            ".p2align 2\n"
            "1:\n"
            RL_DOT_ONE_VECTOR
            "le lr, 1b\n"
            RL_DOT_PASS_LAST
            "pop {r7, pc}\n");
}

static __attribute__((naked, noinline)) void
rl_dot_rows_of_48_s8(__attribute__((unused)) const void *rows)
{
    __asm__(RL_DOT_FIXED_ROWS(RL_DOT_THREE_VECTORS));
}

static __attribute__((naked, noinline)) void
rl_dot_rows_of_64_s8(__attribute__((unused)) const void *rows)
{
    __asm__(RL_DOT_FIXED_ROWS(RL_DOT_FOUR_VECTORS));
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

// The function that multiplies three rows of int8.
static inline rl_assembler *rl_dot_rows_s8(int32_t depth)
{
    switch (depth) {
    case 16:
        return rl_dot_rows_of_16_s8;
    case 48:
        return rl_dot_rows_of_48_s8;
    case 64:
        return rl_dot_rows_of_64_s8;
    default:
        break;
    }
    if (depth <= 16) {
        return rl_dot_short_rows_s8;
    }
    if (depth <= 32) {
        return rl_dot_middle_rows_s8;
    }
    return depth % 16 == 0 ? rl_dot_long_rows_s8 : rl_dot_odd_rows_s8;
}

#endif
