// SPDX-License-Identifier: Apache-2.0
// One input row times all filters with Helium: each load of the input serves four VMLADAV. The formula is in
// fully_connected/fully_connected.h; it takes the least time with folded input offsets.
#ifndef RL_KERNELS_MVE_FULLY_CONNECTED_TILE_H
#define RL_KERNELS_MVE_FULLY_CONNECTED_TILE_H

#include <stddef.h>

#include "fully_connected/fully_connected.h"
#include "mve/dot_1x4.h"
#include "mve/dot_1x6.h"
#include "mve/matmul_tile.h"
#include "mve/requantize_mve.h"
#include "scalar/fully_connected_none.h"

enum {
    RL_FILTERS = 4,            // filters in a group
    RL_MANY_FILTERS = 40,      // with which loops for many of them pay
    RL_MANY_WEIGHTS = 48,      // of filters with which groups of six pay
    RL_SINGLES_ADD_OFFSET = 0, // rl_fully_connected_singles leaves the offset of the weights to its caller
    RL_SUM_COUNT = 128,        // sums kept at a time, a multiple of RL_FILTERS
};

// The loops are in assembler because gcc makes no loop that ends in a partial vector from intrinsics.

// Whether loops for many filters pay.
static inline bool rl_has_many_filters(const struct rl_fully_connected *f)
{
    return !RL_SMALL && f->channels >= RL_MANY_FILTERS && f->base_offset == 0;
}

// The sums of filters that are taken six at a time, where the offset is 0. Returns their number; of the others, most
// make fours. Not inlined, so that small layers have no registers to save for it.
static __attribute__((noinline)) int32_t rl_fully_connected_sixes(const int8_t *row, const int8_t *filter,
                                                                  int32_t depth, int32_t start, int32_t count,
                                                                  int32_t *sums)
{
    const int32_t rest = count % 6;
    const int32_t in_sixes = count - rest - (rest == 2 || rest == 3 ? 6 : 0);
    const struct rl_dot_1x4 job = {row, filter, depth, start, sums, sums + in_sixes, 0};
    // The empty statements tell the compiler that memory behind the structure is read and written.
    __asm__ volatile("" : : "r"(&job) : "memory");
    rl_dot_1x6_run(&job);
    __asm__ volatile("" : : "r"(&job) : "memory");
    return in_sixes;
}

// The sums of `count` >= 1 filters, without the base. `many`, a constant, is rl_has_many_filters.
static inline __attribute__((always_inline)) void rl_fully_connected_sums(const struct rl_fully_connected *f,
                                                                          const int8_t *row, const int8_t *filter,
                                                                          int32_t start, int32_t count, int32_t *sums,
                                                                          bool many)
{
    const int32_t depth = f->depth, offset = f->base_offset;
    if (many && count >= RL_MANY_FILTERS && depth >= RL_MANY_WEIGHTS) {
        const int32_t in_sixes = rl_fully_connected_sixes(row, filter, depth, start, count, sums);
        filter += (ptrdiff_t)in_sixes * depth;
        sums += in_sixes;
        count -= in_sixes;
    }
    const int32_t in_groups = count & ~(RL_FILTERS - 1);
    if (in_groups > 0) {
        const struct rl_dot_1x4 job = {row, filter, depth, start, sums, sums + in_groups, offset};
        __asm__ volatile("" : : "r"(&job) : "memory");
        if (offset == 0) {
            rl_dot_1x4_run(&job);
        } else if (depth <= 16 && offset >= -126) {
            rl_dot_1x4_short(&job);
        } else {
            rl_dot_1x4_offset(&job);
        }
        __asm__ volatile("" : : "r"(&job) : "memory");
    }
    for (int32_t i = in_groups; i < count; i++) {
        sums[i] = start + rl_dot_s8_s8(row, offset, filter + (ptrdiff_t)i * depth, depth);
    }
}

