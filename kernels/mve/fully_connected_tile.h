// SPDX-License-Identifier: Apache-2.0
// One input row times all filters with Helium: each load of the input serves four VMLADAV. See
// fully_connected/fully_connected.h for the formula; kernel sums are always given here, so the input offset
// is 0.
#ifndef RL_KERNELS_MVE_FULLY_CONNECTED_TILE_H
#define RL_KERNELS_MVE_FULLY_CONNECTED_TILE_H

#include <stddef.h>

#include "fully_connected/fully_connected.h"
#include "mve/matmul_tile.h"
#include "mve/requantize_mve.h"

enum {
    RL_FILTERS = 4,     // in a group
    RL_SUM_COUNT = 128, // sums kept at a time, a multiple of RL_FILTERS
};

// The loops are in assembler because they end in a partial vector, which gcc does not make of intrinsics.

// One row times groups of four filters: the sums, their four streams and the row take most core registers.
// In C:
//
//     for (; sums != end; sums += 4, filter += 4 * depth) {
//         for (c = 0; c < 4; c++) {
//             sums[c] = start + sum_k row[k] * filter[c * depth + k];
//         }
//     }
//
// The assembler knows the order of the fields.
struct rl_dot_1x4 {
    const int8_t *row;
    const int8_t *filter; // of the first group
    int32_t depth;
    int32_t start;
    int32_t *sums;
    int32_t *end; // at least one group behind `sums`
};

_Static_assert(sizeof(struct rl_dot_1x4) == 24 && offsetof(struct rl_dot_1x4, end) == 20,
               "the assembler below uses these offsets");

// r0, r2, r4 and r6 the sums; r1 the row and r8 its start; r3, r5, r7 and r9 the filters; r10 depth, r11
// start, r12 sums. Behind the inner loop r1 - r8 is how far all streams went, which may be beyond `depth`.
static __attribute__((naked, noinline)) void rl_dot_1x4_run(__attribute__((unused))
                                                            const struct rl_dot_1x4 *job)
{
    __asm__("push {r4-r11, lr}\n"
            "ldm r0, {r8-r12, lr}\n"
            "push {lr}\n"
            "1:\n"
            "mov r1, r8\n"
            "mov r3, r9\n"
            "add r5, r9, r10\n"
            "add r7, r9, r10, lsl #1\n"
            "add r9, r7, r10\n"
            "mov r0, r11\n"
            "mov r2, r11\n"
            "mov r4, r11\n"
            "mov r6, r11\n"
            "wlstp.8 lr, r10, 3f\n"
            "2:\n"
            "vldrb.u8 q0, [r1], #16\n"
            "vldrb.u8 q1, [r3], #16\n"
            "vmladava.s8 r0, q0, q1\n"
            "vldrb.u8 q2, [r5], #16\n"
            "vmladava.s8 r2, q0, q2\n"
            "vldrb.u8 q1, [r7], #16\n"
            "vmladava.s8 r4, q0, q1\n"
            "vldrb.u8 q2, [r9], #16\n"
            "vmladava.s8 r6, q0, q2\n"
            "letp lr, 2b\n"
            "3:\n"
            "strd r0, r2, [r12], #8\n"
            "strd r4, r6, [r12], #8\n"
            "sub r1, r1, r8\n"
            "sub r9, r9, r1\n"
            "add r9, r9, r10\n"
            "ldr r0, [sp]\n"
            "cmp r0, r12\n"
            "bne 1b\n"
            "pop {r0}\n"
            "pop {r4-r11, pc}\n");
}

// start + sum_k row[k] * filter[k].
static inline int32_t rl_dot_1x1(const int8_t *row, const int8_t *filter, int32_t depth, int32_t start)
{
    __asm__ volatile("wlstp.8 lr, %[depth], 2f\n"
                     "1: vldrb.u8 q0, [%[row]], #16\n"
                     "vldrb.u8 q1, [%[filter]], #16\n"
                     "vmladava.s8 %[sum], q0, q1\n"
                     "letp lr, 1b\n"
                     "2:"
                     : [row] "+&r"(row), [filter] "+&r"(filter), [sum] "+&Te"(start)
                     : [depth] "r"(depth)
                     : "q0", "q1", "lr", "memory");
    return start;
}

