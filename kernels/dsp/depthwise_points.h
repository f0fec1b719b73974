// SPDX-License-Identifier: Apache-2.0
// Some outputs of a depthwise convolution, four channels at a time: weights and scales of these channels are prepared
// once, and the outputs follow each other without a call. In assembler because it needs every core register;
// depthwise_points_plain.h is the same in C.
//
// Pixels are as far apart as taps. A tap takes 10 cycles on a Cortex-M4, the fourth one from the end of a row 11, and
// what an output needs beside them about 80.
#ifndef RL_KERNELS_DSP_DEPTHWISE_POINTS_H
#define RL_KERNELS_DSP_DEPTHWISE_POINTS_H

#include "dsp/depthwise_points_plain.h"
#include "dsp/scale_four.h"
#include "isa.h"

__extension__ _Static_assert(offsetof(struct rl_depthwise_points, bias) == 48 &&
                                 offsetof(struct rl_depthwise_points, channel) == 88 &&
                                 offsetof(struct rl_depthwise_points, taps) == 136 &&
                                 offsetof(struct rl_depthwise_points, points) == 140 &&
                                 offsetof(struct rl_depthwise_points, weights) == 412,
                             "the assembler below uses these offsets");

// clang-format off
// Scale `i` of the four: its addend and its right shift from a shift, and its place in the job at r12.
#define RL_POINTS_PREPARE(multiplier, shift, at) \
    "mvn r0, " shift "\n" \
    "rsb " shift ", " shift ", #0\n" \
    "lsl r0, r3, r0\n" \
    "str " multiplier ", [r12, #" at "]\n" \
    "str r0, [r12, #" at " + 4]\n" \
    "str " shift ", [r12, #" at " + 8]\n"

// A tap at `x`, whose weights are so many bytes from those of the last one, in RL_POINT_TAP bytes. Loads from negative
// offsets are wide in any case, and clang does not take them with `.w`.
#define RL_POINTS_TAP(x, load, even, odd) \
    "ldr.w r11, [" x "]\n" \
    load " r2, [r1, #" even "]\n" \
    load " r3, [r1, #" odd "]\n" \
    "sxtab16 r12, r8, r11\n" \
    "sxtab16 r11, r8, r11, ror #8\n" \
    "smlabb r4, r12, r2, r4\n" \
    "smlatt r6, r12, r2, r6\n" \
    "smlabb r5, r11, r3, r5\n" \
    "smlatt r7, r11, r3, r7\n"