// output[i] = clamp(requantize(sums[i] + base[i]) + output_offset) with one multiplier and a shift of -1 or less: the
// short form of requantize_mve.h. VQDMLAH by 1 adds the sign.
static inline void rl_fully_connected_scale(const struct rl_fully_connected *f, const int32_t *sums,
                                            const int32_t *base, int32_t count, int8_t *output)
{
    __asm__ volatile(
        "wlstp.32 lr, %[count], 2f\n"
        ".p2align 2\n"
        "1: vldrw.u32 q0, [%[sums]], #16\n"
        "vldrw.u32 q1, [%[base]], #16\n"
        "vadd.i32 q0, q0, q1\n"
        "vqrdmulh.s32 q1, q0, %[multiplier]\n"
        "vqdmlah.s32 q1, q0, %[one]\n"
        "vrshl.s32 q1, %[shift]\n"
        "vadd.i32 q1, q1, %[offset]\n"
        "vmax.s32 q1, q1, %q[low]\n"
        "vmin.s32 q1, q1, %q[high]\n"
        "vstrb.32 q1, [%[output]], #4\n"
        "letp lr, 1b\n"
        "2:"
        : [sums] "+&r"(sums), [base] "+&r"(base), [output] "+&l"(output)
        : [count] "r"(count), [multiplier] "r"(f->scale.multiplier), [shift] "r"(f->scale.shift), [one] "r"(1),
          [offset] "r"(f->output_offset), [low] "w"(vdupq_n_s32(f->range.min)), [high] "w"(vdupq_n_s32(f->range.max))
        : "q0", "q1", "lr", "memory");
}

// The same for at least eight channels. A vector is multiplied while the one before it is rounded and stored.
static __attribute__((noinline)) void rl_fully_connected_scale_many(const struct rl_fully_connected *f,
                                                                    const int32_t *sums, const int32_t *base,
                                                                    int32_t count, int8_t *output)
{
    const int32_t left = count & 3;
    const int32x4_t shift = vdupq_n_s32(f->scale.shift);
    __asm__ volatile("vldrw.u32 q0, [%[sums]], #16\n"
                     "vldrw.u32 q1, [%[base]], #16\n"
                     "vmla.s32 q0, q1, %[one]\n"
                     "vqrdmulh.s32 q2, q0, %[multiplier]\n"
                     "dls lr, %[rounds]\n"
                     "vqdmlah.s32 q2, q0, %[one]\n"
                     ".p2align 2\n"
                     "1: vrshl.s32 q3, q2, %q[shift]\n"
                     "vldrw.u32 q0, [%[sums]], #16\n"
                     "vadd.i32 q3, q3, %[offset]\n"
                     "vldrw.u32 q1, [%[base]], #16\n"
                     "vmax.s32 q3, q3, %q[low]\n"
                     "vmla.s32 q0, q1, %[one]\n"
                     "vmin.s32 q3, q3, %q[high]\n"
                     "vqrdmulh.s32 q2, q0, %[multiplier]\n"
                     "vstrb.32 q3, [%[output]], #4\n"
                     "vqdmlah.s32 q2, q0, %[one]\n"
                     "le lr, 1b\n"
                     "vrshl.s32 q3, q2, %q[shift]\n"
                     "vadd.i32 q3, q3, %[offset]\n"
                     "vmax.s32 q3, q3, %q[low]\n"
                     "vmin.s32 q3, q3, %q[high]\n"
                     "vstrb.32 q3, [%[output]], #4\n"
                     : [sums] "+&r"(sums), [base] "+&r"(base), [output] "+&l"(output)
                     : [rounds] "r"((count >> 2) - 1), [multiplier] "r"(f->scale.multiplier), [one] "r"(1),
                       [offset] "r"(f->output_offset), [shift] "w"(shift), [low] "w"(vdupq_n_s32(f->range.min)),
                       [high] "w"(vdupq_n_s32(f->range.max))
                     : "q0", "q1", "q2", "q3", "lr", "memory");
    if (left != 0) {
        rl_fully_connected_scale(f, sums, base, left, output);
    }
}

