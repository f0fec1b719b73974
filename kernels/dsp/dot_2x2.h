// SPDX-License-Identifier: Apache-2.0
// Pairs of int8 rows times one pair of int8 filters, in assembler: the loop needs every core register, and
// compilers spill four of them in each round. What it computes, in C:
//
//     for (; row_pairs > 0; row_pairs--, row_0 += row_gap, row_1 += row_gap) {
//         for (c = 0; c < 2; c++) {
//             s[c]     = bias[c] + sum_k row_0[k] * filter_c[k];
//             s[2 + c] = bias[c] + sum_k row_1[k] * filter_c[k];      (then row_0 += depth, row_1 += depth)
//         }
//         if (sums != NULL) {
//             store s[0..3] at sums; sums += 4;
//         } else {
//             output[c] = ssat8(rl_rescale(scale[c], 2 * s[c])); output += output_stride; the same for s[2 +
//             c]; output += output_stride;
//         }
//     }
//
// Four values of each of the four streams take 4 loads, 8 SXTB16 and 8 SMLAD: 16 products in 22 cycles on a
// Cortex-M4. Loads are single words, which may be unaligned; nothing is read beyond `depth`.
#ifndef RL_KERNELS_DSP_DOT_2X2_H
#define RL_KERNELS_DSP_DOT_2X2_H

#include <stddef.h>
#include <stdint.h>

#include "elementwise/rescale.h"

// The assembler knows the offsets of the fields.
struct rl_dot_2x2 {
    const int8_t *row_0;            // 0
    const int8_t *row_1;            // 4
    int32_t row_pairs;              // 8: at least 1
    int32_t depth;                  // 12
    ptrdiff_t row_gap;              // 16: from the end of a row to the start of the next but one
    int32_t *sums;                  // 20: four per pair of rows
    const int8_t *filter_0;         // 24
    const int8_t *filter_1;         // 28
    int32_t bias[2];                // 32
    const struct rl_rescale *scale; // 40: two, side by side
    int8_t *output;                 // 44
    ptrdiff_t output_stride;        // 48
};

_Static_assert(offsetof(struct rl_dot_2x2, sums) == 20 && offsetof(struct rl_dot_2x2, output_stride) == 48 &&
                   sizeof(struct rl_rescale) == 12,
               "the assembler below uses these offsets");

// clang-format off
// r0-r3 row_0, row_1, filter_0, filter_1; r4-r7 the sums; r8, r9 and r10, r11 even and odd weights; r12, lr
// values. Neighbours are of different kinds, and the first three loads of a step are done in the step before
// where there is one, so that a Cortex-M7 issues two instructions at a time.
#define RL_DOT_LOAD \
    "ldr r8, [r2], #4\n" \
    "ldr r10, [r3], #4\n" \
    "ldr r12, [r0], #4\n"
#define RL_DOT_STEP(load_0, load_1, load_2) \
    "sxtb16 r9, r8, ror #8\n" \
    "sxtb16 lr, r12, ror #8\n" \
    "sxtb16 r11, r10, ror #8\n" \
    "smlad r4, r9, lr, r4\n" \
    "sxtb16 r8, r8\n" \
    "smlad r5, r11, lr, r5\n" \
    "sxtb16 r12, r12\n" \
    "ldr lr, [r1], #4\n" \
    "sxtb16 r10, r10\n" \
    "smlad r4, r8, r12, r4\n" \
    "smlad r5, r10, r12, r5\n" \
    "sxtb16 r12, lr, ror #8\n" \
    "sxtb16 lr, lr\n" \
    "smlad r6, r8, lr, r6\n" \
    "smlad r7, r10, lr, r7\n" load_0 load_1 /* r8 and r10 are free */ \
    "smlad r6, r9, r12, r6\n" \
    "smlad r7, r11, r12, r7\n" load_2
#define RL_DOT_NEXT RL_DOT_STEP("ldr r8, [r2], #4\n", "ldr r10, [r3], #4\n", "ldr r12, [r0], #4\n")
#define RL_DOT_LAST RL_DOT_STEP("", "", "")

