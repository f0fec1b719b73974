// SPDX-License-Identifier: Apache-2.0
// rl_dot_s16_s8_2x2 in assembler for cores without the DSP extension. Compilers do not keep four sums in registers on a
// Cortex-M0, and separate loads that are cheap together on a Cortex-M3. dot_s16_plain.h is the same in C. Included by
// dot_tile.h.
#ifndef RL_KERNELS_SCALAR_DOT_S16_THUMB_H
#define RL_KERNELS_SCALAR_DOT_S16_THUMB_H

#include <stddef.h>

// The assembler relies on the offsets of the fields.
struct rl_dot_s16 {
    const int16_t *x_0; // 0
    const int16_t *x_1; // 4
    const int8_t *w_0;  // 8
    const int8_t *w_1;  // 12
    int32_t count;      // 16
    int32_t *sums;      // 20
};

__extension__ _Static_assert(offsetof(struct rl_dot_s16, sums) == 20, "the assembler below uses these offsets");

// r0 and r5 are values, r6 and r7 weights, r8-r11 sums, r1 x_0, r3 w_0, lr the end of w_0. r2 and r4 are x_1 and w_1,
// on a Cortex-M0 their distances from x_0 and w_0.
#if RL_HAS_LONG_MULTIPLY
#define RL_S16_ENTER                                                                                                   \
    "push {r0, r4-r11, lr}\n"                                                                                          \
    "mov r8, #0\n"                                                                                                     \
    "mov r9, #0\n"                                                                                                     \
    "mov r10, #0\n"                                                                                                    \
    "mov r11, #0\n"
#define RL_S16_LEAVE                                                                                                   \
    "pop {r0}\n"                                                                                                       \
    "ldr r0, [r0, #20]\n"                                                                                              \
    "stmia r0, {r8-r11}\n"                                                                                             \
    "pop {r4-r11, pc}\n"
#define RL_S16_GO                                                                                                      \
    "adr r6, 2f\n"                                                                                                     \
    "add r6, r6, r5, lsl #5\n"                                                                                         \
    "mov pc, r6\n"
#define RL_S16_OFFSETS ""
// Loads that advance their pointers would take a cycle more each, so those of a round share what they add.
#define RL_S16_SKIP                                                                                                    \
    "sub r1, r1, r5, lsl #1\n"                                                                                         \
    "sub r2, r2, r5, lsl #1\n"                                                                                         \
    "subs r3, r3, r5\n"                                                                                                \
    "subs r4, r4, r5\n"
#define RL_S16_ADVANCE                                                                                                 \
    "adds r1, r1, #8\n"                                                                                                \
    "adds r2, r2, #8\n"                                                                                                \
    "adds r3, r3, #4\n"                                                                                                \
    "adds r4, r4, #4\n"
#define RL_S16_STEP_BYTES "32"
// 13 cycles on a Cortex-M3.
#define RL_S16_STEP(at)                                                                                                \
    "ldrsh.w r0, [r1, #2 * " #at "]\n"                                                                                 \
    "ldrsh.w r5, [r2, #2 * " #at "]\n"                                                                                 \
    "ldrsb.w r6, [r3, #" #at "]\n"                                                                                     \
    "ldrsb.w r7, [r4, #" #at "]\n"                                                                                     \
    "mla r8, r0, r6, r8\n"                                                                                             \
    "mla r9, r0, r7, r9\n"                                                                                             \
    "mla r10, r5, r6, r10\n"                                                                                           \
    "mla r11, r5, r7, r11\n"
#else
#define RL_S16_ENTER                                                                                                   \
    "push {r4-r7, lr}\n" RL_HIGH_TO_LOW "push {r0, r4-r7}\n"                                                           \
    "movs r6, #0\n"                                                                                                    \
    "mov r8, r6\n"                                                                                                     \
    "mov r9, r6\n"                                                                                                     \
    "mov r10, r6\n"                                                                                                    \
    "mov r11, r6\n"
