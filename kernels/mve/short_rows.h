// SPDX-License-Identifier: Apache-2.0
// Rows of at most two vectors of int8 times four filters, two rows at a time. The sums go from core registers to the
// lanes of a vector, and are scaled and stored from there: with so few products, a way through memory takes longer than
// they do. Nothing beyond rows and filters is read. In assembler, because compilers do not order the loops so that the
// pipes overlap; short_rows_plain.h is the same in C.
#ifndef RL_KERNELS_MVE_SHORT_ROWS_H
#define RL_KERNELS_MVE_SHORT_ROWS_H

#include <stdbool.h>

#include "mve/dot_rows.h"
#include "mve/short_rows_plain.h"

__extension__ _Static_assert(offsetof(struct rl_short_rows, depth) == 12 &&
                                 offsetof(struct rl_short_rows, limits) == 32 &&
                                 offsetof(struct rl_short_rows, pairs) == 48,
                             "the assembler below uses these offsets");

// clang-format off
// r1 and r12 are the rows, r5 the distance to the next two, r3 the output of a row, r7 the distance to the next row's,
// r0, r2, r4, r6 the sums, r8 is 1, r9 to r11 are the limits, lr counts pairs. `bytes` of the stack hold the biases,
// multipliers and shifts, at the offsets given, and filters for which there are no registers.
#define RL_SHORT_BEGIN(bytes, bias, multiplier, shift) \
    "push {r7, lr}\n" \
    "ldm r0, {r1-r12, lr}\n" \
    "sub sp, sp, #" bytes "\n" \
    "vldrw.u32 q0, [r6]\n" \
    "vldrw.u32 q1, [r8]\n" \
    "vldrw.u32 q2, [r12]\n" \
    "vstrw.32 q0, [sp, #" bias "]\n" \
    "vstrw.32 q1, [sp, #" multiplier "]\n" \
    "vstrw.32 q2, [sp, #" shift "]\n" \
    "add r12, r1, r5\n" \
    "lsl r5, r5, #1\n" \
    "mov r8, #1\n" \
    "dls lr, lr\n"
#define RL_SHORT_END(bytes) \
    "add sp, sp, #" bytes "\n" \
    "pop {r7, pc}\n"

// A round has the products of a pair of rows, its biases and scales, and beside the next pair's first products its
// limits and stores. It starts at 2 for the first pair, whose first products are done. Four sums at a time go from core
// registers to the even or the odd lanes of the vectors of both rows, which are narrowed to one. Where the lower limit
// is the output's zero, all below becomes 0, so that a sum's sign is not added before it is shifted. The orders were
// searched for with the cycle model: random moves that keep the dependences. At the end of a round the first row's
// outputs are in the even lanes of `to`, and the second row's in `top`.

// Rows of at most a vector. The filters are in q4, q6, q5 and q7, rows in q0 and q1.
#define RL_SHORT_LOAD_ONE \
    "vpstt\n" \
    "vldrbt.8 q0, [r1]\n" \
    "vldrbt.8 q1, [r12]\n"
#define RL_SHORT_LOOP_RELU \
    "1:\n" \
    "vpstt\n" \
    "vldrbt.8 q0, [r1]\n" \
    "vldrbt.8 q1, [r12]\n" \
    "vqmovunt.s32 q2, q3\n" \
    "vmladav.s8 r2, q5, q0\n" \
    "vqadd.u16 q2, q2, r10\n" \
    "vmladav.s8 r0, q4, q0\n" \
    "vadd.i16 q2, q2, r11\n" \
    "vstrb.32 q2, [r3]\n" \
    "add r3, r3, r7\n" \
    "vmladav.s8 r6, q5, q1\n" \
    "vshr.u32 q3, q2, #16\n" \
    "vstrb.32 q3, [r3]\n" \
    "vmladav.s8 r4, q4, q1\n" \
    "add r3, r3, r7\n" \
    "2:\n" \
    "add r12, r12, r5\n" \
    "vmov q2[2], q2[0], r0, r2\n" \
    "vmladav.s8 r0, q6, q0\n" \
    "vmov q3[2], q3[0], r4, r6\n" \
    "vmladav.s8 r2, q7, q0\n" \
    "vldrw.u32 q0, [sp]\n" \
    "vmladav.s8 r4, q6, q1\n" \
    "vmov q2[3], q2[1], r0, r2\n" \
    "vmladav.s8 r6, q7, q1\n" \
    "vldrw.u32 q1, [sp, #16]\n" \
    "vadd.i32 q2, q2, q0\n" \
    "vmov q3[3], q3[1], r4, r6\n" \
    "vadd.i32 q3, q3, q0\n" \
    "vqrdmulh.s32 q2, q2, q1\n" \
    "vldrw.u32 q0, [sp, #32]\n" \
    "vrshl.s32 q2, q2, q0\n" \
    "vqrdmulh.s32 q3, q3, q1\n" \
    "vqmovunb.s32 q2, q2\n" \
    "add r1, r1, r5\n" \
    "vrshl.s32 q3, q3, q0\n" \
    "le lr, 1b\n"
