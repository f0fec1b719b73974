// SPDX-License-Identifier: Apache-2.0
// int8 convolutions against the definition: all entries, odd shapes, scratch of exactly the announced size or less.
#include "arm_nnfunctions.h"
#include "support/kernel_test.h"

#include <string.h>

enum { MAX_CHANNELS = 80 };

// One convolution; every buffer belongs to the case.
struct problem {
    cmsis_nn_conv_params params;
    cmsis_nn_per_channel_quant_params quant;
    cmsis_nn_dims input_dims, filter_dims, bias_dims, output_dims, upscale_dims;
    int8_t *input, *filter, *output, *expected;
    int32_t *bias;
    bool upscaled;
};

static int32_t output_size(int32_t input, int32_t pad_before, int32_t pad_after, int32_t kernel, int32_t dilation,
                           int32_t stride)
{
    const int32_t room = input + pad_before + pad_after - (kernel - 1) * dilation - 1;
    return room < 0 ? 0 : room / stride + 1;
}

static void random_values(struct rl_case *c, struct problem *p)
{
    const int32_t out_channels = p->output_dims.c;
    p->params.input_offset = rl_random_extreme(c, -127, 128);
    p->params.output_offset = rl_random_extreme(c, -128, 127);
    p->params.activation.min = rl_random_one_in(c, 2) ? -128 : rl_random_in(c, -128, 0);
    p->params.activation.max = rl_random_one_in(c, 2) ? 127 : rl_random_in(c, p->params.activation.min, 127);
    p->bias_dims = (cmsis_nn_dims){1, 1, 1, out_channels};

    const size_t scale = p->upscaled ? (size_t)(p->upscale_dims.h * p->upscale_dims.w) : 1;
    const size_t inputs =
        (size_t)p->input_dims.n * (size_t)p->input_dims.h * (size_t)p->input_dims.w * (size_t)p->input_dims.c / scale;
    const size_t weights =
        (size_t)out_channels * (size_t)p->filter_dims.h * (size_t)p->filter_dims.w * (size_t)p->filter_dims.c;
    const size_t outputs =
        (size_t)p->output_dims.n * (size_t)p->output_dims.h * (size_t)p->output_dims.w * (size_t)out_channels;
    p->input = rl_case_buffer(c, inputs, (size_t)rl_random_in(c, 0, 3));
    p->filter = rl_case_buffer(c, weights, (size_t)rl_random_in(c, 0, 3));
    p->output = rl_case_buffer(c, outputs, (size_t)rl_random_in(c, 0, 3));
    p->expected = rl_case_buffer(c, outputs, 0);
    rl_random_s8(c, p->input, inputs);
    rl_random_s8(c, p->filter, weights);

    const size_t words = (size_t)out_channels * sizeof(int32_t);
    p->bias = rl_random_one_in(c, 4) ? NULL : rl_case_buffer(c, words, 4);
    p->quant.multiplier = rl_case_buffer(c, words, 4);
    p->quant.shift = rl_case_buffer(c, words, 4);
    const bool right_shifts_only = rl_random_one_in(c, 2);
    for (int32_t i = 0; i < out_channels; i++) {
        rl_random_scale(c, &p->quant.multiplier[i], &p->quant.shift[i]);
        if (right_shifts_only && (p->quant.shift[i] >= 0 || p->quant.shift[i] < -20)) {
            p->quant.shift[i] = -9;
        }
        if (p->bias) {
            p->bias[i] = rl_random_extreme(c, -100000, 100000);
        }
    }
}

