// SPDX-License-Identifier: Apache-2.0
// Scales the sums of eight channels and stores their outputs, along a line. plane_store_plain.h is the same in C.
// mve/plane_block.h gives the order of the channels.
#ifndef RL_KERNELS_MVE_PLANE_STORE_H
#define RL_KERNELS_MVE_PLANE_STORE_H

#include <arm_mve.h>
#include <stddef.h>

#include "mve/plane_block.h"
#include "mve/requantize_mve.h"
#include "rushlight/kernels/depthwise.h"

// `bias`, `multiplier` and `shift` have the even channels first, then the odd ones.
static inline void rl_plane_scale_init(struct rl_plane_scale *s, const int32x4x2_t *bias, const int32x4x2_t *multiplier,
                                       const int32x4x2_t *shift, const struct rl_depthwise *d)
{
    const struct rl_range *limits = &d->range;
    for (int i = 0; i < 2; i++) {
        vstrwq_s32(s->bias + 4 * i, bias->val[i]);
        vstrwq_s32(s->multiplier + 4 * i, multiplier->val[i]);
        vstrwq_s32(s->shift + 4 * i, shift->val[i]);
    }
    vstrhq_s16(s->offset, vdupq_n_s16((int16_t)d->output_offset));
    vstrhq_s16(s->low, vdupq_n_s16((int16_t)limits->min));
    vstrhq_s16(s->high, vdupq_n_s16((int16_t)limits->max));
    s->shifts_right = vmaxvq_s32(INT32_MIN, vmaxq_s32(shift->val[0], shift->val[1])) < 0;
    s->is_open = limits->min <= INT8_MIN && limits->max >= INT8_MAX;
    s->is_relu = limits->min >= d->output_offset;
}

// The scales of eight channels from `first` on, whose weights have these sums.
static inline void rl_plane_group_scale(struct rl_plane_scale *s, const struct rl_depthwise *d, int16x8_t weights,
                                        int32_t first)
{
    const int16x8_t offset = vdupq_n_s16((int16_t)d->input_offset);
    int32x4x2_t bias = {{vmullbq_int_s16(weights, offset), vmulltq_int_s16(weights, offset)}};
    if (d->bias) {
        const int32x4x2_t given = vld2q_s32(d->bias + first);
        bias.val[0] = vaddq_s32(bias.val[0], given.val[0]);
        bias.val[1] = vaddq_s32(bias.val[1], given.val[1]);
    }
    const int32x4x2_t multiplier = vld2q_s32(d->scales.multiplier + first);
    const int32x4x2_t shift = vld2q_s32(d->scales.shift + first);
    rl_plane_scale_init(s, &bias, &multiplier, &shift, d);
}

// Takes any shifts and limits.
static inline void rl_plane_store_any(const struct rl_plane_scale *s, const int32_t *sums, int32_t columns,
                                      ptrdiff_t step, int8_t *output)
{
    const int32x4x2_t multiplier = {{vldrwq_s32(s->multiplier), vldrwq_s32(s->multiplier + 4)}};
    const int32x4x2_t shift = {{vldrwq_s32(s->shift), vldrwq_s32(s->shift + 4)}};
    for (; columns > 0; columns--, sums += RL_PLANE_CHANNELS, output += step) {
        const int32x4x2_t biased = {{vaddq_s32(vldrwq_s32(sums), vldrwq_s32(s->bias)),
                                     vaddq_s32(vldrwq_s32(sums + 4), vldrwq_s32(s->bias + 4))}};
        int16x8_t value = rl_requantize_eight_mve(biased, &multiplier, &shift, s->offset[0]);
        value = vmaxq_s16(value, vldrhq_s16(s->low));
        vstrbq_s16(output, vminq_s16(value, vldrhq_s16(s->high)));
    }
}

