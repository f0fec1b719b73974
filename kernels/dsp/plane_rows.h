// SPDX-License-Identifier: Apache-2.0
// The outputs of one channel of a depthwise block, two rows by two columns at a time, from the values of the block to
// the bytes of the output. In assembler because it needs every core register; plane_rows_plain.h is the same in C.
//
// r0 is the address of pixels; r4, r5 are the sums of a row, r6, r7 those of the row below, doubled for rl_rescale.
#ifndef RL_KERNELS_DSP_PLANE_ROWS_H
#define RL_KERNELS_DSP_PLANE_ROWS_H

#include "dsp/plane_rows_plain.h"
#include "isa.h"

#include RL_SCHEDULE(plane_rows)

__extension__ _Static_assert(offsetof(struct rl_plane_outputs, output_right) == 20 &&
                                 offsetof(struct rl_plane_outputs, last_pair) == 52 &&
                                 offsetof(struct rl_plane_outputs, pixel_right) == 76 &&
                                 offsetof(struct rl_plane_outputs, line_step) == 100 && RL_PLANE_ROUND == 6 &&
                                 RL_PLANE_TAP_BYTES == 28,
                             "the assembler below uses these offsets");
__extension__ _Static_assert(RL_PLANE_LINE_WORDS * 4 == 288, "the assembler has offsets to the next pair of lines");
__extension__ _Static_assert(RL_PLANE_WEIGHTS * 16 == 16 + 432,
                             "the assembler has the offset to the weights of the lower row");

// clang-format off
// Any other filter: all its weights are loaded for each output, pair of lines after pair of lines. On the stack: 44 the
// pairs left, 48 the pixels.
#define RL_PLANE_TAPS_ANY \
    "ldr lr, [sp, #36]\n" \
    "str r0, [sp, #48]\n" \
    "mov r4, r5\n" \
    "mov r6, r5\n" \
    "mov r7, r5\n" \
    ".if !" RL_SMALL_TEXT "\n" \
    "ldr r11, [lr, #-4]\n" \
    "cmp r11, #3\n" \
    "beq 7f\n" \
    ".endif\n" \
    RL_PLANE_LINES_ANY \
    ".if !" RL_SMALL_TEXT "\n" \
    "b 8f\n" \
    "7:\n" \
    RL_PLANE_LINES_WIDE \
    "8:\n" \
    ".endif\n" \
    "ldr r0, [sp, #48]\n" \
    "lsls r4, r4, #1\n" \
    "lsls r5, r5, #1\n" \
    "lsls r6, r6, #1\n" \
    "lsls r7, r7, #1\n" \
    "add r0, r0, r1, lsl #1\n"

#define RL_PLANE_LINES_ANY \
    "add lr, lr, #24\n" \
    "ldm lr, {r1, r2, r3, r8, r10}\n" \
    "6:\n" \
    "str r10, [sp, #44]\n" \
    "ldr lr, [sp, #36]\n" \
    "ldr r10, [lr, #44]\n" \
    "10:\n" \
    "ldr r11, [r8], #16\n" \
    "ldr r12, [r0]\n" \
    "ldr lr, [r0, r1]\n" \
    "smlad r4, r12, r11, r4\n" \
    "smlad r5, lr, r11, r5\n" \
    "add lr, r0, r2\n" \
    "ldr r11, [r8, #432]\n" \
    "ldr r12, [lr]\n" \
    "ldr lr, [lr, r1]\n" \
    "smlad r6, r12, r11, r6\n" \
    "add r0, r0, r3\n" \
    "smlad r7, lr, r11, r7\n" \
    "subs r10, r10, #1\n" \
    "bne 10b\n" \
    "ldr lr, [sp, #36]\n" \
    "ldr r11, [lr, #48]\n" \
    "ldr r10, [sp, #44]\n" \
    "add r0, r0, r11\n" \
    "subs r10, r10, #1\n" \
    "bne 6b\n"

