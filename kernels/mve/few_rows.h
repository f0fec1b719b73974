// SPDX-License-Identifier: Apache-2.0
// Two to four int8 rows times filters, with nothing prepared: filters are summed beside their products, and sums are
// scaled two rows at a time. For layers in which preparing channels takes longer than it saves.
#ifndef RL_KERNELS_MVE_FEW_ROWS_H
#define RL_KERNELS_MVE_FEW_ROWS_H

#include <arm_mve.h>
#include <stdbool.h>

#include "convolution/choice.h"
#include "convolution/few_channels.h"
#include "mve/dot_rows_s8.h"
#include "mve/dot_rows_sums.h"
#include "mve/requantize_mve.h"
#include "requantize.h"

enum {
    RL_FEW_ROWS_BLOCK = RL_SUM_BLOCK / 2, // channels; behind the sums of the first row are those of the weights
    RL_FEW_ROWS_SHORT = 16,               // values of a vector
    RL_FEW_ROWS_LONG = 112,
};

// Two or four rows. The assembler relies on the order of the fields.
struct rl_four_rows {
    const int8_t *filter;
    int32_t depth;
    const int8_t *rows[4];
    int32_t *sums;
    int32_t channels;
};

// The sums of two rows. The assembler relies on the order of the fields.
struct rl_two_sums {
    const int32_t *sums;
    const int32_t *bias;
    const int32_t *multiplier;
    const int32_t *shift;
    int8_t *output_0; // may be output_1 as well, and then has the first row
    int8_t *output_1;
    const int32_t *weights; // sums of weights + 128
    int32_t less;           // what the 128s add, to be taken away
    int32_t input_offset;
    int32_t output_offset;
    int32_t min;
    int32_t max;
    int32_t channels;
};

// clang-format off
// The rows stay in q4 to q7. r0, r2, r4, r6 are the sums, r8 adds up weights + 128, from what the lanes behind the filter
// add too much. The arguments are the loads of the third and the fourth row, their products and their stores.
#define RL_FOUR_SHORT_ROWS(loads, products, stores) \
    "push {r7, lr}\n" \
    "ldm r0, {r1, r3, r5, r6, r8, r9, r12, lr}\n" \
    "vctp.8 r3\n" \
    "vmov.i8 q3, #0x80\n" \
    "vpstt\n" \
    "vldrbt.8 q4, [r5]\n" \
    "vldrbt.8 q5, [r6]\n" \
    loads \
    "sub r9, r3, #16\n" \
    "lsl r9, r9, #7\n" \
    "wls lr, lr, 2f\n" \
    ".p2align 2\n" \
    "1:\n" \
    "vpst\n" \
    "vldrbt.8 q0, [r1]\n" \
    "mov r8, r9\n" \
    "vmladav.s8 r0, q0, q4\n" \
    "vabav.s8 r8, q0, q3\n" \
    "vmladav.s8 r2, q0, q5\n" \
    "add r1, r1, r3\n" \
    products \
    "str r8, [r12, #128]\n" \
    "str r2, [r12, #256]\n" \
    stores \
    "str r0, [r12], #4\n" \
    "le lr, 1b\n" \
    "2:\n" \
    "pop {r7, pc}\n"

static __attribute__((naked, noinline)) void
rl_dot_two_short_rows(__attribute__((unused)) const void *rows)
{
    __asm__(RL_FOUR_SHORT_ROWS("", "", ""));
}

static __attribute__((naked, noinline)) void
rl_dot_four_short_rows(__attribute__((unused)) const void *rows)
{
    __asm__(RL_FOUR_SHORT_ROWS("vpstt\n"
                               "vldrbt.8 q6, [r8]\n"
                               "vldrbt.8 q7, [r9]\n",
                               "vmladav.s8 r4, q0, q6\n"
                               "vmladav.s8 r6, q0, q7\n",
                               "str r4, [r12, #512]\n"
                               "str r6, [r12, #768]\n"));
}

