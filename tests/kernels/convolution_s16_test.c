// SPDX-License-Identifier: Apache-2.0
// Convolutions and depthwise convolutions of int16 against the definition: every entry, odd shapes, biases of 32 and 64
// bits, scratch of exactly the announced size.
#include "arm_nnfunctions.h"
#include "reference_convolution.h"

#include <string.h>

struct layer {
    struct reference_convolution shape;
    cmsis_nn_per_channel_quant_params quant;
    cmsis_nn_activation limits;
    cmsis_nn_dims filter_dims, bias_dims;
    int16_t *input, *output, *expected;
    int8_t *filter;
    int64_t *bias;        // may be NULL
    int32_t *narrow_bias; // the same values
    bool narrow;
    bool largest;       // every product is the largest there is
    int32_t magnitudes; // unless 0: the weights of each filter add up to minus this, and inputs are the lowest
};

typedef arm_cmsis_nn_status depthwise_function(const cmsis_nn_context *, const cmsis_nn_dw_conv_params *,
                                               const cmsis_nn_per_channel_quant_params *, const cmsis_nn_dims *,
                                               const int16_t *, const cmsis_nn_dims *, const int8_t *,
                                               const cmsis_nn_dims *, const int64_t *, const cmsis_nn_dims *,
                                               int16_t *);

static void random_bias(struct rl_case *c, size_t channels, struct layer *l)
{
    if (rl_random_one_in(c, 4)) {
        return;
    }
    l->narrow_bias = rl_case_s32(c, channels, -1000000, 1000000);
    l->bias = rl_case_buffer(c, channels * sizeof *l->bias, 8);
    for (size_t i = 0; i < channels; i++) {
        l->bias[i] = l->narrow_bias[i] * (int64_t)(l->narrow ? 1 : rl_random_in(c, 1, 1000));
    }
}

// Gives the weights of each filter the sum of -l->magnitudes.
static void fill_filters(const struct layer *l, size_t channels, size_t depth)
{
    for (size_t i = 0; i < channels * depth; i++) {
        const size_t at = i % depth, total = (size_t)l->magnitudes;
        l->filter[i] = (int8_t)(-1 * (int32_t)(total * (at + 1) / depth - total * at / depth));
    }
}

static int64_t scaled(const struct layer *l, int64_t sum, size_t channel)
{
    const int64_t biased = sum + (l->bias ? l->bias[channel] : 0);
    const int32_t multiplier = l->quant.multiplier[channel], shift = l->quant.shift[channel];
    return l->narrow ? rl_reference_requantize(rl_reference_low_word(biased), multiplier, shift)
                     : rl_reference_requantize_s64(biased, multiplier, shift);
}

// Fills a layer whose shape is known, begins the case and computes what is expected.
static void prepare(struct rl_case *c, struct layer *l)
{
    struct reference_convolution *r = &l->shape;
    const size_t channels = (size_t)r->output.c, outputs = rl_elements(&r->output);
    const size_t weights = channels * (size_t)r->height * (size_t)r->width * (r->depthwise ? 1 : (size_t)r->depth);
    reference_convolution_begin(c, r);
    l->limits = rl_random_limits(c, INT16_MIN, INT16_MAX);
    l->bias_dims = (cmsis_nn_dims){1, 1, 1, r->output.c};
    l->filter_dims = r->depthwise ? (cmsis_nn_dims){1, r->height, r->width, r->output.c}
                                  : (cmsis_nn_dims){r->output.c, r->height, r->width, r->depth};
    l->input = rl_case_s16(c, rl_elements(&r->input));
    l->filter = rl_case_s8(c, weights);
    if (l->largest) {
        memset(l->filter, INT8_MIN, weights);
    } else if (l->magnitudes > 0) {
        fill_filters(l, channels, weights / channels);
    }
    for (size_t i = 0; (l->largest || l->magnitudes > 0) && i < rl_elements(&r->input); i++) {
        l->input[i] = INT16_MIN;
    }
    l->output = rl_case_s16(c, outputs);
    l->expected = rl_case_s16(c, outputs);
    random_bias(c, channels, l);
    l->quant.multiplier = rl_case_s32(c, channels, 1 << 30, INT32_MAX);
    // The shifts of quantizers, and now and then those that saturate every output.
    l->quant.shift = rl_case_s32(c, channels, rl_random_one_in(c, 8) ? -20 : -14, rl_random_in(c, -8, -4));
    r->values = rl_case_widen_s16(c, l->input, rl_elements(&r->input));
    r->weights = rl_case_widen_s8(c, l->filter, weights, 0);
    int64_t *sums = rl_case_buffer(c, outputs * sizeof *sums, 0);
    reference_convolution_sums(r, sums);
    for (size_t i = 0; i < outputs; i++) {
        l->expected[i] = (int16_t)rl_reference_limited(scaled(l, sums[i], i % channels), l->limits);
    }
}

