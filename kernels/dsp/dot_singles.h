// SPDX-License-Identifier: Apache-2.0
// A row times short filters, one at a time, with scaled outputs. In assembler because compilers spill what the loop of
// channels needs. dot_singles_plain.h is the same in C.
//
// It prepares nothing and keeps no structure of its own, so that a layer of few products takes little longer than them.
// Eight products take 22 cycles on a Cortex-M4, a channel 33 more.
#ifndef RL_KERNELS_DSP_DOT_SINGLES_H
#define RL_KERNELS_DSP_DOT_SINGLES_H

#include "dsp/dot_singles_plain.h"

__extension__ _Static_assert(
    offsetof(struct rl_fully_connected, depth) == 4 && offsetof(struct rl_fully_connected, channels) == 8 &&
        offsetof(struct rl_fully_connected, weights) == 12 && offsetof(struct rl_fully_connected, range) == 48 &&
        offsetof(struct rl_fully_connected, base) == 60 && offsetof(struct rl_fully_connected, base_offset) == 64 &&
        offsetof(struct rl_fully_connected, rescale) == 68 && offsetof(struct rl_rescale, addend) == 4 &&
        offsetof(struct rl_rescale, right_shift) == 8,
    "the assembler below uses these offsets");

// clang-format off
#define RL_DOT_SINGLE_LOAD \
    "ldr r5, [r1], #4\n" \
    "ldr r6, [r2], #4\n"

#define RL_DOT_SINGLE_MULTIPLY \
    "sxtab16 r8, r3, r5\n" \
    "sxtb16 r10, r6\n" \
    "sxtab16 r5, r3, r5, ror #8\n" \
    "smlad r4, r8, r10, r4\n" \
    "sxtb16 r6, r6, ror #8\n" \
    "smlad r4, r5, r6, r4\n"

// r0 is the layer, r1 the row, r2 the filter, r3 the offset twice, r4 the sum, r7 the base or 0, r9 counts products, r11
// is the output, r12 counts channels, lr is the constant. The row is also at the top of the stack.
static __attribute__((naked, noinline)) void rl_dot_singles_run(
    __attribute__((unused)) const struct rl_fully_connected *f, __attribute__((unused)) const int8_t *input,
    __attribute__((unused)) int8_t *output, __attribute__((unused)) int32_t constant)
{
    __asm__("push {r1, r4-r11, lr}\n"
            "ldr r7, [r0, #60]\n"
            "ldrh r5, [r0, #64]\n"
            "mov r11, r2\n"
            "mov lr, r3\n"
            "ldr r2, [r0, #12]\n"
            "ldr r12, [r0, #8]\n"
            "orr r3, r5, r5, lsl #16\n"
            // One channel.
            "1:\n"
            "ldr r9, [r0, #4]\n"
            "ldr r1, [sp]\n"
            "mov r4, lr\n"
            "cbz r7, 0f\n"
            "ldr r5, [r7], #4\n"
            "add r4, r4, r5\n"
            "0:\n"
            "subs r9, r9, #8\n"
            "blt 3f\n"
            "2:\n" RL_DOT_SINGLE_LOAD
            "subs r9, r9, #8\n" RL_DOT_SINGLE_MULTIPLY RL_DOT_SINGLE_LOAD RL_DOT_SINGLE_MULTIPLY
            "bge 2b\n"
            "3:\n"
            "adds r9, r9, #8\n"
            "beq 6f\n"
            "cmp r9, #4\n"
            "blt 5f\n" RL_DOT_SINGLE_LOAD RL_DOT_SINGLE_MULTIPLY
            "subs r9, r9, #4\n"
            "beq 6f\n"
            "5:\n"
            "ldrsb r5, [r1], #1\n"
            "ldrsb r6, [r2], #1\n"
            "subs r9, r9, #1\n"
            "sxtah r5, r5, r3\n"
            "mla r4, r5, r6, r4\n"
            "bne 5b\n"
            "6:\n"
            "qadd r4, r4, r4\n"
            "ldr r6, [r0, #68]\n"
            "ldr r10, [r0, #72]\n"
            "ldr r8, [r0, #76]\n"
            "ldr r5, [r0, #48]\n"
            "ldr r9, [r0, #52]\n"
            "smmlar r6, r4, r6, r10\n"
            "add r4, r6, r4, asr #31\n"
            "asr r4, r4, r8\n"
            "cmp r4, r5\n"
            "it lt\n"
            "movlt r4, r5\n"
            "cmp r4, r9\n"
            "it gt\n"
            "movgt r4, r9\n"
            "strb r4, [r11], #1\n"
            "subs r12, r12, #1\n"
            "bne 1b\n"
            "pop {r1, r4-r11, pc}\n");
}
// clang-format on

// The empty statements tell the compiler that the assembler reads and writes memory.
static inline void rl_dot_singles(const struct rl_fully_connected *f, const int8_t *input, int8_t *output,
                                  int32_t constant)
{
    __asm__ volatile("" : : "r"(f), "r"(input), "r"(output) : "memory");
    rl_dot_singles_run(f, input, output, constant);
    __asm__ volatile("" : : "r"(f), "r"(input), "r"(output) : "memory");
}

#endif
