// SPDX-License-Identifier: Apache-2.0
// The loops of kernels/dsp that take a fully connected layer: the plain forms against the definition on every core, and
// the assembler against the plain forms on the cores that have these instructions.
#include "dsp/dot_expanded_plain.h"
#include "dsp/dot_singles_plain.h"
#include "dsp/dot_threes_plain.h"
#include "isa.h"
#include "loops_dsp.h"
#include "support/kernel_test.h"

#include <string.h>

#if RL_HAS_DSP
#include "dsp/dot_expanded.h"
#include "dsp/dot_singles.h"
#include "dsp/dot_threes.h"
#endif

// The loops that are compared with the plain forms: the assembler, or on other cores the plain forms themselves.
struct loops {
    void (*dot_expanded)(struct rl_dot_expanded *job);
    void (*dot_singles)(const struct rl_fully_connected *f, const int8_t *input, int8_t *output, int32_t constant);
    int32_t (*dot_threes)(const struct rl_fully_connected *f, const int8_t *input, int8_t *output, int32_t constant,
                          ptrdiff_t step);
};

static const struct loops loops = {
#if RL_HAS_DSP
    rl_dot_expanded,
    rl_dot_singles,
    rl_dot_threes,
#else
    rl_dot_expanded_plain,
    rl_dot_singles_plain,
    rl_dot_threes_plain,
#endif
};

enum { CASES = 300 };

// The outputs by definition, `step` bytes apart; the layer's scales, or else those given, serve all.
static void expect_outputs(const struct rl_fully_connected *f, const int8_t *row, int32_t constant, int32_t multiplier,
                           int32_t shift, int8_t *expected, ptrdiff_t step)
{
    const int8_t *filter = f->weights;
    for (int32_t o = 0; o < f->channels; o++, filter += f->depth) {
        int32_t sum = constant + (f->base ? f->base[o] : 0);
        for (int32_t k = 0; k < f->depth; k++) {
            sum += (row[k] + f->base_offset) * (filter[k] + f->weight_offset);
        }
        const bool own = f->scales.multiplier;
        expected[o * step] =
            rl_reference_output(sum, own ? f->scales.multiplier[o] : multiplier, own ? f->scales.shift[o] : shift,
                                f->output_offset, f->range.min, f->range.max);
    }
}

