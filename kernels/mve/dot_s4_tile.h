// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_MVE_DOT_S4_TILE_H
#define RL_KERNELS_MVE_DOT_S4_TILE_H

#include <arm_mve.h>
#include <stdbool.h>

#include "mve/scale_s4_tile.h"
#include "requantize.h"

// The most values of a row that are split at a time, an even number.
enum { RL_SPLIT_VALUES = 1024 };

static inline int32_t rl_low_s4(int8_t byte)
{
    return (int8_t)((uint32_t)byte << 4) >> 4;
}

static inline int32_t rl_high_s4(int8_t byte)
{
    return byte >> 4;
}

// A row with its even and its odd values apart, as the weights are. A row longer than RL_SPLIT_VALUES is split part by
// part.
struct rl_row_s4 {
    const int8_t *values;
    int32_t depth;
    int8_t even[RL_SPLIT_VALUES / 2 + 1];
    int8_t odd[RL_SPLIT_VALUES / 2 + 1];
};

// The loops of this file are in assembler because gcc makes no loop that ends in a partial vector from intrinsics.
// Half words are stored as bytes to split them: VLD2 costs more.
static inline void rl_split_s4(struct rl_row_s4 *row, const int8_t *values, int32_t count)
{
    int8_t *even = row->even, *odd = row->odd;
    if ((count & 1) != 0) {
        even[count >> 1] = values[count - 1];
    }
    __asm__ volatile("wlstp.16 lr, %[pairs], 2f\n"
                     ".p2align 2\n"
                     "1: vldrh.u16 q0, [%[values]], #16\n"
                     "vshr.u16 q1, q0, #8\n"
                     "vstrb.16 q0, [%[even]], #8\n"
                     "vstrb.16 q1, [%[odd]], #8\n"
                     "letp lr, 1b\n"
                     "2:"
                     : [values] "+&r"(values), [even] "+&l"(even), [odd] "+&l"(odd)
                     : [pairs] "r"(count >> 1)
                     : "q0", "q1", "lr", "memory");
}

static inline void rl_row_s4_start(struct rl_row_s4 *row, const int8_t *values, int32_t depth)
{
    row->values = values;
    row->depth = depth;
    if (depth <= RL_SPLIT_VALUES) {
        rl_split_s4(row, values, depth);
    }
}

// Weight i of a filter is multiplied by value i / 2 of `even` or `odd`. The weights stay in the upper halves of bytes,
// so products are 16 times too large: below 2^30 for 2^16 products. The offset is multiplied by the sums of the
// weights, which VHADD leaves 8 times too large.
static inline void rl_dot_s4_split(const int8_t *even, const int8_t *odd, int32_t offset, const int8_t *w_0,
                                   const int8_t *w_1, int32_t count, int32_t sums[2])
{
    if ((count & 1) != 0) {
        const int32_t last = even[count >> 1] + offset;
        sums[0] += last * rl_low_s4(w_0[count >> 1]);
        sums[1] += last * rl_low_s4(w_1[count >> 1]);
    }
    int32_t sum_0 = 0, sum_1 = 0, weights_0 = 0, weights_1 = 0;
    __asm__ volatile("wlstp.8 lr, %[bytes], 2f\n"
                     ".p2align 2\n"
                     "1: vldrb.u8 q2, [%[w_0]], #16\n"
                     "vshl.i8 q3, q2, #4\n"
                     "vldrb.u8 q0, [%[even]], #16\n"
                     "vmladava.s8 %[sum_0], q0, q3\n"
                     "vand q2, q2, %q[upper]\n"
                     "vldrb.u8 q1, [%[odd]], #16\n"
                     "vmladava.s8 %[sum_0], q1, q2\n"
                     "vhadd.s8 q2, q2, q3\n"
                     "vldrb.u8 q3, [%[w_1]], #16\n"
                     "vaddva.s8 %[weights_0], q2\n"
                     "vshl.i8 q2, q3, #4\n"
                     "vmladava.s8 %[sum_1], q0, q2\n"
                     "vand q3, q3, %q[upper]\n"
                     "vmladava.s8 %[sum_1], q1, q3\n"
                     "vhadd.s8 q2, q2, q3\n"
                     "vaddva.s8 %[weights_1], q2\n"
                     "letp lr, 1b\n"
                     "2:"
                     : [even] "+&r"(even), [odd] "+&r"(odd), [w_0] "+&r"(w_0), [w_1] "+&r"(w_1), [sum_0] "+&Te"(sum_0),
                       [sum_1] "+&Te"(sum_1), [weights_0] "+&Te"(weights_0), [weights_1] "+&Te"(weights_1)
                     : [bytes] "r"(count >> 1), [upper] "w"(vdupq_n_u8(0xf0))
                     : "q0", "q1", "q2", "q3", "lr", "memory");
    sums[0] += (sum_0 >> 4) + offset * (weights_0 >> 3);
    sums[1] += (sum_1 >> 4) + offset * (weights_1 >> 3);
}

