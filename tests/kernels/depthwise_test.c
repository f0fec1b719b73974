// SPDX-License-Identifier: Apache-2.0
// int8 depthwise convolutions against the definition: all entries, odd shapes, scratch of exactly the announced size or
// less.
#include "arm_nnfunctions.h"
#include "support/kernel_test.h"

#include <string.h>

// One depthwise convolution; every buffer belongs to the case.
struct problem {
    cmsis_nn_dw_conv_params params;
    cmsis_nn_per_channel_quant_params quant;
    cmsis_nn_dims input_dims, filter_dims, bias_dims, output_dims;
    int8_t *input, *filter, *output, *expected;
    int32_t *bias;
};

// The four entries have one signature.
typedef arm_cmsis_nn_status depthwise_function(const cmsis_nn_context *, const cmsis_nn_dw_conv_params *,
                                               const cmsis_nn_per_channel_quant_params *, const cmsis_nn_dims *,
                                               const int8_t *, const cmsis_nn_dims *, const int8_t *,
                                               const cmsis_nn_dims *, const int32_t *, const cmsis_nn_dims *, int8_t *);

static void random_values(struct rl_case *c, struct problem *p)
{
    const int32_t channels = p->output_dims.c;
    p->params.input_offset = rl_random_extreme(c, -127, 128);
    p->params.output_offset = rl_random_extreme(c, -128, 127);
    p->params.activation.min = rl_random_one_in(c, 2) ? -128 : rl_random_in(c, -128, 0);
    p->params.activation.max = rl_random_one_in(c, 2) ? 127 : rl_random_in(c, p->params.activation.min, 127);
    if (rl_random_one_in(c, 4)) { // as a ReLU is quantized
        p->params.output_offset = -128;
        p->params.activation = (cmsis_nn_activation){-128, 127};
    }
    p->filter_dims.n = 1;
    p->filter_dims.c = channels;
    p->bias_dims = (cmsis_nn_dims){1, 1, 1, channels};
    p->input = rl_case_buffer(c, rl_elements(&p->input_dims), (size_t)rl_random_in(c, 0, 3));
    p->filter = rl_case_buffer(c, rl_elements(&p->filter_dims), (size_t)rl_random_in(c, 0, 3));
    p->output = rl_case_buffer(c, rl_elements(&p->output_dims), (size_t)rl_random_in(c, 0, 3));
    p->expected = rl_case_buffer(c, rl_elements(&p->output_dims), 0);
    rl_random_s8(c, p->input, rl_elements(&p->input_dims));
    rl_random_s8(c, p->filter, rl_elements(&p->filter_dims));

    const size_t words = (size_t)channels * sizeof(int32_t);
    p->bias = rl_random_one_in(c, 4) ? NULL : rl_case_buffer(c, words, 4);
    p->quant.multiplier = rl_case_buffer(c, words, 4);
    p->quant.shift = rl_case_buffer(c, words, 4);
    const int32_t left_shifts = rl_random_in(c, 0, 2); // of none, of some channels, of any
    for (int32_t i = 0; i < channels; i++) {
        rl_random_scale(c, &p->quant.multiplier[i], &p->quant.shift[i]);
        const bool may_shift_left = left_shifts == 2 || (left_shifts == 1 && rl_random_one_in(c, 8));
        if (!may_shift_left && p->quant.shift[i] >= 0) {
            p->quant.shift[i] = -1;
        } else if (may_shift_left && rl_random_one_in(c, 2)) {
            p->quant.shift[i] = rl_random_in(c, 0, 8);
        }
        if (p->bias) {
            const int32_t most = rl_random_one_in(c, 32) ? INT32_C(1) << 29 : 20000;
            p->bias[i] = rl_random_extreme(c, -most, most);
        }
    }
}

