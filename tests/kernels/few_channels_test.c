// SPDX-License-Identifier: Apache-2.0
// Few channels over rows of inputs against the definition: any distance of rows and lines, more rows than wait for
// their scales together, biases and offsets or none, any scales.
#include "kernels/convolution/few_channels.h"
#include "support/kernel_test.h"

enum { CASES = 600, MOST_ROWS = 150 };

static void expect_of(const struct rl_few_channels *f, int8_t *expected)
{
    for (int32_t line = 0; line < f->lines; line++) {
        for (int32_t i = 0; i < f->count; i++) {
            const int8_t *row = f->rows + line * f->line_step + i * f->step;
            for (int32_t channel = 0; channel < f->channels; channel++) {
                int32_t sum = f->bias ? f->bias[channel] : 0;
                for (int32_t k = 0; k < f->depth; k++) {
                    sum += (row[k] + f->input_offset) * f->weights[channel * f->depth + k];
                }
                *expected++ = rl_reference_output(sum, f->scales.multiplier[channel], f->scales.shift[channel],
                                                  f->output_offset, f->range.min, f->range.max);
            }
        }
    }
}

static void test_few_channels(struct rl_case *c)
{
    rl_test_start(c, "few_channels");
    for (int i = 0; i < CASES; i++) {
        struct rl_few_channels f;
        f.lines = rl_random_one_in(c, 2) ? 1 : rl_random_in(c, 1, 6);
        const bool few_rows = rl_random_one_in(c, 2);
        f.count =
            few_rows ? rl_random_in(c, 2, 4) : rl_random_in(c, 1, rl_random_one_in(c, 4) ? MOST_ROWS / f.lines : 9);
        f.depth = rl_random_extreme(c, 1, rl_random_one_in(c, 3) ? 150 : 40);
        f.channels = rl_random_in(c, 1, few_rows ? 70 : 3);
        f.step = f.depth + (rl_random_one_in(c, 2) ? rl_random_in(c, 0, 20) : 0);
        f.line_step = f.step * f.count + rl_random_in(c, 0, 20);
        f.input_offset = rl_random_one_in(c, 4) ? 0 : rl_random_extreme(c, -127, 128);
        f.output_offset = rl_random_extreme(c, -128, 127);
        rl_case_begin(c, "%ld lines of %ld rows, depth %ld, %ld channels, step %ld, offset %ld", (long)f.lines,
                      (long)f.count, (long)f.depth, (long)f.channels, (long)f.step, (long)f.input_offset);
        const cmsis_nn_activation limits = rl_random_limits(c, INT8_MIN, INT8_MAX);
        const size_t channels = (size_t)f.channels, outputs = (size_t)(f.lines * f.count) * channels;
        const ptrdiff_t inputs = (f.lines - 1) * f.line_step + (f.count - 1) * f.step + f.depth;
        f.range = (struct rl_range){limits.min, limits.max};
        f.rows = rl_case_s8(c, (size_t)inputs);
        f.weights = rl_case_s8(c, channels * (size_t)f.depth);
        f.bias = rl_random_one_in(c, 4) ? NULL : rl_case_s32(c, channels, -100000, 100000);
        f.scales.multiplier = rl_case_s32(c, channels, 1 << 30, INT32_MAX);
        f.scales.shift = rl_case_s32(c, channels, -12, rl_random_one_in(c, 4) ? 2 : -6);
        int8_t *expected = rl_case_s8(c, outputs), *output = rl_case_s8(c, outputs);
        expect_of(&f, expected);
        rl_few_channels_run(&f, output);
        rl_case_equal_s8(c, "output", expected, output, outputs);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

int main(void)
{
    static struct rl_case cases;
    test_few_channels(&cases);
    return rl_test_finish(&cases);
}