static void test_dot_singles(struct rl_case *c)
{
    rl_test_start(c, "dot_singles");
    for (int i = 0; i < CASES; i++) {
        const int32_t depth = rl_random_in(c, 0, rl_random_one_in(c, 3) ? 3 : 40), channels = rl_random_in(c, 1, 7);
        const cmsis_nn_activation limits = rl_random_limits(c, INT8_MIN, INT8_MAX);
        struct rl_fully_connected layer = {.depth = depth,
                                           .channels = channels,
                                           .base_offset = rl_random_extreme(c, -127, 128),
                                           .weight_offset =
                                               rl_random_one_in(c, 2) ? rl_random_extreme(c, -127, 128) : 0,
                                           .output_offset = rl_random_extreme(c, -128, 127),
                                           .range = {limits.min, limits.max}};
        const bool own = rl_random_one_in(c, 3); // a scale for each channel
        rl_case_begin(c, "depth %ld, %ld channels, offsets %ld %ld, limits %ld %ld, own scales %d", (long)depth,
                      (long)channels, (long)layer.base_offset, (long)layer.weight_offset, (long)limits.min,
                      (long)limits.max, own);
        const int8_t *row = rl_case_s8(c, (size_t)depth), *filter = rl_case_s8(c, (size_t)(depth * channels));
        // Small sums and shifts meet ties of the rounding; sums of more than 30 bits saturate when they are doubled.
        const bool small = depth < 4, large = !small && rl_random_one_in(c, 4);
        const int32_t most_base = small ? 300 : 1 << 20, most = large ? INT32_MAX - (1 << 22) : most_base;
        const int32_t constant = rl_random_extreme(c, -most, most), *base = NULL;
        if (!rl_random_one_in(c, 3)) {
            base = rl_case_s32(c, (size_t)channels, -most_base, most_base);
        }
        const int32_t largest = small ? 1 << 30 : INT32_MAX;
        const int32_t *multiplier = rl_case_s32(c, own ? (size_t)channels : 1, 1 << 30, largest);
        const int32_t *shift = rl_case_s32(c, own ? (size_t)channels : 1, small ? -6 : -20, -1);
        rl_case_expect(c, rl_rescale_init(layer.output_offset, *multiplier, *shift, &layer.rescale), "a usual scale");
        if (own) {
            layer.scales = (struct rl_scales){multiplier, shift};
        }
        layer.weights = filter;
        layer.base = base;
        int8_t *output = rl_case_s8(c, (size_t)channels), *plain = rl_case_s8(c, (size_t)channels);
        int8_t *expected = rl_case_s8(c, (size_t)channels);
        expect_outputs(&layer, row, constant, *multiplier, *shift, expected, 1);
        rl_dot_singles_plain(&layer, row, plain, constant);
        loops.dot_singles(&layer, row, output, constant);
        rl_case_equal_s8(c, "plain output", expected, plain, (size_t)channels);
        rl_case_equal_s8(c, "output", plain, output, (size_t)channels);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// A row times three filters at a time. Without usual scales the last channels are left.
static void test_dot_threes(struct rl_case *c)
{
    rl_test_start(c, "dot_threes");
    for (int i = 0; i < CASES; i++) {
        const bool own = rl_random_one_in(c, 2), usual = !own || rl_random_one_in(c, 2);
        const int32_t depth = rl_random_in(c, 4, 40), channels = rl_random_in(c, own ? 3 : 2, 11);
        const ptrdiff_t step = rl_random_in(c, 1, 3);
        const cmsis_nn_activation limits = rl_random_limits(c, INT8_MIN, INT8_MAX);
        struct rl_fully_connected layer = {.depth = depth,
                                           .channels = channels,
                                           .base_offset = rl_random_extreme(c, -127, 128),
                                           .output_offset = rl_random_extreme(c, -128, 127),
                                           .range = {limits.min, limits.max}};
        rl_case_begin(c, "depth %ld, %ld channels, step %ld, offset %ld, limits %ld %ld, own scales %d, usual %d",
                      (long)depth, (long)channels, (long)step, (long)layer.base_offset, (long)limits.min,
                      (long)limits.max, own, usual);
        const int8_t *row = rl_case_s8(c, (size_t)depth);
        layer.weights = rl_case_s8(c, (size_t)(depth * channels));
        const int32_t most = rl_random_one_in(c, 4) ? INT32_MAX - (1 << 22) : 1 << 20;
        const int32_t constant = rl_random_extreme(c, -most, most);
        if (!rl_random_one_in(c, 3)) {
            layer.base = rl_case_s32(c, (size_t)channels, -(1 << 20), 1 << 20);
        }
        int32_t *multiplier = rl_case_s32(c, own ? (size_t)channels : 1, 1 << 30, INT32_MAX);
        int32_t *shift = rl_case_s32(c, own ? (size_t)channels : 1, -20, -1);
        rl_case_expect(c, rl_rescale_init(layer.output_offset, *multiplier, *shift, &layer.rescale), "a usual scale");
        if (own) {
            layer.scales = (struct rl_scales){multiplier, shift};
        }
        if (!usual) {
            const int32_t at = rl_random_in(c, 0, channels - 1), small[] = {-1, 0, (1 << 30) - 1};
            if (rl_random_one_in(c, 2)) {
                multiplier[at] = small[rl_random_in(c, 0, 2)];
            } else {
                shift[at] = rl_random_one_in(c, 2) ? 0 : -21;
            }
        }
        const size_t bytes = (size_t)((channels - 1) * step + 1);
        int8_t *output = rl_case_s8(c, bytes), *plain = rl_case_s8(c, bytes), *expected = rl_case_s8(c, bytes);
        memcpy(plain, output, bytes);
        memcpy(expected, output, bytes);
        expect_outputs(&layer, row, constant, *multiplier, *shift, expected, step);
        const int32_t plain_left = rl_dot_threes_plain(&layer, row, plain, constant, step);
        const int32_t left = loops.dot_threes(&layer, row, output, constant, step);
        rl_case_expect(c, (plain_left != 0) == !usual && (left != 0) == !usual, "channels left without usual scales");
        rl_case_expect(c, left >= plain_left && left <= rl_max_s32(plain_left, 3) + 2, "less than a group left");
        if (usual) {
            rl_case_equal_s8(c, "plain output", expected, plain, bytes);
        }
        rl_case_equal_s8(c, "output", plain, output, left == 0 ? bytes : (size_t)((channels - left) * step));
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// What a case of rl_dot_expanded has besides its job.
struct expanded_case {
    int32_t filters, output_offset;
    bool own, keeps_sums, usual;
    const int32_t *multiplier, *shift; // the scales, or one
    const int32_t *values;             // those of the row
};

static void expect_expanded(const struct rl_dot_expanded *job, const struct expanded_case *e, int8_t *output,
                            int32_t *sums)
{
    for (int32_t i = 0; i < e->filters; i++) {
        const int32_t at = e->own ? i * (int32_t)job->scale_step / 4 : 0;
        sums[i] = job->constant + job->base[i * job->base_step / 4] +
                  rl_products(e->values, job->filter + i * job->filter_step, 4 * job->fours);
        output[i * job->output_step] = rl_reference_output(sums[i], e->multiplier[at], e->shift[at], e->output_offset,
                                                           (int8_t)job->low, (int8_t)job->high);
    }
}

// A row of `fours` in words, and filters that are not next to each other.
static struct rl_dot_expanded expanded_job(struct rl_case *c, struct expanded_case *e)
{
    const int32_t fours = rl_random_in(c, 1, 20), apart = rl_random_in(c, 1, 4);
    const cmsis_nn_activation limits = rl_random_limits(c, INT8_MIN, INT8_MAX);
    rl_case_begin(c, "%ld fours, %ld filters, %ld apart, own scales %d, sums %d, usual %d", (long)fours,
                  (long)e->filters, (long)apart, e->own, e->keeps_sums, e->usual);
    uint32_t *row = rl_case_buffer(c, (size_t)(2 * fours + 2) * sizeof *row, 4);
    int32_t *values = rl_case_s32(c, (size_t)(4 * fours), -255, 255);
    for (int32_t k = 0; k < 4 * fours; k++) {
        rl_set_half(&row[k / 4 * 2 + k % 2], k % 4 / 2, values[k]);
    }
    e->values = values;
    const int32_t filter_step = rl_random_in(c, 4 * fours - 3, 4 * fours + 9);
    const size_t count = (size_t)((e->filters - 1) * apart + 1);
    struct rl_dot_expanded job = {.row = row,
                                  .filter_step = filter_step,
                                  .constant = rl_random_extreme(c, -(1 << 20), 1 << 20),
                                  .low = (uint8_t)limits.min * UINT32_C(0x01010101),
                                  .high = (uint8_t)limits.max * UINT32_C(0x01010101),
                                  .output_step = apart,
                                  .filters = e->filters,
                                  .scale_step = e->own ? 4 * apart : 0,
                                  .rounding = rl_rescale_rounding(e->output_offset),
                                  .fours = fours};
    job.filter = rl_case_s8(c, (size_t)((e->filters - 1) * filter_step + 4 * fours));
    job.base_step = rl_random_one_in(c, 3) ? 0 : 4 * apart;
    job.base = rl_case_s32(c, job.base_step != 0 ? count : 1, -(1 << 20), 1 << 20);
    int32_t *multiplier = rl_case_s32(c, e->own ? count : 1, 1 << 30, INT32_MAX);
    int32_t *shift = rl_case_s32(c, e->own ? count : 1, -20, -1);
    job.scale = rl_rescale_of(job.rounding, *multiplier, *shift);
    if (!e->usual) {
        shift[rl_random_in(c, 0, e->filters - 1) * apart] = rl_random_one_in(c, 2) ? 0 : -21;
    }
    e->multiplier = multiplier;
    e->shift = shift;
    job.multiplier = e->own ? multiplier : NULL;
    job.shift = e->own ? shift : NULL;
    return job;
}

static void test_dot_expanded(struct rl_case *c)
{
    rl_test_start(c, "dot_expanded");
    for (int i = 0; i < CASES; i++) {
        struct expanded_case e = {.filters = 3 * rl_random_in(c, 1, 4), .output_offset = rl_random_in(c, -128, 127)};
        e.keeps_sums = rl_random_one_in(c, 4);
        e.own = rl_random_one_in(c, 2);
        e.usual = !e.own || rl_random_one_in(c, 2);
        struct rl_dot_expanded job = expanded_job(c, &e), plain_job;
        const size_t bytes = (size_t)((e.filters - 1) * job.output_step + 1), count = (size_t)e.filters;
        int8_t *output = rl_case_s8(c, bytes), *plain = rl_case_s8(c, bytes), *expected = rl_case_s8(c, bytes);
        memcpy(plain, output, bytes);
        memcpy(expected, output, bytes);
        int32_t *sums = rl_case_s32(c, count, 0, 0), plain_sums[12], expected_sums[12];
        job.output = output;
        plain_job = job;
        expect_expanded(&job, &e, e.keeps_sums ? rl_case_s8(c, bytes) : expected, expected_sums);
        plain_job.output = plain;
        if (e.keeps_sums) {
            job.sums = sums;
            job.multiplier = sums;
            plain_job.sums = plain_sums;
        }
        rl_dot_expanded_plain(&plain_job);
        loops.dot_expanded(&job);
        const bool ends = !e.usual && !e.keeps_sums;
        rl_case_expect(c, (plain_job.filters != 0) == ends, "filters left without usual scales");
        rl_case_expect(c, job.filters == plain_job.filters, "as many filters left as in the plain form");
        if (!ends) {
            rl_case_equal_s8(c, "plain output", expected, plain, bytes);
        }
        if (e.keeps_sums) {
            rl_case_equal_s32(c, "plain sums", expected_sums, plain_sums, count);
            rl_case_equal_s32(c, "sums", expected_sums, sums, count);
        }
        rl_case_equal_s8(c, "output", plain, output, bytes);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

int main(void)
{
    static struct rl_case c;
    test_dot_expanded(&c);
    test_dot_singles(&c);
    test_dot_threes(&c);
    return rl_test_finish(&c);
}
