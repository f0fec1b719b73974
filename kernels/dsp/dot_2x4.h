// SPDX-License-Identifier: Apache-2.0
// Two rows of expanded values times groups of four prepacked filters. In assembler for the same reason as dot_3x2.h;
// dot_2x4_plain.h is the same in C and describes the form of the values.
//
// A word of weights holds two filters (convolution/prepacked.h), so SMLAD multiplies it as it is, and once more with
// the first filter alone. One UXTB16 expands what would take two. It leaves its result where the word was, which frees
// a register, so that both rows and both words are loaded together: 4 loads, 2 UXTB16 and 8 SMLAD compute 16 products
// in 15 cycles on a Cortex-M4. Weights are aligned to words. Nothing is read beyond the depth.
#ifndef RL_KERNELS_DSP_DOT_2X4_H
#define RL_KERNELS_DSP_DOT_2X4_H

#include "dsp/dot_2x4_plain.h"
#include "isa.h"

#include RL_SCHEDULE(dot_2x4)

__extension__ _Static_assert(offsetof(struct rl_dot_2x4, fours) == 24 && offsetof(struct rl_dot_2x4, row_start) == 28 &&
                                 offsetof(struct rl_dot_2x4, low) == 48 && offsetof(struct rl_dot_2x4, sums) == 68 &&
                                 offsetof(struct rl_dot_2x4, again) == 72 && sizeof(struct rl_prepacked_channel) == 16,
                             "the assembler below uses these offsets");

// clang-format off
// r0 is the address of values, r1 that of weights; r4-r11 are the sums, in the order of rl_dot_2x4_products, r2 and r3
// values of the rows, r12 and lr weights. RL_SCHEDULE has the steps. All but the last one of a round are 28 instructions
// of four bytes, because the loop is entered in its middle.
//
// Between rounds r0 is the address of scales. What is loaded is used two instructions later, because a Cortex-M33 waits
// for it.

// Scales the doubled sums of a channel, one for each row, and saturates the first.
#define RL_DOT_2X4_RESCALE(sum_0, sum_1) \
    "smmlar r2, " sum_0 ", r3, r12\n" \
    "smmlar r3, " sum_1 ", r3, r12\n" \
    "add " sum_0 ", r2, " sum_0 ", asr #31\n" \
    "add " sum_1 ", r3, " sum_1 ", asr #31\n" \
    "asr " sum_0 ", " sum_0 ", lr\n" \
    "asr " sum_1 ", " sum_1 ", lr\n" \
    "ssat " sum_0 ", #8, " sum_0 "\n"

// The outputs of two filters from their sums.
#define RL_DOT_2X4_OUTPUTS(both_0, both_1, first_0, first_1) \
    "ldm r0!, {r2, r3, r12, lr}\n" \
    "sub " both_0 ", " both_0 ", " first_0 "\n" \
    "sub " both_1 ", " both_1 ", " first_1 "\n" \
    "add " first_0 ", r2, " first_0 ", lsl #1\n" \
    "add " first_1 ", r2, " first_1 ", lsl #1\n" \
    RL_DOT_2X4_RESCALE(first_0, first_1) \
    "ldm r0!, {r2, r3, r12, lr}\n" \
    "ssat " first_1 ", #8, " first_1 "\n" \
    "add " both_0 ", r2, " both_0 ", asr #7\n" \
    "add " both_1 ", r2, " both_1 ", asr #7\n" \
    RL_DOT_2X4_RESCALE(both_0, both_1) \
    "ssat " both_1 ", #8, " both_1 "\n" \
    "bfi " first_0 ", " both_0 ", #8, #8\n" \
    "bfi " first_1 ", " both_1 ", #8, #8\n"

// Bytes, at least and at most those of a limit.
#define RL_DOT_2X4_ABOVE(bytes, low) \
    "ssub8 r2, " bytes ", " low "\n" \
    "sel " bytes ", " bytes ", " low "\n"
#define RL_DOT_2X4_BELOW(bytes, high) \
    "ssub8 r2, " high ", " bytes "\n" \
    "sel " bytes ", " bytes ", " high "\n"

