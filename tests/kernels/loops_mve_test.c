// SPDX-License-Identifier: Apache-2.0
// The loops of kernels/mve but those of depthwise convolutions and of windows in place: the plain form of each against
// the definition on every core, and the assembler against the plain form on the cores that have Helium.
#include "isa.h"
#include "loops_plain.h"
#include "mve/dot_1x4_plain.h"
#include "mve/dot_rows_plain.h"
#include "mve/scale_rows_plain.h"
#include "mve/short_rows_plain.h"
#include "sums.h"
#include "support/kernel_test.h"

#include <string.h>

#if RL_HAS_MVE
#include "mve/dot_1x4.h"
#include "mve/dot_1x6.h"
#include "mve/dot_rows_s16.h"
#include "mve/dot_rows_s8.h"
#include "mve/dot_rows_sums.h"
#include "mve/dot_s4_tile.h"
#include "mve/dot_tile.h"
#include "mve/memory_tile.h"
#include "mve/scale_rows.h"
#include "mve/short_rows.h"

static void dot_rows(const void *rows, bool wide)
{
    const struct rl_filters *f = ((const struct rl_three_rows *)rows)->filters;
    const bool two = !((const struct rl_three_rows *)rows)->row_2;
    rl_assembler *const of_s8 = f->step > f->depth ? rl_dot_rows_any(f->depth) : rl_dot_rows_s8(f->depth);
    rl_call_assembler(wide ? rl_dot_rows_s16(f->depth, two) : of_s8, rows);
}

static void dot_rows_sums(const void *rows)
{
    rl_call_assembler(((const struct rl_three_rows *)rows)->row_2 ? rl_dot_rows_sums : rl_dot_two_rows_sums, rows);
}

static void dot_two_rows(const void *rows)
{
    rl_call_assembler(rl_dot_two_rows(((const struct rl_three_rows *)rows)->filters->depth), rows);
}

static void scale_rows(const void *rows, bool eights)
{
    rl_call_assembler(rl_scale_rows_for(((const struct rl_three_rows *)rows)->filters, eights), rows);
}

// Where the lower limit is the output's zero, the loops for it give what the others give, too.
static void short_rows(const struct rl_short_rows *job, bool as_relu)
{
    rl_call_assembler(rl_short_rows(job->depth, as_relu), job);
}

static void dot_1x4(const struct rl_dot_1x4 *job)
{
    if (job->offset == 0 && (job->end - job->sums) % 6 == 0) {
        rl_dot_1x6_run(job);
    } else if (job->offset == 0) {
        rl_dot_1x4_run(job);
    } else if (job->depth <= 16 && job->offset >= -126) {
        rl_dot_1x4_short(job);
    } else {
        rl_dot_1x4_offset(job);
    }
}

static void dot_s4(const int8_t *values, int32_t depth, int32_t at, int32_t offset, const int8_t *w_0,
                   const int8_t *w_1, int32_t count, int32_t sums[2])
{
    static struct rl_row_s4 row;
    rl_row_s4_start(&row, values, depth);
    rl_dot_s4_pair(&row, at, offset, w_0, w_1, count, sums);
}
#endif

// The loops that are compared with the plain forms: the assembler, or on other cores the plain forms themselves.
struct loops {
    void (*dot_rows)(const void *rows, bool wide);
    void (*dot_rows_sums)(const void *rows);
    void (*dot_two_rows)(const void *rows);
    void (*scale_rows)(const void *rows, bool eights);
    void (*dot_1x4)(const struct rl_dot_1x4 *job);
    void (*short_rows)(const struct rl_short_rows *job, bool as_relu);
    int32_t (*sum_s8)(const int8_t *values, int32_t count);
    void (*four_sums)(const int8_t *values, int32_t count, int32_t sums[4]);
    int32_t (*dot_s8_s8)(const int8_t *x, int32_t offset, const int8_t *w, int32_t count);
    void (*dot_s8_s8_pair)(const int8_t *x, int32_t offset, const int8_t *w_0, const int8_t *w_1, int32_t count,
                           int32_t sums[2]);
    void (*dot_s4)(const int8_t *values, int32_t depth, int32_t at, int32_t offset, const int8_t *w_0,
                   const int8_t *w_1, int32_t count, int32_t sums[2]);
    void (*copy)(int8_t *to, const int8_t *from, int32_t count);
    void (*copy_runs)(int8_t *to, ptrdiff_t to_step, const int8_t *from, ptrdiff_t from_step, int32_t count,
                      int32_t runs);
    void (*fill)(int8_t *to, int8_t value, int32_t count);
};