// The input value under a tap, offset included; padding and the gaps of an upscaled input count as zero.
static int32_t tap_value(const struct problem *p, int32_t n, int32_t y, int32_t x, int32_t channel)
{
    const int32_t step_h = p->upscaled && p->upscale_dims.h == 2 ? 2 : 1;
    const int32_t step_w = p->upscaled && p->upscale_dims.w == 2 ? 2 : 1;
    const bool absent =
        y < 0 || x < 0 || y >= p->input_dims.h || x >= p->input_dims.w || y % step_h != 0 || x % step_w != 0;
    if (absent) {
        return 0;
    }
    const int32_t rows = p->input_dims.h / step_h;
    const int32_t columns = p->input_dims.w / step_w;
    const int32_t pixel = (n * rows + y / step_h) * columns + x / step_w;
    return p->input[pixel * p->input_dims.c + channel] + p->params.input_offset;
}

static int32_t reference_sum(const struct problem *p, int32_t n, int32_t y, int32_t x, int32_t out_channel)
{
    const cmsis_nn_dims *f = &p->filter_dims;
    const int32_t groups = p->input_dims.c / f->c;
    const int32_t first = out_channel / (p->output_dims.c / groups) * f->c;
    int32_t sum = p->bias ? p->bias[out_channel] : 0;
    for (int32_t i = 0; i < f->h; i++) {
        for (int32_t j = 0; j < f->w; j++) {
            for (int32_t k = 0; k < f->c; k++) {
                const int32_t in_y = y * p->params.stride.h - p->params.padding.h + i * p->params.dilation.h;
                const int32_t in_x = x * p->params.stride.w - p->params.padding.w + j * p->params.dilation.w;
                sum += tap_value(p, n, in_y, in_x, first + k) *
                       p->filter[((out_channel * f->h + i) * f->w + j) * f->c + k];
            }
        }
    }
    return sum;
}

static void reference(const struct problem *p)
{
    int8_t *out = p->expected;
    for (int32_t n = 0; n < p->output_dims.n; n++) {
        for (int32_t y = 0; y < p->output_dims.h; y++) {
            for (int32_t x = 0; x < p->output_dims.w; x++) {
                for (int32_t o = 0; o < p->output_dims.c; o++) {
                    *out++ = rl_reference_output(reference_sum(p, n, y, x, o), p->quant.multiplier[o],
                                                 p->quant.shift[o], p->params.output_offset, p->params.activation.min,
                                                 p->params.activation.max);
                }
            }
        }
    }
}

static void check(struct rl_case *c, const struct problem *p, arm_cmsis_nn_status status)
{
    reference(p);
    const int32_t outputs = p->output_dims.n * p->output_dims.h * p->output_dims.w * p->output_dims.c;
    rl_case_expect(c, status == ARM_CMSIS_NN_SUCCESS, "success");
    rl_case_equal_s8(c, "output", p->expected, p->output, (size_t)outputs);
    rl_case_end(c);
}

static void describe(struct rl_case *c, const struct problem *p)
{
    rl_case_begin(
        c, "in %ldx%ldx%ldx%ld filter %ldx%ldx%ld out %ldx%ldx%ld stride %ld,%ld pad %ld,%ld dilation %ld,%ld",
        (long)p->input_dims.n, (long)p->input_dims.h, (long)p->input_dims.w, (long)p->input_dims.c,
        (long)p->filter_dims.h, (long)p->filter_dims.w, (long)p->filter_dims.c, (long)p->output_dims.h,
        (long)p->output_dims.w, (long)p->output_dims.c, (long)p->params.stride.h, (long)p->params.stride.w,
        (long)p->params.padding.h, (long)p->params.padding.w, (long)p->params.dilation.h, (long)p->params.dilation.w);
}

