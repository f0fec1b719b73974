// SPDX-License-Identifier: Apache-2.0
// Three int8 or int16 rows times int8 filters: dot_rows.h in C.
#ifndef RL_KERNELS_MVE_DOT_ROWS_PLAIN_H
#define RL_KERNELS_MVE_DOT_ROWS_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The most channels whose sums are kept at a time.
enum { RL_SUM_BLOCK = 64 };

// What the loops of scale_rows.h for eight channels read.
struct rl_scale_eights {
    const int32_t *shift;
    int32_t limits[3]; // constants that follow from the limits
    const int32_t *bias;
    const int32_t *multiplier;
    int32_t count; // of whole eights
};

// Filters, [channels][depth], and the scales of their outputs. The assembler relies on the order of the fields.
struct rl_filters {
    const int8_t *filter;
    int32_t depth;
    int32_t channels; // at most RL_SUM_BLOCK
    const int32_t *multiplier;
    const int32_t *shift;
    int32_t output_offset;
    int32_t output_min;
    int32_t output_max;
    const int32_t *bias;
    struct rl_scale_eights eights; // with `rest` only for the loops for eight channels: rl_scale_eights_init
    int32_t rest;                  // channels behind the whole eights
    int32_t *late_sums;            // for rl_dot_rows_sums
    ptrdiff_t step;                // from a filter to the next; `depth` but for the loops of rl_dot_rows_any
};

// Three rows of int8 or int16, their sums and their outputs. The assembler relies on the order of the fields.
struct rl_three_rows {
    const int8_t *row_0;
    const struct rl_filters *filters;
    const int8_t *row_1;
    const int8_t *row_2;
    int32_t *sums;
    int8_t *output_0;
    int8_t *output_1;
    int8_t *output_2;
};

// Writes the sum of each row with each filter; those of row r start at sums[r * RL_SUM_BLOCK]. If the number of filters
// is odd, the last sum of a row is written once more behind it. Rows are int16 if `wide`. The sums of a third row that
// is NULL are 0.
static inline void rl_dot_rows_plain(const void *argument, bool wide)
{
    const struct rl_three_rows *rows = argument;
    const struct rl_filters *f = rows->filters;
    const int8_t *const row[3] = {rows->row_0, rows->row_1, rows->row_2};
    const int32_t even = (f->channels + 1) & ~1;
    for (int32_t i = 0; i < 3 * even; i++) {
        const int32_t r = i / even, channel = i % even < f->channels ? i % even : f->channels - 1;
        const int8_t *filter = f->filter + channel * f->step;
        int32_t sum = 0;
        for (int32_t k = 0; row[r] && k < f->depth; k++) {
            sum += filter[k] * (wide ? ((const int16_t *)(const void *)row[r])[k] : row[r][k]);
        }
        rows->sums[r * RL_SUM_BLOCK + i % even] = sum;
    }
}

// Writes the sums of int8 rows as rl_dot_rows_plain does, and those of the weights + 128 of each filter in place of its
// bias. If the number of filters is odd, the last of these is written once more as well.
static inline void rl_dot_rows_sums_plain(const void *argument)
{
    const struct rl_filters *f = ((const struct rl_three_rows *)argument)->filters;
    rl_dot_rows_plain(argument, false);
    for (int32_t i = 0; i < ((f->channels + 1) & ~1); i++) {
        const int8_t *filter = f->filter + (ptrdiff_t)(i < f->channels ? i : f->channels - 1) * f->depth;
        f->late_sums[i] = 128 * f->depth;
        for (int32_t k = 0; k < f->depth; k++) {
            f->late_sums[i] += filter[k];
        }
    }
}

#endif