// The last 0 to 15 values: four at a time while they last, then one by one.
#define RL_DOT_TAIL \
    "3:\n" \
    "ands r12, r9, #15\n" \
    "beq 6f\n" \
    "and r8, r9, #3\n" \
    "str r8, [sp, #8]\n" \
    "ands r12, r12, #12\n" \
    "beq 5f\n" \
    "add r12, r12, r0\n" \
    "str r12, [sp]\n" \
    "4:\n" RL_DOT_LOAD RL_DOT_LAST \
    "ldr r12, [sp]\n" \
    "cmp r0, r12\n" \
    "bne 4b\n" \
    "5:\n" \
    "ldr r12, [sp, #8]\n" \
    "ldr lr, [sp, #4]\n" \
    "b 8f\n" \
    "7:\n" \
    "ldrsb r8, [r0], #1\n" \
    "ldrsb r9, [r1], #1\n" \
    "ldrsb r10, [r2], #1\n" \
    "ldrsb r11, [r3], #1\n" \
    "mla r4, r8, r10, r4\n" \
    "mla r5, r8, r11, r5\n" \
    "mla r6, r9, r10, r6\n" \
    "mla r7, r9, r11, r7\n" \
    "8:\n" \
    "subs r12, r12, #1\n" \
    "bpl 7b\n"

// Stores the sums, or scales them: r2, r3, r8 are multiplier, addend and shift of channel 0, r9-r11 those of channel 1.
#define RL_DOT_STORE \
    "6:\n" \
    "ldr r12, [lr, #20]\n" \
    "cmp r12, #0\n" \
    "beq 9f\n" \
    "stm r12!, {r4-r7}\n" \
    "str r12, [lr, #20]\n" \
    "b 10f\n" \
    "9:\n" \
    "ldr r12, [lr, #40]\n" \
    "ldm r12, {r2, r3, r8-r11}\n" \
    "lsl r4, r4, #1\n" \
    "lsl r5, r5, #1\n" \
    "lsl r6, r6, #1\n" \
    "lsl r7, r7, #1\n" \
    "smmlar r12, r4, r2, r3\n" \
    "add r4, r12, r4, asr #31\n" \
    "smmlar r12, r5, r9, r10\n" \
    "add r5, r12, r5, asr #31\n" \
    "smmlar r12, r6, r2, r3\n" \
    "add r6, r12, r6, asr #31\n" \
    "smmlar r12, r7, r9, r10\n" \
    "add r7, r12, r7, asr #31\n" \
    "asr r4, r4, r8\n" \
    "asr r5, r5, r11\n" \
    "asr r6, r6, r8\n" \
    "asr r7, r7, r11\n" \
    "ldr r2, [lr, #44]\n" \
    "ldr r3, [lr, #48]\n" \
    "ssat r4, #8, r4\n" \
    "ssat r5, #8, r5\n" \
    "ssat r6, #8, r6\n" \
    "ssat r7, #8, r7\n" \
    "strb r5, [r2, #1]\n" \
    "strb r4, [r2]\n" \
    "add r2, r2, r3\n" \
    "strb r7, [r2, #1]\n" \
    "strb r6, [r2]\n" \
    "add r2, r2, r3\n" \
    "str r2, [lr, #44]\n"

static __attribute__((naked, noinline)) void rl_dot_2x2_run(__attribute__((unused)) struct rl_dot_2x2 *job)
{
    __asm__("push {r4-r11, lr}\n"
            "sub sp, sp, #12\n"
            "str r0, [sp, #4]\n" // 0: end of row_0, 4: job, 8: last values
            "mov lr, r0\n"
            "ldm lr, {r0, r1}\n"
            // One pair of rows.
            "1:\n"
            "ldr r9, [lr, #12]\n"
            "add r12, lr, #24\n"
            "ldm r12, {r2-r5}\n"
            "bics r8, r9, #15\n"
            "mov r6, r4\n"
            "mov r7, r5\n"
            "beq 3f\n"
            "add r8, r8, r0\n"
            "str r8, [sp]\n"
            // Sixteen values.
            "2:\n" RL_DOT_LOAD RL_DOT_NEXT RL_DOT_NEXT RL_DOT_NEXT RL_DOT_LAST //
            "ldr r8, [sp]\n"
            "cmp r0, r8\n"
            "bne 2b\n"
            "ldr lr, [sp, #4]\n"
            "ldr r9, [lr, #12]\n"
            RL_DOT_TAIL
            RL_DOT_STORE
            // The next rows.
            "10:\n"
            "ldr r8, [lr, #16]\n"
            "ldr r9, [lr, #8]\n"
            "add r0, r0, r8\n"
            "add r1, r1, r8\n"
            "subs r9, r9, #1\n"
            "str r9, [lr, #8]\n"
            "bne 1b\n"
            "stm lr, {r0, r1}\n"
            "add sp, sp, #12\n"
            "pop {r4-r11, pc}\n");
}

// clang-format on

// Advances the rows and the sums of `job`. The empty statements tell the compiler that memory behind it is
// read and written, which it cannot see in the assembler.
static inline void rl_dot_2x2(struct rl_dot_2x2 *job)
{
    __asm__ volatile("" : : "r"(job) : "memory");
    rl_dot_2x2_run(job);
    __asm__ volatile("" : : "r"(job) : "memory");
}

#endif
