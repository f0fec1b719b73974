// SPDX-License-Identifier: Apache-2.0
// rl_window_fours in assembler for a Cortex-M0: 7.5 cycles for a product, 5.75 where channels share inputs. Included by
// scalar/window_fours.h.
#ifndef RL_KERNELS_SCALAR_WINDOW_FOURS_THUMB_H
#define RL_KERNELS_SCALAR_WINDOW_FOURS_THUMB_H

#if RL_HAS_THUMB2_LOOP || RL_SMALL
#include "scalar/window_fours_plain.h"
#else
#include "scalar/packed_six_store.h"

enum { RL_HAS_WINDOW_FOURS = 1 };

__extension__ _Static_assert(offsetof(struct rl_window_fours, x_step) == 40 &&
                                 offsetof(struct rl_window_fours, left_out) == 28 &&
                                 offsetof(struct rl_window_fours, bias) == 44,
                             "the assembler below uses the order of the fields");

// clang-format off
#define RL_WINDOW_PRODUCT(channel, sum) \
    "ldrsb r6, [r0, " channel "]\n" \
    "ldrsb r7, [r1, " channel "]\n" \
    "add r6, r12\n" \
    "muls r7, r6, r7\n" \
    "add " sum ", r7\n"
// 44 bytes.
#define RL_WINDOW_TAP \
    RL_WINDOW_PRODUCT("r2", "r8") \
    RL_WINDOW_PRODUCT("r3", "r9") \
    RL_WINDOW_PRODUCT("r4", "r10") \
    RL_WINDOW_PRODUCT("r5", "r11") \
    "add r0, lr\n" \
    "add r1, lr\n"

// The same where the channels share an input. 34 bytes.
#define RL_WINDOW_SHARED_PRODUCT(channel, sum) \
    "ldrsb r7, [r1, " channel "]\n" \
    "muls r7, r6, r7\n" \
    "add " sum ", r7\n"
#define RL_WINDOW_SHARED_TAP \
    "ldrsb r6, [r0, r2]\n" \
    "add r6, r12\n" \
    RL_WINDOW_SHARED_PRODUCT("r2", "r8") \
    RL_WINDOW_SHARED_PRODUCT("r3", "r9") \
    RL_WINDOW_SHARED_PRODUCT("r4", "r10") \
    RL_WINDOW_SHARED_PRODUCT("r5", "r11") \
    "ldr r7, [sp, #36]\n" \
    "adds r0, r0, r7\n" \
    "add r1, lr\n"