// Sizes for which output_h and output_w are positive; false otherwise.
static bool set_output(struct rl_case *c, struct problem *p, int32_t out_channels)
{
    // Outputs of a 1x1 filter do not reach over the input.
    const bool is_1x1 = p->filter_dims.h == 1 && p->filter_dims.w == 1;
    const int32_t after_h = is_1x1 ? 0 : rl_random_in(c, 0, 2);
    const int32_t after_w = is_1x1 ? 0 : rl_random_in(c, 0, 2);
    p->output_dims.n = p->input_dims.n;
    p->output_dims.h = output_size(p->input_dims.h, p->params.padding.h, after_h, p->filter_dims.h,
                                   p->params.dilation.h, p->params.stride.h);
    p->output_dims.w = output_size(p->input_dims.w, p->params.padding.w, after_w, p->filter_dims.w,
                                   p->params.dilation.w, p->params.stride.w);
    p->output_dims.c = out_channels;
    p->filter_dims.n = out_channels;
    return p->output_dims.h > 0 && p->output_dims.w > 0;
}

static bool random_shape(struct rl_case *c, struct problem *p, int32_t groups)
{
    memset(p, 0, sizeof *p);
    const int32_t depth = rl_random_one_in(c, 8) ? rl_random_in(c, 20, 40) : rl_random_in(c, 1, 9);
    p->input_dims =
        (cmsis_nn_dims){rl_random_in(c, 1, 2), rl_random_in(c, 1, 9), rl_random_in(c, 1, 9), depth * groups};
    p->filter_dims = (cmsis_nn_dims){0, rl_random_in(c, 1, 4), rl_random_in(c, 1, 4), depth};
    p->params.stride = (cmsis_nn_tile){rl_random_in(c, 1, 3), rl_random_in(c, 1, 3)};
    p->params.padding = (cmsis_nn_tile){rl_random_in(c, 0, 3), rl_random_in(c, 0, 3)};
    p->params.dilation = (cmsis_nn_tile){1, 1};
    if (rl_random_one_in(c, 3)) {
        p->params.dilation = (cmsis_nn_tile){rl_random_in(c, 1, 3), rl_random_in(c, 1, 5)};
        p->input_dims.w += rl_random_in(c, 0, 9); // neighbours on an edge miss the same taps
    }
    const int32_t per_group = rl_random_one_in(c, 16) ? MAX_CHANNELS / groups : rl_random_in(c, 1, 9);
    return set_output(c, p, per_group * groups);
}

// A convolution runs with a single patch.
static int32_t patch_bytes(const struct problem *p)
{
    return p->filter_dims.h * p->filter_dims.w * p->filter_dims.c;
}

static arm_cmsis_nn_status run_general(struct rl_case *c, const struct problem *p)
{
    const cmsis_nn_context ctx =
        rl_case_any_scratch(c, arm_convolve_s8_get_buffer_size(&p->input_dims, &p->filter_dims), patch_bytes(p), 1);
    return arm_convolve_s8(&ctx, &p->params, &p->quant, &p->input_dims, p->input, &p->filter_dims, p->filter,
                           &p->bias_dims, p->bias, p->upscaled ? &p->upscale_dims : NULL, &p->output_dims, p->output);
}

static arm_cmsis_nn_status run_wrapper(struct rl_case *c, const struct problem *p)
{
    const int32_t announced =
        arm_convolve_wrapper_s8_get_buffer_size(&p->params, &p->input_dims, &p->filter_dims, &p->output_dims);
    const cmsis_nn_context ctx = rl_case_any_scratch(c, announced, patch_bytes(p), 1);
    return arm_convolve_wrapper_s8(&ctx, &p->params, &p->quant, &p->input_dims, p->input, &p->filter_dims, p->filter,
                                   &p->bias_dims, p->bias, &p->output_dims, p->output);
}

// Scales that shift right, like those of nearly all models: other scales do not run in the fast loops.
static void usual_scales(struct rl_case *c, const struct problem *p)
{
    for (int32_t k = 0; k < p->filter_dims.n; k++) {
        p->quant.multiplier[k] = rl_random_extreme(c, 1 << 30, INT32_MAX);
        p->quant.shift[k] = rl_random_extreme(c, -20, -1);
    }
}

