// SPDX-License-Identifier: Apache-2.0
// The loops of kernels/mve that read windows in place: the plain form of each against the definition on every core, and
// the assembler against the plain form on the cores that have Helium.
#include "isa.h"
#include "mve/dot_edge_plain.h"
#include "mve/dot_few_windows_plain.h"
#include "mve/dot_lines_plain.h"
#include "mve/dot_slide_plain.h"
#include "sums.h"
#include "support/kernel_test.h"

#if RL_HAS_MVE
#include "mve/dot_edge.h"
#include "mve/dot_few_windows.h"
#include "mve/dot_lines.h"
#include "mve/dot_slide.h"

static void dot_slide(const void *argument, int32_t pixel)
{
    const struct rl_windows *windows = argument;
    rl_call_assembler(rl_dot_slide(pixel, windows->lines, windows->filters->depth == windows->lines * 3 * pixel),
                      windows);
}

static void dot_edge(const void *edge, int32_t pixel)
{
    rl_call_assembler(rl_dot_edge(pixel), edge);
}

static void dot_lines(const struct rl_window_lines *windows, int32_t run)
{
    rl_call_assembler(rl_dot_lines(run), windows);
}

static void dot_few_windows(const struct rl_few_windows *windows)
{
    rl_call_assembler(rl_dot_few_windows, windows);
}
#else
static void dot_slide(const void *windows, int32_t pixel)
{
    rl_dot_slide_plain(windows, pixel);
}

static void dot_edge(const void *edge, int32_t pixel)
{
    rl_dot_edge_plain(edge, pixel);
}

static void dot_lines(const struct rl_window_lines *windows, int32_t run)
{
    (void)run;
    rl_dot_lines_plain(windows);
}

static void dot_few_windows(const struct rl_few_windows *windows)
{
    rl_dot_few_windows_plain(windows);
}
#endif

enum { CASES = 300 };

