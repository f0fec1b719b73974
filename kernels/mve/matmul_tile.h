// SPDX-License-Identifier: Apache-2.0
// int8 rows times int8 filters with Helium. See convolution/matmul.h for the contract.
//
// Two channels times three rows: five loads feed six VMLADAV of 16 products each, and the six sums are all
// the even core registers that gcc has to give. Sums go to a small array, channels side by side, where four
// channels at a time are scaled with vectors.
#ifndef RL_KERNELS_MVE_MATMUL_TILE_H
#define RL_KERNELS_MVE_MATMUL_TILE_H

#include <arm_mve.h>

#include "convolution/matmul.h"
#include "mve/requantize_mve.h"

enum { RL_MATMUL_ROWS = 3 };

// Sum of `count` int8 values.
static inline int32_t rl_sum_s8(const int8_t *values, int32_t count)
{
    int32_t sum = 0;
    for (int32_t vectors = count >> 4; vectors > 0; vectors--, values += 16) {
        sum = vaddvaq_s8(sum, vldrbq_s8(values));
    }
    const mve_pred16_t tail = vctp8q((uint32_t)(count & 15));
    return vaddvaq_s8(sum, vldrbq_z_s8(values, tail));
}

// Nothing to prepare.
static inline void rl_matmul_start(struct rl_matmul *m)
{
    (void)m;
}

// Keeps a load after a multiplication: Helium overlaps the two when they alternate, and compilers group them.
#define RL_AFTER(sum) __asm__ volatile("" : "+r"(sum) : : "memory")

// Makes a pointer opaque, so that the compiler goes on from its value instead of computing it a second time.
#define RL_KEEP(pointer) __asm__ volatile("" : "+r"(pointer))

struct rl_dot_pointers {
    const int8_t *filter_0;
    const int8_t *filter_1;
    const int8_t *row_0;
    const int8_t *row_1;
    const int8_t *row_2;
};

static inline __attribute__((always_inline)) int8x16_t rl_next_vector(const int8_t **pointer)
{
    const int8x16_t vector = vldrbq_s8(*pointer);
    *pointer += 16;
    RL_KEEP(*pointer);
    return vector;
}

// `vectors` >= 1 times 16 products for each of the six sums. The first two loads of a round are done in the
// one before.
static inline __attribute__((always_inline)) void rl_dot_vectors(struct rl_dot_pointers *p, int32_t vectors,
                                                                 int32_t sums[6])
{
    int8x16_t w_0 = rl_next_vector(&p->filter_0);
    int8x16_t x_0 = rl_next_vector(&p->row_0);
    for (int32_t i = vectors - 1; i > 0; i--) {
        sums[0] = vmladavaq_s8(sums[0], w_0, x_0);
        RL_AFTER(sums[0]);
        const int8x16_t w_1 = rl_next_vector(&p->filter_1);
        sums[1] = vmladavaq_s8(sums[1], w_1, x_0);
        RL_AFTER(sums[1]);
        const int8x16_t x_1 = rl_next_vector(&p->row_1);
        sums[2] = vmladavaq_s8(sums[2], w_0, x_1);
        RL_AFTER(sums[2]);
        const int8x16_t x_2 = rl_next_vector(&p->row_2);
        sums[4] = vmladavaq_s8(sums[4], w_0, x_2);
        RL_AFTER(sums[4]);
        w_0 = rl_next_vector(&p->filter_0);
        sums[3] = vmladavaq_s8(sums[3], w_1, x_1);
        RL_AFTER(sums[3]);
        x_0 = rl_next_vector(&p->row_0);
        sums[5] = vmladavaq_s8(sums[5], w_1, x_2);
        RL_AFTER(sums[5]);
    }
    sums[0] = vmladavaq_s8(sums[0], w_0, x_0);
    RL_AFTER(sums[0]);
    const int8x16_t w_1 = rl_next_vector(&p->filter_1);
    sums[1] = vmladavaq_s8(sums[1], w_1, x_0);
    RL_AFTER(sums[1]);
    const int8x16_t x_1 = rl_next_vector(&p->row_1);
    sums[2] = vmladavaq_s8(sums[2], w_0, x_1);
    RL_AFTER(sums[2]);
    const int8x16_t x_2 = rl_next_vector(&p->row_2);
    sums[3] = vmladavaq_s8(sums[3], w_1, x_1);
    sums[4] = vmladavaq_s8(sums[4], w_0, x_2);
    sums[5] = vmladavaq_s8(sums[5], w_1, x_2);
}