static void check(struct rl_case *c, const struct layer *l, arm_cmsis_nn_status status)
{
    rl_case_expect(c, status == ARM_CMSIS_NN_SUCCESS, "success");
    rl_case_equal_s16(c, "output", l->expected, l->output, rl_elements(&l->shape.output));
    rl_case_end(c);
}

static void test_convolve(struct rl_case *c, const char *name, bool narrow)
{
    rl_test_start(c, name);
    for (int i = 0; i < 150; i++) {
        struct layer l;
        memset(&l, 0, sizeof l);
        l.narrow = narrow;
        struct reference_convolution *r = &l.shape;
        reference_convolution_random(c, 8, 4, 2, r);
        r->depth = r->input.c = rl_random_one_in(c, 4) ? rl_random_in(c, 1, 40) : rl_random_in(c, 1, 10);
        r->output.c = rl_random_in(c, 1, 12);
        prepare(c, &l);
        const cmsis_nn_conv_params params = {
            .stride = r->stride, .padding = r->padding, .dilation = r->dilation, .activation = l.limits};
        const cmsis_nn_bias_data bias = {narrow ? (const void *)l.narrow_bias : l.bias, narrow};
        if (rl_random_one_in(c, 2)) {
            const cmsis_nn_context ctx = rl_case_scratch(
                c, arm_convolve_wrapper_s16_get_buffer_size(&params, &r->input, &l.filter_dims, &r->output));
            check(c, &l,
                  arm_convolve_wrapper_s16(&ctx, &params, &l.quant, &r->input, l.input, &l.filter_dims, l.filter,
                                           &l.bias_dims, &bias, &r->output, l.output));
        } else {
            const cmsis_nn_context ctx =
                rl_case_scratch(c, arm_convolve_s16_get_buffer_size(&r->input, &l.filter_dims));
            check(c, &l,
                  arm_convolve_s16(&ctx, &params, &l.quant, &r->input, l.input, &l.filter_dims, l.filter, &l.bias_dims,
                                   &bias, &r->output, l.output));
        }
    }
    rl_test_stop(c);
}

// Filters of more weights than 32 bits hold products of in any case: at random, with the largest products, and on both
// sides of the largest sums. Every position is inside the input, so that all sums are that large.
static void test_convolve_long(struct rl_case *c)
{
    static const int32_t magnitudes[] = {65530, 65533, 65534, 65535, 65536, 65540};
    enum { SUMS = sizeof magnitudes / sizeof *magnitudes, KINDS = SUMS + 2 };
    rl_test_start(c, "convolve_s16_of_long_filters");
    for (int i = 0; i < 3 * KINDS; i++) {
        struct layer l;
        memset(&l, 0, sizeof l);
        l.largest = i % KINDS == SUMS;
        l.magnitudes = i % KINDS < SUMS ? magnitudes[i % KINDS] : 0;
        struct reference_convolution *r = &l.shape;
        r->height = rl_random_in(c, 1, 3);
        r->width = rl_random_in(c, 1, 3);
        const int32_t taps = r->height * r->width;
        r->depth = rl_random_in(c, (520 + taps) / taps, 1170 / taps);
        r->output = (cmsis_nn_dims){1, rl_random_in(c, 1, 3), rl_random_in(c, 1, 4), rl_random_in(c, 1, 5)};
        r->input = (cmsis_nn_dims){1, r->output.h + r->height - 1, r->output.w + r->width - 1, r->depth};
        r->stride = r->dilation = (cmsis_nn_tile){1, 1};
        prepare(c, &l);
        const cmsis_nn_conv_params params = {.stride = r->stride, .dilation = r->dilation, .activation = l.limits};
        const cmsis_nn_bias_data bias = {l.bias, false};
        const cmsis_nn_context ctx = rl_case_scratch(c, arm_convolve_s16_get_buffer_size(&r->input, &l.filter_dims));
        check(c, &l,
              arm_convolve_s16(&ctx, &params, &l.quant, &r->input, l.input, &l.filter_dims, l.filter, &l.bias_dims,
                               &bias, &r->output, l.output));
    }
    rl_test_stop(c);
}

