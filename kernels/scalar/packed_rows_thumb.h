// SPDX-License-Identifier: Apache-2.0
// Six rows at a time on a Cortex-M0; see scalar/packed_six.h. Included by scalar/packed_rows.h.
#ifndef RL_KERNELS_SCALAR_PACKED_ROWS_THUMB_H
#define RL_KERNELS_SCALAR_PACKED_ROWS_THUMB_H

#if RL_HAS_THUMB2_LOOP
#include "scalar/packed_rows_plain.h"
#else
#include <string.h>

#include "scalar/packed_six.h"
#include "scalar/packed_six_store.h"

enum {
    RL_PACKED_ROWS = 6,
    RL_PACKED_WORDS = (RL_SIX_DEPTH + RL_SIX_BEHIND) * RL_SIX_WORDS,
    RL_SIX_CHANNELS = 32, // whose sums are kept at a time, where the words serve all channels
    // The same for filters of small weights, whose words are more.
    RL_SIX_SMALL_DEPTH = RL_SMALL ? RL_SIX_DEPTH : 144,
    RL_SIX_SMALL_CHANNELS = 16,
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

enum { RL_PACKED_STARTS_SUMS = !RL_SMALL }; // whether rl_packed_rows_multiply starts them in its loop

static inline void rl_row_sums_begin(struct rl_row_sums *sums, const int32_t *bias, int32_t channels, int32_t depth)
{
    for (int32_t i = 0; i < channels; i++) {
        sums[i] = rl_row_sums_start(bias[i], depth);
    }
}

static inline void rl_row_sums_add(struct rl_row_sums *sums, const int32_t *constants)
{
    for (int32_t row = 0; row < RL_PACKED_ROWS; row++) {
        sums->row[row] += constants[row];
    }
}

// Scales, limits and stores the sums of `channels` >= 1 channels, each of which has a scale, or all the same one.
static inline bool rl_packed_rows_store(const struct rl_rescale *scale, bool one_scale, int32_t min, int32_t max,
                                        int32_t channels, const struct rl_row_sums *sums,
                                        const struct rl_packed_rows *rows, int8_t *output)
{
    struct rl_packed_store job = rl_packed_store_of(scale, min, max, sums->row, rows->count, output, rows->output[1]);
    job.next_sums = (int32_t)sizeof *sums - rows->count * (int32_t)sizeof sums->row[0];
    job.end = sums[channels].row;
    job.step = one_scale ? 0 : (int32_t)sizeof *scale;
    rl_packed_store_run(&job);
    return true;
}

static inline int32_t rl_packed_channels(int32_t part, int32_t depth, int32_t channels)
{
    if (depth <= RL_SIX_DEPTH) {
        return rl_min_s32(channels, RL_SIX_CHANNELS);
    }
    return depth <= part ? rl_min_s32(channels, RL_SIX_SMALL_CHANNELS) : channels;
}

// The bytes of the sums of `channels` channels and of the words of `values` values.
static inline int32_t rl_six_bytes(int32_t channels, int32_t values)
{
    return channels * (int32_t)sizeof(struct rl_row_sums) +
           (values + RL_SIX_BEHIND) * RL_SIX_WORDS * (int32_t)sizeof(uint32_t);
}

// The values whose words have room where small weights allow more than RL_SIX_DEPTH. Deeper rows take what a block of
// channels with its scales and patches leaves of MOST_BYTES (convolution.c): with more, there would be fewer channels.
static inline int32_t rl_six_room(int32_t depth, int32_t channels)
{
    enum { LEFT = 4048, CHANNEL_BYTES = 16, MORE_PATCHES = 2 };
    if (RL_SMALL || depth <= RL_SIX_DEPTH) {
        return rl_min_s32(depth, RL_SIX_DEPTH);
    }
    if (depth <= RL_SIX_SMALL_DEPTH) {
        return depth;
    }
    const int32_t bytes = LEFT - CHANNEL_BYTES * channels - MORE_PATCHES * depth - rl_six_bytes(channels, 0);
    return rl_clamp_s32(bytes / (RL_SIX_WORDS * (int32_t)sizeof(uint32_t)), RL_SIX_DEPTH, RL_SIX_SMALL_DEPTH);
}

static inline int32_t rl_packed_work_bytes(int32_t depth, int32_t channels)
{
    const int32_t room = rl_six_room(depth, channels);
    const int32_t usual = rl_six_bytes(rl_packed_channels(0, depth, channels), rl_min_s32(depth, RL_SIX_DEPTH));
    return rl_max_s32(usual, rl_six_bytes(rl_packed_channels(room, depth, channels), room));
}

// Whether the magnitudes of `part` weights that follow each other never add up to more than RL_SIX_WEIGHTS.
static inline bool rl_six_takes(const int8_t *filters, int32_t depth, int32_t channels, int32_t part)
{
    for (; channels > 0; channels--) {
        for (int32_t left = depth; left > 0; left -= part) {
            const int8_t *const end = filters + rl_min_s32(left, part);
            int32_t sum = 0;
            do {
                const int32_t weight = *filters++;
                sum += weight < 0 ? -weight : weight;
            } while (filters != end);
            if (sum > RL_SIX_WEIGHTS) {
                return false;
            }
        }
    }
    return true;
}

// Each part costs 95 cycles a filter for six rows, and each look at a weight 9: larger parts are tried where they would
// save twice as much as that, for which there must be many rows. Up to RL_SIX_SMALL_DEPTH values are tried whole; in
// parts they need memory beside the sums of all channels.
static inline int32_t rl_packed_part(const int8_t *filters, int32_t depth, int32_t channels, int32_t rows)
{
    enum {
        PART_CYCLES = 95 / RL_PACKED_ROWS,
        LOOK_CYCLES = 2 * 9,
        LEAST_ROWS = LOOK_CYCLES * RL_SIX_DEPTH / PART_CYCLES
    };
    if (RL_SMALL || depth <= RL_SIX_DEPTH || rows < LEAST_ROWS) {
        return 0;
    }
    const int32_t bytes = rl_packed_work_bytes(depth, channels) - rl_six_bytes(channels, 0);
    const int32_t room = rl_max_s32(bytes, 0) / (RL_SIX_WORDS * (int32_t)sizeof(uint32_t));
    const int32_t usual = (depth + RL_SIX_DEPTH - 1) / RL_SIX_DEPTH;
    int32_t most = depth <= RL_SIX_SMALL_DEPTH ? depth : room;
    for (int32_t looks = 2; looks > 0; looks--) {
        const int32_t parts = (depth + most - 1) / most, part = ((depth + parts - 1) / parts + 3) & ~3;
        if (parts >= usual || (usual - parts) * PART_CYCLES * rows < LOOK_CYCLES * depth) {
            return 0;
        }
        if ((parts == 1 || part <= room) && rl_six_takes(filters, depth, channels, part)) {
            return part;
        }
        most = depth / (parts + 1) + 4;
    }
    return 0;
}

// Packs `count` values of three rows that are runs, the first of them row number `first`, from `at` on. Not inlined,
// because rows without runs would save registers for it.
static __attribute__((noinline)) void rl_six_pack_runs(const struct rl_packed_rows *rows, int32_t first, int32_t at,
                                                       int32_t count, int32_t each, uint32_t *words)
{
    const struct rl_packed_runs *runs = rows->runs;
    int32_t line = 0;
    for (; at >= runs->bytes; at -= runs->bytes) {
        line++;
    }
    for (int32_t some; count > 0; count -= some, words += some * each, line++) {
        const int8_t *from[3];
        for (int32_t i = 0; i < 3; i++) {
            from[i] = rows->row[first + i] + line * runs->line[first + i];
        }
        some = rl_min_s32(runs->bytes - at, count);
        rl_pack_three(from, at, some, each, words);
        at = 0;
    }
}

static inline void rl_six_pack(const struct rl_packed_rows *rows, int32_t first, int32_t at, int32_t count,
                               int32_t each, uint32_t *words)
{
    if (RL_PACKED_IN_PLACE && rows->runs) {
        rl_six_pack_runs(rows, first, at, count, each, words);
    } else {
        rl_pack_three(rows->row + first, at, count, each, words);
    }
}

static inline void rl_packed_rows_multiply(const struct rl_packed_rows *rows, int32_t part, const int8_t *filter,
                                           int32_t depth, const int32_t *bias, struct rl_row_sums *sums,
                                           int32_t channels, uint32_t *words, bool packs)
{
    if (bias && (RL_SMALL || depth == 0)) {
        rl_row_sums_begin(sums, bias, channels, depth);
        bias = NULL;
    }
    const bool three = !RL_SMALL && rows->count <= 3;
    const int32_t each = three ? RL_SIX_WORDS / 2 : RL_SIX_WORDS;
    const int32_t most = part != 0 ? part : RL_SIX_DEPTH;
    for (int32_t at = 0; at < depth; at += most) {
        const int32_t count = rl_min_s32(depth - at, most);
        uint32_t *const end = words + count * each;
        if (packs) {
            rl_six_pack(rows, 0, at, count, each, words);
        }
        // Filters that lie on words, with a multiple of four values, end where the words end.
        if (packs && (((uintptr_t)filter | (uint32_t)depth | (uint32_t)count) & 3) != 0) {
            memset(end, 0, (size_t)(RL_SIX_BEHIND * each) * sizeof *end);
        }
        if (packs && !three) {
            rl_six_pack(rows, 3, at, count, each, words + 2);
        }
        struct rl_packed_six job = {words, end, filter + at, depth, sums->row, (sums + channels)->row, bias};
        rl_packed_six(&job, three, bias ? RL_SIX_FROM_EACH : RL_SIX_FROM_SUMS);
        bias = NULL;
    }
}
#endif

#endif
