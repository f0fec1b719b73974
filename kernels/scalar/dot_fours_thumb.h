// SPDX-License-Identifier: Apache-2.0
// rl_dot_fours in assembler for a Cortex-M3. dot_fours_plain.h is the same in C. Included by scalar/dot_fours.h.
#ifndef RL_KERNELS_SCALAR_DOT_FOURS_THUMB_H
#define RL_KERNELS_SCALAR_DOT_FOURS_THUMB_H

#if RL_HAS_THUMB2_LOOP

__extension__ _Static_assert(offsetof(struct rl_dot_fours, output) == 24 &&
                                 offsetof(struct rl_dot_fours, rounding) == 64,
                             "the assembler below uses these offsets");

// One value, 40 bytes of code, as in dot_1x4_thumb.h: r0 is the row, r1 filter 0, r2 the bytes of a filter, r3 filter
// 3, r4-r7 sums, r8 offset, r9 a value, r10-r12 and lr weights.
#define RL_DOT_FOURS_STEP(at)                                                                                          \
    "ldrsb.w r9, [r0, #" #at "]\n"                                                                                     \
    "ldrsb.w r10, [r1, r2]\n"                                                                                          \
    "ldrsb.w r11, [r1, r2, lsl #1]\n"                                                                                  \
    "ldrsb r12, [r1], #1\n"                                                                                            \
    "ldrsb.w lr, [r3, #" #at "]\n"                                                                                     \
    "add.w r9, r9, r8\n"                                                                                               \
    "mla r5, r9, r10, r5\n"                                                                                            \
    "mla r6, r9, r11, r6\n"                                                                                            \
    "mla r4, r9, r12, r4\n"                                                                                            \
    "mla r7, r9, lr, r7\n"

// A sum to its output: r3 is the multiplier, r8 the addend, r9 the shift, r10 and r11 are the limits.
#define RL_DOT_FOURS_SCALED(sum)                                                                                       \
    "ssat " sum ", #31, " sum "\n"                                                                                     \
    "lsls " sum ", " sum ", #1\n"                                                                                      \
    "smull r12, lr, " sum ", r3\n"                                                                                     \
    "add " sum ", r8, " sum ", asr #31\n"                                                                              \
    "add " sum ", " sum ", lr\n"                                                                                       \
    "add " sum ", " sum ", r12, lsr #31\n"                                                                             \
    "asr " sum ", " sum ", r9\n"                                                                                       \
    "cmp " sum ", r10\n"                                                                                               \
    "it lt\n"                                                                                                          \
    "movlt " sum ", r10\n"                                                                                             \
    "cmp " sum ", r11\n"                                                                                               \
    "it gt\n"                                                                                                          \
    "movgt " sum ", r11\n"

// Stores an output: r0 is its address, r1 the bytes to the next.
#define RL_DOT_FOURS_OUTPUT(sum)                                                                                       \
    RL_DOT_FOURS_SCALED(sum)                                                                                           \
    "strb " sum ", [r0]\n"                                                                                             \
    "add r0, r0, r1\n"
#define RL_DOT_FOURS_OUTPUTS                                                                                           \
    "add r12, r12, #24\n"                                                                                              \
    "ldm r12, {r0-r3, r8-r11}\n" RL_DOT_FOURS_OUTPUT("r4") RL_DOT_FOURS_OUTPUT("r5") RL_DOT_FOURS_OUTPUT("r6")         \
        RL_DOT_FOURS_OUTPUT("r7") "ldr r12, [sp, #16]\n"

// The same with a scale for each channel: r1 is the address of the multipliers, r2 of the shifts.
#define RL_DOT_FOURS_OWN_OUTPUT(sum, at)                                                                               \
    "ldr r3, [r1, #" #at "]\n"                                                                                         \
    "ldr r9, [r2, #" #at "]\n"                                                                                         \
    "ldr r8, [sp, #12]\n"                                                                                              \
    "mvn lr, r9\n"                                                                                                     \
    "rsb r9, r9, #0\n"                                                                                                 \
    "lsl r8, r8, lr\n" RL_DOT_FOURS_SCALED(sum) "strb " sum ", [r0, #" #at " / 4]\n"
#define RL_DOT_FOURS_OWN_OUTPUTS                                                                                       \
    "ldr r0, [r12, #24]\n"                                                                                             \
    "ldrd r1, r2, [r12, #56]\n"                                                                                        \
    "ldrd r10, r11, [r12, #48]\n" RL_DOT_FOURS_OWN_OUTPUT("r4", 0) RL_DOT_FOURS_OWN_OUTPUT("r5", 4)                    \
        RL_DOT_FOURS_OWN_OUTPUT("r6", 8) RL_DOT_FOURS_OWN_OUTPUT("r7", 12) "ldr r12, [sp, #16]\n"                      \
                                                                           "adds r0, r0, #4\n"                         \
                                                                           "adds r1, r1, #16\n"                        \
                                                                           "adds r2, r2, #16\n"                        \
                                                                           "strd r1, r2, [r12, #56]\n"                 \
                                                                           "ldr r2, [r12, #32]\n"

