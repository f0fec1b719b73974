// SPDX-License-Identifier: Apache-2.0
// Scales the sums of three rows and stores their outputs, for shifts of -1 or less. In assembler because compilers do
// not order the loops so that the pipes overlap, and because gcc makes no loop that ends in a partial vector from
// intrinsics; scale_rows_plain.h is the same in C. Of the values behind `channels` only sums are read.
//
// Two functions take eight channels at a time, the even and the odd ones in a vector each, which narrowing joins to
// eight int16. So offset and limits take an instruction for eight outputs. They want the biases of whole eights in that
// order, too: rl_scale_place. What is left behind the eights, and limits that they do not take, is scaled four channels
// at a time.
#ifndef RL_KERNELS_MVE_SCALE_ROWS_H
#define RL_KERNELS_MVE_SCALE_ROWS_H

#include "mve/dot_rows.h"
#include "mve/scale_rows_plain.h"

__extension__ _Static_assert(offsetof(struct rl_filters, multiplier) == 12 &&
                                 offsetof(struct rl_filters, output_offset) == 20 &&
                                 offsetof(struct rl_filters, eights) == 36 && offsetof(struct rl_filters, rest) == 64,
                             "the assembler below uses these offsets");

// clang-format off
// Four channels at a time, of r1 channels with the values at r2 (multipliers), r3 (shifts), r4 (sums) and r11 (biases).
// r9 is the struct of the filters. q0 to q3 hold the rows of four channels, q4 the multipliers, q6 and q7 the limits.
// VQDMLAH by 1 adds the sign of a value to its product, so that the multiplier takes what the adder has no time for;
// VMLA by 1 adds the bias.
#define RL_SCALE_FOURS \
    "ldr r8, [r9, #20]\n" \
    "ldrd r9, r10, [r9, #24]\n" \
    "vdup.32 q6, r9\n" \
    "vdup.32 q7, r10\n" \
    "mov r9, #1\n" \
    "dlstp.32 lr, r1\n" \
    ".p2align 2\n" \
    "5:\n" \
    "vldrw.s32 q3, [r11], #16\n" \
    "vldrw.s32 q0, [r4], #16\n" \
    "vadd.i32 q0, q0, q3\n" \
    "vldrw.s32 q4, [r2], #16\n" \
    "vqrdmulh.s32 q5, q0, q4\n" \
    "vldrw.s32 q1, [r4, #240]\n" \
    "vqdmlah.s32 q5, q0, r9\n" \
    "vldrw.s32 q2, [r4, #496]\n" \
    "vadd.i32 q1, q1, q3\n" \
    "vldrw.s32 q0, [r3], #16\n" \
    "vrshl.s32 q5, q5, q0\n" \
    "vmla.s32 q2, q3, r9\n" \
    "vadd.i32 q5, q5, r8\n" \
    "vqrdmulh.s32 q3, q1, q4\n" \
    "vmax.s32 q5, q5, q6\n" \
    "vqdmlah.s32 q3, q1, r9\n" \
    "vmin.s32 q5, q5, q7\n" \
    "vqrdmulh.s32 q1, q2, q4\n" \
    "vrshl.s32 q3, q3, q0\n" \
    "vstrb.32 q5, [r5], #4\n" \
    "vadd.i32 q3, q3, r8\n" \
    "vqdmlah.s32 q1, q2, r9\n" \
    "vmax.s32 q3, q3, q6\n" \
    "vrshl.s32 q1, q1, q0\n" \
    "vmin.s32 q3, q3, q7\n" \
    "vadd.i32 q1, q1, r8\n" \
    "vstrb.32 q3, [r6], #4\n" \
    "vmax.s32 q1, q1, q6\n" \
    "vmin.s32 q1, q1, q7\n" \
    "vstrb.32 q1, [r7], #4\n" \
    "letp lr, 5b\n"

// The functions for eight channels. r0 points to the shifts, r11 to the biases, r12 to the multipliers; r4, r1 and r2 to
// the sums, r5 to r7 to the outputs. q0 to q2 hold sums, q3 outputs; r3, r8 and r10 are the constants of limits.
#define RL_SCALE_EIGHTS(body) \
    "ldr r9, [r0, #4]\n" \
    "push {r7, r9, lr}\n" \
    "add r0, r0, #16\n" \
    "ldm r0, {r4-r7}\n" \
    "add r1, r4, #256\n" \
    "add r2, r4, #512\n" \
    "add r9, r9, #36\n" \
    "ldm r9, {r0, r3, r8, r10-r12, lr}\n" \
    "mov r9, #1\n" \
    "wls lr, lr, 2f\n" \
    ".p2align 2\n" \
    "1:\n" \
    body \
    "le lr, 1b\n" \
    "2:\n" \
    "ldr r9, [sp, #4]\n" \
    "ldr r1, [r9, #64]\n" \
    "cbnz r1, 3f\n" \
    "pop {r7, r9, pc}\n" \
    "3:\n" \
    "mov r2, r12\n" \
    "mov r3, r0\n" \
    RL_SCALE_FOURS \
    "pop {r7, r9, pc}\n"

