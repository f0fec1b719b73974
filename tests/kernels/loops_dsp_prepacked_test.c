// SPDX-License-Identifier: Apache-2.0
// The loops of kernels/dsp for prepacked weights: the plain form of each against the definition on every core, and the
// assembler against the definition on the cores that have these instructions.
#include "dsp/dot_2x4_plain.h"
#include "dsp/dot_row_plain.h"
#include "dsp/dot_winograd_plain.h"
#include "dsp/expand_row_plain.h"
#include "isa.h"
#include "loops_dsp.h"

#include <string.h>

#if RL_HAS_DSP
#include "dsp/dot_2x4.h"
#include "dsp/dot_row.h"
#include "dsp/dot_winograd.h"
#include "dsp/expand_row.h"
#endif

// The loops that are compared with the plain forms: the assembler, or on other cores the plain forms themselves.
struct loops {
    void (*dot_2x4)(struct rl_dot_2x4 *job);
    void (*dot_row)(const struct rl_dot_row *job);
    void (*dot_winograd)(struct rl_dot_winograd *job);
    uint32_t *(*expand_two_rows)(const int8_t *first, const int8_t *second, int32_t count, uint32_t *values,
                                 int32_t starts[2]);
};

static const struct loops loops = {
#if RL_HAS_DSP
    rl_dot_2x4,
    rl_dot_row,
    rl_dot_winograd,
    rl_expand_two_rows,
#else
    rl_dot_2x4_plain,
    rl_dot_row_plain,
    rl_dot_winograd_plain,
    rl_expand_two_rows_plain,
#endif
};

enum { CASES = 300, MOST_DEPTH = 260 };

// The values of a row as dot_2x4_plain.h describes them.
static void place_row_of_two(uint32_t *words, int32_t row, const int32_t *values, int32_t fours, int32_t rest)
{
    for (int32_t k = 0; k < 4 * fours; k++) {
        rl_set_half(&words[k / 4 * 4 + k % 2 * 2 + row], k % 4 / 2, values[k]);
    }
    for (int32_t i = 0; i < rest; i++) {
        words[4 * fours + 2 * i + row] = (uint32_t)values[4 * fours + i];
    }
}

// The operands of one call, and its expected results: sums as registers hold them, and outputs.
struct two_rows_case {
    struct rl_dot_2x4 job;
    int32_t groups;
    int32_t *expected_sums;
    int8_t *output[2], *expected[2];
};

// Fills the weights and the expected sums of a group. In `values`, rows are MOST_DEPTH apart.
static void fill_group(struct rl_case *c, struct two_rows_case *t, int32_t group, int8_t *packed, const int32_t *values,
                       int32_t sums[4][2])
{
    const int32_t depth = 4 * t->job.fours + t->job.rest;
    int8_t *filters = rl_case_s8(c, (size_t)(4 * depth));
    for (int32_t filter = 0; filter < 4; filter++) {
        for (int32_t k = 0; k < depth; k++) {
            packed[rl_prepacked_place(depth, filter, k)] = rl_prepacked_byte(filters[filter * depth + k], filter);
        }
        for (int32_t row = 0; row < 2; row++) {
            sums[filter][row] = rl_products(values + row * MOST_DEPTH, filters + filter * depth, depth);
        }
    }
    for (int32_t row = 0; row < 2; row++) {
        for (int32_t i = 0; i < 4; i++) {
            // Two filters in one, and the first of them, which lacks nothing but the bias of 128.
            const int32_t both = sums[i & 2][row] + 256 * sums[(i & 2) + 1][row], first = sums[i & 2][row];
            const int32_t at = RL_GROUP_SUMS * group + 4 * (i >> 1) + 2 * (i & 1) + row;
            const int32_t start = t->job.start ? t->job.start[at] : 0;
            t->expected_sums[at] = start + ((i & 1) == 0 ? both : first);
        }
    }
}

