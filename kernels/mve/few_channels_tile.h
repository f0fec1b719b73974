// SPDX-License-Identifier: Apache-2.0
// Few channels with Helium: one filter times four rows at a time.
#ifndef RL_KERNELS_MVE_FEW_CHANNELS_TILE_H
#define RL_KERNELS_MVE_FEW_CHANNELS_TILE_H

#include <arm_mve.h>

#include "convolution/choice.h"
#include "convolution/few_channels.h"
#include "mve/dot_1x4.h"
#include "mve/dot_tile.h"
#include "mve/few_rows.h"
#include "mve/requantize_mve.h"

enum { RL_FEW_CHANNELS_ROWS = 64 }; // whose sums are on the stack

// What all channels share: limits, and the distances of four outputs.
struct rl_few_channels_lanes {
    int32x4_t low, high;
    uint32x4_t places;
};

// Scales sums of a channel whose scale shifts right, eight at a time, `count` of them: each step waits for the one
// before. requantize_mve.h tells the short form.
static inline void rl_few_channels_scale_eights(const struct rl_few_channels *f,
                                                const struct rl_few_channels_lanes *lanes, int32_t channel,
                                                int32_t base, const int32_t *sums, int32_t count, int8_t *output)
{
    __asm__ volatile(
        "wls lr, %[eights], 2f\n"
        ".p2align 2\n"
        "1: vldrw.u32 q0, [%[sums]], #16\n"
        "vadd.i32 q0, q0, %[base]\n"
        "vldrw.u32 q2, [%[sums]], #16\n"
        "vqrdmulh.s32 q1, q0, %[multiplier]\n"
        "vadd.i32 q2, q2, %[base]\n"
        "vqdmlah.s32 q1, q0, %[one]\n"
        "vqrdmulh.s32 q3, q2, %[multiplier]\n"
        "vrshl.s32 q1, %[shift]\n"
        "vqdmlah.s32 q3, q2, %[one]\n"
        "vadd.i32 q1, q1, %[offset]\n"
        "vrshl.s32 q3, %[shift]\n"
        "vmax.s32 q1, q1, %q[low]\n"
        "vadd.i32 q3, q3, %[offset]\n"
        "vmin.s32 q1, q1, %q[high]\n"
        "vmax.s32 q3, q3, %q[low]\n"
        "vstrb.32 q1, [%[output], %q[places]]\n"
        "vmin.s32 q3, q3, %q[high]\n"
        "add %[output], %[output], %[next]\n"
        "vstrb.32 q3, [%[output], %q[places]]\n"
        "add %[output], %[output], %[next]\n"
        "le lr, 1b\n"
        "2:"
        : [sums] "+&r"(sums), [output] "+&r"(output)
        : [eights] "r"(count >> 3), [base] "r"(base), [multiplier] "r"(f->scales.multiplier[channel]),
          [shift] "r"(f->scales.shift[channel]), [one] "r"(1), [offset] "r"(f->output_offset),
          [next] "r"(4 * f->channels), [low] "w"(lanes->low), [high] "w"(lanes->high), [places] "w"(lanes->places)
        : "q0", "q1", "q2", "q3", "lr", "memory");
}

