// SPDX-License-Identifier: Apache-2.0
// rl_packed_outputs in assembler for a Cortex-M3, around the steps of packed_dot_thumb.h; packed_outputs_plain.h is the
// same in C. A channel of four rows takes 32 cycles less than with sums in memory and a loop in C that stores them.
// Included by scalar/packed_outputs.h.
#ifndef RL_KERNELS_SCALAR_PACKED_OUTPUTS_THUMB_H
#define RL_KERNELS_SCALAR_PACKED_OUTPUTS_THUMB_H

#if !RL_HAS_THUMB2_LOOP
#include "scalar/packed_outputs_plain.h"
#else

// The assembler relies on the offsets of the fields.
struct rl_packed_outputs_job {
    uintptr_t words;                // 0: less the bytes that the first round skips, like `filter`
    const uint32_t *end;            // 4: of the words of pairs
    uint32_t half;                  // 8: RL_PACKED_HALF
    uintptr_t filter;               // 12
    ptrdiff_t gap;                  // 16: from the last pair of a filter to the next one, less the same bytes
    uint32_t entry;                 // 20: steps that the first round skips, then the address where it starts
    uint32_t halves;                // 24: what `whole` starts with beside the bias
    const int32_t *bias;            // 28
    const struct rl_rescale *scale; // 32
    uint32_t odd;                   // 36: whether a single value comes last
    const int32_t *limits;          // 40: the lower and the upper one, NULL where those of int8 are enough
    int8_t *output;                 // 44
    const int8_t *output_end;       // 48: that of the first row
    ptrdiff_t row[3];               // 52: bytes to the output in the other rows
};

__extension__ _Static_assert(offsetof(struct rl_packed_outputs_job, row) == 52 && sizeof(struct rl_rescale) == 12 &&
                                 offsetof(struct rl_rescale, right_shift) == 8 &&
                                 offsetof(struct rl_matmul, output_max) == offsetof(struct rl_matmul, output_min) + 4,
                             "the assembler below uses these offsets");

// clang-format off
// r4-r6 are multiplier, addend, shift.
#define RL_PACKED_SCALED(sum) \
    "lsl " sum ", " sum ", #1\n" \
    "smull r7, r2, " sum ", r4\n" \
    "add " sum ", r5, " sum ", asr #31\n" \
    "add " sum ", " sum ", r2\n" \
    "add " sum ", " sum ", r7, lsr #31\n" \
    "asr " sum ", " sum ", r6\n" \
    "ssat " sum ", #8, " sum "\n"

// r4 and r5 are limits.
#define RL_PACKED_LIMITED(sum) \
    "cmp " sum ", r4\n" \
    "it lt\n" \
    "movlt " sum ", r4\n" \
    "cmp " sum ", r5\n" \
    "it gt\n" \
    "movgt " sum ", r5\n"

