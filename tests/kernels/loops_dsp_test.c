// SPDX-License-Identifier: Apache-2.0
// The products and rows of kernels/dsp: the plain form of each loop against the definition on every core, and the
// assembler against the plain form on the cores that have these instructions.
#include "dsp/dot_1x3_plain.h"
#include "dsp/dot_3x2_plain.h"
#include "dsp/dot_pairs_plain.h"
#include "dsp/expand_row_plain.h"
#include "isa.h"
#include "loops_dsp.h"
#include "loops_plain.h"
#include "support/kernel_test.h"

#include <string.h>

#if RL_HAS_DSP
#include "dsp/dot_1x3.h"
#include "dsp/dot_3x2.h"
#include "dsp/dot_pairs.h"
#include "dsp/dot_tile.h"
#include "dsp/expand_row.h"
#endif

// The loops that are compared with the plain forms: the assembler, or on other cores the plain forms themselves.
struct loops {
    void (*dot_1x3)(const struct rl_dot_1x3 *job);
    void (*dot_3x2)(struct rl_dot_3x2 *job);
    void (*dot_pairs)(struct rl_dot_pairs *job);
    int32_t (*dot_s8_s8)(const int8_t *x, int32_t offset, const int8_t *w, int32_t count);
    void (*dot_s16_s8_2x2)(const int16_t *x_0, const int16_t *x_1, const int8_t *w_0, const int8_t *w_1, int32_t count,
                           int32_t sums[4]);
    uint32_t *(*expand_rounds)(const int8_t *row, int32_t rounds, uint32_t offsets, uint32_t *words);
    uint32_t *(*expand_run)(const int8_t *from, int32_t count, uint32_t *values, uint32_t offsets);
};

static const struct loops loops = {
#if RL_HAS_DSP
    rl_dot_1x3, rl_dot_3x2, rl_dot_pairs, rl_dot_s8_s8, rl_dot_s16_s8_2x2, rl_expand_rounds, rl_expand_run,
#else
    rl_dot_1x3_plain,        rl_dot_3x2_plain,       rl_dot_pairs_plain,  rl_plain_dot_s8_s8,
    rl_plain_dot_s16_s8_2x2, rl_expand_rounds_plain, rl_expand_run_plain,
#endif
};

enum { CASES = 300, MOST_DEPTH = 260 };

static uint32_t four_bytes(int32_t value)
{
    return (uint8_t)value * UINT32_C(0x01010101);
}

enum three_rows { SCALED, REST_SCALED, KEPT };

// The values of a row as dot_3x2_plain.h describes them.
static void place_row(uint32_t *words, int32_t row, const int32_t *values, int32_t fours, int32_t rest)
{
    for (int32_t k = 0; k < 4 * fours; k++) {
        rl_set_half(&words[k / 4 * 6 + k % 2 * 3 + row], k % 4 / 2, values[k]);
    }
    for (int32_t i = 0; i < rest; i++) {
        words[6 * fours + 3 * i + row] = (uint32_t)values[4 * fours + i];
    }
}

// The operands of one call, and its expected results.
struct three_rows_case {
    enum three_rows kind;
    struct rl_dot_3x2 job;
    int8_t low, high;
    uint32_t limits[2];
    int32_t *expected_sums;
    int8_t *expected[3];
};

static void start_3x2(struct rl_case *c, struct three_rows_case *t)
{
    struct rl_dot_3x2 *job = &t->job;
    t->kind = (enum three_rows)rl_random_in(c, SCALED, KEPT);
    job->fours = rl_random_one_in(c, 8) ? 64 : rl_random_in(c, 0, 17);
    job->rest = t->kind == SCALED ? 0 : rl_random_in(c, 0, 3);
    job->fours += job->rest == 0 && job->fours == 0 ? 1 : 0;
    const int32_t depth = 4 * job->fours + job->rest;
    job->filter_step = rl_random_one_in(c, 8) ? 0 : depth + rl_random_in(c, 0, 3);
    job->channel = rl_random_in(c, 0, 3);
    job->end = job->channel + 2 * rl_random_in(c, 1, 4);
    const bool limited = rl_random_one_in(c, 2);
    t->low = (int8_t)(limited ? rl_random_extreme(c, INT8_MIN, INT8_MAX) : INT8_MIN);
    t->high = (int8_t)(limited ? rl_random_extreme(c, t->low, INT8_MAX) : INT8_MAX);
    t->limits[0] = (uint8_t)t->low * UINT32_C(0x01010101);
    t->limits[1] = (uint8_t)t->high * UINT32_C(0x01010101);
    job->limits = limited ? t->limits : NULL;
    rl_case_begin(c, "kind %d, depth %ld, filter step %ld, channels %ld to %ld, limits %d..%d", (int)t->kind,
                  (long)depth, (long)job->filter_step, (long)job->channel, (long)job->end, t->low, t->high);
}