// Four rows of any length, a filter at a time. r3, r5, r9 and r11 read the rows, r0, r2, r4, r6 are the sums, r8 adds up
// weights + 128. The stack holds the depth, the rows, and how many channels are left.
static __attribute__((naked, noinline)) void
rl_dot_four_rows(__attribute__((unused)) const void *rows)
{
    __asm__("push {r7, lr}\n"
            "ldm r0, {r1, r3, r5, r6, r8, r9, r12, lr}\n"
            "vmov.i8 q7, #0x80\n"
            "push {r3, r5, r6, r8, r9, lr}\n"
            "add r7, r3, #15\n"
            "bic r7, r7, #15\n"
            "sub r7, r7, r3\n"
            "1:\n"
            "ldm sp, {r0, r3, r5, r9, r11}\n"
            "movs r2, #0\n"
            "mov r8, r2\n"
            "movs r4, #0\n"
            "movs r6, #0\n"
            "wlstp.8 lr, r0, 3f\n"
            "movs r0, #0\n"
            ".p2align 2\n"
            "2:\n"
            "vldrb.8 q0, [r1], #16\n"
            "vabav.s8 r8, q0, q7\n"
            "vldrb.8 q1, [r3], #16\n"
            "vmladava.s8 r0, q0, q1\n"
            "vldrb.8 q2, [r5], #16\n"
            "vmladava.s8 r2, q0, q2\n"
            "vldrb.8 q1, [r9], #16\n"
            "vmladava.s8 r4, q0, q1\n"
            "vldrb.8 q2, [r11], #16\n"
            "vmladava.s8 r6, q0, q2\n"
            "letp lr, 2b\n"
            "3:\n"
            "ldr r10, [sp, #20]\n"
            "sub r1, r1, r7\n"
            "str r8, [r12, #128]\n"
            "str r2, [r12, #256]\n"
            "subs r10, r10, #1\n"
            "str r4, [r12, #512]\n"
            "str r6, [r12, #768]\n"
            "str r0, [r12], #4\n"
            "str r10, [sp, #20]\n"
            "bne 1b\n"
            "add sp, sp, #24\n"
            "pop {r7, pc}\n");
}

// All shifts are below 0: see requantize_mve.h. r11 is 1.
static __attribute__((naked, noinline)) void
rl_scale_two_sums(__attribute__((unused)) const void *sums)
{
    __asm__("push {r7, lr}\n"
            "ldm r0, {r0-r6, r8-r12, lr}\n"
            "vdup.32 q6, r11\n"
            "vdup.32 q7, r12\n"
            "mov r11, #1\n"
            "wlstp.32 lr, lr, 2f\n"
            ".p2align 2\n"
            "1:\n"
            "vldrw.u32 q2, [r1], #16\n"
            "vadd.i32 q2, q2, r8\n"
            "vldrw.u32 q3, [r6], #16\n"
            "vmla.s32 q2, q3, r9\n"
            "vldrw.u32 q0, [r0], #16\n"
            "vldrw.u32 q1, [r0, #240]\n"
            "vadd.i32 q0, q0, q2\n"
            "vldrw.u32 q4, [r2], #16\n"
            "vqrdmulh.s32 q3, q0, q4\n"
            "vadd.i32 q1, q1, q2\n"
            "vqrdmulh.s32 q5, q1, q4\n"
            "vldrw.u32 q2, [r3], #16\n"
            "vqdmlah.s32 q3, q0, r11\n"
            "vqdmlah.s32 q5, q1, r11\n"
            "vrshl.s32 q3, q3, q2\n"
            "vadd.i32 q3, q3, r10\n"
            "vrshl.s32 q5, q5, q2\n"
            "vmax.s32 q3, q3, q6\n"
            "vadd.i32 q5, q5, r10\n"
            "vmax.s32 q5, q5, q6\n"
            "vmin.s32 q5, q5, q7\n"
            "vstrb.32 q5, [r5], #4\n"
            "vmin.s32 q3, q3, q7\n"
            "vstrb.32 q3, [r4], #4\n"
            "letp lr, 1b\n"
            "2:\n"
            "pop {r7, pc}\n");
}
// clang-format on

// The same with any shifts.
static __attribute__((noinline)) void rl_scale_two_sums_both_ways(const struct rl_two_sums *s)
{
    const int32x4_t low = vdupq_n_s32(s->min), high = vdupq_n_s32(s->max);
    int8_t *const outputs[2] = {s->output_1, s->output_0};
    for (int32_t i = 0; i < s->channels; i += 4) {
        const mve_pred16_t active = vctp32q((uint32_t)(s->channels - i));
        const int32x4_t base = vaddq_n_s32(vldrwq_z_s32(s->bias + i, active), s->less);
        const int32x4_t complete = vmlaq_n_s32(base, vldrwq_s32(s->weights + i), s->input_offset);
        const int32x4_t multiplier = vldrwq_z_s32(s->multiplier + i, active);
        const int32x4_t shift = vldrwq_z_s32(s->shift + i, active);
        for (int32_t row = 0; row < 2; row++) {
            int32x4_t value = vaddq_s32(vldrwq_s32(s->sums + (1 - row) * RL_SUM_BLOCK + i), complete);
            value = vaddq_n_s32(rl_requantize_lanes_mve(value, multiplier, shift), s->output_offset);
            vstrbq_p_s32(outputs[row] + i, vminq_s32(vmaxq_s32(value, low), high), active);
        }
    }
}

