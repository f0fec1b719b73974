// SPDX-License-Identifier: Apache-2.0
// A row times groups of three filters, with scaled outputs. In assembler because compilers neither keep the loads
// together nor the registers free. dot_threes_plain.h is the same in C.
//
// Twelve products take 19 cycles on a Cortex-M4, more than in dot_1x3.h, but no row is expanded. Values behind the last
// four are multiplied with those before them, which have been multiplied already: their weights are masked. Two filters
// that are left over, or are all there are, have a loop of their own; one that is left over is multiplied alone.
#ifndef RL_KERNELS_DSP_DOT_THREES_H
#define RL_KERNELS_DSP_DOT_THREES_H

#include "dsp/dot_singles.h"
#include "dsp/dot_threes_plain.h"
#include "isa.h"

#include RL_SCHEDULE(dot_threes)

// clang-format off
// Multiplies four values by two filters.
#define RL_DOT_THREES_PAIR \
    "ldr r8, [r1], #4\n" \
    "ldr r10, [r2, r3]\n" \
    "ldr r9, [r2], #4\n" \
    "sxtab16 lr, r7, r8, ror #8\n" \
    "sxtab16 r8, r7, r8\n" \
    "sxtb16 r12, r9\n" \
    "sxtb16 r9, r9, ror #8\n" \
    "smlad r5, r8, r12, r5\n" \
    "sxtb16 r12, r10\n" \
    "smlad r5, lr, r9, r5\n" \
    "sxtb16 r10, r10, ror #8\n" \
    "smlad r6, r8, r12, r6\n" \
    "smlad r6, lr, r10, r6\n"

// The output of a doubled sum, before saturation, with a scale of its own. `shift` is the right shift minus 1.
#define RL_DOT_THREES_OWN(sum, multiplier, shift) \
    "lsl lr, r12, " shift "\n" \
    "qadd " sum ", " sum ", " sum "\n" \
    "add " shift ", " shift ", #1\n" \
    "smmlar lr, " sum ", " multiplier ", lr\n" \
    "asr " sum ", " sum ", #31\n" \
    "add " sum ", " sum ", lr\n" \
    "asr " sum ", " sum ", " shift "\n"

struct rl_dot_threes_more {
    int32_t constant;
    ptrdiff_t step;
};