// Registers are those of rl_packed_dot_run.
static __attribute__((naked, noinline)) void
rl_packed_outputs_run(__attribute__((unused)) struct rl_packed_outputs_job *job)
{
    __asm__("push {r0, r4-r11, lr}\n"
            "ldr r2, [r0, #20]\n"
            "adr r3, 2f\n"
            "adr r4, 3f\n"
            "subs r4, r4, r3\n"
            "lsrs r4, r4, #2\n"
            "muls r2, r4, r2\n"
            "adds r2, r2, r3\n"
            "str r2, [r0, #20]\n"
            "ldr lr, [r0, #4]\n"
            "ldr r12, [r0, #8]\n"
            "ldr r1, [r0, #12]\n"
            // One filter.
            "1:\n"
            "ldr r3, [sp]\n"
            "ldr r2, [r3, #28]\n"
            "ldr r0, [r3]\n"
            "ldr r5, [r3, #24]\n"
            "ldr r4, [r2]\n"
            "adds r2, r2, #4\n"
            "str r2, [r3, #28]\n"
            "ldr r3, [r3, #20]\n"
            "rsb r10, r4, #0\n"
            "mov r11, r10\n"
            "sub r8, r10, r5\n"
            "add r8, r8, r10, lsl #16\n"
            "mov r9, r8\n"
            "mov pc, r3\n"
            ".balign 4\n"
            "2:\n" RL_PACKED_STEP(0) RL_PACKED_STEP(2) RL_PACKED_STEP(4) RL_PACKED_STEP(6)
            "3:\n" RL_SIZE_CHECK("2b", "4 * " RL_PACKED_STEP_BYTES)
            RL_PACKED_ADVANCE
            "adds r1, r1, #8\n"
            "cmp r0, lr\n"
            "bne 2b\n"
            "ldr r3, [sp]\n"
            "ldr r7, [r3, #36]\n"
            "ldr r2, [r3, #32]\n"
            "cmp r7, #0\n"
            "bne 6f\n"
            "4:\n"
            "ldr r7, [r3, #16]\n"
            "ldm r2!, {r4-r6}\n"
            "str r2, [r3, #32]\n"
            "add r1, r1, r7\n"
            "rsb r8, r8, r10, lsl #16\n"
            "rsb r9, r9, r11, lsl #16\n"
            "rsb r10, r10, #0\n"
            "rsb r11, r11, #0\n"
            RL_PACKED_SCALED("r10") RL_PACKED_SCALED("r8") RL_PACKED_SCALED("r11") RL_PACKED_SCALED("r9")
            "ldr r2, [r3, #40]\n"
            "cbz r2, 5f\n"
            "ldrd r4, r5, [r2]\n"
            RL_PACKED_LIMITED("r10") RL_PACKED_LIMITED("r8") RL_PACKED_LIMITED("r11") RL_PACKED_LIMITED("r9")
            "5:\n"
            "ldr r4, [r3, #44]\n"
            "ldr r5, [r3, #52]\n"
            "ldr r6, [r3, #56]\n"
            "ldr r7, [r3, #60]\n"
            "ldr r2, [r3, #48]\n"
            "strb r8, [r4, r5]\n"
            "strb r11, [r4, r6]\n"
            "strb r9, [r4, r7]\n"
            "strb r10, [r4], #1\n"
            "str r4, [r3, #44]\n"
            "cmp r4, r2\n"
            "bne 1b\n"
            "pop {r0, r4-r11, pc}\n"
            // The last one of an odd number of values.
            "6:\n"
            "ldrsb r7, [r1]\n"
            "ldr r4, [r0]\n"
            "ldr r6, [r0, #4]\n"
            "mla r4, r4, r7, r12\n"
            "mla r6, r6, r7, r12\n"
            "add r8, r4\n"
            "add r9, r6\n"
            "add r10, r10, r4, asr #16\n"
            "add r11, r11, r6, asr #16\n"
            "b 4b\n");
}
// clang-format on

// The empty statements tell the compiler that the assembler reads and writes memory through the job.
static inline void rl_packed_outputs(const struct rl_matmul *m, const struct rl_packed_rows *rows,
                                     const uint32_t *words, int8_t *output)
{
    const bool open = rl_limits_are_open((struct rl_limits_s8){m->output_min, m->output_max});
    const int32_t pairs = m->depth >> 1, skipped = -pairs & 3;
    struct rl_packed_outputs_job job = {.words = (uintptr_t)words - 16u * (uint32_t)skipped,
                                        .end = words + 4 * pairs,
                                        .half = RL_PACKED_HALF,
                                        .filter = (uintptr_t)m->filter - 2u * (uint32_t)skipped,
                                        .gap = m->depth - 2 * (pairs + skipped),
                                        .entry = (uint32_t)skipped,
                                        .halves = (uint32_t)((m->depth + 1) / 2) * RL_PACKED_HALF,
                                        .bias = m->bias,
                                        .scale = m->scale,
                                        .odd = (uint32_t)m->depth & 1u,
                                        .limits = open ? NULL : &m->output_min,
                                        .output = output,
                                        .output_end = output + m->channels,
                                        .row = {rows->output[1], rows->output[2], rows->output[3]}};
    __asm__ volatile("" : : "r"(&job) : "memory");
    rl_packed_outputs_run(&job);
    __asm__ volatile("" : : "r"(&job) : "memory");
}

#endif

#endif