static void fill_3x2(struct rl_case *c, struct three_rows_case *t)
{
    struct rl_dot_3x2 *job = &t->job;
    const int32_t depth = 4 * job->fours + job->rest, first = job->channel, end = job->end;
    const bool biased = rl_random_one_in(c, 2);
    const int32_t offset = rl_random_extreme(c, -128, 127);
    job->entry = 0;
    job->values = rl_case_buffer(c, (size_t)(6 * job->fours + 3 * job->rest) * sizeof(uint32_t), 4);
    job->filter = rl_case_s8(c, (size_t)((end - 1) * job->filter_step + depth));
    const int32_t most = rl_random_one_in(c, 2) ? 255 : 1, most_start = 300 * most;
    job->bias = biased ? rl_case_s32(c, (size_t)end, -most_start, most_start) : NULL;
    job->start = rl_case_s32(c, (size_t)(3 * end), -most_start, most_start);
    job->sums = t->kind == KEPT ? rl_case_s32(c, (size_t)(3 * end), INT32_MIN, INT32_MAX) : NULL;
    struct rl_rescale *scales = rl_case_buffer(c, (size_t)(end - first) * sizeof *scales, 8);
    job->scale = t->kind == SCALED ? scales : NULL;
    job->rest_scale = scales;
    t->expected_sums = rl_case_s32(c, (size_t)(3 * end), 0, 0);
    memcpy(t->expected_sums, job->sums ? job->sums : t->expected_sums, (size_t)(12 * end));
    int32_t values[3][MOST_DEPTH];
    for (int32_t row = 0; row < 3; row++) {
        for (int32_t k = 0; k < depth; k++) {
            values[row][k] = rl_random_extreme(c, -most, most);
        }
        place_row(job->values, row, values[row], job->fours, job->rest);
        job->output[row] = rl_case_s8(c, (size_t)end);
        t->expected[row] = rl_case_s8(c, (size_t)end);
        memcpy(t->expected[row], job->output[row], (size_t)end);
    }
    for (int32_t channel = first; channel < end; channel++) {
        int32_t multiplier, shift;
        scales[channel - first] = rl_random_rescale(c, offset, &multiplier, &shift);
        for (int32_t row = 0; row < 3; row++) {
            const int32_t start = job->bias ? job->bias[channel] : job->start[3 * channel + row];
            const int32_t sum = start + rl_products(values[row], job->filter + channel * job->filter_step, depth);
            if (t->kind == KEPT) {
                t->expected_sums[3 * channel + row] = sum;
            } else {
                t->expected[row][channel] = rl_reference_output(sum, multiplier, shift, offset, t->low, t->high);
            }
        }
    }
}

static void expect_3x2(struct rl_case *c, const struct three_rows_case *t, const struct rl_dot_3x2 *job,
                       const char *what)
{
    const int32_t used = t->kind == KEPT ? 0 : t->job.end - t->job.channel;
    for (int32_t row = 0; row < 3; row++) {
        rl_case_equal_s8(c, what, t->expected[row], job->output[row], (size_t)job->end);
    }
    if (job->sums) {
        rl_case_equal_s32(c, what, t->expected_sums, job->sums, (size_t)(3 * job->end));
    }
    rl_case_expect(c, job->channel == job->end, "the channel at the end");
    const struct rl_rescale *scale = t->kind == SCALED ? job->scale : job->rest_scale;
    rl_case_expect(c, scale == t->job.rest_scale + used, "the scale behind those that were used");
}

