// SPDX-License-Identifier: Apache-2.0
// The sums of scalar/packed_rows_thumb.h, which includes this, to int8: in assembler for a Cortex-M0, which takes a
// channel's scale apart once for its six rows. packed_store_plain.h is the same in C.
#ifndef RL_KERNELS_SCALAR_PACKED_SIX_STORE_H
#define RL_KERNELS_SCALAR_PACKED_SIX_STORE_H

#include "elementwise/rescale.h"
#include "scalar/rescale_thumb.h"

// The assembler relies on the order.
struct rl_packed_store {
    const struct rl_row_sums *sums;
    const struct rl_rescale *scale;
    int8_t *output;
    ptrdiff_t stride;   // bytes from an output of a row to that of the next row
    int32_t rows;       // at least 1
    int32_t channels;   // at least 1
    int32_t low, range; // the upper limit less the lower one
    int32_t next_scale; // bytes from a channel's scale to the next one's: 0 where all have the same
    int32_t addend;     // of RL_QUICK
};

__extension__ _Static_assert(offsetof(struct rl_packed_store, addend) == 36 && sizeof(struct rl_row_sums) == 24 &&
                                 offsetof(struct rl_rescale, addend) == 4 &&
                                 offsetof(struct rl_rescale, right_shift) == 8,
                             "the assembler below uses these offsets");

// What RL_RESCALED takes as limits: r8 and r9.
#define RL_PACKED_LIMITS                                                                                               \
    "mov r2, r8\n"                                                                                                     \
    "mov r7, r9\n"

// clang-format off
// Loads a sum from r4, and moves r4 to the one of the next row; and the same sum again. The sums of a channel follow
// each other, or those of a row do, six of them.
#define RL_PACKED_LOAD "ldm r4!, {r3}\n"
#define RL_PACKED_AGAIN "subs r4, #4\n" RL_PACKED_LOAD
#define RL_FILTERS_LOAD \
    "ldr r3, [r4]\n" \
    "adds r4, #24\n"
#define RL_FILTERS_AGAIN "subs r4, #24\n" RL_FILTERS_LOAD

// Scales and stores the sum of a row.
#define RL_PACKED_STORE_ROW(load) \
    load \
    RL_RESCALED("r3", RL_PACKED_LIMITS) \
    "strb r3, [r5]\n" \
    "add r5, r10\n"

// The same with RL_QUICK. Values beyond the limits leave the way, and so do those that need RL_RESCALED, which come
// back to it.
#define RL_PACKED_QUICK_ROW(load, beyond, close, back) \
    load \
    RL_QUICK("r3", "r2", "r7", "r11", "r9", beyond, close) \
    "add r3, r8\n" \
    back ":\n" \
    "strb r3, [r5]\n" \
    "add r5, r10\n"

// Stores a value beyond the limits.
#define RL_PACKED_LIMIT \
    RL_QUICK_LIMIT("r3", "r9") \
    "add r1, r8\n" \
    "strb r1, [r5]\n" \
    "add r5, r10\n"

// A value near the limit of two results, again with RL_RESCALED. r0 is the job behind its first three fields.
#define RL_PACKED_CLOSE(again) \
    "push {r2, r7}\n" \
    again \
    "ldr r1, [r0, #20]\n" \
    "subs r0, #8\n" \
    "ldr r0, [r0]\n" \
    "subs r0, r0, r1\n" \
    "ldm r0!, {r1, r2, r7}\n" \
    "push {r7}\n" \
    "mov lr, r2\n" \
    "uxth r2, r1\n" \
    "mov r11, r2\n" \
    "asrs r1, r1, #16\n" \
    "mov r12, r1\n" \
    RL_RESCALED("r3", RL_PACKED_LIMITS) \
    "add sp, #4\n" \
    "pop {r2, r7}\n" \
    "ldr r0, [sp, #4]\n" \
    "adds r0, #12\n" \
    "ldr r1, [r0, #24]\n" \
    "mov r11, r1\n"

