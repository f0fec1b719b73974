// SPDX-License-Identifier: Apache-2.0
// rl_plane_nine in assembler for a Cortex-M3. plane_nine_plain.h is the same in C. Included by scalar/plane_nine.h.
//
// It takes two outputs of each row at a time. Compilers spill in the loop of taps, which takes twelve cycles a tap
// instead of ten.
#ifndef RL_KERNELS_SCALAR_PLANE_NINE_THUMB_H
#define RL_KERNELS_SCALAR_PLANE_NINE_THUMB_H

#if RL_HAS_THUMB2_LOOP

_Static_assert(offsetof(struct rl_plane_channel, start) == 12 && offsetof(struct rl_plane_channel, taps) == 20 &&
                   offsetof(struct rl_plane_nine, limits) == 28 && sizeof(struct rl_plane_tap) == 8 &&
                   RL_PLANE_LINE_WORDS * 4 == 288 && RL_PLANE_CHANNELS * 4 == 16,
               "the assembler below uses these offsets");

#define RL_PLANE_ADD(sums_whole, sums_upper, word)                                                                     \
    "add " sums_whole ", " sums_whole ", " word "\n"                                                                   \
    "add " sums_upper ", " sums_upper ", " word ", asr #16\n"

// Two taps, of two outputs of both rows: their number, and the bytes from the first word. r0 and r1 are the words, r2
// the taps.
#define RL_PLANE_TWO_TAPS(tap, at, at_second)                                                                          \
    "ldr r7, [r2, #8 * " #tap "]\n"                                                                                    \
    "ldr r8, [r2, #8 * " #tap " + 8]\n"                                                                                \
    "ldr r9, [r0, #" #at "]\n"                                                                                         \
    "ldr r10, [r1, #" #at "]\n"                                                                                        \
    "ldr r11, [r0, #" #at_second "]\n"                                                                                 \
    "ldr r12, [r1, #" #at_second "]\n"                                                                                 \
    "mul r9, r9, r7\n"                                                                                                 \
    "mul r10, r10, r7\n"                                                                                               \
    "mul r11, r11, r8\n"                                                                                               \
    "mul r12, r12, r8\n" RL_PLANE_ADD("r3", "r4", "r9") RL_PLANE_ADD("r5", "r6", "r10")                                \
        RL_PLANE_ADD("r3", "r4", "r11") RL_PLANE_ADD("r5", "r6", "r12")

// The same for one output of both rows.
#define RL_PLANE_TWO_TAPS_ALONE(tap, at, at_second)                                                                    \
    "ldr r7, [r2, #8 * " #tap "]\n"                                                                                    \
    "ldr r8, [r2, #8 * " #tap " + 8]\n"                                                                                \
    "ldr r9, [r0, #" #at "]\n"                                                                                         \
    "ldr r11, [r0, #" #at_second "]\n"                                                                                 \
    "mul r9, r9, r7\n"                                                                                                 \
    "mul r11, r11, r8\n" RL_PLANE_ADD("r3", "r4", "r9") RL_PLANE_ADD("r3", "r4", "r11")

// r7-r9 are multiplier, addend, shift.
#define RL_PLANE_SCALED(sum)                                                                                           \
    "lsls " sum ", " sum ", #1\n"                                                                                      \
    "smull r10, r11, " sum ", r7\n"                                                                                    \
    "add " sum ", r8, " sum ", asr #31\n"                                                                              \
    "add " sum ", " sum ", r11\n"                                                                                      \
    "add " sum ", " sum ", r10, lsr #31\n"                                                                             \
    "asr " sum ", " sum ", r9\n"                                                                                       \
    "ssat " sum ", #8, " sum "\n"

// r10 and r11 are limits.
#define RL_PLANE_LIMITED(sum)                                                                                          \
    "cmp " sum ", r10\n"                                                                                               \
    "it lt\n"                                                                                                          \
    "movlt " sum ", r10\n"                                                                                             \
    "cmp " sum ", r11\n"                                                                                               \
    "it gt\n"                                                                                                          \
    "movgt " sum ", r11\n"

