// SPDX-License-Identifier: Apache-2.0
// Three filters at a time, as dot_1x3.h multiplies a row of expanded int8. See fully_connected/row_s16.h.
#ifndef RL_KERNELS_DSP_ROW_S16_TILE_H
#define RL_KERNELS_DSP_ROW_S16_TILE_H

#include "dsp/dot_1x3.h"
#include "dsp/dot_tile.h"
#include "dsp/instructions.h"
#include "fully_connected/row_s16.h"
#include "scalar/row_s16_store.h"

enum { RL_ROW_S16_STEP = 8, RL_ROW_S16_FILTERS = 3 };

// Writes the row in the form of dot_1x3_plain.h, with zeros behind its end. Returns false if the mark of the end is
// among the values, which int16 can be.
static inline bool rl_order_values_s16(const int16_t *x, int32_t count, uint32_t *words)
{
    bool has_mark = false;
    for (; count >= RL_ROW_S16_STEP; count -= RL_ROW_S16_STEP, x += RL_ROW_S16_STEP, words += 4) {
        const uint32_t low = rl_load_s16x2(x), high = rl_load_s16x2(x + 2);
        const uint32_t next_low = rl_load_s16x2(x + 4), next_high = rl_load_s16x2(x + 6);
        const uint32_t even = rl_pkhbt(low, high);
        words[0] = even;
        words[1] = rl_pkhtb(high, low);
        words[2] = rl_pkhbt(next_low, next_high);
        words[3] = rl_pkhtb(next_high, next_low);
        has_mark = has_mark || even == RL_ROW_END;
    }
    if (count > 0) {
        uint16_t rest[RL_ROW_S16_STEP] = {0};
        for (int32_t i = 0; i < count; i++) {
            rest[i] = (uint16_t)x[i];
        }
        for (int32_t i = 0; i < RL_ROW_S16_STEP; i += 4) {
            *words++ = rest[i] | (uint32_t)rest[i + 2] << 16;
            *words++ = rest[i + 1] | (uint32_t)rest[i + 3] << 16;
        }
        has_mark = has_mark || words[-4] == RL_ROW_END;
    }
    words[0] = RL_ROW_END;
    words[1] = 0;
    return !has_mark;
}

// What rl_row_s16 does, from `start` to `sums`, which may be the same. The depth is any for which 32 bits hold the
// sums; `words` has room for depth / 2 + 6.
static inline __attribute__((always_inline)) bool rl_row_s16_from(const struct rl_row_s16 *row, const int32_t *start,
                                                                  uint32_t *words, int32_t *sums)
{
    const int32_t depth = row->depth, steps = (depth + RL_ROW_S16_STEP - 1) / RL_ROW_S16_STEP;
    // Groups read beyond their last filter, which the very last one must not.
    const int32_t outside = row->is_last && depth % RL_ROW_S16_STEP != 0 ? 1 : 0;
    const int32_t in_groups = (row->count - outside) / RL_ROW_S16_FILTERS * RL_ROW_S16_FILTERS;
    if (depth < RL_ROW_S16_STEP || in_groups <= 0 || !rl_order_values_s16(row->x, depth, words)) {
        return false;
    }
    const struct rl_dot_1x3 job = {
        .row = words,
        .depth = depth,
        .skipped = (uint32_t)-steps & 3u,
        .start = start,
        .end = start + in_groups,
        .filter = row->filter,
        .gap = depth - RL_ROW_S16_STEP * steps,
        .sums = sums,
    };
    rl_dot_1x3(&job);
    int32_t i = in_groups;
    const int8_t *filter = row->filter + (ptrdiff_t)i * depth;
    if (row->count - i > 1) {
        int32_t pair[2] = {start[i], start[i + 1]};
        rl_dot_s16_s8_short_pair(row->x, filter, filter + depth, depth, pair);
        sums[i++] = pair[0];
        sums[i++] = pair[1];
        filter += 2 * depth;
    }
    if (i < row->count) {
        sums[i] = start[i] + rl_dot_s16_s8(row->x, filter, depth);
    }
    return true;
}

static inline bool rl_row_s16(const struct rl_row_s16 *row, int32_t *sums)
{
    uint32_t words[RL_DOT_S16_BLOCK / 2 + 6];
    return rl_row_s16_from(row, sums, words, sums);
}

#endif