// The same for any multipliers and shifts, from those of channel `first` on, with or without a base, and with outputs
// `step` bytes apart. A multiplier and shift for all channels are read again for each four of them. The arithmetic is
// that of rl_requantize_lanes_mve.
static __attribute__((noinline)) void rl_fully_connected_scale_any(const struct rl_fully_connected *f,
                                                                   const int32_t *sums, int32_t first, int32_t count,
                                                                   int8_t *output, ptrdiff_t step)
{
    int32_t same[8];
    const int32_t zeros[4] = {0, 0, 0, 0};
    const bool many = f->scales.multiplier;
    vstrwq_s32(same, vdupq_n_s32(f->scale.multiplier));
    vstrwq_s32(same + 4, vdupq_n_s32(f->scale.shift));
    const int32_t *base = f->base ? f->base + first : zeros;
    const int32_t *multiplier = many ? f->scales.multiplier + first : same;
    const int32_t *shift = many ? f->scales.shift + first : same + 4;
    __asm__ volatile("wlstp.32 lr, %[count], 2f\n"
                     ".p2align 2\n"
                     "1: vldrw.u32 q0, [%[sums]], #16\n"
                     "vldrw.u32 q1, [%[base]]\n"
                     "vadd.i32 q0, q0, q1\n"
                     "vldrw.u32 q1, [%[shift]]\n"
                     "vmax.s32 q2, q1, %q[zero]\n"
                     "vshl.s32 q0, q0, q2\n"
                     "vldrw.u32 q2, [%[multiplier]]\n"
                     "vqrdmulh.s32 q0, q0, q2\n"
                     "vmin.s32 q1, q1, %q[zero]\n"
                     "vand q2, q0, q1\n"
                     "add %[base], %[base], %[base_step]\n"
                     "add %[shift], %[shift], %[scale_step]\n"
                     "add %[multiplier], %[multiplier], %[scale_step]\n"
                     "vshr.s32 q2, q2, #31\n"
                     "vqadd.s32 q0, q0, q2\n"
                     "vrshl.s32 q0, q0, q1\n"
                     "vadd.i32 q0, q0, %[offset]\n"
                     "vmax.s32 q0, q0, %q[low]\n"
                     "vmin.s32 q0, q0, %q[high]\n"
                     "vstrb.32 q0, [%[output], %q[places]]\n"
                     "add %[output], %[output], %[output_step]\n"
                     "letp lr, 1b\n"
                     "2:"
                     : [sums] "+&r"(sums), [output] "+&r"(output), [base] "+&r"(base), [multiplier] "+&r"(multiplier),
                       [shift] "+&r"(shift)
                     : [count] "r"(count), [offset] "r"(f->output_offset), [scale_step] "r"(many ? 16 : 0),
                       [base_step] "r"(f->base ? 16 : 0), [output_step] "r"(4 * step), [zero] "w"(vdupq_n_s32(0)),
                       [low] "w"(vdupq_n_s32(f->range.min)), [high] "w"(vdupq_n_s32(f->range.max)),
                       [places] "w"(vmulq_n_u32(vidupq_n_u32(0, 1), (uint32_t)step))
                     : "q0", "q1", "q2", "lr", "memory");
}

// The same with a base, and a multiplier and shift for each channel.
static __attribute__((noinline)) void rl_fully_connected_scale_channels(const struct rl_fully_connected *f,
                                                                        const int32_t *sums, int32_t first,
                                                                        int32_t count, int8_t *output)
{
    const int32_t *base = f->base + first, *multiplier = f->scales.multiplier + first, *shift = f->scales.shift + first;
    __asm__ volatile("wlstp.32 lr, %[count], 2f\n"
                     ".p2align 2\n"
                     "1: vldrw.u32 q3, [%[shift]], #16\n"
                     "vmax.s32 q2, q3, %q[zero]\n"
                     "vldrw.u32 q0, [%[sums]], #16\n"
                     "vmin.s32 q3, q3, %q[zero]\n"
                     "vldrw.u32 q1, [%[base]], #16\n"
                     "vadd.i32 q0, q0, q1\n"
                     "vldrw.u32 q4, [%[multiplier]], #16\n"
                     "vshl.s32 q0, q0, q2\n"
                     "vqrdmulh.s32 q0, q0, q4\n"
                     "vand q2, q0, q3\n"
                     "vshr.s32 q2, q2, #31\n"
                     "vqadd.s32 q0, q0, q2\n"
                     "vrshl.s32 q0, q0, q3\n"
                     "vadd.i32 q0, q0, %[offset]\n"
                     "vmax.s32 q0, q0, %q[low]\n"
                     "vmin.s32 q0, q0, %q[high]\n"
                     "vstrb.32 q0, [%[output]], #4\n"
                     "letp lr, 1b\n"
                     "2:"
                     : [sums] "+&r"(sums), [output] "+&l"(output), [base] "+&r"(base), [multiplier] "+&r"(multiplier),
                       [shift] "+&r"(shift)
                     : [count] "r"(count), [offset] "r"(f->output_offset), [zero] "w"(vdupq_n_s32(0)),
                       [low] "w"(vdupq_n_s32(f->range.min)), [high] "w"(vdupq_n_s32(f->range.max))
                     : "q0", "q1", "q2", "q3", "q4", "lr", "memory");
}