static int32_t reference_sum(const struct problem *p, int32_t n, int32_t y, int32_t x, int32_t channel)
{
    const cmsis_nn_dims *in = &p->input_dims;
    const cmsis_nn_dims *f = &p->filter_dims;
    const int32_t in_channel = channel / (p->output_dims.c / in->c);
    int32_t sum = p->bias ? p->bias[channel] : 0;
    for (int32_t i = 0; i < f->h; i++) {
        for (int32_t j = 0; j < f->w; j++) {
            const int32_t in_y = y * p->params.stride.h - p->params.padding.h + i * p->params.dilation.h;
            const int32_t in_x = x * p->params.stride.w - p->params.padding.w + j * p->params.dilation.w;
            if (in_y >= 0 && in_x >= 0 && in_y < in->h && in_x < in->w) {
                const int32_t value = p->input[((n * in->h + in_y) * in->w + in_x) * in->c + in_channel];
                sum += (value + p->params.input_offset) * p->filter[(i * f->w + j) * f->c + channel];
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

static void describe(struct rl_case *c, const struct problem *p)
{
    rl_case_begin(c,
                  "in %ldx%ldx%ldx%ld multiplier %ld filter %ldx%ld out %ldx%ld stride %ld,%ld pad %ld,%ld "
                  "dilation %ld,%ld",
                  (long)p->input_dims.n, (long)p->input_dims.h, (long)p->input_dims.w, (long)p->input_dims.c,
                  (long)p->params.ch_mult, (long)p->filter_dims.h, (long)p->filter_dims.w, (long)p->output_dims.h,
                  (long)p->output_dims.w, (long)p->params.stride.h, (long)p->params.stride.w, (long)p->params.padding.h,
                  (long)p->params.padding.w, (long)p->params.dilation.h, (long)p->params.dilation.w);
}

static void run_and_check(struct rl_case *c, struct problem *p, depthwise_function *function, int32_t announced)
{
    const cmsis_nn_context ctx = rl_case_any_scratch(c, announced, 1, 1);
    const arm_cmsis_nn_status status = function(&ctx, &p->params, &p->quant, &p->input_dims, p->input, &p->filter_dims,
                                                p->filter, &p->bias_dims, p->bias, &p->output_dims, p->output);
    reference(p);
    rl_case_expect(c, status == ARM_CMSIS_NN_SUCCESS, "success");
    rl_case_equal_s8(c, "output", p->expected, p->output, rl_elements(&p->output_dims));
    rl_case_end(c);
}

static void run_wrapper(struct rl_case *c, struct problem *p)
{
    const int32_t bytes =
        arm_depthwise_conv_wrapper_s8_get_buffer_size(&p->params, &p->input_dims, &p->filter_dims, &p->output_dims);
    run_and_check(c, p, arm_depthwise_conv_wrapper_s8, bytes);
}

// Random stride and padding, and the output that they give; false when it is empty.
static bool finish_shape(struct rl_case *c, struct problem *p)
{
    p->params.stride = (cmsis_nn_tile){rl_random_in(c, 1, 3), rl_random_in(c, 1, 3)};
    const int32_t reach_h = (p->filter_dims.h - 1) * p->params.dilation.h;
    const int32_t reach_w = (p->filter_dims.w - 1) * p->params.dilation.w;
    const int32_t room_h = p->input_dims.h + p->params.padding.h + rl_random_in(c, 0, 2) - reach_h - 1;
    const int32_t room_w = p->input_dims.w + p->params.padding.w + rl_random_in(c, 0, 2) - reach_w - 1;
    if (room_h < 0 || room_w < 0) {
        return false;
    }
    p->output_dims = (cmsis_nn_dims){p->input_dims.n, room_h / p->params.stride.h + 1, room_w / p->params.stride.w + 1,
                                     p->input_dims.c * p->params.ch_mult};
    return true;
}

// Runs a layer whose window has a place in its image.
static void try_wrapper(struct rl_case *c, struct problem *p)
{
    if (!finish_shape(c, p)) {
        return;
    }
    describe(c, p);
    random_values(c, p);
    run_wrapper(c, p);
}

static int32_t random_channels(struct rl_case *c)
{
    return rl_random_one_in(c, 8) ? rl_random_in(c, 60, 140) : rl_random_in(c, 1, 20);
}

static void test_plain(struct rl_case *c)
{
    rl_test_start(c, "depthwise_multiplier_1");
    for (int i = 0; i < 250; i++) {
        struct problem p;
        memset(&p, 0, sizeof p);
        p.params.ch_mult = 1;
        p.params.dilation = (cmsis_nn_tile){1, 1};
        p.params.padding = (cmsis_nn_tile){rl_random_in(c, 0, 3), rl_random_in(c, 0, 3)};
        p.input_dims = (cmsis_nn_dims){1, rl_random_in(c, 1, 10), rl_random_in(c, 1, 14), random_channels(c)};
        p.filter_dims.h = rl_random_one_in(c, 2) ? 3 : rl_random_in(c, 1, 6);
        p.filter_dims.w = rl_random_one_in(c, 2) ? p.filter_dims.h : rl_random_in(c, 1, 6);
        try_wrapper(c, &p);
    }
    rl_test_stop(c);
}

// 3x3 with four channels or more, of which DSP cores compute pairs of outputs with a stride of 2.
static void test_fours(struct rl_case *c)
{
    rl_test_start(c, "depthwise_3x3_of_fours");
    for (int i = 0; i < 300; i++) {
        struct problem p;
        memset(&p, 0, sizeof p);
        p.params.ch_mult = 1;
        p.params.dilation = (cmsis_nn_tile){1, rl_random_one_in(c, 4) ? 2 : 1};
        p.params.padding = (cmsis_nn_tile){rl_random_in(c, 0, 3), rl_random_in(c, 0, 3)};
        p.input_dims = (cmsis_nn_dims){rl_random_in(c, 1, 2), rl_random_in(c, 1, 12), rl_random_in(c, 5, 24),
                                       rl_random_one_in(c, 2) ? 4 * rl_random_in(c, 1, 4) : rl_random_in(c, 5, 15)};
        p.filter_dims.h = p.filter_dims.w = 3;
        try_wrapper(c, &p);
    }
    rl_test_stop(c);
}

// An image of no channels: nothing is read, and nothing written.
static void test_no_channels(struct rl_case *c)
{
    rl_test_start(c, "depthwise_without_channels");
    struct problem p;
    memset(&p, 0, sizeof p);
    p.params.ch_mult = 1;
    p.params.dilation = (cmsis_nn_tile){1, 1};
    p.input_dims = (cmsis_nn_dims){1, 6, 6, 0};
    p.filter_dims.h = p.filter_dims.w = 3;
    try_wrapper(c, &p);
    rl_test_stop(c);
}

// Images of several blocks each way, with any dilation that a block still holds.
static void test_large_images(struct rl_case *c)
{
    rl_test_start(c, "depthwise_large_images");
    for (int i = 0; i < 80; i++) {
        struct problem p;
        memset(&p, 0, sizeof p);
        p.params.ch_mult = 1;
        p.params.dilation = (cmsis_nn_tile){1, 1};
        if (rl_random_one_in(c, 3)) {
            p.params.dilation = (cmsis_nn_tile){rl_random_in(c, 1, 5), rl_random_in(c, 1, 5)};
        }
        p.params.padding = (cmsis_nn_tile){rl_random_in(c, 0, 4), rl_random_in(c, 0, 4)};
        p.input_dims = (cmsis_nn_dims){1, rl_random_in(c, 1, 40), rl_random_in(c, 1, 40), rl_random_in(c, 1, 17)};
        p.filter_dims.h = rl_random_one_in(c, 2) ? 3 : rl_random_in(c, 1, 7);
        p.filter_dims.w = rl_random_one_in(c, 2) ? p.filter_dims.h : rl_random_in(c, 1, 7);
        try_wrapper(c, &p);
    }
    rl_test_stop(c);
}

// Filters of one line or column, and the smallest, on images of several bands each way (mve/depthwise_bands_nest.h).
static void test_lines(struct rl_case *c)
{
    rl_test_start(c, "depthwise_lines_and_columns");
    for (int i = 0; i < 60; i++) {
        struct problem p;
        memset(&p, 0, sizeof p);
        const int32_t taps = rl_random_in(c, 1, 12), kind = rl_random_in(c, 0, 2);
        p.params.ch_mult = rl_random_one_in(c, 4) ? 2 : 1;
        p.params.dilation = (cmsis_nn_tile){1, 1};
        if (rl_random_one_in(c, 4)) {
            p.params.dilation = (cmsis_nn_tile){rl_random_in(c, 1, 3), rl_random_in(c, 1, 3)};
        }
        p.params.padding = (cmsis_nn_tile){rl_random_in(c, 0, 4), rl_random_in(c, 0, 4)};
        p.input_dims = (cmsis_nn_dims){1, rl_random_in(c, 1, 30), rl_random_in(c, 1, 30), rl_random_in(c, 8, 40)};
        p.filter_dims.h = kind == 0 ? 1 : taps;
        p.filter_dims.w = kind == 1 ? 1 : taps;
        if (kind == 2) {
            p.filter_dims.h = p.filter_dims.w = 2;
        }
        try_wrapper(c, &p);
    }
    rl_test_stop(c);
}

static void test_large_filters(struct rl_case *c)
{
    rl_test_start(c, "depthwise_large_filters");
    for (int i = 0; i < 20; i++) {
        struct problem p;
        memset(&p, 0, sizeof p);
        p.params.ch_mult = 1;
        p.params.dilation = (cmsis_nn_tile){1, 1};
        p.params.padding = (cmsis_nn_tile){rl_random_in(c, 0, 9), rl_random_in(c, 0, 9)};
        p.input_dims = (cmsis_nn_dims){1, rl_random_in(c, 8, 12), rl_random_in(c, 8, 12), rl_random_in(c, 1, 9)};
        p.filter_dims.h = rl_random_in(c, 7, 12);
        p.filter_dims.w = rl_random_in(c, 7, 12);
        try_wrapper(c, &p);
    }
    rl_test_stop(c);
}

static void test_multiplier(struct rl_case *c)
{
    rl_test_start(c, "depthwise_any_multiplier_dilation_and_batch");
    for (int i = 0; i < 200; i++) {
        struct problem p;
        memset(&p, 0, sizeof p);
        p.params.ch_mult = rl_random_one_in(c, 2) ? rl_random_in(c, 1, 3) : 4 * rl_random_in(c, 1, 4);
        if (rl_random_one_in(c, 8)) {
            p.params.ch_mult = rl_random_in(c, 5, 50);
        }
        p.params.dilation = (cmsis_nn_tile){rl_random_in(c, 1, 2), rl_random_in(c, 1, 2)};
        p.params.padding = (cmsis_nn_tile){rl_random_in(c, 0, 3), rl_random_in(c, 0, 3)};
        const int32_t channels = rl_random_one_in(c, 3) ? 1 : rl_random_in(c, 2, 9);
        p.input_dims = (cmsis_nn_dims){rl_random_in(c, 1, 2), rl_random_in(c, 1, 9), rl_random_in(c, 1, 9), channels};
        p.filter_dims.h = rl_random_in(c, 1, 5);
        p.filter_dims.w = rl_random_in(c, 1, 4);
        if (!finish_shape(c, &p)) {
            continue;
        }
        describe(c, &p);
        random_values(c, &p);
        if (rl_random_one_in(c, 3)) {
            run_and_check(c, &p, arm_depthwise_conv_s8, 0);
        } else {
            run_wrapper(c, &p);
        }
    }
    rl_test_stop(c);
}

// Windows of up to 132 taps, which take other paths than small ones, often with a single output.
static void test_multiplier_large_filters(struct rl_case *c)
{
    rl_test_start(c, "depthwise_multiplier_and_large_filters");
    for (int i = 0; i < 60; i++) {
        struct problem p;
        memset(&p, 0, sizeof p);
        p.params.ch_mult = rl_random_one_in(c, 3) ? 1 : rl_random_in(c, 2, 14);
        p.params.dilation = (cmsis_nn_tile){1, 1};
        p.filter_dims.h = rl_random_in(c, 1, 11);
        p.filter_dims.w = rl_random_in(c, 4, 12);
        if (rl_random_one_in(c, 2)) {
            p.params.padding = (cmsis_nn_tile){rl_random_in(c, 0, 6), rl_random_in(c, 0, 6)};
        }
        p.input_dims = (cmsis_nn_dims){1, p.filter_dims.h + rl_random_in(c, 0, 3),
                                       p.filter_dims.w + rl_random_in(c, 0, 3), rl_random_in(c, 1, 10)};
        try_wrapper(c, &p);
    }
    rl_test_stop(c);
}

// Fours of channels that share an input, in images that do not fit the memory for them at once.
static void test_shared_inputs(struct rl_case *c)
{
    rl_test_start(c, "depthwise_multiplier_and_large_images");
    for (int i = 0; i < 40; i++) {
        struct problem p;
        memset(&p, 0, sizeof p);
        p.params.ch_mult = 4 * rl_random_in(c, 1, 3);
        p.params.dilation = (cmsis_nn_tile){1, rl_random_one_in(c, 4) ? 2 : 1};
        p.params.padding = (cmsis_nn_tile){rl_random_in(c, 0, 6), rl_random_in(c, 0, 6)};
        p.filter_dims.h = rl_random_in(c, 1, 11);
        p.filter_dims.w = rl_random_in(c, 1, 11);
        p.input_dims = (cmsis_nn_dims){rl_random_in(c, 1, 2), rl_random_in(c, 1, 40), rl_random_in(c, 1, 40),
                                       rl_random_in(c, 2, 3)};
        try_wrapper(c, &p);
    }
    rl_test_stop(c);
}

// A large filter with a multiplier, whatever the scratch: programs made for other cores plan other sizes.
static void test_every_scratch(struct rl_case *c)
{
    rl_test_start(c, "depthwise_large_filter_in_every_scratch");
    for (int32_t bytes = 8; bytes <= 2400; bytes += 8) {
        struct problem p;
        memset(&p, 0, sizeof p);
        p.params.ch_mult = 11;
        p.params.stride = (cmsis_nn_tile){2, 1};
        p.params.dilation = (cmsis_nn_tile){1, 1};
        p.params.padding = (cmsis_nn_tile){6, 2};
        p.input_dims = (cmsis_nn_dims){1, 8, 10, 1};
        p.filter_dims.h = 8 + bytes % 3;
        p.filter_dims.w = 12;
        p.output_dims = (cmsis_nn_dims){1, 2, 4, 11};
        describe(c, &p);
        random_values(c, &p);
        const cmsis_nn_context ctx = rl_case_scratch(c, bytes);
        const arm_cmsis_nn_status status =
            arm_depthwise_conv_s8(&ctx, &p.params, &p.quant, &p.input_dims, p.input, &p.filter_dims, p.filter,
                                  &p.bias_dims, p.bias, &p.output_dims, p.output);
        reference(&p);
        rl_case_expect(c, status == ARM_CMSIS_NN_SUCCESS, "success");
        rl_case_equal_s8(c, "output", p.expected, p.output, rl_elements(&p.output_dims));
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static void test_direct(struct rl_case *c)
{
    rl_test_start(c, "depthwise_opt_and_3x3_called_directly");
    for (int i = 0; i < 60; i++) {
        struct problem p;
        memset(&p, 0, sizeof p);
        p.params.ch_mult = 1;
        p.params.dilation = (cmsis_nn_tile){1, 1};
        p.params.padding = (cmsis_nn_tile){rl_random_in(c, 0, 1), rl_random_in(c, 0, 2)};
        p.input_dims = (cmsis_nn_dims){1, rl_random_in(c, 3, 9), rl_random_in(c, 3, 9), random_channels(c)};
        p.filter_dims.h = 3;
        p.filter_dims.w = 3;
        if (!finish_shape(c, &p)) {
            continue;
        }
        describe(c, &p);
        random_values(c, &p);
        if (rl_random_one_in(c, 2)) {
            run_and_check(c, &p, arm_depthwise_conv_3x3_s8, 0);
        } else {
            run_and_check(c, &p, arm_depthwise_conv_s8_opt,
                          arm_depthwise_conv_s8_opt_get_buffer_size(&p.input_dims, &p.filter_dims));
        }
    }
    rl_test_stop(c);
}

static void check_rejected(struct rl_case *c, const char *what, depthwise_function *function, int32_t filter_size,
                           int32_t pad, int32_t out_channels)
{
    const cmsis_nn_context none = {NULL, 0};
    struct problem p;
    memset(&p, 0, sizeof p);
    p.params.ch_mult = 1;
    p.params.stride = (cmsis_nn_tile){1, 1};
    p.params.dilation = (cmsis_nn_tile){1, 1};
    p.params.padding = (cmsis_nn_tile){pad, 1};
    p.input_dims = (cmsis_nn_dims){1, 5, 5, 4};
    p.filter_dims.h = filter_size;
    p.filter_dims.w = filter_size;
    p.output_dims = (cmsis_nn_dims){1, 5, 5, out_channels};
    rl_case_begin(c, "%s", what);
    random_values(c, &p);
    memcpy(p.expected, p.output, rl_elements(&p.output_dims));
    const arm_cmsis_nn_status status = function(&none, &p.params, &p.quant, &p.input_dims, p.input, &p.filter_dims,
                                                p.filter, &p.bias_dims, p.bias, &p.output_dims, p.output);
    rl_case_expect(c, status == ARM_CMSIS_NN_ARG_ERROR, "ARM_CMSIS_NN_ARG_ERROR");
    rl_case_equal_s8(c, "untouched output", p.expected, p.output, rl_elements(&p.output_dims));
    rl_case_end(c);
}

static void test_rejected(struct rl_case *c)
{
    const cmsis_nn_dims input_dims = {1, 5, 5, 4};
    const cmsis_nn_dims filter_dims = {1, 3, 3, 4};
    rl_test_start(c, "depthwise_rejects_and_touches_nothing");
    check_rejected(c, "channels differ (opt)", arm_depthwise_conv_s8_opt, 3, 1, 8);
    check_rejected(c, "channels differ (3x3)", arm_depthwise_conv_3x3_s8, 3, 1, 8);
    check_rejected(c, "filter is not 3x3", arm_depthwise_conv_3x3_s8, 2, 1, 4);
    check_rejected(c, "two padded columns", arm_depthwise_conv_3x3_s8, 3, 2, 4);
    if (arm_depthwise_conv_s8_opt_get_buffer_size(&input_dims, &filter_dims) > 0) {
        check_rejected(c, "no scratch", arm_depthwise_conv_s8_opt, 3, 1, 4);
    }
    rl_test_stop(c);
}

int main(void)
{
    static struct rl_case c;
    test_plain(&c);
    test_fours(&c);
    test_no_channels(&c);
    test_large_images(&c);
    test_lines(&c);
    test_large_filters(&c);
    test_multiplier(&c);
    test_multiplier_large_filters(&c);
    test_shared_inputs(&c);
    test_every_scratch(&c);
    test_direct(&c);
    test_rejected(&c);
    return rl_test_finish(&c);
}