// The sums of `count` >= 1 filters.
static inline void rl_fully_connected_sums(const int8_t *row, const int8_t *filter, int32_t depth,
                                           int32_t start, int32_t count, int32_t *sums)
{
    const int32_t in_groups = count & ~(RL_FILTERS - 1);
    if (in_groups > 0) {
        const struct rl_dot_1x4 job = {row, filter, depth, start, sums, sums + in_groups};
        // The empty statements tell the compiler that memory behind the structure is read and written.
        __asm__ volatile("" : : "r"(&job) : "memory");
        rl_dot_1x4_run(&job);
        __asm__ volatile("" : : "r"(&job) : "memory");
    }
    for (int32_t i = in_groups; i < count; i++) {
        sums[i] = rl_dot_1x1(row, filter + (ptrdiff_t)i * depth, depth, start);
    }
}

// output[i] = clamp(requantize(sums[i] + base[i]) + output_offset) with one multiplier and a shift of -1 or
// less, in the short form of requantize_mve.h.
static inline void rl_fully_connected_scale(const struct rl_fully_connected *f, const int32_t *sums,
                                            const int32_t *base, int32_t count, int8_t *output)
{
    __asm__ volatile("wlstp.32 lr, %[count], 2f\n"
                     "1: vldrw.u32 q0, [%[sums]], #16\n"
                     "vldrw.u32 q1, [%[base]], #16\n"
                     "vadd.i32 q0, q0, q1\n"
                     "vqrdmulh.s32 q1, q0, %[multiplier]\n"
                     "vshr.s32 q0, q0, #31\n"
                     "vadd.i32 q0, q0, q1\n"
                     "vrshl.s32 q0, %[shift]\n"
                     "vadd.i32 q0, q0, %[offset]\n"
                     "vmax.s32 q0, q0, %q[low]\n"
                     "vmin.s32 q0, q0, %q[high]\n"
                     "vstrb.32 q0, [%[output]], #4\n"
                     "letp lr, 1b\n"
                     "2:"
                     : [sums] "+&r"(sums), [base] "+&r"(base), [output] "+&l"(output)
                     : [count] "r"(count), [multiplier] "r"(*f->multiplier), [shift] "r"(*f->shift),
                       [offset] "r"(f->output_offset), [low] "w"(vdupq_n_s32(f->output_min)),
                       [high] "w"(vdupq_n_s32(f->output_max))
                     : "q0", "q1", "lr", "memory");
}

// The same for any multipliers and shifts, those of channel `first` and the ones behind it.
static inline void rl_fully_connected_scale_any(const struct rl_fully_connected *f, const int32_t *sums,
                                                int32_t first, int32_t count, int8_t *output)
{
    for (int32_t i = 0; i < count; i += 4) {
        const mve_pred16_t active = vctp32q((uint32_t)(count - i));
        const int32_t scale = (first + i) * f->scale_step;
        int32x4_t multiplier = vdupq_n_s32(*f->multiplier);
        int32x4_t shift = vdupq_n_s32(*f->shift);
        if (f->scale_step != 0) {
            multiplier = vldrwq_z_s32(f->multiplier + scale, active);
            shift = vldrwq_z_s32(f->shift + scale, active);
        }
        int32x4_t value =
            vaddq_s32(vldrwq_z_s32(sums + i, active), vldrwq_z_s32(f->base + first + i, active));
        value = vaddq_n_s32(rl_requantize_lanes_mve(value, multiplier, shift), f->output_offset);
        value = vminq_s32(vmaxq_s32(value, vdupq_n_s32(f->output_min)), vdupq_n_s32(f->output_max));
        vstrbq_p_s32(output + i, value, active);
    }
}

// Reads f->depth bytes of `input` and the filters, any alignment; writes f->channels outputs.
static inline void rl_fully_connected_row(const struct rl_fully_connected *f, const int8_t *input,
                                          int32_t row_constant, int8_t *output, ptrdiff_t step)
{
    (void)step; // 1
    int32_t sums[RL_SUM_COUNT];
    const int8_t *filter = f->filter;
    for (int32_t first = 0; first < f->channels; first += RL_SUM_COUNT) {
        const int32_t count = rl_min_s32(f->channels - first, RL_SUM_COUNT);
        rl_fully_connected_sums(input, filter, f->depth, row_constant, count, sums);
        filter += (ptrdiff_t)RL_SUM_COUNT * f->depth;
        if (f->scale_step == 0 && *f->shift < 0) {
            rl_fully_connected_scale(f, sums, f->base + first, count, output + first);
        } else {
            rl_fully_connected_scale_any(f, sums, first, count, output + first);
        }
    }
}

#endif
