// SPDX-License-Identifier: Apache-2.0
// Elementwise layers, activations, softmax, pools and movements of data: the results of `prepare`, `run` and the
// scratch sizes, against the functions of CMSIS-NN's API, or against the definition if CMSIS-NN has no such function. A
// layer that was prepared once runs any number of times, and a run does not change it.
#include "arm_nnfunctions.h"
#include "kernels/isa.h"
#include "rushlight/kernels.h"
#include "support/kernel_test.h"

#include <string.h>

enum { CASES = 100 };

static void random_dims(struct rl_case *c, int32_t most, struct rl_image *image, cmsis_nn_dims *dims)
{
    dims->n = rl_random_in(c, 1, 2);
    dims->h = rl_random_in(c, 1, most);
    dims->w = rl_random_in(c, 1, most);
    dims->c = rl_random_in(c, 1, 2 * most);
    *image = (struct rl_image){dims->n, dims->h, dims->w, dims->c};
}

static void expect_unchanged(struct rl_case *c, const void *before, const void *after, size_t bytes)
{
    rl_case_expect(c, memcmp(before, after, bytes) == 0, "the layer is not changed");
}

static void test_mul(struct rl_case *c)
{
    rl_test_start(c, "mul");
    for (int i = 0; i < CASES; i++) {
        struct rl_mul layer = {
            .input_offset = {rl_random_in(c, -127, 128), rl_random_in(c, INT16_MIN - 100, INT16_MAX + 100)},
            .output_offset = rl_random_in(c, -128, 127),
            .scale = {rl_random_in(c, 0, INT32_MAX), rl_random_in(c, -31, 0)},
            .count = rl_random_in(c, 0, 70),
        };
        const cmsis_nn_activation limits = rl_random_limits(c, INT8_MIN, INT8_MAX);
        layer.range = (struct rl_range){limits.min, limits.max};
        const size_t count = (size_t)layer.count;
        rl_case_begin(c, "%ld elements, scale %ld %ld", (long)count, (long)layer.scale.multiplier,
                      (long)layer.scale.shift);
        const int8_t *a = rl_case_s8(c, count), *b = rl_case_s8(c, count);
        int8_t *expected = rl_case_s8(c, count), *output = rl_case_s8(c, count);
        arm_elementwise_mul_s8(a, b, layer.input_offset[0], layer.input_offset[1], expected, layer.output_offset,
                               layer.scale.multiplier, layer.scale.shift, limits.min, limits.max, layer.count);
        rl_mul_run(&layer, a, b, output);
        rl_case_equal_s8(c, "int8", expected, output, count);
        const int16_t *wide_a = rl_case_s16(c, count), *wide_b = rl_case_s16(c, count);
        int16_t *wide_expected = rl_case_s16(c, count), *wide_output = rl_case_s16(c, count);
        arm_elementwise_mul_s16(wide_a, wide_b, 1, 2, wide_expected, 3, layer.scale.multiplier, layer.scale.shift,
                                limits.min, limits.max, layer.count);
        rl_mul_s16_run(&layer, wide_a, wide_b, wide_output);
        rl_case_equal_s16(c, "int16", wide_expected, wide_output, count);
        arm_elementwise_mul_acc_s16(wide_b, wide_a, 1, 2, wide_expected, 3, layer.scale.multiplier, layer.scale.shift,
                                    INT16_MIN, INT16_MAX, layer.count);
        layer.range = (struct rl_range){INT16_MIN, INT16_MAX};
        rl_mul_add_s16_run(&layer, wide_b, wide_a, wide_output);
        rl_case_equal_s16(c, "int16, added", wide_expected, wide_output, count);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static void test_extremum(struct rl_case *c)
{
    rl_test_start(c, "extremum");
    for (int i = 0; i < CASES; i++) {
        struct rl_extremum layer = {.row = 0};
        cmsis_nn_dims dims[2];
        random_dims(c, 3, &layer.input[0], &dims[0]);
        random_dims(c, 3, &layer.input[1], &dims[1]);
        rl_case_begin(c, "[%ld %ld %ld %ld] and [%ld %ld %ld %ld]", (long)dims[0].n, (long)dims[0].h, (long)dims[0].w,
                      (long)dims[0].c, (long)dims[1].n, (long)dims[1].h, (long)dims[1].w, (long)dims[1].c);
        const cmsis_nn_context none = {NULL, 0};
        const size_t most = 2 * 3 * 3 * 6;
        const int8_t *a = rl_case_s8(c, rl_elements(&dims[0])), *b = rl_case_s8(c, rl_elements(&dims[1]));
        int8_t *expected = rl_case_s8(c, most), *output = rl_case_s8(c, most);
        memcpy(output, expected, most);
        const arm_cmsis_nn_status status = arm_minimum_s8(&none, a, &dims[0], b, &dims[1], expected, &dims[0]);
        const enum rl_status prepared = rl_extremum_prepare(&layer);
        rl_case_expect(c, prepared == (status == ARM_CMSIS_NN_SUCCESS ? RL_OK : RL_ERROR_ARGUMENT), "the status");
        if (prepared == RL_OK) {
            const struct rl_extremum before = layer;
            rl_maximum_run(&layer, a, b, output);
            rl_minimum_run(&layer, a, b, output);
            expect_unchanged(c, &before, &layer, sizeof layer);
            rl_case_equal_s8(c, "minimum", expected, output, most);
            arm_maximum_s8(&none, a, &dims[0], b, &dims[1], expected, &dims[0]);
            rl_maximum_run(&layer, a, b, output);
            rl_case_equal_s8(c, "maximum", expected, output, most);
        }
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static void expect_scratch(struct rl_case *c, struct rl_pool layer)
{
    const int32_t channels = layer.input.c;
    layer.kind = RL_POOL_MAXIMUM;
    rl_case_expect(c, rl_pool_scratch(&layer, RL_ISA_ANY) == 0, "a maximum needs no scratch");
    layer.kind = RL_POOL_AVERAGE;
    rl_case_expect(c, rl_pool_scratch(&layer, RL_ISA_HERE) == arm_avgpool_s8_get_buffer_size(7, channels), "scratch");
    rl_case_expect(c, rl_pool_scratch(&layer, RL_ISA_DSP) == arm_avgpool_s8_get_buffer_size_dsp(7, channels), "DSP");
    rl_case_expect(c, rl_pool_scratch(&layer, RL_ISA_MVE) == arm_avgpool_s8_get_buffer_size_mve(7, channels), "MVE");
    rl_case_expect(c, rl_pool_scratch(&layer, RL_ISA_DSP) == 4 * channels, "DSP, in bytes");
    rl_case_expect(c, rl_pool_scratch(&layer, RL_ISA_ANY) == 4 * channels, "any, in bytes");
    rl_case_expect(c, rl_pool_scratch(&layer, RL_ISA_SCALAR) == 0, "scalar, in bytes");
    rl_case_expect(c, rl_pool_scratch(&layer, RL_ISA_MVE) == 0, "MVE, in bytes");
}

static void test_pool(struct rl_case *c)
{
    rl_test_start(c, "pool");
    for (int i = 0; i < CASES; i++) {
        struct rl_pool layer = {
            .window = {rl_random_in(c, 1, 3), rl_random_in(c, 1, 3)},
            .stride = {rl_random_in(c, 1, 3), rl_random_in(c, 1, 3)},
            .padding = {rl_random_in(c, 0, 3), rl_random_in(c, 0, 3)},
        };
        cmsis_nn_dims input, output = {0, rl_random_in(c, 0, 4), rl_random_in(c, 1, 4), 0};
        random_dims(c, 7, &layer.input, &input);
        layer.input.n = input.n = rl_random_one_in(c, 16) ? 0 : input.n;
        layer.output = (struct rl_image){.h = output.h, .w = output.w};
        const cmsis_nn_activation limits = rl_random_limits(c, INT8_MIN, INT8_MAX);
        layer.range = (struct rl_range){limits.min, limits.max};
        const cmsis_nn_pool_params params = {
            {layer.stride.w, layer.stride.h}, {layer.padding.w, layer.padding.h}, limits};
        const cmsis_nn_dims window = {1, layer.window.h, layer.window.w, 1};
        rl_case_begin(c, "[%ld %ld %ld %ld], windows %ldx%ld, output %ldx%ld", (long)input.n, (long)input.h,
                      (long)input.w, (long)input.c, (long)window.h, (long)window.w, (long)output.h, (long)output.w);
        const size_t inputs = rl_elements(&input), outputs = (size_t)(input.n * output.h * output.w * input.c);
        const cmsis_nn_context scratch = rl_case_scratch(c, arm_avgpool_s8_get_buffer_size(output.w, input.c));
        const int8_t *x = rl_case_s8(c, inputs);
        int8_t *expected = rl_case_s8(c, outputs), *y = rl_case_s8(c, outputs);
        for (int average = 0; average <= 1; average++) {
            layer.kind = average ? RL_POOL_AVERAGE : RL_POOL_MAXIMUM;
            const arm_cmsis_nn_status status =
                (average ? arm_avgpool_s8 : arm_max_pool_s8)(&scratch, &params, &input, x, &window, &output, expected);
            const enum rl_status prepared = rl_pool_prepare(&layer);
            rl_case_expect(c, prepared == (status == ARM_CMSIS_NN_SUCCESS ? RL_OK : RL_ERROR_ARGUMENT), "the status");
            if (prepared == RL_OK) {
                (average ? rl_average_pool_run : rl_maximum_pool_run)(&layer, x, y);
                rl_case_equal_s8(c, average ? "average" : "maximum", expected, y, outputs);
            }
        }
        expect_scratch(c, layer);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// The sum of a window, scaled and rounded as the formula says, in the plainest way.
static int8_t scaled_average(const struct rl_pool *p, const int8_t *x, int32_t y, int32_t column, int32_t channel)
{
    int64_t sum = 0;
    for (int32_t i = 0; i < p->window.h; i++) {
        for (int32_t k = 0; k < p->window.w; k++) {
            const int32_t row = y * p->stride.h - p->padding.h + i, at = column * p->stride.w - p->padding.w + k;
            if (row >= 0 && row < p->input.h && at >= 0 && at < p->input.w) {
                sum += x[(row * p->input.w + at) * p->input.c + channel] + p->input_offset;
            }
        }
    }
    const int64_t scaled = rl_reference_requantize((int32_t)sum, p->scale.multiplier, p->scale.shift);
    const int64_t raised = scaled + p->output_offset < p->range.min ? p->range.min : scaled + p->output_offset;
    return (int8_t)(raised > p->range.max ? p->range.max : raised);
}

static void test_scaled_average(struct rl_case *c)
{
    rl_test_start(c, "scaled average");
    for (int i = 0; i < CASES; i++) {
        // Windows on both sides of the largest whose sums fit 16 bits.
        const int32_t most = rl_random_one_in(c, 4) ? 20 : 4;
        const struct rl_extent window = {rl_random_in(c, 1, most), rl_random_in(c, 1, most)};
        struct rl_pool layer = {
            .kind = RL_POOL_SCALED_AVERAGE,
            .input = {1, window.h + rl_random_in(c, 0, 3), window.w + rl_random_in(c, 0, 3), rl_random_in(c, 1, 21)},
            .window = window,
            .stride = {rl_random_in(c, 1, 3), rl_random_in(c, 1, 3)},
            .padding = {rl_random_in(c, 0, window.h / 2), rl_random_in(c, 0, window.w / 2)},
            .input_offset = rl_random_in(c, -127, 128),
            .output_offset = rl_random_in(c, -128, 127),
            .scale = {rl_random_in(c, 1 << 30, INT32_MAX), rl_random_in(c, -9, 2)},
        };
        const cmsis_nn_activation limits = rl_random_limits(c, INT8_MIN, INT8_MAX);
        layer.range = (struct rl_range){limits.min, limits.max};
        layer.output.h = (layer.input.h + 2 * layer.padding.h - window.h) / layer.stride.h + 1;
        layer.output.w = (layer.input.w + 2 * layer.padding.w - window.w) / layer.stride.w + 1;
        rl_case_begin(c, "%ldx%ld windows of %ldx%ld, %ld channels", (long)layer.output.h, (long)layer.output.w,
                      (long)window.h, (long)window.w, (long)layer.input.c);
        const size_t outputs = (size_t)(layer.output.h * layer.output.w * layer.input.c);
        const int8_t *x = rl_case_s8(c, (size_t)(layer.input.h * layer.input.w * layer.input.c));
        int8_t *expected = rl_case_s8(c, outputs), *y = rl_case_s8(c, outputs);
        for (int32_t k = 0; k < (int32_t)outputs; k++) {
            const int32_t place = k / layer.input.c;
            expected[k] = scaled_average(&layer, x, place / layer.output.w, place % layer.output.w, k % layer.input.c);
        }
        rl_case_expect(c, rl_pool_prepare(&layer) == RL_OK, "prepared");
        rl_scaled_average_pool_run(&layer, x, y);
        rl_case_equal_s8(c, "scaled average", expected, y, outputs);
        rl_case_end(c);
    }
    struct rl_pool vast = {.kind = RL_POOL_SCALED_AVERAGE,
                           .input = {1, 2048, 2049, 1},
                           .output = {1, 1, 1, 1},
                           .window = {2048, 2049},
                           .stride = {1, 1}};
    rl_case_begin(c, "a window whose sum leaves int32");
    rl_case_expect(c, rl_pool_prepare(&vast) == RL_ERROR_ARGUMENT, "refused");
    vast.window.w = 2048;
    rl_case_expect(c, rl_pool_prepare(&vast) == RL_OK, "accepted");
    rl_case_end(c);
    rl_test_stop(c);
}

// The maximum of a window whose pixels lie `dilation` apart, in the plainest way.
static int8_t dilated_maximum(const struct rl_pool *p, const int8_t *x, int32_t y, int32_t column, int32_t channel)
{
    int32_t maximum = INT8_MIN;
    for (int32_t i = 0; i < p->window.h; i++) {
        for (int32_t k = 0; k < p->window.w; k++) {
            const int32_t row = y * p->stride.h - p->padding.h + i * p->dilation.h;
            const int32_t at = column * p->stride.w - p->padding.w + k * p->dilation.w;
            if (row >= 0 && row < p->input.h && at >= 0 && at < p->input.w) {
                const int32_t value = x[(row * p->input.w + at) * p->input.c + channel];
                maximum = value > maximum ? value : maximum;
            }
        }
    }
    const int32_t raised = maximum < p->range.min ? p->range.min : maximum;
    return (int8_t)(raised > p->range.max ? p->range.max : raised);
}

// Some windows hang over the far end, and some have no pixel inside.
static void test_dilated_maximum(struct rl_case *c)
{
    rl_test_start(c, "dilated maximum");
    for (int i = 0; i < CASES; i++) {
        const struct rl_extent window = {rl_random_in(c, 1, 4), rl_random_in(c, 1, 4)};
        struct rl_pool layer = {
            .kind = RL_POOL_MAXIMUM,
            .input = {rl_random_in(c, 1, 2), rl_random_in(c, 1, 9), rl_random_in(c, 1, 9), rl_random_in(c, 1, 9)},
            .output = {.h = rl_random_in(c, 1, 5), .w = rl_random_in(c, 1, 5)},
            .window = window,
            .stride = {rl_random_in(c, 1, 3), rl_random_in(c, 1, 3)},
            .padding = {rl_random_in(c, 0, window.h / 2), rl_random_in(c, 0, window.w / 2)},
            .dilation = {rl_random_in(c, 1, 4), rl_random_one_in(c, 8) ? 32767 : rl_random_in(c, 1, 4)},
        };
        const cmsis_nn_activation limits = rl_random_limits(c, INT8_MIN, INT8_MAX);
        layer.range = (struct rl_range){limits.min, limits.max};
        rl_case_begin(c, "%ldx%ld windows of %ldx%ld, %ldx%ld apart", (long)layer.output.h, (long)layer.output.w,
                      (long)window.h, (long)window.w, (long)layer.dilation.h, (long)layer.dilation.w);
        const int32_t places = layer.output.h * layer.output.w, image = layer.input.h * layer.input.w * layer.input.c;
        const size_t outputs = (size_t)(layer.input.n * places * layer.input.c);
        const int8_t *x = rl_case_s8(c, (size_t)(layer.input.n * image));
        int8_t *expected = rl_case_s8(c, outputs), *y = rl_case_s8(c, outputs);
        for (int32_t k = 0; k < (int32_t)outputs; k++) {
            const int32_t place = k / layer.input.c, in_image = place % places;
            expected[k] = dilated_maximum(&layer, x + place / places * image, in_image / layer.output.w,
                                          in_image % layer.output.w, k % layer.input.c);
        }
        rl_case_expect(c, rl_pool_prepare(&layer) == RL_OK, "prepared");
        rl_dilated_maximum_pool_run(&layer, x, y);
        rl_case_equal_s8(c, "dilated maximum", expected, y, outputs);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static void test_running_sum(struct rl_case *c)
{
    rl_test_start(c, "running sum");
    for (int i = 0; i < CASES; i++) {
        const struct rl_running_sum layer = {
            .outer = rl_random_in(c, 0, 3),
            .count = rl_random_in(c, 0, rl_random_one_in(c, 4) ? 200 : 9),
            .inner = rl_random_one_in(c, 2) ? 1 : rl_random_in(c, 0, 5),
            .input_offset = rl_random_extreme(c, -127, 128),
            .output_offset = rl_random_extreme(c, INT8_MIN, INT8_MAX),
            .scale = {rl_random_in(c, 1 << 30, INT32_MAX), rl_random_in(c, -12, 3)},
        };
        const size_t count = (size_t)(layer.outer * layer.count * layer.inner);
        rl_case_begin(c, "%ld x %ld x %ld", (long)layer.outer, (long)layer.count, (long)layer.inner);
        int8_t *x = rl_case_s8(c, count), *expected = rl_case_s8(c, count), *y = rl_case_s8(c, count);
        for (int32_t k = 0; k < (int32_t)count; k++) {
            const int32_t place = k / layer.inner % layer.count;
            int32_t sum = 0;
            for (int32_t before = 0; before <= place; before++) {
                sum += x[k - before * layer.inner] + layer.input_offset;
            }
            const int64_t scaled = rl_reference_requantize(sum, layer.scale.multiplier, layer.scale.shift);
            expected[k] =
                (int8_t)rl_reference_limited(scaled + layer.output_offset, (cmsis_nn_activation){INT8_MIN, INT8_MAX});
        }
        rl_running_sum_run(&layer, x, y);
        rl_case_equal_s8(c, "output", expected, y, count);
        rl_running_sum_run(&layer, x, x);
        rl_case_equal_s8(c, "in place", expected, x, count);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static void test_softmax(struct rl_case *c)
{
    rl_test_start(c, "softmax");
    for (int i = 0; i < CASES; i++) {
        const struct rl_softmax layer = {.rows = rl_random_in(c, 0, 3),
                                         .row = rl_random_in(c, 1, 40),
                                         .scale = {rl_random_in(c, 1 << 30, INT32_MAX), rl_random_in(c, 18, 24)},
                                         .diff_min = rl_random_in(c, -255, 0)};
        const int32_t mult = layer.scale.multiplier, shift = layer.scale.shift, least = layer.diff_min;
        const size_t count = (size_t)(layer.rows * layer.row);
        rl_case_begin(c, "%ld rows of %ld, shift %ld", (long)layer.rows, (long)layer.row, (long)shift);
        const int8_t *x = rl_case_s8(c, count);
        int8_t *expected = rl_case_s8(c, count), *y = rl_case_s8(c, count);
        arm_softmax_s8(x, layer.rows, layer.row, mult, shift, least, expected);
        rl_softmax_run(&layer, x, y);
        rl_case_equal_s8(c, "int8", expected, y, count);
        arm_softmax_u8((const uint8_t *)x, layer.rows, layer.row, mult, shift, least, (uint8_t *)expected);
        rl_softmax_u8_run(&layer, (const uint8_t *)x, (uint8_t *)y);
        rl_case_equal_s8(c, "uint8", expected, y, count);
        int16_t *wide_expected = rl_case_s16(c, count), *wide = rl_case_s16(c, count);
        arm_softmax_s8_s16(x, layer.rows, layer.row, mult, shift, least, wide_expected);
        rl_softmax_s8_s16_run(&layer, x, wide);
        rl_case_equal_s16(c, "int8 to int16", wide_expected, wide, count);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static void test_activation(struct rl_case *c)
{
    rl_test_start(c, "activation");
    for (int i = 0; i < CASES; i++) {
        const size_t count = (size_t)rl_random_in(c, 0, 70);
        const cmsis_nn_activation limits = rl_random_limits(c, INT8_MIN, INT8_MAX);
        rl_case_begin(c, "%ld elements in %ld..%ld", (long)count, (long)limits.min, (long)limits.max);
        const struct rl_table table = {rl_case_s8(c, 256), (int32_t)count};
        const struct rl_limit limit = {{limits.min, limits.max}, (int32_t)count};
        const struct rl_sigmoid sigmoid = {rl_random_one_in(c, 2), rl_random_in(c, -4, 4), (int32_t)count};
        int8_t *x = rl_case_s8(c, count), *expected = rl_case_s8(c, count), *y = rl_case_s8(c, count);
        int16_t *wide = rl_case_s16(c, count), *wide_expected = rl_case_s16(c, count);
        for (size_t k = 0; k < count; k++) {
            expected[k] = table.results[x[k] + 128];
        }
        rl_table_run(&table, x, y);
        rl_case_equal_s8(c, "table", expected, y, count);
        memcpy(y, x, count);
        rl_table_run(&table, y, y);
        rl_case_equal_s8(c, "table, in place", expected, y, count);
        for (size_t k = 0; k < count; k++) {
            expected[k] = (int8_t)rl_reference_limited(x[k], limits);
            wide_expected[k] = (int16_t)rl_reference_limited(wide[k], limits);
        }
        rl_limit_run(&limit, x, x);
        rl_case_equal_s8(c, "limits, in place", expected, x, count);
        int16_t *wide_y = rl_case_s16(c, count);
        rl_limit_s16_run(&limit, wide, wide_y);
        rl_case_equal_s16(c, "limits of int16", wide_expected, wide_y, count);
        arm_nn_activation_s16(wide, wide_expected, sigmoid.count, sigmoid.left_shift,
                              sigmoid.is_tanh ? ARM_TANH : ARM_SIGMOID);
        rl_sigmoid_s16_run(&sigmoid, wide, wide);
        rl_case_equal_s16(c, "sigmoid or tanh, in place", wide_expected, wide, count);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static void test_transpose(struct rl_case *c)
{
    rl_test_start(c, "transpose");
    for (int i = 0; i < CASES; i++) {
        struct rl_transpose layer = {.rank = rl_random_in(c, 3, 4)};
        struct rl_image image;
        cmsis_nn_dims dims;
        random_dims(c, 5, &image, &dims);
        const int32_t sizes[4] = {dims.n, dims.h, dims.w, layer.rank == 4 ? dims.c : 1};
        dims.c = sizes[3];
        memcpy(layer.sizes, sizes, sizeof sizes);
        const uint32_t first = (uint32_t)rl_random_in(c, 0, layer.rank); // one too many, at times
        for (uint32_t k = 0; k < 4; k++) {
            layer.permutation[k] = k == 0 ? first : (first + 2 * k) % (uint32_t)layer.rank; // twice, at times
        }
        rl_case_begin(c, "rank %ld, [%ld %ld %ld %ld], from %ld", (long)layer.rank, (long)dims.n, (long)dims.h,
                      (long)dims.w, (long)dims.c, (long)first);
        const size_t count = rl_elements(&dims);
        const int8_t *x = rl_case_s8(c, count);
        int8_t *expected = rl_case_s8(c, count), *y = rl_case_s8(c, count);
        const cmsis_nn_transpose_params params = {layer.rank, layer.permutation};
        const arm_cmsis_nn_status status = arm_transpose_s8(x, expected, &dims, &dims, &params);
        const enum rl_status prepared = rl_transpose_prepare(&layer);
        rl_case_expect(c, prepared == (status == ARM_CMSIS_NN_SUCCESS ? RL_OK : RL_ERROR_ARGUMENT), "the status");
        if (prepared == RL_OK) {
            const struct rl_transpose before = layer;
            rl_transpose_run(&layer, x, y);
            expect_unchanged(c, &before, &layer, sizeof layer);
            rl_case_equal_s8(c, "output", expected, y, count);
        }
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static void test_copies(struct rl_case *c)
{
    rl_test_start(c, "pad and concatenation");
    for (int i = 0; i < CASES; i++) {
        struct rl_pad pad = {.value = (int8_t)rl_random_in(c, -128, 127)};
        cmsis_nn_dims dims, before, after;
        random_dims(c, 3, &pad.input, &dims);
        random_dims(c, 2, &pad.before, &before);
        random_dims(c, 2, &pad.after, &after);
        rl_case_begin(c, "[%ld %ld %ld %ld]", (long)dims.n, (long)dims.h, (long)dims.w, (long)dims.c);
        const size_t count = rl_elements(&dims);
        const size_t padded = (size_t)((before.n + dims.n + after.n) * (before.h + dims.h + after.h) *
                                       (before.w + dims.w + after.w) * (before.c + dims.c + after.c));
        const int8_t *x = rl_case_s8(c, count);
        int8_t *expected = rl_case_s8(c, padded), *y = rl_case_s8(c, padded);
        arm_pad_s8(x, expected, pad.value, &dims, &before, &after);
        rl_pad_run(&pad, x, y);
        rl_case_equal_s8(c, "padded", expected, y, padded);
        // Three channels and those of the input, between them what was there.
        const uint32_t runs = (uint32_t)(dims.n * dims.h * dims.w), run = (uint32_t)dims.c;
        const struct rl_concatenation copy = {runs, run, run + 3};
        int8_t *joined = rl_case_s8(c, runs * (run + 3));
        rl_concatenation_run(&copy, x, joined + 3);
        for (uint32_t k = 0; k < runs; k++) {
            rl_case_equal_s8(c, "joined", x + k * run, joined + 3 + k * (run + 3), run);
        }
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// Rows and columns of one side: one of them dense, or both apart.
static void random_steps(struct rl_case *c, const struct rl_move *move, int32_t *row, int32_t *column)
{
    const int32_t gap = (int32_t)rl_random_in(c, 0, 3);
    *column = rl_random_one_in(c, 2) ? 1 : move->rows + gap;
    *row = *column == 1 ? move->columns + gap : 1;
    if (rl_random_one_in(c, 8)) {
        *column = 2;
        *row = 2 * move->columns + gap;
    }
}

static void test_move(struct rl_case *c)
{
    rl_test_start(c, "move");
    for (int i = 0; i < 4 * CASES; i++) {
        struct rl_move move = {.rows = (int32_t)rl_random_in(c, 0, 21), .columns = (int32_t)rl_random_in(c, 0, 40)};
        random_steps(c, &move, &move.to_row, &move.to_column);
        random_steps(c, &move, &move.from_row, &move.from_column);
        rl_case_begin(c, "[%ld %ld] from %ld, %ld to %ld, %ld", (long)move.rows, (long)move.columns,
                      (long)move.from_row, (long)move.from_column, (long)move.to_row, (long)move.to_column);
        const size_t sources = (size_t)(move.rows * move.from_row + move.columns * move.from_column);
        const size_t targets = (size_t)(move.rows * move.to_row + move.columns * move.to_column);
        const int8_t *from = rl_case_s8(c, sources);
        int8_t *to = rl_case_s8(c, targets), *expected = rl_case_s8(c, targets);
        memcpy(expected, to, targets);
        for (int32_t row = 0; row < move.rows; row++) {
            for (int32_t column = 0; column < move.columns; column++) {
                expected[row * move.to_row + column * move.to_column] =
                    from[row * move.from_row + column * move.from_column];
            }
        }
        rl_move_run(&move, from, to);
        rl_case_equal_s8(c, "moved", expected, to, targets);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

int main(void)
{
    struct rl_case c = {0};
    test_mul(&c);
    test_extremum(&c);
    test_pool(&c);
    test_scaled_average(&c);
    test_dilated_maximum(&c);
    test_running_sum(&c);
    test_softmax(&c);
    test_activation(&c);
    test_transpose(&c);
    test_copies(&c);
    test_move(&c);
    return rl_test_finish(&c);
}
