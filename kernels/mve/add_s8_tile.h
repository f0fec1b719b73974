// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_MVE_ADD_S8_TILE_H
#define RL_KERNELS_MVE_ADD_S8_TILE_H

#include "isa.h"
#include "mve/add_mve.h"
#include "scratch.h"

// The arguments of rl_add_pairs, in the order in which it loads them.
struct rl_add_job {
    int32_t unit; // of the scaled term: 2^left_shift
    int32_t min;
    int32_t max;
    const int8_t *from; // the scaled term
    const int8_t *exact;
    int8_t *output;
    int32_t pairs; // of vectors, at least one
    int32_t offset;
    int32_t multiplier;
    int32_t sign; // 1: the sign of the scaled term takes part in its rounding; 0 if nothing is shifted out
    int32_t constant;
    int32_t factor;
    int32_t shift;
    int32_t sum_multiplier;
    int32_t sum_shift;
    int32_t output_offset;
};

// clang-format off
// Adds two vectors of four at a time, which overlap, because each instruction wants the result of the one before it. In
// assembler because compilers spill what two vectors need. q4, q6 and q7 are unit and limits. VQDMLAH by 1 adds the
// sign of a value to its product. Sums become int16, those of the first vector in the even lanes of q5, and are limited
// and stored beside the next pair's start, at 2 for the first. The order was searched for with the cycle model.
#define RL_ADD_LIMIT \
    "vqadd.s16 q5, q5, r12\n" \
    "vmax.s16 q5, q5, q6\n" \
    "vmin.s16 q5, q5, q7\n" \
    "vstrb.32 q5, [r2], #4\n" \
    "vshr.u32 q5, q5, #16\n" \
    "vstrb.32 q5, [r2]\n"
static __attribute__((naked, noinline)) void
rl_add_pairs(__attribute__((unused)) const struct rl_add_job *job)
{
    __asm__("push {r4-r11, lr}\n"
            "vpush {d8-d15}\n"
            "ldm r0!, {r4, r5, r6}\n"
            "vdup.32 q4, r4\n"
            "vdup.16 q6, r5\n"
            "vdup.16 q7, r6\n"
            "ldm r0, {r0-r12}\n"
            "dls lr, r3\n"
            "mov r3, #1\n"
            "vldrb.s32 q0, [r0], #8\n"
            "vmlas.s32 q0, q4, r4\n"
            "vldrb.s32 q2, [r0, #-4]\n"
            "vmlas.s32 q2, q4, r4\n"
            "vqrdmulh.s32 q1, q0, r5\n"
            "vqdmlah.s32 q1, q0, r6\n"
            "vrshl.s32 q1, r9\n"
            "vqrdmulh.s32 q3, q2, r5\n"
            "b 2f\n"
            ".p2align 2\n"
            "1:\n"
            "vldrb.s32 q0, [r0], #8\n"
            "vmlas.s32 q0, q4, r4\n"
            "vqadd.s16 q5, q5, r12\n"
            "vldrb.s32 q2, [r0, #-4]\n"
            "vqrdmulh.s32 q1, q0, r5\n"
            "vmax.s16 q5, q5, q6\n"
            "vqdmlah.s32 q1, q0, r6\n"
            "vmin.s16 q5, q5, q7\n"
            "vstrb.32 q5, [r2], #4\n"
            "vshr.u32 q5, q5, #16\n"
            "vstrb.32 q5, [r2], #4\n"
            "vmlas.s32 q2, q4, r4\n"
            "vrshl.s32 q1, r9\n"
            "vqrdmulh.s32 q3, q2, r5\n"
            "2:\n"
            "vadd.i32 q1, q1, r7\n"
            "vqdmlah.s32 q3, q2, r6\n"
            "vldrb.s32 q0, [r1], #8\n"
            "vmla.s32 q1, q0, r8\n"
            "vrshl.s32 q3, r9\n"
            "vqrdmulh.s32 q0, q1, r10\n"
            "vadd.i32 q3, q3, r7\n"
            "vqdmlah.s32 q0, q1, r3\n"
            "vldrb.s32 q2, [r1, #-4]\n"
            "vmla.s32 q3, q2, r8\n"
            "vrshl.s32 q0, r11\n"
            "vqrdmulh.s32 q2, q3, r10\n"
            "vqmovnb.s32 q5, q0\n"
            "vqdmlah.s32 q2, q3, r3\n"
            "vrshl.s32 q2, r11\n"
            "vqmovnt.s32 q5, q2\n"
            "le lr, 1b\n"
            RL_ADD_LIMIT
            "vpop {d8-d15}\n"
            "pop {r4-r11, pc}\n");
}
// clang-format on

