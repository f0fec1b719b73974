// SPDX-License-Identifier: Apache-2.0
// Three int8 rows times int8 filters, in assembler: six sums and five streams take every core register, and
// compilers spill or regroup them. What both functions compute, in C:
//
//     for (c = 0; c < channels; c++) {
//         for (r = 0; r < 3; r++) {
//             sums[r * RL_CHANNEL_BLOCK + c] = sum_k row_r[k] * filter[c * depth + k];
//         }
//     }
//
// two channels at a time; the last one of an odd number is computed twice, and the second sum of each row
// written behind it. Nothing is read beyond `depth`. Loads and VMLADAV alternate, because Helium overlaps
// the two.
#ifndef RL_KERNELS_MVE_DOT_ROWS_H
#define RL_KERNELS_MVE_DOT_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "convolution/matmul.h"

// The assembler knows the order of the fields: it loads all of them at once.
struct rl_dot_rows {
    const int8_t *row_0;
    const int8_t *row_1;
    const int8_t *row_2;
    int32_t tail; // values behind the last whole vector; all values of short rows
    int32_t depth;
    int32_t loops; // whole vectors of a long row but one
    const int8_t *filter;
    int32_t *sums;
    int32_t *last; // where the sum of the last channel and the first row goes
};

_Static_assert(sizeof(struct rl_dot_rows) == 36 && RL_CHANNEL_BLOCK == 64,
               "the assembler below uses these offsets");

// Rows of 16 values or more. r0, r2, r4, r6, r8, r10 the sums; r1, r3, r5 the rows; r11 and r9 the filters;
// q0 and q1 their values; r7 the tail; r12 where the sums go. What a pair of filters starts with lies on the
// stack: zeros and rows, the distance of the filters, the loops; behind it `last`. Each round does the first
// two loads of the next one.
static __attribute__((naked, noinline)) void rl_dot_long_rows(__attribute__((unused))
                                                              const struct rl_dot_rows *job)
{
    __asm__("push {r4-r11, lr}\n"
            "ldm r0, {r1, r3, r5, r7, r9, r10, r11, r12, lr}\n"
            "vctp.8 r7\n"
            "push {lr}\n"
            "mov lr, r10\n"
            "movs r0, #0\n"
            "movs r2, #0\n"
            "movs r4, #0\n"
            "movs r6, #0\n"
            "mov r8, r0\n"
            "mov r10, r0\n"
            "push {r0-r6, r8-r10, lr}\n"
            "b 5f\n"
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
            "5:\n"
            "ldr r0, [sp, #44]\n"
            "subs r0, r0, r12\n"
            "bgt 1b\n"
            "bne 6f\n"
            "str r0, [sp, #32]\n"
            "b 1b\n"
            "6:\n"
            "add sp, sp, #48\n"
            "pop {r4-r11, pc}\n");
}

// Rows of at most 16 values: they stay in q0 to q2 while the filters pass by. r1 is the distance to a last
// single channel, r5 from one pair to the next.
static __attribute__((naked, noinline)) void rl_dot_short_rows(__attribute__((unused))
                                                               const struct rl_dot_rows *job)
{
    __asm__("push {r4-r11, lr}\n"
            "vpush {d8-d9}\n"
            "ldm r0, {r1, r3, r5, r7, r9, r10, r11, r12, lr}\n"
            "vctp.8 r7\n"
            "vpsttt\n"
            "vldrbt.8 q0, [r1]\n"
            "vldrbt.8 q1, [r3]\n"
            "vldrbt.8 q2, [r5]\n"
            "add r5, r9, r9\n"
            "add r9, r9, r11\n"
            "sub lr, lr, r12\n"
            "add lr, lr, #4\n"
            "and r1, lr, #4\n"
            "lsr lr, lr, #3\n"
            "wls lr, lr, 2f\n"
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
            "2:\n"
            "cbz r1, 3f\n"
            "movs r1, #0\n"
            "mov r9, r11\n"
            "mov lr, #1\n"
            "dls lr, lr\n"
            "b 1b\n"
            "3:\n"
            "vpop {d8-d9}\n"
            "pop {r4-r11, pc}\n");
}

// The empty statements tell the compiler that memory behind `job` is read and written, which it cannot see in
// the assembler.
static inline void rl_dot_rows(const struct rl_dot_rows *job)
{
    __asm__ volatile("" : : "r"(job) : "memory");
    if (job->depth > 16) {
        rl_dot_long_rows(job);
    } else {
        rl_dot_short_rows(job);
    }
    __asm__ volatile("" : : "r"(job) : "memory");
}

#endif