// Scales the sums of a channel. The arithmetic is that of rl_requantize_mve, in a loop that ends in a partial vector
// (dot_tile.h).
static inline void rl_few_channels_scale(const struct rl_few_channels *f, const struct rl_few_channels_lanes *lanes,
                                         int32_t channel, int32_t base, const int32_t *sums, int32_t count,
                                         int8_t *output)
{
    const int32_t shift = f->scales.shift[channel], in_eights = shift < 0 ? count & ~7 : 0;
    if (in_eights > 0) {
        rl_few_channels_scale_eights(f, lanes, channel, base, sums, in_eights, output);
        sums += in_eights;
        output += in_eights * f->channels;
        count -= in_eights;
    }
    __asm__ volatile("wlstp.32 lr, %[count], 2f\n"
                     ".p2align 2\n"
                     "1: vldrw.u32 q0, [%[sums]], #16\n"
                     "vadd.i32 q0, q0, %[base]\n"
                     "vshl.s32 q0, %[left]\n"
                     "vqrdmulh.s32 q0, q0, %[multiplier]\n"
                     "vand q1, q0, %q[negative]\n"
                     "vshr.s32 q1, q1, #31\n"
                     "vqadd.s32 q0, q0, q1\n"
                     "vrshl.s32 q0, %[right]\n"
                     "vadd.i32 q0, q0, %[offset]\n"
                     "vmax.s32 q0, q0, %q[low]\n"
                     "vmin.s32 q0, q0, %q[high]\n"
                     "vstrb.32 q0, [%[output], %q[places]]\n"
                     "add %[output], %[output], %[next]\n"
                     "letp lr, 1b\n"
                     "2:"
                     : [sums] "+&r"(sums), [output] "+&r"(output)
                     : [count] "r"(count), [base] "r"(base), [multiplier] "r"(f->scales.multiplier[channel]),
                       [left] "r"(rl_max_s32(shift, 0)), [right] "r"(rl_min_s32(shift, 0)),
                       [offset] "r"(f->output_offset), [next] "r"(4 * f->channels), [negative] "w"(vdupq_n_s32(shift)),
                       [low] "w"(lanes->low), [high] "w"(lanes->high), [places] "w"(lanes->places)
                     : "q0", "q1", "lr", "memory");
}

// The products of a filter with `count` rows.
static inline void rl_few_channels_sums(const struct rl_few_channels *f, const int8_t *filter, const int8_t *row,
                                        int32_t count, int32_t *sums)
{
    const int32_t in_fours = count & ~3;
    int32_t *const end = sums + in_fours;
    if (in_fours > 0) {
        const struct rl_dot_1x4 job = {filter, row, f->depth, (int32_t)f->step, sums, end, 0};
        // The empty statements tell the compiler that memory behind the structure is read and written.
        __asm__ volatile("" : : "r"(&job) : "memory");
        rl_dot_1x4_apart(&job);
        __asm__ volatile("" : : "r"(&job) : "memory");
        row += in_fours * f->step;
    }
    sums = end;
    if ((count & 2) != 0) {
        sums[0] = sums[1] = 0;
        rl_dot_s8_s8_pair(filter, 0, row, row + f->step, f->depth, sums);
        row += 2 * f->step;
        sums += 2;
    }
    if ((count & 1) != 0) {
        *sums = rl_dot_1x1(filter, row, f->depth, 0);
    }
}

