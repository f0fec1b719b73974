// SPDX-License-Identifier: Apache-2.0
// int8 rows times filters, from the rows to their sums: four rows at a time (packed_rows_plain.h), on a Cortex-M0 six
// (packed_rows_thumb.h). The rows are packed for all filters at once, a part of their depth at a time.
//
// Both files define
// - RL_PACKED_ROWS: the rows at a time.
// - struct rl_row_sums: the running sums of one filter over the rows. rl_row_sums_start(bias, depth) starts them,
//   rl_row_sum(sums, row) is the sum of a row. rl_row_sums_add(sums, constants) adds one of RL_PACKED_ROWS constants to
//   that of each row.
// - rl_packed_part(filters, depth, channels, rows): the values of a row that are packed at a time, where `rows` rows
//   are multiplied by these filters. It depends on the weights; 0 stands for the number that serves all weights.
// - rl_packed_channels(part, depth, channels): the channels whose sums are kept at a time.
// - rl_packed_work_bytes(depth, channels): the bytes of these sums and, behind them, the packed values, for each part.
//   With a part of 0 the values take at most RL_PACKED_WORDS words.
// - rl_packed_rows_multiply(rows, part, filter, depth, bias, sums, channels, words, packs): adds the products of the
//   rows with `channels` filters of `depth` weights to `sums`, or unless `bias` is NULL to the biases of the filters,
//   with which the sums are started. Unless `packs`, the words are those of the call before, for
//   other channels, of which rl_packed_channels did not take all.
// - rl_packed_rows_store(scale, one_scale, min, max, channels, sums, rows, output): scales, limits and stores the sums
//   of channels whose sums are at most 2^29 in magnitude. Returns false, and does nothing, where it is not faster.
#ifndef RL_KERNELS_SCALAR_PACKED_ROWS_H
#define RL_KERNELS_SCALAR_PACKED_ROWS_H

#include "isa.h"
#include "requantize.h"

enum {
    RL_MOST_PACKED_ROWS = 6,
    RL_PACKED_IN_PLACE = RL_HAS_THUMB_LOOP && !RL_HAS_THUMB2_LOOP && !RL_SMALL, // whether rows may be runs of an image
};

// Rows of a convolution's patches where they lie: `bytes` of a row follow each other, then as many lie `line` further.
struct rl_packed_runs {
    int32_t bytes;
    ptrdiff_t line[RL_MOST_PACKED_ROWS];
};

// Up to RL_PACKED_ROWS rows and the offsets of their outputs, which are equally far apart. Missing rows repeat the last
// one.
struct rl_packed_rows {
    int32_t count;
    const int8_t *row[RL_MOST_PACKED_ROWS];
    ptrdiff_t output[RL_MOST_PACKED_ROWS];
    const struct rl_packed_runs *runs; // NULL where the values of a row follow each other
};

#include RL_LOOP(packed_rows)

static inline void rl_packed_rows_start(struct rl_packed_rows *packed, const int8_t *rows, ptrdiff_t row_stride,
                                        int32_t row_count, ptrdiff_t output_stride)
{
    packed->count = rl_min_s32(row_count, RL_PACKED_ROWS);
    packed->runs = NULL;
    for (int32_t i = 0; i < RL_PACKED_ROWS; i++) {
        const int32_t row = rl_min_s32(i, row_count - 1);
        packed->row[i] = rows + row * row_stride;
        packed->output[i] = row * output_stride;
    }
}

#endif
