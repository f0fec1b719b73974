// SPDX-License-Identifier: Apache-2.0
// rl_depthwise_channels in assembler for a Cortex-M3, because compilers spill around its loops.
// depthwise_channels_plain.h is the same in C. Included by scalar/depthwise_channels.h.
#ifndef RL_KERNELS_SCALAR_DEPTHWISE_CHANNELS_THUMB_H
#define RL_KERNELS_SCALAR_DEPTHWISE_CHANNELS_THUMB_H

#if RL_HAS_THUMB2_LOOP

__extension__ _Static_assert(offsetof(struct rl_depthwise_channels, rows) == 32 &&
                                 offsetof(struct rl_depthwise_channels, high) == 64,
                             "the assembler below uses these offsets");

// Two channels of a tap. Loads right after loads are cheap on a Cortex-M3. r0 and r1 are input and weights, r12 is the
// input offset.
#define RL_DEPTHWISE_TWO(at, sum_0, sum_1)                                                                             \
    "ldrsb r8, [r0, #" #at "]\n"                                                                                       \
    "ldrsb r9, [r0, #" #at " + 1]\n"                                                                                   \
    "ldrsb r10, [r1, #" #at "]\n"                                                                                      \
    "ldrsb r11, [r1, #" #at " + 1]\n"                                                                                  \
    "add r8, r8, r12\n"                                                                                                \
    "add r9, r9, r12\n"                                                                                                \
    "mla " sum_0 ", r8, r10, " sum_0 "\n"                                                                              \
    "mla " sum_1 ", r9, r11, " sum_1 "\n"

// clang-format off
// Scales a sum whose multiplier is in r8, and whose shift, below 0, in r9. r2 is the rounding.
#define RL_DEPTHWISE_RIGHT(sum) \
    "lsls " sum ", " sum ", #1\n" \
    "mvn r10, r9\n" \
    "lsl r10, r2, r10\n" \
    "rsb r9, r9, #0\n" \
    "smull r11, r12, " sum ", r8\n" \
    "add " sum ", r10, " sum ", asr #31\n" \
    "add " sum ", " sum ", r12\n" \
    "add " sum ", " sum ", r11, lsr #31\n" \
    "asr " sum ", " sum ", r9\n"

// r0 is the address of a multiplier, r1 of a shift.
#define RL_DEPTHWISE_SCALED(at, sum) \
    "ldr r8, [r0, #" #at "]\n" \
    "ldr r9, [r1, #" #at "]\n" \
    RL_DEPTHWISE_RIGHT(sum)

// The same for any shift of -22 or more. The rounding half of the product is exact, as the sum may be shifted left to
// any value; half the rounding is the output offset.
#define RL_DEPTHWISE_SCALED_ANY(at, sum) \
    "ldr r9, [r1, #" #at "]\n" \
    "ldr r8, [r0, #" #at "]\n" \
    "cmp r9, #0\n" \
    "bge 8f\n" \
    RL_DEPTHWISE_RIGHT(sum) \
    "b 9f\n" \
    "8:\n" \
    "lsl " sum ", " sum ", r9\n" \
    "smull r11, r12, " sum ", r8\n" \
    "adds r11, r11, #0x40000000\n" \
    "adc r12, r12, #0\n" \
    "lsr r11, r11, #31\n" \
    "orr r11, r11, r12, lsl #1\n" \
    "add " sum ", r11, r2, asr #1\n" \
    "9:\n"

// r8 and r9 are limits, lr is the output.
#define RL_DEPTHWISE_STORE(at, sum)                                                                                    \
    "cmp " sum ", r8\n"                                                                                                \
    "it lt\n"                                                                                                          \
    "movlt " sum ", r8\n"                                                                                              \
    "cmp " sum ", r9\n"                                                                                                \
    "it gt\n"                                                                                                          \
    "movgt " sum ", r9\n"                                                                                              \
    "strb " sum ", [lr, #" #at "]\n"