// Up to two channels, vectors of channels do not pay.
static inline bool rl_fully_connected_suits_singles(const struct rl_fully_connected *f)
{
    return f->channels <= 2;
}

// Channel by channel, for layers that suit it. `constant` has the part of the weights' offset.
static inline void rl_fully_connected_singles(const struct rl_fully_connected *f, const int8_t *input, int32_t constant,
                                              int8_t *output)
{
    const int8_t *filter = f->weights;
    for (int32_t channel = 0; channel < f->channels; channel++, filter += f->depth) {
        const int32_t sum = constant + (f->base ? f->base[channel] : 0);
        *output++ =
            rl_fully_connected_requantized(f, channel, sum + rl_dot_s8_s8(input, f->base_offset, filter, f->depth));
    }
}

// rl_fully_connected_row. `many`, a constant, is rl_has_many_filters.
static inline __attribute__((always_inline)) void rl_fully_connected_blocks(const struct rl_fully_connected *f,
                                                                            const int8_t *input, int32_t row_constant,
                                                                            int8_t *output, ptrdiff_t step, bool many)
{
    int32_t sums[RL_SUM_COUNT];
    const int8_t *filter = f->weights;
    for (int32_t first = 0; first < f->channels; first += RL_SUM_COUNT) {
        const int32_t count = rl_min_s32(f->channels - first, RL_SUM_COUNT);
        rl_fully_connected_sums(f, input, filter, row_constant, count, sums, many);
        filter += (ptrdiff_t)RL_SUM_COUNT * f->depth;
        const bool has_one_scale = !f->scales.multiplier && f->scale.shift < 0 && f->base && step == 1;
        if (many && has_one_scale && count >= 8) {
            rl_fully_connected_scale_many(f, sums, f->base + first, count, output + first);
        } else if (has_one_scale) {
            rl_fully_connected_scale(f, sums, f->base + first, count, output + first);
        } else if (f->scales.multiplier && f->base && step == 1) {
            rl_fully_connected_scale_channels(f, sums, first, count, output + first);
        } else {
            rl_fully_connected_scale_any(f, sums, first, count, output + first * step, step);
        }
    }
}

// Not inlined, so that each has no more registers to save than it needs.
static __attribute__((noinline)) void rl_fully_connected_many(const struct rl_fully_connected *f, const int8_t *input,
                                                              int32_t row_constant, int8_t *output, ptrdiff_t step)
{
    rl_fully_connected_blocks(f, input, row_constant, output, step, true);
}

static __attribute__((noinline)) void rl_fully_connected_few(const struct rl_fully_connected *f, const int8_t *input,
                                                             int32_t row_constant, int8_t *output, ptrdiff_t step)
{
    rl_fully_connected_blocks(f, input, row_constant, output, step, false);
}

// Reads f->depth bytes of `input` and the filters, any alignment; writes f->channels outputs, `step` bytes apart.
static inline __attribute__((always_inline)) void rl_fully_connected_row(const struct rl_fully_connected *f,
                                                                         const int8_t *input, int32_t row_constant,
                                                                         int8_t *output, ptrdiff_t step,
                                                                         struct rl_scratch scratch)
{
    (void)scratch;
    if (rl_has_many_filters(f)) {
        rl_fully_connected_many(f, input, row_constant, output, step);
    } else {
        rl_fully_connected_few(f, input, row_constant, output, step);
    }
}

#endif
