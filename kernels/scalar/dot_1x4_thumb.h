// SPDX-License-Identifier: Apache-2.0
// rl_dot_1x4 in assembler for cores without the DSP extension. Five pointers and four sums take every core register,
// and compilers spill some in each round. dot_1x4_plain.h is the same in C. Included by scalar/dot_1x4.h.
#ifndef RL_KERNELS_SCALAR_DOT_1X4_THUMB_H
#define RL_KERNELS_SCALAR_DOT_1X4_THUMB_H

_Static_assert(offsetof(struct rl_dot_1x4, depth) == 16 && offsetof(struct rl_dot_1x4, sums) == 24,
               "the assembler below uses these offsets");

#if RL_HAS_LONG_MULTIPLY

// One value, 40 bytes of code: 16 cycles for 4 products on a Cortex-M3, where loads right after loads are cheap if they
// do not advance their pointer. r0 is
// the row, r1 filter 0, r2 step, r3 filter 3, r4-r7 sums, r8 offset, r9 a value, r10-r12 and lr weights.
#define RL_DOT_1X4_STEP(at)                                                                                            \
    "ldrsb.w r9, [r0, #" #at "]\n"                                                                                     \
    "ldrsb.w r10, [r1, r2]\n"                                                                                          \
    "ldrsb.w r11, [r1, r2, lsl #1]\n"                                                                                  \
    "ldrsb r12, [r1], #1\n"                                                                                            \
    "ldrsb.w lr, [r3, #" #at "]\n"                                                                                     \
    "add.w r9, r9, r8\n"                                                                                               \
    "mla r5, r9, r10, r5\n"                                                                                            \
    "mla r6, r9, r11, r6\n"                                                                                            \
    "mla r4, r9, r12, r4\n"                                                                                            \
    "mla r7, r9, lr, r7\n"

// The top of the stack holds the end of the row, then the job. A round has eight steps. The first round starts at the
// step that leaves a multiple of eight.
static __attribute__((naked, noinline)) void rl_dot_1x4_run(__attribute__((unused)) struct rl_dot_1x4 *job)
{
    __asm__(".syntax unified\n"
            "push {r0, r4-r11, lr}\n"
            "mov r12, r0\n"
            "ldm r12!, {r0-r3, r9, r10}\n"
            "ldm r12, {r4-r7}\n"
            "mov r8, r10\n"
            "add r10, r0, r9\n"
            "push {r10}\n"
            "rsb r9, r9, #0\n"
            "and r9, r9, #7\n"
            "sub r0, r0, r9\n"
            "sub r3, r3, r9\n"
            "add r9, r9, r9, lsl #2\n"
            "adr r10, 2f\n"
            "add r9, r10, r9, lsl #3\n"
            "mov pc, r9\n"
            ".balign 4\n"
            "2:\n" RL_DOT_1X4_STEP(0) RL_DOT_1X4_STEP(1) RL_DOT_1X4_STEP(2) RL_DOT_1X4_STEP(3) //
            RL_DOT_1X4_STEP(4) RL_DOT_1X4_STEP(5) RL_DOT_1X4_STEP(6) RL_DOT_1X4_STEP(7)        //
            RL_SIZE_CHECK("2b", "8 * 40")                                                      //
            "adds r0, r0, #8\n"
            "adds r3, r3, #8\n"
            "ldr r10, [sp]\n"
            "cmp r0, r10\n"
            "bne 2b\n"
            "pop {r0, r1}\n"
            "add r1, r1, #24\n"
            "stm r1, {r4-r7}\n"
            "pop {r4-r11, pc}\n");
}

#else

// One value, 30 bytes of code: 20 cycles for 4 products on a Cortex-M0. r0 is the end of the row, r1-r4 the ends of the
// filters, r5 the index, which is below 0, r6 a value, r7 a weight, r8-r11 sums, r12 offset.
#define RL_DOT_1X4_STEP                                                                                                \
    "ldrsb r6, [r0, r5]\n"                                                                                             \
    "add r6, r12\n"                                                                                                    \
    "ldrsb r7, [r1, r5]\n"                                                                                             \
    "muls r7, r6, r7\n"                                                                                                \
    "add r8, r7\n"                                                                                                     \
    "ldrsb r7, [r2, r5]\n"                                                                                             \
    "muls r7, r6, r7\n"                                                                                                \
    "add r9, r7\n"                                                                                                     \
    "ldrsb r7, [r3, r5]\n"                                                                                             \
    "muls r7, r6, r7\n"                                                                                                \
    "add r10, r7\n"                                                                                                    \
    "ldrsb r7, [r4, r5]\n"                                                                                             \
    "muls r7, r6, r7\n"                                                                                                \
    "add r11, r7\n"                                                                                                    \
    "adds r5, r5, #1\n"

// The top of the stack holds the job. A round has eight steps, in small code four. The first round starts at the step
// that leaves a multiple of them.
static __attribute__((naked, noinline)) void rl_dot_1x4_run(__attribute__((unused)) struct rl_dot_1x4 *job)
{
    __asm__(".syntax unified\n"
            "push {r4-r7, lr}\n"
            "mov r4, r8\n"
            "mov r5, r9\n"
            "mov r6, r10\n"
            "mov r7, r11\n"
            "push {r0, r4-r7}\n"
            "ldr r1, [r0, #20]\n"
            "mov r12, r1\n"
            "movs r7, r0\n"
            "adds r7, r7, #24\n"
            "ldmia r7!, {r1-r4}\n"
            "mov r8, r1\n"
            "mov r9, r2\n"
            "mov r10, r3\n"
            "mov r11, r4\n"
            "ldmia r0!, {r1-r5}\n"
            "adds r0, r1, r5\n"
            "adds r1, r2, r5\n"
            "adds r2, r1, r3\n"
            "adds r3, r2, r3\n"
            "adds r4, r4, r5\n"
            "rsbs r5, r5, #0\n"
            "movs r6, #7 - 4 * " RL_SMALL_TEXT "\n"
            "ands r6, r6, r5\n"
            "movs r7, #30\n"
            "muls r7, r6, r7\n"
            "adr r6, 2f\n"
            "adds r6, r6, r7\n"
            "mov pc, r6\n"
            ".balign 4\n"
            "2:\n" RL_DOT_1X4_STEP RL_DOT_1X4_STEP RL_DOT_1X4_STEP RL_DOT_1X4_STEP                     //
            ".if !" RL_SMALL_TEXT "\n" RL_DOT_1X4_STEP RL_DOT_1X4_STEP RL_DOT_1X4_STEP RL_DOT_1X4_STEP //
            ".endif\n"                                                                                 //
            RL_SIZE_CHECK("2b", "30 * (8 - 4 * " RL_SMALL_TEXT ")")                                    //
            "bne 2b\n"
            "ldr r4, [sp]\n"
            "adds r4, r4, #24\n"
            "mov r0, r8\n"
            "mov r1, r9\n"
            "mov r2, r10\n"
            "mov r3, r11\n"
            "stmia r4!, {r0-r3}\n"
            "pop {r0, r4-r7}\n"
            "mov r8, r4\n"
            "mov r9, r5\n"
            "mov r10, r6\n"
            "mov r11, r7\n"
            "pop {r4-r7, pc}\n");
}

#endif

// The empty statements tell the compiler that the assembler reads and writes memory through the job.
static inline void rl_dot_1x4(struct rl_dot_1x4 *job)
{
    __asm__ volatile("" : : "r"(job) : "memory");
    rl_dot_1x4_run(job);
    __asm__ volatile("" : : "r"(job) : "memory");
}

#endif