// At a point r0 is the input, r1 the weights, r4-r7 sums, r8 offsets, r9 the bytes to the tap before, r10 rl_point_rows
// and lr rl_point_entry.
static __attribute__((naked, noinline)) void
rl_points_of_fours(__attribute__((unused)) struct rl_depthwise_points *job)
{
    __asm__("push {r4-r11, lr}\n"
            "push {r0}\n"
            // Four channels: scales, biases, weights.
            "1:\n"
            "ldr r12, [sp]\n"
            "ldr r0, [r12, #104]\n"
            "ldr r1, [r12, #108]\n"
            "ldr r2, [r12, #112]\n"
            "ldr r3, [r12, #120]\n"
            "ldr lr, [r12, #88]\n"
            "add r0, r0, lr, lsl #2\n"
            "add r1, r1, lr, lsl #2\n"
            "mla r2, lr, r3, r2\n"
            "ldr r3, [r12, #124]\n"
            "ldm r0, {r4-r7}\n"
            "ldm r1, {r8-r11}\n"
            RL_POINTS_PREPARE("r4", "r8", "0")
            RL_POINTS_PREPARE("r5", "r9", "12")
            RL_POINTS_PREPARE("r6", "r10", "24")
            RL_POINTS_PREPARE("r7", "r11", "36")
            "ldm r2, {r4-r7}\n"
            "lsls r4, r4, #1\n"
            "lsls r5, r5, #1\n"
            "lsls r6, r6, #1\n"
            "lsls r7, r7, #1\n"
            "add r0, r12, #48\n"
            "stm r0, {r4-r7}\n"
            "ldr r0, [r12, #100]\n"
            "ldr r2, [r12, #132]\n"
            "ldr r1, [r12, #136]\n"
            "addw r3, r12, #412\n"
            "add r0, r0, lr\n"
            "rsb r9, r2, #0\n"
            "lsrs r1, r1, #1\n"
            "bcc 2f\n"
            "ldr r4, [r0]\n"
            "add r0, r0, r2\n"
            "sxtb16 r5, r4, ror #8\n"
            "sxtb16 r4, r4\n"
            "sadd16 r5, r5, r5\n"
            "sadd16 r4, r4, r4\n"
            "stm r3!, {r4, r5}\n"
            "2:\n"
            "cbz r1, 4f\n"
            "3:\n"
            "ldr r4, [r0]\n"
            "ldr r6, [r0, r2]\n"
            "add r0, r0, r2, lsl #1\n"
            "sxtb16 r5, r4, ror #8\n"
            "sxtb16 r4, r4\n"
            "sxtb16 r7, r6, ror #8\n"
            "sxtb16 r6, r6\n"
            "sadd16 r5, r5, r5\n"
            "sadd16 r4, r4, r4\n"
            "sadd16 r7, r7, r7\n"
            "sadd16 r6, r6, r6\n"
            "subs r1, r1, #1\n"
            "stm r3!, {r4-r7}\n"
            "bne 3b\n"
            "4:\n"
            "ldr r11, [r12, #96]\n"
            "ldr r2, [r12, #116]\n"
            "ldr r8, [r12, #128]\n"
            "add r3, r12, #140\n"
            "add r12, r12, #48\n"
            "add r11, r11, lr\n"
            "add r2, r2, lr\n"
            "str r11, [r12, #36]\n"
            "b 7f\n"
            // The four channels are done.
            "5:\n"
            "ldr r12, [sp]\n"
            "ldr r0, [r12, #88]\n"
            "ldr r1, [r12, #92]\n"
            "cmp r0, r1\n"
            "beq 6f\n"
            "adds r0, r0, #4\n"
            "cmp r0, r1\n"
            "it gt\n"
            "movgt r0, r1\n"
            "str r0, [r12, #88]\n"
            "b 1b\n"
            "6:\n"
            "pop {r0, r4-r11, pc}\n"
            ".p2align 2\n"
            // Behind the last point.
            "b.w 5b\n"
            // A row of taps.
            "23:\n"
            RL_POINTS_TAP("r0, r9, lsl #2", "ldr", "-32", "-28")
            "add.w r12, r0, r9\n"
            RL_POINTS_TAP("r12, r9, lsl #1", "ldr", "-24", "-20")
            RL_POINTS_TAP("r0, r9, lsl #1", "ldr", "-16", "-12")
            RL_POINTS_TAP("r0, r9", "ldr", "-8", "-4")
            RL_POINTS_TAP("r0", "ldr.w", "0", "4")
            RL_SIZE_CHECK("23b", "5 * 36 + 4")
            // The next row.
            "ubfx r2, r10, #16, #12\n"
            "uxtah r0, r0, r10\n"
            "subs.w r10, r10, #0x10000000\n"
            "add.n r1, r1, r2\n"
            "it cs\n"
            "24:\n"
            "addcs pc, lr\n"
            RL_SIZE_CHECK("23b", "5 * 36 + 4 + 18")
            // Outputs.
            "ldr r12, [sp]\n"
            RL_SCALE_FOUR
            "ldr r2, [r12, #24]\n"
            "ldr r10, [r12, #28]\n"
            "ldr r3, [r12, #32]\n"
            "ldr r11, [r12, #36]\n"
            RL_LIMIT_FOUR
            "str r4, [r2]\n"
            "add r2, r2, r10\n"
            // The next point.
            "7:\n"
            "ldm r3!, {r0, r1, r10, lr}\n"
            "str r2, [r12, #24]\n"
            "str r3, [r12, #32]\n"
            "add r0, r0, r11\n"
            "ldm r12, {r4-r7}\n"
            RL_SIZE_CHECK("24b", "152")
            "subw r2, lr, #156\n" // clang does not compute it from labels
            "add pc, r2\n");
}
// clang-format on

// The empty statements tell the compiler that the assembler reads and writes memory through `job`.
static inline void rl_depthwise_points(struct rl_depthwise_points *job)
{
    __asm__ volatile("" : : "r"(job) : "memory");
    rl_points_of_fours(job);
    __asm__ volatile("" : : "r"(job) : "memory");
}

#endif