// In a group r0 counts rounds, r1 is the row, r2 the first filter and r3 the distance to the next, r4-r6 are sums, r7 is
// the offset twice, and r8-r12 and lr are values and weights. On the stack:
//     0 rounds, 4 row, 8 depth, 12 offsets, 16 base, 20 constant, 24 step of the base, 28 entry of the loop,
//     32 minus the values that the last four have in excess, 36 the mask of their weights,
//     40 multiplier, 44 addend, 48 right shift; or multipliers, shifts, rounding for scales of channels
//     52 and 56 limits four times, 60 output, 64 channels left, 68 step of the output, 72 scales of channels or 0,
//     76 three zeros as a base
//
// Without `more` the constant is 0 and the step 1.
static __attribute__((naked, noinline)) int32_t rl_dot_threes_run(
    __attribute__((unused)) const struct rl_fully_connected *f, __attribute__((unused)) const int8_t *input,
    __attribute__((unused)) int8_t *output, __attribute__((unused)) const struct rl_dot_threes_more *more)
{
    __asm__("push {r4-r11, lr}\n"
            "movs r11, #1\n"
            "cbz r3, 1f\n"
            "ldrd r3, r11, [r3]\n"
            "1:\n"
            "sub sp, sp, #88\n"
            "ldr r4, [r0, #4]\n"
            "ldrh r5, [r0, #64]\n"
            "ldr r7, [r0, #20]\n"
            "ldr r8, [r0, #48]\n"
            "ldr r9, [r0, #52]\n"
            "ldr r10, [r0, #8]\n"
            "ldr r12, [r0, #60]\n"
            "str r1, [sp, #4]\n"
            "str r4, [sp, #8]\n"
            "orr r5, r5, r5, lsl #16\n"
            "str r5, [sp, #12]\n"
            "str r3, [sp, #20]\n"
            "ssat r8, #8, r8\n"
            "ssat r9, #8, r9\n"
            "bfi r8, r8, #8, #8\n"
            "bfi r9, r9, #8, #8\n"
            "pkhbt r8, r8, r8, lsl #16\n"
            "pkhbt r9, r9, r9, lsl #16\n"
            "str r8, [sp, #52]\n"
            "str r9, [sp, #56]\n"
            "str r2, [sp, #60]\n"
            "str r10, [sp, #64]\n"
            "str r11, [sp, #68]\n"
            "str r7, [sp, #72]\n"
            "ldr r2, [r0, #12]\n"
            "cbnz r7, 1f\n"
            "ldr r7, [r0, #68]\n"
            "ldr r8, [r0, #72]\n"
            "ldr r9, [r0, #76]\n"
            "2:\n"
            "str r7, [sp, #40]\n"
            "str r8, [sp, #44]\n"
            "str r9, [sp, #48]\n"
            "movs r6, #12\n"
            "cmp r12, #0\n"
            "beq 9f\n"
            "10:\n"
            "str r12, [sp, #16]\n"
            "str r6, [sp, #24]\n"
            "lsr r0, r4, #2\n"
            "rsb r8, r0, #0\n"
            "and r8, r8, #3\n"
            "add r0, r0, r8\n"
            "lsr r0, r0, #2\n"
            "add r8, r8, r8, lsl #3\n"
            "adr r7, 4f\n"
            "add r7, r7, r8, lsl #3\n"
            "str r0, [sp]\n"
            "str r7, [sp, #28]\n"
            "ands r9, r4, #3\n"
            "beq 18f\n"
            "sub r9, r9, #4\n"
            "mvn r11, #0\n"
            "rsb r8, r9, #0\n"
            "lsl r8, r8, #3\n"
            "lsl r8, r11, r8\n"
            "str r8, [sp, #36]\n"
            "18:\n"
            "str r9, [sp, #32]\n"
            "cmp r10, #2\n"
            "bne 3f\n"
            "b 15f\n"
            // Scales of channels.
            "1:\n"
            "ldr r8, [r0, #24]\n"
            "ldr r9, [r0, #44]\n"
            "lsl r9, r9, #1\n"
            "add r9, r9, #1\n"
            "b 2b\n"
            // No base.
            "9:\n"
            "movs r6, #0\n"
            "str r6, [sp, #76]\n"
            "str r6, [sp, #80]\n"
            "str r6, [sp, #84]\n"
            "add r12, sp, #76\n"
            "b 10b\n"
            // A group.
            ".balign 4\n"
            "3:\n"
            "ldm sp, {r0, r1, r3, r7-r11}\n"
            "ldm r8, {r4-r6}\n"
            "add r8, r8, r10\n"
            "add r4, r4, r9\n"
            "str r8, [sp, #16]\n"
            "add r5, r5, r9\n"
            "add r6, r6, r9\n"
            "mov pc, r11\n"
            ".balign 4\n"
            "4:\n" RL_DOT_THREES_STEP RL_DOT_THREES_STEP RL_DOT_THREES_STEP RL_DOT_THREES_STEP
            RL_SIZE_CHECK("4b", "288")
            "subs r0, r0, #1\n"
            "bne 4b\n"
            "ldr r0, [sp, #32]\n"
            "cbz r0, 5f\n"
            "add r2, r2, r0\n"
            "ldr r8, [r1, r0]\n"
            "ldr r10, [r2, r3]\n"
            "ldr r11, [r2, r3, lsl #1]\n"
            "ldr r9, [r2], #4\n"
            "ldr r1, [sp, #36]\n"
            "sxtab16 lr, r7, r8, ror #8\n"
            "sxtab16 r8, r7, r8\n"
            "and r9, r9, r1\n"
            "and r10, r10, r1\n"
            "and r11, r11, r1\n"
            "sxtb16 r0, r9\n"
            "sxtb16 r9, r9, ror #8\n"
            "sxtb16 r12, r10\n"
            "smlad r4, r8, r0, r4\n"
            "sxtb16 r10, r10, ror #8\n"
            "smlad r5, r8, r12, r5\n"
            "sxtb16 r1, r11\n"
            "smlad r4, lr, r9, r4\n"
            "sxtb16 r11, r11, ror #8\n"
            "smlad r6, r8, r1, r6\n"
            "smlad r5, lr, r10, r5\n"
            "smlad r6, lr, r11, r6\n"
            "5:\n"
            "add r2, r2, r3, lsl #1\n"
            // The outputs of three sums.
            "6:\n"
            "ldr r0, [sp, #72]\n"
            "add r1, sp, #40\n"
            "cmp r0, #0\n"
            "bne 7f\n"
            "ldm r1, {r1, r3, r7-r11}\n"
            "qadd r4, r4, r4\n"
            "qadd r5, r5, r5\n"
            "qadd r6, r6, r6\n"
            "smmlar r0, r4, r1, r3\n"
            "smmlar r12, r5, r1, r3\n"
            "smmlar lr, r6, r1, r3\n"
            "add r4, r0, r4, asr #31\n"
            "add r5, r12, r5, asr #31\n"
            "add r6, lr, r6, asr #31\n"
            "asr r4, r4, r7\n"
            "asr r5, r5, r7\n"
            "asr r6, r6, r7\n"
            "8:\n"
            "ssat r4, #8, r4\n"
            "ssat r5, #8, r5\n"
            "ssat r6, #8, r6\n"
            "bfi r4, r5, #8, #8\n"
            "ldr r12, [sp, #68]\n"
            "bfi r4, r6, #16, #8\n"
            "ssub8 r5, r4, r8\n"
            "sel r4, r4, r8\n"
            "ssub8 r5, r9, r4\n"
            "sel r4, r4, r9\n"
            "subs r11, r11, #3\n"
            "blt 12f\n"
            "strb r4, [r10]\n"
            "lsr r5, r4, #8\n"
            "add r10, r10, r12\n"
            "lsr r6, r4, #16\n"
            "strb r5, [r10]\n"
            "add r10, r10, r12\n"
            "strb r6, [r10]\n"
            "add r10, r10, r12\n"
            "beq 13f\n"
            "cmp r11, #2\n"
            "str r10, [sp, #60]\n"
            "str r11, [sp, #64]\n"
            "bgt 3b\n"
            "blt 9f\n"
            // Two filters are left over. Their sums are the last two of a group, and their scales those from one before.
            "15:\n"
            "ldr r7, [sp, #72]\n"
            "cbz r7, 16f\n"
            "ldrd r0, r1, [sp, #40]\n"
            "sub r0, r0, #4\n"
            "sub r1, r1, #4\n"
            "strd r0, r1, [sp, #40]\n"
            "16:\n"
            "ldm sp, {r0, r1, r3, r7-r9}\n"
            "ldrd r5, r6, [r8]\n"
            "add r5, r5, r9\n"
            "add r6, r6, r9\n"
            // Where the number of fours is odd, the first round has one.
            "lsrs r0, r3, #3\n"
            "bcc 17f\n"
            "adds r0, r0, #1\n"
            "b 19f\n"
            ".balign 4\n"
            "17:\n" RL_DOT_THREES_PAIR
            "19:\n" RL_DOT_THREES_PAIR
            "subs r0, r0, #1\n"
            "bne 17b\n"
            "ldr r0, [sp, #32]\n"
            "cmp r0, #0\n"
            "beq 6b\n"
            "add r2, r2, r0\n"
            "ldr r8, [r1, r0]\n"
            "ldr r10, [r2, r3]\n"
            "ldr r9, [r2]\n"
            "ldr r1, [sp, #36]\n"
            "sxtab16 lr, r7, r8, ror #8\n"
            "sxtab16 r8, r7, r8\n"
            "and r9, r9, r1\n"
            "and r10, r10, r1\n"
            "sxtb16 r0, r9\n"
            "sxtb16 r9, r9, ror #8\n"
            "sxtb16 r12, r10\n"
            "smlad r5, r8, r0, r5\n"
            "sxtb16 r10, r10, ror #8\n"
            "smlad r6, r8, r12, r6\n"
            "smlad r5, lr, r9, r5\n"
            "smlad r6, lr, r10, r6\n"
            "b 6b\n"
            // One is left over. Its scales are the third ones of those from two before.
            "9:\n"
            "ldr r0, [sp, #72]\n"
            "cbz r0, 10f\n"
            "ldrd r0, r1, [sp, #40]\n"
            "sub r0, r0, #8\n"
            "sub r1, r1, #8\n"
            "strd r0, r1, [sp, #40]\n"
            "10:\n"
            "ldr r1, [sp, #4]\n"
            "ldr r9, [sp, #8]\n"
            "ldr r3, [sp, #12]\n"
            "ldr r5, [sp, #16]\n"
            "ldr r6, [sp, #20]\n"
            "ldr r4, [r5]\n"
            "bic r9, r9, #3\n"
            "add r4, r4, r6\n"
            "subs r9, r9, #8\n"
            "blt 2f\n"
            ".balign 4\n"
            "1:\n" RL_DOT_SINGLE_EIGHT(RL_DOT_SINGLE_WEIGHTS, "lr")
            "bge 1b\n"
            "2:\n"
            "adds r9, r9, #8\n"
            "beq 3f\n" RL_DOT_SINGLE_FOUR(RL_DOT_SINGLE_WEIGHTS)
            "3:\n"
            "ldrd r0, r10, [sp, #32]\n"
            "cbz r0, 11f\n"
            "ldr r5, [r1, r0]\n"
            "ldr r6, [r2, r0]\n"
            "sxtab16 r8, r3, r5\n"
            "and r6, r6, r10\n"
            "sxtab16 r5, r3, r5, ror #8\n"
            "sxtb16 r10, r6\n"
            "sxtb16 r6, r6, ror #8\n"
            "smlad r4, r8, r10, r4\n"
            "smlad r4, r5, r6, r4\n"
            "11:\n"
            "mov r6, r4\n"
            "b 6b\n"
            "7:\n"
            "ldm r1, {r0, r11, r12}\n"
            "ldm r0!, {r1, r3, r7}\n"
            "ldm r11!, {r8-r10}\n"
            "str r0, [sp, #40]\n"
            "str r11, [sp, #44]\n"
            "eor r0, r1, #0x40000000\n"
            "eor r11, r3, #0x40000000\n"
            "eor lr, r7, #0x40000000\n"
            "orr r0, r0, r11\n"
            "orr r0, r0, lr\n"
            "mvn r8, r8\n"
            "mvn r9, r9\n"
            "mvn r10, r10\n"
            "tst r0, #0xc0000000\n"
            "bne 14f\n"
            "cmp r8, #19\n"
            "it ls\n"
            "cmpls r9, #19\n"
            "it ls\n"
            "cmpls r10, #19\n"
            "bhi 14f\n"
            RL_DOT_THREES_OWN("r4", "r1", "r8")
            RL_DOT_THREES_OWN("r5", "r3", "r9")
            RL_DOT_THREES_OWN("r6", "r7", "r10")
            "add r0, sp, #52\n"
            "ldm r0, {r8-r11}\n"
            "b 8b\n"
            "12:\n"
            "adds r11, r11, #1\n"
            "lsr r5, r4, #8\n"
            "bne 17f\n"
            "strb r5, [r10]\n"
            "add r10, r10, r12\n"
            "17:\n"
            "lsr r4, r4, #16\n"
            "strb r4, [r10]\n"
            "13:\n"
            "movs r0, #0\n"
            "add sp, sp, #88\n"
            "pop {r4-r11, pc}\n"
            "14:\n"
            "ldr r0, [sp, #64]\n"
            "add sp, sp, #88\n"
            "pop {r4-r11, pc}\n");
}
// clang-format on

// The empty statements tell the compiler that the assembler reads and writes memory.
static inline int32_t rl_dot_threes(const struct rl_fully_connected *f, const int8_t *input, int8_t *output,
                                    int32_t constant, ptrdiff_t step)
{
    const struct rl_dot_threes_more more = {constant, step};
    __asm__ volatile("" : : "r"(f), "r"(input), "r"(output), "r"(&more) : "memory");
    const int32_t left = rl_dot_threes_run(f, input, output, &more);
    __asm__ volatile("" : : : "memory");
    return left;
}

// The same with no constant and outputs next to each other, for layers with one scale: the last statement of a function
// that is not inlined, as rl_dot_singles_last.
static inline void rl_dot_threes_last(const struct rl_fully_connected *f, const int8_t *input, int8_t *output)
{
    __asm__ volatile("" : : : "memory");
    (void)rl_dot_threes_run(f, input, output, NULL);
}

#endif
