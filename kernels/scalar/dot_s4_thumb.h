// SPDX-License-Identifier: Apache-2.0
// rl_dot_s4_bytes in assembler for cores without the DSP extension: compilers neither keep the loads together nor
// unroll without spilling. dot_s4_plain.h is the same in C. Included by scalar/dot_s4.h.
#ifndef RL_KERNELS_SCALAR_DOT_S4_THUMB_H
#define RL_KERNELS_SCALAR_DOT_S4_THUMB_H

__extension__ _Static_assert(offsetof(struct rl_dot_s4, sums) == 16 && offsetof(struct rl_dot_s4, pairs) == 20 &&
                                 offsetof(struct rl_dot_s4, bytes) == 24 && offsetof(struct rl_dot_s4, sum_step) == 32,
                             "the assembler below uses these offsets");

#if RL_HAS_LONG_MULTIPLY

#define RL_DOT_S4_FILTER(byte, sum)                                                                                    \
    "sbfx r10, " byte ", #0, #4\n"                                                                                     \
    "mla " sum ", r6, r10, " sum "\n"                                                                                  \
    "asr.w " byte ", " byte ", #4\n"                                                                                   \
    "mla " sum ", r7, " byte ", " sum "\n"

// One byte of each filter, 56 bytes of code: 19 cycles for 4 products on a Cortex-M3, where loads right after loads are
// cheap. r0 is the row, r1 and r2 are filters, r3 is the offset, r4 and r5 are sums, r11 counts bytes.
#define RL_DOT_S4_STEP(at)                                                                                             \
    "ldrsb.w r6, [r0, #2 * " #at "]\n"                                                                                 \
    "ldrsb.w r7, [r0, #2 * " #at " + 1]\n"                                                                             \
    "ldrsb.w r8, [r1, #" #at "]\n"                                                                                     \
    "ldrsb.w r9, [r2, #" #at "]\n"                                                                                     \
    "add.w r6, r6, r3\n"                                                                                               \
    "add.w r7, r7, r3\n" RL_DOT_S4_FILTER("r8", "r4") RL_DOT_S4_FILTER("r9", "r5")

// The job is at the top of the stack. A round has four steps. The first round starts at the step that leaves a multiple
// of four.
static __attribute__((naked, noinline)) void rl_dot_s4_run(__attribute__((unused)) struct rl_dot_s4 *job)
{
    __asm__(".syntax unified\n"
            "push {r0, r4-r11, lr}\n"
            "mov r12, r0\n"
            "ldm r12, {r0-r3}\n"
            "1:\n"
            "ldr r12, [sp]\n"
            "ldr r11, [r12, #24]\n"
            "ldr r0, [r12]\n"
            "movs r4, #0\n"
            "movs r5, #0\n"
            "rsb r6, r11, #0\n"
            "and r6, r6, #3\n"
            "sub r0, r0, r6, lsl #1\n"
            "sub r1, r1, r6\n"
            "sub r2, r2, r6\n"
            "add r11, r11, r6\n"
            "lsl r7, r6, #6\n"
            "sub r7, r7, r6, lsl #3\n"
            "adr r8, 2f\n"
            "add r7, r7, r8\n"
            "mov pc, r7\n"
            ".balign 4\n"
            "2:\n" RL_DOT_S4_STEP(0) RL_DOT_S4_STEP(1) RL_DOT_S4_STEP(2) RL_DOT_S4_STEP(3) //
            RL_SIZE_CHECK("2b", "4 * 56")                                                  //
            "add r0, r0, #8\n"
            "add r1, r1, #4\n"
            "add r2, r2, #4\n"
            "subs r11, r11, #4\n"
            "bne 2b\n"
            "ldr r12, [sp]\n"
            "ldrd r6, r7, [r12, #16]\n"
            "ldrd r8, r9, [r12, #24]\n"
            "ldr r10, [r12, #32]\n"
            "str r4, [r6]\n"
            "str r5, [r6, r10]\n"
            "add r6, r6, r10, lsl #1\n"
            "sub r2, r2, r8\n"
            "add r1, r2, r9\n"
            "add r2, r1, r9\n"
            "subs r7, r7, #1\n"
            "strd r6, r7, [r12, #16]\n"
            "bne.w 1b\n"
            "pop {r0, r4-r11, pc}\n");
}

#else

