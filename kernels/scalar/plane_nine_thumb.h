// SPDX-License-Identifier: Apache-2.0
// rl_plane_nine in assembler for a Cortex-M3, and it and rl_plane_taps for a Cortex-M0. plane_nine_plain.h and
// plane_taps_plain.h are the same in C. Included by scalar/plane_nine.h.
//
// It takes two outputs of each row at a time. Compilers spill in the loop of taps: on a Cortex-M3 a tap takes twelve
// cycles there instead of ten, on a Cortex-M0 31 instead of 15.
#ifndef RL_KERNELS_SCALAR_PLANE_NINE_THUMB_H
#define RL_KERNELS_SCALAR_PLANE_NINE_THUMB_H

#include "scalar/rescale_thumb.h"

#if RL_HAS_THUMB2_LOOP

static inline bool rl_plane_is_quick(const struct rl_plane_job *job)
{
    (void)job;
    return false;
}

static inline void rl_plane_nine_quick(struct rl_plane_job *job)
{
    (void)job;
}

__extension__ _Static_assert(offsetof(struct rl_plane_channel, start) == 12 &&
                                 offsetof(struct rl_plane_channel, taps) == 20 &&
                                 offsetof(struct rl_plane_job, limits) == 28 && sizeof(struct rl_plane_tap) == 8 &&
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
static __attribute__((naked, noinline)) void rl_plane_nine_run(__attribute__((unused)) struct rl_plane_job *job)
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
            //
            "4:\n"
            "ldr r12, [lr, #4]\n"
            "ldr r9, [lr, #20]\n"
            "strb r4, [r12, r9]\n"
            "strb r3, [r12]\n"
            "pop {r0, r4-r11, pc}\n");
}

#else

__extension__ _Static_assert(offsetof(struct rl_plane_channel, start) == 12 &&
                                 offsetof(struct rl_plane_channel, taps) == 20 &&
                                 offsetof(struct rl_plane_job, limits) == 28 && sizeof(struct rl_plane_tap) == 8 &&
                                 RL_PLANE_LINE_WORDS * 4 == 288 && RL_PLANE_CHANNELS * 4 == 16,
                             "the assembler below uses these offsets");

#define RL_PLANE_ADD(sum_whole, sum_upper)                                                                             \
    "muls r1, r7, r1\n"                                                                                                \
    "adds " sum_whole ", " sum_whole ", r1\n"                                                                          \
    "asrs r1, r1, #16\n"                                                                                               \
    "adds " sum_upper ", " sum_upper ", r1\n"

// A tap of the second output of both rows, after one of the first or alone: its number, and the bytes from the line. r0
// is the line of the first output, r8 that of the second, r2 the taps.
#define RL_PLANE_TAP_ALONE(tap, at)                                                                                    \
    "ldr r7, [r2, #8 * " #tap "]\n"                                                                                    \
    "ldr r1, [r0, #" #at "]\n" RL_PLANE_ADD("r5", "r6")
#define RL_PLANE_TAP(tap, at)                                                                                          \
    "ldr r7, [r2, #8 * " #tap "]\n"                                                                                    \
    "ldr r1, [r0, #" #at "]\n" RL_PLANE_ADD("r3", "r4") "mov r1, r8\n"                                                 \
                                                        "ldr r1, [r1, #" #at "]\n" RL_PLANE_ADD("r5", "r6")

// RL_RESCALED takes the shift, the lower limit and the upper limit less the lower one from the stack.
#define RL_PLANE_LIMITS                                                                                                \
    "ldr r2, [sp, #4]\n"                                                                                               \
    "ldr r7, [sp, #8]\n"

// Takes the halves of a word's sums apart, scales and stores them. r0 is the job then.
#define RL_PLANE_NOTHING(sum_whole, sum_upper)
#define RL_PLANE_RANGE                                                                                                 \
    "ldr r1, [sp, #8]\n"                                                                                               \
    "mov r10, r1\n"