// Two rows alone: the sums of the third one stay as they are.
static void plain_two_rows(const void *argument)
{
    int32_t *const sums = ((const struct rl_three_rows *)argument)->sums + 2 * RL_SUM_BLOCK, kept[RL_SUM_BLOCK];
    memcpy(kept, sums, sizeof kept);
    rl_dot_rows_plain(argument, false);
    memcpy(sums, kept, sizeof kept);
}

#if !RL_HAS_MVE
static void plain_short_rows(const struct rl_short_rows *job, bool as_relu)
{
    (void)as_relu;
    rl_short_rows_plain(job);
}

static void plain_four_sums(const int8_t *values, int32_t count, int32_t sums[4])
{
    for (int i = 0; i < 4; i++) {
        sums[i] = rl_plain_sum_s8(values + i * count, count);
    }
}
#endif

static const struct loops loops = {
#if RL_HAS_MVE
    dot_rows,        dot_rows_sums, dot_two_rows,      scale_rows, dot_1x4,    short_rows,      rl_sum_s8,
    rl_four_sums_s8, rl_dot_s8_s8,  rl_dot_s8_s8_pair, dot_s4,     rl_copy_s8, rl_copy_runs_s8, rl_fill_s8,
#else
    rl_dot_rows_plain, rl_dot_rows_sums_plain, plain_two_rows,        rl_scale_rows_plain, rl_dot_1x4_plain,
    plain_short_rows,  rl_plain_sum_s8,        plain_four_sums,       rl_plain_dot_s8_s8,  rl_plain_dot_s8_s8_pair,
    rl_plain_dot_s4,   rl_plain_copy_s8,       rl_plain_copy_runs_s8, rl_plain_fill_s8,
#endif
};

enum { CASES = 300, MOST_S16 = 504 };