// The last 1 to 15 products.
static inline __attribute__((always_inline)) void rl_dot_tail(struct rl_dot_pointers *p, int32_t count,
                                                              int32_t sums[6])
{
    const mve_pred16_t tail = vctp8q((uint32_t)count);
    const int8x16_t w_0 = vldrbq_z_s8(p->filter_0, tail);
    const int8x16_t x_0 = vldrbq_z_s8(p->row_0, tail);
    sums[0] = vmladavaq_s8(sums[0], w_0, x_0);
    RL_AFTER(sums[0]);
    const int8x16_t w_1 = vldrbq_z_s8(p->filter_1, tail);
    p->filter_1 += count;
    sums[1] = vmladavaq_s8(sums[1], w_1, x_0);
    RL_AFTER(sums[1]);
    const int8x16_t x_1 = vldrbq_z_s8(p->row_1, tail);
    sums[2] = vmladavaq_s8(sums[2], w_0, x_1);
    RL_AFTER(sums[2]);
    const int8x16_t x_2 = vldrbq_z_s8(p->row_2, tail);
    sums[3] = vmladavaq_s8(sums[3], w_1, x_1);
    sums[4] = vmladavaq_s8(sums[4], w_0, x_2);
    sums[5] = vmladavaq_s8(sums[5], w_1, x_2);
}

// Adds the products of three rows and `pairs` pairs of filters to sums[row][channel]. The filters of a pair
// are `depth` bytes long and `filter_step` (depth or 0) apart, pairs follow each other.
static __attribute__((noinline)) void rl_dot_rows_s8(const int8_t *const rows[RL_MATMUL_ROWS],
                                                     const int8_t *filter, ptrdiff_t filter_step,
                                                     int32_t depth, int32_t *sums, int32_t pairs)
{
    for (int32_t *end = sums + 2 * pairs; sums != end; sums += 2) {
        struct rl_dot_pointers p = {filter, filter + filter_step, rows[0], rows[1], rows[2]};
        int32_t six[6] = {sums[0],
                          sums[1],
                          sums[RL_CHANNEL_BLOCK],
                          sums[RL_CHANNEL_BLOCK + 1],
                          sums[2 * RL_CHANNEL_BLOCK],
                          sums[2 * RL_CHANNEL_BLOCK + 1]};
        if (depth >= 16) {
            rl_dot_vectors(&p, depth >> 4, six);
        }
        if ((depth & 15) != 0) {
            rl_dot_tail(&p, depth & 15, six);
        }
        filter = p.filter_1;
        sums[0] = six[0];
        sums[1] = six[1];
        sums[RL_CHANNEL_BLOCK] = six[2];
        sums[RL_CHANNEL_BLOCK + 1] = six[3];
        sums[2 * RL_CHANNEL_BLOCK] = six[4];
        sums[2 * RL_CHANNEL_BLOCK + 1] = six[5];
    }
}

// Rows of at most `vectors` (1 or 2) times 16 values stay in registers while the filters pass by:
// sums[row][channel] of three rows, biases included. `vectors` is a constant where this is inlined.
static inline __attribute__((always_inline)) void rl_dot_resident(const struct rl_matmul *m,
                                                                  const int8_t *const rows[RL_MATMUL_ROWS],
                                                                  int32_t vectors, int32_t *sums)
{
    const int32_t before = 16 * (vectors - 1);
    const mve_pred16_t tail = vctp8q((uint32_t)(m->depth - before));
    const int8x16_t last_0 = vldrbq_z_s8(rows[0] + before, tail);
    const int8x16_t last_1 = vldrbq_z_s8(rows[1] + before, tail);
    const int8x16_t last_2 = vldrbq_z_s8(rows[2] + before, tail);
    const int8x16_t first_0 = vectors == 2 ? vldrbq_s8(rows[0]) : last_0;
    const int8x16_t first_1 = vectors == 2 ? vldrbq_s8(rows[1]) : last_1;
    const int8x16_t first_2 = vectors == 2 ? vldrbq_s8(rows[2]) : last_2;
    const int32_t *bias = m->bias;
    const int8_t *filter = m->filter;
    const int32_t depth = m->depth;
    for (int32_t channel = m->channels; channel > 0; channel--, filter += depth, sums++) {
        int32_t sum_0 = *bias++;
        int32_t sum_1 = sum_0;
        int32_t sum_2 = sum_0;
        if (vectors == 2) {
            const int8x16_t w = vldrbq_s8(filter);
            sum_0 = vmladavaq_s8(sum_0, w, first_0);
            sum_1 = vmladavaq_s8(sum_1, w, first_1);
            sum_2 = vmladavaq_s8(sum_2, w, first_2);
        }
        const int8x16_t w = vldrbq_z_s8(filter + before, tail);
        sum_0 = vmladavaq_s8(sum_0, w, last_0);
        sum_1 = vmladavaq_s8(sum_1, w, last_1);
        sum_2 = vmladavaq_s8(sum_2, w, last_2);
        sums[0] = sum_0;
        sums[RL_CHANNEL_BLOCK] = sum_1;
        sums[2 * RL_CHANNEL_BLOCK] = sum_2;
    }
}

