// SPDX-License-Identifier: Apache-2.0
// Three int8 rows times pairs of int8 filters, in assembler: six sums and five streams take every core
// register, and compilers spill or regroup them. What both functions compute, in C:
//
//     for (; sums != end; sums += 2, filter += filter_step + depth) {
//         for (r = 0; r < 3; r++) {
//             sums[r * RL_CHANNEL_BLOCK]     = sum_k row_r[k] * filter[k];
//             sums[r * RL_CHANNEL_BLOCK + 1] = sum_k row_r[k] * filter[k + filter_step];
//         }
//     }
//
// Nothing is read beyond `depth`. Loads and VMLADAV alternate, because Helium overlaps the two.
#ifndef RL_KERNELS_MVE_DOT_ROWS_H
#define RL_KERNELS_MVE_DOT_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "convolution/matmul.h"

// The assembler knows the order of the fields: it loads the first eleven at once, for each pair.
struct rl_dot_rows {
    int32_t zero_0;
    const int8_t *row_0;
    int32_t zero_1;
    const int8_t *row_1;
    int32_t zero_2;
    const int8_t *row_2;
    int32_t zeros[2];
    ptrdiff_t filter_step; // from the first to the second filter of a pair: depth, or 0 for a single filter
    int32_t zero_3;
    int32_t loops;        // vectors of a row but one: depth / 16 - 1
    int32_t tail;         // values behind the last whole vector: depth % 16
    const int8_t *filter; // behind the last pair on return
    int32_t *sums;        // behind the last pair on return
    int32_t *end;         // at least one pair behind `sums`
};

_Static_assert(sizeof(struct rl_dot_rows) == 60 && offsetof(struct rl_dot_rows, tail) == 44 &&
                   RL_CHANNEL_BLOCK == 64,
               "the assembler below uses these offsets");

// Rows of 16 values or more. r0, r2, r4, r6, r8, r10 the sums; r1, r3, r5 the rows; r11 and r9 the filters;
// q0 and q1 their values. Each round does the first two loads of the next one.
static __attribute__((naked, noinline)) void rl_dot_long_rows(__attribute__((unused)) struct rl_dot_rows *job)
{
    __asm__("push {r0, r4-r11, lr}\n"
            "add lr, r0, #44\n"
            "ldm lr, {r7, r11, r12, lr}\n"
            "push {lr}\n"
            "vctp.8 r7\n"
            "ldm r0, {r0-r6, r8-r10, lr}\n"
            "push {r0-r6, r8-r10, lr}\n"
            // One pair of filters.
            "1:\n"
            "ldm sp, {r0-r6, r8-r10, lr}\n"
            "add r9, r9, r11\n"
            "vldrb.8 q0, [r11], #16\n"
            "vldrb.8 q2, [r1], #16\n"
            "wls lr, lr, 3f\n"
            "2:\n"
            "vmladava.s8 r0, q0, q2\n"
            "vldrb.8 q1, [r9], #16\n"
            "vmladava.s8 r2, q1, q2\n"
            "vldrb.8 q2, [r3], #16\n"
            "vmladava.s8 r4, q0, q2\n"
            "vldrb.8 q3, [r5], #16\n"
            "vmladava.s8 r8, q0, q3\n"
            "vldrb.8 q0, [r11], #16\n"
            "vmladava.s8 r6, q1, q2\n"
            "vldrb.8 q2, [r1], #16\n"
            "vmladava.s8 r10, q1, q3\n"
            "le lr, 2b\n"
            "3:\n"
            "vmladava.s8 r0, q0, q2\n"
            "vldrb.8 q1, [r9], #16\n"
            "vmladava.s8 r2, q1, q2\n"
            "vldrb.8 q2, [r3], #16\n"
            "vmladava.s8 r4, q0, q2\n"
            "vldrb.8 q3, [r5], #16\n"
            "vmladava.s8 r8, q0, q3\n"
            "vmladava.s8 r6, q1, q2\n"
            "vmladava.s8 r10, q1, q3\n"
            "cbz r7, 4f\n"
            "vpstttt\n"
            "vldrbt.8 q0, [r11]\n"
            "vldrbt.8 q2, [r1]\n"
            "vmladavat.s8 r0, q0, q2\n"
            "vldrbt.8 q1, [r9]\n"
            "vmladava.s8 r2, q1, q2\n"
            "vpsttt\n"
            "vldrbt.8 q2, [r3]\n"
            "vmladavat.s8 r4, q0, q2\n"
            "vldrbt.8 q3, [r5]\n"
            "vmladava.s8 r8, q0, q3\n"
            "vmladava.s8 r6, q1, q2\n"
            "vmladava.s8 r10, q1, q3\n"
            "4:\n"
            "strd r4, r6, [r12, #256]\n"
            "strd r8, r10, [r12, #512]\n"
            "strd r0, r2, [r12], #8\n"
            "add r11, r9, r7\n"
            "ldr r0, [sp, #44]\n"
            "cmp r0, r12\n"
            "bne 1b\n"
            "add sp, sp, #48\n"
            "pop {r0}\n"
            "strd r11, r12, [r0, #48]\n"
            "pop {r4-r11, pc}\n");
}

// Rows of at most 16 values, `tail` of them (`loops` is not read): they stay in q0 to q2 while the filters
// pass by.
static __attribute__((naked, noinline)) void
rl_dot_short_rows(__attribute__((unused)) struct rl_dot_rows *job)
{
    __asm__("push {r0, r4-r11, lr}\n"
            "vpush {d8-d9}\n"
            "mov lr, r0\n"
            "ldr r1, [lr, #4]\n"
            "ldr r2, [lr, #12]\n"
            "ldr r3, [lr, #20]\n"
            "ldr r5, [lr, #32]\n"
            "add lr, lr, #44\n"
            "ldm lr, {r7, r11, r12, lr}\n"
            "sub lr, lr, r12\n"
            "lsr lr, lr, #3\n"
            "vctp.8 r7\n"
            "vpsttt\n"
            "vldrbt.8 q0, [r1]\n"
            "vldrbt.8 q1, [r2]\n"
            "vldrbt.8 q2, [r3]\n"
            "add r9, r11, r5\n"
            "add r5, r5, r7\n"
            "dls lr, lr\n"
            "1:\n"
            "vpsttt\n"
            "vldrbt.8 q3, [r11]\n"
            "vmladavt.s8 r0, q3, q0\n"
            "vldrbt.8 q4, [r9]\n"
            "vmladav.s8 r4, q3, q1\n"
            "add r11, r11, r5\n"
            "vmladav.s8 r8, q3, q2\n"
            "add r9, r9, r5\n"
            "vmladav.s8 r2, q4, q0\n"
            "vmladav.s8 r6, q4, q1\n"
            "strd r4, r6, [r12, #256]\n"
            "vmladav.s8 r10, q4, q2\n"
            "strd r8, r10, [r12, #512]\n"
            "strd r0, r2, [r12], #8\n"
            "le lr, 1b\n"
            "vpop {d8-d9}\n"
            "pop {r0}\n"
            "strd r11, r12, [r0, #48]\n"
            "pop {r4-r11, pc}\n");
}

// Advances the filter and the sums of `job`. The empty statements tell the compiler that memory behind it is
// read and written, which it cannot see in the assembler.
static inline void rl_dot_rows(struct rl_dot_rows *job, int32_t depth)
{
    __asm__ volatile("" : : "r"(job) : "memory");
    if (depth > 16) {
        rl_dot_long_rows(job);
    } else {
        rl_dot_short_rows(job);
    }
    __asm__ volatile("" : : "r"(job) : "memory");
}

#endif
