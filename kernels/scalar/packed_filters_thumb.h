// SPDX-License-Identifier: Apache-2.0
// Packed filters on a Cortex-M0, not in small code. Included by scalar/packed_filters.h.
#ifndef RL_KERNELS_SCALAR_PACKED_FILTERS_THUMB_H
#define RL_KERNELS_SCALAR_PACKED_FILTERS_THUMB_H

#if RL_HAS_THUMB2_LOOP || RL_SMALL
#include "scalar/packed_filters_plain.h"
#else

enum { RL_FILTERS_ROWS = 32 }; // at a time, whose sums take 768 bytes of the stack

struct rl_filters_rows {
    const int8_t *first;
    ptrdiff_t step; // from one row to the next
    int32_t count;
    ptrdiff_t output_stride; // from the outputs of a row to those of the next
};

// Up to six filters of a product.
struct rl_packed_filters {
    const struct rl_matmul *m;
    int32_t first; // channel
    int32_t count;
    uint32_t *words;
    int32_t most; // values at a time
    bool has;     // the words of all values are there
    bool behind;  // values behind the last one are multiplied, see rl_packed_six
};

static inline int32_t rl_filters_part(const struct rl_matmul *m)
{
    return m->rows.part != 0 ? m->rows.part : RL_SIX_DEPTH;
}

// Packs the values [at, at + count) of the filters.
static inline void rl_filters_pack(const struct rl_packed_filters *f, int32_t at, int32_t count)
{
    const struct rl_matmul *m = f->m;
    const int32_t each = f->count <= 3 ? RL_SIX_WORDS / 2 : RL_SIX_WORDS;
    const int8_t *rows[RL_PACKED_ROWS];
    for (int32_t i = 0; i < RL_PACKED_ROWS; i++) {
        rows[i] = m->filter + (ptrdiff_t)(f->first + rl_min_s32(i, f->count - 1)) * m->depth;
    }
    rl_pack_three(rows, at, count, each, f->words);
    if (f->behind) {
        uint32_t *const end = f->words + count * each;
        memset(end, 0, (size_t)(RL_SIX_BEHIND * each) * sizeof *end);
    }
    if (each == RL_SIX_WORDS) {
        rl_pack_three(rows + 3, at, count, each, f->words + 2);
    }
}

// Multiplies `count` of the rows, at most RL_FILTERS_ROWS.
static __attribute__((noinline)) void rl_filters_multiply(struct rl_packed_filters *f, const struct rl_filters_rows *r,
                                                          const int8_t *rows, int32_t count, int8_t *output)
{
    const struct rl_matmul *m = f->m;
    const bool three = f->count <= 3;
    const int32_t each = three ? RL_SIX_WORDS / 2 : RL_SIX_WORDS;
    struct rl_row_sums sums[RL_FILTERS_ROWS], start;
    for (int32_t i = 0; i < RL_PACKED_ROWS; i++) {
        start.row[i] = m->bias[f->first + rl_min_s32(i, f->count - 1)];
    }
    for (int32_t at = 0; at < m->depth; at += f->most) {
        const int32_t part = rl_min_s32(m->depth - at, f->most);
        if (!f->has) {
            rl_filters_pack(f, at, part);
        }
        struct rl_packed_six job = {f->words,  f->words + part * each, rows + at, r->step,
                                    sums->row, (sums + count)->row,    start.row};
        rl_packed_six(&job, three, at == 0 ? RL_SIX_FROM_SHARED : RL_SIX_FROM_SUMS);
    }
    f->has = f->most >= m->depth;
    rl_rows_store(m->scale + f->first, m->output_min, m->output_max, f->count, sums->row, (int32_t)sizeof *sums, count,
                  output, r->output_stride);
}

// Whether packed filters take less time than packed rows, in cycles as measured: of a value and of a part of six rows
// or filters and of three, of packing them, and around them. Of many rows it looks at some sixes.
static __attribute__((noinline)) bool rl_filters_suit(const struct rl_matmul *m, const struct rl_filters_rows *r)
{
    enum { SIX = 15, SIX_PART = 124, THREE = 9, THREE_PART = 82, PACK = 20, PACK_PART = 60, ROWS = 150 };
    enum { CHANNEL = 60, TILE_CHANNEL = 60, TILE_THREE = 150, LAYER = 300, MOST_ROWS = 6 * 64, LEAST_PRODUCTS = 1000 };
    const int32_t channels = m->channels, depth = m->depth, rows = rl_min_s32(r->count, MOST_ROWS);
    if (!m->simple || rows < 4 || channels > 8 * rows || rows * channels * depth < LEAST_PRODUCTS) {
        return false;
    }
    int32_t parts = 0;
    for (int32_t at = 0; at < depth; at += rl_filters_part(m)) {
        parts++;
    }
    const int32_t six = SIX * depth + SIX_PART * parts, three = THREE * depth + THREE_PART * parts;
    const int32_t pack = PACK * depth + PACK_PART * parts;
    const int32_t sixes = (rows * 10923) >> 16, left = rows - 6 * sixes; // a sixth of at most MOST_ROWS
    int32_t packed_rows = sixes * (2 * pack + channels * (six + CHANNEL) + ROWS);
    if (left > 3) {
        packed_rows += 2 * pack + channels * (six + CHANNEL) + ROWS;
    } else if (left > 0) {
        packed_rows += pack + channels * (three + CHANNEL) + ROWS;
    }
    const int32_t groups = (channels * 43) >> 8, others = channels - 6 * groups; // a sixth of at most 64
    int32_t row = groups * six, threes = 2 * groups;
    if (others > 3) {
        row += six;
        threes += 2;
    } else if (others > 0) {
        row += three;
        threes++;
    }
    const int32_t tiles = (rows + RL_FILTERS_ROWS - 1) / RL_FILTERS_ROWS, packs = parts == 1 ? 1 : tiles;
    const int32_t packed_filters =
        rows * row + tiles * (TILE_CHANNEL * channels + TILE_THREE * threes) + packs * pack * threes;
    return packed_filters + packed_rows / 32 + LAYER < packed_rows;
}

static __attribute__((noinline)) void rl_filters_run_all(const struct rl_matmul *m, const struct rl_filters_rows *r,
                                                         int8_t *output)
{
    struct rl_packed_filters f;
    f.m = m;
    f.words = m->work;
    f.most = rl_filters_part(m);
    f.behind = (((uintptr_t)r->first | (uint32_t)(r->step | m->depth | f.most)) & 3) != 0;
    for (f.first = 0; f.first < m->channels; f.first += RL_PACKED_ROWS) {
        f.count = rl_min_s32(m->channels - f.first, RL_PACKED_ROWS);
        f.has = false;
        const int8_t *rows = r->first;
        int8_t *to = output + f.first;
        for (int32_t left = r->count, some; left > 0; left -= some) {
            some = rl_min_s32(left, RL_FILTERS_ROWS);
            rl_filters_multiply(&f, r, rows, some, to);
            rows += some * r->step;
            to += some * r->output_stride;
        }
    }
}

// Not inlined, which keeps its variables off the stack of packed rows.
static __attribute__((noinline)) bool rl_filters_run(const struct rl_matmul *m, const int8_t *rows, ptrdiff_t step,
                                                     int32_t count, int8_t *output, ptrdiff_t output_stride)
{
    const struct rl_filters_rows all = {rows, step, count, output_stride};
    if (!rl_filters_suit(m, &all)) {
        return false;
    }
    rl_filters_run_all(m, &all, output);
    return true;
}
#endif

#endif
