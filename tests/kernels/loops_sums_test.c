// SPDX-License-Identifier: Apache-2.0
// Loops of scalar cores that sum and that RL_LOOP chooses, against the definition: see loops_scalar_test.c.
#include "loops_plain.h"
#include "scalar/sum_words.h"
#include "scalar/window_fours.h"
#include "support/kernel_test.h"

#include <string.h>

enum { CASES = 400 };

static void test_sum_words(struct rl_case *c)
{
    rl_test_start(c, "sum_words");
    for (int i = 0; i < CASES; i++) {
        const int32_t most = i % 8 == 0 ? RL_SUM_WORDS_MOST : RL_SUM_WORDS_LEAST + 40;
        const int32_t count = rl_random_extreme(c, RL_SUM_WORDS_LEAST, most);
        rl_case_begin(c, "%ld values", (long)count);
        int8_t *values = rl_case_s8(c, (size_t)count);
        if (rl_random_one_in(c, 8)) {
            memset(values, rl_random_one_in(c, 2) ? INT8_MIN : INT8_MAX, (size_t)count);
        }
        int32_t sum = 0;
        for (int32_t k = 0; k < count; k++) {
            sum += values[k];
        }
        const int32_t plain = rl_plain_sum_s8(values, count), actual = rl_sum_words(values, count);
        rl_case_equal_s32(c, "plain sum", &sum, &plain, 1);
        rl_case_equal_s32(c, "sum", &plain, &actual, 1);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// Each channel has an input, or all share one.
static void test_window_fours(struct rl_case *c)
{
    rl_test_start(c, "window_fours");
    for (int i = 0; i < CASES; i++) {
        const bool shared = rl_random_one_in(c, 2);
        const int32_t rows = rl_random_in(c, 1, 4), columns = rl_random_in(c, 1, RL_WINDOW_COLUMNS);
        const int32_t some = rl_random_in(c, 4, 14), channels = shared ? some & ~3 : some, each = shared ? 0 : 1,
                      step = channels + rl_random_in(c, 0, 2);
        const int32_t offset = rl_random_extreme(c, -128, 128), x_gap = rl_random_in(c, 0, 20);
        const int32_t w_gap = rl_random_in(c, 0, 9), row = (columns - 1) * step + channels;
        rl_case_begin(c, "%ld rows of %ld, %ld channels%s, step %ld, offset %ld", (long)rows, (long)columns,
                      (long)channels, shared ? " that share inputs" : "", (long)step, (long)offset);
        const int32_t x_step = shared ? rl_random_in(c, 0, step) : step;
        const int32_t x_line = row + x_gap, w_line = row + w_gap;
        const int8_t *x = rl_case_s8(c, (size_t)((rows - 1) * x_line + row));
        const int8_t *w = rl_case_s8(c, (size_t)((rows - 1) * w_line + row));
        int32_t *sums = rl_case_s32(c, (size_t)channels, INT32_MIN, INT32_MAX), expected[14];
        const int32_t *bias = rl_random_one_in(c, 2) ? rl_case_s32(c, (size_t)channels, -(1 << 20), 1 << 20) : NULL;
        for (int32_t o = 0; o < channels; o++) {
            expected[o] = bias ? bias[o] : 0;
            for (int32_t y = 0; y < rows; y++) {
                for (int32_t k = 0; k < columns; k++) {
                    expected[o] += (x[y * x_line + k * x_step + each * o] + offset) * w[y * w_line + k * step + o];
                }
            }
        }
        const struct rl_window_fours job = {
            .x = x,
            .w = w,
            .sums = sums,
            .end = sums + channels,
            .rows = rows,
            .x_back = x_line - columns * x_step,
            .w_back = w_line - columns * step,
            .left_out = RL_WINDOW_COLUMNS - columns,
            .offset = offset,
            .step = step,
            .x_step = x_step,
            .bias = bias,
        };
        if (shared) {
            rl_window_shared(&job);
        } else {
            rl_window_fours(&job);
        }
        rl_case_equal_s32(c, "sums", expected, sums, channels);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

int main(void)
{
    static struct rl_case c;
    if (RL_HAS_SUM_WORDS) {
        test_sum_words(&c);
    }
    if (RL_HAS_WINDOW_FOURS) {
        test_window_fours(&c);
    }
    return rl_test_finish(&c);
}
