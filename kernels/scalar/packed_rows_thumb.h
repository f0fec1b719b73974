// SPDX-License-Identifier: Apache-2.0
// Six rows at a time on a Cortex-M0; see scalar/packed_six.h. Included by scalar/packed_rows.h.
#ifndef RL_KERNELS_SCALAR_PACKED_ROWS_THUMB_H
#define RL_KERNELS_SCALAR_PACKED_ROWS_THUMB_H

#if RL_HAS_THUMB2_LOOP
#include "scalar/packed_rows_plain.h"
#else
#include <string.h>

#include "scalar/packed_six.h"

enum {
    RL_PACKED_ROWS = 6,
    RL_PACKED_WORDS = (RL_SIX_DEPTH + RL_SIX_BEHIND) * RL_SIX_WORDS,
    RL_SIX_CHANNELS = 32, // whose sums are kept at a time, where the words serve all channels
};

struct rl_row_sums {
    int32_t row[RL_PACKED_ROWS];
};

static inline struct rl_row_sums rl_row_sums_start(int32_t bias, int32_t depth)
{
    (void)depth;
    return (struct rl_row_sums){{bias, bias, bias, bias, bias, bias}};
}

static inline int32_t rl_row_sum(const struct rl_row_sums *sums, int32_t row)
{
    return sums->row[row];
}

static inline void rl_row_sums_add(struct rl_row_sums *sums, const int32_t *constants)
{
    for (int32_t row = 0; row < RL_PACKED_ROWS; row++) {
        sums->row[row] += constants[row];
    }
}

#include "scalar/packed_six_store.h"

static inline int32_t rl_packed_channels(int32_t depth, int32_t channels)
{
    return depth <= RL_SIX_DEPTH ? rl_min_s32(channels, RL_SIX_CHANNELS) : channels;
}

static inline int32_t rl_packed_bytes(int32_t depth)
{
    const int32_t values = rl_min_s32(depth, RL_SIX_DEPTH) + RL_SIX_BEHIND;
    return values * RL_SIX_WORDS * (int32_t)sizeof(uint32_t);
}

static inline void rl_packed_rows_multiply(const struct rl_packed_rows *rows, const int8_t *filter, int32_t depth,
                                           struct rl_row_sums *sums, int32_t channels, uint32_t *words, bool packs)
{
    const bool three = !RL_SMALL && rows->count <= 3;
    const int32_t each = three ? RL_SIX_WORDS / 2 : RL_SIX_WORDS;
    for (int32_t at = 0; at < depth; at += RL_SIX_DEPTH) {
        const int32_t count = rl_min_s32(depth - at, RL_SIX_DEPTH);
        uint32_t *const end = words + count * each;
        if (packs) {
            rl_pack_three(rows->row, at, count, each, words);
        }
        // Filters that lie on words, with a multiple of four values, end where the words end.
        if (packs && (((uintptr_t)filter | (uint32_t)depth | (uint32_t)count) & 3) != 0) {
            memset(end, 0, (size_t)(RL_SIX_BEHIND * each) * sizeof *end);
        }
        if (packs && !three) {
            rl_pack_three(rows->row + 3, at, count, each, words + 2);
        }
        struct rl_packed_six job = {words, end, filter + at, depth, sums->row, (sums + channels)->row};
        rl_packed_six(&job, three);
    }
}
#endif

#endif