#define RL_PLANE_STORED(sum_whole, sum_upper, range)                                                                   \
    "lsls r7, " sum_upper ", #16\n"                                                                                    \
    "subs " sum_whole ", " sum_whole ", r7\n" RL_RESCALED(sum_whole, RL_PLANE_LIMITS)                                  \
        RL_RESCALED(sum_upper, RL_PLANE_LIMITS) "ldr r0, [sp, #12]\n"                                                  \
                                                "ldr r1, [r0, #4]\n"                                                   \
                                                "ldr r2, [r0, #16]\n"                                                  \
                                                "ldr r7, [r0, #20]\n"                                                  \
                                                "strb " sum_upper ", [r1, r7]\n"                                       \
                                                "strb " sum_whole ", [r1]\n"                                           \
                                                "adds r1, r1, r2\n"                                                    \
                                                "str r1, [r0, #4]\n"

// The same with RL_QUICK. `range` puts the upper limit less the lower one into r10, where it is not there. Behind it
// and a branch that is always taken lies RL_PLANE_LEFT for the same sums.
#define RL_PLANE_STORED_QUICK(sum_whole, sum_upper, range)                                                             \
    "lsls r7, " sum_upper ", #16\n"                                                                                    \
    "subs " sum_whole ", " sum_whole ", r7\n" range "mov r2, r12\n"                                                    \
    "mov r7, r11\n"                                                                                                    \
    "movs r0, " sum_whole "\n" RL_QUICK(sum_whole, "r2", "r7", "lr", "r10", "11f",                                     \
                                        "12f") "21:\n"                                                                 \
                                               "movs r0, " sum_upper                                                   \
                                               "\n" RL_QUICK(sum_upper, "r2", "r7", "lr", "r10", "13f",                \
                                                             "14f") "22:\n"                                            \
                                                                    "ldr r2, [sp, #4]\n"                               \
                                                                    "adds " sum_whole ", " sum_whole ", r2\n"          \
                                                                    "adds " sum_upper ", " sum_upper ", r2\n"          \
                                                                    "ldr r0, [sp, #12]\n"                              \
                                                                    "ldr r1, [r0, #4]\n"                               \
                                                                    "ldr r2, [r0, #16]\n"                              \
                                                                    "ldr r7, [r0, #20]\n"                              \
                                                                    "strb " sum_upper ", [r1, r7]\n"                   \
                                                                    "strb " sum_whole ", [r1]\n"                       \
                                                                    "adds r1, r1, r2\n"                                \
                                                                    "str r1, [r0, #4]\n"

// A value near the limit of two results, again with RL_RESCALED. r0 is the sum.
#define RL_PLANE_CLOSE_LIMITS                                                                                          \
    "ldr r2, [sp, #20]\n"                                                                                              \
    "ldr r7, [sp, #24]\n"
#define RL_PLANE_CLOSE(sum)                                                                                            \
    "movs " sum ", r0\n"                                                                                               \
    "ldr r0, [sp, #12]\n"                                                                                              \
    "ldr r0, [r0, #24]\n"                                                                                              \
    "push {r2, r7}\n"                                                                                                  \
    "mov r1, lr\n"                                                                                                     \
    "push {r1}\n"                                                                                                      \
    "ldm r0!, {r1, r2, r7}\n"                                                                                          \
    "push {r7}\n"                                                                                                      \
    "mov lr, r2\n"                                                                                                     \
    "uxth r2, r1\n"                                                                                                    \
    "mov r11, r2\n"                                                                                                    \
    "asrs r1, r1, #16\n"                                                                                               \
    "mov r12, r1\n" RL_RESCALED(sum, RL_PLANE_CLOSE_LIMITS) "subs " sum ", " sum ", r2\n"                              \
                                                            "pop {r0, r1, r2, r7}\n"                                   \
                                                            "mov lr, r1\n"                                             \
                                                            "mov r12, r2\n"                                            \
                                                            "mov r11, r7\n"

#define RL_PLANE_LIMIT(sum)                                                                                            \
    RL_QUICK_LIMIT(sum, "r10")                                                                                         \
    "movs " sum ", r1\n"