// Limits of a ReLU, whose lower one is the output's zero. Values below it become 0 whatever their rounding is. So the
// sign of a value is not added, and VQMOVUN limits; adding r8, which saturates, and r10 does the rest.
#define RL_SCALE_RELU \
    "vld20.32 {q0, q1}, [r4]\n" \
    "vld21.32 {q0, q1}, [r4]!\n" \
    "vldrw.s32 q2, [r11]\n" \
    "vmla.s32 q0, q2, r9\n" \
    "vldrw.s32 q2, [r11, #16]\n" \
    "vmla.s32 q1, q2, r9\n" \
    "vld20.32 {q4, q5}, [r12]\n" \
    "vld21.32 {q4, q5}, [r12]!\n" \
    "vld20.32 {q6, q7}, [r0]\n" \
    "vqrdmulh.s32 q0, q0, q4\n" \
    "vld21.32 {q6, q7}, [r0]!\n" \
    "vrshl.s32 q0, q0, q6\n" \
    "vqrdmulh.s32 q2, q1, q5\n" \
    "vqmovunb.s32 q3, q0\n" \
    "vld20.32 {q0, q1}, [r1]\n" \
    "vrshl.s32 q2, q2, q7\n" \
    "vld21.32 {q0, q1}, [r1]!\n" \
    "vqmovunt.s32 q3, q2\n" \
    "vldrw.s32 q2, [r11]\n" \
    "vmla.s32 q0, q2, r9\n" \
    "vldrw.s32 q2, [r11, #16]\n" \
    "vqrdmulh.s32 q0, q0, q4\n" \
    "vqadd.u16 q3, q3, r8\n" \
    "vmla.s32 q1, q2, r9\n" \
    "vadd.i16 q3, q3, r10\n" \
    "vqrdmulh.s32 q2, q1, q5\n" \
    "vrshl.s32 q0, q0, q6\n" \
    "vstrb.16 q3, [r5], #8\n" \
    "vqmovunb.s32 q3, q0\n" \
    "vld20.32 {q0, q1}, [r2]\n" \
    "vrshl.s32 q2, q2, q7\n" \
    "vld21.32 {q0, q1}, [r2]!\n" \
    "vqmovunt.s32 q3, q2\n" \
    "vldrw.s32 q2, [r11]\n" \
    "vmla.s32 q0, q2, r9\n" \
    "vldrw.s32 q2, [r11, #16]\n" \
    "vmla.s32 q1, q2, r9\n" \
    "vqadd.u16 q3, q3, r8\n" \
    "vqrdmulh.s32 q0, q0, q4\n" \
    "vadd.i16 q3, q3, r10\n" \
    "vstrb.16 q3, [r6], #8\n" \
    "vrshl.s32 q0, q0, q6\n" \
    "vqrdmulh.s32 q2, q1, q5\n" \
    "vqmovunb.s32 q3, q0\n" \
    "vrshl.s32 q2, q2, q7\n" \
    "vqmovunt.s32 q3, q2\n" \
    "add r11, r11, #32\n" \
    "vqadd.u16 q3, q3, r8\n" \
    "vadd.i16 q3, q3, r10\n" \
    "vstrb.16 q3, [r7], #8\n"