#define RL_SHORT_LOOP_CLAMP \
    "1:\n" \
    "vqmovunt.s32 q3, q2\n" \
    "vpstt\n" \
    "vldrbt.8 q0, [r1]\n" \
    "vldrbt.8 q1, [r12]\n" \
    "vmladav.s8 r4, q4, q1\n" \
    "vqadd.u16 q3, q3, r10\n" \
    "vmladav.s8 r2, q5, q0\n" \
    "vadd.i16 q3, q3, r11\n" \
    "vstrb.32 q3, [r3]\n" \
    "add r3, r3, r7\n" \
    "vmladav.s8 r6, q5, q1\n" \
    "vshr.u32 q2, q3, #16\n" \
    "vstrb.32 q2, [r3]\n" \
    "vmladav.s8 r0, q4, q0\n" \
    "add r3, r3, r7\n" \
    "2:\n" \
    "add r12, r12, r5\n" \
    "vmov q2[2], q2[0], r0, r2\n" \
    "vmladav.s8 r0, q6, q0\n" \
    "vmov q3[2], q3[0], r4, r6\n" \
    "vmladav.s8 r2, q7, q0\n" \
    "vldrw.u32 q0, [sp]\n" \
    "vmladav.s8 r4, q6, q1\n" \
    "vmov q2[3], q2[1], r0, r2\n" \
    "vmladav.s8 r6, q7, q1\n" \
    "vldrw.u32 q1, [sp, #16]\n" \
    "vadd.i32 q2, q2, q0\n" \
    "vmov q3[3], q3[1], r4, r6\n" \
    "vadd.i32 q3, q3, q0\n" \
    "vqrdmulh.s32 q0, q2, q1\n" \
    "vqdmlah.s32 q0, q2, r8\n" \
    "add r1, r1, r5\n" \
    "vqrdmulh.s32 q2, q3, q1\n" \
    "vldrw.u32 q1, [sp, #32]\n" \
    "vrshl.s32 q0, q0, q1\n" \
    "vadd.i32 q0, q0, r9\n" \
    "vqdmlah.s32 q2, q3, r8\n" \
    "vqmovunb.s32 q3, q0\n" \
    "vrshl.s32 q2, q2, q1\n" \
    "vadd.i32 q2, q2, r9\n" \
    "le lr, 1b\n"
#define RL_SHORT_ONE_VECTOR(loop, to, top) \
    RL_SHORT_BEGIN("48", "0", "16", "32") \
    "vctp.8 r4\n" \
    "vpst\n" \
    "vldrbt.8 q4, [r2]\n" \
    "add r2, r2, r4\n" \
    "add r0, r2, r4\n" \
    "vpstt\n" \
    "vldrbt.8 q6, [r2]\n" \
    "vldrbt.8 q5, [r0]\n" \
    "add r0, r0, r4\n" \
    "vpst\n" \
    "vldrbt.8 q7, [r0]\n" \
    RL_SHORT_LOAD_ONE \
    "vmladav.s8 r0, q4, q0\n" \
    "vmladav.s8 r2, q5, q0\n" \
    "vmladav.s8 r4, q4, q1\n" \
    "vmladav.s8 r6, q5, q1\n" \
    "b 2f\n" \
    ".p2align 2\n" \
    loop \
    RL_SHORT_LAST(to, top) \
    RL_SHORT_END("48")

// The outputs of the last pair.
#define RL_SHORT_LAST(to, top) \
    "vqmovunt.s32 " to ", " top "\n" \
    "vqadd.u16 " to ", " to ", r10\n" \
    "vadd.i16 " to ", " to ", r11\n" \
    "vshr.u32 " top ", " to ", #16\n" \
    "vstrb.32 " to ", [r3]\n" \
    "add r3, r3, r7\n" \
    "vstrb.32 " top ", [r3]\n"

// Longer rows. The filters are on the stack, of 32 values each with zeros at their ends. q0 and q1, q2 and q3 are the
// rows, q4 and q5 a filter.
#define RL_SHORT_KEEP_FILTER(at) \
    "vldrb.8 q0, [r2]\n" \
    "vpst\n" \
    "vldrbt.8 q1, [r2, #16]\n" \
    "add r2, r2, r4\n" \
    "vstrb.8 q0, [sp, #" at "]\n" \
    "vstrb.8 q1, [sp, #" at " + 16]\n"