// With stride 1 and no dilation, rows share their pixels, and a pixel of the right output is the next one of the left.
// The loop does RL_PLANE_ROUND taps and is entered in its middle for fewer. On the stack: 44 its rounds.
#define RL_PLANE_TAP_WIDE(left, right) \
    "ldr r12, [r1], #16\n" \
    "ldr r3, [r1, #432]\n" \
    "ldr " right ", [r0, #16]!\n" \
    "smlad r4, " left ", r12, r4\n" \
    "smlad r5, " right ", r12, r5\n" \
    "smlad r6, " left ", r3, r6\n" \
    "smlad r7, " right ", r3, r7\n"

#define RL_PLANE_LINES_WIDE \
    "ldrd r9, r10, [lr, #-52]\n" \
    "add lr, lr, #36\n" \
    "ldm lr, {r1, r2, r3, r8}\n" \
    "adr.w r3, 10f\n" \
    "str r10, [sp, #44]\n" \
    "add r9, r9, r3\n" \
    "6:\n" \
    "ldr r11, [r0]\n" \
    "ldr r10, [sp, #44]\n" \
    "mov lr, r11\n" \
    "bx r9\n" \
    ".p2align 2\n" \
    "10:\n" RL_PLANE_TAP_WIDE("r11", "lr") RL_PLANE_TAP_WIDE("lr", "r11") RL_PLANE_TAP_WIDE("r11", "lr") \
    RL_PLANE_TAP_WIDE("lr", "r11") RL_PLANE_TAP_WIDE("r11", "lr") RL_PLANE_TAP_WIDE("lr", "r11") \
    RL_SIZE_CHECK("10b", "6 * 28") \
    "subs r10, r10, #1\n" \
    "bne 10b\n" \
    "subs r2, r2, #1\n" \
    "add r0, r0, r8\n" \
    "bne 6b\n" \
    "movs r1, #16\n"

// The high words of three sums, rounded, for the multiplier in r11 and the addend in r12.
#define RL_PLANE_MULTIPLY_THREE \
    "add r3, r12, r7, asr #31\n" \
    "smmlar r7, r7, r11, r3\n" \
    "add r3, r12, r6, asr #31\n" \
    "smmlar r6, r6, r11, r3\n" \
    "add r3, r12, r5, asr #31\n" \
    "smmlar r5, r5, r11, r3\n"

// Scales two columns by r11 (multiplier), r12 (addend) and a shift as rl_rescale does, saturates and stores them. The
// order suits a Cortex-M7 and a Cortex-M33 and costs a Cortex-M4 one cycle; that of the stores matters.
#define RL_PLANE_STORE \
    "ldr.w r12, [sp, #20]\n" \
    "ldr.w r11, [sp, #16]\n" \
    "ldr.w lr, [sp, #24]\n" \
    RL_PLANE_MULTIPLY_THREE \
    "add r3, r12, r4, asr #31\n" \
    "asr r6, r6, lr\n" \
    "smmlar r4, r4, r11, r3\n" \
    "asr r5, r5, lr\n" \
    "asr r7, r7, lr\n" \
    "asr r4, r4, lr\n" \
    "ldm sp, {r3, r11, r12, lr}\n" \
    "ssat r7, #8, r7\n" \
    "ssat r5, #8, r5\n" \
    "cmp r12, r11\n" \
    "it hi\n" \
    "movhi r3, #0\n" \
    "add.w r11, lr, r12\n" \
    "ssat r6, #8, r6\n" \
    "ssat r4, #8, r4\n" \
    "strb.w r7, [r11, r3]\n" \
    "strb.w r6, [r11]\n" \
    "strb.w r5, [r12, r3]\n" \
    "strb.w r4, [r12]\n" \
    "add.w r12, r12, r3, lsl #1\n" \
    "str.w r12, [sp, #8]\n" \
    "ittt lo\n" \
    "ldrlo r5, [sp, #28]\n" \
    "ldrlo r3, [sp, #32]\n" \
    "ldrlo pc, [sp, #40]\n"

