// SPDX-License-Identifier: Apache-2.0
// Parts of the functions of dot_rows_s8.h and dot_rows_s16.h, which multiply three rows by int8 filters. They are in
// assembler because six sums and five pointers take every core register, which compilers spill. They also regroup the
// loads. dot_rows_plain.h is the same in C, for all functions.
//
// The functions compute two channels at a time and read nothing beyond `depth`. Loads and VMLADAV alternate, because
// Helium overlaps them.
#ifndef RL_KERNELS_MVE_DOT_ROWS_H
#define RL_KERNELS_MVE_DOT_ROWS_H

#include "mve/dot_rows_plain.h"

__extension__ _Static_assert(offsetof(struct rl_three_rows, filters) == 4 &&
                                 offsetof(struct rl_three_rows, sums) == 16 &&
                                 offsetof(struct rl_filters, channels) == 8 &&
                                 offsetof(struct rl_filters, output_max) == 28 &&
                                 offsetof(struct rl_filters, bias) == 32 && RL_SUM_BLOCK == 64,
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
    "strd r4, r6, [r12, #256]\n" \
    "strd r8, r10, [r12, #512]\n" \
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

// The products of a vector of int8, whose loads of q0 and q2 are done, and these loads of the next vector. The arguments
// are the multiplication, the addresses in the second and third row, and the loads.
#define RL_DOT_VECTOR(multiply, row_1, row_2, next_0, next_2) \
    multiply " r0, q0, q2\n" \
    "vldrb.8 q1, [r3], #16\n" \
    multiply " r2, q1, q2\n" \
    "vldrb.8 q2, " row_1 "\n" \
    multiply " r4, q0, q2\n" \
    "vldrb.8 q3, " row_2 "\n" \
    multiply " r8, q0, q3\n" \
    next_0 \
    multiply " r6, q1, q2\n" \
    next_2 \
    multiply " r10, q1, q3\n"

// The last vector of a row and what the predicate has of one more, whose addresses in the rows come last; `next_2` is
// a load for the next filters. One block of products and loads takes one predication.
#define RL_DOT_VECTOR_AND_REST(row_1, row_2, next_2, rest_0, rest_1, rest_2) \
    RL_DOT_VECTOR("vmladava.s8", row_1, row_2, \
                  "vpst\n" \
                  "vldrbt.8 q0, [r1]\n", \
                  "vpst\n" \
                  "vldrbt.8 q2, " rest_0 "\n") \
    "vpstttt\n" \
    "vmladavat.s8 r0, q0, q2\n" \
    "vldrbt.8 q1, [r3]\n" \
    "vmladavat.s8 r2, q1, q2\n" \
    "vldrbt.8 q2, " rest_1 "\n" \
    "vpstttt\n" \
    "vmladavat.s8 r4, q0, q2\n" \
    "vldrbt.8 q3, " rest_2 "\n" \
    "vmladavat.s8 r6, q1, q2\n" \
    "vmladavat.s8 r8, q0, q3\n" \
    next_2 \
    "vmladava.s8 r10, q1, q3\n"

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
    "strd r4, r6, [r12, #256]\n" \
    "strd r8, r10, [r12, #512]\n" \
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

// clang-format on

#endif