static void depthwise(struct rl_case *c, const struct layer *l, depthwise_function *function, int32_t scratch)
{
    const cmsis_nn_context ctx = rl_case_scratch(c, scratch);
    const struct reference_convolution *r = &l->shape;
    const cmsis_nn_dw_conv_params params = {.ch_mult = r->output.c / r->input.c,
                                            .stride = r->stride,
                                            .padding = r->padding,
                                            .dilation = r->dilation,
                                            .activation = l->limits};
    check(c, l,
          function(&ctx, &params, &l->quant, &r->input, l->input, &l->filter_dims, l->filter, &l->bias_dims, l->bias,
                   &r->output, l->output));
}

static void random_depthwise(struct rl_case *c, bool plain, struct layer *l)
{
    memset(l, 0, sizeof *l);
    struct reference_convolution *r = &l->shape;
    reference_convolution_random(c, 9, rl_random_one_in(c, 8) ? 9 : 4, plain ? 1 : 2, r);
    r->depthwise = true;
    r->depth = 1;
    r->input.c = rl_random_one_in(c, 8) ? rl_random_in(c, 30, 70) : rl_random_in(c, 1, 20);
    r->output.c = plain ? r->input.c : r->input.c * rl_random_in(c, 1, 3);
    prepare(c, l);
}

static void test_depthwise(struct rl_case *c)
{
    rl_test_start(c, "depthwise_conv_s16_any_multiplier_dilation_and_batch");
    for (int i = 0; i < 150; i++) {
        struct layer l;
        random_depthwise(c, false, &l);
        const struct reference_convolution *r = &l.shape;
        const cmsis_nn_dw_conv_params params = {
            .ch_mult = r->output.c / r->input.c, .stride = r->stride, .padding = r->padding, .dilation = r->dilation};
        if (rl_random_one_in(c, 2)) {
            depthwise(c, &l, arm_depthwise_conv_s16, 0);
        } else {
            depthwise(c, &l, arm_depthwise_conv_wrapper_s16,
                      arm_depthwise_conv_wrapper_s16_get_buffer_size(&params, &r->input, &l.filter_dims, &r->output));
        }
    }
    rl_test_stop(c);
}

static void test_depthwise_fast(struct rl_case *c)
{
    rl_test_start(c, "depthwise_conv_fast_s16");
    for (int i = 0; i < 100; i++) {
        struct layer l;
        random_depthwise(c, true, &l);
        depthwise(c, &l, arm_depthwise_conv_fast_s16,
                  arm_depthwise_conv_fast_s16_get_buffer_size(&l.shape.input, &l.filter_dims));
    }
    rl_test_stop(c);
}

// So many taps that sums of extremes leave 32 bits, which the fast function does not take any more.
static void test_depthwise_large(struct rl_case *c)
{
    rl_test_start(c, "depthwise_conv_s16_of_1024_taps");
    for (int i = 0; i < 6; i++) {
        struct layer l;
        memset(&l, 0, sizeof l);
        l.largest = i % 2 == 0;
        struct reference_convolution *r = &l.shape;
        r->depthwise = true;
        r->depth = 1;
        r->input = (cmsis_nn_dims){1, 32, 33, 3};
        r->output = (cmsis_nn_dims){1, 1, 2, 3};
        r->height = r->width = 32;
        r->stride = r->dilation = (cmsis_nn_tile){1, 1};
        prepare(c, &l);
        depthwise(c, &l, arm_depthwise_conv_wrapper_s16, 0);
    }
    rl_test_stop(c);
}

int main(void)
{
    static struct rl_case c;
    test_convolve(&c, "convolve_s16_any_shape_bias_of_64_bits", false);
    test_convolve(&c, "convolve_s16_any_shape_bias_of_32_bits", true);
    test_convolve_long(&c);
    test_depthwise(&c);
    test_depthwise_fast(&c);
    test_depthwise_large(&c);
    return rl_test_finish(&c);
}
