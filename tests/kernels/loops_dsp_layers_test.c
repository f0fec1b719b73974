// SPDX-License-Identifier: Apache-2.0
// The loops of kernels/dsp that take a fully connected layer: the plain forms against the definition on every core, and
// the assembler against the plain forms on the cores that have these instructions.
#include "dsp/dot_singles_plain.h"
#include "dsp/dot_threes_plain.h"
#include "isa.h"
#include "loops_dsp.h"
#include "support/kernel_test.h"

#include <string.h>

#if RL_HAS_DSP
#include "dsp/dot_singles.h"
#include "dsp/dot_threes.h"
#endif

// The loops that are compared with the plain forms: the assembler, or on other cores the plain forms themselves.
struct loops {
    void (*dot_singles)(const struct rl_fully_connected *f, const int8_t *input, int8_t *output, int32_t constant);
    int32_t (*dot_threes)(const struct rl_fully_connected *f, const int8_t *input, int8_t *output, int32_t constant,
                          ptrdiff_t step);
};

static const struct loops loops = {
#if RL_HAS_DSP
    rl_dot_singles,
    rl_dot_threes,
#else
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

int main(void)
{
    static struct rl_case c;
    test_dot_singles(&c);
    test_dot_threes(&c);
    return rl_test_finish(&c);
}