// One byte of each filter, 48 bytes of code: 28 cycles for 4 products on a Cortex-M0. r0 is the row, r1 and r2 are
// filters, lr is the end of the first, r3 and r4 are weights, r5 is a value, r8 and r9 are sums, r10 is where they go,
// r11 counts pairs, r12 is the offset.
#define RL_DOT_S4_VALUE(at)                                                                                            \
    "ldrb r5, [r0, #" #at "]\n"                                                                                        \
    "sxtb r5, r5\n"                                                                                                    \
    "add r5, r12\n"
#define RL_DOT_S4_LOWER(byte, sum)                                                                                     \
    "lsls r6, " byte ", #28\n"                                                                                         \
    "asrs r6, r6, #28\n"                                                                                               \
    "muls r6, r5, r6\n"                                                                                                \
    "add " sum ", r6\n"
#define RL_DOT_S4_UPPER(byte, sum)                                                                                     \
    "sxtb r6, " byte "\n"                                                                                              \
    "asrs r6, r6, #4\n"                                                                                                \
    "muls r6, r5, r6\n"                                                                                                \
    "add " sum ", r6\n"
#define RL_DOT_S4_STEP(at)                                                                                             \
    "ldrb r3, [r1, #" #at "]\n"                                                                                        \
    "ldrb r4, [r2, #" #at "]\n" RL_DOT_S4_VALUE(2 * at) RL_DOT_S4_LOWER("r3", "r8") RL_DOT_S4_LOWER("r4", "r9")        \
        RL_DOT_S4_VALUE(2 * at + 1) RL_DOT_S4_UPPER("r3", "r8") RL_DOT_S4_UPPER("r4", "r9")

static __attribute__((naked, noinline)) void rl_dot_s4_run(__attribute__((unused)) struct rl_dot_s4 *job)
{
    __asm__(".syntax unified\n"
            "push {r4-r7, lr}\n" RL_HIGH_TO_LOW "push {r0, r4-r7}\n"
            "ldr r1, [r0, #12]\n"
            "ldr r2, [r0, #16]\n"
            "ldr r3, [r0, #20]\n"
            "mov r12, r1\n"
            "mov r10, r2\n"
            "mov r11, r3\n"
            "ldr r1, [r0, #4]\n"
            "ldr r2, [r0, #8]\n"
            "1:\n"
            "ldr r4, [sp]\n"
            "ldr r5, [r4, #24]\n"
            "ldr r0, [r4]\n"
            "movs r3, #0\n"
            "mov r8, r3\n"
            "mov r9, r3\n"
            "adds r6, r1, r5\n"
            "mov lr, r6\n"
            "rsbs r6, r5, #0\n"
            "movs r7, #3\n"
            "ands r6, r6, r7\n"
            "subs r1, r1, r6\n"
            "subs r2, r2, r6\n"
            "lsls r7, r6, #1\n"
            "subs r0, r0, r7\n"
            "movs r7, #48\n"
            "muls r7, r6, r7\n"
            "adr r6, 2f\n"
            "adds r6, r6, r7\n"
            "mov pc, r6\n"
            ".balign 4\n"
            "2:\n" RL_DOT_S4_STEP(0) RL_DOT_S4_STEP(1) RL_DOT_S4_STEP(2) RL_DOT_S4_STEP(3) //
            RL_SIZE_CHECK("2b", "4 * 48")                                                  //
            "adds r0, r0, #8\n"
            "adds r1, r1, #4\n"
            "adds r2, r2, #4\n"
            "cmp r1, lr\n"
            "bne 2b\n"
            "ldr r7, [sp]\n"
            "ldr r3, [r7, #32]\n"
            "mov r4, r10\n"
            "mov r5, r8\n"
            "mov r6, r9\n"
            "str r5, [r4]\n"
            "str r6, [r4, r3]\n"
            "adds r4, r4, r3\n"
            "adds r4, r4, r3\n"
            "mov r10, r4\n"
            "ldr r5, [r7, #24]\n"
            "ldr r6, [r7, #28]\n"
            "subs r2, r2, r5\n"
            "adds r1, r2, r6\n"
            "adds r2, r1, r6\n"
            "mov r3, r11\n"
            "subs r3, r3, #1\n"
            "mov r11, r3\n"
            "beq 3f\n"
            "b 1b\n"
            "3:\n"
            "pop {r0, r4-r7}\n" RL_LOW_TO_HIGH "pop {r4-r7, pc}\n");
}

#endif

// The empty statements tell the compiler that the assembler reads and writes memory through the job.
static inline void rl_dot_s4_bytes(struct rl_dot_s4 *job)
{
    __asm__ volatile("" : : "r"(job) : "memory");
    rl_dot_s4_run(job);
    __asm__ volatile("" : : "r"(job) : "memory");
}

#endif
