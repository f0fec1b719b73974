// SPDX-License-Identifier: Apache-2.0
// Three rows of expanded values times pairs of int8 filters. In assembler because the loop needs every core register,
// and compilers spill several in each round. dot_3x2_plain.h is the same in C and describes the form of the values.
//
// One load of values feeds two products for each of two filters, and a weight is expanded once for three rows: 8 loads,
// 4 SXTB16 and 12 SMLAD compute 24 products in 28 cycles on a Cortex-M4. Weights are loaded as single words, which may
// be unaligned. Nothing is read beyond the depth.
#ifndef RL_KERNELS_DSP_DOT_3X2_H
#define RL_KERNELS_DSP_DOT_3X2_H

#include "dsp/dot_3x2_plain.h"
#include "isa.h"

#include RL_SCHEDULE(dot_3x2)

__extension__ _Static_assert(offsetof(struct rl_dot_3x2, scale) == 24 && offsetof(struct rl_dot_3x2, limits) == 68 &&
                                 sizeof(struct rl_rescale) == 12,
                             "the assembler below uses these offsets");

// clang-format off
// r0 is the address of values, r1 and r2 those of filters; r4-r6 and r7-r9 are the sums of each filter, r3, r10-r12 and
// lr values and weights. The address is four bytes before the values. RL_SCHEDULE has the steps, whose instructions all
// have four bytes, because the loop is entered in its middle.

// Scales the sum in `sum` as rl_rescale does, and saturates it. Where the registers allow it, `s` makes two
// instructions short. They then set flags, which are not read.
#define RL_DOT_RESCALE(s1, s2, sum, multiplier, addend, shift) \
    "lsl" s1 " " sum ", " sum ", #1\n" \
    "smmlar r3, " sum ", " multiplier ", " addend "\n" \
    "add " sum ", r3, " sum ", asr #31\n" \
    "asr" s2 " " sum ", " sum ", " shift "\n" \
    "ssat " sum ", #8, " sum "\n"

// Clamps bytes to the limits in r8 and r9.
#define RL_DOT_3X2_LIMIT(bytes) \
    "ssub8 r7, " bytes ", r8\n" \
    "sel " bytes ", " bytes ", r8\n" \
    "ssub8 r7, r9, " bytes "\n" \
    "sel " bytes ", " bytes ", r9\n"

// Multiplies the last values, of which r3 has the number, one by one.
#define RL_DOT_3X2_LAST \
    "8:\n" \
    "ldrsb r10, [r1], #1\n" \
    "ldrsb r11, [r2], #1\n" \
    "ldr r12, [r0, #4]!\n" \
    "subs r3, r3, #1\n" \
    "mla r4, r12, r10, r4\n" \
    "mla r7, r12, r11, r7\n" \
    "ldr r12, [r0, #4]!\n" \
    "mla r5, r12, r10, r5\n" \
    "mla r8, r12, r11, r8\n" \
    "ldr r12, [r0, #4]!\n" \
    "mla r6, r12, r10, r6\n" \
    "mla r9, r12, r11, r9\n" \
    "bne 8b\n"

