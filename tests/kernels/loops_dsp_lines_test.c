// SPDX-License-Identifier: Apache-2.0
// The loop of dsp/dot_lines.h: its plain form against the definition on every core, and the assembler against the plain
// form on the cores that have these instructions.
#include "dsp/dot_lines_plain.h"
#include "isa.h"
#include "loops_dsp.h"
#include "support/kernel_test.h"

#include <string.h>

#if RL_HAS_DSP
#include "dsp/dot_lines.h"
#endif

static void run_lines(struct rl_dot_lines *job)
{
#if RL_HAS_DSP
    rl_dot_lines(job);
#else
    rl_dot_lines_plain(job);
#endif
}

enum { CASES = 300, FILTERS = 3, MOST_DEPTH = 400, MOST_OUTPUTS = 10 };

struct lines_case {
    struct rl_dot_lines job;
    int32_t run, outputs, stride; // bytes of a filter row; outputs, and elements between them
    int32_t low, high;
    int32_t values[FILTERS][MOST_DEPTH]; // of a filter
    int16_t *expected[FILTERS], *plain[FILTERS], *output[FILTERS];
};

// Some rows without values behind groups of four, some with.
static void start_lines(struct rl_case *c, struct lines_case *t)
{
    struct rl_dot_lines *job = &t->job;
    job->fours = rl_random_in(c, 1, 18);
    job->rest = rl_random_one_in(c, 2) ? 0 : rl_random_in(c, 1, 3);
    job->rows = rl_random_in(c, 1, 5);
    job->pairs = rl_random_in(c, 1, MOST_OUTPUTS / 2);
    job->step = rl_random_one_in(c, 8) ? 0 : rl_random_in(c, 1, 40);
    job->gap = rl_random_in(c, 0, 30);
    t->run = 4 * job->fours + job->rest;
    t->outputs = 2 * job->pairs;
    t->stride = rl_random_in(c, 1, 5);
    job->output_step = t->stride * (int32_t)sizeof(int16_t);
    const bool limited = rl_random_one_in(c, 2);
    t->low = limited ? rl_random_extreme(c, INT16_MIN, INT16_MAX) : INT16_MIN;
    t->high = limited ? rl_random_extreme(c, t->low, INT16_MAX) : INT16_MAX;
    job->low = (uint16_t)t->low * UINT32_C(0x00010001);
    job->high = (uint16_t)t->high * UINT32_C(0x00010001);
    job->is_limited = limited ? 1 : 0;
    rl_case_begin(c, "%ld fours, %ld more, %ld rows, %ld pairs, step %ld, gap %ld, limits %ld..%ld", (long)job->fours,
                  (long)job->rest, (long)job->rows, (long)job->pairs, (long)job->step, (long)job->gap, (long)t->low,
                  (long)t->high);
}

// Places the values of a filter as dot_3x2_plain.h describes them, one row behind the other.
static void place_filter(const struct lines_case *t, int32_t filter, uint32_t *words)
{
    const int32_t *values = t->values[filter];
    words += filter;
    for (int32_t row = 0; row < t->job.rows; row++, values += t->run) {
        const int32_t in_fours = 4 * t->job.fours;
        for (int32_t k = 0; k < in_fours; k++) {
            rl_set_half(&words[k / 4 * 6 + k % 2 * 3], k % 4 / 2, values[k]);
        }
        words += t->job.fours * 6;
        for (int32_t k = in_fours; k < t->run; k++, words += FILTERS) {
            *words = (uint32_t)values[k];
        }
    }
}

static void expect_filter(struct rl_case *c, struct lines_case *t, int32_t filter)
{
    struct rl_dot_lines *job = &t->job;
    int32_t multiplier, shift;
    job->scales[filter] = rl_random_rescale(c, 0, &multiplier, &shift);
    const bool large = shift >= -12 && rl_random_one_in(c, 4); // sums of more than 30 bits, and outputs beyond 16
    job->starts[filter] = large ? rl_random_extreme(c, INT32_MIN + (1 << 25), INT32_MAX - (1 << 25))
                                : rl_random_extreme(c, -(1 << 20), 1 << 20);
    for (int32_t o = 0; o < t->outputs; o++) {
        int32_t sum = job->starts[filter];
        const int8_t *input = job->input + o * job->step;
        for (int32_t row = 0; row < job->rows; row++, input += t->run + job->gap) {
            sum += rl_products(t->values[filter] + row * t->run, input, t->run);
        }
        t->expected[filter][o * t->stride] =
            (int16_t)rl_clamp_s32(rl_requantize(sum, multiplier, shift), t->low, t->high);
    }
}

static void fill_lines(struct rl_case *c, struct lines_case *t)
{
    struct rl_dot_lines *job = &t->job;
    const int32_t depth = job->rows * t->run, words = FILTERS * job->rows * (2 * job->fours + job->rest);
    const size_t outputs = (size_t)(t->outputs * t->stride), bytes = outputs * sizeof(int16_t);
    uint32_t *values = rl_case_buffer(c, (size_t)(words + 2) * sizeof *values, 4); // two are loaded behind them
    job->values = values;
    job->input = rl_case_s8(c, (size_t)((t->outputs - 1) * job->step + depth + (job->rows - 1) * job->gap));
    for (int32_t filter = 0; filter < FILTERS; filter++) {
        for (int32_t k = 0; k < depth; k++) {
            t->values[filter][k] = rl_random_extreme(c, INT8_MIN, INT8_MAX);
        }
        place_filter(t, filter, values);
        t->expected[filter] = rl_case_s16(c, outputs);
        t->plain[filter] = rl_case_s16(c, outputs);
        t->output[filter] = rl_case_s16(c, outputs);
        memcpy(t->plain[filter], t->expected[filter], bytes);
        memcpy(t->output[filter], t->expected[filter], bytes);
        expect_filter(c, t, filter);
    }
}

int main(void)
{
    static struct rl_case cases;
    static struct lines_case t;
    struct rl_case *c = &cases;
    rl_test_start(c, "dot_lines");
    for (int i = 0; i < CASES; i++) {
        start_lines(c, &t);
        fill_lines(c, &t);
        struct rl_dot_lines job = t.job;
        memcpy(job.output, t.plain, sizeof job.output);
        rl_dot_lines_plain(&job);
        job = t.job;
        memcpy(job.output, t.output, sizeof job.output);
        run_lines(&job);
        for (int32_t filter = 0; filter < FILTERS; filter++) {
            const size_t outputs = (size_t)(t.outputs * t.stride);
            rl_case_equal_s16(c, "plain output", t.expected[filter], t.plain[filter], outputs);
            rl_case_equal_s16(c, "output", t.plain[filter], t.output[filter], outputs);
            rl_case_expect(c, job.output[filter] == t.output[filter] + outputs, "the output behind the last one");
        }
        rl_case_expect(c, job.pairs == 0 && job.input == t.job.input + t.outputs * t.job.step, "what is left");
        rl_case_end(c);
    }
    rl_test_stop(c);
    return rl_test_finish(c);
}