// Adds `count` elements, a positive multiple of eight, of an input and of one whose term is exactly (value + offset) *
// factor. The layer has the shifts of rl_add_shifts_right.
static inline void rl_add_exact_mve(const struct rl_add *add, const struct rl_addend *input, const int8_t *from,
                                    int32_t exact_offset, int32_t factor, const int8_t *exact, int8_t *output,
                                    int32_t count)
{
    const struct rl_add_job job = {
        .unit = INT32_C(1) << add->left_shift,
        .min = add->range.min,
        .max = add->range.max,
        .from = from,
        .exact = exact,
        .output = output,
        .pairs = count >> 3,
        .offset = rl_shift_left_s32(input->offset, add->left_shift),
        .multiplier = input->scale.multiplier,
        .sign = input->scale.shift == 0 ? 0 : 1,
        .constant = exact_offset * factor,
        .factor = factor,
        .shift = input->scale.shift,
        .sum_multiplier = add->scale.multiplier,
        .sum_shift = add->scale.shift,
        .output_offset = add->output_offset,
    };
    // The empty statements tell the compiler that memory behind the structure is read and written.
    __asm__ volatile("" : : "r"(&job) : "memory");
    rl_add_pairs(&job);
    __asm__ volatile("" : : "r"(&job) : "memory");
}

// From this many elements on, looking for an exact factor pays.
enum { RL_ADD_EXACT_MINIMUM = 512 };

// Runs rl_add_exact_mve where one term is exact: with the larger scale, whose multiplier is one half.
static inline bool rl_add_exact(const struct rl_add *add, const int8_t *a, const int8_t *b, int8_t *output,
                                int32_t count)
{
    const struct rl_addend *in = add->input;
    int32_t doubled;
    if (add->left_shift > 20) {
        return false;
    }
    if (rl_add_exact_factor(&in[1], add->left_shift, &doubled)) {
        rl_add_exact_mve(add, &in[0], a, in[1].offset, doubled / 2, b, output, count);
        return true;
    }
    if (rl_add_exact_factor(&in[0], add->left_shift, &doubled)) {
        rl_add_exact_mve(add, &in[1], b, in[0].offset, doubled / 2, a, output, count);
        return true;
    }
    return false;
}

// Takes any shifts. Not inlined, so that the usual layer does not prepare for it.
static __attribute__((noinline)) void rl_add_s8_slowly(const struct rl_add *add, const int8_t *a, const int8_t *b,
                                                       int8_t *output)
{
    const struct rl_add plain = *add;
    const int32x4_t low = vdupq_n_s32(plain.range.min), high = vdupq_n_s32(plain.range.max);
    for (int32_t count = plain.count; count > 0; count -= 4, a += 4, b += 4, output += 4) {
        const mve_pred16_t active = vctp32q((uint32_t)count);
        const int32x4_t sum = rl_add_any_mve(&plain, vldrbq_z_s32(a, active), vldrbq_z_s32(b, active));
        vstrbq_p_s32(output, vminq_s32(vmaxq_s32(sum, low), high), active);
    }
}

// clang-format off
static __attribute__((naked, noinline)) void
rl_add_s8_fours(__attribute__((unused)) const struct rl_add *add, __attribute__((unused)) const int8_t *a,
                __attribute__((unused)) const int8_t *b, __attribute__((unused)) int8_t *output)
{
    __asm__(RL_ADD_FOURS("vldrb.s32", "vstrb.32", "4", "ldr r9, [r0, #28]\nvdup.32 q6, r9\n", "vadd.i32 q1, q1, q6\n"));
}
// clang-format on

// Takes the shifts of rl_add_shifts_right. The empty statements tell the compiler that memory behind the pointers is
// read and written.
static inline void rl_add_s8_right(const struct rl_add *add, const int8_t *a, const int8_t *b, int8_t *output)
{
    __asm__ volatile("" : : "r"(add) : "memory");
    rl_add_s8_fours(add, a, b, output);
    __asm__ volatile("" : : "r"(add) : "memory");
}

// The same for many elements. Not inlined, because few elements need no copy of the layer.
static __attribute__((noinline)) void rl_add_s8_many(const struct rl_add *add, const int8_t *a, const int8_t *b,
                                                     int8_t *output)
{
    struct rl_add rest = *add;
    const int32_t whole = rest.count & ~7;
    if (rl_add_exact(add, a, b, output, whole)) {
        rest.count -= whole;
        a += whole, b += whole, output += whole;
    }
    rl_add_s8_right(&rest, a, b, output);
}

// output[i] = a[i] + b[i] for all elements. The output may be one of the inputs.
static inline void rl_add_s8_tile(const struct rl_add *add, const int8_t *a, const int8_t *b, int8_t *output,
                                  struct rl_scratch scratch)
{
    (void)scratch; // no table
    if (!rl_add_shifts_right(add)) {
        rl_add_s8_slowly(add, a, b, output);
    } else if (!RL_SMALL && add->count >= RL_ADD_EXACT_MINIMUM) {
        rl_add_s8_many(add, a, b, output);
    } else {
        rl_add_s8_right(add, a, b, output);
    }
}

#endif