// The whole function; `outputs` are the instructions that make them of the sums. On the stack: 0 the job, 4 where the
// values in groups of four end, 8 scale, 12 special, 16 where a group of filters begins, in the form of job->begin.
#define RL_DOT_2X4_BODY(outputs) \
    "push {r4-r11, lr}\n" \
    "mov r2, r0\n" \
    "ldm r2, {r0, r1, r3-r7}\n" \
    "mov lr, r2\n" \
    "cbnz r3, 1f\n" \
    /* The entry skips 112 bytes of code for each group that is missing to a multiple of four, or of two. */ \
    "rsbs r3, r7, #0\n" \
    "and r3, r3, #3 - 2 * " RL_SMALL_TEXT "\n" \
    "rsb r12, r3, r3, lsl #3\n" \
    "adr.w r6, 3f\n" \
    "add r6, r6, r12, lsl #4\n" \
    "adds r6, r6, #1\n" \
    "str r6, [r2, #8]\n" RL_DOT_2X4_WHOLE \
    "ldr r3, [r2, #64]\n" \
    "cbz r3, 0f\n" \
    "adr.w r6, 2f\n" \
    "adds r6, r6, #1\n" \
    "0:\n" \
    "str r6, [r2, #20]\n" \
    /* Aligned, too: a Cortex-M4 takes a cycle more to a long instruction that lies across two words. */ \
    "1:\n" \
    "add r3, r0, r7, lsl #4\n" RL_DOT_2X4_END \
    "push {r2-r6}\n" \
    /* A group of filters. */ \
    "11:\n" \
    "ldr r3, [sp, #16]\n" \
    "12:\n" \
    "ldr r0, [lr]\n" \
    "ldr r4, [lr, #28]\n" \
    "ldr r5, [lr, #32]\n" RL_DOT_2X4_FIRST \
    "mov r6, r4\n" \
    "mov r7, r5\n" \
    "mov r8, r4\n" \
    "mov r9, r5\n" \
    "mov r10, r4\n" \
    "mov r11, r5\n" RL_DOT_2X4_TO_WHOLE RL_DOT_2X4_GO \
    /* Sixteen values, or eight. Aligned, which aligns the section, because ADR counts from an aligned address. */ \
    ".p2align 2\n" \
    "3:\n" RL_DOT_2X4_FOUR \
    ".if !" RL_SMALL_TEXT "\n" \
    RL_DOT_2X4_FOUR RL_DOT_2X4_FOUR \
    ".endif\n" \
    RL_SIZE_CHECK("3b", "112 * (3 - 2 * " RL_SMALL_TEXT ")") \
    RL_DOT_2X4_LAST \
    RL_DOT_2X4_NEXT_ROUND \
    "ldr r2, [sp, #12]\n" \
    "ldr r0, [sp, #8]\n" \
    /* The carry says that there are limits, until the outputs are ready. */ \
    "lsls r2, r2, #1\n" \
    "bne 6f\n" \
    "4:\n" \
    outputs \
    "bfi r6, r10, #16, #16\n" \
    "bfi r7, r11, #16, #16\n" \
    "ldr lr, [sp]\n" \
    "str r0, [sp, #8]\n" \
    "bcs 9f\n" \
    "10:\n" \
    "ldr r0, [lr, #36]\n" \
    "ldr r2, [lr, #40]\n" \
    "ldr r3, [lr, #44]\n" \
    "str r7, [r0, r2]\n" \
    "str r6, [r0], #4\n" \
    "5:\n" \
    "str r0, [lr, #36]\n" \
    "cmp r0, r3\n" \
    RL_DOT_2X4_NEXT_GROUP \
    ".if !" RL_SMALL_TEXT "\n" \
    "ldr r2, [lr, #72]\n" \
    "cbz r2, 15f\n" \
    "cmp r0, r3\n" \
    "bne 15f\n" \
    "subs r0, r0, r2\n" \
    "str r0, [lr, #36]\n" \
    "b 11b\n" \
    "15:\n" \
    ".endif\n" \
    "add sp, sp, #20\n" \
    "pop {r4-r11, pc}\n" \
    /* A group of filters whose sums were kept. */ \
    "2:\n" \
    "ldr lr, [sp]\n" \
    "ldr r12, [lr, #64]\n" \
    "ldm r12!, {r4-r11}\n" \
    "str r12, [lr, #64]\n" \
    "ldrd r2, r3, [lr, #28]\n" \
    "ldr r0, [lr]\n" \
    "add r4, r4, r2\n" \
    "add r5, r5, r3\n" \
    "add r6, r6, r2\n" \
    "add r7, r7, r3\n" \
    "add r8, r8, r2\n" \
    "add r9, r9, r3\n" \
    "add r10, r10, r2\n" \
    "add r11, r11, r3\n" \
    "ldr r3, [lr, #8]\n" RL_DOT_2X4_FIRST RL_DOT_2X4_GO \
    /* Four outputs of a row at a time are clamped. */ \
    "9:\n" \
    "ldrd r0, r3, [lr, #48]\n" \
    RL_DOT_2X4_ABOVE("r6", "r0") \
    RL_DOT_2X4_ABOVE("r7", "r0") \
    RL_DOT_2X4_BELOW("r6", "r3") \
    RL_DOT_2X4_BELOW("r7", "r3") \
    "b 10b\n" \
    /* The last values, then sums that are kept. The carry tells two values or three, the sign one or three. */ \
    /* Small code takes them one by one. */ \
    "6:\n" \
    "ldr lr, [sp]\n" \
    "ldr r0, [sp, #4]\n" RL_DOT_2X4_REST \
    "ldr r12, [lr, #60]\n" \
    ".if " RL_SMALL_TEXT "\n" \
    "cmp r12, #0\n" \
    "beq 8f\n" \
    ".else\n" \
    "lsls r12, r12, #31\n" \
    "bcc 7f\n" \
    "ldr r2, [r0]\n" \
    "ldr r12, [r0, #8]\n" \
    "ldr r3, [r0, #4]\n" \
    "ldr lr, [r0, #12]\n" \
    "pkhbt r2, r2, r12, lsl #16\n" \
    "pkhbt r3, r3, lr, lsl #16\n" \
    "ldr lr, [r1]\n" \
    "ldr r12, [r1, #4]\n" \
    "add r0, r0, #16\n" \
    "pkhbt lr, lr, r12, lsl #16\n" \
    "smlad r4, r2, lr, r4\n" \
    "smlad r5, r3, lr, r5\n" \
    "uxtb16 lr, lr\n" \
    "smlad r6, r2, lr, r6\n" \
    "smlad r7, r3, lr, r7\n" \
    "ldr lr, [r1], #8\n" \
    "pkhtb r12, r12, lr, asr #16\n" \
    "smlad r8, r2, r12, r8\n" \
    "smlad r9, r3, r12, r9\n" \
    "uxtb16 r12, r12\n" \
    "smlad r10, r2, r12, r10\n" \
    "smlad r11, r3, r12, r11\n" \
    "7:\n" \
    "bpl 8f\n" \
    ".endif\n" \
    "7:\n" \
    "ldr r2, [r0], #8\n" \
    "ldr lr, [r1], #4\n" \
    "ldr r3, [r0, #-4]\n" \
    "smlabb r4, r2, lr, r4\n" \
    "smlabt r8, r2, lr, r8\n" \
    "smlabb r5, r3, lr, r5\n" \
    "smlabt r9, r3, lr, r9\n" \
    "uxtb16 lr, lr\n" \
    "smlabb r6, r2, lr, r6\n" \
    "smlabb r7, r3, lr, r7\n" \
    "smlabt r10, r2, lr, r10\n" \
    "smlabt r11, r3, lr, r11\n" \
    ".if " RL_SMALL_TEXT "\n" \
    "subs r12, r12, #1\n" \
    "bne 7b\n" \
    ".endif\n" \
    "8:\n" \
    "ldr lr, [sp]\n" \
    "ldr r3, [sp, #12]\n" \
    "ldr r0, [sp, #8]\n" \
    "ldr r12, [lr, #68]\n" \
    "ldr r2, [lr, #56]\n" \
    "lsls r3, r3, #1\n" \
    "add r1, r1, r2\n" \
    "tst r12, r12\n" \
    "beq 4b\n" \
    "stm r12!, {r4-r11}\n" \
    "str r12, [lr, #68]\n" \
    "ldr r0, [lr, #36]\n" \
    "ldr r3, [lr, #44]\n" \
    "adds r0, r0, #4\n" \
    "b 5b\n"

// Aligned because a Cortex-M7 fetches eight bytes, so that 3 % of its time would depend on what lies before.
static __attribute__((naked, noinline, unused, aligned(8))) void
rl_dot_2x4_run(__attribute__((unused)) struct rl_dot_2x4 *job)
{
    __asm__(RL_DOT_2X4_BODY(RL_DOT_2X4_OUTPUTS("r4", "r5", "r6", "r7") RL_DOT_2X4_OUTPUTS("r8", "r9", "r10", "r11")));
}
// clang-format on

// See rl_dot_2x4_plain. The empty statements tell the compiler that the assembler uses memory through `job`.
static inline void rl_dot_2x4(struct rl_dot_2x4 *job)
{
    __asm__ volatile("" : : "r"(job) : "memory");
    rl_dot_2x4_run(job);
    __asm__ volatile("" : : "r"(job) : "memory");
}

#endif
