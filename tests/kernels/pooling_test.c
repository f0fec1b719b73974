// SPDX-License-Identifier: Apache-2.0
// Average and maximum pooling of int8 and int16 against the definition: odd shapes, padding, windows that stick out of
// the image.
#include "arm_nnfunctions.h"
#include "support/kernel_test.h"

#include <string.h>

struct problem {
    cmsis_nn_pool_params params;
    cmsis_nn_dims input_dims, window_dims, output_dims;
    bool wide;            // int16
    void *input, *output; // int8 or int16
    int32_t *values;      // the input, widened
    int32_t *expected;
};

// Windows that all touch the image. Some of the larger ones have more elements than fast paths can sum in 16 bits.
static void random_axis(struct rl_case *c, bool large, int32_t *size, int32_t *window, int32_t *stride,
                        int32_t *padding, int32_t *outputs)
{
    *window = large ? rl_random_in(c, 14, 19) : rl_random_in(c, 1, 5);
    *size = large ? rl_random_in(c, 15, 20) : rl_random_in(c, 1, 9);
    *stride = rl_random_in(c, 1, 3);
    *padding = rl_random_in(c, 0, *window - 1);
    *outputs = (*size + *padding - 1) / *stride + 1;
    if (rl_random_one_in(c, 2)) {
        *outputs = rl_random_in(c, 1, *outputs);
    }
    *outputs = large && *outputs > 2 ? 2 : *outputs;
}

static void random_problem(struct rl_case *c, bool wide, struct problem *p)
{
    memset(p, 0, sizeof *p);
    p->wide = wide;
    const bool large = rl_random_one_in(c, 8);
    random_axis(c, large, &p->input_dims.h, &p->window_dims.h, &p->params.stride.h, &p->params.padding.h,
                &p->output_dims.h);
    random_axis(c, large, &p->input_dims.w, &p->window_dims.w, &p->params.stride.w, &p->params.padding.w,
                &p->output_dims.w);
    p->input_dims.n = rl_random_in(c, 1, 2);
    p->input_dims.c = rl_random_one_in(c, 2) ? 4 * rl_random_in(c, 1, 10) : rl_random_in(c, 1, 40);
    if (!large && rl_random_one_in(c, 12)) { // rows that are too long for sums in 16 bits
        p->input_dims.w = p->window_dims.w = rl_random_in(c, 250, 300);
        p->params.stride.w = p->output_dims.w = 1;
        p->params.padding.w = 0;
        p->input_dims.n = 1;
        p->input_dims.c = rl_random_in(c, 1, 8);
    }
    p->output_dims.n = p->input_dims.n;
    p->output_dims.c = p->input_dims.c;
    p->params.activation = wide ? rl_random_limits(c, INT16_MIN, INT16_MAX) : rl_random_limits(c, INT8_MIN, INT8_MAX);
    rl_case_begin(c, "[%ld %ld %ld %ld], windows %ldx%ld, stride %ldx%ld, padding %ldx%ld, output %ldx%ld in %ld..%ld",
                  (long)p->input_dims.n, (long)p->input_dims.h, (long)p->input_dims.w, (long)p->input_dims.c,
                  (long)p->window_dims.h, (long)p->window_dims.w, (long)p->params.stride.h, (long)p->params.stride.w,
                  (long)p->params.padding.h, (long)p->params.padding.w, (long)p->output_dims.h, (long)p->output_dims.w,
                  (long)p->params.activation.min, (long)p->params.activation.max);
    const size_t inputs = rl_elements(&p->input_dims), outputs = rl_elements(&p->output_dims);
    p->input = rl_case_elements(c, wide, inputs);
    p->output = rl_case_elements(c, wide, outputs);
    p->expected = rl_case_s32(c, outputs, 0, 0);
    if (rl_random_one_in(c, 8)) { // the largest sums
        memset(p->input, rl_random_one_in(c, 2) ? INT8_MAX : INT8_MIN, inputs * (wide ? 2 : 1));
    }
    p->values = wide ? rl_case_widen_s16(c, p->input, inputs) : rl_case_widen_s8(c, p->input, inputs, 0);
}

static int32_t reference_output(const struct problem *p, bool average, int32_t n, int32_t y, int32_t x, int32_t channel)
{
    const cmsis_nn_dims *in = &p->input_dims;
    int32_t sum = 0, maximum = INT32_MIN, count = 0;
    for (int32_t dy = 0; dy < p->window_dims.h; dy++) {
        for (int32_t dx = 0; dx < p->window_dims.w; dx++) {
            const int32_t row = y * p->params.stride.h - p->params.padding.h + dy;
            const int32_t column = x * p->params.stride.w - p->params.padding.w + dx;
            if (row < 0 || row >= in->h || column < 0 || column >= in->w) {
                continue;
            }
            const int32_t value = p->values[((n * in->h + row) * in->w + column) * in->c + channel];
            sum += value;
            maximum = value > maximum ? value : maximum;
            count++;
        }
    }
    if (!average) {
        return rl_reference_limited(maximum, p->params.activation);
    }
    const int32_t magnitude = ((sum < 0 ? -sum : sum) + count / 2) / count;
    return rl_reference_limited(sum < 0 ? -magnitude : magnitude, p->params.activation);
}