static __attribute__((naked, noinline)) void rl_dot_3x2_run(__attribute__((unused)) struct rl_dot_3x2 *job)
{
    // On the stack: 0 the job, 4 the end of the values in groups of four, less four bytes.
    __asm__("push {r4-r11, lr}\n"
            "sub sp, sp, #12\n"
            "mov lr, r0\n"
            "str lr, [sp]\n"
            "ldr r0, [lr, #64]\n"
            "ldr r1, [lr, #52]\n"
            "subs r0, r0, #4\n"
            "add r2, r1, r1, lsl #1\n"
            "add r2, r0, r2, lsl #3\n"
            "str r2, [sp, #4]\n"
            // The entry skips a step of code and 24 bytes of values for each group that is missing to a whole round.
            "rsbs r3, r1, #0\n"
            "and r10, r3, #(" RL_DOT_3X2_STEPS " - 1) - (" RL_DOT_3X2_STEPS " - 2) * " RL_SMALL_TEXT "\n"
            "add r3, r10, r10, lsl #1\n"
            "sub r0, r0, r3, lsl #3\n"
            "str r0, [lr]\n"
            "ldr r2, [lr, #20]\n"
            "cbnz r2, 1f\n"
            "movs r2, #" RL_DOT_3X2_BYTES "\n"
            "adr.w r3, 3f\n"
            "mla r2, r2, r10, r3\n"
            "adr.w r3, 4f\n"
            "cmp r1, #0\n"
            "it eq\n"
            "moveq r2, r3\n"
            "orr r2, r2, #1\n"
            "str r2, [lr, #20]\n"
            // A pair of filters.
            "1:\n"
            "ldm lr, {r0-r4, r12}\n"
            "mla r1, r2, r4, r1\n"
            "cbz r3, 2f\n"
            "add r3, r3, r4, lsl #2\n"
            "ldrd r4, r7, [r3]\n"
            "adds r2, r1, r2\n"
            "mov r5, r4\n"
            "mov r6, r4\n"
            "mov r8, r7\n"
            "mov r9, r7\n" RL_DOT_3X2_FIRST
            "bx r12\n"
            "2:\n"
            "ldr r3, [lr, #56]\n"
            "adds r2, r1, r2\n"
            "add r4, r4, r4, lsl #1\n"
            "add r3, r3, r4, lsl #2\n"
            "ldm r3, {r4-r9}\n" RL_DOT_3X2_FIRST
            "bx r12\n"
            // A round; of eight values in small code. Aligned, which aligns the section, because ADR counts from an
            // aligned address.
            ".p2align 2\n"
            "3:\n"
            ".if " RL_SMALL_TEXT "\n"
            RL_DOT_3X2_SMALL_ROUND
            RL_SIZE_CHECK("3b", RL_DOT_3X2_BYTES " * 2")
            RL_DOT_3X2_SMALL_COMPARE
            ".else\n"
            RL_DOT_3X2_ROUND
            RL_SIZE_CHECK("3b", RL_DOT_3X2_BYTES " * " RL_DOT_3X2_STEPS)
            RL_DOT_3X2_COMPARE
            ".endif\n"
            "bne 3b\n"
            "4:\n"
            "ldr lr, [sp]\n"
            "ldr r3, [lr, #24]\n"
            "cmp r3, #0\n"
            "beq 7f\n"
            "ldm r3!, {r0-r2, r10-r12}\n"
            "str r3, [lr, #24]\n"
            // Scaled outputs.
            "5:\n"
            RL_DOT_RESCALE("s", "s", "r4", "r0", "r1", "r2") RL_DOT_RESCALE("s", "", "r7", "r10", "r11", "r12")
            RL_DOT_RESCALE("s", "s", "r5", "r0", "r1", "r2") RL_DOT_RESCALE("", "", "r8", "r10", "r11", "r12")
            RL_DOT_RESCALE("s", "s", "r6", "r0", "r1", "r2") RL_DOT_RESCALE("", "", "r9", "r10", "r11", "r12")
            "bfi r4, r7, #8, #8\n"
            "ldr r7, [lr, #68]\n"
            "ldr r0, [lr, #36]\n"
            "ldr r1, [lr, #40]\n"
            "ldr r2, [lr, #44]\n"
            "ldr r3, [lr, #16]\n"
            "ldr r10, [lr, #48]\n"
            "bfi r5, r8, #8, #8\n"
            "bfi r6, r9, #8, #8\n"
            "cbnz r7, 12f\n"
            "11:\n"
            "strh r4, [r0, r3]\n"
            "strh r5, [r1, r3]\n"
            "strh r6, [r2, r3]\n"
            "6:\n"
            "adds r3, r3, #2\n"
            "str r3, [lr, #16]\n"
            "cmp r3, r10\n"
            "bne 1b\n"
            "add sp, sp, #12\n"
            "pop {r4-r11, pc}\n"
            // The outputs of two rows, then those of the third are clamped.
            "12:\n"
            "ldrd r8, r9, [r7]\n"
            "bfi r4, r5, #16, #16\n"
            RL_DOT_3X2_LIMIT("r4")
            RL_DOT_3X2_LIMIT("r6")
            "lsrs r5, r4, #16\n"
            "b 11b\n"
            // The last values, one by one; then sums that are kept.
            "7:\n"
            "ldr r3, [lr, #28]\n"
            "cbz r3, 9f\n"
            RL_DOT_3X2_LAST
            "9:\n"
            "ldr r0, [lr, #60]\n"
            "ldr r3, [lr, #16]\n"
            "ldr r10, [lr, #48]\n"
            "cbz r0, 10f\n"
            "add r11, r3, r3, lsl #1\n"
            "add r0, r0, r11, lsl #2\n"
            "stm r0, {r4-r9}\n"
            "b 6b\n"
            "10:\n"
            "ldr r3, [lr, #32]\n"
            "ldm r3!, {r0-r2, r10-r12}\n"
            "str r3, [lr, #32]\n"
            "b 5b\n");
}
// clang-format on

// See rl_dot_3x2_plain. The empty statements tell the compiler that the assembler uses memory through `job`.
static inline void rl_dot_3x2(struct rl_dot_3x2 *job)
{
    __asm__ volatile("" : : "r"(job) : "memory");
    rl_dot_3x2_run(job);
    __asm__ volatile("" : : "r"(job) : "memory");
}

// The same for all `channels` channels, whose number may be odd. Then the last outputs are computed in a pair with
// those before them. The last sums, and those of a single channel, are computed twice: there must be room for a pair.
static inline void rl_dot_3x2_channels(struct rl_dot_3x2 *job, int32_t channels)
{
    const int32_t even = channels & ~1;
    job->channel = 0;
    job->end = even;
    if (even > 0) {
        rl_dot_3x2(job);
    }
    if (even == channels) {
        return;
    }
    if (!job->sums && even > 0) {
        job->channel = even - 1;
        job->end = channels;
        job->scale = job->scale ? job->scale - 1 : NULL;
        job->rest_scale--;
        rl_dot_3x2(job);
        return;
    }
    // The second bias and the second scale may be anything, because the second sum is not used.
    const int8_t *const filter = job->filter;
    const ptrdiff_t step = job->filter_step;
    job->filter = filter + even * step;
    job->filter_step = 0;
    job->end = even + 2;
    rl_dot_3x2(job);
    job->filter = filter;
    job->filter_step = step;
}

#endif
