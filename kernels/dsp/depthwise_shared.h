// SPDX-License-Identifier: Apache-2.0
// Outputs of a depthwise convolution with a channel multiplier, four channels that share an input. Pairs of taps are
// multiplied at once: inputs are words of a plane of this input channel alone. In assembler because it needs every core
// register; depthwise_shared_plain.h is the same in C.
//
// A pair of taps, eight products, takes 10 cycles on a Cortex-M4, 1 more if its inputs are not a whole word.
#ifndef RL_KERNELS_DSP_DEPTHWISE_SHARED_H
#define RL_KERNELS_DSP_DEPTHWISE_SHARED_H

#include "dsp/depthwise_shared_plain.h"
#include "dsp/scale_four.h"
#include "isa.h"

__extension__ _Static_assert(offsetof(struct rl_depthwise_shared, bias) == 48 &&
                                 offsetof(struct rl_depthwise_shared, x) == 80 &&
                                 offsetof(struct rl_depthwise_shared, weights) == 92 &&
                                 offsetof(struct rl_depthwise_shared, entry) == 104 &&
                                 offsetof(struct rl_depthwise_shared, output_gap) == 120,
                             "the assembler below uses these offsets");

// clang-format off
// The pair of taps so many bytes from the end of a row, in RL_SHARED_PAIR bytes.
#define RL_SHARED_TAPS(at) \
    "ldr r11, [r0, #" at "]\n" \
    "ldr.w r3, [r1, #4]\n" \
    "ldr.w r8, [r1, #8]\n" \
    "ldr.w r9, [r1, #12]\n" \
    "ldr r2, [r1], #16\n" \
    "smlad r5, r11, r3, r5\n" \
    "smlad r6, r11, r8, r6\n" \
    "smlad r7, r11, r9, r7\n" \
    "smlad r4, r11, r2, r4\n"

// At an output r0 is the input, r1 the weights, r4-r7 sums, r10 the rows that are left, r12 the bytes from row to row,
// and lr rl_shared_entry.
static __attribute__((naked, noinline)) void
rl_shared_run(__attribute__((unused)) struct rl_depthwise_shared *job)
{
    __asm__("push {r4-r11, lr}\n"
            "push {r0}\n"
            "add r12, r0, #48\n"
            "ldr r0, [r0, #80]\n"
            "b 1f\n"
            ".p2align 2\n"
            // A row of taps.
            "23:\n"
            RL_SHARED_TAPS("-20")
            RL_SHARED_TAPS("-16")
            RL_SHARED_TAPS("-12")
            RL_SHARED_TAPS("-8")
            RL_SHARED_TAPS("-4")
            RL_SIZE_CHECK("23b", "5 * 36")
            // The next row.
            "add.w r0, r0, r12\n"
            "subs.w r10, r10, #1\n"
            "it ne\n"
            "24:\n"
            "addne pc, lr\n"
            RL_SIZE_CHECK("23b", "5 * 36 + 12")
            // Outputs.
            "ldr r12, [sp]\n"
            RL_SCALE_FOUR
            "ldr r2, [r12, #72 - 48]\n"
            "ldr r10, [r12, #76 - 48]\n"
            "ldr r11, [r12, #84 - 48]\n"
            "ldr r3, [r12, #88 - 48]\n"
            RL_LIMIT_FOUR
            "ldr r0, [r12, #80 - 48]\n"
            "str r4, [r2]\n"
            "add r2, r2, r10\n"
            "add r0, r0, r11\n"
            "str r2, [r12, #72 - 48]\n"
            "str r0, [r12, #80 - 48]\n"
            "cmp r0, r3\n"
            "beq 2f\n"
            // The next output, with the job's biases at r12.
            "1:\n"
            "ldm r12, {r4-r7}\n"
            "add r2, r12, #92 - 48\n"
            "ldm r2, {r1, r10, r12, lr}\n"
            RL_SIZE_CHECK("24b", "164")
            "subw r2, lr, #168\n" // clang does not compute it from labels
            "add pc, r2\n"
            // The next line.
            "2:\n"
            "ldr r1, [r12, #108 - 48]\n"
            "ldr r10, [r12, #112 - 48]\n"
            "ldr r11, [r12, #116 - 48]\n"
            "ldr r4, [r12, #120 - 48]\n"
            "subs r1, r1, #1\n"
            "beq 9f\n"
            "add r0, r0, r10\n"
            "add r3, r3, r11\n"
            "add r2, r2, r4\n"
            "str r1, [r12, #108 - 48]\n"
            "str r0, [r12, #80 - 48]\n"
            "str r3, [r12, #88 - 48]\n"
            "str r2, [r12, #72 - 48]\n"
            "b 1b\n"
            "9:\n"
            "pop {r0, r4-r11, pc}\n");
}
// clang-format on

// The empty statements tell the compiler that the assembler reads and writes memory through `job`.
static inline void rl_depthwise_shared(struct rl_depthwise_shared *job)
{
    __asm__ volatile("" : : "r"(job) : "memory");
    rl_shared_run(job);
    __asm__ volatile("" : : "r"(job) : "memory");
}

#endif