// r3 is a sum, r4 the address of the next one, r5 of an output, r6 the rows that remain, r10 the distance of outputs.
// Below the shift, the stack holds the job. The sums of the next channel are `next` bytes behind those of a channel.
// Small code has one loop.
#define RL_PACKED_STORE(load, again, next) \
    ".syntax unified\n" \
    "push {r4-r7, lr}\n" \
    "mov r4, r8\n" \
    "mov r5, r9\n" \
    "mov r6, r10\n" \
    "mov r7, r11\n" \
    "push {r0, r4-r7}\n" \
    "sub sp, #4\n" /* room for the shift */ \
    "ldr r1, [r0, #24]\n" \
    "mov r8, r1\n" \
    "ldr r1, [r0, #28]\n" \
    "mov r9, r1\n" \
    "ldr r1, [r0, #12]\n" \
    "mov r10, r1\n" \
    /* A channel. */ \
    "1:\n" \
    "ldm r0!, {r4, r5, r6}\n" \
    "ldr r2, [r0, #20]\n" \
    "adds r2, r2, r5\n" \
    "movs r1, #" next "\n" \
    "adds r1, r1, r4\n" \
    "adds r3, r6, #1\n" \
    "subs r0, #12\n" \
    "stm r0!, {r1, r2, r3}\n" \
    "ldm r5!, {r1, r2, r3}\n" \
    "movs r5, r6\n" \
    "ldr r6, [r0, #4]\n" \
    ".if !" RL_SMALL_TEXT "\n" \
    "movs r7, r1\n" \
    "mov r12, r2\n" \
    "movs r2, r3\n" \
    RL_QUICK_SCALE("r7", "r2", "7f") \
    "ldr r1, [r0, #24]\n" \
    "mov r11, r1\n" \
    "lsrs r1, r6, #1\n" \
    "bcs 10f\n" \
    "2:\n" \
    RL_PACKED_QUICK_ROW(load, "11f", "12f", "13") \
    "4:\n" \
    RL_PACKED_QUICK_ROW(load, "14f", "15f", "16") \
    "subs r6, #2\n" \
    "bne 2b\n" \
    "6:\n" \
    "ldr r1, [r0, #8]\n" \
    "subs r1, #1\n" \
    "str r1, [r0, #8]\n" \
    "beq 8f\n" \
    "subs r0, #12\n" \
    "b 1b\n" \
    "7:\n" \
    "b 21f\n" \
    "8:\n" \
    "b 20f\n" \
    "10:\n" \
    "adds r6, #1\n" \
    "b 4b\n" \
    "11:\n" \
    RL_PACKED_LIMIT \
    "b 4b\n" \
    "14:\n" \
    RL_PACKED_LIMIT \
    "subs r6, #2\n" \
    "bne 2b\n" \
    "b 6b\n" \
    "12:\n" \
    RL_PACKED_CLOSE(again) \
    "b 13b\n" \
    "15:\n" \
    RL_PACKED_CLOSE(again) \
    "b 16b\n" \
    /* Another scale. */ \
    "21:\n" \
    "movs r1, r7\n" \
    "mov r2, r12\n" \
    ".endif\n" \
    "str r3, [sp]\n" \
    "mov lr, r2\n" \
    "uxth r2, r1\n" \
    "mov r11, r2\n" \
    "asrs r1, r1, #16\n" \
    "mov r12, r1\n" \
    "lsrs r1, r6, #1\n" \
    "bcs 19f\n" \
    "17:\n" \
    RL_PACKED_STORE_ROW(load) \
    "18:\n" \
    RL_PACKED_STORE_ROW(load) \
    "subs r6, #2\n" \
    "bne 17b\n" \
    "ldr r0, [sp, #4]\n" \
    "ldr r1, [r0, #20]\n" \
    "subs r1, #1\n" \
    "str r1, [r0, #20]\n" \
    "beq 20f\n" \
    "b 1b\n" \
    "20:\n" \
    "pop {r2, r3}\n" \
    "pop {r4-r7}\n" \
    "mov r8, r4\n" \
    "mov r9, r5\n" \
    "mov r10, r6\n" \
    "mov r11, r7\n" \
    "pop {r4-r7, pc}\n" \
    "19:\n" /* an odd number of rows */ \
    "adds r6, #1\n" \
    "b 18b\n"

static __attribute__((naked, noinline)) void rl_packed_store_run(__attribute__((unused)) struct rl_packed_store *job)
{
    __asm__(RL_PACKED_STORE(RL_PACKED_LOAD, RL_PACKED_AGAIN, "24"));
}

// The same for sums of filters that were packed: those of a row follow each other.
static __attribute__((naked, noinline)) void rl_filters_store_run(__attribute__((unused)) struct rl_packed_store *job)
{
    __asm__(RL_PACKED_STORE(RL_FILTERS_LOAD, RL_FILTERS_AGAIN, "4"));
}
// clang-format on

// Scales, limits and stores the sums of `channels` >= 1 channels, each of which has a scale, or all the same one. The
// empty statements tell the compiler that the assembler reads and writes memory through the job.
static inline bool rl_packed_rows_store(const struct rl_rescale *scale, bool one_scale, int32_t min, int32_t max,
                                        int32_t channels, const struct rl_row_sums *sums,
                                        const struct rl_packed_rows *rows, int8_t *output)
{
    const int32_t low = rl_max_s32(min, INT8_MIN), high = rl_min_s32(max, INT8_MAX);
    struct rl_packed_store job = {sums,
                                  scale,
                                  output,
                                  rows->output[1],
                                  rows->count,
                                  channels,
                                  low,
                                  high - low,
                                  one_scale ? 0 : (int32_t)sizeof *scale,
                                  RL_SMALL ? 0 : RL_QUICK_ADDEND(scale->addend >> scale->right_shift, low)};
    __asm__ volatile("" : : "r"(&job) : "memory");
    rl_packed_store_run(&job);
    __asm__ volatile("" : : "r"(&job) : "memory");
    return true;
}

// The same for packed filters, not in small code: sums[row] has the sums of up to six channels, and the outputs of rows
// are `stride` apart.
static inline void rl_filters_store(const struct rl_rescale *scale, int32_t min, int32_t max, int32_t channels,
                                    const struct rl_row_sums *sums, int32_t rows, int8_t *output, ptrdiff_t stride)
{
    const int32_t low = rl_max_s32(min, INT8_MIN), high = rl_min_s32(max, INT8_MAX);
    struct rl_packed_store job = {sums,
                                  scale,
                                  output,
                                  stride,
                                  rows,
                                  channels,
                                  low,
                                  high - low,
                                  (int32_t)sizeof *scale,
                                  RL_QUICK_ADDEND(scale->addend >> scale->right_shift, low)};
    __asm__ volatile("" : : "r"(&job) : "memory");
    rl_filters_store_run(&job);
    __asm__ volatile("" : : "r"(&job) : "memory");
}

#endif