// For shifts to the right: the short form of requantize_mve.h for both halves, narrowed. In assembler because gcc keeps
// the constants on the stack, and moves loads and products to where they do not overlap. q0 and q1 are the biases of
// the halves, q2 the first multiplier, q3 and q4 the halves; `start` and `body` use the others. The outer loop runs
// over rows, the inner one over columns.
// clang-format off
#define RL_PLANE_SCALE_LOOPS(body) \
    do { \
        __asm__ volatile("vldrw.s32 q0, [%[scale]]\n" \
                         "vldrw.s32 q1, [%[scale], #16]\n" \
                         "vldrw.s32 q2, [%[scale], #32]\n" \
                         "1:\n" \
                         "dls lr, %[columns]\n" \
                         ".p2align 2\n" \
                         "2:\n" \
                         "vldrw.s32 q3, [%[sums]], #16\n" \
                         "vadd.i32 q3, q3, q0\n" \
                         "vldrw.s32 q4, [%[sums]], #16\n" \
                         body \
                         "vstrb.16 q3, [%[output]]\n" \
                         "add %[output], %[output], %[step]\n" \
                         "le lr, 2b\n" \
                         "ldr lr, %[next_sums]\n" \
                         "add %[sums], %[sums], lr\n" \
                         "add %[output], %[output], %[next_output]\n" \
                         "subs %[rows], %[rows], #1\n" \
                         "bne 1b\n" \
                         : [sums] "+&r"(sums), [output] "+&l"(output), [rows] "+&r"(rows) \
                         : [columns] "r"(columns), [step] "r"(step), [scale] "r"(s), \
                           [next_sums] "m"(next_sums), [next_output] "r"(next_output) \
                         : "q0", "q1", "q2", "q3", "q4", "q5", "q6", "q7", "lr", "cc", "memory"); \
    } while (false)
// Adds the signs of the values, which rounds ties away from zero.
#define RL_PLANE_SCALE(tail) "vshr.s32 q5, q3, #31\n" \
                             "vqrdmulh.s32 q3, q3, q2\n" \
                             "vadd.i32 q4, q4, q1\n" \
                             "vldrw.s32 q7, [%[scale], #48]\n" \
                             "vshr.s32 q6, q4, #31\n" \
                             "vqrdmulh.s32 q4, q4, q7\n" \
                             "vadd.i32 q3, q3, q5\n" \
                             "vldrw.s32 q7, [%[scale], #64]\n" \
                             "vrshl.s32 q3, q3, q7\n" \
                             "vqmovnb.s32 q3, q3\n" \
                             "vadd.i32 q4, q4, q6\n" \
                             "vldrw.s32 q7, [%[scale], #80]\n" \
                             "vrshl.s32 q4, q4, q7\n" \
                             "vqmovnt.s32 q3, q4\n" \
                             "vldrh.s16 q7, [%[scale], #96]\n" \
                             "vqadd.s16 q3, q3, q7\n" \
                             tail
#define RL_PLANE_SATURATE    "vqmovnb.s16 q3, q3\n"
#define RL_PLANE_CLAMP       "vldrh.s16 q7, [%[scale], #112]\n" \
                             "vmax.s16 q3, q3, q7\n" \
                             "vldrh.s16 q7, [%[scale], #128]\n" \
                             "vmin.s16 q3, q3, q7\n"
// Does not add the signs: values below zero become the lower limit, which is that of int8, however they are rounded. The
// upper limit is that of int8 as well, for values moved up to it. Each round of the loop ends the outputs of the one
// before, which are in q5. VMLA by 1 adds the bias, because the adder has no time for it.
#define RL_PLANE_RELU_START  "vldrw.s32 q6, [%[sums]], #16\n" \
                             "vldrw.s32 q7, [%[scale]]\n" \
                             "vmla.s32 q6, q7, %[one]\n" \
                             "vldrw.s32 q7, [%[sums]], #16\n" \
                             "vqrdmulh.s32 q6, q6, q1\n" \
                             "vmla.s32 q7, q0, %[one]\n" \
                             "vrshl.s32 q6, q6, q3\n" \
                             "vqrdmulh.s32 q7, q7, q2\n" \
                             "vqmovnb.s32 q5, q6\n" \
                             "vrshl.s32 q7, q7, q4\n" \
                             "vqmovnt.s32 q5, q7\n"
#define RL_PLANE_RELU_END    "vqadd.s16 q5, q5, %[up]\n" \
                             "vqmovnb.s16 q5, q5\n" \
                             "vqsub.s8 q5, q5, %[down]\n" \
                             "vstrb.16 q5, [%[output]]\n"
