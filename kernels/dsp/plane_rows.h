// SPDX-License-Identifier: Apache-2.0
// rl_plane_outputs for filters of three rows and two or three columns, in assembler, from the values of the
// planes to the bytes of the output: 24 SMLAD and 21 loads make four outputs, and every core register is in
// use.
//
// r0 values, r1 bytes per plane row, r2 weights, r4-r7 sums; a row of weights is (even 0, odd 0, even 1, odd
// 1).
#ifndef RL_KERNELS_DSP_PLANE_ROWS_H
#define RL_KERNELS_DSP_PLANE_ROWS_H

#include <stddef.h>

#include "scalar/plane_channels.h"

_Static_assert(offsetof(struct rl_plane_outputs, row_step) == 12 &&
                   offsetof(struct rl_plane_outputs, rows) == 28 &&
                   offsetof(struct rl_plane_outputs, columns) == 32 &&
                   offsetof(struct rl_plane_outputs, bias) == 36 &&
                   offsetof(struct rl_plane_outputs, scale) == 40 &&
                   offsetof(struct rl_plane_outputs, output) == 52 &&
                   offsetof(struct rl_plane_outputs, output_row) == 60,
               "the assembler below uses these offsets");

// clang-format off
// Values 0-5 and the weights of both forms: outputs 0 and 2 take the even one, 1 and 3 the odd one.
#define RL_PLANE_ROW_STRIDE_1 \
    "ldr r8, [r2], #4\n" \
    "ldr r9, [r2], #4\n" \
    "ldr r12, [r0]\n" \
    "ldr lr, [r0, #4]\n" \
    "smlad r4, r12, r8, r4\n" \
    "ldr r10, [r2], #4\n" \
    "ldr r11, [r2], #4\n" \
    "smlad r5, r12, r9, r5\n" \
    "smlad r6, lr, r8, r6\n" \
    "ldr r3, [r0, #8]\n" \
    "smlad r7, lr, r9, r7\n" \
    "smlad r4, lr, r10, r4\n" \
    "smlad r5, lr, r11, r5\n" \
    "smlad r6, r3, r10, r6\n" \
    "smlad r7, r3, r11, r7\n"

// Values 0-9 and the even form of the weights.
#define RL_PLANE_ROW_STRIDE_2 \
    "ldr r8, [r2], #8\n" \
    "ldr r10, [r0]\n" \
    "ldr r11, [r0, #4]\n" \
    "ldr r12, [r0, #8]\n" \
    "smlad r4, r10, r8, r4\n" \
    "ldr lr, [r0, #12]\n" \
    "ldr r9, [r2], #8\n" \
    "smlad r5, r11, r8, r5\n" \
    "smlad r6, r12, r8, r6\n" \
    "ldr r3, [r0, #16]\n" \
    "smlad r7, lr, r8, r7\n" \
    "smlad r4, r11, r9, r4\n" \
    "smlad r5, r12, r9, r5\n" \
    "smlad r6, lr, r9, r6\n" \
    "smlad r7, r3, r9, r7\n"

// Values 0-7 and three weights of both forms.
#define RL_PLANE_ROW_WIDE \
    "ldr r8, [r2], #4\n" \
    "ldr r9, [r2], #4\n" \
    "ldr r12, [r0]\n" \
    "ldr lr, [r0, #4]\n" \
    "smlad r4, r12, r8, r4\n" \
    "ldr r10, [r2], #4\n" \
    "ldr r11, [r2], #4\n" \
    "smlad r5, r12, r9, r5\n" \
    "smlad r6, lr, r8, r6\n" \
    "ldr r12, [r0, #8]\n" \
    "smlad r7, lr, r9, r7\n" \
    "smlad r4, lr, r10, r4\n" \
    "ldr r8, [r2], #4\n" \
    "ldr r9, [r2], #4\n" \
    "smlad r5, lr, r11, r5\n" \
    "smlad r6, r12, r10, r6\n" \
    "ldr lr, [r0, #12]\n" \
    "smlad r7, r12, r11, r7\n" \
    "smlad r4, r12, r8, r4\n" \
    "smlad r5, r12, r9, r5\n" \
    "smlad r6, lr, r8, r6\n" \
    "smlad r7, lr, r9, r7\n"

// All rows, then r0 at the values of the next four outputs and r2 at the first weights again.
#define RL_PLANE_THREE_ROWS(row, advance) \
    row "add r0, r0, r1\n" row "add r0, r0, r1\n" row \
    "sub r0, r0, r1, lsl #1\n" \
    "add r0, r0, #" advance "\n" \
    "sub r2, r2, #48\n"

#define RL_PLANE_ANY_ROWS(row, advance) \
    "ldr r3, [r12, #16]\n" \
    "add r8, r0, #" advance "\n" \
    "str r8, [sp, #24]\n" \
    "5:\n" \
    row \
    "add r0, r0, r1\n" \
    "subs r3, r3, #1\n" \
    "bne 5b\n" \
    "ldr r12, [sp]\n" \
    "ldr r0, [sp, #24]\n" \
    "ldr r2, [r12, #4]\n"

// The sum in `sum`, scaled by r8 (multiplier), r9 (addend), r10 (shift) and saturated, as rl_rescale does.
#define RL_PLANE_RESCALE(sum) \
    "lsl " sum ", " sum ", #1\n" \
    "smmlar r11, " sum ", r8, r9\n" \
    "add " sum ", r11, " sum ", asr #31\n" \
    "asr " sum ", " sum ", r10\n" \
    "ssat " sum ", #8, " sum "\n"