// The same for rows of any length, pairs of channels at a time.
static inline void rl_dot_streamed(const struct rl_matmul *m, const int8_t *const rows[RL_MATMUL_ROWS],
                                   int32_t *sums)
{
    const int32_t even = m->channels & ~1;
    for (int32_t channel = 0; channel < m->channels; channel += 4) {
        const int32x4_t bias = vldrwq_s32(m->bias + channel);
        vstrwq_s32(sums + channel, bias);
        vstrwq_s32(sums + RL_CHANNEL_BLOCK + channel, bias);
        vstrwq_s32(sums + 2 * RL_CHANNEL_BLOCK + channel, bias);
    }
    rl_dot_rows_s8(rows, m->filter, m->depth, m->depth, sums, even / 2);
    if (even != m->channels) {
        rl_dot_rows_s8(rows, m->filter + (ptrdiff_t)even * m->depth, 0, m->depth, sums + even, 1);
    }
}

// Scales and stores the first `row_count` rows of sums.
static inline __attribute__((always_inline)) void
rl_matmul_store(const struct rl_matmul *m, int32_t (*sums)[RL_CHANNEL_BLOCK], int32_t row_count,
                int8_t *output, ptrdiff_t output_stride, bool right_shifts_only)
{
    const int32x4_t low = vdupq_n_s32(m->output_min);
    const int32x4_t high = vdupq_n_s32(m->output_max);
    const int32_t offset = m->output_offset;
    for (int32_t channel = 0; channel < m->channels; channel += 4) {
        const mve_pred16_t active = vctp32q((uint32_t)(m->channels - channel));
        const int32x4_t multiplier = vldrwq_z_s32(m->multiplier + channel, active);
        const int32x4_t shift = vldrwq_z_s32(m->shift + channel, active);
        int8_t *out = output + channel;
        const int32_t *row_sums = &sums[0][channel];
        for (int32_t row = row_count; row > 0; row--, row_sums += RL_CHANNEL_BLOCK, out += output_stride) {
            int32x4_t value = vldrwq_s32(row_sums);
            value = right_shifts_only ? rl_requantize_right_lanes_mve(value, multiplier, shift)
                                      : rl_requantize_lanes_mve(value, multiplier, shift);
            value = vaddq_n_s32(value, offset);
            value = vminq_s32(vmaxq_s32(value, low), high);
            vstrbq_p_s32(out, value, active);
        }
    }
}

static inline void rl_matmul_rows(const struct rl_matmul *m, const int8_t *rows, ptrdiff_t row_stride,
                                  int32_t row_count, int8_t *output, ptrdiff_t output_stride)
{
    for (; row_count > 0; row_count -= RL_MATMUL_ROWS) {
        // A row that is missing repeats the first one; its sums are not stored.
        const int8_t *const three[RL_MATMUL_ROWS] = {rows, row_count > 1 ? rows + row_stride : rows,
                                                     row_count > 2 ? rows + 2 * row_stride : rows};
        int32_t sums[RL_MATMUL_ROWS][RL_CHANNEL_BLOCK];
        if (m->depth <= 16) {
            rl_dot_resident(m, three, 1, sums[0]);
        } else if (m->depth <= 32) {
            rl_dot_resident(m, three, 2, sums[0]);
        } else {
            rl_dot_streamed(m, three, sums[0]);
        }
        const int32_t stored = rl_min_s32(row_count, RL_MATMUL_ROWS);
        if (m->right_shifts_only) {
            rl_matmul_store(m, sums, stored, output, output_stride, true);
        } else {
            rl_matmul_store(m, sums, stored, output, output_stride, false);
        }
        rows += RL_MATMUL_ROWS * row_stride;
        output += RL_MATMUL_ROWS * output_stride;
    }
}

#endif
