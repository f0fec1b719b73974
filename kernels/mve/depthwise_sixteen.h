// SPDX-License-Identifier: Apache-2.0
// All channels of a column of outputs of a depthwise convolution, 16 at a time, or two overlapping groups of eight. In
// assembler because four sums and their operands take all vectors, and because compilers wait for products.
// depthwise_sixteen_plain.h is the same in C.
#ifndef RL_KERNELS_MVE_DEPTHWISE_SIXTEEN_H
#define RL_KERNELS_MVE_DEPTHWISE_SIXTEEN_H

#include "mve/depthwise_sixteen_plain.h"
#include "mve/dot_rows.h"

__extension__ _Static_assert(offsetof(struct rl_sixteen, groups) == 24 && offsetof(struct rl_sixteen, taps) == 28 &&
                                 offsetof(struct rl_sixteen, input_offset) == 36 &&
                                 offsetof(struct rl_sixteen, output_offset) == 40 &&
                                 offsetof(struct rl_sixteen, limits) == 44 &&
                                 offsetof(struct rl_sixteen, next_input) == 76 &&
                                 offsetof(struct rl_sixteen, rows) == 88 && offsetof(struct rl_sixteen, line) == 96,
                             "the assembler below uses these offsets");

// clang-format off
// r1 to r3 are bias, multiplier and shift, r4 and r5 the input and the weights of a tap, r6 the output, r7 the groups
// that are left, r8 the distances of the next tap, r9 and r10 the places from which they count. q0 to q3 are the sums
// of the even and of the odd channels of eight, and of the next eight. The stack holds the place of the output, the
// groups that are left, the table of taps and their number, the next row, and how many are left.
#define RL_SIXTEEN_BEGIN                                                                                               \
    "push {r7, lr}\n"                                                                                                  \
    "ldrd r4, r5, [r0, #88]\n"                                                                                         \
    "ldr r6, [r0, #20]\n"                                                                                              \
    "push {r4, r5}\n"                                                                                                  \
    "ldr r7, [r0, #28]\n"                                                                                              \
    "sub sp, sp, #16\n"                                                                                                \
    "str r6, [sp]\n"                                                                                                   \
    "str r7, [sp, #8]\n"                                                                                               \
    "4:\n"                                                                                                             \
    "ldr r8, [sp, #16]\n"                                                                                              \
    "ldr r7, [r0, #32]\n"                                                                                              \
    "ldm r8!, {r9, r10, r12}\n"                                                                                        \
    "ldm r0, {r1-r5}\n"                                                                                                \
    "mul r12, r12, r7\n"                                                                                               \
    "str r8, [sp, #16]\n"                                                                                              \
    "ldr r7, [r0, #24]\n"                                                                                              \
    "add r9, r9, r4\n"                                                                                                 \
    "ldr r11, [r0, #36]\n"                                                                                             \
    "add r10, r10, r5\n"                                                                                               \
    "ldr r6, [sp]\n"                                                                                                   \
    "str r7, [sp, #4]\n"                                                                                               \
    "str r12, [sp, #12]\n"                                                                                             \
    ".p2align 2\n"

