// SPDX-License-Identifier: Apache-2.0
// A row times short filters, one at a time, with scaled outputs. In assembler because compilers spill what the loop of
// channels needs. dot_singles_plain.h is the same in C.
//
// It prepares nothing and keeps no structure of its own, so that a layer of few products takes little longer than them.
// Eight products take 22 cycles on a Cortex-M4, a channel 33 more.
#ifndef RL_KERNELS_DSP_DOT_SINGLES_H
#define RL_KERNELS_DSP_DOT_SINGLES_H

#include "dsp/dot_singles_plain.h"
#include RL_SCHEDULE(dot_singles)

__extension__ _Static_assert(
    offsetof(struct rl_fully_connected, depth) == 4 && offsetof(struct rl_fully_connected, channels) == 8 &&
        offsetof(struct rl_fully_connected, weights) == 12 && offsetof(struct rl_fully_connected, scales) == 20 &&
        offsetof(struct rl_fully_connected, weight_offset) == 40 &&
        offsetof(struct rl_fully_connected, output_offset) == 44 && offsetof(struct rl_fully_connected, range) == 48 &&
        offsetof(struct rl_fully_connected, base) == 60 && offsetof(struct rl_fully_connected, base_offset) == 64 &&
        offsetof(struct rl_fully_connected, rescale) == 68 && offsetof(struct rl_rescale, addend) == 4 &&
        offsetof(struct rl_rescale, right_shift) == 8,
    "the assembler below uses these offsets");

// clang-format off
#define RL_DOT_SINGLE_WEIGHTS(to, from) "sxtb16 " to ", " from "\n"
#define RL_DOT_SINGLE_NO_OFFSET(weight) ""
#define RL_DOT_SINGLE_OFFSET(weight) "sxtah " weight ", " weight ", lr\n"
#define RL_DOT_SINGLE_OFFSET_WEIGHTS(to, from) "sxtab16 " to ", lr, " from "\n"

// The channels, from where registers are set on. r0 is the layer, r1 the row, r2 the filter, r3 the offset twice, r4 the
// sum, r7 the base or 0, r9 counts products, r11 is the output, r12 counts channels. `load` loads the row and the
// constant, `restore` r0 after products that used it, OFFSET adds the offset of a weight, `own` leaves for the
// channel's scale.
#define RL_DOT_SINGLES_LOOP(load, WEIGHTS, spare, restore, OFFSET, own) \
    "1:\n" \
    "ldr r9, [r0, #4]\n" load \
    "cbz r7, 0f\n" \
    "ldr r5, [r7], #4\n" \
    "add r4, r4, r5\n" \
    "0:\n" \
    "subs r9, r9, #8\n" \
    "blt 3f\n" \
    "2:\n" RL_DOT_SINGLE_EIGHT(WEIGHTS, spare) \
    "bge 2b\n" restore \
    "3:\n" \
    "adds r9, r9, #8\n" \
    "beq 6f\n" \
    "cmp r9, #4\n" \
    "blt 5f\n" RL_DOT_SINGLE_FOUR(WEIGHTS) \
    "beq 6f\n" \
    "5:\n" \
    "lsls r9, r9, #31\n" \
    "bcc 4f\n" \
    "ldrsb r5, [r1], #1\n" \
    "ldrsb r6, [r2], #1\n" \
    "ldrsb r8, [r1], #1\n" \
    "ldrsb r10, [r2], #1\n" \
    "sxtah r5, r5, r3\n" OFFSET("r6") \
    "sxtah r8, r8, r3\n" OFFSET("r10") \
    "mla r4, r5, r6, r4\n" \
    "mla r4, r8, r10, r4\n" \
    "4:\n" \
    "beq 6f\n" \
    "ldrsb r5, [r1], #1\n" \
    "ldrsb r6, [r2], #1\n" \
    "sxtah r5, r5, r3\n" OFFSET("r6") \
    "mla r4, r5, r6, r4\n" \
    "6:\n" \
    "qadd r4, r4, r4\n" \
    "ldr r6, [r0, #68]\n" \
    "ldr r10, [r0, #72]\n" \
    "ldr r8, [r0, #76]\n" own \
    "7:\n" \
    "ldr r5, [r0, #48]\n" \
    "ldr r9, [r0, #52]\n" \
    "smmlar r6, r4, r6, r10\n" \
    "add r4, r6, r4, asr #31\n" \
    "asr r4, r4, r8\n" \
    "cmp r4, r5\n" \
    "it lt\n" \
    "movlt r4, r5\n" \
    "cmp r4, r9\n" \
    "it gt\n" \
    "movgt r4, r9\n" \
    "strb r4, [r11], #1\n" \
    "subs r12, r12, #1\n" \
    "bne 1b\n"