static void fill_2x4(struct rl_case *c, struct two_rows_case *t)
{
    struct rl_dot_2x4 *job = &t->job;
    memset(job, 0, sizeof *job);
    job->fours = rl_random_one_in(c, 8) ? 64 : rl_random_in(c, 1, 17);
    job->rest = rl_random_in(c, 0, 3);
    t->groups = rl_random_in(c, 1, 3);
    const bool keeps = rl_random_one_in(c, 2), continues = keeps && rl_random_one_in(c, 2);
    const int32_t depth = 4 * job->fours + job->rest;
    job->gap = rl_random_one_in(c, 2) ? 4 * rl_random_in(c, 0, 9) : 0;
    const bool limited = rl_random_one_in(c, 2);
    const int32_t low = limited ? rl_random_extreme(c, -128, 127) : INT8_MIN;
    const int32_t high = limited ? rl_random_extreme(c, low, 127) : INT8_MAX;
    job->low = limited ? (uint8_t)low * UINT32_C(0x01010101) : 0; // not read without limits
    job->high = limited ? (uint8_t)high * UINT32_C(0x01010101) : 0;
    job->special = (job->rest != 0 || job->gap != 0 || keeps) | (limited ? RL_DOT_2X4_LIMITED : 0);
    rl_case_begin(c, "depth %ld, gap %ld, %ld groups, %s, %s, limits %ld..%ld", (long)depth, (long)job->gap,
                  (long)t->groups, keeps ? "keeps sums" : "outputs", continues ? "continues" : "starts", (long)low,
                  (long)high);
    uint32_t *words = rl_case_buffer(c, (size_t)(4 * job->fours + 2 * job->rest) * sizeof *words, 4);
    const size_t sums = (size_t)(RL_GROUP_SUMS * t->groups);
    int8_t *packed = rl_case_s8(c, (size_t)(t->groups * 4 * depth + (t->groups - 1) * job->gap));
    struct rl_prepacked_channel *scales = rl_case_buffer(c, (size_t)(4 * t->groups) * sizeof *scales, 8);
    job->start = continues ? rl_case_s32(c, sums, -9000, 9000) : NULL;
    job->sums = keeps ? rl_case_s32(c, sums, 0, 0) : NULL;
    t->expected_sums = rl_case_s32(c, sums, 0, 0);
    int32_t values[2 * MOST_DEPTH];
    job->second = 4 * t->groups + rl_random_in(c, 0, 9);
    int8_t *output = rl_case_s8(c, (size_t)(job->second + 4 * t->groups));
    for (int32_t row = 0; row < 2; row++) {
        job->row_start[row] = 0;
        for (int32_t k = 0; k < depth; k++) {
            values[row * MOST_DEPTH + k] = rl_random_extreme(c, -128, 127);
            job->row_start[row] -= 128 * values[row * MOST_DEPTH + k];
        }
        place_row_of_two(words, row, values + row * MOST_DEPTH, job->fours, job->rest);
        t->output[row] = output + row * job->second;
        t->expected[row] = rl_case_s8(c, (size_t)(4 * t->groups));
        memcpy(t->expected[row], t->output[row], (size_t)(4 * t->groups));
    }
    job->values = words;
    job->filter = packed;
    job->scale = scales;
    job->output = output;
    // The last group may compute outputs of the one before it again.
    job->again = RL_SMALL || t->groups == 1 ? 0 : rl_random_in(c, 0, 3);
    job->end = output + 4 * (t->groups - (job->again != 0));
    for (int32_t group = 0; group < t->groups; group++) {
        int32_t found[4][2];
        fill_group(c, t, group, packed + group * (4 * depth + job->gap), values, found);
        for (int32_t i = 0; i < 4; i++) {
            const int32_t offset = rl_random_extreme(c, -128, 127), bias = rl_random_extreme(c, -9000, 9000);
            int32_t multiplier, shift;
            scales[4 * group + i] =
                (struct rl_prepacked_channel){2 * bias, rl_random_rescale(c, offset, &multiplier, &shift)};
            for (int32_t row = 0; !keeps && row < 2; row++) {
                t->expected[row][4 * group + i - (group == t->groups - 1 ? job->again : 0)] =
                    rl_reference_output(bias + found[i][row], multiplier, shift, offset, low, high);
            }
        }
    }
}