// r3 and r4 are sums of the first output, r5 and r6 of the second. The job is at the top of the stack.
static __attribute__((naked, noinline)) void rl_plane_nine_run(__attribute__((unused)) struct rl_plane_nine *job)
{
    __asm__("push {r0, r4-r11, lr}\n"
            "mov lr, r0\n"
            "ldr r0, [r0]\n"
            // Two outputs of each row.
            "1:\n"
            "ldr r9, [lr, #8]\n"
            "ldr r8, [lr, #24]\n"
            "ldr r7, [lr, #12]\n"
            "ldr r2, [r8, #20]\n"
            "ldr r3, [r8, #12]\n"
            "ldr r4, [r8, #16]\n"
            "add r1, r0, r9\n"
            "cmp r7, #1\n"
            "beq 3f\n"
            "mov r5, r3\n"
            "mov r6, r4\n" //
            RL_PLANE_TWO_TAPS(0, 0, 16) RL_PLANE_TWO_TAPS(2, 32, 288) RL_PLANE_TWO_TAPS(4, 304, 320)
                RL_PLANE_TWO_TAPS(6, 576, 592) //
            "ldr r7, [r2, #8 * 8]\n"
            "ldr r9, [r0, #608]\n"
            "ldr r10, [r1, #608]\n"
            "mul r9, r9, r7\n"
            "mul r10, r10, r7\n" RL_PLANE_ADD("r3", "r4", "r9") RL_PLANE_ADD("r5", "r6", "r10") //
            "ldr r12, [lr, #24]\n"
            "ldr r2, [lr, #28]\n"
            "ldm r12, {r7-r9}\n"
            "sub r3, r3, r4, lsl #16\n"
            "sub r5, r5, r6, lsl #16\n"                                                             //
            RL_PLANE_SCALED("r3") RL_PLANE_SCALED("r4") RL_PLANE_SCALED("r5") RL_PLANE_SCALED("r6") //
            "cbz r2, 2f\n"
            "ldrd r10, r11, [r2]\n"                                                                     //
            RL_PLANE_LIMITED("r3") RL_PLANE_LIMITED("r4") RL_PLANE_LIMITED("r5") RL_PLANE_LIMITED("r6") //
            "2:\n"
            "ldr r12, [lr, #4]\n"
            "ldr r7, [lr, #12]\n"
            "ldr r8, [lr, #16]\n"
            "ldr r9, [lr, #20]\n"
            "ldr r10, [lr, #8]\n"
            "strb r4, [r12, r9]\n"
            "strb r3, [r12]\n"
            "add r12, r12, r8\n"
            "strb r6, [r12, r9]\n"
            "strb r5, [r12]\n"
            "add r12, r12, r8\n"
            "subs r7, r7, #2\n"
            "str r12, [lr, #4]\n"
            "str r7, [lr, #12]\n"
            "add r0, r1, r10\n"
            "bne 1b\n"
            "pop {r0, r4-r11, pc}\n"
            // A last output of each row.
            "3:\n" RL_PLANE_TWO_TAPS_ALONE(0, 0, 16) RL_PLANE_TWO_TAPS_ALONE(2, 32, 288) //
            RL_PLANE_TWO_TAPS_ALONE(4, 304, 320) RL_PLANE_TWO_TAPS_ALONE(6, 576, 592)    //
            "ldr r7, [r2, #8 * 8]\n"
            "ldr r9, [r0, #608]\n"
            "mul r9, r9, r7\n" RL_PLANE_ADD("r3", "r4", "r9") //
            "ldr r12, [lr, #24]\n"
            "ldr r2, [lr, #28]\n"
            "ldm r12, {r7-r9}\n"
            "sub r3, r3, r4, lsl #16\n" RL_PLANE_SCALED("r3") RL_PLANE_SCALED("r4") //
            "cbz r2, 4f\n"
            "ldrd r10, r11, [r2]\n" RL_PLANE_LIMITED("r3") RL_PLANE_LIMITED("r4") //
            "4:\n"
            "ldr r12, [lr, #4]\n"
            "ldr r9, [lr, #20]\n"
            "strb r4, [r12, r9]\n"
            "strb r3, [r12]\n"
            "pop {r0, r4-r11, pc}\n");
}

// The empty statements tell the compiler that the assembler reads and writes memory through the job.
static inline void rl_plane_nine(struct rl_plane_nine *job)
{
    __asm__ volatile("" : : "r"(job) : "memory");
    rl_plane_nine_run(job);
    __asm__ volatile("" : : "r"(job) : "memory");
}

#else
#include "scalar/plane_nine_plain.h"
#endif

#endif