#define RL_SIXTEEN_SUMS                                                                                                \
    "1:\n"                                                                                                             \
    "ldrd r8, lr, [sp, #8]\n"                                                                                          \
    "vld20.32 {q0, q1}, [r1]\n"                                                                                        \
    "ldrd r4, r5, [r8], #8\n"                                                                                          \
    "vld21.32 {q0, q1}, [r1]!\n"                                                                                       \
    "add r4, r4, r9\n"                                                                                                 \
    "vld20.32 {q2, q3}, [r1]\n"                                                                                        \
    "add r5, r5, r10\n"                                                                                                \
    "vld21.32 {q2, q3}, [r1]!\n"                                                                                       \
    "ldrd r12, r7, [r8], #8\n"                                                                                         \
    "vmov.i32 q6, #0\n"                                                                                                \
    "vmov.i32 q7, #0\n"                                                                                                \
    "wls lr, lr, 3f\n"                                                                                                 \
    ".p2align 2\n"                                                                                                     \
    "2:\n"                                                                                                             \
    "vldrb.s16 q4, [r4]\n"                                                                                             \
    "vadd.i16 q4, q4, r11\n"                                                                                           \
    "vldrb.s16 q5, [r5]\n"                                                                                             \
    "vadd.i32 q2, q2, q6\n"                                                                                            \
    "vmullb.s16 q6, q4, q5\n"                                                                                          \
    "vadd.i32 q3, q3, q7\n"                                                                                            \
    "vmullt.s16 q4, q4, q5\n"                                                                                          \
    "vadd.i32 q0, q0, q6\n"                                                                                            \
    "vldrb.s16 q7, [r4, #8]\n"                                                                                         \
    "vadd.i16 q7, q7, r11\n"                                                                                           \
    "vldrb.s16 q5, [r5, #8]\n"                                                                                         \
    "vmullb.s16 q6, q7, q5\n"                                                                                          \
    "vadd.i32 q1, q1, q4\n"                                                                                            \
    "vmullt.s16 q7, q7, q5\n"                                                                                          \
    "add r4, r12, r9\n"                                                                                                \
    "add r5, r7, r10\n"                                                                                                \
    "ldrd r12, r7, [r8], #8\n"                                                                                         \
    "le lr, 2b\n"                                                                                                      \
    "3:\n"                                                                                                             \
    "vadd.i32 q2, q2, q6\n"                                                                                            \
    "mov r12, #1\n"                                                                                                    \
    "vadd.i32 q3, q3, q7\n"                                                                                            \
    "ldr r7, [sp, #4]\n"

// The same for eight channels and another eight at any distance. r1 and r2 are the places from which the others count,
// r3 and r6 point to the input and the weights of their tap.
#define RL_EIGHTS_SUMS                                                                                                 \
    "ldrd r8, lr, [sp, #8]\n"                                                                                          \
    "vld20.32 {q0, q1}, [r1]\n"                                                                                        \
    "ldrd r12, r7, [r8], #8\n"                                                                                         \
    "vld21.32 {q0, q1}, [r1]!\n"                                                                                       \
    "add r4, r12, r9\n"                                                                                                \
    "vld20.32 {q2, q3}, [r1]\n"                                                                                        \
    "add r5, r7, r10\n"                                                                                                \
    "vld21.32 {q2, q3}, [r1]\n"                                                                                        \
    "ldrd r1, r2, [r0, #76]\n"                                                                                         \
    "vmov.i32 q6, #0\n"                                                                                                \
    "add r1, r1, r9\n"                                                                                                 \
    "vmov.i32 q7, #0\n"                                                                                                \
    "add r2, r2, r10\n"                                                                                                \
    "wls lr, lr, 3f\n"                                                                                                 \
    ".p2align 2\n"                                                                                                     \
    "2:\n"                                                                                                             \
    "vldrb.s16 q4, [r4]\n"                                                                                             \
    "add r3, r12, r1\n"                                                                                                \
    "vadd.i16 q4, q4, r11\n"                                                                                           \
    "vldrb.s16 q5, [r5]\n"                                                                                             \
    "vadd.i32 q2, q2, q6\n"                                                                                            \
    "add r6, r7, r2\n"                                                                                                 \
    "vmullb.s16 q6, q4, q5\n"                                                                                          \
    "vadd.i32 q3, q3, q7\n"                                                                                            \
    "vmullt.s16 q4, q4, q5\n"                                                                                          \
    "vadd.i32 q0, q0, q6\n"                                                                                            \
    "vldrb.s16 q7, [r3]\n"                                                                                             \
    "vadd.i16 q7, q7, r11\n"                                                                                           \
    "vldrb.s16 q5, [r6]\n"                                                                                             \
    "ldrd r12, r7, [r8], #8\n"                                                                                         \
    "vmullb.s16 q6, q7, q5\n"                                                                                          \
    "vadd.i32 q1, q1, q4\n"                                                                                            \
    "add r4, r12, r9\n"                                                                                                \
    "vmullt.s16 q7, q7, q5\n"                                                                                          \
    "add r5, r7, r10\n"                                                                                                \
    "le lr, 2b\n"                                                                                                      \
    "3:\n"                                                                                                             \
    "vadd.i32 q2, q2, q6\n"                                                                                            \
    "ldrd r2, r3, [r0, #4]\n"                                                                                          \
    "vadd.i32 q3, q3, q7\n"                                                                                            \
    "ldr r8, [r0, #84]\n"                                                                                              \
    "mov r12, #1\n"                                                                                                    \
    "sub r8, r8, #8\n"                                                                                                 \
    "ldrd r6, r7, [sp]\n"

