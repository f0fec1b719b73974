// SPDX-License-Identifier: Apache-2.0
// rl_dot_1x4 in assembler for cores without the DSP extension. Five pointers and four sums take every core register,
// and compilers spill some in each round. dot_1x4_plain.h is the same in C. Included by scalar/dot_1x4.h.
#ifndef RL_KERNELS_SCALAR_DOT_1X4_THUMB_H
#define RL_KERNELS_SCALAR_DOT_1X4_THUMB_H

__extension__ _Static_assert(offsetof(struct rl_dot_1x4, depth) == 16 && offsetof(struct rl_dot_1x4, sums) == 24,
                             "the assembler below uses these offsets");

#if RL_HAS_LONG_MULTIPLY

// One value, 40 bytes of code: 16 cycles for 4 products on a Cortex-M3, where loads right after loads are cheap if they
// do not advance their pointer; 36 bytes and 15 cycles without `add`. r0 is the row, r1 filter 0, r2 step, r3 filter 3,
// r4-r7 sums, r8 offset, r9 a value, r10-r12 and lr weights.
#define RL_DOT_1X4_ADD "add.w r9, r9, r8\n"
#define RL_DOT_1X4_STEP(at, add)                                                                                       \
    "ldrsb.w r9, [r0, #" #at "]\n"                                                                                     \
    "ldrsb.w r10, [r1, r2]\n"                                                                                          \
    "ldrsb.w r11, [r1, r2, lsl #1]\n"                                                                                  \
    "ldrsb r12, [r1], #1\n"                                                                                            \
    "ldrsb.w lr, [r3, #" #at "]\n" add "mla r5, r9, r10, r5\n"                                                         \
    "mla r6, r9, r11, r6\n"                                                                                            \
    "mla r4, r9, r12, r4\n"                                                                                            \
    "mla r7, r9, lr, r7\n"

// The top of the stack holds the end of the row, then the job. A round has eight steps. The first round starts at the
// step that leaves a multiple of eight. `bytes` is the size of a step.
#define RL_DOT_1X4(add, bytes)                                                                                         \
    ".syntax unified\n"                                                                                                \
    "push {r0, r4-r11, lr}\n"                                                                                          \
    "mov r12, r0\n"                                                                                                    \
    "ldm r12!, {r0-r3, r9, r10}\n"                                                                                     \
    "ldm r12, {r4-r7}\n"                                                                                               \
    "mov r8, r10\n"                                                                                                    \
    "add r10, r0, r9\n"                                                                                                \
    "push {r10}\n"                                                                                                     \
    "rsb r9, r9, #0\n"                                                                                                 \
    "and r9, r9, #7\n"                                                                                                 \
    "sub r0, r0, r9\n"                                                                                                 \
    "sub r3, r3, r9\n"                                                                                                 \
    "adr r10, 2f\n"                                                                                                    \
    "mov r11, #" bytes "\n"                                                                                            \
    "mla r9, r9, r11, r10\n"                                                                                           \
    "mov pc, r9\n"                                                                                                     \
    ".balign 4\n"                                                                                                      \
    "2:\n" RL_DOT_1X4_STEP(0, add) RL_DOT_1X4_STEP(1, add) RL_DOT_1X4_STEP(2, add) RL_DOT_1X4_STEP(3, add)             \
        RL_DOT_1X4_STEP(4, add) RL_DOT_1X4_STEP(5, add) RL_DOT_1X4_STEP(6, add) RL_DOT_1X4_STEP(7, add)                \
            RL_SIZE_CHECK("2b", "8 * " bytes) "adds r0, r0, #8\n"                                                      \
                                              "adds r3, r3, #8\n"                                                      \
                                              "ldr r10, [sp]\n"                                                        \
                                              "cmp r0, r10\n"                                                          \
                                              "bne 2b\n"                                                               \
                                              "pop {r0, r1}\n"                                                         \
                                              "add r1, r1, #24\n"                                                      \
                                              "stm r1, {r4-r7}\n"                                                      \
                                              "pop {r4-r11, pc}\n"
#define RL_DOT_1X4_OFFSET RL_DOT_1X4(RL_DOT_1X4_ADD, "40")
#define RL_DOT_1X4_ZERO   RL_DOT_1X4("", "36")

#else