// The sums of `count` weights of each of `channels` filters, which are `step` bytes apart.
static inline __attribute__((always_inline)) void rl_dots_s4_split(const int8_t *even, const int8_t *odd,
                                                                   int32_t offset, const int8_t *weights, int32_t step,
                                                                   int32_t count, int32_t channels, int32_t *sums)
{
    for (int32_t left = channels; left > 0; left -= 2, weights += 2 * step, sums += 2) {
        int32_t pair[2] = {0, 0};
        rl_dot_s4_split(even, odd, offset, weights, left > 1 ? weights + step : weights, count, pair);
        sums[0] = pair[0];
        sums[left > 1 ? 1 : 0] = pair[1];
    }
}

// Not inlined, because the loops around it would take its registers.
static __attribute__((noinline)) void rl_dots_s4_whole(const int8_t *even, const int8_t *odd, int32_t offset,
                                                       const int8_t *weights, int32_t bytes, int32_t channels,
                                                       int32_t *sums)
{
    rl_dots_s4_split(even, odd, offset, weights, bytes, 2 * bytes, channels, sums);
}

// Rows that are split part by part: each once for all channels, of which there are up to RL_SUMS_S4.
static __attribute__((noinline)) void rl_dots_s4_parts(struct rl_row_s4 *row, int32_t offset, const int8_t *weights,
                                                       int32_t channels, int32_t *sums)
{
    const int32_t depth = row->depth;
    int32_t part[RL_SUMS_S4];
    for (int32_t at = 0; at < depth; at += RL_SPLIT_VALUES) {
        const int32_t count = rl_min_s32(depth - at, RL_SPLIT_VALUES);
        rl_split_s4(row, row->values + at, count);
        rl_dots_s4_split(row->even, row->odd, offset, weights + at / 2, depth / 2, count, channels,
                         at == 0 ? sums : part);
        for (int32_t i = 0; at > 0 && i < channels; i++) {
            sums[i] += part[i];
        }
    }
}

// The functions below are as in scalar/dot_s4_tile.h.
static inline bool rl_dots_s4(struct rl_row_s4 *row, int32_t offset, const int8_t *weights, int32_t channels,
                              int32_t *sums)
{
    const int32_t depth = row->depth;
    if (depth % 2 != 0) {
        return false;
    }
    if (depth > RL_SPLIT_VALUES) {
        rl_dots_s4_parts(row, offset, weights, channels, sums);
        return true;
    }
    rl_dots_s4_whole(row->even, row->odd, offset, weights, depth / 2, channels, sums);
    return true;
}

static inline void rl_dot_s4_pair(struct rl_row_s4 *row, int32_t at, int32_t offset, const int8_t *w_0,
                                  const int8_t *w_1, int32_t count, int32_t sums[2])
{
    if (row->depth <= RL_SPLIT_VALUES) {
        const int8_t *even = at == 0 ? row->even : row->odd;
        const int8_t *odd = at == 0 ? row->odd : row->even + 1;
        rl_dot_s4_split(even, odd, offset, w_0, w_1, count, sums);
        return;
    }
    for (int32_t done = 0; done < count; done += RL_SPLIT_VALUES) {
        const int32_t here = rl_min_s32(count - done, RL_SPLIT_VALUES);
        rl_split_s4(row, row->values + at + done, here);
        rl_dot_s4_split(row->even, row->odd, offset, w_0 + done / 2, w_1 + done / 2, here, sums);
    }
}

#endif