static void test_general(struct rl_case *c)
{
    rl_test_start(c, "convolve_any_shape");
    for (int i = 0; i < 240; i++) {
        struct problem p;
        if (!random_shape(c, &p, 1)) {
            continue;
        }
        describe(c, &p);
        random_values(c, &p);
        if (i % 2 == 0) {
            usual_scales(c, &p);
        }
        const arm_cmsis_nn_status status = rl_random_one_in(c, 2) ? run_general(c, &p) : run_wrapper(c, &p);
        check(c, &p, status);
    }
    rl_test_stop(c);
}

static void test_groups(struct rl_case *c)
{
    rl_test_start(c, "convolve_groups_with_and_without_bias");
    for (int i = 0; i < 100; i++) {
        struct problem p;
        if (!random_shape(c, &p, rl_random_in(c, 2, 4))) {
            continue;
        }
        describe(c, &p);
        random_values(c, &p);
        check(c, &p, run_wrapper(c, &p));
    }
    rl_test_stop(c);
}

static void test_upscaled(struct rl_case *c)
{
    rl_test_start(c, "convolve_upscaled_input");
    for (int i = 0; i < 60; i++) {
        struct problem p;
        if (!random_shape(c, &p, rl_random_in(c, 1, 2))) {
            continue;
        }
        p.upscaled = true;
        p.upscale_dims = (cmsis_nn_dims){1, rl_random_in(c, 1, 2), rl_random_in(c, 1, 2), 1};
        p.input_dims.h *= p.upscale_dims.h;
        p.input_dims.w *= p.upscale_dims.w;
        set_output(c, &p, p.output_dims.c);
        describe(c, &p);
        random_values(c, &p);
        check(c, &p, run_general(c, &p));
    }
    rl_test_stop(c);
}

static void test_1x1(struct rl_case *c)
{
    rl_test_start(c, "convolve_1x1_any_stride_and_depth");
    for (int i = 0; i < 100; i++) {
        struct problem p;
        memset(&p, 0, sizeof p);
        const int32_t depth = rl_random_in(c, 1, 70);
        const int32_t most[] = {1, 6, 40, 40}, width = rl_random_in(c, 1, most[i % 4]);
        p.input_dims = (cmsis_nn_dims){rl_random_in(c, 1, 2), i % 4 == 0 ? 1 : rl_random_in(c, 1, 6), width, depth};
        p.filter_dims = (cmsis_nn_dims){0, 1, 1, depth};
        const int32_t stride = rl_random_in(c, 1, 3);
        p.params.stride = (cmsis_nn_tile){stride, stride};
        p.params.dilation = (cmsis_nn_tile){1, 1};
        const int32_t out_channels = rl_random_one_in(c, 8) ? MAX_CHANNELS : rl_random_in(c, 1, 20);
        p.output_dims = (cmsis_nn_dims){p.input_dims.n, output_size(p.input_dims.h, 0, 0, 1, 1, stride),
                                        output_size(p.input_dims.w, 0, 0, 1, 1, stride), out_channels};
        p.filter_dims.n = out_channels;
        describe(c, &p);
        random_values(c, &p);
        if (rl_random_one_in(c, 2)) {
            usual_scales(c, &p);
        }
        check(c, &p, run_wrapper(c, &p));
    }
    rl_test_stop(c);
}

