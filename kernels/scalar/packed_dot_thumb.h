// SPDX-License-Identifier: Apache-2.0
// rl_packed_dot in assembler for a Cortex-M3: the loop needs every core register, and compilers spill some in each
// round. packed_dot_plain.h is the same in C. Included by packed_dot.h.
#ifndef RL_KERNELS_SCALAR_PACKED_DOT_THUMB_H
#define RL_KERNELS_SCALAR_PACKED_DOT_THUMB_H

#if !RL_HAS_THUMB2_LOOP
#include "scalar/packed_dot_plain.h"
#else

// The assembler relies on the offsets of the fields.
struct rl_packed_job {
    uintptr_t words;                 // 0: less the bytes that the first round skips, like `filter`
    const uint32_t *end;             // 4
    uint32_t half;                   // 8: RL_PACKED_HALF
    uintptr_t filter;                // 12: the first filter's address, less the bytes that the first round skips
    struct rl_packed_sums *sums;     // 16
    struct rl_packed_sums *sums_end; // 20
    ptrdiff_t gap;                   // 24: from the end of a filter to the next one's address, less the same bytes
    uint32_t entry;                  // 28: steps that the first round skips, then the address where it starts
};

__extension__ _Static_assert(offsetof(struct rl_packed_job, entry) == 28, "the assembler below uses these offsets");

// One pair of values, whose weights are `at` bytes into the filter. The registers are described below.
#define RL_PACKED_STEP_BYTES "44"
#define RL_PACKED_LOAD_SUMS  "ldmia.w r2!, {r8-r11}\n"
#define RL_PACKED_STORE_SUMS "stmia.w r2!, {r8-r11}\n"
// 19 cycles for 8 products, where loads right after loads are cheap. They would not be if they advanced
// their pointer.
#define RL_PACKED_ADVANCE    "adds r0, r0, #64\n"
#define RL_PACKED_STEP(at)                                                                                             \
    "ldrsb.w r2, [r1, #" #at "]\n"                                                                                     \
    "ldrsb.w r3, [r1, #" #at " + 1]\n"                                                                                 \
    "ldr r4, [r0, #8 * " #at "]\n"                                                                                     \
    "ldr r5, [r0, #8 * " #at " + 4]\n"                                                                                 \
    "ldr r6, [r0, #8 * " #at " + 8]\n"                                                                                 \
    "ldr r7, [r0, #8 * " #at " + 12]\n"                                                                                \
    "mla r4, r4, r2, r12\n"                                                                                            \
    "mla r6, r6, r2, r12\n"                                                                                            \
    "mla r4, r5, r3, r4\n"                                                                                             \
    "mla r6, r7, r3, r6\n"                                                                                             \
    "add r8, r4\n"                                                                                                     \
    "add r9, r6\n"                                                                                                     \
    "add.w r10, r10, r4, asr #16\n"                                                                                    \
    "add.w r11, r11, r6, asr #16\n"

// r0 and r1 are the addresses of words and filter, r2 and r3 weights, r4-r7 words and products, r8 and r9 `whole`, r10
// and r11 `upper`, r12 half, lr the end of the words. The job is at the top of the stack. A round has four steps. The
// first round starts at the step that leaves a multiple of four.
static __attribute__((naked, noinline)) void rl_packed_dot_run(__attribute__((unused)) struct rl_packed_job *job)
{
    __asm__(".syntax unified\n"
            "push {r4-r7, lr}\n" RL_HIGH_TO_LOW "push {r0, r4-r7}\n"
            "ldr r2, [r0, #28]\n"
            "adr r3, 2f\n"
            "adr r4, 3f\n"
            "subs r4, r4, r3\n"
            "lsrs r4, r4, #2\n"
            "muls r2, r4, r2\n"
            "adds r2, r2, r3\n"
            "str r2, [r0, #28]\n"
            "ldmia r0!, {r4-r7}\n"
            "mov lr, r5\n"
            "mov r12, r6\n"
            "mov r1, r7\n"
            // One filter.
            "1:\n"
            "ldr r3, [sp]\n"
            "ldr r2, [r3, #16]\n" RL_PACKED_LOAD_SUMS //
            "ldr r0, [r3]\n"
            "ldr r3, [r3, #28]\n"
            "mov pc, r3\n"
            ".balign 4\n"
            "2:\n" RL_PACKED_STEP(0) RL_PACKED_STEP(2) RL_PACKED_STEP(4) RL_PACKED_STEP(6) //
            "3:\n" RL_SIZE_CHECK("2b", "4 * " RL_PACKED_STEP_BYTES)                        //
            RL_PACKED_ADVANCE "adds r1, r1, #8\n"
                              "cmp r0, lr\n"
                              "bne 2b\n"
                              "ldr r3, [sp]\n"
                              "ldr r2, [r3, #16]\n" RL_PACKED_STORE_SUMS //
                              "str r2, [r3, #16]\n"
                              "ldr r4, [r3, #24]\n"
                              "ldr r5, [r3, #20]\n"
                              "adds r1, r1, r4\n"
                              "cmp r2, r5\n"
                              "bne 1b\n"
                              "pop {r0, r4-r7}\n" RL_LOW_TO_HIGH "pop {r4-r7, pc}\n");
}

// The empty statements tell the compiler that the assembler reads and writes memory through the job.
static inline void rl_packed_dot(const uint32_t *words, int32_t pairs, const int8_t *filter, ptrdiff_t step,
                                 struct rl_packed_sums *sums, int32_t channels)
{
    const int32_t skipped = -pairs & 3;
    struct rl_packed_job job = {.words = (uintptr_t)words - 16u * (uint32_t)skipped,
                                .end = words + 4 * pairs,
                                .half = RL_PACKED_HALF,
                                .filter = (uintptr_t)filter - 2u * (uint32_t)skipped,
                                .sums = sums,
                                .sums_end = sums + channels,
                                .gap = step - 2 * (pairs + skipped),
                                .entry = (uint32_t)skipped};
    __asm__ volatile("" : : "r"(&job) : "memory");
    rl_packed_dot_run(&job);
    __asm__ volatile("" : : "r"(&job) : "memory");
}

#endif

#endif