static void test_dot_rows(struct rl_case *c, bool wide)
{
    rl_test_start(c, wide ? "dot_rows_s16" : "dot_rows_s8");
    for (int i = 0; i < 2 * CASES; i++) {
        int32_t depth = rl_random_one_in(c, 3) ? 8 * rl_random_in(c, 1, 32) : rl_random_in(c, 1, 256);
        if (wide && rl_random_one_in(c, 8)) {
            depth = MOST_S16 - rl_random_in(c, 0, 8);
        }
        const int32_t channels = rl_random_extreme(c, 1, RL_SUM_BLOCK);
        rl_case_begin(c, "depth %ld, %ld channels", (long)depth, (long)channels);
        const void *row[3];
        for (int r = 0; r < 3; r++) {
            row[r] = rl_case_elements(c, wide, (size_t)depth);
        }
        const bool two = wide && depth > 8 && rl_random_one_in(c, 3);
        row[2] = two ? NULL : row[2];
        const int32_t gap = !wide && depth > RL_SHORT_DEPTH && rl_random_one_in(c, 3) ? rl_random_in(c, 1, 90) : 0;
        const struct rl_filters filters = {.filter = rl_case_s8(c, (size_t)((channels - 1) * (depth + gap) + depth)),
                                           .depth = depth,
                                           .channels = channels,
                                           .step = depth + gap};
        const struct sums s = sums_of(c);
        for (int32_t k = 0; k < 3 * channels; k++) {
            int32_t sum = 0;
            for (int32_t j = 0; row[k % 3] && j < depth; j++) {
                sum += rl_element(wide, row[k % 3], (size_t)j) * filters.filter[k / 3 * filters.step + j];
            }
            expect_sum(&s, k % 3, k / 3, channels, sum);
        }
        struct rl_three_rows rows = {
            .row_0 = row[0], .filters = &filters, .row_1 = row[1], .row_2 = row[2], .sums = s.plain};
        rl_dot_rows_plain(&rows, wide);
        rows.sums = s.actual;
        loops.dot_rows(&rows, wide);
        expect_sums(c, &s);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static void test_scale_rows(struct rl_case *c)
{
    rl_test_start(c, "scale_rows");
    for (int i = 0; i < CASES; i++) {
        const int32_t channels = rl_random_extreme(c, 1, RL_SUM_BLOCK), offset = rl_random_extreme(c, -128, 127);
        const cmsis_nn_activation limits = rl_random_limits(c, INT8_MIN, INT8_MAX);
        const bool relu = offset <= limits.max && rl_random_one_in(c, 2);
        const int32_t min = relu ? offset : limits.min;
        const bool eights = rl_scale_takes_eights(offset, min, limits.max) && !rl_random_one_in(c, 4);
        rl_case_begin(c, "%ld channels, offset %ld, limits %ld %ld%s", (long)channels, (long)offset, (long)min,
                      (long)limits.max, eights ? ", in eights" : "");
        const size_t count = (size_t)channels;
        // Small sums and shifts meet ties of the last rounding.
        const bool small = rl_random_one_in(c, 2);
        const int32_t most = small ? 300 : 1 << 24;
        const int32_t *sums = rl_case_s32(c, SUMS, -most, most), *bias = rl_case_s32(c, count, -most, most);
        int32_t *placed = rl_case_s32(c, count, 0, 0);
        for (int32_t o = 0; o < channels; o++) {
            placed[eights ? rl_scale_place(o, channels) : o] = bias[o];
        }
        struct rl_filters filters = {.channels = channels,
                                     .multiplier = rl_case_s32(c, count, small ? 1 << 30 : 0, INT32_MAX),
                                     .shift = rl_case_s32(c, count, small ? -6 : -31, -1),
                                     .output_offset = offset,
                                     .output_min = min,
                                     .output_max = limits.max,
                                     .bias = placed};
        if (eights) {
            rl_scale_eights_init(&filters);
        }
        int8_t *output[3], *plain[3], *expected[3];
        for (int32_t row = 0; row < 3; row++) {
            output[row] = rl_case_s8(c, count);
            plain[row] = rl_case_s8(c, count);
            expected[row] = rl_case_s8(c, count);
            for (int32_t o = 0; o < channels; o++) {
                expected[row][o] = rl_reference_output(sums[row * RL_SUM_BLOCK + o] + bias[o], filters.multiplier[o],
                                                       filters.shift[o], offset, min, limits.max);
            }
        }
        struct rl_three_rows rows = {.filters = &filters,
                                     .sums = (int32_t *)sums,
                                     .output_0 = plain[0],
                                     .output_1 = plain[1],
                                     .output_2 = plain[2]};
        rl_scale_rows_plain(&rows, eights);
        rows.output_0 = output[0], rows.output_1 = output[1], rows.output_2 = output[2];
        loops.scale_rows(&rows, eights);
        for (int32_t row = 0; row < 3; row++) {
            rl_case_equal_s8(c, "plain output", expected[row], plain[row], count);
            rl_case_equal_s8(c, "output", plain[row], output[row], count);
        }
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static void test_dot_1x4(struct rl_case *c)
{
    rl_test_start(c, "dot_1x4_mve");
    for (int i = 0; i < CASES; i++) {
        const bool sixes = rl_random_one_in(c, 3);
        const int32_t depth = rl_random_in(c, 0, sixes ? 150 : 80);
        const int32_t channels = sixes ? 6 * rl_random_in(c, 1, 4) : 4 * rl_random_in(c, 1, 5);
        const int32_t offset = sixes || rl_random_one_in(c, 2) ? 0 : rl_random_extreme(c, -128, 128);
        const int32_t start = rl_random_extreme(c, INT32_MIN, INT32_MAX);
        rl_case_begin(c, "depth %ld, %ld channels, offset %ld", (long)depth, (long)channels, (long)offset);
        const int8_t *row = rl_case_s8(c, (size_t)depth), *filter = rl_case_s8(c, (size_t)(channels * depth));
        int32_t *sums = rl_case_s32(c, (size_t)channels, INT32_MIN, INT32_MAX);
        int32_t *plain = rl_case_s32(c, (size_t)channels, INT32_MIN, INT32_MAX);
        int32_t expected[24];
        for (int32_t o = 0; o < channels; o++) {
            uint32_t sum = (uint32_t)start;
            for (int32_t k = 0; k < depth; k++) {
                sum += (uint32_t)((row[k] + offset) * filter[o * depth + k]);
            }
            expected[o] = (int32_t)sum;
        }
        const struct rl_dot_1x4 plain_job = {row, filter, depth, start, plain, plain + channels, offset};
        const struct rl_dot_1x4 job = {row, filter, depth, start, sums, sums + channels, offset};
        rl_dot_1x4_plain(&plain_job);
        loops.dot_1x4(&job);
        rl_case_equal_s32(c, "plain sums", expected, plain, (size_t)channels);
        rl_case_equal_s32(c, "sums", plain, sums, (size_t)channels);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// As the plain form for three rows has them.
static void test_dot_two_rows(struct rl_case *c)
{
    rl_test_start(c, "dot_two_rows");
    for (int i = 0; i < CASES; i++) {
        const int32_t depth = rl_random_in(c, 32, 200), gap = rl_random_one_in(c, 3) ? rl_random_in(c, 1, 90) : 0;
        const int32_t channels = rl_random_extreme(c, 1, RL_SUM_BLOCK);
        rl_case_begin(c, "depth %ld, %ld channels, %ld apart", (long)depth, (long)channels, (long)gap);
        const struct rl_filters filters = {.filter = rl_case_s8(c, (size_t)((channels - 1) * (depth + gap) + depth)),
                                           .depth = depth,
                                           .channels = channels,
                                           .step = depth + gap};
        const struct sums s = sums_of(c);
        struct rl_three_rows rows = {.filters = &filters, .sums = s.plain};
        rows.row_0 = rl_case_s8(c, (size_t)depth);
        rows.row_1 = rl_case_s8(c, (size_t)depth);
        plain_two_rows(&rows);
        memcpy(s.expected, s.plain, SUMS * sizeof *s.plain);
        rows.row_2 = rows.row_1;
        rows.sums = s.actual;
        loops.dot_two_rows(&rows);
        expect_sums(c, &s);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// Three rows or two with the sums of the weights.
static void test_dot_rows_sums(struct rl_case *c)
{
    rl_test_start(c, "dot_rows_sums");
    for (int i = 0; i < CASES; i++) {
        const int32_t depth = rl_random_in(c, 1, 100), channels = rl_random_extreme(c, 1, RL_SUM_BLOCK);
        const bool two = rl_random_one_in(c, 2);
        rl_case_begin(c, "%s, depth %ld, %ld channels", two ? "two" : "three", (long)depth, (long)channels);
        const struct sums s = sums_of(c);
        const size_t places = (size_t)((channels + 1) & ~1), known = two ? 2 * RL_SUM_BLOCK : SUMS;
        struct rl_filters filters = {
            .filter = rl_case_s8(c, (size_t)(channels * depth)), .depth = depth, .channels = channels, .step = depth};
        struct rl_three_rows rows = {.filters = &filters, .sums = s.plain};
        rows.row_0 = rl_case_s8(c, (size_t)depth);
        rows.row_1 = rl_case_s8(c, (size_t)depth);
        rows.row_2 = two ? NULL : rl_case_s8(c, (size_t)depth);
        const int8_t *const row[3] = {rows.row_0, rows.row_1, rows.row_2}, *filter = filters.filter;
        int32_t expected[RL_SUM_BLOCK];
        for (int32_t o = 0; o < channels; o++, filter += depth) {
            expected[o] = 128 * depth + rl_plain_sum_s8(filter, depth);
            for (int32_t r = 0; r < (two ? 2 : 3); r++) {
                expect_sum(&s, r, o, channels, rl_plain_dot_s8_s8(row[r], 0, filter, depth));
            }
        }
        int32_t *const plain = filters.late_sums = rl_case_s32(c, places, 0, 0);
        int32_t *const actual = rl_case_s32(c, places, 0, 0);
        rl_dot_rows_sums_plain(&rows);
        filters.late_sums = actual;
        rows.sums = s.actual;
        loops.dot_rows_sums(&rows);
        rl_case_equal_s32(c, "plain sums", s.expected, s.plain, known);
        rl_case_equal_s32(c, "sums", s.plain, s.actual, known);
        rl_case_equal_s32(c, "sums of weights", expected, plain, (size_t)channels);
        rl_case_equal_s32(c, "places", plain, actual, places);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// Rows of outputs overlap neither each other nor what lies between them.
static void test_short_rows(struct rl_case *c)
{
    rl_test_start(c, "short_rows");
    for (int i = 0; i < 2 * CASES; i++) {
        const int32_t depth = rl_random_extreme(c, 1, RL_SHORT_DEPTH), pairs = rl_random_in(c, 1, 5);
        const int32_t row_step = depth + rl_random_in(c, -1, 3) * rl_random_in(c, 0, 1);
        const int32_t output_step = rl_random_in(c, 4, 9), offset = rl_random_extreme(c, -128, 127);
        const cmsis_nn_activation limits = rl_random_limits(c, INT8_MIN, INT8_MAX);
        const bool relu = offset <= limits.max && rl_random_one_in(c, 2);
        const int32_t min = relu ? offset : limits.min, max = limits.max;
        rl_case_begin(c, "depth %ld, %ld pairs, steps %ld and %ld, offset %ld, limits %ld %ld", (long)depth,
                      (long)pairs, (long)row_step, (long)output_step, (long)offset, (long)min, (long)max);
        // Small sums and shifts meet ties of the last rounding.
        const bool small = rl_random_one_in(c, 2);
        const int32_t most = small ? 300 : 1 << 24, last = 2 * pairs - 1;
        const int8_t *rows = rl_case_s8(c, (size_t)(last * row_step + depth));
        const int8_t *filter = rl_case_s8(c, (size_t)(4 * depth));
        const size_t bytes = (size_t)(last * output_step + 4);
        int8_t *output = rl_case_s8(c, bytes), *plain = rl_case_s8(c, bytes), *expected = rl_case_s8(c, bytes);
        memcpy(plain, output, bytes);
        memcpy(expected, output, bytes);
        struct rl_short_rows job = {.rows = rows,
                                    .filter = filter,
                                    .output = plain,
                                    .depth = depth,
                                    .row_step = row_step,
                                    .bias = rl_case_s32(c, 4, -most, most),
                                    .output_step = output_step,
                                    .multiplier = rl_case_s32(c, 4, small ? 1 << 30 : 0, INT32_MAX),
                                    .shift = rl_case_s32(c, 4, small ? -6 : -31, -1),
                                    .pairs = pairs};
        rl_short_rows_limits(&job, offset, min, max);
        for (int32_t k = 0; k < 8 * pairs; k++) {
            int32_t sum = job.bias[k % 4];
            for (int32_t j = 0; j < depth; j++) {
                sum += rows[k / 4 * row_step + j] * filter[k % 4 * depth + j];
            }
            expected[k / 4 * output_step + k % 4] =
                rl_reference_output(sum, job.multiplier[k % 4], job.shift[k % 4], offset, min, max);
        }
        rl_short_rows_plain(&job);
        job.output = output;
        loops.short_rows(&job, relu && !rl_random_one_in(c, 4));
        rl_case_equal_s8(c, "plain output", expected, plain, bytes);
        rl_case_equal_s8(c, "output", plain, output, bytes);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// Sums of a row, and its products with two rows.
static void test_dot(struct rl_case *c)
{
    rl_test_start(c, "dot_mve");
    for (int i = 0; i < CASES; i++) {
        const int32_t count = rl_random_in(c, 0, 160), offset = rl_random_extreme(c, -128, 128);
        rl_case_begin(c, "%ld values, offset %ld", (long)count, (long)offset);
        const int8_t *x = rl_case_s8(c, (size_t)count);
        const int8_t *w[2] = {rl_case_s8(c, (size_t)count), rl_case_s8(c, (size_t)count)};
        int32_t expected[4] = {0, 0, rl_random_in(c, -9999, 9999), rl_random_in(c, -9999, 9999)};
        int32_t plain[4] = {0, 0, expected[2], expected[3]}, sums[4] = {0, 0, expected[2], expected[3]};
        for (int32_t k = 0; k < count; k++) {
            expected[0] += x[k];
            expected[1] += (x[k] + offset) * w[0][k];
            expected[2] += (x[k] + offset) * w[0][k];
            expected[3] += (x[k] + offset) * w[1][k];
        }
        plain[0] = rl_plain_sum_s8(x, count);
        plain[1] = rl_plain_dot_s8_s8(x, offset, w[0], count);
        rl_plain_dot_s8_s8_pair(x, offset, w[0], w[1], count, plain + 2);
        sums[0] = loops.sum_s8(x, count);
        sums[1] = loops.dot_s8_s8(x, offset, w[0], count);
        loops.dot_s8_s8_pair(x, offset, w[0], w[1], count, sums + 2);
        rl_case_equal_s32(c, "plain sums", expected, plain, 4);
        rl_case_equal_s32(c, "sums", plain, sums, 4);
        const int32_t part = count / 4;
        for (int32_t k = 0; k < 4; k++) {
            expected[k] = rl_plain_sum_s8(x + k * part, part);
        }
        loops.four_sums(x, part, sums);
        rl_case_equal_s32(c, "four sums", expected, sums, 4);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static int32_t weight_s4(const int8_t *weights, int32_t i)
{
    const int32_t nibble = (weights[i / 2] >> (i % 2 * 4)) & 15;
    return nibble < 8 ? nibble : nibble - 16;
}

static void test_dot_s4(struct rl_case *c)
{
    rl_test_start(c, "dot_s4");
    for (int i = 0; i < CASES; i++) {
        const int32_t at = rl_random_in(c, 0, 1);
        const int32_t count = rl_random_one_in(c, 8) ? rl_random_in(c, 1000, 2100) : rl_random_in(c, 0, 80);
        const int32_t offset = rl_random_extreme(c, -128, 128);
        rl_case_begin(c, "%ld values from %ld on, offset %ld", (long)count, (long)at, (long)offset);
        const int8_t *values = rl_case_s8(c, (size_t)(at + count));
        const int8_t *w[2] = {rl_case_s8(c, (size_t)(count + 1) / 2), rl_case_s8(c, (size_t)(count + 1) / 2)};
        int32_t expected[2] = {rl_random_in(c, -9999, 9999), rl_random_in(c, -9999, 9999)};
        int32_t plain[2] = {expected[0], expected[1]}, sums[2] = {expected[0], expected[1]};
        for (int32_t k = 0; k < 2 * count; k++) {
            expected[k % 2] += (values[at + k / 2] + offset) * weight_s4(w[k % 2], k / 2);
        }
        rl_plain_dot_s4(values, at + count, at, offset, w[0], w[1], count, plain);
        loops.dot_s4(values, at + count, at, offset, w[0], w[1], count, sums);
        rl_case_equal_s32(c, "plain sums", expected, plain, 2);
        rl_case_equal_s32(c, "sums", plain, sums, 2);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static void test_memory(struct rl_case *c)
{
    rl_test_start(c, "memory");
    for (int i = 0; i < CASES; i++) {
        const int32_t count = rl_random_in(c, 1, 90), runs = rl_random_in(c, 0, 5);
        const int32_t to_step = count + rl_random_in(c, 0, 9), from_step = count + rl_random_in(c, 0, 9);
        const int8_t value = (int8_t)rl_random_in(c, INT8_MIN, INT8_MAX);
        rl_case_begin(c, "%ld runs of %ld, steps %ld and %ld", (long)runs, (long)count, (long)to_step, (long)from_step);
        const size_t from_bytes = (size_t)(runs > 0 ? (runs - 1) * from_step + count : 0);
        const size_t to_bytes = (size_t)(runs > 0 ? (runs - 1) * to_step + count : 0);
        const int8_t *from = rl_case_s8(c, from_bytes);
        int8_t *to = rl_case_s8(c, to_bytes), *plain = rl_case_s8(c, to_bytes), *expected = rl_case_s8(c, to_bytes);
        memcpy(plain, to, to_bytes);
        memcpy(expected, to, to_bytes);
        for (int32_t k = 0; k < runs * count; k++) {
            expected[k / count * to_step + k % count] = from[k / count * from_step + k % count];
        }
        rl_plain_copy_runs_s8(plain, to_step, from, from_step, count, runs);
        loops.copy_runs(to, to_step, from, from_step, count, runs);
        rl_case_equal_s8(c, "plain runs", expected, plain, to_bytes);
        rl_case_equal_s8(c, "runs", plain, to, to_bytes);

        const int32_t length = runs > 0 ? rl_random_in(c, 0, count) : 0;
        int8_t *copy = rl_case_s8(c, (size_t)length), *plain_copy = rl_case_s8(c, (size_t)length);
        rl_plain_copy_s8(plain_copy, from, length);
        loops.copy(copy, from, length);
        rl_case_equal_s8(c, "plain copy", from, plain_copy, (size_t)length);
        rl_case_equal_s8(c, "copy", from, copy, (size_t)length);
        rl_plain_fill_s8(plain_copy, value, length);
        loops.fill(copy, value, length);
        for (int32_t k = 0; k < length; k++) {
            rl_case_expect(c, plain_copy[k] == value && copy[k] == value, "the value in every byte");
        }
        rl_case_end(c);
    }
    rl_test_stop(c);
}

int main(void)
{
    static struct rl_case c;
    test_dot_rows(&c, false);
    test_dot_rows(&c, true);
    test_scale_rows(&c);
    test_dot_two_rows(&c);
    test_dot_rows_sums(&c);
    test_dot_1x4(&c);
    test_short_rows(&c);
    test_dot(&c);
    test_dot_s4(&c);
    test_memory(&c);
    return rl_test_finish(&c);
}