// The stack holds the end of the row, the address where the first round starts, the steps that it skips, the rounding,
// and the job. A round has eight steps. The first round starts at the step that leaves a multiple of eight. `outputs`
// finds the job in r12, and leaves it there, the address of the next output in r0 and the groups in r2.
#define RL_DOT_FOURS(outputs)                                                                                          \
    "push {r0, r4-r11, lr}\n"                                                                                          \
    "ldrd r1, r2, [r0]\n"                                                                                              \
    "add r1, r1, r2\n"                                                                                                 \
    "rsb r2, r2, #0\n"                                                                                                 \
    "and r2, r2, #7\n"                                                                                                 \
    "mov r4, r2\n"                                                                                                     \
    "add r2, r2, r2, lsl #2\n"                                                                                         \
    "adr r3, 3f\n"                                                                                                     \
    "add r2, r3, r2, lsl #3\n"                                                                                         \
    "ldr r5, [r0, #64]\n"                                                                                              \
    "push {r1, r2, r4, r5}\n"                                                                                          \
    "1:\n"                                                                                                             \
    "ldr r12, [sp, #16]\n"                                                                                             \
    "ldm r12, {r0, r2, r8, r9, r10, r11}\n"                                                                            \
    "mov r4, r9\n"                                                                                                     \
    "mov r5, r9\n"                                                                                                     \
    "mov r6, r9\n"                                                                                                     \
    "mov r7, r9\n"                                                                                                     \
    "cmp r10, #0\n"                                                                                                    \
    "beq 2f\n"                                                                                                         \
    "ldm r10!, {r4-r7}\n"                                                                                              \
    "str r10, [r12, #16]\n"                                                                                            \
    "add r4, r4, r9\n"                                                                                                 \
    "add r5, r5, r9\n"                                                                                                 \
    "add r6, r6, r9\n"                                                                                                 \
    "add r7, r7, r9\n"                                                                                                 \
    "2:\n"                                                                                                             \
    "mov r1, r11\n"                                                                                                    \
    "add r3, r2, r2, lsl #1\n"                                                                                         \
    "add r3, r3, r11\n"                                                                                                \
    "add r11, r11, r2, lsl #2\n"                                                                                       \
    "str r11, [r12, #20]\n"                                                                                            \
    "ldr r9, [sp, #4]\n"                                                                                               \
    "ldr r10, [sp, #8]\n"                                                                                              \
    "sub r0, r0, r10\n"                                                                                                \
    "sub r3, r3, r10\n"                                                                                                \
    "mov pc, r9\n"                                                                                                     \
    ".balign 4\n"                                                                                                      \
    "3:\n" RL_DOT_FOURS_STEP(0) RL_DOT_FOURS_STEP(1) RL_DOT_FOURS_STEP(2) RL_DOT_FOURS_STEP(3) RL_DOT_FOURS_STEP(4)    \
        RL_DOT_FOURS_STEP(5) RL_DOT_FOURS_STEP(6) RL_DOT_FOURS_STEP(7)                                                 \
            RL_SIZE_CHECK("3b", "8 * 40") "adds r0, r0, #8\n"                                                          \
                                          "adds r3, r3, #8\n"                                                          \
                                          "ldr r10, [sp]\n"                                                            \
                                          "cmp r0, r10\n"                                                              \
                                          "bne 3b\n"                                                                   \
                                          "ldr r12, [sp, #16]\n" outputs "str r0, [r12, #24]\n"                        \
                                          "subs r2, r2, #1\n"                                                          \
                                          "str r2, [r12, #32]\n"                                                       \
                                          "bne 1b\n"                                                                   \
                                          "add sp, #20\n"                                                              \
                                          "pop {r4-r11, pc}\n"

static __attribute__((naked, noinline)) void rl_dot_fours_run(__attribute__((unused)) struct rl_dot_fours *job)
{
    __asm__(RL_DOT_FOURS(RL_DOT_FOURS_OUTPUTS));
}

static __attribute__((naked, noinline)) void rl_dot_fours_run_own(__attribute__((unused)) struct rl_dot_fours *job)
{
    __asm__(RL_DOT_FOURS(RL_DOT_FOURS_OWN_OUTPUTS));
}

// The empty statements tell the compiler that the assembler reads and writes memory through the job.
static inline void rl_dot_fours(struct rl_dot_fours *job)
{
    __asm__ volatile("" : : "r"(job) : "memory");
    rl_dot_fours_run(job);
    __asm__ volatile("" : : "r"(job) : "memory");
}

static inline void rl_dot_fours_own(struct rl_dot_fours *job)
{
    __asm__ volatile("" : : "r"(job) : "memory");
    rl_dot_fours_run_own(job);
    __asm__ volatile("" : : "r"(job) : "memory");
}

#else
#include "scalar/dot_fours_plain.h"
#endif

#endif