// r0 and r1 are the addresses of the inputs and weights of a tap, r2-r5 the numbers of the channels, r6 an input, r7 a
// weight, r8-r11 sums, r12 the offset, lr the step. The stack holds the rows that remain, the fields from `x` to
// `w_back`, of which the first three are those of the next channels, where a row starts, and the last two fields, of
// which the biases are those of the next channels, and where the next channels start. A tap has `bytes` bytes; the
// inputs of the next channels lie `next` bytes further.
#define RL_WINDOW_RUN(tap, bytes, next) \
    ".syntax unified\n" \
    "push {r4-r7, lr}\n" \
    RL_HIGH_TO_LOW \
    "push {r4-r7}\n" \
    "sub sp, #48\n" \
    "add r1, sp, #4\n" \
    "ldm r0!, {r2-r7}\n" \
    "stm r1!, {r2-r7}\n" \
    "ldm r0!, {r2-r5}\n" \
    "mov r12, r4\n" \
    "mov lr, r5\n" \
    "ldm r0!, {r6}\n" \
    "movs r4, #" bytes "\n" \
    "muls r3, r4, r3\n" \
    "adr r4, 2f\n" \
    "adds r3, r3, r4\n" \
    "stm r1!, {r2, r3, r6}\n" \
    "ldr r2, [r0]\n" \
    "adr r3, 1f\n" \
    "cmp r2, #0\n" \
    "beq 6f\n" \
    "adr r3, 7f\n" \
    "6:\n" \
    "stm r1!, {r2, r3}\n" \
    "mov pc, r3\n" \
    ".balign 4\n" \
    "7:\n" \
    "ldr r6, [sp, #40]\n" \
    "ldm r6!, {r2-r5}\n" \
    "str r6, [sp, #40]\n" \
    "mov r8, r2\n" \
    "mov r9, r3\n" \
    "mov r10, r4\n" \
    "mov r11, r5\n" \
    "movs r2, #0\n" \
    "b 3f\n" \
    ".balign 4\n" \
    "1:\n" \
    "movs r2, #0\n" \
    "mov r8, r2\n" \
    "mov r9, r2\n" \
    "mov r10, r2\n" \
    "mov r11, r2\n" \
    "3:\n" \
    "movs r3, #1\n" \
    "movs r4, #2\n" \
    "movs r5, #3\n" \
    "ldr r6, [sp, #20]\n" \
    "str r6, [sp]\n" \
    "ldr r0, [sp, #4]\n" \
    "ldr r1, [sp, #8]\n" \
    "adds r6, r0, #" next "\n" \
    "str r6, [sp, #4]\n" \
    "adds r6, r1, #4\n" \
    "str r6, [sp, #8]\n" \
    "ldr r6, [sp, #32]\n" \
    "mov pc, r6\n" \
    ".balign 4\n" \
    "2:\n" \
    tap tap tap tap \
    tap tap tap tap \
    RL_SIZE_CHECK("2b", "8 * " bytes) \
    "ldr r6, [sp, #24]\n" \
    "adds r0, r0, r6\n" \
    "ldr r6, [sp, #28]\n" \
    "adds r1, r1, r6\n" \
    "ldr r6, [sp]\n" \
    "subs r6, #1\n" \
    "str r6, [sp]\n" \
    "beq 4f\n" \
    "ldr r6, [sp, #32]\n" \
    "mov pc, r6\n" \
    "4:\n" \
    "ldr r7, [sp, #12]\n" \
    "mov r0, r8\n" \
    "mov r1, r9\n" \
    "mov r2, r10\n" \
    "mov r3, r11\n" \
    "stm r7!, {r0-r3}\n" \
    "str r7, [sp, #12]\n" \
    "ldr r6, [sp, #16]\n" \
    "subs r6, r6, r7\n" \
    "beq 5f\n" \
    "subs r6, #16\n" \
    "blo 4f\n" \
    "8:\n" \
    "ldr r6, [sp, #44]\n" \
    "mov pc, r6\n" \
    "4:\n" /* so many bytes of sums back */ \
    "adds r7, r7, r6\n" \
    "str r7, [sp, #12]\n" \
    "ldr r0, [sp, #40]\n" \
    "adds r0, r0, r6\n" \
    "str r0, [sp, #40]\n" \
    "asrs r6, r6, #2\n" \
    "ldr r0, [sp, #4]\n" \
    "adds r0, r0, r6\n" \
    "str r0, [sp, #4]\n" \
    "ldr r1, [sp, #8]\n" \
    "adds r1, r1, r6\n" \
    "str r1, [sp, #8]\n" \
    "b 8b\n" \
    "5:\n" \
    "add sp, #48\n" \
    "pop {r4-r7}\n" \
    RL_LOW_TO_HIGH \
    "pop {r4-r7, pc}\n"

static __attribute__((naked, noinline)) void
rl_window_fours_run(__attribute__((unused)) const struct rl_window_fours *job)
{
    __asm__(RL_WINDOW_RUN(RL_WINDOW_TAP, "44", "4"));
}

static __attribute__((naked, noinline)) void
rl_window_shared_run(__attribute__((unused)) const struct rl_window_fours *job)
{
    __asm__(RL_WINDOW_RUN(RL_WINDOW_SHARED_TAP, "34", "0"));
}
// clang-format on

// The empty statements tell the compiler that the assembler reads and writes memory through the job.
static inline void rl_window_fours(const struct rl_window_fours *job)
{
    __asm__ volatile("" : : "r"(job) : "memory");
    rl_window_fours_run(job);
    __asm__ volatile("" : : "r"(job) : "memory");
}

static inline void rl_window_shared(const struct rl_window_fours *job)
{
    __asm__ volatile("" : : "r"(job) : "memory");
    rl_window_shared_run(job);
    __asm__ volatile("" : : "r"(job) : "memory");
}

static inline void rl_window_store(const struct rl_rescale *scale, struct rl_limits_s8 limits, int32_t channels,
                                   const int32_t *sums, int32_t step, int32_t positions, int8_t *output,
                                   ptrdiff_t stride)
{
    rl_rows_store(scale, limits.low, limits.high, channels, sums, step, positions, output, stride);
}

#endif

#endif