static void test_dot_slide(struct rl_case *c)
{
    rl_test_start(c, "dot_slide");
    for (int i = 0; i < CASES; i++) {
        const int32_t pixel = 16 << rl_random_in(c, 0, 2), lines = rl_random_in(c, 1, 4);
        const int32_t left_out = rl_random_one_in(c, 2) ? rl_random_in(c, 1, 2) : 0;
        const int32_t channels = rl_random_extreme(c, 1, RL_SUM_BLOCK), depth = (lines + left_out) * 3 * pixel;
        const int32_t line_bytes = 5 * pixel + rl_random_in(c, 0, 5);
        rl_case_begin(c, "pixels of %ld, %ld lines without %ld, %ld channels", (long)pixel, (long)lines, (long)left_out,
                      (long)channels);
        const int8_t *input = rl_case_s8(c, (size_t)((lines - 1) * line_bytes + 5 * pixel));
        // Lines above the window are left out, lines below it, or both.
        const int32_t above = rl_random_in(c, 0, left_out) * 3 * pixel;
        const struct rl_filters filters = {
            .filter = rl_case_s8(c, (size_t)(channels * depth)) + above, .depth = depth, .channels = channels};
        const struct sums s = sums_of(c);
        for (int32_t k = 0; k < 3 * channels; k++) {
            int32_t sum = 0;
            for (int32_t j = 0; j < lines * 3 * pixel; j++) {
                const int32_t line = j / (3 * pixel), at = j % (3 * pixel);
                sum += input[line * line_bytes + k % 3 * pixel + at] * filters.filter[k / 3 * depth + j];
            }
            expect_sum(&s, k % 3, k / 3, channels, sum);
        }
        struct rl_windows windows = {.near = input + RL_WINDOW_NEAR,
                                     .filters = &filters,
                                     .line_bytes = line_bytes,
                                     .lines = lines,
                                     .sums = s.plain};
        rl_dot_slide_plain(&windows, pixel);
        windows.sums = s.actual;
        dot_slide(&windows, pixel);
        expect_sums(c, &s);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// Windows that overlap, and filters that lie apart.
static void test_dot_lines(struct rl_case *c)
{
    rl_test_start(c, "dot_lines");
    for (int i = 0; i < CASES; i++) {
        const int32_t run = rl_random_extreme(c, RL_CONVOLUTION_LEAST_LINE, 120), lines = rl_random_extreme(c, 1, 7);
        const int32_t step = rl_random_in(c, 0, 40), line_bytes = run + rl_random_in(c, 0, 50);
        const int32_t channels = rl_random_extreme(c, 1, RL_SUM_BLOCK), used = lines * run;
        const int32_t depth = used + (rl_random_one_in(c, 2) ? rl_random_in(c, 1, 40) : 0);
        rl_case_begin(c, "%ld lines of %ld, %ld apart, windows %ld apart, %ld channels, filters of %ld", (long)lines,
                      (long)run, (long)line_bytes, (long)step, (long)channels, (long)depth);
        const int8_t *input = rl_case_s8(c, (size_t)((lines - 1) * line_bytes + 2 * step + run));
        const struct rl_filters filters = {.filter = rl_case_s8(c, (size_t)((channels - 1) * depth + used)),
                                           .depth = used,
                                           .channels = channels,
                                           .step = depth};
        const struct sums s = sums_of(c);
        for (int32_t k = 0; k < 3 * channels; k++) {
            int32_t sum = 0;
            for (int32_t j = 0; j < used; j++) {
                sum += input[j / run * line_bytes + k % 3 * step + j % run] * filters.filter[k / 3 * depth + j];
            }
            expect_sum(&s, k % 3, k / 3, channels, sum);
        }
        struct rl_window_lines windows = {.rows = {.row_0 = input,
                                                   .filters = &filters,
                                                   .row_1 = input + step,
                                                   .row_2 = input + 2 * step,
                                                   .sums = s.plain}};
        rl_window_lines_start(&windows, run, lines, line_bytes);
        rl_dot_lines_plain(&windows);
        windows.rows.sums = s.actual;
        dot_lines(&windows, run);
        expect_sums(c, &s);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static void test_dot_edge(struct rl_case *c)
{
    rl_test_start(c, "dot_edge");
    for (int i = 0; i < CASES; i++) {
        const int32_t pixel = 16 << rl_random_in(c, 0, 2), line_bytes = 2 * pixel + rl_random_in(c, 0, 5);
        const int32_t channels = 2 * rl_random_extreme(c, 1, RL_SUM_BLOCK / 2), depth = 9 * pixel;
        const bool is_left = rl_random_one_in(c, 2);
        rl_case_begin(c, "pixels of %ld, %ld channels, %s", (long)pixel, (long)channels, is_left ? "left" : "right");
        const int8_t *input = rl_case_s8(c, (size_t)(4 * line_bytes + 2 * pixel));
        const int8_t *weights = rl_case_s8(c, (size_t)(channels * depth)) + (is_left ? pixel : 0);
        const struct rl_filters filters = {.filter = weights, .depth = depth, .channels = channels};
        const struct sums s = sums_of(c);
        for (int32_t k = 0; k < 3 * channels; k++) {
            int32_t sum = 0;
            for (int32_t j = 0; j < 6 * pixel; j++) {
                const int32_t line = j / (2 * pixel), at = j % (2 * pixel);
                sum += input[(line + k % 3) * line_bytes + at] * weights[k / 3 * depth + line * 3 * pixel + at];
            }
            expect_sum(&s, k % 3, k / 3, channels, sum);
        }
        struct rl_edge edge = {.input = input, .filters = &filters, .line_bytes = line_bytes, .sums = s.plain};
        rl_dot_edge_plain(&edge, pixel);
        edge.sums = s.actual;
        dot_edge(&edge, pixel);
        expect_sums(c, &s);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// Lines of the input and of filters that lie apart.
static void test_dot_few_windows(struct rl_case *c)
{
    rl_test_start(c, "dot_few_windows");
    for (int i = 0; i < CASES; i++) {
        const int32_t run = rl_random_extreme(c, 1, 70), lines = rl_random_in(c, 1, 4);
        const int32_t groups = rl_random_in(c, 1, 4), vectors = (run + 15) & ~15;
        const int32_t input_line = run + rl_random_in(c, 0, 20), filter_line = run + rl_random_in(c, 0, 20);
        const int32_t depth = (lines - 1) * filter_line + run + rl_random_in(c, 0, 9);
        const int32_t offset = rl_random_extreme(c, -127, 128);
        rl_case_begin(c, "%ld lines of %ld, %ld groups, offset %ld", (long)lines, (long)run, (long)groups,
                      (long)offset);
        const int8_t *input = rl_case_s8(c, (size_t)((lines - 1) * input_line + run));
        const int8_t *filter = rl_case_s8(c, (size_t)((4 * groups - 1) * depth + (lines - 1) * filter_line + run));
        int32_t *const actual = rl_case_s32(c, (size_t)(4 * groups), 0, 0);
        int32_t *const plain = rl_case_s32(c, (size_t)(4 * groups), 0, 0), expected[16];
        for (int32_t channel = 0; channel < 4 * groups; channel++) {
            expected[channel] = 0;
            for (int32_t k = 0; k < lines * run; k++) {
                const int32_t line = k / run, at = k % run;
                const int32_t weight = filter[channel * depth + line * filter_line + at];
                expected[channel] += (input[line * input_line + at] + offset) * weight;
            }
        }
        struct rl_few_windows windows = {
            .input = input,
            .filter = filter,
            .run = run,
            .lines = lines,
            .input_back = input_line - vectors,
            .filter_back = filter_line - vectors,
            .depth = depth,
            .offset = offset,
            .start = -128 * lines * run * offset,
            .sums = plain,
            .groups = groups,
        };
        rl_dot_few_windows_plain(&windows);
        windows.sums = actual;
        dot_few_windows(&windows);
        rl_case_equal_s32(c, "plain sums", expected, plain, (size_t)(4 * groups));
        rl_case_equal_s32(c, "sums", plain, actual, (size_t)(4 * groups));
        rl_case_end(c);
    }
    rl_test_stop(c);
}

int main(void)
{
    static struct rl_case c;
    test_dot_slide(&c);
    test_dot_lines(&c);
    test_dot_edge(&c);
    test_dot_few_windows(&c);
    return rl_test_finish(&c);
}