#define RL_SHORT_LOAD_TWO \
    "vldrb.8 q0, [r1]\n" \
    "vldrb.8 q2, [r12]\n" \
    "vpstt\n" \
    "vldrbt.8 q1, [r1, #16]\n" \
    "vldrbt.8 q3, [r12, #16]\n"
#define RL_SHORT_PRODUCTS(sum_0, sum_1, at) \
    "vldrb.8 q4, [sp, #" at "]\n" \
    "vmladav.s8 " sum_0 ", q4, q0\n" \
    "vldrb.8 q5, [sp, #" at " + 16]\n" \
    "vmladav.s8 " sum_1 ", q4, q2\n" \
    "vmladava.s8 " sum_0 ", q5, q1\n" \
    "vmladava.s8 " sum_1 ", q5, q3\n"
#define RL_MIDDLE_LOOP_RELU \
    "1:\n" \
    "vldrb.8 q4, [sp]\n" \
    "vqmovunt.s32 q6, q7\n" \
    "vpstt\n" \
    "vldrbt.8 q1, [r1, #16]\n" \
    "vldrbt.8 q3, [r12, #16]\n" \
    "vqadd.u16 q6, q6, r10\n" \
    "vldrb.8 q2, [r12]\n" \
    "vmladav.s8 r4, q4, q2\n" \
    "vldrb.8 q0, [r1]\n" \
    "vadd.i16 q6, q6, r11\n" \
    "vstrb.32 q6, [r3]\n" \
    "add r3, r3, r7\n" \
    "vldrb.8 q5, [sp, #16]\n" \
    "vmladav.s8 r0, q4, q0\n" \
    "vshr.u32 q7, q6, #16\n" \
    "vmladava.s8 r0, q5, q1\n" \
    "vstrb.32 q7, [r3]\n" \
    "vmladava.s8 r4, q5, q3\n" \
    "add r3, r3, r7\n" \
    "2:\n" \
    "add r12, r12, r5\n" \
    "add r1, r1, r5\n" \
    "vldrb.8 q4, [sp, #64]\n" \
    "vmladav.s8 r6, q4, q2\n" \
    "vmladav.s8 r2, q4, q0\n" \
    "vldrb.8 q5, [sp, #64 + 16]\n" \
    "vmladava.s8 r2, q5, q1\n" \
    "vldrb.8 q4, [sp, #32]\n" \
    "vmladava.s8 r6, q5, q3\n" \
    "vmov q6[2], q6[0], r0, r2\n" \
    "vmladav.s8 r0, q4, q0\n" \
    "vmov q7[2], q7[0], r4, r6\n" \
    "vmladav.s8 r4, q4, q2\n" \
    "vldrb.8 q5, [sp, #48]\n" \
    "vmladava.s8 r4, q5, q3\n" \
    "vldrb.8 q4, [sp, #96]\n" \
    "vmladav.s8 r2, q4, q0\n" \
    "vldrw.u32 q0, [sp, #128]\n" \
    "vmladava.s8 r0, q5, q1\n" \
    "vldrb.8 q5, [sp, #112]\n" \
    "vmladava.s8 r2, q5, q1\n" \
    "vmladav.s8 r6, q4, q2\n" \
    "vmov q6[3], q6[1], r0, r2\n" \
    "vmladava.s8 r6, q5, q3\n" \
    "vldrw.u32 q1, [sp, #144]\n" \
    "vadd.i32 q6, q6, q0\n" \
    "vmov q7[3], q7[1], r4, r6\n" \
    "vadd.i32 q7, q7, q0\n" \
    "vqrdmulh.s32 q6, q6, q1\n" \
    "vldrw.u32 q0, [sp, #160]\n" \
    "vrshl.s32 q6, q6, q0\n" \
    "vqrdmulh.s32 q7, q7, q1\n" \
    "vqmovunb.s32 q6, q6\n" \
    "vrshl.s32 q7, q7, q0\n" \
    "le lr, 1b\n"