static arm_cmsis_nn_status run(const struct problem *p, bool average, const cmsis_nn_context *ctx)
{
    if (p->wide) {
        return average ? arm_avgpool_s16(ctx, &p->params, &p->input_dims, p->input, &p->window_dims, &p->output_dims,
                                         p->output)
                       : arm_max_pool_s16(ctx, &p->params, &p->input_dims, p->input, &p->window_dims, &p->output_dims,
                                          p->output);
    }
    return average
               ? arm_avgpool_s8(ctx, &p->params, &p->input_dims, p->input, &p->window_dims, &p->output_dims, p->output)
               : arm_max_pool_s8(ctx, &p->params, &p->input_dims, p->input, &p->window_dims, &p->output_dims,
                                 p->output);
}

static int32_t scratch_bytes(const struct problem *p, bool average)
{
    if (!average) {
        return 0;
    }
    return p->wide ? arm_avgpool_s16_get_buffer_size(p->output_dims.w, p->input_dims.c)
                   : arm_avgpool_s8_get_buffer_size(p->output_dims.w, p->input_dims.c);
}

static void test_pool(struct rl_case *c, const char *name, bool wide, bool average)
{
    rl_test_start(c, name);
    for (int i = 0; i < 300; i++) {
        struct problem p;
        random_problem(c, wide, &p);
        int32_t *expected = p.expected;
        for (int32_t n = 0; n < p.output_dims.n; n++) {
            for (int32_t y = 0; y < p.output_dims.h; y++) {
                for (int32_t x = 0; x < p.output_dims.w; x++) {
                    for (int32_t channel = 0; channel < p.output_dims.c; channel++) {
                        *expected++ = reference_output(&p, average, n, y, x, channel);
                    }
                }
            }
        }
        const cmsis_nn_context ctx = rl_case_scratch(c, scratch_bytes(&p, average));
        rl_case_expect(c, run(&p, average, &ctx) == ARM_CMSIS_NN_SUCCESS, "success");
        rl_case_equal_elements(c, "output", wide, p.expected, p.output, rl_elements(&p.output_dims));
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// A window of more pixels than a loop of kernels/dsp takes, filled with one value.
static void test_largest_window(struct rl_case *c)
{
    rl_test_start(c, "average_pool_s16_of_more_than_2_to_the_15_pixels");
    for (int i = 0; i < 4; i++) {
        struct problem p = {.wide = true};
        p.input_dims = p.window_dims = (cmsis_nn_dims){1, 182, 181 + i / 2, 1};
        p.output_dims = (cmsis_nn_dims){1, 1, 1, 1};
        p.params.stride = (cmsis_nn_tile){1, 1};
        p.params.activation = (cmsis_nn_activation){INT16_MIN, INT16_MAX};
        rl_case_begin(c, "window of %ldx%ld", (long)p.window_dims.h, (long)p.window_dims.w);
        const size_t inputs = rl_elements(&p.input_dims);
        p.input = rl_case_elements(c, true, inputs);
        p.output = rl_case_elements(c, true, 1);
        memset(p.input, i % 2 == 0 ? INT8_MIN : INT8_MAX, inputs * 2);
        p.expected = rl_case_s32(c, 1, 0, 0);
        p.expected[0] = rl_element(true, p.input, 0);
        const cmsis_nn_context ctx = rl_case_scratch(c, scratch_bytes(&p, true));
        rl_case_expect(c, run(&p, true, &ctx) == ARM_CMSIS_NN_SUCCESS, "success");
        rl_case_equal_elements(c, "output", true, p.expected, p.output, 1);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static void expect_refused(struct rl_case *c, struct problem *p, bool average, const cmsis_nn_context *ctx)
{
    const size_t outputs = rl_elements(&p->output_dims);
    for (size_t i = 0; i < outputs; i++) {
        p->expected[i] = rl_element(p->wide, p->output, i);
    }
    rl_case_expect(c, run(p, average, ctx) == ARM_CMSIS_NN_ARG_ERROR, "an argument error");
    rl_case_equal_elements(c, "output", p->wide, p->expected, p->output, outputs);
    rl_case_end(c);
}

static void test_refused(struct rl_case *c)
{
    rl_test_start(c, "bad_arguments_touch_nothing");
    for (int i = 0; i < 40; i++) {
        struct problem p;
        const bool wide = rl_random_one_in(c, 2), average = rl_random_one_in(c, 2);
        random_problem(c, wide, &p);
        const cmsis_nn_context ctx = rl_case_scratch(c, scratch_bytes(&p, average));
        p.input_dims.n = rl_random_in(c, -1, 0);
        expect_refused(c, &p, average, &ctx);

        random_problem(c, wide, &p);
        const cmsis_nn_context again = rl_case_scratch(c, scratch_bytes(&p, true));
        p.params.padding.h = -p.input_dims.h; // the first window starts below the image
        expect_refused(c, &p, true, &again);

        random_problem(c, wide, &p);
        if (scratch_bytes(&p, true) > 0) {
            const cmsis_nn_context none = {NULL, 0};
            expect_refused(c, &p, true, &none);
        }
    }
    rl_test_stop(c);
}

int main(void)
{
    static struct rl_case c;
    test_pool(&c, "average_pool_s8", false, true);
    test_pool(&c, "max_pool_s8", false, false);
    test_pool(&c, "average_pool_s16", true, true);
    test_pool(&c, "max_pool_s16", true, false);
    test_largest_window(&c);
    test_refused(&c);
    return rl_test_finish(&c);
}
