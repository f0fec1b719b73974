// SPDX-License-Identifier: Apache-2.0
// Parts of loops in assembler that scale the sums of four channels. The job has the scales in front, 12 bytes each
// (multiplier, addend, right shift), then four biases, then both limits as words of four bytes. Sums are doubled.
#ifndef RL_KERNELS_DSP_SCALE_FOUR_H
#define RL_KERNELS_DSP_SCALE_FOUR_H

// clang-format off
#define RL_SCALE_TWO(a, b) \
    "ldm r12!, {r0-r3, r10, r11}\n" \
    "add r1, r1, " a ", asr #31\n" \
    "add r10, r10, " b ", asr #31\n" \
    "smmlar " a ", " a ", r0, r1\n" \
    "smmlar " b ", " b ", r3, r10\n" \
    "asr " a ", " a ", r2\n" \
    "asr " b ", " b ", r11\n" \
    "ssat " a ", #8, " a "\n" \
    "ssat " b ", #8, " b "\n"

// Scales the sums in r4-r7, with the job at r12. Leaves halves of the outputs in r4 and r6, the biases at r12, and the
// limits in r0 and r1; changes r2, r3, r10 and r11.
#define RL_SCALE_FOUR \
    RL_SCALE_TWO("r4", "r5") \
    RL_SCALE_TWO("r6", "r7") \
    "bfi r4, r5, #8, #8\n" \
    "bfi r6, r7, #8, #8\n" \
    "ldr r0, [r12, #16]\n" \
    "ldr r1, [r12, #20]\n"

// Then gives the outputs in r4, within the limits.
#define RL_LIMIT_FOUR \
    "pkhbt r4, r4, r6, lsl #16\n" \
    "ssub8 r5, r4, r0\n" \
    "sel r4, r4, r0\n" \
    "ssub8 r5, r1, r4\n" \
    "sel r4, r4, r1\n"
// clang-format on

#endif
