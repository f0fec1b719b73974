// SPDX-License-Identifier: Apache-2.0
// rl_dot_channels in assembler for a Cortex-M0: four filters at a time, and one, two or three that are left over, with
// no way back to C in between. Included by scalar/dot_channels.h.
#ifndef RL_KERNELS_SCALAR_DOT_CHANNELS_THUMB_H
#define RL_KERNELS_SCALAR_DOT_CHANNELS_THUMB_H

#if RL_HAS_THUMB2_LOOP || RL_SMALL
#include "scalar/dot_channels_plain.h"
#else

enum { RL_HAS_DOT_CHANNELS = 1 };

__extension__ _Static_assert(offsetof(struct rl_dot_channels, sums) == 20 &&
                                 offsetof(struct rl_dot_channels, offset) == 28,
                             "the assembler below uses these offsets");

// A value times a filter; a step has 6 bytes for each, 4 beside them, and 2 for `add`. r0 is the end of the row, r1-r4
// the ends of the filters, r5 the index, which is below 0, r6 a value, r7 a weight, r8-r11 sums, r12 the offset.
#define RL_CHANNELS_ADD "add r6, r12\n"
#define RL_CHANNELS_FILTER(end, sum)                                                                                   \
    "ldrsb r7, [" end ", r5]\n"                                                                                        \
    "muls r7, r6, r7\n"                                                                                                \
    "add " sum ", r7\n"
#define RL_CHANNELS_ONE(add) "ldrsb r6, [r0, r5]\n" add RL_CHANNELS_FILTER("r1", "r8") "adds r5, r5, #1\n"
#define RL_CHANNELS_TWO(add)                                                                                           \
    "ldrsb r6, [r0, r5]\n" add RL_CHANNELS_FILTER("r1", "r8") RL_CHANNELS_FILTER("r2", "r9") "adds r5, r5, #1\n"
#define RL_CHANNELS_THREE(add)                                                                                         \
    "ldrsb r6, [r0, r5]\n" add RL_CHANNELS_FILTER("r1", "r8") RL_CHANNELS_FILTER("r2", "r9")                           \
        RL_CHANNELS_FILTER("r3", "r10") "adds r5, r5, #1\n"
#define RL_CHANNELS_FOUR(add)                                                                                          \
    "ldrsb r6, [r0, r5]\n" add RL_CHANNELS_FILTER("r1", "r8") RL_CHANNELS_FILTER("r2", "r9")                           \
        RL_CHANNELS_FILTER("r3", "r10") RL_CHANNELS_FILTER("r4", "r11") "adds r5, r5, #1\n"

// A round of four steps, which the first one enters at the step that leaves a multiple of four; r4 is how many it
// skips.
#define RL_CHANNELS_LEFT(step, bytes)                                                                                  \
    "movs r7, #" bytes "\n"                                                                                            \
    "muls r4, r7, r4\n"                                                                                                \
    "adr r7, 4f\n"                                                                                                     \
    "adds r7, r7, r4\n"                                                                                                \
    "mov pc, r7\n"                                                                                                     \
    ".balign 4\n"                                                                                                      \
    "4:\n" step step step step RL_SIZE_CHECK("4b", "4 * " bytes) "bne 4b\n"                                            \
                                                                 "b 8f\n"

// The stack holds the job and where the first round of eight steps begins.
#define RL_CHANNELS_BEGIN(four)                                                                                        \
    ".syntax unified\n"                                                                                                \
    "push {r4-r7, lr}\n" RL_HIGH_TO_LOW "push {r4-r7}\n"                                                               \
    "ldr r5, [r0, #8]\n"                                                                                               \
    "negs r5, r5\n"                                                                                                    \
    "movs r6, #7\n"                                                                                                    \
    "ands r6, r5\n"                                                                                                    \
    "movs r7, #" four "\n"                                                                                             \
    "muls r7, r6, r7\n"                                                                                                \
    "adr r6, 3f\n"                                                                                                     \
    "adds r6, r6, r7\n"                                                                                                \
    "push {r0, r6}\n"                                                                                                  \
    "ldr r1, [r0, #28]\n"                                                                                              \
    "mov r12, r1\n"