// Scales 16 channels whose shifts are -1 or less and stores them. `advance` moves r6 from behind the first eight outputs
// to the others.
#define RL_SIXTEEN_RIGHT(advance)                                                                                      \
    "vld20.32 {q4, q5}, [r2]\n"                                                                                        \
    "ldr r4, [r0, #40]\n"                                                                                              \
    "vld21.32 {q4, q5}, [r2]!\n"                                                                                       \
    "add r5, r0, #44\n"                                                                                                \
    "vqrdmulh.s32 q6, q0, q4\n"                                                                                        \
    "add r9, r9, #16\n"                                                                                                \
    "vqrdmulh.s32 q7, q1, q5\n"                                                                                        \
    "vld20.32 {q4, q5}, [r3]\n"                                                                                        \
    "vqdmlah.s32 q6, q0, r12\n"                                                                                        \
    "vld21.32 {q4, q5}, [r3]!\n"                                                                                       \
    "vqdmlah.s32 q7, q1, r12\n"                                                                                        \
    "vrshl.s32 q6, q6, q4\n"                                                                                           \
    "vld20.32 {q0, q1}, [r2]\n"                                                                                        \
    "vrshl.s32 q7, q7, q5\n"                                                                                           \
    "vld21.32 {q0, q1}, [r2]!\n"                                                                                       \
    "vqmovnb.s32 q4, q6\n"                                                                                             \
    "vqrdmulh.s32 q6, q2, q0\n"                                                                                        \
    "vqmovnt.s32 q4, q7\n"                                                                                             \
    "vqrdmulh.s32 q7, q3, q1\n"                                                                                        \
    "vld20.32 {q0, q1}, [r3]\n"                                                                                        \
    "vqdmlah.s32 q6, q2, r12\n"                                                                                        \
    "vld21.32 {q0, q1}, [r3]!\n"                                                                                       \
    "vqadd.s16 q4, q4, r4\n"                                                                                           \
    "vqdmlah.s32 q7, q3, r12\n"                                                                                        \
    "vldrh.u16 q2, [r5]\n"                                                                                             \
    "vrshl.s32 q6, q6, q0\n"                                                                                           \
    "vldrh.u16 q3, [r5, #16]\n"                                                                                        \
    "vrshl.s32 q7, q7, q1\n"                                                                                           \
    "add r10, r10, #16\n"                                                                                              \
    "vmax.s16 q4, q4, q2\n"                                                                                            \
    "vqmovnb.s32 q5, q6\n"                                                                                             \
    "vmin.s16 q4, q4, q3\n"                                                                                            \
    "vqmovnt.s32 q5, q7\n"                                                                                             \
    "vstrb.16 q4, [r6], #8\n"                                                                                          \
    advance                                                                                                            \
    "vqadd.s16 q5, q5, r4\n"                                                                                           \
    "subs r7, r7, #1\n"                                                                                                \
    "str r7, [sp, #4]\n"                                                                                               \
    "vmax.s16 q5, q5, q2\n"                                                                                            \
    "vmin.s16 q5, q5, q3\n"                                                                                            \
    "vstrb.16 q5, [r6], #8\n"