// One scale, and no offset of the weights. The top of the stack holds the row and the constant.
static __attribute__((naked, noinline)) void rl_dot_singles_run(
    __attribute__((unused)) const struct rl_fully_connected *f, __attribute__((unused)) const int8_t *input,
    __attribute__((unused)) int8_t *output, __attribute__((unused)) int32_t constant)
{
    __asm__("push {r1, r3-r11, lr}\n"
            "ldr r7, [r0, #60]\n"
            "ldrh r5, [r0, #64]\n"
            "ldr r12, [r0, #8]\n"
            "mov r11, r2\n"
            "ldr r2, [r0, #12]\n"
            "orr r3, r5, r5, lsl #16\n" //
            RL_DOT_SINGLES_LOOP("ldr r1, [sp]\n ldr r4, [sp, #4]\n", RL_DOT_SINGLE_WEIGHTS, "lr", "", RL_DOT_SINGLE_NO_OFFSET, "")
            "pop {r1, r3-r11, pc}\n");
}

// With scales of the channels or one, and an offset of the weights, which lr holds twice. The top of the stack holds the
// layer, the row and the constant.
static __attribute__((naked, noinline)) void rl_dot_singles_run_any(
    __attribute__((unused)) const struct rl_fully_connected *f, __attribute__((unused)) const int8_t *input,
    __attribute__((unused)) int8_t *output, __attribute__((unused)) int32_t constant)
{
    __asm__("push {r0, r1, r3-r11, lr}\n"
            "ldrh r5, [r0, #64]\n"
            "ldrh r4, [r0, #40]\n"
            "ldr r7, [r0, #60]\n"
            "ldr r12, [r0, #8]\n"
            "mov r11, r2\n"
            "ldr r2, [r0, #12]\n"
            "orr r3, r5, r5, lsl #16\n"
            "orr lr, r4, r4, lsl #16\n" //
            RL_DOT_SINGLES_LOOP("ldr r1, [sp, #4]\n ldr r4, [sp, #8]\n", RL_DOT_SINGLE_OFFSET_WEIGHTS, "r0",
                                "ldr r0, [sp]\n", RL_DOT_SINGLE_OFFSET, "ldr r5, [r0, #20]\n cbnz r5, 8f\n")
            "pop {r0, r1, r3-r11, pc}\n"
            // The channel's own scale, and its addend from rl_rescale_of.
            "8:\n"
            "ldr r10, [r0, #8]\n"
            "ldr r8, [r0, #24]\n"
            "ldr r9, [r0, #44]\n"
            "sub r10, r10, r12\n"
            "ldr r6, [r5, r10, lsl #2]\n"
            "ldr r8, [r8, r10, lsl #2]\n"
            "lsl r9, r9, #1\n"
            "add r9, r9, #1\n"
            "mvn r10, r8\n"
            "rsb r8, r8, #0\n"
            "lsl r10, r9, r10\n"
            "b 7b\n");
}
// clang-format on

// The last statement of a function that is not inlined, for layers with one scale and no offset of the weights. Nothing
// follows, so that the call can be a jump; the empty statement tells the compiler that the function reads and writes
// memory.
static inline void rl_dot_singles_last(const struct rl_fully_connected *f, const int8_t *input, int8_t *output)
{
    __asm__ volatile("" : : : "memory");
    rl_dot_singles_run(f, input, output, 0);
}

// The empty statements tell the compiler that the assembler reads and writes memory.
static inline void rl_dot_singles(const struct rl_fully_connected *f, const int8_t *input, int8_t *output,
                                  int32_t constant)
{
    __asm__ volatile("" : : "r"(f), "r"(input), "r"(output) : "memory");
    if (!f->scales.multiplier && f->weight_offset == 0) {
        rl_dot_singles_run(f, input, output, constant);
    } else {
        rl_dot_singles_run_any(f, input, output, constant);
    }
    __asm__ volatile("" : : : "memory");
}

#endif