// From the job in the stack to the loop over four filters; r6 is the number of filters less 4 where it leaves it.
#define RL_CHANNELS_GROUP                                                                                              \
    "1:\n"                                                                                                             \
    "ldr r7, [sp]\n"                                                                                                   \
    "ldr r6, [r7, #24]\n"                                                                                              \
    "ldr r5, [r7, #16]\n"                                                                                              \
    "subs r6, r6, #4\n"                                                                                                \
    "bhs 2f\n"                                                                                                         \
    "b 5f\n"                                                                                                           \
    "2:\n"                                                                                                             \
    "str r6, [r7, #24]\n"                                                                                              \
    "movs r1, r5\n"                                                                                                    \
    "movs r2, r5\n"                                                                                                    \
    "movs r3, r5\n"                                                                                                    \
    "movs r4, r5\n"                                                                                                    \
    "ldr r6, [r7, #12]\n"                                                                                              \
    "cmp r6, #0\n"                                                                                                     \
    "beq 2f\n"                                                                                                         \
    "ldm r6!, {r1-r4}\n"                                                                                               \
    "str r6, [r7, #12]\n"                                                                                              \
    "adds r1, r1, r5\n"                                                                                                \
    "adds r2, r2, r5\n"                                                                                                \
    "adds r3, r3, r5\n"                                                                                                \
    "adds r4, r4, r5\n"                                                                                                \
    "2:\n"                                                                                                             \
    "mov r8, r1\n"                                                                                                     \
    "mov r9, r2\n"                                                                                                     \
    "mov r10, r3\n"                                                                                                    \
    "mov r11, r4\n"                                                                                                    \
    "ldm r7!, {r0, r1, r5}\n"                                                                                          \
    "adds r1, r1, r5\n"                                                                                                \
    "adds r2, r1, r5\n"                                                                                                \
    "adds r3, r2, r5\n"                                                                                                \
    "adds r4, r3, r5\n"                                                                                                \
    "subs r7, #8\n"                                                                                                    \
    "str r4, [r7]\n"                                                                                                   \
    "negs r5, r5\n"                                                                                                    \
    "ldr r6, [sp, #4]\n"                                                                                               \
    "mov pc, r6\n"                                                                                                     \
    ".balign 4\n"
#define RL_CHANNELS_GROUP_END                                                                                          \
    "bne 3b\n"                                                                                                         \
    "ldr r7, [sp]\n"                                                                                                   \
    "ldr r6, [r7, #20]\n"                                                                                              \
    "mov r0, r8\n"                                                                                                     \
    "mov r1, r9\n"                                                                                                     \
    "mov r2, r10\n"                                                                                                    \
    "mov r3, r11\n"                                                                                                    \
    "stm r6!, {r0-r3}\n"                                                                                               \
    "str r6, [r7, #20]\n"                                                                                              \
    "b 1b\n"