// On the stack: 0 the argument, 4 rows left, 8 next row of values, 12 next row of outputs, 16 next output, 20
// outputs left in the row.
#define RL_PLANE_OUTPUTS_BY(rows) \
    "push {r4-r11, lr}\n" \
    "sub sp, sp, #28\n" \
    "str r0, [sp]\n" \
    "ldr r3, [r0, #28]\n" \
    "ldr r4, [r0]\n" \
    "ldr r5, [r0, #52]\n" \
    "ldr r1, [r0, #8]\n" \
    "ldr r2, [r0, #4]\n" \
    "str r3, [sp, #4]\n" \
    "str r4, [sp, #8]\n" \
    "str r5, [sp, #12]\n" \
    "lsl r1, r1, #1\n" \
    /* A row of outputs. */ \
    "1:\n" \
    "ldr r12, [sp]\n" \
    "ldr r0, [sp, #8]\n" \
    "ldr r3, [sp, #12]\n" \
    "ldr r8, [r12, #32]\n" \
    "ldr r9, [r12, #12]\n" \
    "ldr r10, [r12, #60]\n" \
    "str r3, [sp, #16]\n" \
    "str r8, [sp, #20]\n" \
    "add r9, r0, r9, lsl #1\n" \
    "add r10, r10, r3\n" \
    "str r9, [sp, #8]\n" \
    "str r10, [sp, #12]\n" \
    /* Four outputs. */ \
    "2:\n" \
    "ldr r12, [sp]\n" \
    "ldr r4, [r12, #36]\n" \
    "mov r5, r4\n" \
    "mov r6, r4\n" \
    "mov r7, r4\n" \
    rows \
    "ldr lr, [sp]\n" \
    "ldr r12, [sp, #16]\n" \
    "ldr r3, [sp, #20]\n" \
    "ldr r8, [lr, #40]\n" \
    "ldr r9, [lr, #44]\n" \
    "ldr r10, [lr, #48]\n" \
    "ldr lr, [lr, #56]\n" \
    RL_PLANE_RESCALE("r4") RL_PLANE_RESCALE("r5") RL_PLANE_RESCALE("r6") \
    RL_PLANE_RESCALE("r7") \
    "subs r3, r3, #4\n" \
    "strb r4, [r12]\n" \
    "blt 3f\n" \
    "strb r5, [r12, lr]\n" \
    "add r12, r12, lr, lsl #1\n" \
    "strb r6, [r12]\n" \
    "strb r7, [r12, lr]\n" \
    "add r12, r12, lr, lsl #1\n" \
    "str r12, [sp, #16]\n" \
    "str r3, [sp, #20]\n" \
    "bne 2b\n" \
    "b 4f\n" \
    /* One to three at the end of a row: r3 is their number less four. */ \
    "3:\n" \
    "adds r3, r3, #3\n" \
    "beq 4f\n" \
    "strb r5, [r12, lr]\n" \
    "subs r3, r3, #1\n" \
    "beq 4f\n" \
    "strb r6, [r12, lr, lsl #1]\n" \
    "4:\n" \
    "ldr r3, [sp, #4]\n" \
    "subs r3, r3, #1\n" \
    "str r3, [sp, #4]\n" \
    "bne 1b\n" \
    "add sp, sp, #28\n" \
    "pop {r4-r11, pc}\n"
// clang-format on

static __attribute__((naked, noinline)) void rl_plane_3x3_stride_1(__attribute__((unused))
                                                                   const struct rl_plane_outputs *p)
{
    __asm__(RL_PLANE_OUTPUTS_BY(RL_PLANE_THREE_ROWS(RL_PLANE_ROW_STRIDE_1, "8")));
}

static __attribute__((naked, noinline)) void rl_plane_3x3_stride_2(__attribute__((unused))
                                                                   const struct rl_plane_outputs *p)
{
    __asm__(RL_PLANE_OUTPUTS_BY(RL_PLANE_THREE_ROWS(RL_PLANE_ROW_STRIDE_2, "16")));
}

static __attribute__((naked, noinline)) void rl_plane_wide_stride_1(__attribute__((unused))
                                                                    const struct rl_plane_outputs *p)
{
    __asm__(RL_PLANE_OUTPUTS_BY(RL_PLANE_ANY_ROWS(RL_PLANE_ROW_WIDE, "8")));
}

// Three rows of two or three columns, stride 1 or 2; `p->sums` must be NULL. The empty statements tell the
// compiler that memory behind p is read and written.
static inline void rl_plane_3x3(const struct rl_plane_outputs *p)
{
    __asm__ volatile("" : : "r"(p) : "memory");
    if (p->stride == 1) {
        rl_plane_3x3_stride_1(p);
    } else {
        rl_plane_3x3_stride_2(p);
    }
    __asm__ volatile("" : : "r"(p) : "memory");
}

// Any number of rows of four or five columns, stride 1; `p->sums` must be NULL.
static inline void rl_plane_wide(const struct rl_plane_outputs *p)
{
    __asm__ volatile("" : : "r"(p) : "memory");
    rl_plane_wide_stride_1(p);
    __asm__ volatile("" : : "r"(p) : "memory");
}

#endif
