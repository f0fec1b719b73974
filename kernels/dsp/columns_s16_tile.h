// SPDX-License-Identifier: Apache-2.0
// As in scalar/columns_s16_tile.h, two columns at a time, from their sums to the outputs in registers. In assembler
// because four registers of sums leave compilers too few for the rest. scalar/columns_s16_plain.h is the
// same in C.
#ifndef RL_KERNELS_DSP_COLUMNS_S16_TILE_H
#define RL_KERNELS_DSP_COLUMNS_S16_TILE_H

#include <stdbool.h>

#include "isa.h"
#include "scalar/columns_s16_plain.h"

__extension__ _Static_assert(offsetof(struct rl_columns_s16, output) == 16 &&
                                 offsetof(struct rl_columns_s16, high) == 32,
                             "the assembler below uses these offsets");

// clang-format off
// The requantization of the sum in `low` and `high`: r8 is the multiplier, r9 the bits to shift, 16 to 32, r10 32 less
// them.
#define RL_COLUMN_S16_SCALE(low, high) \
    "umull r11, r3, " low ", r8\n" \
    "mla r3, " high ", r8, r3\n" \
    "lsr " low ", r11, r9\n" \
    "lsl r3, r3, r10\n" \
    "orr " low ", " low ", r3\n" \
    "add " low ", " low ", #1\n" \
    "asr " low ", " low ", #1\n" \
    "ssat " low ", #16, " low "\n"

// r0 is the row, r1 and r2 are columns, r3 counts values, r4-r7 are the sums, r12 is the job, lr counts columns.
static __attribute__((naked, noinline)) void rl_columns_s16_run(__attribute__((unused)) struct rl_columns_s16 *job)
{
    __asm__("push {r4-r11, lr}\n"
            "mov r12, r0\n"
            "ldr r2, [r12, #4]\n"
            "ldr lr, [r12, #12]\n"
            // Two columns.
            "1:\n"
            "ldr r3, [r12, #8]\n"
            "ldr r0, [r12]\n"
            "mov r1, r2\n"
            "add r2, r2, r3, lsl #1\n"
            "movs r4, #0\n"
            "movs r5, #0\n"
            "movs r6, #0\n"
            "movs r7, #0\n"
            "subs r3, r3, #4\n"
            "blt 3f\n"
            "2:\n"
            "ldr r9, [r0, #4]\n"
            "ldr r11, [r1, #4]\n"
            "ldr r8, [r0], #8\n"
            "ldr r10, [r1], #8\n"
            "subs r3, r3, #4\n"
            "smlald r4, r5, r9, r11\n"
            "smlald r4, r5, r8, r10\n"
            "ldr r11, [r2, #4]\n"
            "ldr r10, [r2], #8\n"
            "smlald r6, r7, r9, r11\n"
            "smlald r6, r7, r8, r10\n"
            "bge 2b\n"
            "3:\n"
            "lsls r3, r3, #31\n"
            "bcc 4f\n"
            "ldr r8, [r0], #4\n"
            "ldr r10, [r1], #4\n"
            "ldr r11, [r2], #4\n"
            "smlald r4, r5, r8, r10\n"
            "smlald r6, r7, r8, r11\n"
            "4:\n"
            "beq 5f\n"
            "ldrsh r8, [r0]\n"
            "ldrsh r10, [r1]\n"
            "ldrsh r11, [r2], #2\n"
            "smlalbb r4, r5, r8, r10\n"
            "smlalbb r6, r7, r8, r11\n"
            "5:\n"
            "ldrd r8, r9, [r12, #20]\n"
            "rsb r9, r9, #14\n"
            "rsb r10, r9, #32\n" RL_COLUMN_S16_SCALE("r4", "r5") RL_COLUMN_S16_SCALE("r6", "r7")
            "ldrd r8, r9, [r12, #28]\n"
            "ldr r0, [r12, #16]\n"
            "cmp r4, r8\n"
            "it lt\n"
            "movlt r4, r8\n"
            "cmp r6, r8\n"
            "it lt\n"
            "movlt r6, r8\n"
            "cmp r4, r9\n"
            "it gt\n"
            "movgt r4, r9\n"
            "cmp r6, r9\n"
            "it gt\n"
            "movgt r6, r9\n"
            "strh r4, [r0]\n"
            "strh r6, [r0, #2]\n"
            "adds r0, r0, #4\n"
            "str r0, [r12, #16]\n"
            "subs lr, lr, #2\n"
            "bne 1b\n"
            "str r2, [r12, #4]\n"
            "pop {r4-r11, pc}\n");
}
// clang-format on

// The empty statements tell the compiler that the assembler reads and writes memory through `job`.
static inline void rl_column_pairs_s16(struct rl_columns_s16 *job)
{
    __asm__ volatile("" : : "r"(job) : "memory");
    rl_columns_s16_run(job);
    __asm__ volatile("" : : "r"(job) : "memory");
}

static inline void rl_columns_s16(struct rl_columns_s16 *job)
{
    if (RL_SMALL || job->shift > -2 || job->shift < -18 || job->multiplier < 0) {
        rl_columns_s16_any(job);
        return;
    }
    const bool odd = (job->count & 1) != 0;
    job->count &= ~1;
    if (job->count > 0) {
        rl_column_pairs_s16(job);
    }
    if (odd) {
        *job->output = rl_columns_s16_output(job, rl_dot_s16_s16(job->row, job->columns, job->depth));
    }
}

#endif