#define RL_S16_LEAVE                                                                                                   \
    "ldr r0, [sp]\n"                                                                                                   \
    "ldr r0, [r0, #20]\n" RL_HIGH_TO_LOW "stmia r0!, {r4-r7}\n"                                                        \
    "pop {r0, r4-r7}\n" RL_LOW_TO_HIGH "pop {r4-r7, pc}\n"
#define RL_S16_GO                                                                                                      \
    "adr r6, 2f\n"                                                                                                     \
    "movs r7, #" RL_S16_STEP_BYTES "\n"                                                                                \
    "muls r5, r7, r5\n"                                                                                                \
    "adds r5, r5, r6\n"                                                                                                \
    "mov pc, r5\n"
#define RL_S16_OFFSETS                                                                                                 \
    "subs r2, r2, r1\n"                                                                                                \
    "subs r4, r4, r3\n"
#define RL_S16_SKIP       ""
#define RL_S16_ADVANCE    ""
#define RL_S16_STEP_BYTES "36"
// 22 cycles on a Cortex-M0.
#define RL_S16_STEP(at)                                                                                                \
    "movs r0, #0\n"                                                                                                    \
    "ldrsh r0, [r1, r0]\n"                                                                                             \
    "ldrsh r5, [r1, r2]\n"                                                                                             \
    "movs r6, #0\n"                                                                                                    \
    "ldrsb r6, [r3, r6]\n"                                                                                             \
    "ldrsb r7, [r3, r4]\n"                                                                                             \
    "mov r12, r6\n"                                                                                                    \
    "muls r6, r0, r6\n"                                                                                                \
    "add r8, r6\n"                                                                                                     \
    "muls r0, r7, r0\n"                                                                                                \
    "add r9, r0\n"                                                                                                     \
    "muls r7, r5, r7\n"                                                                                                \
    "add r11, r7\n"                                                                                                    \
    "mov r6, r12\n"                                                                                                    \
    "muls r5, r6, r5\n"                                                                                                \
    "add r10, r5\n"                                                                                                    \
    "adds r1, r1, #2\n"                                                                                                \
    "adds r3, r3, #1\n"
#endif

// The job is at the top of the stack. A round has four steps. The first round starts at the step that leaves a multiple
// of four.
static __attribute__((naked, noinline)) void rl_dot_s16_run(__attribute__((unused)) struct rl_dot_s16 *job)
{
    __asm__(".syntax unified\n" RL_S16_ENTER "ldmia r0!, {r1-r5}\n" RL_S16_OFFSETS "adds r6, r3, r5\n"
            "mov lr, r6\n"
            "rsbs r5, r5, #0\n"
            "beq 4f\n"
            "movs r6, #3\n"
            "ands r5, r5, r6\n" RL_S16_SKIP RL_S16_GO ".balign 4\n"
            "2:\n" RL_S16_STEP(0) RL_S16_STEP(1) RL_S16_STEP(2) RL_S16_STEP(3)  //
            "3:\n" RL_SIZE_CHECK("2b", "4 * " RL_S16_STEP_BYTES) RL_S16_ADVANCE //
            "cmp r3, lr\n"
            "bne 2b\n"
            "4:\n" RL_S16_LEAVE);
}

// The empty statements tell the compiler that the assembler reads and writes memory through the job.
static inline void rl_dot_s16_s8_2x2(const int16_t *x_0, const int16_t *x_1, const int8_t *w_0, const int8_t *w_1,
                                     int32_t count, int32_t sums[4])
{
    struct rl_dot_s16 job = {.x_0 = x_0, .x_1 = x_1, .w_0 = w_0, .w_1 = w_1, .count = count, .sums = sums};
    __asm__ volatile("" : : "r"(&job) : "memory");
    rl_dot_s16_run(&job);
    __asm__ volatile("" : : "r"(&job) : "memory");
}

#endif
