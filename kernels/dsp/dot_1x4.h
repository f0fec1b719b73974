// SPDX-License-Identifier: Apache-2.0
// One int8 row with an offset times groups of four int8 filters, in assembler for the same reason as
// dot_3x2.h. In C:
//
//     for (; groups > 0; groups--, filter += 4 * depth, sums += 4) {
//         for (c = 0; c < 4; c++) {
//             sums[c] = start + sum_k (row[k] + offset) * filter[c * depth + k];
//         }
//     }
//
// Four values of each stream take 5 loads, 10 expansions and 8 SMLAD: 16 products in 25 cycles on a
// Cortex-M4, and three pointers and the depth reach all five streams. Loads are single words, which may be
// unaligned; nothing is read beyond `depth`.
#ifndef RL_KERNELS_DSP_DOT_1X4_H
#define RL_KERNELS_DSP_DOT_1X4_H

#include <stddef.h>
#include <stdint.h>

// The assembler knows the offsets of the fields.
struct rl_dot_1x4 {
    const int8_t *row;    // 0
    const int8_t *filter; // 4: of the first group
    int32_t depth;        // 8
    int32_t groups;       // 12: at least 1
    int32_t *sums;        // 16
    int32_t start;        // 20
    uint32_t offset;      // 24: twice, in both halves
};

_Static_assert(offsetof(struct rl_dot_1x4, depth) == 8 && offsetof(struct rl_dot_1x4, offset) == 24,
               "the assembler below uses these offsets");

// clang-format off
// r0 row, r1 and r3 the first and the last filter, r2 depth, r4-r7 sums, r8 offset, r9 and r10 even and odd
// values, the rest weights.
#define RL_DOT_1X4_FOUR \
    "ldr r9, [r0], #4\n" \
    "ldr r11, [r1, r2]\n" \
    "ldr r12, [r1, r2, lsl #1]\n" \
    "sxtab16 r10, r8, r9, ror #8\n" \
    "sxtb16 lr, r11\n" \
    "sxtab16 r9, r8, r9\n" \
    "sxtb16 r11, r11, ror #8\n" \
    "smlad r5, r9, lr, r5\n" \
    "sxtb16 lr, r12\n" \
    "smlad r5, r10, r11, r5\n" \
    "sxtb16 r12, r12, ror #8\n" \
    "smlad r6, r9, lr, r6\n" \
    "ldr r11, [r1], #4\n" \
    "ldr lr, [r3], #4\n" \
    "smlad r6, r10, r12, r6\n" \
    "sxtb16 r12, r11\n" \
    "sxtb16 r11, r11, ror #8\n" \
    "smlad r4, r9, r12, r4\n" \
    "sxtb16 r12, lr\n" \
    "smlad r4, r10, r11, r4\n" \
    "sxtb16 lr, lr, ror #8\n" \
    "smlad r7, r9, r12, r7\n" \
    "smlad r7, r10, lr, r7\n"

static __attribute__((naked, noinline)) void rl_dot_1x4_run(__attribute__((unused)) struct rl_dot_1x4 *job)
{
    __asm__("push {r4-r11, lr}\n"
            "sub sp, sp, #12\n"
            "str r0, [sp, #4]\n" // 0: end of the row's words, 4: job
            "mov lr, r0\n"
            "ldr r3, [lr, #4]\n"
            // Four filters; the last ended where the next group starts.
            "1:\n"
            "ldr r0, [lr]\n"
            "ldr r2, [lr, #8]\n"
            "ldr r4, [lr, #20]\n"
            "ldr r8, [lr, #24]\n"
            "mov r1, r3\n"
            "add r3, r3, r2\n"
            "add r3, r3, r2, lsl #1\n"
            "mov r5, r4\n"
            "mov r6, r4\n"
            "mov r7, r4\n"
            "bics r9, r2, #15\n"
            "beq 3f\n"
            "add r9, r9, r0\n"
            "str r9, [sp]\n"
            // Sixteen values.
            "2:\n" RL_DOT_1X4_FOUR RL_DOT_1X4_FOUR RL_DOT_1X4_FOUR RL_DOT_1X4_FOUR
            "ldr lr, [sp]\n"
            "cmp r0, lr\n"
            "bne 2b\n"
            // Four at a time while they last, then one by one.
            "3:\n"
            "ands r9, r2, #12\n"
            "beq 5f\n"
            "add r9, r9, r0\n"
            "str r9, [sp]\n"
            "4:\n" RL_DOT_1X4_FOUR
            "ldr lr, [sp]\n"
            "cmp r0, lr\n"
            "bne 4b\n"
            "5:\n"
            "ands lr, r2, #3\n"
            "beq 7f\n"
            "sxth r8, r8\n"
            "6:\n"
            "ldrsb r9, [r0], #1\n"
            "ldrsb r10, [r1, r2]\n"
            "ldrsb r11, [r1, r2, lsl #1]\n"
            "ldrsb r12, [r3], #1\n"
            "add r9, r9, r8\n"
            "mla r5, r9, r10, r5\n"
            "ldrsb r10, [r1], #1\n"
            "mla r6, r9, r11, r6\n"
            "mla r7, r9, r12, r7\n"
            "mla r4, r9, r10, r4\n"
            "subs lr, lr, #1\n"
            "bne 6b\n"
            "7:\n"
            "ldr lr, [sp, #4]\n"
            "ldr r8, [lr, #12]\n"
            "ldr r9, [lr, #16]\n"
            "subs r8, r8, #1\n"
            "stm r9!, {r4-r7}\n"
            "str r8, [lr, #12]\n"
            "str r9, [lr, #16]\n"
            "bne 1b\n"
            "add sp, sp, #12\n"
            "pop {r4-r11, pc}\n");
}
// clang-format on

// The empty statements tell the compiler that memory behind `job` is read and written.
static inline void rl_dot_1x4(struct rl_dot_1x4 *job)
{
    __asm__ volatile("" : : "r"(job) : "memory");
    rl_dot_1x4_run(job);
    __asm__ volatile("" : : "r"(job) : "memory");
}

#endif