#define RL_MIDDLE_LOOP_CLAMP \
    "1:\n" \
    "vldrb.8 q4, [sp]\n" \
    "vqmovunt.s32 q7, q6\n" \
    "vldrb.8 q0, [r1]\n" \
    "vmladav.s8 r0, q4, q0\n" \
    "vldrb.8 q2, [r12]\n" \
    "vmladav.s8 r4, q4, q2\n" \
    "vqadd.u16 q7, q7, r10\n" \
    "vldrb.8 q5, [sp, #16]\n" \
    "vpstt\n" \
    "vldrbt.8 q1, [r1, #16]\n" \
    "vldrbt.8 q3, [r12, #16]\n" \
    "vmladava.s8 r4, q5, q3\n" \
    "vadd.i16 q7, q7, r11\n" \
    "vstrb.32 q7, [r3]\n" \
    "add r3, r3, r7\n" \
    "vmladava.s8 r0, q5, q1\n" \
    "vshr.u32 q6, q7, #16\n" \
    "vstrb.32 q6, [r3]\n" \
    "add r3, r3, r7\n" \
    "2:\n" \
    "add r1, r1, r5\n" \
    "vldrb.8 q4, [sp, #64]\n" \
    "vmladav.s8 r2, q4, q0\n" \
    "vldrb.8 q5, [sp, #64 + 16]\n" \
    "vmladava.s8 r2, q5, q1\n" \
    "add r12, r12, r5\n" \
    "vmladav.s8 r6, q4, q2\n" \
    "vldrb.8 q4, [sp, #32]\n" \
    "vmladava.s8 r6, q5, q3\n" \
    "vmov q6[2], q6[0], r0, r2\n" \
    "vmladav.s8 r0, q4, q0\n" \
    "vldrb.8 q5, [sp, #48]\n" \
    "vmladava.s8 r0, q5, q1\n" \
    "vmov q7[2], q7[0], r4, r6\n" \
    "vmladav.s8 r4, q4, q2\n" \
    "vldrb.8 q4, [sp, #96]\n" \
    "vmladav.s8 r2, q4, q0\n" \
    "vmladava.s8 r4, q5, q3\n" \
    "vldrb.8 q5, [sp, #112]\n" \
    "vmladava.s8 r2, q5, q1\n" \
    "vldrw.u32 q1, [sp, #144]\n" \
    "vmladav.s8 r6, q4, q2\n" \
    "vmov q6[3], q6[1], r0, r2\n" \
    "vmladava.s8 r6, q5, q3\n" \
    "vldrw.u32 q0, [sp, #128]\n" \
    "vadd.i32 q6, q6, q0\n" \
    "vmov q7[3], q7[1], r4, r6\n" \
    "vadd.i32 q7, q7, q0\n" \
    "vqrdmulh.s32 q0, q6, q1\n" \
    "vqdmlah.s32 q0, q6, r8\n" \
    "vqrdmulh.s32 q6, q7, q1\n" \
    "vldrw.u32 q1, [sp, #160]\n" \
    "vrshl.s32 q0, q0, q1\n" \
    "vqdmlah.s32 q6, q7, r8\n" \
    "vadd.i32 q0, q0, r9\n" \
    "vqmovunb.s32 q7, q0\n" \
    "vrshl.s32 q6, q6, q1\n" \
    "vadd.i32 q6, q6, r9\n" \
    "le lr, 1b\n"
#define RL_SHORT_TWO_VECTORS(loop, to, top) \
    RL_SHORT_BEGIN("176", "128", "144", "160") \
    "sub r0, r4, #16\n" \
    "vctp.8 r0\n" \
    RL_SHORT_KEEP_FILTER("0") \
    RL_SHORT_KEEP_FILTER("32") \
    RL_SHORT_KEEP_FILTER("64") \
    RL_SHORT_KEEP_FILTER("96") \
    RL_SHORT_LOAD_TWO \
    RL_SHORT_PRODUCTS("r0", "r4", "0") \
    "b 2f\n" \
    ".p2align 2\n" \
    loop \
    RL_SHORT_LAST(to, top) \
    RL_SHORT_END("176")

static __attribute__((naked, noinline)) void
rl_short_rows_relu(__attribute__((unused)) const void *job)
{
    __asm__(RL_SHORT_ONE_VECTOR(RL_SHORT_LOOP_RELU, "q2", "q3"));
}

static __attribute__((naked, noinline)) void
rl_short_rows_clamp(__attribute__((unused)) const void *job)
{
    __asm__(RL_SHORT_ONE_VECTOR(RL_SHORT_LOOP_CLAMP, "q3", "q2"));
}

static __attribute__((naked, noinline)) void
rl_middle_rows_relu(__attribute__((unused)) const void *job)
{
    __asm__(RL_SHORT_TWO_VECTORS(RL_MIDDLE_LOOP_RELU, "q6", "q7"));
}

static __attribute__((naked, noinline)) void
rl_middle_rows_clamp(__attribute__((unused)) const void *job)
{
    __asm__(RL_SHORT_TWO_VECTORS(RL_MIDDLE_LOOP_CLAMP, "q7", "q6"));
}
// clang-format on

// The function for a struct rl_short_rows with such rows. `is_relu`: the lower limit is the output's zero.
static inline rl_assembler *rl_short_rows(int32_t depth, bool is_relu)
{
    if (depth > 16) {
        return is_relu ? rl_middle_rows_relu : rl_middle_rows_clamp;
    }
    return is_relu ? rl_short_rows_relu : rl_short_rows_clamp;
}

#endif