// One to three filters; their number is in r11.
#define RL_CHANNELS_REST                                                                                               \
    "5:\n"                                                                                                             \
    "adds r6, r6, #4\n"                                                                                                \
    "bne 6f\n"                                                                                                         \
    "b 9f\n"                                                                                                           \
    "6:\n"                                                                                                             \
    "mov r11, r6\n"                                                                                                    \
    "movs r1, r5\n"                                                                                                    \
    "movs r2, r5\n"                                                                                                    \
    "movs r3, r5\n"                                                                                                    \
    "ldr r0, [r7, #12]\n"                                                                                              \
    "cmp r0, #0\n"                                                                                                     \
    "beq 6f\n"                                                                                                         \
    "ldr r4, [r0]\n"                                                                                                   \
    "adds r1, r1, r4\n"                                                                                                \
    "cmp r6, #2\n"                                                                                                     \
    "blo 6f\n"                                                                                                         \
    "ldr r4, [r0, #4]\n"                                                                                               \
    "adds r2, r2, r4\n"                                                                                                \
    "cmp r6, #2\n"                                                                                                     \
    "beq 6f\n"                                                                                                         \
    "ldr r4, [r0, #8]\n"                                                                                               \
    "adds r3, r3, r4\n"                                                                                                \
    "6:\n"                                                                                                             \
    "mov r8, r1\n"                                                                                                     \
    "mov r9, r2\n"                                                                                                     \
    "mov r10, r3\n"                                                                                                    \
    "ldm r7!, {r0, r1, r5}\n"                                                                                          \
    "adds r1, r1, r5\n"                                                                                                \
    "adds r2, r1, r5\n"                                                                                                \
    "adds r3, r2, r5\n"                                                                                                \
    "negs r5, r5\n"                                                                                                    \
    "movs r4, #3\n"                                                                                                    \
    "ands r4, r5\n"                                                                                                    \
    "cmp r6, #2\n"                                                                                                     \
    "beq 6f\n"                                                                                                         \
    "bhi 7f\n"
#define RL_CHANNELS_END                                                                                                \
    "8:\n"                                                                                                             \
    "ldr r7, [sp]\n"                                                                                                   \
    "ldr r7, [r7, #20]\n"                                                                                              \
    "mov r6, r11\n"                                                                                                    \
    "mov r0, r8\n"                                                                                                     \
    "str r0, [r7]\n"                                                                                                   \
    "cmp r6, #2\n"                                                                                                     \
    "blo 9f\n"                                                                                                         \
    "mov r0, r9\n"                                                                                                     \
    "str r0, [r7, #4]\n"                                                                                               \
    "cmp r6, #2\n"                                                                                                     \
    "beq 9f\n"                                                                                                         \
    "mov r0, r10\n"                                                                                                    \
    "str r0, [r7, #8]\n"                                                                                               \
    "9:\n"                                                                                                             \
    "add sp, #8\n"                                                                                                     \
    "pop {r4-r7}\n" RL_LOW_TO_HIGH "pop {r4-r7, pc}\n"

#define RL_CHANNELS(add, one, two, three, four)                                                                        \
    RL_CHANNELS_BEGIN(four)                                                                                            \
    RL_CHANNELS_GROUP "3:\n" RL_CHANNELS_FOUR(add) RL_CHANNELS_FOUR(add) RL_CHANNELS_FOUR(add) RL_CHANNELS_FOUR(add)   \
        RL_CHANNELS_FOUR(add) RL_CHANNELS_FOUR(add) RL_CHANNELS_FOUR(add) RL_CHANNELS_FOUR(add)                        \
            RL_SIZE_CHECK("3b", "8 * " four) RL_CHANNELS_GROUP_END RL_CHANNELS_REST                                    \
            RL_CHANNELS_LEFT(RL_CHANNELS_ONE(add), one) "6:\n" RL_CHANNELS_LEFT(                                       \
                RL_CHANNELS_TWO(add), two) "7:\n" RL_CHANNELS_LEFT(RL_CHANNELS_THREE(add), three) RL_CHANNELS_END

static __attribute__((naked, noinline)) void rl_dot_channels_run(__attribute__((unused)) struct rl_dot_channels *job)
{
    __asm__(RL_CHANNELS(RL_CHANNELS_ADD, "12", "18", "24", "30"));
}

// The same for the offset 0.
static __attribute__((naked, noinline)) void rl_dot_channels_zero(__attribute__((unused)) struct rl_dot_channels *job)
{
    __asm__(RL_CHANNELS("", "10", "16", "22", "28"));
}

// The empty statements tell the compiler that the assembler reads and writes memory through the job.
static inline void rl_dot_channels(struct rl_dot_channels *job)
{
    __asm__ volatile("" : : "r"(job) : "memory");
    if (job->offset == 0) {
        rl_dot_channels_zero(job);
    } else {
        rl_dot_channels_run(job);
    }
    __asm__ volatile("" : : "r"(job) : "memory");
}

#endif

#endif
