// SPDX-License-Identifier: Apache-2.0
// Expands bytes to the int16 that other loops multiply. expand_row_plain.h is the same in C and has the contracts.
#ifndef RL_KERNELS_DSP_EXPAND_ROW_H
#define RL_KERNELS_DSP_EXPAND_ROW_H

#include "dsp/expand_row_plain.h"
#include "isa.h"

// Serves dot_3x2.h. In assembler because compilers neither keep a load behind a store, where it takes one cycle instead
// of two on a Cortex-M4, nor let the stores alone advance the pointer.
// clang-format off
#define RL_EXPAND_FOUR \
    "ldr r12, [r0], #4\n" \
    "sxtab16 r4, r3, r12\n" \
    "sxtab16 r12, r3, r12, ror #8\n" \
    "str r4, [r2], #12\n" \
    "str r12, [r2], #12\n"

// Sixteen: the loads side by side, and the stores.
#define RL_EXPAND_SIXTEEN \
    "ldr r5, [r0, #4]\n" \
    "ldr r6, [r0, #8]\n" \
    "ldr r7, [r0, #12]\n" \
    "ldr r4, [r0], #16\n" \
    "sxtab16 r12, r3, r5\n" \
    "str r12, [r2, #24]\n" \
    "sxtab16 r12, r3, r6\n" \
    "str r12, [r2, #48]\n" \
    "sxtab16 r12, r3, r7\n" \
    "str r12, [r2, #72]\n" \
    "sxtab16 r5, r3, r5, ror #8\n" \
    "str r5, [r2, #36]\n" \
    "sxtab16 r6, r3, r6, ror #8\n" \
    "str r6, [r2, #60]\n" \
    "sxtab16 r7, r3, r7, ror #8\n" \
    "str r7, [r2, #84]\n" \
    "sxtab16 r12, r3, r4, ror #8\n" \
    "str r12, [r2, #12]\n" \
    "sxtab16 r4, r3, r4\n" \
    "str r4, [r2], #96\n"

static __attribute__((naked, noinline)) uint32_t *rl_expand_run_asm(__attribute__((unused)) const int8_t *from,
                                                                    __attribute__((unused)) int32_t count,
                                                                    __attribute__((unused)) uint32_t *values,
                                                                    __attribute__((unused)) uint32_t offsets)
{
    __asm__("push {r4}\n"
            ".if " RL_SMALL_TEXT "\n"
            "subs r1, r1, #4\n"
            ".else\n"
            "subs r1, r1, #16\n"
            "blt 2f\n"
            "push {r5-r7}\n"
            "1:\n" RL_EXPAND_SIXTEEN
            "subs r1, r1, #16\n"
            "bge 1b\n"
            "pop {r5-r7}\n"
            "2:\n"
            "adds r1, r1, #12\n"
            ".endif\n"
            "blt 4f\n"
            "3:\n" RL_EXPAND_FOUR
            "subs r1, r1, #4\n"
            "bge 3b\n"
            "4:\n"
            "adds r1, r1, #4\n"
            "beq 6f\n"
            "5:\n"
            "ldrsb r4, [r0], #1\n"
            "subs r1, r1, #1\n"
            "sxtah r4, r4, r3\n"
            "str r4, [r2], #12\n"
            "bne 5b\n"
            "6:\n"
            "pop {r4}\n"
            "mov r0, r2\n"
            "bx lr\n");
}
// clang-format on

// The empty statements tell the compiler that memory is read and written.
static inline uint32_t *rl_expand_run(const int8_t *from, int32_t count, uint32_t *values, uint32_t offsets)
{
    __asm__ volatile("" : : "r"(from), "r"(values) : "memory");
    uint32_t *next = rl_expand_run_asm(from, count, values, offsets);
    __asm__ volatile("" : : "r"(values) : "memory");
    return next;
}