#define RL_PLANE_LEFT(sum_whole, sum_upper)                                                                            \
    "11:\n" RL_PLANE_LIMIT(sum_whole) "b 21b\n"                                                                        \
                                      "12:\n" RL_PLANE_CLOSE(sum_whole) "b 21b\n"                                      \
                                                                        "13:\n" RL_PLANE_LIMIT(                        \
                                                                            sum_upper) "b 22b\n"                       \
                                                                                       "14:\n" RL_PLANE_CLOSE(         \
                                                                                           sum_upper) "b 22b\n"

// What the functions begin with. The job is above the limits on the stack, with RL_RESCALED also in r10; the line is in
// r0. r1-r7 are free.
#define RL_PLANE_SAVE                                                                                                  \
    ".syntax unified\n"                                                                                                \
    "push {r4-r7, lr}\n" RL_HIGH_TO_LOW "push {r4-r7}\n"                                                               \
    "mov r10, r0\n"                                                                                                    \
    "ldr r2, [r0, #28]\n"                                                                                              \
    "movs r3, #127\n"                                                                                                  \
    "mvns r4, r3\n"                                                                                                    \
    "cmp r2, #0\n"                                                                                                     \
    "beq 1f\n"                                                                                                         \
    "ldm r2!, {r3, r4}\n"                                                                                              \
    "mov r5, r3\n"                                                                                                     \
    "mov r3, r4\n"                                                                                                     \
    "mov r4, r5\n"                                                                                                     \
    "1:\n"                                                                                                             \
    "subs r5, r3, r4\n"                                                                                                \
    "ldr r1, [r0, #24]\n"                                                                                              \
    "ldm r1!, {r2, r6, r7}\n"
#define RL_PLANE_BEGIN                                                                                                 \
    RL_PLANE_SAVE                                                                                                      \
    "mov lr, r6\n"                                                                                                     \
    "movs r3, r7\n"                                                                                                    \
    "mov r6, r10\n"                                                                                                    \
    "push {r3, r4, r5, r6}\n"                                                                                          \
    "uxth r3, r2\n"                                                                                                    \
    "mov r11, r3\n"                                                                                                    \
    "asrs r3, r2, #16\n"                                                                                               \
    "mov r12, r3\n"                                                                                                    \
    "ldr r0, [r0]\n"

// The same for RL_QUICK: r10 is the upper limit less the lower one, r11 the half of the multiplier, r12 the shift less
// 6, lr the addend.
#define RL_PLANE_BEGIN_QUICK                                                                                           \
    RL_PLANE_SAVE                                                                                                      \
    "movs r1, #21\n"                                                                                                   \
    "subs r1, r1, r7\n"                                                                                                \
    "lsls r6, r1\n"                                                                                                    \
    "lsls r1, r4, #21\n"                                                                                               \
    "subs r6, r6, r1\n"                                                                                                \
    "movs r1, #7\n"                                                                                                    \
    "lsls r1, r1, #13\n"                                                                                               \
    "adds r6, r6, r1\n"                                                                                                \
    "mov lr, r6\n" RL_QUICK_SCALE("r2", "r7", "1f") "1:\n"                                                             \
                                                    "mov r11, r2\n"                                                    \
                                                    "mov r12, r7\n"                                                    \
                                                    "mov r6, r10\n"                                                    \
                                                    "push {r3, r4, r5, r6}\n"                                          \
                                                    "mov r10, r5\n"                                                    \
                                                    "ldr r0, [r0]\n"
#define RL_PLANE_END                                                                                                   \
    "add sp, #16\n"                                                                                                    \
    "pop {r4-r7}\n" RL_LOW_TO_HIGH "pop {r4-r7, pc}\n"