// Four rows alone. The filter is summed beside their products, and outputs are made from registers.
static __attribute__((noinline)) void rl_few_channels_four_rows(const struct rl_few_channels *f, int8_t *output)
{
    const int8_t *const rows = f->rows, *filter = f->weights;
    const ptrdiff_t step = f->step;
    const int32_t *bias = f->bias, *multiplier = f->scales.multiplier, *shift = f->scales.shift;
    const int32x4_t low = vdupq_n_s32(f->range.min), high = vdupq_n_s32(f->range.max);
    const uint32x4_t places = vmulq_n_u32(vidupq_n_u32(0, 1), (uint32_t)f->channels);
    for (const int8_t *const end = output + f->channels; output != end; output++) {
        const int8_t *row_0 = rows, *row_1 = row_0 + step, *row_2 = row_1 + step, *row_3 = row_2 + step;
        // The sum of the filter comes to the register of the depth: without optimization there is no other left.
        int32_t sum_0 = 0, sum_1 = 0, sum_2 = 0, sum_3 = 0, of_filter = f->depth;
        __asm__ volatile("wlstp.8 lr, %[of_filter], 2f\n"
                         "movs %[of_filter], #0\n"
                         ".p2align 2\n"
                         "1: vldrb.u8 q0, [%[filter]], #16\n"
                         "vaddva.s8 %[of_filter], q0\n"
                         "vldrb.u8 q1, [%[row_0]], #16\n"
                         "vmladava.s8 %[sum_0], q0, q1\n"
                         "vldrb.u8 q2, [%[row_1]], #16\n"
                         "vmladava.s8 %[sum_1], q0, q2\n"
                         "vldrb.u8 q1, [%[row_2]], #16\n"
                         "vmladava.s8 %[sum_2], q0, q1\n"
                         "vldrb.u8 q2, [%[row_3]], #16\n"
                         "vmladava.s8 %[sum_3], q0, q2\n"
                         "letp lr, 1b\n"
                         "2:"
                         : [filter] "+&r"(filter), [row_0] "+&r"(row_0), [row_1] "+&r"(row_1), [row_2] "+&r"(row_2),
                           [row_3] "+&r"(row_3), [sum_0] "+&Te"(sum_0), [sum_1] "+&Te"(sum_1), [sum_2] "+&Te"(sum_2),
                           [sum_3] "+&Te"(sum_3), [of_filter] "+&Te"(of_filter)
                         :
                         : "q0", "q1", "q2", "lr", "cc", "memory");
        filter += f->depth - ((f->depth + 15) & ~15); // loads went on to a multiple of sixteen
        const int32_t base = (bias ? *bias++ : 0) + f->input_offset * of_filter;
        const int32x4_t sums = {sum_0, sum_1, sum_2, sum_3};
        const int32x4_t scaled = rl_requantize_mve(vaddq_n_s32(sums, base), *multiplier++, *shift++);
        const int32x4_t raised = vmaxq_s32(vaddq_n_s32(scaled, f->output_offset), low);
        vstrbq_scatter_offset_s32(output, places, vminq_s32(raised, high));
    }
}

static __attribute__((noinline)) void rl_few_channels_any_rows(const struct rl_few_channels *f, int8_t *output)
{
    int32_t sums[RL_FEW_CHANNELS_ROWS];
    const struct rl_few_channels_lanes lanes = {vdupq_n_s32(f->range.min), vdupq_n_s32(f->range.max),
                                                vmulq_n_u32(vidupq_n_u32(0, 1), (uint32_t)f->channels)};
    const int8_t *filter = f->weights;
    for (int32_t channel = 0; channel < f->channels; channel++, filter += f->depth) {
        int32_t base = f->bias ? f->bias[channel] : 0, waiting = 0;
        base += f->input_offset != 0 ? f->input_offset * rl_sum_s8(filter, f->depth) : 0;
        const int8_t *line = f->rows;
        int8_t *to = output + channel;
        for (int32_t lines = f->lines; lines > 0; lines--, line += f->line_step) {
            const int8_t *row = line;
            for (int32_t left = f->count; left > 0;) {
                const int32_t count = rl_min_s32(left, RL_FEW_CHANNELS_ROWS - waiting);
                rl_few_channels_sums(f, filter, row, count, sums + waiting);
                row += count * f->step;
                left -= count;
                waiting += count;
                if (waiting == RL_FEW_CHANNELS_ROWS || (left == 0 && lines == 1)) {
                    rl_few_channels_scale(f, &lanes, channel, base, sums, waiting, to);
                    to += waiting * f->channels;
                    waiting = 0;
                }
            }
        }
    }
}

// The most channels that take less time one after the other than with all their sums scaled at once.
static inline int32_t rl_few_channels_apart(const struct rl_few_channels *f)
{
    if (f->count < 4) {
        return 1;
    }
    return f->depth > RL_FEW_ROWS_SHORT ? 7 : 5;
}

static inline void rl_few_channels_rows(const struct rl_few_channels *f, int8_t *output)
{
    if (f->lines != 1 || f->count < 2 || f->count > RL_CONVOLUTION_FEW_ROWS) {
        rl_few_channels_any_rows(f, output);
    } else if (f->channels > rl_few_channels_apart(f)) {
        rl_few_rows_run(f, output);
    } else if (f->count == 4) {
        rl_few_channels_four_rows(f, output);
    } else {
        rl_few_channels_any_rows(f, output);
    }
}

#endif
