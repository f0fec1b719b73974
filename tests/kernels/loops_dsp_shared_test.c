// SPDX-License-Identifier: Apache-2.0
// The loop of kernels/dsp for outputs of four channels that share an input: its plain form against the definition on
// every core, and the assembler against the plain form on the cores that have these instructions.
#include "dsp/depthwise_shared_plain.h"
#include "isa.h"
#include "loops_dsp.h"
#include "support/kernel_test.h"

#include <string.h>

#if RL_HAS_DSP
#include "dsp/depthwise_shared.h"
#endif

enum { CASES = 300, CHANNELS = 4, MOST_ROWS = 6 };

// A job, and what it is about: weights as [row][tap][channel], inputs as lines of `width` values.
struct trial {
    struct rl_depthwise_shared job;
    int32_t pairs, columns, stride_w, stride_h, width, gap;
    int32_t bias[CHANNELS], multiplier[CHANNELS], shift[CHANNELS];
    int8_t weights[MOST_ROWS * 2 * RL_SHARED_PAIRS * CHANNELS];
    uint32_t words[MOST_ROWS * RL_SHARED_PAIRS * CHANNELS];
    int32_t output_offset;
    cmsis_nn_activation limits;
};

static void run_shared(struct rl_depthwise_shared *job)
{
#if RL_HAS_DSP
    rl_depthwise_shared(job);
#else
    rl_depthwise_shared_plain(job);
#endif
}

static void start_layer(struct rl_case *c, struct trial *t)
{
    t->pairs = rl_random_in(c, 1, RL_SHARED_PAIRS);
    t->columns = rl_random_in(c, 1, 7);
    t->stride_w = rl_random_in(c, 1, 3);
    t->stride_h = rl_random_in(c, 1, 3);
    t->width = (t->columns - 1) * t->stride_w + 2 * t->pairs + rl_random_in(c, 0, 3);
    t->gap = rl_random_in(c, 0, 5);
    t->output_offset = rl_random_extreme(c, -128, 127);
    t->limits = rl_random_limits(c, INT8_MIN, INT8_MAX);
    t->job.rows = rl_random_in(c, 1, MOST_ROWS);
    t->job.lines = rl_random_in(c, 1, 4);
    rl_case_begin(c, "%ld lines of %ld outputs, %ld rows of %ld pairs, strides %ld,%ld, lines of %ld inputs",
                  (long)t->job.lines, (long)t->columns, (long)t->job.rows, (long)t->pairs, (long)t->stride_h,
                  (long)t->stride_w, (long)t->width);
    for (int32_t i = 0; i < CHANNELS; i++) {
        t->bias[i] = rl_random_in(c, -100000, 100000);
        t->multiplier[i] = rl_random_in(c, 1 << 30, INT32_MAX);
        t->shift[i] = rl_random_in(c, -22, -1);
    }
    for (int32_t i = 0; i < t->job.rows * 2 * t->pairs * CHANNELS; i++) {
        t->weights[i] = (int8_t)rl_random_extreme(c, -128, 127);
    }
}

static void start_job(struct trial *t, const int16_t *x)
{
    struct rl_depthwise_shared *job = &t->job;
    const int32_t rounding = rl_rescale_rounding(t->output_offset);
    for (int32_t i = 0; i < CHANNELS; i++) {
        job->scale[i] = rl_rescale_of(rounding, t->multiplier[i], t->shift[i]);
        job->bias[i] = 2 * t->bias[i];
    }
    for (int32_t pair = 0; pair < job->rows * t->pairs; pair++) {
        const int8_t *w = t->weights + 2 * CHANNELS * pair;
        for (int32_t i = 0; i < CHANNELS; i++) {
            t->words[CHANNELS * pair + i] = rl_pair_of(2 * w[i], 2 * w[CHANNELS + i]);
        }
    }
    job->low = (uint8_t)t->limits.min * UINT32_C(0x01010101);
    job->high = (uint8_t)t->limits.max * UINT32_C(0x01010101);
    job->output_right = CHANNELS + t->gap;
    job->output_gap = t->gap;
    job->x = x + 2 * t->pairs;
    job->x_right = 2 * t->stride_w;
    job->x_end = job->x + t->columns * t->stride_w;
    job->weights = t->words;
    job->x_line = 2 * t->width;
    job->entry = rl_shared_entry(t->pairs);
    job->x_down = 2 * t->stride_h * t->width;
    job->x_gap = job->x_down - t->columns * job->x_right;
}

static int8_t expected_output(const struct trial *t, const int16_t *x, int32_t line, int32_t column, int32_t channel)
{
    int32_t sum = t->bias[channel];
    for (int32_t row = 0; row < t->job.rows; row++) {
        for (int32_t tap = 0; tap < 2 * t->pairs; tap++) {
            const int32_t weight = t->weights[(row * 2 * t->pairs + tap) * CHANNELS + channel];
            sum += x[(line * t->stride_h + row) * t->width + column * t->stride_w + tap] * weight;
        }
    }
    return rl_reference_output(sum, t->multiplier[channel], t->shift[channel], t->output_offset, t->limits.min,
                               t->limits.max);
}

static void check(struct rl_case *c, struct trial *t)
{
    start_layer(c, t);
    const int32_t step = CHANNELS + t->gap, lines = t->job.lines, down = t->columns * step + t->gap;
    const size_t inputs = (size_t)(((lines - 1) * t->stride_h + t->job.rows) * t->width);
    const size_t size = (size_t)(lines * down);
    int16_t *x = rl_case_s16(c, inputs);
    for (size_t i = 0; i < inputs; i++) {
        x[i] = (int16_t)rl_random_extreme(c, -255, 255);
    }
    int8_t *output = rl_case_s8(c, size), *plain = rl_case_s8(c, size), *expected = rl_case_s8(c, size);
    memcpy(plain, output, size); // the bytes between outputs stay
    memcpy(expected, output, size);
    for (int32_t i = 0; i < lines * t->columns * CHANNELS; i++) {
        const int32_t channel = i % CHANNELS, column = i / CHANNELS % t->columns, line = i / CHANNELS / t->columns;
        expected[line * down + column * step + channel] = expected_output(t, x, line, column, channel);
    }
    start_job(t, x);
    struct rl_depthwise_shared job = t->job;
    job.output = plain;
    rl_depthwise_shared_plain(&job);
    job = t->job;
    job.output = output;
    run_shared(&job);
    rl_case_equal_s8(c, "plain output", expected, plain, size);
    rl_case_equal_s8(c, "output", plain, output, size);
    rl_case_end(c);
}

int main(void)
{
    static struct rl_case cases;
    static struct trial t;
    struct rl_case *c = &cases;
    rl_test_start(c, "depthwise_shared");
    for (int i = 0; i < CASES; i++) {
        check(c, &t);
    }
    rl_test_stop(c);
    return rl_test_finish(c);
}
