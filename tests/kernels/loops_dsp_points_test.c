// SPDX-License-Identifier: Apache-2.0
// The loop of kernels/dsp for some outputs of a depthwise layer: its plain form against the definition on every core,
// and the assembler against the plain form on the cores that have these instructions.
#include "dsp/depthwise_points_plain.h"
#include "isa.h"
#include "loops_dsp.h"
#include "support/kernel_test.h"

#include <string.h>

#if RL_HAS_DSP
#include "dsp/depthwise_points.h"
#endif

enum { CASES = 300 };

// A job, and what it is about. The window of a point covers some columns of some rows of the filter.
struct trial {
    struct rl_depthwise_points job;
    int32_t channels, columns, lines; // of the filter
    int32_t points, step, line;       // bytes from output to output and from row to row of inputs
    int32_t offset, output_offset;
    cmsis_nn_activation limits;
    struct {
        int32_t x, column, columns, row, rows;
    } window[RL_POINTS];
    const int8_t *x, *weights;
    int32_t *bias, *multiplier, *shift;
};

static void run_points(struct rl_depthwise_points *job)
{
#if RL_HAS_DSP
    rl_depthwise_points(job);
#else
    rl_depthwise_points_plain(job);
#endif
}

static void start_layer(struct rl_case *c, struct trial *t)
{
    t->channels = rl_random_in(c, 4, 11);
    t->columns = rl_random_in(c, 1, RL_POINTS_COLUMNS);
    t->lines = rl_random_in(c, 1, rl_min_s32(16, RL_POINTS_TAPS / t->columns));
    t->points = rl_random_in(c, 1, RL_POINTS);
    t->step = t->channels + rl_random_in(c, 0, 3);
    t->line = rl_random_in(c, t->columns, 12) * t->channels + rl_random_in(c, 0, 3);
    t->offset = rl_random_extreme(c, -127, 128);
    t->output_offset = rl_random_extreme(c, -128, 127);
    t->limits = rl_random_limits(c, INT8_MIN, INT8_MAX);
    rl_case_begin(c, "%ld points, %ld channels, filter %ldx%ld, lines of %ld bytes, offsets %ld %ld", (long)t->points,
                  (long)t->channels, (long)t->lines, (long)t->columns, (long)t->line, (long)t->offset,
                  (long)t->output_offset);
    t->x = rl_case_s8(c, (size_t)(t->line * t->lines + 3 * t->channels));
    t->weights = rl_case_s8(c, (size_t)(t->lines * t->columns * t->channels));
    t->bias = rl_case_s32(c, (size_t)t->channels, -100000, 100000);
    t->multiplier = rl_case_s32(c, (size_t)t->channels, 1 << 30, INT32_MAX);
    t->shift = rl_case_s32(c, (size_t)t->channels, -22, -1);
}

// A point whose window covers some rows and columns of the filter, or nothing.
static void start_point(struct rl_case *c, struct trial *t, int32_t i)
{
    const int32_t column = rl_random_in(c, 0, t->columns - 1), row = rl_random_in(c, 0, t->lines - 1);
    const int32_t columns = rl_random_in(c, 1, t->columns - column), rows = rl_random_in(c, 1, t->lines - row);
    const bool empty = rl_random_one_in(c, 6);
    const int32_t x = rl_random_in(c, 0, 2) * t->channels;
    t->window[i].x = x;
    t->window[i].column = column;
    t->window[i].columns = empty ? 0 : columns;
    t->window[i].row = row;
    t->window[i].rows = empty ? 0 : rows;
    struct rl_depthwise_point *point = &t->job.points[i];
    point->x = x + (columns - 1) * t->channels;
    point->weights = t->job.weights + 2 * (row * t->columns + column + columns - 1);
    point->rows = rl_point_rows(rows, t->line, t->columns);
    point->entry = empty ? RL_POINT_EMPTY : rl_point_entry(columns);
}

static void start_job(struct rl_case *c, struct trial *t)
{
    struct rl_depthwise_points *job = &t->job;
    memset(job, 0, sizeof *job);
    job->low = (uint8_t)t->limits.min * UINT32_C(0x01010101);
    job->high = (uint8_t)t->limits.max * UINT32_C(0x01010101);
    job->output_right = t->step;
    job->last = t->channels - 4;
    job->first_x = t->x;
    job->w = t->weights;
    job->multipliers = t->multiplier;
    job->shifts = t->shift;
    job->biases = t->bias;
    job->bias_step = 4;
    if (rl_random_one_in(c, 4)) {
        memset(t->bias, 0, (size_t)t->channels * sizeof *t->bias);
        job->bias_step = 0;
    }
    job->rounding = rl_rescale_rounding(t->output_offset);
    job->offsets = (uint16_t)t->offset * UINT32_C(0x00010001);
    job->pixel = t->channels;
    job->taps = t->lines * t->columns;
    for (int32_t i = 0; i < t->points; i++) {
        start_point(c, t, i);
    }
    job->points[t->points].entry = RL_POINT_END;
}

static int8_t expected_output(const struct trial *t, int32_t point, int32_t channel)
{
    int32_t sum = t->bias[channel];
    for (int32_t row = 0; row < t->window[point].rows; row++) {
        for (int32_t column = 0; column < t->window[point].columns; column++) {
            const int32_t tap = (t->window[point].row + row) * t->columns + t->window[point].column + column;
            const int32_t place = t->window[point].x + row * t->line + column * t->channels + channel;
            sum += (t->x[place] + t->offset) * t->weights[tap * t->channels + channel];
        }
    }
    return rl_reference_output(sum, t->multiplier[channel], t->shift[channel], t->output_offset, t->limits.min,
                               t->limits.max);
}

int main(void)
{
    static struct rl_case cases;
    static struct trial t;
    struct rl_case *c = &cases;
    rl_test_start(c, "depthwise_points");
    for (int i = 0; i < CASES; i++) {
        start_layer(c, &t);
        start_job(c, &t);
        const size_t size = (size_t)(t.points * t.step);
        int8_t *output = rl_case_s8(c, size), *plain = rl_case_s8(c, size), *expected = rl_case_s8(c, size);
        memcpy(plain, output, size); // the bytes between outputs stay
        memcpy(expected, output, size);
        for (int32_t point = 0; point < t.points; point++) {
            for (int32_t channel = 0; channel < t.channels; channel++) {
                expected[point * t.step + channel] = expected_output(&t, point, channel);
            }
        }
        t.job.channel = 0;
        t.job.first_output = plain;
        rl_depthwise_points_plain(&t.job);
        t.job.channel = 0;
        t.job.first_output = output;
        run_points(&t.job);
        rl_case_equal_s8(c, "plain output", expected, plain, size);
        rl_case_equal_s8(c, "output", plain, output, size);
        rl_case_end(c);
    }
    rl_test_stop(c);
    return rl_test_finish(c);
}
