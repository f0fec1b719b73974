// SPDX-License-Identifier: Apache-2.0
// rl_packed_store_simple in assembler for a Cortex-M0, which takes a channel's scale apart once for its four rows.
// packed_store_plain.h is the same in C. Included by scalar/matmul_tile.h.
#ifndef RL_KERNELS_SCALAR_PACKED_STORE_THUMB_H
#define RL_KERNELS_SCALAR_PACKED_STORE_THUMB_H

#if RL_HAS_THUMB2_LOOP || RL_SMALL
#include "scalar/packed_store_plain.h"
#else
#include "scalar/rescale_thumb.h"

// The assembler relies on the order.
struct rl_packed_store {
    const struct rl_packed_sums *sums;
    const struct rl_rescale *scale;
    int8_t *output;
    ptrdiff_t row_1, row_2, row_3; // bytes from an output of the first row to those of the others
    int32_t channels;              // at least 1
    int32_t low, range;            // the upper limit less the lower one
};

_Static_assert(offsetof(struct rl_packed_store, range) == 32 && sizeof(struct rl_packed_sums) == 16 &&
                   offsetof(struct rl_packed_sums, upper) == 8 && offsetof(struct rl_rescale, addend) == 4 &&
                   offsetof(struct rl_rescale, right_shift) == 8,
               "the assembler below uses these offsets");

// What RL_RESCALED takes as limits: r8 and r9.
#define RL_PACKED_LIMITS                                                                                               \
    "mov r2, r8\n"                                                                                                     \
    "mov r7, r9\n"

// r10 is the job, r3-r6 are the sums: those of the first row and the second in r5 and r3, of the others in r6 and r4.
static __attribute__((naked, noinline)) void rl_packed_store_run(__attribute__((unused)) struct rl_packed_store *job)
{
    __asm__(".syntax unified\n"
            "push {r4-r7, lr}\n"
            "mov r4, r8\n"
            "mov r5, r9\n"
            "mov r6, r10\n"
            "mov r7, r11\n"
            "push {r3-r7}\n" // r3 makes room for the shift
            "ldr r1, [r0, #28]\n"
            "mov r8, r1\n"
            "ldr r1, [r0, #32]\n"
            "mov r9, r1\n"
            "mov r10, r0\n"
            "1:\n"
            "ldm r0!, {r1, r2}\n"
            "ldm r1!, {r3-r6}\n"
            "ldm r2!, {r7}\n"
            "subs r0, #8\n"
            "str r1, [r0]\n"
            "uxth r1, r7\n"
            "mov r11, r1\n"
            "asrs r7, r7, #16\n"
            "mov r12, r7\n"
            "ldm r2!, {r1, r7}\n"
            "mov lr, r1\n"
            "str r7, [sp]\n"
            "str r2, [r0, #4]\n"
            "lsls r7, r5, #16\n"
            "subs r3, r7, r3\n"
            "negs r5, r5\n"
            "lsls r7, r6, #16\n"
            "subs r4, r7, r4\n"
            "negs r6, r6\n" //
            RL_RESCALED("r5", RL_PACKED_LIMITS) RL_RESCALED("r3", RL_PACKED_LIMITS) RL_RESCALED("r6", RL_PACKED_LIMITS)
                RL_RESCALED("r4", RL_PACKED_LIMITS) "mov r0, r10\n"
                                                    "ldr r1, [r0, #8]\n"
                                                    "ldr r2, [r0, #12]\n"
                                                    "ldr r7, [r0, #16]\n"
                                                    "strb r5, [r1]\n"
                                                    "strb r3, [r1, r2]\n"
                                                    "ldr r2, [r0, #20]\n"
                                                    "strb r6, [r1, r7]\n"
                                                    "strb r4, [r1, r2]\n"
                                                    "adds r1, #1\n"
                                                    "str r1, [r0, #8]\n"
                                                    "ldr r1, [r0, #24]\n"
                                                    "subs r1, #1\n"
                                                    "str r1, [r0, #24]\n"
                                                    "beq 2f\n"
                                                    "b 1b\n"
                                                    "2:\n"
                                                    "pop {r3-r7}\n"
                                                    "mov r8, r4\n"
                                                    "mov r9, r5\n"
                                                    "mov r10, r6\n"
                                                    "mov r11, r7\n"
                                                    "pop {r4-r7, pc}\n");
}

// The empty statements tell the compiler that the assembler reads and writes memory through the job.
static inline bool rl_packed_store_simple(const struct rl_matmul *m, const struct rl_packed_sums *sums,
                                          const ptrdiff_t offsets[RL_PACKED_ROWS], int8_t *output)
{
    const int32_t low = rl_max_s32(m->output_min, INT8_MIN), high = rl_min_s32(m->output_max, INT8_MAX);
    struct rl_packed_store job = {sums,       m->scale,    output, offsets[1], offsets[2],
                                  offsets[3], m->channels, low,    high - low};
    if (m->channels <= 0) {
        return true;
    }
    __asm__ volatile("" : : "r"(&job) : "memory");
    rl_packed_store_run(&job);
    __asm__ volatile("" : : "r"(&job) : "memory");
    return true;
}
#endif

#endif