// Serves dot_2x4.h. In assembler because compilers keep neither the loads nor the stores together.
// clang-format off
#define RL_EXPAND_FOUR_OF_BOTH \
    "ldr r5, [r0], #4\n" \
    "ldr r7, [r1], #4\n" \
    RL_EXPAND_BOTH("r5", "r7", "16", "-12", "-8", "-4")

// The words `first` and `second` of both rows, which go to the values, behind which their pointer is moved at once.
#define RL_EXPAND_BOTH(first, second, moved, at_1, at_2, at_3) \
    "sxtb16 r4, " first "\n" \
    "sxtb16 r6, " second "\n" \
    "sxtb16 " first ", " first ", ror #8\n" \
    "smlad r8, r4, lr, r8\n" \
    "str r4, [r3], #" moved "\n" \
    "sxtb16 " second ", " second ", ror #8\n" \
    "smlad r9, r6, lr, r9\n" \
    "str r6, [r3, #" at_1 "]\n" \
    "smlad r8, " first ", lr, r8\n" \
    "str " first ", [r3, #" at_2 "]\n" \
    "smlad r9, " second ", lr, r9\n" \
    "str " second ", [r3, #" at_3 "]\n"

// With four loads side by side.
#define RL_EXPAND_EIGHT_OF_BOTH \
    "ldr r10, [r0, #4]\n" \
    "ldr r11, [r1, #4]\n" \
    "ldr r5, [r0], #8\n" \
    "ldr r7, [r1], #8\n" \
    RL_EXPAND_BOTH("r5", "r7", "16", "-12", "-8", "-4") \
    RL_EXPAND_BOTH("r10", "r11", "16", "-12", "-8", "-4")

static __attribute__((naked, noinline)) uint32_t *
rl_expand_two_rows_asm(__attribute__((unused)) const int8_t *first, __attribute__((unused)) const int8_t *second,
                       __attribute__((unused)) int32_t count, __attribute__((unused)) uint32_t *values,
                       __attribute__((unused)) int32_t starts[2])
{
    __asm__("push {r4-r12, lr}\n"
            "ldr r12, [sp, #40]\n"
            "mvn lr, #0x007f007f\n"
            "ldrd r8, r9, [r12]\n"
            ".if " RL_SMALL_TEXT "\n"
            "subs r2, r2, #4\n"
            ".else\n"
            "subs r2, r2, #16\n"
            "blt 2f\n"
            "1:\n" RL_EXPAND_EIGHT_OF_BOTH RL_EXPAND_EIGHT_OF_BOTH
            "subs r2, r2, #16\n"
            "bge 1b\n"
            "2:\n"
            "adds r2, r2, #12\n"
            ".endif\n"
            "blt 4f\n"
            "3:\n" RL_EXPAND_FOUR_OF_BOTH
            "subs r2, r2, #4\n"
            "bge 3b\n"
            "4:\n"
            "adds r2, r2, #4\n"
            "beq 6f\n"
            "5:\n"
            "ldrsb r4, [r0], #1\n"
            "ldrsb r6, [r1], #1\n"
            "str r4, [r3], #4\n"
            "str r6, [r3], #4\n"
            "sub r8, r8, r4, lsl #7\n"
            "sub r9, r9, r6, lsl #7\n"
            "subs r2, r2, #1\n"
            "bne 5b\n"
            "6:\n"
            "mov r0, r3\n"
            "strd r8, r9, [r12]\n"
            "pop {r4-r12, pc}\n");
}
// clang-format on

// The empty statements tell the compiler that memory is read and written.
static inline uint32_t *rl_expand_two_rows(const int8_t *first, const int8_t *second, int32_t count, uint32_t *values,
                                           int32_t starts[2])
{
    __asm__ volatile("" : : "r"(first), "r"(second), "r"(values), "r"(starts) : "memory");
    uint32_t *next = rl_expand_two_rows_asm(first, second, count, values, starts);
    __asm__ volatile("" : : "r"(values), "r"(starts) : "memory");
    return next;
}