// The same for the 3x3 filter with stride 1, which leaves lr to the address of the next output.
#define RL_PLANE_STORE_HERE \
    "ldr.w r12, [sp, #20]\n" \
    "ldr.w r11, [sp, #16]\n" \
    RL_PLANE_MULTIPLY_THREE \
    "ldr r3, [sp, #24]\n" \
    "add r12, r12, r4, asr #31\n" \
    "smmlar r4, r4, r11, r12\n" \
    "asrs r6, r6, r3\n" \
    "asrs r5, r5, r3\n" \
    "asrs r7, r7, r3\n" \
    "asrs r4, r4, r3\n" \
    "ldrd r3, r11, [sp]\n" \
    "ssat r7, #8, r7\n" \
    "ssat r5, #8, r5\n" \
    "cmp lr, r11\n" \
    "it hi\n" \
    "movhi r3, #0\n" \
    "ldr.w r11, [sp, #12]\n" \
    "add.w r12, lr, r3\n" \
    "ssat r6, #8, r6\n" \
    "ssat r4, #8, r4\n" \
    "strb.w r7, [r12, r11]\n" \
    "strb.w r6, [lr, r11]\n" \
    "strb.w r5, [r12]\n" \
    "strb.w r4, [lr]\n" \
    "add.w lr, r12, r3\n" \
    "ldr r5, [sp, #28]\n" \
    "ldr r3, [sp, #32]\n" \
    "blo 5b\n"
// clang-format on

// Computes all outputs of p. On the stack: 0 output_right, 4 where the last pair of the row begins, 8 next output, 12
// output_down, 16 scale, 28 bias, 32 weight, 36 the address of `last_pair`, 40 that of the loop over the taps. If the
// second column or row is missing, it is stored to the place of the first, before the first.
static __attribute__((naked, noinline)) void rl_plane_run_outputs(__attribute__((unused)) struct rl_plane_outputs *p)
{
    __asm__("push {r4-r11, lr}\n"
            "sub sp, #52\n"
            "ldm r0!, {r1, r2, r8, r9, r10}\n"
            "ldm r0!, {r3, r4, r5, r6, r7, r11, r12, lr}\n"
            "str r3, [sp]\n"
            "str r4, [sp, #12]\n"
            "adr.w r3, 3f\n"
            "cmp lr, #1\n"
            "it eq\n"
            "adreq.w r3, 5f\n"
            "cmp lr, #2\n"
            "it eq\n"
            "adreq.w r3, 4f\n"
            "orr lr, r3, #1\n"
            "strd r0, lr, [sp, #36]\n"
            "add lr, sp, #16\n"
            "stm lr, {r5, r6, r7, r11, r12}\n"
            // Two rows of outputs.
            "1:\n"
            "ldr lr, [sp, #36]\n"
            "ldm lr, {r4, r5, r6, r7, r11, r12}\n"
            "adds r4, r4, r7\n"
            "strd r4, r7, [sp, #4]\n"
            "mov r0, r5\n"
            "adds r5, r5, r6\n"
            "add r11, r11, r7\n"
            "str r5, [lr, #4]\n"
            "str r11, [lr, #12]\n"
            "subs r12, r12, #2\n"
            "str r12, [lr, #20]\n"
            "mov lr, r7\n"
            "itt mi\n"
            "movmi r3, #0\n"
            "strmi r3, [sp, #12]\n"
            // Two columns.
            "ldr r5, [sp, #28]\n"
            "ldr r3, [sp, #32]\n"
            "ldr pc, [sp, #40]\n"
            // Aligned, which aligns the section, because ADR counts from an aligned address.
            ".p2align 2\n"
            "3:\n" RL_PLANE_TAPS_ANY "b 9f\n"
            "4:\n" RL_PLANE_TAPS_STRIDE_2 //
            "9:\n" RL_PLANE_STORE         //
            "b 11f\n"
            ".p2align 2\n"
            "5:\n" RL_PLANE_TAPS_STRIDE_1 //
            ".if " RL_SMALL_TEXT "\n"
            "b 9b\n"
            ".else\n" RL_PLANE_STORE_HERE //
            ".endif\n"
            "11:\n"
            "ldr lr, [sp, #36]\n"
            "ldr r3, [lr, #20]\n"
            "cmp r3, #0\n"
            "bgt 1b\n"
            "add sp, #52\n"
            "pop {r4-r11, pc}\n");
}

// The empty statements tell the compiler that the assembler reads and writes memory through p.
static inline void rl_plane_outputs(struct rl_plane_outputs *p)
{
    __asm__ volatile("" : : "r"(p) : "memory");
    rl_plane_run_outputs(p);
    __asm__ volatile("" : : "r"(p) : "memory");
}

#endif
