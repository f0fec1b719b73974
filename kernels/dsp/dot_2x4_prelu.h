// SPDX-License-Identifier: Apache-2.0
// dot_2x4.h with a PReLU behind: outputs are scaled by the sign of their sum. `job->scale` points to channels of the
// form below.
#ifndef RL_KERNELS_DSP_DOT_2X4_PRELU_H
#define RL_KERNELS_DSP_DOT_2X4_PRELU_H

#include "dsp/dot_2x4.h"

// How the sums of a channel become outputs, as in convolution/scale_prelu.h.
struct rl_prelu_channel {
    int32_t bias, positive, negative, addend, right_shift;
};

__extension__ _Static_assert(sizeof(struct rl_prelu_channel) == 20, "the assembler below reads five words");

// clang-format off
// Scales the sums of a channel, one for each row, and saturates them. The channel is in r1 to r3, r12 and lr. `before`
// is what is shifted out of the sums first.
#define RL_DOT_2X4_PRELU_CHANNEL(sum_0, sum_1, before) \
    "ldm r0!, {r1-r3, r12, lr}\n" \
    "adds " sum_0 ", r1, " sum_0 before "\n" \
    "ite pl\n" \
    "smmlarpl " sum_0 ", " sum_0 ", r2, r12\n" \
    "smmlarmi " sum_0 ", " sum_0 ", r3, r12\n" \
    "adds " sum_1 ", r1, " sum_1 before "\n" \
    "ite pl\n" \
    "smmlarpl " sum_1 ", " sum_1 ", r2, r12\n" \
    "smmlarmi " sum_1 ", " sum_1 ", r3, r12\n" \
    "asr " sum_0 ", " sum_0 ", lr\n" \
    "asr " sum_1 ", " sum_1 ", lr\n" \
    "ssat " sum_0 ", #8, " sum_0 "\n" \
    "ssat " sum_1 ", #8, " sum_1 "\n"

// The outputs of two filters from their sums.
#define RL_DOT_2X4_PRELU(both_0, both_1, first_0, first_1) \
    "sub " both_0 ", " both_0 ", " first_0 "\n" \
    "sub " both_1 ", " both_1 ", " first_1 "\n" \
    RL_DOT_2X4_PRELU_CHANNEL(first_0, first_1, "") \
    RL_DOT_2X4_PRELU_CHANNEL(both_0, both_1, ", asr #8") \
    "bfi " first_0 ", " both_0 ", #8, #8\n" \
    "bfi " first_1 ", " both_1 ", #8, #8\n"

// A channel takes a register more than rl_dot_2x4_run has for one. Afterwards the carry says again whether there are
// limits.
#define RL_DOT_2X4_PRELU_START "push {r1}\n"
#define RL_DOT_2X4_PRELU_END \
    "pop {r1}\n" \
    "ldr r2, [sp, #12]\n" \
    "lsls r2, r2, #1\n"

static __attribute__((naked, noinline, aligned(8))) void
rl_dot_2x4_prelu_run(__attribute__((unused)) struct rl_dot_2x4 *job)
{
    __asm__(RL_DOT_2X4_BODY(RL_DOT_2X4_PRELU_START RL_DOT_2X4_PRELU("r4", "r5", "r6", "r7")
                                RL_DOT_2X4_PRELU("r8", "r9", "r10", "r11") RL_DOT_2X4_PRELU_END));
}
// clang-format on

// The empty statements tell the compiler that the assembler uses memory through `job`.
static inline void rl_dot_2x4_prelu(struct rl_dot_2x4 *job)
{
    __asm__ volatile("" : : "r"(job) : "memory");
    rl_dot_2x4_prelu_run(job);
    __asm__ volatile("" : : "r"(job) : "memory");
}

#endif