static void expect_2x4(struct rl_case *c, const struct two_rows_case *t, const struct rl_dot_2x4 *job, const char *what)
{
    for (int32_t row = 0; row < 2; row++) {
        rl_case_equal_s8(c, what, t->expected[row], t->output[row], (size_t)(4 * t->groups));
    }
    rl_case_expect(c, job->output == t->output[0] + 4 * t->groups - job->again, "the end of the outputs");
    if (job->sums) {
        rl_case_equal_s32(c, what, t->expected_sums, t->job.sums, (size_t)(RL_GROUP_SUMS * t->groups));
        rl_case_expect(c, job->sums == t->job.sums + RL_GROUP_SUMS * t->groups, "the end of the sums");
    }
}

static void test_dot_2x4(struct rl_case *c)
{
    rl_test_start(c, "dot_2x4");
    for (int i = 0; i < CASES; i++) {
        struct two_rows_case t;
        fill_2x4(c, &t);
        struct rl_dot_2x4 job = t.job;
        rl_dot_2x4_plain(&job);
        expect_2x4(c, &t, &job, "plain");
        // Twice, because the first call computes where the loop is entered.
        struct rl_dot_2x4 entered = {0};
        for (int run = 0; run < 2; run++) {
            for (int32_t row = 0; row < 2; row++) {
                memset(t.output[row], 99, t.job.sums ? 0 : (size_t)(4 * t.groups - t.job.again));
            }
            job = t.job;
            job.entry = entered.entry;
            job.begin = entered.begin;
            loops.dot_2x4(&job);
            expect_2x4(c, &t, &job, "assembler");
            entered = job;
        }
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static void test_dot_row(struct rl_case *c)
{
    rl_test_start(c, "dot_row");
    for (int i = 0; i < CASES; i++) {
        const int32_t fours = rl_random_one_in(c, 8) ? 64 : rl_random_in(c, 1, 17), rest = rl_random_in(c, 0, 3);
        const int32_t depth = 4 * fours + rest, channels = 4 * rl_random_in(c, 1, 4), gap = 4 * rl_random_in(c, 0, 3);
        rl_case_begin(c, "depth %ld, %ld channels, gap %ld", (long)depth, (long)channels, (long)gap);
        int8_t *filters = rl_case_s8(c, (size_t)(channels * depth));
        int8_t *packed = rl_case_s8(c, (size_t)(channels * depth + (channels / 4 - 1) * gap));
        int32_t *start = rl_case_s32(c, (size_t)channels, -300000, 300000);
        int32_t *sums = rl_case_s32(c, (size_t)channels, 0, 0), *expected = rl_case_s32(c, (size_t)channels, 0, 0);
        uint32_t *row = rl_case_buffer(c, (size_t)(2 * fours + rest) * sizeof *row, 4);
        int32_t values[MOST_DEPTH];
        struct rl_dot_row job = {.row = row,
                                 .filter = packed,
                                 .start = rl_random_one_in(c, 2) ? sums : start,
                                 .sums = sums,
                                 .gap = gap,
                                 .fours = fours,
                                 .rest = rest};
        job.end = job.start + channels;
        for (int32_t k = 0; k < depth; k++) {
            values[k] = rl_random_extreme(c, -128, 127);
            job.row_start -= 128 * values[k];
            if (k < 4 * fours) {
                rl_set_half(&row[k / 4 * 2 + k % 2], k % 4 / 2, values[k]);
            } else {
                row[k - 2 * fours] = (uint32_t)values[k];
            }
        }
        for (int32_t f = 0; f < channels; f++) {
            int8_t *group = packed + f / 4 * (4 * depth + gap);
            for (int32_t k = 0; k < depth; k++) {
                group[rl_prepacked_place(depth, f % 4, k)] = rl_prepacked_byte(filters[f * depth + k], f % 4);
            }
            sums[f] = start[f];
            expected[f] = start[f] + rl_products(values, filters + f * depth, depth);
        }
        rl_dot_row_plain(&job);
        rl_case_equal_s32(c, "plain sums", expected, sums, (size_t)channels);
        memcpy(sums, start, (size_t)channels * sizeof *sums);
        loops.dot_row(&job);
        rl_case_equal_s32(c, "sums", expected, sums, (size_t)channels);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static void test_expand_two_rows(struct rl_case *c)
{
    rl_test_start(c, "expand_two_rows");
    for (int i = 0; i < CASES; i++) {
        const int32_t count = rl_random_in(c, 1, 75), fours = count / 4, rest = count % 4;
        rl_case_begin(c, "%ld values", (long)count);
        const size_t words = (size_t)(4 * fours + 2 * rest);
        uint32_t *values = rl_case_buffer(c, words * sizeof *values, 4);
        uint32_t *plain = rl_case_buffer(c, words * sizeof *values, 4);
        uint32_t *expected = rl_case_buffer(c, words * sizeof *values, 4);
        const int8_t *rows[2];
        int32_t starts[2] = {5, -7}, plain_starts[2] = {5, -7}, expected_starts[2] = {5, -7};
        for (int32_t row = 0; row < 2; row++) {
            rows[row] = rl_case_s8(c, (size_t)count);
            const int32_t *wide = rl_case_widen_s8(c, rows[row], (size_t)count, 0);
            place_row_of_two(expected, row, wide, fours, rest);
            for (int32_t k = 0; k < count; k++) {
                expected_starts[row] -= 128 * wide[k];
            }
        }
        const uint32_t *plain_end = rl_expand_two_rows_plain(rows[0], rows[1], count, plain, plain_starts);
        rl_case_expect(c, plain_end == plain + words, "the end from the plain form");
        const uint32_t *end = loops.expand_two_rows(rows[0], rows[1], count, values, starts);
        rl_case_expect(c, end == values + words, "the end");
        rl_case_equal_s32(c, "plain words", (int32_t *)expected, (int32_t *)plain, words);
        rl_case_equal_s32(c, "words", (int32_t *)expected, (int32_t *)values, words);
        rl_case_equal_s32(c, "plain starts", expected_starts, plain_starts, 2);
        rl_case_equal_s32(c, "starts", expected_starts, starts, 2);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// Both forms against sums of all products up to a position, with values that the transforms can give.
static void test_dot_winograd(struct rl_case *c)
{
    rl_test_start(c, "dot_winograd");
    for (int i = 0; i < CASES / 3; i++) {
        const int32_t channels = 8 * rl_random_in(c, 1, 5), count = RL_WINOGRAD_POSITIONS * channels;
        rl_case_begin(c, "%ld channels", (long)channels);
        // The assembler of a Cortex-M7 loads two words behind the values.
        uint32_t *values = rl_case_buffer(c, (size_t)(count + 2) * sizeof *values, 4);
        uint32_t *weights = rl_case_buffer(c, (size_t)(2 * count) * sizeof *weights, 4);
        int32_t *sums = rl_case_s32(c, 128, 0, 0), *expected = rl_case_s32(c, 128, 0, 0);
        for (int32_t k = 0; k < 2 * count; k++) {
            rl_set_half(&values[k / 2], k % 2, rl_random_extreme(c, -512, 508));
        }
        for (int32_t k = 0; k < 4 * count; k++) {
            rl_set_half(&weights[k / 2], k % 2, rl_random_extreme(c, -1152, 1143));
        }
        for (int32_t at = 0; at < 128; at++) {
            const int32_t position = at / 8, filter = at / 2 % 4, tile = at % 2;
            expected[at] = position > 0 ? expected[at - 8] : 0;
            for (int32_t k = 0; k < channels / 2; k++) {
                const int32_t pair = position * channels / 2 + k;
                const uint32_t value = values[2 * pair + tile], weight = weights[4 * pair + filter];
                expected[at] += (int16_t)value * (int16_t)weight + (int16_t)(value >> 16) * (int16_t)(weight >> 16);
            }
        }
        struct rl_dot_winograd job = {values, weights, sums, channels};
        rl_dot_winograd_plain(&job);
        rl_case_equal_s32(c, "plain", expected, sums, 128);
        rl_case_expect(c, job.weights == weights + 2 * count, "the end of the weights");
        memset(sums, 99, 128 * sizeof *sums);
        job = (struct rl_dot_winograd){values, weights, sums, channels};
        loops.dot_winograd(&job);
        rl_case_equal_s32(c, "assembler", expected, sums, 128);
        rl_case_expect(c, job.weights == weights + 2 * count, "the end of the weights");
        rl_case_end(c);
    }
    rl_test_stop(c);
}

int main(void)
{
    static struct rl_case c;
    test_dot_2x4(&c);
    test_dot_row(&c);
    test_dot_winograd(&c);
    test_expand_two_rows(&c);
    return rl_test_finish(&c);
}