// Scales and stores eight channels. As rl_requantize_lanes_mve.
#define RL_SIXTEEN_ANY(even, odd)                                                                                      \
    "vld20.32 {q4, q5}, [r3]\n"                                                                                        \
    "vmov.i32 q7, #0\n"                                                                                                \
    "vld21.32 {q4, q5}, [r3]!\n"                                                                                       \
    "vmax.s32 q6, q4, q7\n"                                                                                            \
    "vshl.s32 " even ", " even ", q6\n"                                                                                \
    "vmax.s32 q6, q5, q7\n"                                                                                            \
    "vshl.s32 " odd ", " odd ", q6\n"                                                                                  \
    "vmin.s32 q4, q4, q7\n"                                                                                            \
    "vmin.s32 q5, q5, q7\n"                                                                                            \
    "vld20.32 {q6, q7}, [r2]\n"                                                                                        \
    "vld21.32 {q6, q7}, [r2]!\n"                                                                                       \
    "vqrdmulh.s32 " even ", " even ", q6\n"                                                                            \
    "vqrdmulh.s32 " odd ", " odd ", q7\n"                                                                              \
    "vand q6, " even ", q4\n"                                                                                          \
    "vshr.s32 q6, q6, #31\n"                                                                                           \
    "vand q7, " odd ", q5\n"                                                                                           \
    "vqadd.s32 " even ", " even ", q6\n"                                                                               \
    "vshr.s32 q7, q7, #31\n"                                                                                           \
    "vrshl.s32 " even ", " even ", q4\n"                                                                               \
    "vqadd.s32 " odd ", " odd ", q7\n"                                                                                 \
    "vqmovnb.s32 q6, " even "\n"                                                                                       \
    "vrshl.s32 " odd ", " odd ", q5\n"                                                                                 \
    "vldrh.u16 q7, [r5]\n"                                                                                             \
    "vqmovnt.s32 q6, " odd "\n"                                                                                        \
    "vqadd.s16 q6, q6, r4\n"                                                                                           \
    "vldrh.u16 q4, [r5, #16]\n"                                                                                        \
    "vmax.s16 q6, q6, q7\n"                                                                                            \
    "vmin.s16 q6, q6, q4\n"                                                                                            \
    "vstrb.16 q6, [r6], #8\n"

// As RL_SIXTEEN_RIGHT for any shifts.
#define RL_SIXTEEN_ANY_SHIFT(advance)                                                                                  \
    "ldr r4, [r0, #40]\n"                                                                                              \
    "add r5, r0, #44\n"                                                                                                \
    RL_SIXTEEN_ANY("q0", "q1") advance RL_SIXTEEN_ANY("q2", "q3")                                                      \
    "add r9, r9, #16\n"                                                                                                \
    "add r10, r10, #16\n"                                                                                              \
    "subs r7, r7, #1\n"                                                                                                \
    "str r7, [sp, #4]\n"

#define RL_SIXTEEN_END                                                                                                 \
    "ldr r5, [sp, #20]\n"                                                                                              \
    "ldr r6, [sp]\n"                                                                                                   \
    "ldr r7, [r0, #96]\n"                                                                                              \
    "subs r5, r5, #1\n"                                                                                                \
    "add r6, r6, r7\n"                                                                                                 \
    "str r5, [sp, #20]\n"                                                                                              \
    "str r6, [sp]\n"                                                                                                   \
    "bne 4b\n"                                                                                                         \
    "add sp, sp, #24\n"                                                                                                \
    "pop {r7, pc}\n"

static __attribute__((naked, noinline)) void rl_depthwise_sixteen(__attribute__((unused)) const void *sixteen)
{
    __asm__(RL_SIXTEEN_BEGIN RL_SIXTEEN_SUMS RL_SIXTEEN_RIGHT("") "bne 1b\n" RL_SIXTEEN_END);
}

static __attribute__((naked, noinline)) void rl_depthwise_sixteen_any(__attribute__((unused)) const void *sixteen)
{
    __asm__(RL_SIXTEEN_BEGIN RL_SIXTEEN_SUMS RL_SIXTEEN_ANY_SHIFT("") "bne 1b\n" RL_SIXTEEN_END);
}

static __attribute__((naked, noinline)) void rl_depthwise_eights(__attribute__((unused)) const void *sixteen)
{
    __asm__(RL_SIXTEEN_BEGIN RL_EIGHTS_SUMS RL_SIXTEEN_RIGHT("add r6, r6, r8\n") RL_SIXTEEN_END);
}

static __attribute__((naked, noinline)) void rl_depthwise_eights_any(__attribute__((unused)) const void *sixteen)
{
    __asm__(RL_SIXTEEN_BEGIN RL_EIGHTS_SUMS RL_SIXTEEN_ANY_SHIFT("add r6, r6, r8\n") RL_SIXTEEN_END);
}
// clang-format on

#endif
