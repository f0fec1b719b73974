// SPDX-License-Identifier: Apache-2.0
// The loops of scalar cores over packed rows, as loops_scalar_test.c has the others.
#include "loops_plain.h"
#include "scalar/packed_dot.h"
#include "scalar/packed_filters.h"
#include "scalar/packed_outputs.h"
#include "scalar/packed_six.h"
#include "support/kernel_test.h"

#include <string.h>

enum { CASES = 400 };

// The sum of x[k] * w[k] modulo 2^32.
static uint32_t products(const int8_t *x, const int8_t *w, int32_t count)
{
    uint32_t sum = 0;
    for (int32_t k = 0; k < count; k++) {
        sum += (uint32_t)(x[k] * w[k]);
    }
    return sum;
}

// The sums of the four rows out of those of packed words.
static void unpack(const struct rl_packed_sums *sums, int32_t channels, int32_t *rows)
{
    for (int32_t i = 0; i < channels; i++, rows += 4) {
        rows[0] = rl_packed_first(&sums[i], 0);
        rows[1] = rl_packed_second(&sums[i], 0);
        rows[2] = rl_packed_first(&sums[i], 1);
        rows[3] = rl_packed_second(&sums[i], 1);
    }
}

static void test_packed_dot(struct rl_case *c)
{
    rl_test_start(c, "packed_dot");
    for (int i = 0; i < CASES; i++) {
        const int32_t pairs = rl_random_in(c, 1, 20), channels = rl_random_in(c, 1, 5), depth = 2 * pairs;
        const int32_t step = depth + rl_random_in(c, 0, 5);
        rl_case_begin(c, "%ld pairs, %ld channels, step %ld", (long)pairs, (long)channels, (long)step);
        int8_t *rows[4];
        for (int r = 0; r < 4; r++) {
            rows[r] = rl_case_s8(c, (size_t)depth);
        }
        uint32_t *words = rl_case_buffer(c, (size_t)(4 * pairs) * sizeof *words, 4);
        for (int32_t k = 0; k < depth; k++) {
            words[k / 2 * 4 + k % 2] = rl_packed_word(rows[0][k], rows[1][k]);
            words[k / 2 * 4 + k % 2 + 2] = rl_packed_word(rows[2][k], rows[3][k]);
        }
        const int8_t *filter = rl_case_s8(c, (size_t)((channels - 1) * step + depth));
        const size_t bytes = (size_t)channels * sizeof(struct rl_packed_sums);
        struct rl_packed_sums *sums = rl_case_buffer(c, bytes, 4), *plain = rl_case_buffer(c, bytes, 8);
        int32_t expected[20], unpacked[20];
        for (int32_t channel = 0; channel < channels; channel++) {
            const int32_t bias = rl_random_extreme(c, INT32_MIN, INT32_MAX);
            sums[channel] = rl_packed_start(bias, pairs);
            for (int r = 0; r < 4; r++) {
                const uint32_t sum = products(rows[r], filter + channel * step, depth);
                expected[4 * channel + r] = (int32_t)((uint32_t)bias + sum);
            }
        }
        memcpy(plain, sums, bytes);
        rl_plain_packed_dot(words, pairs, filter, step, plain, channels);
        rl_packed_dot(words, pairs, filter, step, sums, channels);
        unpack(plain, channels, unpacked);
        rl_case_equal_s32(c, "plain sums", expected, unpacked, (size_t)(4 * channels));
        rl_case_equal_s32(c, "packed sums", (const int32_t *)plain, (const int32_t *)sums, bytes / sizeof(int32_t));
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// The last of up to four rows stands for those that are missing. Small sums meet ties of the rounding.
static void test_packed_outputs(struct rl_case *c)
{
    rl_test_start(c, "packed_outputs");
    for (int i = 0; i < CASES; i++) {
        const int32_t depth = rl_random_in(c, 2, rl_random_one_in(c, 3) ? 9 : 40), channels = rl_random_in(c, 1, 5);
        const int32_t count = rl_random_in(c, 1, 4), stride = channels + rl_random_in(c, 0, 3);
        const int32_t offset = rl_random_extreme(c, -128, 127), most = rl_random_one_in(c, 2) ? 1 << 28 : 300;
        const cmsis_nn_activation limits = rl_random_one_in(c, 2) ? (cmsis_nn_activation){INT8_MIN, INT8_MAX}
                                                                  : rl_random_limits(c, INT8_MIN, INT8_MAX);
        rl_case_begin(c, "%ld values, %ld channels, %ld rows, offset %ld, limits %ld %ld", (long)depth, (long)channels,
                      (long)count, (long)offset, (long)limits.min, (long)limits.max);
        struct rl_packed_rows rows = {.count = count};
        for (int32_t r = 0; r < 4; r++) {
            rows.row[r] = r < count ? rl_case_s8(c, (size_t)depth) : rows.row[count - 1];
            rows.output[r] = rl_min_s32(r, count - 1) * stride;
        }
        uint32_t *words = rl_case_buffer(c, (size_t)(2 * depth) * sizeof *words, 4);
        for (int32_t k = 0; k < depth; k++) {
            const bool single = k == depth - 1 && k % 2 == 0;
            words[k / 2 * 4 + k % 2] = rl_packed_word(rows.row[0][k], rows.row[1][k]);
            words[k / 2 * 4 + k % 2 + (single ? 1 : 2)] = rl_packed_word(rows.row[2][k], rows.row[3][k]);
        }
        const size_t bytes = (size_t)((count - 1) * stride + channels);
        int8_t *output = rl_case_s8(c, bytes), *plain = rl_case_s8(c, bytes), *expected = rl_case_s8(c, bytes);
        memcpy(plain, output, bytes);
        memcpy(expected, output, bytes);
        struct rl_rescale scales[5];
        struct rl_matmul m = {.filter = rl_case_s8(c, (size_t)(channels * depth)),
                              .depth = depth,
                              .channels = channels,
                              .output_offset = offset,
                              .output_min = limits.min,
                              .output_max = limits.max,
                              .bias = rl_case_s32(c, (size_t)channels, -most, most),
                              .scale = scales};
        for (int32_t channel = 0; channel < channels; channel++) {
            const int32_t multiplier = rl_random_one_in(c, 3) ? 1 << 30 : rl_random_extreme(c, 1 << 30, INT32_MAX);
            const int32_t shift = rl_random_in(c, -22, -1);
            rl_case_expect(c, rl_rescale_init(offset, multiplier, shift, &scales[channel]), "a usual scale");
            for (int32_t r = 0; r < count; r++) {
                const uint32_t sum = products(rows.row[r], m.filter + channel * depth, depth);
                expected[r * stride + channel] = rl_reference_output((int32_t)sum + m.bias[channel], multiplier, shift,
                                                                     offset, limits.min, limits.max);
            }
        }
        rl_plain_packed_outputs(&m, &rows, words, plain);
        rl_packed_outputs(&m, &rows, words, output);
        rl_case_equal_s8(c, "plain output", expected, plain, bytes);
        rl_case_equal_s8(c, "output", plain, output, bytes);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// Six rows or three, with filters at any address. Rows of -128 times filters of -128 or 127, or as many more as weigh
// as much, meet the ends of the range. Sums start from themselves, from a value of each filter, or from those of rows.
static void test_packed_six(struct rl_case *c)
{
    rl_test_start(c, "packed_six");
    for (int i = 0; i < CASES; i++) {
        const bool three = rl_random_one_in(c, 3), ends = rl_random_one_in(c, 4), small = rl_random_one_in(c, 4);
        const int32_t usual = ends ? RL_SIX_DEPTH : rl_random_in(c, 1, rl_random_one_in(c, 3) ? 5 : RL_SIX_DEPTH);
        const int32_t count = small ? rl_random_in(c, RL_SIX_DEPTH + 1, 200) : usual;
        const int32_t lightest = small ? -(RL_SIX_WEIGHTS / count) : -128, heaviest = small ? -lightest : 127;
        const int32_t channels = rl_random_in(c, 1, 5), step = count + rl_random_in(c, 0, 5);
        const int32_t each = three ? 2 : 4, odd = rl_random_in(c, 0, 3);
        const int32_t from = RL_SMALL ? 0 : rl_random_in(c, RL_SIX_FROM_SUMS, RL_SIX_FROM_SHARED);
        rl_case_begin(c, "%s rows, %ld values, %ld channels, step %ld, odd by %ld, start %ld", three ? "three" : "six",
                      (long)count, (long)channels, (long)step, (long)odd, (long)from);
        const int8_t *rows[6];
        for (int r = 0; r < 6; r++) {
            int8_t *row = rl_case_s8(c, (size_t)count);
            if (ends) {
                memset(row, r % 2 == 0 ? -128 : 127, (size_t)count);
            }
            rows[r] = row;
        }
        const size_t words_count = (size_t)((count + RL_SIX_BEHIND) * each);
        uint32_t *words = rl_case_buffer(c, words_count * sizeof *words, 4);
        memset(words, 0, words_count * sizeof *words);
        rl_pack_three(rows, 0, count, each, words);
        if (!three) {
            rl_pack_three(rows + 3, 0, count, each, words + 2);
        }
        // Words around the filters belong to their memory.
        const size_t filter_bytes = (size_t)((channels - 1) * step + count);
        int8_t *memory = rl_case_buffer(c, filter_bytes + 8, 4), *filter = memory + odd;
        for (size_t k = 0; k < filter_bytes; k++) {
            const int32_t end = k % 2 == 0 || odd < 2 ? lightest : heaviest;
            filter[k] = (int8_t)(ends ? end : rl_random_extreme(c, lightest, heaviest));
        }
        const size_t sums_count = (size_t)(6 * channels);
        int32_t *sums = rl_case_s32(c, sums_count, INT32_MIN, INT32_MAX), *plain = rl_case_s32(c, sums_count, 0, 0);
        const int32_t *starts = rl_case_s32(c, 6, INT32_MIN, INT32_MAX);
        int32_t expected[30];
        memcpy(plain, sums, sums_count * sizeof *sums);
        memcpy(expected, sums, sums_count * sizeof *sums);
        for (int32_t channel = 0; channel < channels; channel++) {
            for (int r = 0; r < (three ? 3 : 6); r++) {
                int32_t *sum = &expected[6 * channel + r];
                if (from != RL_SIX_FROM_SUMS) {
                    *sum = starts[from == RL_SIX_FROM_EACH ? channel : r];
                }
                *sum = (int32_t)((uint32_t)*sum + products(rows[r], filter + channel * step, count));
            }
        }
        const struct rl_packed_six start = {words, words + count * each, filter, step, sums, sums + sums_count, starts};
        struct rl_packed_six job = start;
        job.sums = plain;
        job.sums_end = plain + sums_count;
        rl_plain_packed_six(&job, three, from);
        job = start;
        rl_packed_six(&job, three, (enum rl_six_start)from);
        for (size_t k = 0; three && from != RL_SIX_FROM_SUMS && k < sums_count; k++) {
            sums[k] = k % 6 < 3 ? sums[k] : plain[k]; // the others are undefined
        }
        rl_case_equal_s32(c, "plain sums", expected, plain, sums_count);
        rl_case_equal_s32(c, "sums", plain, sums, sums_count);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// Scales of one kind or another, and sums at the limit between two outputs or beyond all limits.
static void test_packed_store(struct rl_case *c)
{
    enum { ROWS = sizeof(struct rl_row_sums) / sizeof(int32_t), CHANNELS = 4 };
    rl_test_start(c, "packed_store");
    for (int i = 0; i < 4 * CASES; i++) {
        const int32_t count = rl_random_in(c, 1, ROWS), channels = rl_random_in(c, 1, CHANNELS);
        const int32_t stride = channels + rl_random_in(c, 0, 3), offset = rl_random_extreme(c, -128, 127);
        const bool one_scale = rl_random_one_in(c, 3);
        const cmsis_nn_activation limits = rl_random_limits(c, INT8_MIN, INT8_MAX);
        rl_case_begin(c, "%ld rows, %ld channels, offset %ld, limits %ld %ld", (long)count, (long)channels,
                      (long)offset, (long)limits.min, (long)limits.max);
        const struct rl_packed_rows rows = {.count = count, .output = {0, stride, 2 * stride, 3 * stride}};
        const size_t bytes = (size_t)((count - 1) * stride + channels);
        int8_t *output = rl_case_s8(c, bytes), *expected = rl_case_s8(c, bytes);
        memcpy(expected, output, bytes);
        struct rl_rescale scales[CHANNELS];
        int32_t *sums = rl_case_s32(c, CHANNELS * ROWS, 0, 0);
        for (int32_t k = 0; k < channels; k++) {
            const int32_t multiplier = rl_random_extreme(c, 1 << 30, INT32_MAX), shift = rl_random_in(c, -22, -1);
            if (k == 0 || !one_scale) {
                rl_case_expect(c, rl_rescale_init(offset, multiplier, shift, &scales[k]), "a usual scale");
            } else {
                scales[k] = scales[0];
            }
            for (int32_t r = 0; r < ROWS; r++) {
                const int64_t half = (int64_t)(2 * rl_random_in(c, -260, 260) + 1) *
                                     (INT64_C(1) << (30 + scales[k].right_shift)) / scales[k].multiplier;
                const int64_t near = half + rl_random_in(c, -3, 3), most = 1 << 29;
                const bool is_near = near >= -most && near <= most && !rl_random_one_in(c, 3);
                sums[k * ROWS + r] = is_near ? (int32_t)near : rl_random_extreme(c, -(1 << 29), 1 << 29);
                if (r < count) {
                    expected[r * stride + k] =
                        rl_reference_output(sums[k * ROWS + r], scales[k].multiplier, -scales[k].right_shift, offset,
                                            limits.min, limits.max);
                }
            }
        }
        if (rl_packed_rows_store(scales, one_scale, limits.min, limits.max, channels,
                                 (const struct rl_row_sums *)(const void *)sums, &rows, output)) {
            rl_case_equal_s8(c, "output", expected, output, bytes);
        }
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// Layers of few channels, whose filters are packed on a Cortex-M0.
static void test_packed_filters(struct rl_case *c)
{
    enum { CHANNELS = 14 };
    rl_test_start(c, "packed_filters");
    for (int i = 0; i < CASES; i++) {
        const int32_t depth = rl_random_in(c, 1, rl_random_one_in(c, 3) ? 150 : 70);
        const int32_t channels = rl_random_in(c, 1, CHANNELS), count = rl_random_in(c, 12, 70);
        const int32_t step = depth + rl_random_in(c, 0, 3), stride = channels + rl_random_in(c, 0, 3);
        const int32_t offset = rl_random_extreme(c, -128, 127), odd = rl_random_in(c, 0, 3);
        const cmsis_nn_activation limits = rl_random_limits(c, INT8_MIN, INT8_MAX);
        rl_case_begin(c, "%ld rows of %ld, %ld apart, %ld channels, odd by %ld", (long)count, (long)depth, (long)step,
                      (long)channels, (long)odd);
        const int8_t *rows = (int8_t *)rl_case_buffer(c, (size_t)(count * step) + 8, 4) + odd;
        for (int32_t k = 0; k < count * step; k++) {
            ((int8_t *)(uintptr_t)rows)[k] = (int8_t)rl_random_extreme(c, INT8_MIN, INT8_MAX);
        }
        const bool small = rl_random_one_in(c, 2);
        const int32_t heaviest = small ? RL_SIX_WEIGHTS / 150 : 128;
        struct rl_rescale scales[CHANNELS];
        struct rl_matmul m = {.filter = rl_case_s8(c, (size_t)(channels * depth)),
                              .depth = depth,
                              .channels = channels,
                              .output_offset = offset,
                              .output_min = limits.min,
                              .output_max = limits.max,
                              .simple = true,
                              .rows.part = small ? 152 : 0,
                              .bias = rl_case_s32(c, (size_t)channels, -3000, 3000),
                              .scale = scales,
                              .work = rl_case_buffer(c, 155 * 16, 4)};
        for (int32_t k = 0; small && k < channels * depth; k++) {
            ((int8_t *)(uintptr_t)m.filter)[k] = (int8_t)rl_random_in(c, -heaviest, heaviest);
        }
        const size_t bytes = (size_t)((count - 1) * stride + channels);
        int8_t *output = rl_case_s8(c, bytes), *expected = rl_case_s8(c, bytes);
        memcpy(expected, output, bytes);
        for (int32_t k = 0; k < channels; k++) {
            const int32_t multiplier = rl_random_extreme(c, 1 << 30, INT32_MAX), shift = rl_random_in(c, -22, -1);
            rl_case_expect(c, rl_rescale_init(offset, multiplier, shift, &scales[k]), "a usual scale");
            for (int32_t r = 0; r < count; r++) {
                const uint32_t sum = products(rows + r * step, m.filter + k * depth, depth);
                expected[r * stride + k] =
                    rl_reference_output((int32_t)sum + m.bias[k], multiplier, shift, offset, limits.min, limits.max);
            }
        }
        if (rl_filters_run(&m, rows, step, count, output, stride)) {
            rl_case_equal_s8(c, "output", expected, output, bytes);
        }
        rl_case_end(c);
    }
    rl_test_stop(c);
}

int main(void)
{
    static struct rl_case c;
    test_packed_dot(&c);
    test_packed_outputs(&c);
    test_packed_six(&c);
    test_packed_store(&c);
    test_packed_filters(&c);
    return rl_test_finish(&c);
}