// The sums of a block, and those of its weights. Long rows are two or three at a time with two filters, but four with
// one filter where that takes less time.
static inline void rl_few_rows_sums(const struct rl_few_channels *f, const int8_t *filter, int32_t channels,
                                    int32_t *sums)
{
    const bool is_short = f->depth <= RL_FEW_ROWS_SHORT;
    const int8_t *const row_1 = f->rows + f->step, *const row_2 = row_1 + f->step;
    if (is_short || (f->count == 4 && (f->depth <= RL_FEW_ROWS_LONG || channels % 2 != 0))) {
        const int8_t *const row_3 = f->count > 3 ? row_2 + f->step : row_2;
        const struct rl_four_rows job = {filter, f->depth, {f->rows, row_1, row_2, row_3}, sums, channels};
        rl_assembler *const short_rows = f->count == 2 ? rl_dot_two_short_rows : rl_dot_four_short_rows;
        rl_call_assembler(is_short ? short_rows : rl_dot_four_rows, &job);
        return;
    }
    struct rl_filters filters; // other fields are not read
    filters.filter = filter;
    filters.depth = f->depth;
    filters.step = f->depth;
    filters.channels = channels;
    filters.late_sums = sums + RL_FEW_ROWS_BLOCK;
    struct rl_three_rows rows = {f->rows, &filters, row_1, row_2, sums, NULL, NULL, NULL};
    rl_call_assembler(f->count == 3 ? rl_dot_rows_sums : rl_dot_two_rows_sums, &rows);
    if (f->count == 4) {
        rows.row_0 = row_2;
        rows.row_1 = row_2 + f->step;
        rows.sums = sums + 2 * RL_SUM_BLOCK;
        rl_call_assembler(rl_dot_two_rows(f->depth), &rows);
    }
}

// Scales the sums of `rows` rows with `count` channels from `first` on, of which an output has `channels`. `two` has
// the fields that all blocks share.
static inline void rl_few_rows_scale(struct rl_two_sums *two, const int32_t *bias, struct rl_scales scales,
                                     int32_t first, const int32_t *sums, int32_t rows, int32_t channels, int8_t *output)
{
    static const int32_t no_bias[RL_SUM_BLOCK];
    two->bias = bias ? bias + first : no_bias;
    two->multiplier = scales.multiplier + first;
    two->shift = scales.shift + first;
    const bool right = rl_shifts_right(two->shift, two->channels);
    for (int32_t row = 0; row < rows; row += 2, output += 2 * channels) {
        two->sums = sums + row * RL_SUM_BLOCK;
        two->output_0 = output;
        two->output_1 = row + 1 < rows ? output + channels : output;
        if (right) {
            rl_call_assembler(rl_scale_two_sums, two);
        } else {
            rl_scale_two_sums_both_ways(two);
        }
    }
}

// All rows, which are two to four.
static __attribute__((noinline)) void rl_few_rows_run(const struct rl_few_channels *f, int8_t *output)
{
    int32_t sums[4 * RL_SUM_BLOCK];
    struct rl_two_sums two; // other fields are those of a block
    two.weights = sums + RL_FEW_ROWS_BLOCK;
    two.less = -128 * f->depth * f->input_offset;
    two.input_offset = f->input_offset;
    two.output_offset = f->output_offset;
    two.min = f->range.min;
    two.max = f->range.max;
    for (int32_t first = 0; first < f->channels; first += RL_FEW_ROWS_BLOCK) {
        two.channels = rl_min_s32(f->channels - first, RL_FEW_ROWS_BLOCK);
        rl_few_rows_sums(f, f->weights + (ptrdiff_t)first * f->depth, two.channels, sums);
        rl_few_rows_scale(&two, f->bias, f->scales, first, sums, f->count, f->channels, output + first);
    }
}

#endif