// Layers that run as fully connected ones: few pixels, few channels, or one output that sees the whole image; with
// scales for the short path, and others.
static void test_few_outputs(struct rl_case *c)
{
    rl_test_start(c, "convolve_few_pixels_or_channels");
    for (int i = 0; i < 200; i++) {
        struct problem p;
        memset(&p, 0, sizeof p);
        const bool whole = rl_random_one_in(c, 3);
        const int32_t depth = rl_random_in(c, 1, whole ? 20 : 70);
        const int32_t pixels = rl_random_one_in(c, 2) ? rl_random_in(c, 1, 4) : rl_random_in(c, 5, 150);
        p.input_dims = whole
                           ? (cmsis_nn_dims){rl_random_in(c, 1, 3), rl_random_in(c, 1, 4), rl_random_in(c, 1, 4), depth}
                           : (cmsis_nn_dims){1, 1, pixels, depth};
        p.filter_dims = (cmsis_nn_dims){0, whole ? p.input_dims.h : 1, whole ? p.input_dims.w : 1, depth};
        p.params.stride = (cmsis_nn_tile){1, 1};
        p.params.dilation = (cmsis_nn_tile){1, 1};
        p.filter_dims.n = pixels > 4 ? rl_random_in(c, 1, 10) : rl_random_in(c, 1, 30);
        p.output_dims = (cmsis_nn_dims){p.input_dims.n, 1, whole ? 1 : pixels, p.filter_dims.n};
        describe(c, &p);
        random_values(c, &p);
        if (rl_random_one_in(c, 2)) {
            usual_scales(c, &p);
        }
        check(c, &p, run_wrapper(c, &p));
    }
    rl_test_stop(c);
}

// Kernels take long filters in parts: depths around every multiple of 64, as pixels and as patches.
static void test_long_depths(struct rl_case *c)
{
    rl_test_start(c, "convolve_long_filters");
    for (int32_t length = 64 - 4; length <= 9 * 64 + 4; length += length % 64 == 4 ? 64 - 8 : 1) {
        struct problem p;
        memset(&p, 0, sizeof p);
        const int32_t taps = length % 3 == 0 ? 3 : 1, depth = length / taps;
        p.input_dims = (cmsis_nn_dims){1, rl_random_in(c, 1, 3), rl_random_in(c, 3, 4), depth};
        p.filter_dims = (cmsis_nn_dims){0, 1, taps, depth};
        p.params.stride = (cmsis_nn_tile){1, 1};
        p.params.padding = (cmsis_nn_tile){rl_random_in(c, 0, taps - 1), 0};
        p.params.dilation = (cmsis_nn_tile){1, 1};
        set_output(c, &p, rl_random_in(c, 1, 5));
        if (taps == 1) {
            p.output_dims = (cmsis_nn_dims){1, p.input_dims.h, p.input_dims.w, p.filter_dims.n};
        }
        describe(c, &p);
        random_values(c, &p);
        check(c, &p, rl_random_one_in(c, 2) ? run_general(c, &p) : run_wrapper(c, &p));
    }
    rl_test_stop(c);
}

// The shapes for which Helium reads windows in the input: three columns, stride 1, pixels of whole vectors; and wide
// enough for several of them between the paddings. Odd cases have edges that it reads in place, too.
static void test_three_columns(struct rl_case *c)
{
    rl_test_start(c, "convolve_three_columns");
    for (int i = 0; i < 120; i++) {
        struct problem p;
        memset(&p, 0, sizeof p);
        const bool same = i % 2 == 1;
        const int32_t depth = 16 * rl_random_in(c, 1, 4), channels = rl_random_in(c, 1, 9) * (same ? 2 : 1);
        p.input_dims = (cmsis_nn_dims){rl_random_in(c, 1, 2), rl_random_in(c, 1, same ? 9 : 5),
                                       rl_random_in(c, same ? 1 : 3, 12), depth};
        p.filter_dims = (cmsis_nn_dims){0, same ? 3 : rl_random_in(c, 1, 3), 3, depth};
        p.params.stride = (cmsis_nn_tile){1, same ? 1 : rl_random_in(c, 1, 2)};
        p.params.padding = (cmsis_nn_tile){rl_random_in(c, 0, same ? 1 : 3), same ? 1 : rl_random_in(c, 0, 1)};
        p.params.dilation = (cmsis_nn_tile){1, 1};
        if (set_output(c, &p, rl_random_one_in(c, 16) ? MAX_CHANNELS : channels)) {
            describe(c, &p);
            random_values(c, &p);
            check(c, &p, run_general(c, &p));
        }
    }
    rl_test_stop(c);
}