// In assembler because compilers do not store two words at once.
static inline uint32_t *rl_expand_rounds(const int8_t *row, int32_t rounds, uint32_t offsets, uint32_t *words)
{
    __asm__ volatile("1: ldr r4, [%[row]], #4\n"
                     ".if !" RL_SMALL_TEXT "\n"
                     "ldr r6, [%[row]], #4\n"
                     "ldr r8, [%[row]], #4\n"
                     ".endif\n"
                     "ldr r5, [%[row]], #4\n"
                     "sxtab16 r12, %[offsets], r4\n"
                     "sxtab16 r4, %[offsets], r4, ror #8\n"
                     "strd r12, r4, [%[words]], #8\n"
                     ".if !" RL_SMALL_TEXT "\n"
                     "sxtab16 r12, %[offsets], r6\n"
                     "sxtab16 r6, %[offsets], r6, ror #8\n"
                     "strd r12, r6, [%[words]], #8\n"
                     "sxtab16 r12, %[offsets], r8\n"
                     "sxtab16 r8, %[offsets], r8, ror #8\n"
                     "strd r12, r8, [%[words]], #8\n"
                     ".endif\n"
                     "sxtab16 r12, %[offsets], r5\n"
                     "sxtab16 r5, %[offsets], r5, ror #8\n"
                     "subs %[rounds], %[rounds], #1\n"
                     "strd r12, r5, [%[words]], #8\n"
                     "bne 1b"
                     : [row] "+&r"(row), [rounds] "+&r"(rounds), [words] "+&r"(words)
                     : [offsets] "r"(offsets)
                     : "r4", "r5", "r6", "r8", "r12", "cc", "memory");
    return words;
}

// In assembler so that one index serves both lines and counts up to 0, and so that stores advance their pointer.
static inline uint32_t *rl_expand_two_lines(const int8_t *upper, const int8_t *lower, ptrdiff_t bytes, ptrdiff_t step,
                                            uint32_t offsets, uint32_t *to)
{
    ptrdiff_t index = -bytes;
    uint32_t even_1, odd_1, even_2, odd_2, pair;
    if (bytes == 0) {
        return to;
    }
    __asm__ volatile("1:\n"
                     "ldr %[odd_1], [%[upper], %[index]]\n"
                     "ldr %[odd_2], [%[lower], %[index]]\n"
                     "adds %[index], %[index], %[step]\n"
                     "sxtab16 %[even_1], %[offsets], %[odd_1]\n"
                     "sxtab16 %[even_2], %[offsets], %[odd_2]\n"
                     "sxtab16 %[odd_1], %[offsets], %[odd_1], ror #8\n"
                     "sxtab16 %[odd_2], %[offsets], %[odd_2], ror #8\n"
                     "pkhbt %[pair], %[even_1], %[even_2], lsl #16\n"
                     "str %[pair], [%[to]], #4\n"
                     "pkhbt %[pair], %[odd_1], %[odd_2], lsl #16\n"
                     "str %[pair], [%[to]], #4\n"
                     "pkhtb %[pair], %[even_2], %[even_1], asr #16\n"
                     "str %[pair], [%[to]], #4\n"
                     "pkhtb %[pair], %[odd_2], %[odd_1], asr #16\n"
                     "str %[pair], [%[to]], #4\n"
                     "bne 1b\n"
                     : [index] "+r"(index), [to] "+r"(to), [even_1] "=&r"(even_1), [odd_1] "=&r"(odd_1),
                       [even_2] "=&r"(even_2), [odd_2] "=&r"(odd_2), [pair] "=&r"(pair)
                     : [upper] "r"(upper + bytes), [lower] "r"(lower + bytes), [step] "r"(step), [offsets] "r"(offsets)
                     : "cc", "memory");
    return to;
}

#endif
