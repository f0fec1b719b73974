// SPDX-License-Identifier: Apache-2.0
// One int8 row with an offset times groups of three int8 filters, in assembler for the same reason as
// dot_2x2.h. In C:
//
//     for (; groups > 0; groups--, filter += 2 * step + depth, sums += 3) {
//         for (c = 0; c < 3; c++) {
//             sums[c] = start + sum_k (row[k] + offset) * filter[c * step + k];
//         }
//     }
//
// Four values of each stream take 4 loads, 8 expansions and 6 SMLAD: 12 products in 20 cycles on a Cortex-M4.
// Loads are single words, which may be unaligned; nothing is read beyond `depth`.
#ifndef RL_KERNELS_DSP_DOT_1X3_H
#define RL_KERNELS_DSP_DOT_1X3_H

#include <stddef.h>
#include <stdint.h>

// The assembler knows the offsets of the fields.
struct rl_dot_1x3 {
    const int8_t *row;    // 0
    const int8_t *filter; // 4: of the first group
    ptrdiff_t step;       // 8: from one filter to the next; 0 repeats one
    int32_t depth;        // 12
    int32_t groups;       // 16: at least 1
    int32_t *sums;        // 20
    int32_t start;        // 24
    uint32_t offset;      // 28: twice, in both halves
};

_Static_assert(offsetof(struct rl_dot_1x3, depth) == 12 && offsetof(struct rl_dot_1x3, offset) == 28,
               "the assembler below uses these offsets");

// clang-format off
// r0 row, r1-r3 filters, r4-r6 sums, r7 offset, r8 and r9 even and odd values, the rest weights.
#define RL_DOT_1X3_FOUR         \
    "ldr r8, [r0], #4\n"        \
    "ldr r10, [r1], #4\n"       \
    "sxtab16 r9, r7, r8, ror #8\n" \
    "ldr r11, [r2], #4\n"       \
    "ldr r12, [r3], #4\n"       \
    "sxtab16 r8, r7, r8\n"      \
    "sxtb16 lr, r10\n"          \
    "sxtb16 r10, r10, ror #8\n" \
    "smlad r4, r8, lr, r4\n"    \
    "sxtb16 lr, r11\n"          \
    "smlad r4, r9, r10, r4\n"   \
    "sxtb16 r11, r11, ror #8\n" \
    "smlad r5, r8, lr, r5\n"    \
    "sxtb16 lr, r12\n"          \
    "smlad r5, r9, r11, r5\n"   \
    "sxtb16 r12, r12, ror #8\n" \
    "smlad r6, r8, lr, r6\n"    \
    "smlad r6, r9, r12, r6\n"

static __attribute__((naked, noinline)) void rl_dot_1x3_run(__attribute__((unused)) struct rl_dot_1x3 *job)
{
    __asm__("push {r4-r11, lr}\n"
            "sub sp, sp, #12\n"
            "str r0, [sp, #4]\n" // 0: end of the row's words, 4: job
            "mov lr, r0\n"
            "ldr r3, [lr, #4]\n"
            // Three filters.
            "1:\n"
            "ldr r0, [lr]\n"
            "ldr r9, [lr, #8]\n"
            "ldr r8, [lr, #12]\n"
            "ldr r4, [lr, #24]\n"
            "ldr r7, [lr, #28]\n"
            "mov r1, r3\n"
            "add r2, r1, r9\n"
            "add r3, r2, r9\n"
            "mov r5, r4\n"
            "mov r6, r4\n"
            "bics r9, r8, #15\n"
            "beq 3f\n"
            "add r9, r9, r0\n"
            "str r9, [sp]\n"
            // Sixteen values.
            "2:\n" RL_DOT_1X3_FOUR RL_DOT_1X3_FOUR RL_DOT_1X3_FOUR RL_DOT_1X3_FOUR
            "ldr lr, [sp]\n"
            "cmp r0, lr\n"
            "bne 2b\n"
            "ldr lr, [sp, #4]\n"
            "ldr r8, [lr, #12]\n"
            // Four at a time while they last, then one by one.
            "3:\n"
            "ands r9, r8, #12\n"
            "beq 5f\n"
            "add r9, r9, r0\n"
            "str r9, [sp]\n"
            "4:\n" RL_DOT_1X3_FOUR
            "ldr lr, [sp]\n"
            "cmp r0, lr\n"
            "bne 4b\n"
            "5:\n"
            "ldr lr, [sp, #4]\n"
            "ldr r8, [lr, #12]\n"
            "sxth r7, r7\n"
            "and r8, r8, #3\n"
            "b 7f\n"
            "6:\n"
            "ldrsb r9, [r0], #1\n"
            "ldrsb r10, [r1], #1\n"
            "ldrsb r11, [r2], #1\n"
            "ldrsb r12, [r3], #1\n"
            "add r9, r9, r7\n"
            "mla r4, r9, r10, r4\n"
            "mla r5, r9, r11, r5\n"
            "mla r6, r9, r12, r6\n"
            "7:\n"
            "subs r8, r8, #1\n"
            "bpl 6b\n"
            "ldr r9, [lr, #20]\n"
            "ldr r8, [lr, #16]\n"
            "stm r9!, {r4-r6}\n"
            "subs r8, r8, #1\n"
            "str r9, [lr, #20]\n"
            "str r8, [lr, #16]\n"
            "bne 1b\n"
            "add sp, sp, #12\n"
            "pop {r4-r11, pc}\n");
}
// clang-format on

// The empty statements tell the compiler that memory behind `job` is read and written.
static inline void rl_dot_1x3(struct rl_dot_1x3 *job)
{
    __asm__ volatile("" : : "r"(job) : "memory");
    rl_dot_1x3_run(job);
    __asm__ volatile("" : : "r"(job) : "memory");
}

#endif