// Every combination of -128 and 127, and outputs that show each product: kernels may add products before they take
// packed sums apart, and these are the values that come nearest to an overflow there.
static void test_extremes(struct rl_case *c)
{
    rl_test_start(c, "convolve_extreme_values");
    for (int i = 0; i < 100; i++) {
        struct problem p;
        memset(&p, 0, sizeof p);
        const int32_t depth = rl_random_in(c, 1, 9), pixels = rl_random_in(c, 1, 9);
        p.input_dims = (cmsis_nn_dims){1, 1, pixels, depth};
        p.filter_dims = (cmsis_nn_dims){rl_random_in(c, 1, 16), 1, 1, depth};
        p.params.stride = (cmsis_nn_tile){1, 1};
        p.params.dilation = (cmsis_nn_tile){1, 1};
        p.output_dims = (cmsis_nn_dims){1, 1, pixels, p.filter_dims.n};
        describe(c, &p);
        random_values(c, &p);
        for (int32_t k = 0; k < pixels * depth; k++) {
            p.input[k] = rl_random_one_in(c, 2) ? -128 : 127;
        }
        for (int32_t k = 0; k < p.filter_dims.n * depth; k++) {
            p.filter[k] = rl_random_one_in(c, 2) ? -128 : 127;
        }
        for (int32_t k = 0; k < p.filter_dims.n; k++) {
            p.quant.multiplier[k] = INT32_C(1) << 30;
            p.quant.shift[k] = -10;
        }
        check(c, &p, run_wrapper(c, &p));
    }
    rl_test_stop(c);
}

static void test_1_x_n(struct rl_case *c)
{
    rl_test_start(c, "convolve_1_x_n_any_stride_and_padding");
    for (int i = 0; i < 200; i++) {
        struct problem p;
        memset(&p, 0, sizeof p);
        const int32_t stride = rl_random_in(c, 1, 4);
        const int32_t depth = stride == 4 ? rl_random_in(c, 1, 9) : 4 * rl_random_in(c, 1, 16);
        p.input_dims = (cmsis_nn_dims){rl_random_in(c, 1, 2), 1, rl_random_in(c, 1, i % 2 == 0 ? 4 : 30), depth};
        p.filter_dims = (cmsis_nn_dims){0, 1, rl_random_in(c, 2, 9), depth};
        p.params.stride = (cmsis_nn_tile){stride, rl_random_in(c, 1, 2)};
        const int32_t pad = rl_random_one_in(c, 3) ? 0 : rl_random_in(c, 0, 8);
        p.params.padding = (cmsis_nn_tile){pad, rl_random_one_in(c, 8) ? 1 : 0};
        p.params.dilation = (cmsis_nn_tile){1, 1};
        if (!set_output(c, &p, rl_random_one_in(c, 4) ? MAX_CHANNELS : rl_random_in(c, 1, 9))) {
            continue;
        }
        describe(c, &p);
        random_values(c, &p);
        const int32_t announced =
            arm_convolve_1_x_n_s8_get_buffer_size(&p.params, &p.input_dims, &p.filter_dims, &p.output_dims);
        const cmsis_nn_context ctx = rl_case_any_scratch(c, announced, patch_bytes(&p), 1);
        check(c, &p,
              arm_convolve_1_x_n_s8(&ctx, &p.params, &p.quant, &p.input_dims, p.input, &p.filter_dims, p.filter,
                                    &p.bias_dims, p.bias, &p.output_dims, p.output));
    }
    rl_test_stop(c);
}

