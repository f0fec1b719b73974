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
    int8_t *output;
    ptrdiff_t stride;   // bytes from an output of a row to that of the next row
    int32_t low, range; // the upper limit less the lower one
    const struct rl_rescale *scale;
    int32_t next_sums;   // bytes from behind the last sum of a channel to the first one of the next
    int32_t next_output; // the same for outputs
    const void *end;     // where the sums of one more channel would be; there is at least one channel
    uint32_t rows;       // twice the even number that is not below that of rows, of which there is one at least, plus 1
                         // if the two differ
    int32_t next_scale;  // bytes from a channel's scale to the next one's: 0 where all have the same
    int32_t addend;      // of RL_QUICK
};

__extension__ _Static_assert(offsetof(struct rl_packed_store, scale) == 20 &&
                                 offsetof(struct rl_packed_store, addend) == 44 && sizeof(struct rl_row_sums) == 24 &&
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

// Takes back what RL_RESCALED needs r11, r12 and lr for, from the job at r2. Changes r1.
#define RL_PACKED_RESTORE \
    "ldr r1, [r2, #36]\n" \
    "mov lr, r1\n" \
    "ldr r1, [r2, #40]\n" \
    "mov r12, r1\n" \
    "ldr r1, [r2, #44]\n" \
    "mov r11, r1\n"

// Puts the halves of the multiplier in r1 into r11 and r12. Changes r1 and r2.
#define RL_PACKED_HALVES \
    "uxth r2, r1\n" \
    "mov r11, r2\n" \
    "asrs r1, r1, #16\n" \
    "mov r12, r1\n"

// A value near the limit of two results, again with RL_RESCALED.
#define RL_PACKED_CLOSE(again) \
    "push {r0, r2, r7}\n" \
    again \
    "mov r1, r12\n" \
    "subs r0, r0, r1\n" \
    "ldm r0!, {r1, r2, r7}\n" \
    "push {r7}\n" \
    "mov lr, r2\n" \
    RL_PACKED_HALVES \
    RL_RESCALED("r3", RL_PACKED_LIMITS) \
    "ldr r2, [sp, #16]\n" \
    RL_PACKED_RESTORE \
    "add sp, #4\n" \
    "pop {r0, r2, r7}\n"

// From behind the last row of a channel to the next channel: the comparison that tells whether there is one. Changes r1
// to r3.
#define RL_PACKED_NEXT \
    "ldr r3, [sp]\n" \
    "ldr r1, [r3, #24]\n" \
    "ldr r2, [r3, #28]\n" \
    "adds r4, r4, r1\n" \
    "ldr r1, [r3, #32]\n" \
    "adds r5, r5, r2\n" \
    "cmp r4, r1\n"

// r0 is the address of the next scale, r3 a sum, r4 the address of the next one, r5 of an output, r6 the rows that
// remain, r8 the lower limit, r9 the range, r10 the stride, r11 the addend, r12 next_scale, lr `rows`. The stack holds the
// job, in which the slow loop keeps r0. Small code has that one only.
#define RL_PACKED_STORE(load, again) \
    ".syntax unified\n" \
    "push {r4-r7, lr}\n" \
    "mov r4, r8\n" \
    "mov r5, r9\n" \
    "mov r6, r10\n" \
    "mov r7, r11\n" \
    "push {r0, r4-r7}\n" \
    "ldm r0!, {r1-r5}\n" \
    "mov r8, r4\n" \
    "mov r9, r5\n" \
    "mov r10, r3\n" \
    "movs r4, r1\n" \
    "movs r5, r2\n" \
    "subs r0, #20\n" \
    "movs r2, r0\n" \
    "ldr r0, [r2, #20]\n" \
    RL_PACKED_RESTORE \
    /* A channel. */ \
    "1:\n" \
    ".if !" RL_SMALL_TEXT "\n" \
    "ldr r7, [r0]\n" \
    "ldr r2, [r0, #8]\n" \
    "add r0, r12\n" \
    RL_QUICK_SCALE("r7", "r2", "7f") \
    "mov r6, lr\n" \
    "lsrs r6, r6, #1\n" \
    "bcs 4f\n" /* an odd number of rows */ \
    "2:\n" \
    RL_PACKED_QUICK_ROW(load, "11f", "12f", "13") \
    "4:\n" \
    RL_PACKED_QUICK_ROW(load, "14f", "15f", "16") \
    "subs r6, #2\n" \
    "bne 2b\n" \
    "6:\n" \
    RL_PACKED_NEXT \
    "bne 1b\n" \
    "b 20f\n" \
    "7:\n" \
    "b 21f\n" \
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
    "mov r1, r12\n" \
    "subs r0, r0, r1\n" \
    ".endif\n" \
    "ldm r0!, {r1, r2, r3}\n" \
    "subs r0, #12\n" \
    "add r0, r12\n" \
    "push {r3}\n" \
    "ldr r3, [sp, #4]\n" \
    "str r0, [r3, #20]\n" \
    "mov r6, lr\n" \
    "mov lr, r2\n" \
    RL_PACKED_HALVES \
    "lsrs r6, r6, #1\n" \
    "bcs 18f\n" \
    "17:\n" \
    RL_PACKED_STORE_ROW(load) \
    "18:\n" \
    RL_PACKED_STORE_ROW(load) \
    "subs r6, #2\n" \
    "bne 17b\n" \
    "add sp, #4\n" \
    "ldr r2, [sp]\n" \
    "ldr r0, [r2, #20]\n" \
    RL_PACKED_RESTORE \
    RL_PACKED_NEXT \
    "beq 20f\n" \
    "b 1b\n" \
    "20:\n" \
    "add sp, #4\n" \
    "pop {r4-r7}\n" \
    "mov r8, r4\n" \
    "mov r9, r5\n" \
    "mov r10, r6\n" \
    "mov r11, r7\n" \
    "pop {r4-r7, pc}\n"

static __attribute__((naked, noinline)) void rl_packed_store_run(__attribute__((unused)) struct rl_packed_store *job)
{
    __asm__(RL_PACKED_STORE(RL_PACKED_LOAD, RL_PACKED_AGAIN));
}

// The same for sums of filters that were packed: those of a row follow each other.
static __attribute__((naked, noinline)) void rl_filters_store_run(__attribute__((unused)) struct rl_packed_store *job)
{
    __asm__(RL_PACKED_STORE(RL_FILTERS_LOAD, RL_FILTERS_AGAIN));
}
// clang-format on

// What both have in common, for `rows` >= 1 rows.
static inline struct rl_packed_store rl_packed_store_of(const struct rl_rescale *scale, int32_t min, int32_t max,
                                                        const struct rl_row_sums *sums, int32_t rows, int8_t *output,
                                                        ptrdiff_t stride)
{
    const int32_t low = rl_max_s32(min, INT8_MIN), high = rl_min_s32(max, INT8_MAX);
    return (struct rl_packed_store){
        .sums = sums,
        .output = output,
        .stride = stride,
        .low = low,
        .range = high - low,
        .scale = scale,
        .next_output = 1 - rows * (int32_t)stride,
        .rows = (uint32_t)(((rows + 1) & ~1) * 2 + (rows & 1)),
        .addend = RL_SMALL ? 0 : RL_QUICK_ADDEND(scale->addend >> scale->right_shift, low),
    };
}

// Scales, limits and stores the sums of `channels` >= 1 channels, each of which has a scale, or all the same one. The
// empty statements tell the compiler that the assembler reads and writes memory through the job.
static inline bool rl_packed_rows_store(const struct rl_rescale *scale, bool one_scale, int32_t min, int32_t max,
                                        int32_t channels, const struct rl_row_sums *sums,
                                        const struct rl_packed_rows *rows, int8_t *output)
{
    struct rl_packed_store job = rl_packed_store_of(scale, min, max, sums, rows->count, output, rows->output[1]);
    job.next_sums = (int32_t)sizeof *sums - rows->count * (int32_t)sizeof sums->row[0];
    job.end = sums + channels;
    job.next_scale = one_scale ? 0 : (int32_t)sizeof *scale;
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
    struct rl_packed_store job = rl_packed_store_of(scale, min, max, sums, rows, output, stride);
    job.next_sums = (int32_t)sizeof sums->row[0] - rows * (int32_t)sizeof *sums;
    job.end = sums->row + channels;
    job.next_scale = (int32_t)sizeof *scale;
    __asm__ volatile("" : : "r"(&job) : "memory");
    rl_filters_store_run(&job);
    __asm__ volatile("" : : "r"(&job) : "memory");
}

#endif