// One value, 30 bytes of code: 20 cycles for 4 products on a Cortex-M0; 28 bytes and 19 cycles without `add`. r0 is the
// end of the row, r1-r4 the ends of the filters, r5 the index, which is below 0, r6 a value, r7 a weight, r8-r11 sums,
// r12 offset.
#define RL_DOT_1X4_ADD "add r6, r12\n"
#define RL_DOT_1X4_STEP(add)                                                                                           \
    "ldrsb r6, [r0, r5]\n" add "ldrsb r7, [r1, r5]\n"                                                                  \
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
#define RL_DOT_1X4_FOUR(add) RL_DOT_1X4_STEP(add) RL_DOT_1X4_STEP(add) RL_DOT_1X4_STEP(add) RL_DOT_1X4_STEP(add)

// The top of the stack holds the job. A round has eight steps, in small code four. The first round starts at the step
// that leaves a multiple of them. `bytes` is the size of a step.
#define RL_DOT_1X4(add, bytes)                                                                                         \
    ".syntax unified\n"                                                                                                \
    "push {r4-r7, lr}\n" RL_HIGH_TO_LOW "push {r0, r4-r7}\n"                                                           \
    "ldr r1, [r0, #20]\n"                                                                                              \
    "mov r12, r1\n"                                                                                                    \
    "movs r7, r0\n"                                                                                                    \
    "adds r7, r7, #24\n"                                                                                               \
    "ldmia r7!, {r1-r4}\n"                                                                                             \
    "mov r8, r1\n"                                                                                                     \
    "mov r9, r2\n"                                                                                                     \
    "mov r10, r3\n"                                                                                                    \
    "mov r11, r4\n"                                                                                                    \
    "ldmia r0!, {r1-r5}\n"                                                                                             \
    "adds r0, r1, r5\n"                                                                                                \
    "adds r1, r2, r5\n"                                                                                                \
    "adds r2, r1, r3\n"                                                                                                \
    "adds r3, r2, r3\n"                                                                                                \
    "adds r4, r4, r5\n"                                                                                                \
    "rsbs r5, r5, #0\n"                                                                                                \
    "movs r6, #7 - 4 * " RL_SMALL_TEXT "\n"                                                                            \
    "ands r6, r6, r5\n"                                                                                                \
    "movs r7, #" bytes "\n"                                                                                            \
    "muls r7, r6, r7\n"                                                                                                \
    "adr r6, 2f\n"                                                                                                     \
    "adds r6, r6, r7\n"                                                                                                \
    "mov pc, r6\n"                                                                                                     \
    ".balign 4\n"                                                                                                      \
    "2:\n" RL_DOT_1X4_FOUR(add) ".if !" RL_SMALL_TEXT "\n" RL_DOT_1X4_FOUR(add) ".endif\n" RL_SIZE_CHECK(              \
        "2b", bytes " * (8 - 4 * " RL_SMALL_TEXT ")") "bne 2b\n"                                                       \
                                                      "ldr r4, [sp]\n"                                                 \
                                                      "adds r4, r4, #24\n"                                             \
                                                      "mov r0, r8\n"                                                   \
                                                      "mov r1, r9\n"                                                   \
                                                      "mov r2, r10\n"                                                  \
                                                      "mov r3, r11\n"                                                  \
                                                      "stmia r4!, {r0-r3}\n"                                           \
                                                      "pop {r0, r4-r7}\n" RL_LOW_TO_HIGH "pop {r4-r7, pc}\n"
#define RL_DOT_1X4_OFFSET RL_DOT_1X4(RL_DOT_1X4_ADD, "30")
#define RL_DOT_1X4_ZERO   RL_DOT_1X4("", "28")

#endif

static __attribute__((naked, noinline)) void rl_dot_1x4_run(__attribute__((unused)) struct rl_dot_1x4 *job)
{
    __asm__(RL_DOT_1X4_OFFSET);
}

// The same for the offset 0.
static __attribute__((naked, noinline)) void rl_dot_1x4_zero(__attribute__((unused)) struct rl_dot_1x4 *job)
{
    __asm__(RL_DOT_1X4_ZERO);
}

// The empty statements tell the compiler that the assembler reads and writes memory through the job.
static inline void rl_dot_1x4(struct rl_dot_1x4 *job)
{
    __asm__ volatile("" : : "r"(job) : "memory");
    if (!RL_SMALL && job->offset == 0) {
        rl_dot_1x4_zero(job);
    } else {
        rl_dot_1x4_run(job);
    }
    __asm__ volatile("" : : "r"(job) : "memory");
}

#endif