// A 3x3 convolution of 4 to 6 channels that every function below rejects for one reason.
static void valid_problem(struct rl_case *c, struct problem *p, const char *what)
{
    memset(p, 0, sizeof *p);
    p->input_dims = (cmsis_nn_dims){1, 5, 5, 4};
    p->filter_dims = (cmsis_nn_dims){6, 3, 3, 4};
    p->params.stride = (cmsis_nn_tile){1, 1};
    p->params.padding = (cmsis_nn_tile){1, 1};
    p->params.dilation = (cmsis_nn_tile){1, 1};
    p->output_dims = (cmsis_nn_dims){1, 5, 5, 6};
    rl_case_begin(c, "%s", what);
    random_values(c, p);
    memcpy(p->expected, p->output, 5 * 5 * 6);
}

static void check_rejected(struct rl_case *c, const struct problem *p, arm_cmsis_nn_status status)
{
    rl_case_expect(c, status == ARM_CMSIS_NN_ARG_ERROR, "ARM_CMSIS_NN_ARG_ERROR");
    rl_case_equal_s8(c, "untouched output", p->expected, p->output, 5 * 5 * 6);
    rl_case_end(c);
}

static void test_rejected(struct rl_case *c)
{
    const cmsis_nn_context none = {NULL, 0};
    struct problem p;
    rl_test_start(c, "convolve_rejects_and_touches_nothing");
    valid_problem(c, &p, "no scratch");
    check_rejected(c, &p,
                   arm_convolve_s8(&none, &p.params, &p.quant, &p.input_dims, p.input, &p.filter_dims, p.filter,
                                   &p.bias_dims, p.bias, NULL, &p.output_dims, p.output));
    valid_problem(c, &p, "scratch for less than a patch");
    const cmsis_nn_context small = rl_case_scratch(c, patch_bytes(&p) - 1);
    check_rejected(c, &p,
                   arm_convolve_s8(&small, &p.params, &p.quant, &p.input_dims, p.input, &p.filter_dims, p.filter,
                                   &p.bias_dims, p.bias, NULL, &p.output_dims, p.output));
    valid_problem(c, &p, "three output channels per two groups");
    p.filter_dims.c = 2;
    p.output_dims.c = 3;
    check_rejected(c, &p, run_general(c, &p));
    valid_problem(c, &p, "more filter channels than input channels");
    p.filter_dims.c = 5;
    check_rejected(c, &p, run_general(c, &p));
    valid_problem(c, &p, "filters of three channels over an input of four");
    p.filter_dims.c = 3;
    check_rejected(c, &p, run_general(c, &p));
    valid_problem(c, &p, "padding of a 1x1 convolution");
    check_rejected(c, &p,
                   arm_convolve_1x1_s8(&none, &p.params, &p.quant, &p.input_dims, p.input, &p.filter_dims, p.filter,
                                       &p.bias_dims, p.bias, &p.output_dims, p.output));
    valid_problem(c, &p, "stride of a fast 1x1 convolution");
    p.params.padding = (cmsis_nn_tile){0, 0};
    p.params.stride.w = 2;
    check_rejected(c, &p,
                   arm_convolve_1x1_s8_fast(&none, &p.params, &p.quant, &p.input_dims, p.input, &p.filter_dims,
                                            p.filter, &p.bias_dims, p.bias, &p.output_dims, p.output));
    valid_problem(c, &p, "two rows in a 1xN convolution");
    const cmsis_nn_context ctx = rl_case_scratch(c, 1000);
    check_rejected(c, &p,
                   arm_convolve_1_x_n_s8(&ctx, &p.params, &p.quant, &p.input_dims, p.input, &p.filter_dims, p.filter,
                                         &p.bias_dims, p.bias, &p.output_dims, p.output));
    rl_test_stop(c);
}

int main(void)
{
    static struct rl_case c;
    test_general(&c);
    test_groups(&c);
    test_upscaled(&c);
    test_1x1(&c);
    test_few_outputs(&c);
    test_long_depths(&c);
    test_three_columns(&c);
    test_extremes(&c);
    test_1_x_n(&c);
    test_rejected(&c);
    return rl_test_finish(&c);
}