// r3 and r4 are sums of the first output, r5 and r6 of the second, r9 the bytes of a line. `begin` and `stored` are
// those of one kind of scales, `left` is what lies behind `stored`, `job` puts the job into r1.
#define RL_PLANE_NINE(begin, stored, left, job)                                                                        \
    begin "movs r1, #144\n"                                                                                            \
          "lsls r1, r1, #1\n"                                                                                          \
          "mov r9, r1\n"                                                                                               \
          "2:\n" job "ldr r7, [r1, #24]\n"                                                                             \
          "ldr r5, [r7, #12]\n"                                                                                        \
          "ldr r6, [r7, #16]\n"                                                                                        \
          "ldr r2, [r7, #20]\n"                                                                                        \
          "ldr r7, [r1, #12]\n"                                                                                        \
          "cmp r7, #1\n"                                                                                               \
          "bne 6f\n"                                                                                                   \
          "b 3f\n"                                                                                                     \
          "6:\n"                                                                                                       \
          "ldr r1, [r1, #8]\n"                                                                                         \
          "adds r1, r0, r1\n"                                                                                          \
          "mov r8, r1\n"                                                                                               \
          "movs r3, r5\n"                                                                                              \
          "movs r4, r6\n" RL_PLANE_TAP(0, 0) RL_PLANE_TAP(1, 16) RL_PLANE_TAP(2, 32) /**/                              \
        "add r0, r9\n"                                                                                                 \
        "add r8, r9\n" RL_PLANE_TAP(3, 0) RL_PLANE_TAP(4, 16) RL_PLANE_TAP(5, 32) /**/                                 \
        "add r0, r9\n"                                                                                                 \
        "add r8, r9\n" RL_PLANE_TAP(6, 0) RL_PLANE_TAP(7, 16) RL_PLANE_TAP(8, 32)                                      \
            stored("r3", "r4", "") "b 4f\n" left("r3", "r4")                                        /**/               \
        "3:\n" RL_PLANE_TAP_ALONE(0, 0) RL_PLANE_TAP_ALONE(1, 16) RL_PLANE_TAP_ALONE(2, 32)         /**/               \
        "add r0, r9\n" RL_PLANE_TAP_ALONE(3, 0) RL_PLANE_TAP_ALONE(4, 16) RL_PLANE_TAP_ALONE(5, 32) /**/               \
        "add r0, r9\n" RL_PLANE_TAP_ALONE(6, 0) RL_PLANE_TAP_ALONE(7, 16) RL_PLANE_TAP_ALONE(8, 32) /**/               \
        "4:\n" stored("r5", "r6", "") "ldr r1, [r0, #12]\n"                                                            \
                                      "subs r1, r1, #2\n"                                                              \
                                      "str r1, [r0, #12]\n"                                                            \
                                      "ble 5f\n"                                                                       \
                                      "ldr r2, [r0, #8]\n"                                                             \
                                      "mov r0, r8\n"                                                                   \
                                      "adds r0, r0, r2\n"                                                              \
                                      "mov r1, r9\n"                                                                   \
                                      "subs r0, r0, r1\n"                                                              \
                                      "subs r0, r0, r1\n"                                                              \
                                      "b 2b\n"                                                                         \
                                      "5:\n" RL_PLANE_END left("r5", "r6")

static __attribute__((naked, noinline)) void rl_plane_nine_run(__attribute__((unused)) struct rl_plane_job *job)
{
    __asm__(RL_PLANE_NINE(RL_PLANE_BEGIN, RL_PLANE_STORED, RL_PLANE_NOTHING, "mov r1, r10\n"));
}

// For scales that RL_QUICK takes.
static __attribute__((naked, noinline)) void rl_plane_nine_quick(__attribute__((unused)) struct rl_plane_job *job)
{
    __asm__(RL_PLANE_NINE(RL_PLANE_BEGIN_QUICK, RL_PLANE_STORED_QUICK, RL_PLANE_LEFT, "ldr r1, [sp, #12]\n"));
}

// The next tap, of both outputs of both rows. r0 is the line of the first output, r8 that of the second, r2 the tap.
#define RL_PLANE_ANY_TAP                                                                                               \
    "ldm r2!, {r1, r7}\n"                                                                                              \
    "lsls r7, r7, #2\n"                                                                                                \
    "mov r10, r7\n"                                                                                                    \
    "ldr r7, [r0, r7]\n"                                                                                               \
    "muls r7, r1, r7\n"                                                                                                \
    "adds r3, r3, r7\n"                                                                                                \
    "asrs r7, r7, #16\n"                                                                                               \
    "adds r4, r4, r7\n"                                                                                                \
    "mov r7, r8\n"                                                                                                     \
    "add r7, r10\n"                                                                                                    \
    "ldr r7, [r7]\n"                                                                                                   \
    "muls r7, r1, r7\n"                                                                                                \
    "adds r5, r5, r7\n"                                                                                                \
    "asrs r7, r7, #16\n"                                                                                               \
    "adds r6, r6, r7\n"

