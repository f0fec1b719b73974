// SPDX-License-Identifier: Apache-2.0
// The sums of four rows to int8, in portable C, for channels that can use struct rl_rescale. Included by
// scalar/matmul_tile.h.
#ifndef RL_KERNELS_SCALAR_PACKED_STORE_PLAIN_H
#define RL_KERNELS_SCALAR_PACKED_STORE_PLAIN_H

#include "scalar/packed_outputs.h"

// Computes the outputs of all channels with the words at `words`. Returns false, and does nothing, where the words do
// not hold all values, or where the loop is not faster than separate ones.
static inline bool rl_packed_rows_outputs(const struct rl_matmul *m, const struct rl_packed_rows *rows, uint32_t *words,
                                          int8_t *output)
{
    if (!RL_HAS_THUMB2_LOOP || RL_SMALL || !m->simple || m->depth < 2 || m->depth > RL_PACKED_DEPTH) {
        return false;
    }
    rl_pack_rows(rows, 0, m->depth, words);
    rl_packed_outputs(m, rows, words, output);
    return true;
}

// Scales the sums of four rows, limits and stores them. Takes only scales of struct rl_rescale. `open`, a constant,
// tells whether the limits are those of int8.
static inline __attribute__((always_inline)) void rl_packed_store_scaled(const struct rl_matmul *m,
                                                                         const struct rl_row_sums *sums,
                                                                         const struct rl_packed_rows *rows,
                                                                         int8_t *output, bool open)
{
    const struct rl_limits_s8 limits = {m->output_min, m->output_max};
    const struct rl_rescale *scale = m->scale;
    const ptrdiff_t row_1 = rows->output[1], row_2 = rows->output[2], row_3 = rows->output[3];
    for (int32_t channels = m->channels; channels > 0; channels--, sums++, scale++, output++) {
        const struct rl_rescale s = *scale;
        output[0] = rl_limit_s8(rl_rescale(s, rl_row_sum(sums, 0) * 2), limits, open);
        output[row_1] = rl_limit_s8(rl_rescale(s, rl_row_sum(sums, 1) * 2), limits, open);
        output[row_2] = rl_limit_s8(rl_rescale(s, rl_row_sum(sums, 2) * 2), limits, open);
        output[row_3] = rl_limit_s8(rl_rescale(s, rl_row_sum(sums, 3) * 2), limits, open);
    }
}

// Not inlined, because with limits there are more live values than registers.
static __attribute__((noinline)) void rl_packed_store_limited(const struct rl_matmul *m, const struct rl_row_sums *sums,
                                                              const struct rl_packed_rows *rows, int8_t *output)
{
    rl_packed_store_scaled(m, sums, rows, output, false);
}

static __attribute__((noinline)) void rl_packed_clamp(const struct rl_matmul *m, const struct rl_packed_rows *rows,
                                                      int8_t *output)
{
    const int32_t low = m->output_min, high = m->output_max, channels = m->channels;
    for (int32_t row = 0; row < RL_PACKED_ROWS; row++) {
        int8_t *to = output + rows->output[row];
        int8_t *const end = to + channels;
        for (; to != end; to++) {
            *to = (int8_t)rl_clamp_s32(*to, low, high);
        }
    }
}

// Scales, limits and stores the sums. Returns false, and does nothing, where small code leaves this to the caller.
static inline bool rl_packed_store_simple(const struct rl_matmul *m, int32_t first, int32_t channels,
                                          const struct rl_row_sums *sums, const struct rl_packed_rows *rows,
                                          int8_t *output)
{
    (void)first;
    (void)channels; // all: see rl_packed_channels
    const bool open = m->output_min <= INT8_MIN && m->output_max >= INT8_MAX;
    if (RL_SMALL && !open) {
        return false;
    }
    if (!open && RL_HAS_THUMB2_LOOP) {
        rl_packed_store_limited(m, sums, rows, output);
        return true;
    }
    rl_packed_store_scaled(m, sums, rows, output, true);
    if (!open) {
        rl_packed_clamp(m, rows, output);
    }
    return true;
}

#endif