// Other limits. Adding r8 and narrowing saturates at the upper one, subtracting r10 at the lower one; r3 leads back.
#define RL_SCALE_CLAMP \
    "vld20.32 {q0, q1}, [r4]\n" \
    "vld21.32 {q0, q1}, [r4]!\n" \
    "vldrw.s32 q2, [r11]\n" \
    "vmla.s32 q0, q2, r9\n" \
    "vldrw.s32 q2, [r11, #16]\n" \
    "vld20.32 {q4, q5}, [r12]\n" \
    "vmla.s32 q1, q2, r9\n" \
    "vld21.32 {q4, q5}, [r12]!\n" \
    "vqrdmulh.s32 q0, q0, q4\n" \
    "vld20.32 {q6, q7}, [r0]\n" \
    "vqdmlah.s32 q0, q0, r9\n" \
    "vld21.32 {q6, q7}, [r0]!\n" \
    "vqrdmulh.s32 q2, q1, q5\n" \
    "vrshl.s32 q0, q0, q6\n" \
    "vqdmlah.s32 q2, q2, r9\n" \
    "vqmovnb.s32 q3, q0\n" \
    "vld20.32 {q0, q1}, [r1]\n" \
    "vrshl.s32 q2, q2, q7\n" \
    "vld21.32 {q0, q1}, [r1]!\n" \
    "vqmovnt.s32 q3, q2\n" \
    "vldrw.s32 q2, [r11]\n" \
    "vmla.s32 q0, q2, r9\n" \
    "vldrw.s32 q2, [r11, #16]\n" \
    "vqrdmulh.s32 q0, q0, q4\n" \
    "vqadd.s16 q3, q3, r8\n" \
    "vqdmlah.s32 q0, q0, r9\n" \
    "vqmovnb.s16 q3, q3\n" \
    "vmla.s32 q1, q2, r9\n" \
    "vrshl.s32 q0, q0, q6\n" \
    "vqrdmulh.s32 q2, q1, q5\n" \
    "vqsub.s8 q3, q3, r10\n" \
    "vqdmlah.s32 q2, q2, r9\n" \
    "vqadd.s8 q3, q3, r3\n" \
    "vstrb.16 q3, [r5], #8\n" \
    "vqmovnb.s32 q3, q0\n" \
    "vld20.32 {q0, q1}, [r2]\n" \
    "vrshl.s32 q2, q2, q7\n" \
    "vld21.32 {q0, q1}, [r2]!\n" \
    "vqmovnt.s32 q3, q2\n" \
    "vldrw.s32 q2, [r11]\n" \
    "vmla.s32 q0, q2, r9\n" \
    "vldrw.s32 q2, [r11, #16]\n" \
    "vqrdmulh.s32 q0, q0, q4\n" \
    "vqadd.s16 q3, q3, r8\n" \
    "vqdmlah.s32 q0, q0, r9\n" \
    "vqmovnb.s16 q3, q3\n" \
    "vmla.s32 q1, q2, r9\n" \
    "vrshl.s32 q0, q0, q6\n" \
    "vqrdmulh.s32 q2, q1, q5\n" \
    "vqsub.s8 q3, q3, r10\n" \
    "vqdmlah.s32 q2, q2, r9\n" \
    "vqadd.s8 q3, q3, r3\n" \
    "vstrb.16 q3, [r6], #8\n" \
    "vqmovnb.s32 q3, q0\n" \
    "vrshl.s32 q2, q2, q7\n" \
    "vqmovnt.s32 q3, q2\n" \
    "vqadd.s16 q3, q3, r8\n" \
    "vqmovnb.s16 q3, q3\n" \
    "add r11, r11, #32\n" \
    "vqsub.s8 q3, q3, r10\n" \
    "vqadd.s8 q3, q3, r3\n" \
    "vstrb.16 q3, [r7], #8\n"

static __attribute__((naked, noinline)) void
rl_scale_rows(__attribute__((unused)) const void *rows)
{
    __asm__("push {r7, lr}\n"
            "ldr r9, [r0, #4]\n"
            "add r0, r0, #16\n"
            "ldm r0, {r4-r7}\n"
            "add r0, r9, #8\n"
            "ldm r0, {r1-r3}\n"
            "ldr r11, [r9, #32]\n"
            RL_SCALE_FOURS
            "pop {r7, pc}\n");
}

static __attribute__((naked, noinline)) void
rl_scale_rows_relu(__attribute__((unused)) const void *rows)
{
    __asm__(RL_SCALE_EIGHTS(RL_SCALE_RELU));
}

static __attribute__((naked, noinline)) void
rl_scale_rows_clamp(__attribute__((unused)) const void *rows)
{
    __asm__(RL_SCALE_EIGHTS(RL_SCALE_CLAMP));
}
// clang-format on

// The function that scales the rows of filters whose `eights` are set, or of others.
static inline rl_assembler *rl_scale_rows_for(const struct rl_filters *f, bool eights)
{
    if (!eights) {
        return rl_scale_rows;
    }
    return f->output_min == f->output_offset ? rl_scale_rows_relu : rl_scale_rows_clamp;
}

#endif