// r2 is the step, r3 counts columns, r4-r7 are sums, lr counts rows. The top of the stack holds the columns, x_back,
// w_back, and the job.
#define RL_DEPTHWISE_CHANNELS(scaled) \
    "push {r0, r4-r11, lr}\n" \
    "add r3, r0, #36\n" \
    "ldm r3, {r4-r6}\n" \
    "push {r4-r6}\n" \
    "mov r3, r0\n" \
    /* Four channels. */ \
    "1:\n" \
    "ldr r8, [r3, #16]\n" \
    "ldr r9, [r3, #24]\n" \
    "ldr r0, [r3]\n" \
    "ldr r1, [r3, #4]\n" \
    "ldr lr, [r3, #32]\n" \
    "ldr r2, [r3, #48]\n" \
    "ldr r12, [r3, #52]\n" \
    "ldm r8, {r4-r7}\n" \
    "add r8, r8, r9\n" \
    "str r8, [r3, #16]\n" \
    "cmp lr, #0\n" \
    "beq 4f\n" \
    "2:\n" \
    "ldr r3, [sp]\n" \
    "3:\n" \
    RL_DEPTHWISE_TWO(0, "r4", "r5") \
    RL_DEPTHWISE_TWO(2, "r6", "r7") \
    "add r0, r0, r2\n" \
    "add r1, r1, r2\n" \
    "subs r3, r3, #1\n" \
    "bne 3b\n" \
    "ldr r8, [sp, #4]\n" \
    "ldr r9, [sp, #8]\n" \
    "subs lr, lr, #1\n" \
    "add r0, r0, r8\n" \
    "add r1, r1, r9\n" \
    "bne 2b\n" \
    /* Outputs. */ \
    "4:\n" \
    "ldr r3, [sp, #12]\n" \
    "ldr r0, [r3, #8]\n" \
    "ldr r1, [r3, #12]\n" \
    "ldr r2, [r3, #56]\n" \
    "ldr lr, [r3, #20]\n" \
    scaled(0, "r4") \
    scaled(4, "r5") \
    scaled(8, "r6") \
    scaled(12, "r7") \
    "ldr r8, [r3, #60]\n" \
    "ldr r9, [r3, #64]\n" \
    "ldr r10, [r3]\n" \
    "ldr r11, [r3, #4]\n" \
    "ldr r12, [r3, #28]\n" \
    "add r0, r0, #16\n" \
    "add r1, r1, #16\n" \
    RL_DEPTHWISE_STORE(0, "r4") \
    RL_DEPTHWISE_STORE(1, "r5") \
    RL_DEPTHWISE_STORE(2, "r6") \
    RL_DEPTHWISE_STORE(3, "r7") \
    "add r10, r10, #4\n" \
    "add r11, r11, #4\n" \
    "add lr, lr, #4\n" \
    "strd r10, r11, [r3]\n" \
    "strd r0, r1, [r3, #8]\n" \
    "str lr, [r3, #20]\n" \
    "cmp lr, r12\n" \
    "bne 1b\n" \
    "add sp, sp, #12\n" \
    "pop {r0, r4-r11, pc}\n"
// clang-format on

static __attribute__((naked, noinline)) void
rl_depthwise_channels_run(__attribute__((unused)) struct rl_depthwise_channels *job)
{
    __asm__(RL_DEPTHWISE_CHANNELS(RL_DEPTHWISE_SCALED));
}

static __attribute__((naked, noinline)) void
rl_depthwise_channels_any(__attribute__((unused)) struct rl_depthwise_channels *job)
{
    __asm__(RL_DEPTHWISE_CHANNELS(RL_DEPTHWISE_SCALED_ANY));
}

// The empty statements tell the compiler that the assembler reads and writes memory through the job.
static inline void rl_depthwise_channels(struct rl_depthwise_channels *job, bool left)
{
    __asm__ volatile("" : : "r"(job) : "memory");
    if (left) {
        rl_depthwise_channels_any(job);
    } else {
        rl_depthwise_channels_run(job);
    }
    __asm__ volatile("" : : "r"(job) : "memory");
}

#else
#include "scalar/depthwise_channels_plain.h"
#endif

#endif