static void test_dot_3x2(struct rl_case *c)
{
    rl_test_start(c, "dot_3x2");
    for (int i = 0; i < CASES; i++) {
        struct three_rows_case t;
        start_3x2(c, &t);
        fill_3x2(c, &t);
        struct rl_dot_3x2 job = t.job;
        rl_dot_3x2_plain(&job);
        expect_3x2(c, &t, &job, "plain output");
        // Twice, because the first call computes where the loop is entered.
        uintptr_t entry = 0;
        for (int run = 0; run < 2; run++) {
            for (int32_t row = 0; row < 3; row++) {
                memset(t.job.output[row] + t.job.channel, 99, t.kind == KEPT ? 0 : (size_t)(job.end - t.job.channel));
            }
            job = t.job;
            job.entry = entry;
            loops.dot_3x2(&job);
            expect_3x2(c, &t, &job, "output");
            entry = job.entry;
        }
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static void test_dot_1x3(struct rl_case *c)
{
    rl_test_start(c, "dot_1x3");
    for (int i = 0; i < CASES; i++) {
        const int32_t steps = rl_random_in(c, 1, 11), channels = 3 * rl_random_in(c, 1, 4);
        const bool by_words = rl_random_one_in(c, 2), in_place = rl_random_one_in(c, 2);
        const int32_t depth = by_words ? 8 * steps - 4 * rl_random_in(c, -2, 1) : 8 * steps - rl_random_in(c, -9, 7);
        rl_case_begin(c, "%ld steps, depth %ld, %ld channels, by words %d", (long)steps, (long)depth, (long)channels,
                      (int)by_words);
        uint32_t *row = rl_case_buffer(c, (size_t)(4 * steps + 4) * sizeof *row, 4);
        int32_t values[88];
        for (int32_t k = 0; k < 8 * steps; k++) {
            values[k] = rl_random_extreme(c, -255, 255);
            rl_set_half(&row[k / 4 * 2 + k % 2], k % 4 / 2, values[k]);
        }
        row[4 * steps] = RL_ROW_END;
        const size_t bytes = (size_t)((channels - 1) * depth + 8 * steps);
        int8_t *filter = rl_case_buffer(c, bytes, (size_t)(by_words ? 4 : rl_random_in(c, 0, 7)));
        rl_random_s8(c, filter, bytes);
        int32_t *sums = rl_case_s32(c, (size_t)channels, INT32_MIN, INT32_MAX);
        int32_t *start = in_place ? sums : rl_case_s32(c, (size_t)channels, INT32_MIN, INT32_MAX);
        int32_t plain[12], expected[12];
        for (int32_t f = 0; f < channels; f++) {
            expected[f] = start[f] + rl_products(values, filter + f * depth, 8 * steps);
        }
        struct rl_dot_1x3 job = {.row = row,
                                 .depth = depth,
                                 .skipped = (uint32_t)-steps & 3u,
                                 .start = start,
                                 .end = start + channels,
                                 .filter = filter,
                                 .gap = depth - 8 * steps,
                                 .sums = plain};
        rl_dot_1x3_plain(&job);
        job.sums = sums;
        loops.dot_1x3(&job);
        rl_case_equal_s32(c, "plain sums", expected, plain, (size_t)channels);
        rl_case_equal_s32(c, "sums", plain, sums, (size_t)channels);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// What struct rl_dot_pairs holds besides pointers.
struct pairs_case {
    int32_t depth, channels, offset, output_offset;
    ptrdiff_t filter_step, output_step;
    bool one_base, one_scale;
    cmsis_nn_activation limits;
};

static struct pairs_case random_pairs(struct rl_case *c)
{
    const int32_t depth = rl_random_in(c, 0, rl_random_one_in(c, 3) ? 3 : 40);
    const struct pairs_case p = {.depth = depth,
                                 .channels = rl_random_in(c, 1, 7),
                                 .offset = rl_random_extreme(c, -127, 128),
                                 .output_offset = rl_random_extreme(c, -128, 127),
                                 .filter_step = depth + rl_random_in(c, 0, 3),
                                 .output_step = rl_random_in(c, 1, 3),
                                 .one_base = rl_random_one_in(c, 3),
                                 .one_scale = rl_random_one_in(c, 3),
                                 .limits = rl_random_limits(c, INT8_MIN, INT8_MAX)};
    rl_case_begin(c, "depth %ld, %ld channels, offset %ld, output offset %ld, step %ld, limits %ld %ld", (long)depth,
                  (long)p.channels, (long)p.offset, (long)p.output_offset, (long)p.output_step, (long)p.limits.min,
                  (long)p.limits.max);
    return p;
}

static void test_dot_pairs(struct rl_case *c)
{
    rl_test_start(c, "dot_pairs");
    for (int i = 0; i < CASES; i++) {
        const struct pairs_case p = random_pairs(c);
        const size_t bytes = (size_t)((p.channels - 1) * p.output_step + 1), count = (size_t)p.channels;
        int8_t *row = rl_case_s8(c, (size_t)p.depth);
        int8_t *filter = rl_case_s8(c, (size_t)((p.channels - 1) * p.filter_step + p.depth));
        // Small sums and shifts meet ties of the rounding; sums of more than 30 bits saturate when they are doubled.
        const bool small = p.depth < 4, large = !small && rl_random_one_in(c, 4);
        const int32_t most_base = small ? 300 : 1 << 20;
        int32_t *base = rl_case_s32(c, count, -most_base, most_base);
        int32_t *multiplier = rl_case_s32(c, count, 1 << 30, small ? (1 << 30) + 1 : INT32_MAX);
        int32_t *shift = rl_case_s32(c, count, small ? -6 : -20, -1);
        int8_t *output = rl_case_s8(c, bytes), *plain = rl_case_s8(c, bytes), *expected = rl_case_s8(c, bytes);
        memcpy(plain, output, bytes);
        memcpy(expected, output, bytes);
        const int32_t most = large ? INT32_MAX - (1 << 22) : most_base;
        const int32_t constant = rl_random_extreme(c, -most, most);
        for (int32_t o = 0; o < p.channels; o++) {
            int32_t sum = constant + base[p.one_base ? 0 : o];
            for (int32_t k = 0; k < p.depth; k++) {
                sum += (row[k] + p.offset) * filter[o * p.filter_step + k];
            }
            const int32_t s = p.one_scale ? 0 : o;
            expected[o * p.output_step] =
                rl_reference_output(sum, multiplier[s], shift[s], p.output_offset, p.limits.min, p.limits.max);
        }
        const struct rl_dot_pairs start = {.row = row,
                                           .filter = filter,
                                           .depth = p.depth,
                                           .offsets = (uint16_t)p.offset * UINT32_C(0x00010001),
                                           .base = base,
                                           .base_step = p.one_base ? 0 : 4,
                                           .constant = constant,
                                           .multiplier = multiplier,
                                           .shift = shift,
                                           .scale_step = p.one_scale ? 0 : 4,
                                           .output = output,
                                           .output_step = p.output_step,
                                           .channels = p.channels,
                                           .rounding = rl_rescale_rounding(p.output_offset),
                                           .low = four_bytes(p.limits.min),
                                           .high = four_bytes(p.limits.max),
                                           .filter_step = p.filter_step};
        struct rl_dot_pairs job = start;
        job.output = plain;
        rl_dot_pairs_plain(&job);
        const ptrdiff_t advanced = job.output - plain;
        job = start;
        loops.dot_pairs(&job);
        rl_case_expect(c, p.channels % 2 != 0 || job.output - output == advanced, "the output behind the last one");
        rl_case_equal_s8(c, "plain output", expected, plain, bytes);
        rl_case_equal_s8(c, "output", plain, output, bytes);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// Products of two rows of bytes, and of pairs of int16 and int8 rows.
static void test_dot(struct rl_case *c)
{
    rl_test_start(c, "dot");
    for (int i = 0; i < CASES; i++) {
        const int32_t count = rl_random_in(c, 0, 70), offset = rl_random_extreme(c, -128, 128);
        rl_case_begin(c, "%ld values, offset %ld", (long)count, (long)offset);
        const int8_t *x = rl_case_s8(c, (size_t)count);
        const int8_t *w[2] = {rl_case_s8(c, (size_t)count), rl_case_s8(c, (size_t)count)};
        const int16_t *wide[2] = {rl_case_s16(c, (size_t)count), rl_case_s16(c, (size_t)count)};
        const int32_t *values = rl_case_widen_s8(c, x, (size_t)count, offset);
        const int32_t expected = rl_products(values, w[0], count), plain = rl_plain_dot_s8_s8(x, offset, w[0], count);
        const int32_t sum = loops.dot_s8_s8(x, offset, w[0], count);
        rl_case_equal_s32(c, "plain sum", &expected, &plain, 1);
        rl_case_equal_s32(c, "sum", &plain, &sum, 1);
        int32_t plain_sums[4], *sums = rl_case_s32(c, 4, INT32_MIN, INT32_MAX);
        rl_plain_dot_s16_s8_2x2(wide[0], wide[1], w[0], w[1], count, plain_sums);
        loops.dot_s16_s8_2x2(wide[0], wide[1], w[0], w[1], count, sums);
        rl_case_equal_s32(c, "2x2 sums", plain_sums, sums, 4);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static void test_expand_run(struct rl_case *c)
{
    rl_test_start(c, "expand_run");
    for (int i = 0; i < CASES; i++) {
        const int32_t fours = rl_random_in(c, 0, 18), rest = rl_random_in(c, 0, 3), count = 4 * fours + rest;
        const int32_t offset = rl_random_extreme(c, -127, 128);
        const uint32_t offsets = (uint16_t)offset * UINT32_C(0x00010001);
        rl_case_begin(c, "%ld values, offset %ld", (long)count, (long)offset);
        const size_t words = (size_t)(6 * fours + 3 * rest);
        const int8_t *from = rl_case_s8(c, (size_t)count);
        const int32_t *wide = rl_case_widen_s8(c, from, (size_t)count, offset);
        uint32_t *values = rl_case_buffer(c, words * sizeof *values, 4);
        uint32_t *plain = rl_case_buffer(c, words * sizeof *values, 4);
        uint32_t *expected = rl_case_buffer(c, words * sizeof *values, 4);
        memcpy(plain, values, words * sizeof *values);
        memcpy(expected, values, words * sizeof *values);
        place_row(expected, 0, wide, fours, rest);
        rl_case_expect(c, rl_expand_run_plain(from, count, plain, offsets) == plain + words,
                       "the end from the plain form");
        rl_case_expect(c, loops.expand_run(from, count, values, offsets) == values + words, "the end");
        rl_case_equal_s32(c, "plain words", (int32_t *)expected, (int32_t *)plain, words);
        rl_case_equal_s32(c, "words", (int32_t *)plain, (int32_t *)values, words);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static void test_expand_rounds(struct rl_case *c)
{
    rl_test_start(c, "expand_rounds");
    for (int i = 0; i < CASES; i++) {
        const int32_t rounds = rl_random_in(c, 1, 6), count = rounds * RL_EXPAND_STEP;
        const int32_t offset = rl_random_extreme(c, -127, 128);
        const uint32_t offsets = (uint16_t)offset * UINT32_C(0x00010001);
        rl_case_begin(c, "%ld values, offset %ld", (long)count, (long)offset);
        const size_t words = (size_t)(count / 2);
        const int8_t *row = rl_case_s8(c, (size_t)count);
        uint32_t *values = rl_case_buffer(c, words * sizeof *values, 4);
        uint32_t *plain = rl_case_buffer(c, words * sizeof *values, 4);
        uint32_t *expected = rl_case_buffer(c, words * sizeof *values, 4);
        for (int32_t k = 0; k < count; k++) {
            rl_set_half(&expected[k / 4 * 2 + k % 2], k % 4 / 2, row[k] + offset);
        }
        const uint32_t *end = rl_expand_rounds_plain(row, rounds, offsets, plain);
        rl_case_expect(c, end == plain + words, "the end from the plain form");
        rl_case_expect(c, loops.expand_rounds(row, rounds, offsets, values) == values + words, "the end");
        rl_case_equal_s32(c, "plain words", (int32_t *)expected, (int32_t *)plain, words);
        rl_case_equal_s32(c, "words", (int32_t *)plain, (int32_t *)values, words);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

int main(void)
{
    static struct rl_case c;
    test_dot_3x2(&c);
    test_dot_1x3(&c);
    test_dot_pairs(&c);
    test_dot(&c);
    test_expand_run(&c);
    test_expand_rounds(&c);
    return rl_test_finish(&c);
}
