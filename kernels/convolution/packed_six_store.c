// SPDX-License-Identifier: Apache-2.0
// The loops of scalar/packed_six_store.h, in assembler. They are here once for all families that store such sums.
#include <stdint.h> // a source without declarations is not C

#include "isa.h"

#if RL_HAS_THUMB_LOOP && !RL_HAS_THUMB2_LOOP
#include "scalar/packed_six_store.h"

__extension__ _Static_assert(offsetof(struct rl_packed_store, scale) == 20 &&
                                 offsetof(struct rl_packed_store, addend) == 44 &&
                                 offsetof(struct rl_rescale, addend) == 4 &&
                                 offsetof(struct rl_rescale, right_shift) == 8,
                             "the assembler below uses these offsets");

// What RL_RESCALED takes as limits: r8 and r9.
#define RL_PACKED_LIMITS                                                                                               \
    "mov r2, r8\n"                                                                                                     \
    "mov r7, r9\n"

// clang-format off
// What differs: sums of a channel follow each other, and scales are `step` apart; or sums of a row do, which are `step`
// from those of the next row, and scales follow each other. The way to the next scale and the one back, the load of a
// sum from r4 that moves r4 to the one of the next row, the same sum again, and the load where r12 is another value and
// the job behind a word.
#define RL_PACKED_ADVANCE "add r0, r12\n"
#define RL_PACKED_BACK \
    "mov r1, r12\n" \
    "subs r0, r0, r1\n"
#define RL_PACKED_LOAD "ldm r4!, {r3}\n"
#define RL_PACKED_AGAIN "subs r4, #4\n" RL_PACKED_LOAD
#define RL_PACKED_SLOW_LOAD RL_PACKED_LOAD
#define RL_ROWS_ADVANCE "adds r0, #12\n"
#define RL_ROWS_BACK "subs r0, #12\n"
#define RL_ROWS_LOAD \
    "ldr r3, [r4]\n" \
    "add r4, r12\n"
#define RL_ROWS_AGAIN \
    "mov r1, r12\n" \
    "subs r4, r4, r1\n" \
    RL_ROWS_LOAD
#define RL_ROWS_SLOW_LOAD \
    "ldr r1, [sp, #4]\n" \
    "ldr r1, [r1, #40]\n" \
    "ldr r3, [r4]\n" \
    "adds r4, r4, r1\n"

// Scales and stores the sum of a row.
#define RL_PACKED_STORE_ROW(load) \
    load \
    RL_RESCALED("r3", RL_PACKED_LIMITS) \
    "strb r3, [r5]\n" \
    "add r5, r10\n"

// The same with RL_QUICK. Values beyond the limits leave the way, and so do those that need RL_RESCALED, which come
// back to it.
#define RL_PACKED_QUICK_ROW(load, beyond, close, back) \
    load \
    RL_QUICK("r3", "r2", "r7", "r11", "r9", beyond, close) \
    "add r3, r8\n" \
    back ":\n" \
    "strb r3, [r5]\n" \
    "add r5, r10\n"

// Stores a value beyond the limits.
#define RL_PACKED_LIMIT \
    RL_QUICK_LIMIT("r3", "r9") \
    "add r1, r8\n" \
    "strb r1, [r5]\n" \
    "add r5, r10\n"

// Takes back what RL_RESCALED needs r11, r12 and lr for, from the job at r2. Changes r1.
#define RL_PACKED_RESTORE \
    "ldr r1, [r2, #36]\n" \
    "mov lr, r1\n" \
    "ldr r1, [r2, #40]\n" \
    "mov r12, r1\n" \
    "ldr r1, [r2, #44]\n" \
    "mov r11, r1\n"

// Puts the halves of the multiplier in r1 into r11 and r12. Changes r1 and r2.
#define RL_PACKED_HALVES \
    "uxth r2, r1\n" \
    "mov r11, r2\n" \
    "asrs r1, r1, #16\n" \
    "mov r12, r1\n"

// A value near the limit of two results, again with RL_RESCALED.
#define RL_PACKED_CLOSE(again, back) \
    "push {r0, r2, r7}\n" \
    again \
    back \
    "ldm r0!, {r1, r2, r7}\n" \
    "push {r7}\n" \
    "mov lr, r2\n" \
    RL_PACKED_HALVES \
    RL_RESCALED("r3", RL_PACKED_LIMITS) \
    "ldr r2, [sp, #16]\n" \
    RL_PACKED_RESTORE \
    "add sp, #4\n" \
    "pop {r0, r2, r7}\n"

// From behind the last row of a channel to the next channel: the comparison that tells whether there is one. Changes r1
// to r3.
#define RL_PACKED_NEXT \
    "ldr r3, [sp]\n" \
    "ldr r1, [r3, #24]\n" \
    "ldr r2, [r3, #28]\n" \
    "adds r4, r4, r1\n" \
    "ldr r1, [r3, #32]\n" \
    "adds r5, r5, r2\n" \
    "cmp r4, r1\n"