#define RL_PLANE_RELU_LOOPS \
    do { \
        __asm__ volatile("vldrw.s32 q0, [%[scale], #16]\n" \
                         "vldrw.s32 q1, [%[scale], #32]\n" \
                         "vldrw.s32 q2, [%[scale], #48]\n" \
                         "vldrw.s32 q3, [%[scale], #64]\n" \
                         "vldrw.s32 q4, [%[scale], #80]\n" \
                         "1:\n" \
                         RL_PLANE_RELU_START \
                         "sub lr, %[columns], #1\n" \
                         "wls lr, lr, 3f\n" \
                         ".p2align 2\n" \
                         "2:\n" \
                         "vldrw.s32 q6, [%[sums]], #16\n" \
                         "vldrw.s32 q7, [%[scale]]\n" \
                         "vmla.s32 q6, q7, %[one]\n" \
                         "vqadd.s16 q5, q5, %[up]\n" \
                         "vldrw.s32 q7, [%[sums]], #16\n" \
                         "vqrdmulh.s32 q6, q6, q1\n" \
                         "vqmovnb.s16 q5, q5\n" \
                         "vmla.s32 q7, q0, %[one]\n" \
                         "vrshl.s32 q6, q6, q3\n" \
                         "vqrdmulh.s32 q7, q7, q2\n" \
                         "vqsub.s8 q5, q5, %[down]\n" \
                         "vstrb.16 q5, [%[output]]\n" \
                         "vqmovnb.s32 q5, q6\n" \
                         "add %[output], %[output], %[step]\n" \
                         "vrshl.s32 q7, q7, q4\n" \
                         "vqmovnt.s32 q5, q7\n" \
                         "le lr, 2b\n" \
                         "3:\n" \
                         RL_PLANE_RELU_END \
                         "add %[output], %[output], %[step]\n" \
                         "ldr lr, %[next_sums]\n" \
                         "add %[sums], %[sums], lr\n" \
                         "add %[output], %[output], %[next_output]\n" \
                         "subs %[rows], %[rows], #1\n" \
                         "bne 1b\n" \
                         : [sums] "+&r"(sums), [output] "+&l"(output), [rows] "+&r"(rows) \
                         : [columns] "r"(columns), [step] "r"(step), [scale] "r"(s), [one] "r"(1), [up] "r"(up), \
                           [down] "r"(down), [next_sums] "m"(next_sums), [next_output] "r"(next_output) \
                         : "q0", "q1", "q2", "q3", "q4", "q5", "q6", "q7", "lr", "cc", "memory"); \
    } while (false)
// clang-format on

__extension__ _Static_assert(offsetof(struct rl_plane_scale, multiplier) == 32 &&
                                 offsetof(struct rl_plane_scale, shift) == 64 &&
                                 offsetof(struct rl_plane_scale, offset) == 96 &&
                                 offsetof(struct rl_plane_scale, low) == 112 &&
                                 offsetof(struct rl_plane_scale, high) == 128,
                             "the assembler uses these offsets");

// Scales and stores a line of each of `rows` rows of outputs.
static inline void rl_plane_store(const struct rl_plane_scale *s, const struct rl_plane_block *b, int32_t rows,
                                  int32_t columns, ptrdiff_t step, ptrdiff_t row_step, int8_t *output)
{
    const int32_t *sums = b->sums;
    const int32_t next_sums = 4 * (b->sums_row - columns * RL_PLANE_CHANNELS); // bytes from behind a line to the next
    const ptrdiff_t next_output = row_step - columns * step;
    if (!s->shifts_right) {
        for (; rows > 0; rows--, sums += b->sums_row, output += row_step) {
            rl_plane_store_any(s, sums, columns, step, output);
        }
#ifdef __OPTIMIZE__ // at -O0 gcc has fewer registers than the loops take
    } else if (s->is_relu && s->low[0] == INT8_MIN && s->high[0] >= 0) { // so that `down` is an int8
        const int32_t down = INT8_MAX - rl_min_s32(s->high[0], INT8_MAX), up = s->offset[0] + down;
        RL_PLANE_RELU_LOOPS;
#endif
    } else if (s->is_open) {
        RL_PLANE_SCALE_LOOPS(RL_PLANE_SCALE(RL_PLANE_SATURATE));
    } else {
        RL_PLANE_SCALE_LOOPS(RL_PLANE_SCALE(RL_PLANE_CLAMP));
    }
}

#endif
