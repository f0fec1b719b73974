// SPDX-License-Identifier: Apache-2.0
// Prepares the channels of a product with Helium. See scalar/fold_tile.h.
#ifndef RL_KERNELS_MVE_FOLD_TILE_H
#define RL_KERNELS_MVE_FOLD_TILE_H

#include <arm_mve.h>

#include "convolution/convolution.h"
#include "mve/dot_tile.h"
#include "mve/memory_tile.h"
#include "mve/requantize_mve.h"
#include "mve/scale_rows.h"
#include "mve/short_rows_plain.h"

// Puts biases in the order that the loops for eight channels read.
static inline void rl_part_biases(int32_t *bias, int32_t channels)
{
    for (int32_t i = 0; i + 8 <= channels; i += 8) {
        const int32x4x2_t parts = vld2q_s32(bias + i);
        vstrwq_s32(bias + i, parts.val[0]);
        vstrwq_s32(bias + i + 4, parts.val[1]);
    }
}

// Whether the loops for short rows take less time. They start anew for each row of outputs of a 1xN convolution and of
// a phase of a transposed one, whose windows hang over by all taps but one. Not inlined: others have longer rows.
static __attribute__((noinline)) bool rl_short_rows_pay(const struct rl_convolution *c, const struct rl_matmul *m)
{
    const int32_t depth = m->depth, channels = m->channels;
    const bool is_phase = c->path == RL_CONVOLUTION_PATCHES && c->groups == 1 && c->stride.w == 1 &&
                          c->padding.h == c->filter.h - 1 && c->padding.w == c->filter.w - 1;
    const int32_t rows = is_phase || c->path == RL_CONVOLUTION_ROW ? c->output.w : c->output.h * c->output.w;
    const int32_t most = c->dense ? 32 : 16; // channels with rows of two vectors
    return rows >= 16 && channels >= 4 && (depth <= 16 || channels <= most);
}

static inline void rl_matmul_copy_biases(const struct rl_matmul *m, const int32_t *given)
{
    const int32_t bytes = m->channels * (int32_t)sizeof *m->bias;
    if (given) {
        rl_copy_s8((int8_t *)m->bias, (const int8_t *)given, bytes);
    } else {
        rl_fill_s8((int8_t *)m->bias, 0, bytes);
    }
}

// The biases are complete.
static inline void rl_matmul_settled(struct rl_matmul *m)
{
    m->late_offset = 0;
    m->gap = 0;
    if (m->scale_in_eights) {
        rl_part_biases(m->bias, m->channels);
    }
}

// Makes biases from what rl_dot_rows_sums left in their place. A loop that ends in a partial vector (dot_tile.h).
static inline void rl_matmul_settle_sums(struct rl_matmul *m)
{
    const int32_t *given = m->given;
    int32_t *bias = m->bias;
    __asm__ volatile(
        "wlstp.32 lr, %[channels], 2f\n"
        ".p2align 2\n"
        "1: vldrw.u32 q0, [%[given]], #16\n"
        "vadd.i32 q0, q0, %[less]\n"
        "vldrw.u32 q1, [%[bias]]\n"
        "vmla.s32 q0, q1, %[offset]\n"
        "vstrw.32 q0, [%[bias]], #16\n"
        "letp lr, 1b\n"
        "2:"
        : [given] "+&r"(given), [bias] "+&r"(bias)
        : [channels] "r"(m->channels), [offset] "r"(m->late_offset), [less] "r"(-128 * m->depth * m->late_offset)
        : "q0", "q1", "lr", "memory");
    rl_matmul_settled(m);
}

// Makes biases in a pass of its own. Inlined where blocks begin, because of small layers.
static inline __attribute__((always_inline)) void rl_matmul_settle_now(struct rl_matmul *m, const int32_t *given,
                                                                       int32_t offset)
{
    const int32_t depth = m->depth;
    rl_matmul_copy_biases(m, given);
    if (offset != 0) {
        const int8_t *filter = m->filter;
        int32_t *bias = m->bias, *const end = bias + m->channels;
        for (; end - bias >= 4; bias += 4, filter += 4 * depth) {
            int32_t sums[4];
            rl_four_sums_s8(filter, depth, sums);
            vstrwq_s32(bias, vmlaq_n_s32(vldrwq_s32(bias), vldrwq_s32(sums), offset));
        }
        for (; bias < end; filter += depth) {
            *bias++ += offset * rl_sum_s8(filter, depth);
        }
    }
    rl_matmul_settled(m);
}

static __attribute__((noinline)) void rl_matmul_settle(struct rl_matmul *m)
{
    rl_matmul_settle_now(m, m->given, m->late_offset);
}

static inline void rl_matmul_fold(struct rl_matmul *m, const struct rl_convolution *c, int32_t first)
{
    enum { CHANNEL = 5, BLOCK = 150 }; // what late biases cost: cycles, of which they save one for eight weights
    const int32_t *given = c->folded ? c->folded : c->bias;
    const int32_t offset = c->folded ? 0 : c->input_offset;
    given = given ? given + first : NULL;
    m->is_prelu = c->type == RL_CONVOLUTION_PRELU || c->type == RL_CONVOLUTION_PREPACKED_PRELU;
    m->right_shifts_only = !m->is_prelu && rl_shifts_right(m->shift, m->channels);
    m->rows.in_fours = m->depth <= RL_SHORT_DEPTH && m->right_shifts_only && rl_short_rows_pay(c, m);
    m->scale_in_eights = m->right_shifts_only && !m->rows.in_fours && m->channels >= 8 &&
                         rl_scale_takes_eights(m->output_offset, m->output_min, m->output_max);
    const bool late = m->channels * (m->depth / 8 - CHANNEL) > BLOCK && given && c->type == RL_CONVOLUTION_S8;
    if (offset != 0 && late) {
        m->late_offset = offset;
        m->given = given;
    } else {
        rl_matmul_settle_now(m, given, offset);
    }
}

#endif