// r0 is the address of the next scale, r3 a sum, r4 the address of the next one, r5 of an output, r6 the rows that
// remain, r8 the lower limit, r9 the range, r10 the stride, r11 the addend, r12 `step`, lr `rows`. The stack holds the
// job, in which the slow loop keeps r0. Small code has that one only, for single rows.
#define RL_PACKED_STORE(load, again, slow_load, advance, back) \
    ".syntax unified\n" \
    "push {r4-r7, lr}\n" \
    RL_HIGH_TO_LOW \
    "push {r0, r4-r7}\n" \
    "ldm r0!, {r1-r5}\n" \
    "mov r8, r4\n" \
    "mov r9, r5\n" \
    "mov r10, r3\n" \
    "movs r4, r1\n" \
    "movs r5, r2\n" \
    "subs r0, #20\n" \
    "movs r2, r0\n" \
    "ldr r0, [r2, #20]\n" \
    RL_PACKED_RESTORE \
    /* A channel. */ \
    "1:\n" \
    ".if !" RL_SMALL_TEXT "\n" \
    "ldr r7, [r0]\n" \
    "ldr r2, [r0, #8]\n" \
    advance \
    RL_QUICK_SCALE("r7", "r2", "7f") \
    "mov r6, lr\n" \
    "lsrs r6, r6, #1\n" \
    "bcs 4f\n" /* an odd number of rows */ \
    "2:\n" \
    RL_PACKED_QUICK_ROW(load, "11f", "12f", "13") \
    "4:\n" \
    RL_PACKED_QUICK_ROW(load, "14f", "15f", "16") \
    "subs r6, #2\n" \
    "bne 2b\n" \
    "6:\n" \
    RL_PACKED_NEXT \
    "bne 1b\n" \
    "b 20f\n" \
    "7:\n" \
    "b 21f\n" \
    "11:\n" \
    RL_PACKED_LIMIT \
    "b 4b\n" \
    "14:\n" \
    RL_PACKED_LIMIT \
    "subs r6, #2\n" \
    "bne 2b\n" \
    "b 6b\n" \
    "12:\n" \
    RL_PACKED_CLOSE(again, back) \
    "b 13b\n" \
    "15:\n" \
    RL_PACKED_CLOSE(again, back) \
    "b 16b\n" \
    /* Another scale. */ \
    "21:\n" \
    back \
    ".endif\n" \
    "ldm r0!, {r1, r2, r3}\n" \
    "subs r0, #12\n" \
    advance \
    "push {r3}\n" \
    "ldr r3, [sp, #4]\n" \
    "str r0, [r3, #20]\n" \
    "mov r6, lr\n" \
    "mov lr, r2\n" \
    RL_PACKED_HALVES \
    "lsrs r6, r6, #1\n" \
    ".if " RL_SMALL_TEXT "\n" \
    "bcc 18f\n" \
    "subs r6, #1\n" \
    "18:\n" \
    RL_PACKED_STORE_ROW(slow_load) \
    "subs r6, #1\n" \
    "bne 18b\n" \
    ".else\n" \
    "bcs 18f\n" \
    "17:\n" \
    RL_PACKED_STORE_ROW(slow_load) \
    "18:\n" \
    RL_PACKED_STORE_ROW(slow_load) \
    "subs r6, #2\n" \
    "bne 17b\n" \
    ".endif\n" \
    "add sp, #4\n" \
    "ldr r2, [sp]\n" \
    "ldr r0, [r2, #20]\n" \
    RL_PACKED_RESTORE \
    RL_PACKED_NEXT \
    "beq 20f\n" \
    "b 1b\n" \
    "20:\n" \
    "add sp, #4\n" \
    "pop {r4-r7}\n" \
    RL_LOW_TO_HIGH \
    "pop {r4-r7, pc}\n"

__attribute__((naked, noinline)) void rl_packed_store_run(__attribute__((unused)) struct rl_packed_store *job)
{
    __asm__(RL_PACKED_STORE(RL_PACKED_LOAD, RL_PACKED_AGAIN, RL_PACKED_SLOW_LOAD, RL_PACKED_ADVANCE, RL_PACKED_BACK));
}

__attribute__((naked, noinline)) void rl_rows_store_run(__attribute__((unused)) struct rl_packed_store *job)
{
    __asm__(RL_PACKED_STORE(RL_ROWS_LOAD, RL_ROWS_AGAIN, RL_ROWS_SLOW_LOAD, RL_ROWS_ADVANCE, RL_ROWS_BACK));
}
// clang-format on
#endif