// The same sums. r9 is the end of the taps. A second output that is not wanted is computed, too.
#define RL_PLANE_TAPS(begin, stored, left)                                                                             \
    begin "2:\n"                                                                                                       \
          "ldr r1, [sp, #12]\n"                                                                                        \
          "ldr r7, [r1, #24]\n"                                                                                        \
          "ldr r1, [r1, #8]\n"                                                                                         \
          "adds r1, r0, r1\n"                                                                                          \
          "mov r8, r1\n"                                                                                               \
          "ldr r3, [r7, #12]\n"                                                                                        \
          "ldr r4, [r7, #16]\n"                                                                                        \
          "ldr r2, [r7, #20]\n"                                                                                        \
          "ldr r7, [r7, #24]\n"                                                                                        \
          "mov r9, r7\n"                                                                                               \
          "movs r5, r3\n"                                                                                              \
          "movs r6, r4\n"                                                                                              \
          "3:\n" RL_PLANE_ANY_TAP RL_PLANE_ANY_TAP RL_PLANE_ANY_TAP "cmp r2, r9\n"                                     \
          "blo 3b\n" stored("r3", "r4", RL_PLANE_RANGE) "ldr r1, [r0, #12]\n"                                          \
                                                        "subs r1, r1, #2\n"                                            \
                                                        "str r1, [r0, #12]\n"                                          \
                                                        "bpl 4f\n"                                                     \
                                                        "b 5f\n" left("r3", "r4") /**/                                 \
        "4:\n" stored("r5", "r6", "") "ldr r1, [r0, #12]\n"                                                            \
                                      "cmp r1, #0\n"                                                                   \
                                      "beq 5f\n"                                                                       \
                                      "ldr r2, [r0, #8]\n"                                                             \
                                      "mov r0, r8\n"                                                                   \
                                      "adds r0, r0, r2\n"                                                              \
                                      "b 2b\n"                                                                         \
                                      "5:\n" RL_PLANE_END left("r5", "r6")

static __attribute__((naked, noinline)) void rl_plane_taps_run(__attribute__((unused)) struct rl_plane_job *job)
{
    __asm__(RL_PLANE_TAPS(RL_PLANE_BEGIN, RL_PLANE_STORED, RL_PLANE_NOTHING));
}

static __attribute__((naked, noinline)) void rl_plane_taps_quick(__attribute__((unused)) struct rl_plane_job *job)
{
    __asm__(RL_PLANE_TAPS(RL_PLANE_BEGIN_QUICK, RL_PLANE_STORED_QUICK, RL_PLANE_LEFT));
}

// Whether RL_QUICK takes the scale.
static inline bool rl_plane_is_quick(const struct rl_plane_job *job)
{
    const struct rl_rescale *scale = &job->channel->scale;
    return scale->multiplier >= 1 << 30 && scale->right_shift >= 6 && scale->right_shift <= 21;
}

#endif

// The empty statements tell the compiler that the assembler reads and writes memory through the job.
static inline void rl_plane_nine(struct rl_plane_job *job)
{
    __asm__ volatile("" : : "r"(job) : "memory");
    if (rl_plane_is_quick(job)) {
        rl_plane_nine_quick(job);
    } else {
        rl_plane_nine_run(job);
    }
    __asm__ volatile("" : : "r"(job) : "memory");
}

#if RL_HAS_THUMB2_LOOP
#include "scalar/plane_taps_plain.h"
#else
static inline void rl_plane_taps(struct rl_plane_job *job)
{
    __asm__ volatile("" : : "r"(job) : "memory");
    if (rl_plane_is_quick(job)) {
        rl_plane_taps_quick(job);
    } else {
        rl_plane_taps_run(job);
    }
    __asm__ volatile("" : : "r"(job) : "memory");
}
#endif

#endif
