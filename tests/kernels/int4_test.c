// SPDX-License-Identifier: Apache-2.0
// Layers with int4 weights against the definition: every entry, odd shapes, weights of -8 and 7 as often as
// others, scratch of exactly the announced size.
#include "arm_nnfunctions.h"
#include "reference_convolution.h"

#include <string.h>

struct layer {
    struct reference_convolution shape;
    cmsis_nn_per_channel_quant_params quant;
    int32_t input_offset, output_offset;
    cmsis_nn_activation limits;
    cmsis_nn_dims filter_dims, bias_dims;
    int8_t *input, *filter, *output, *expected;
    int32_t *bias;
};

typedef arm_cmsis_nn_status convolve_function(const cmsis_nn_context *, const cmsis_nn_conv_params *,
                                              const cmsis_nn_per_channel_quant_params *,
                                              const cmsis_nn_dims *, const int8_t *, const cmsis_nn_dims *,
                                              const int8_t *, const cmsis_nn_dims *, const int32_t *,
                                              const cmsis_nn_dims *, int8_t *);
typedef arm_cmsis_nn_status depthwise_function(const cmsis_nn_context *, const cmsis_nn_dw_conv_params *,
                                               const cmsis_nn_per_channel_quant_params *,
                                               const cmsis_nn_dims *, const int8_t *, const cmsis_nn_dims *,
                                               const int8_t *, const cmsis_nn_dims *, const int32_t *,
                                               const cmsis_nn_dims *, int8_t *);

// `count` random weights, and the same two to a byte, the first in the low half.
static int32_t *random_weights(struct rl_case *c, size_t count, int8_t **packed)
{
    int32_t *weights = rl_case_s32(c, count, -8, 7);
    *packed = rl_case_buffer(c, (count + 1) / 2, (size_t)rl_random_in(c, 0, 3));
    for (size_t i = 0; i < count; i++) {
        const int32_t half = weights[i] & 15, byte = (*packed)[i / 2];
        (*packed)[i / 2] = (int8_t)(i % 2 == 0 ? (byte & ~15) | half : (byte & 15) | half * 16);
    }
    return weights;
}

// Fills a layer whose shape is known, begins the case and computes what is expected.
static void prepare(struct rl_case *c, struct layer *l)
{
    struct reference_convolution *r = &l->shape;
    const size_t channels = (size_t)r->output.c, outputs = rl_elements(&r->output);
    const size_t weights =
        channels * (size_t)r->height * (size_t)r->width * (r->depthwise ? 1 : (size_t)r->depth);
    reference_convolution_begin(c, r);
    l->input_offset = rl_random_extreme(c, -127, 128);
    l->output_offset = rl_random_extreme(c, -128, 127);
    l->limits = rl_random_limits(c, INT8_MIN, INT8_MAX);
    l->bias_dims = (cmsis_nn_dims){1, 1, 1, r->output.c};
    l->filter_dims = r->depthwise ? (cmsis_nn_dims){1, r->height, r->width, r->output.c}
                                  : (cmsis_nn_dims){r->output.c, r->height, r->width, r->depth};
    l->input = rl_case_s8(c, rl_elements(&r->input));
    l->output = rl_case_s8(c, outputs);
    l->expected = rl_case_s8(c, outputs);
    l->bias = rl_random_one_in(c, 4) ? NULL : rl_case_s32(c, channels, -20000, 20000);
    l->quant.multiplier = rl_case_s32(c, channels, 0, 0);
    l->quant.shift = rl_case_s32(c, channels, 0, 0);
    for (size_t i = 0; i < channels; i++) {
        rl_random_scale(c, &l->quant.multiplier[i], &l->quant.shift[i]);
    }
    r->values = rl_case_widen_s8(c, l->input, rl_elements(&r->input), l->input_offset);
    r->weights = random_weights(c, weights, &l->filter);
    int64_t *sums = rl_case_buffer(c, outputs * sizeof *sums, 0);
    reference_convolution_sums(r, sums);
    for (size_t i = 0; i < outputs; i++) {
        const size_t o = i % channels;
        l->expected[i] =
            rl_reference_output((int32_t)sums[i] + (l->bias != NULL ? l->bias[o] : 0), l->quant.multiplier[o],
                                l->quant.shift[o], l->output_offset, l->limits.min, l->limits.max);
    }
}

static void check(struct rl_case *c, const struct layer *l, arm_cmsis_nn_status status)
{
    rl_case_expect(c, status == ARM_CMSIS_NN_SUCCESS, "success");
    rl_case_equal_s8(c, "output", l->expected, l->output, rl_elements(&l->shape.output));
    rl_case_end(c);
}

static cmsis_nn_conv_params convolution_params(const struct layer *l)
{
    return (cmsis_nn_conv_params){.input_offset = l->input_offset,
                                  .output_offset = l->output_offset,
                                  .stride = l->shape.stride,
                                  .padding = l->shape.padding,
                                  .dilation = l->shape.dilation,
                                  .activation = l->limits};
}

static void convolve(struct rl_case *c, const struct layer *l, convolve_function *function, int32_t scratch)
{
    const cmsis_nn_context ctx = rl_case_scratch(c, scratch);
    const cmsis_nn_conv_params params = convolution_params(l);
    check(c, l,
          function(&ctx, &params, &l->quant, &l->shape.input, l->input, &l->filter_dims, l->filter,
                   &l->bias_dims, l->bias, &l->shape.output, l->output));
}

static void convolve_by_wrapper(struct rl_case *c, const struct layer *l)
{
    const cmsis_nn_conv_params params = convolution_params(l);
    convolve(
        c, l, arm_convolve_wrapper_s4,
        arm_convolve_wrapper_s4_get_buffer_size(&params, &l->shape.input, &l->filter_dims, &l->shape.output));
}

static void random_convolution(struct rl_case *c, struct layer *l)
{
    memset(l, 0, sizeof *l);
    reference_convolution_random(c, 8, 4, 2, &l->shape);
    l->shape.depth = rl_random_one_in(c, 4) ? rl_random_in(c, 1, 40) : rl_random_in(c, 1, 10);
    l->shape.input.c = l->shape.depth;
    l->shape.output.c = rl_random_in(c, 1, 12);
}

static void test_convolve(struct rl_case *c)
{
    rl_test_start(c, "convolve_s4_any_shape");
    for (int i = 0; i < 200; i++) {
        struct layer l;
        random_convolution(c, &l);
        prepare(c, &l);
        if (rl_random_one_in(c, 2)) {
            convolve_by_wrapper(c, &l);
        } else {
            convolve(c, &l, arm_convolve_s4, arm_convolve_s4_get_buffer_size(&l.shape.input, &l.filter_dims));
        }
    }
    rl_test_stop(c);
}

// Helium has this function, other cores say that they do not.
static void test_even(struct rl_case *c)
{
    rl_test_start(c, "convolve_even_s4");
    for (int i = 0; i < 60; i++) {
        struct layer l;
        random_convolution(c, &l);
        l.shape.depth = l.shape.input.c = 2 * rl_random_in(c, 1, 12);
        prepare(c, &l);
        const cmsis_nn_context ctx =
            rl_case_scratch(c, arm_convolve_s4_get_buffer_size(&l.shape.input, &l.filter_dims));
        const cmsis_nn_conv_params params = convolution_params(&l);
        int8_t before = l.output[0];
        const arm_cmsis_nn_status status =
            arm_convolve_even_s4(&ctx, &params, &l.quant, &l.shape.input, l.input, &l.filter_dims, l.filter,
                                 &l.bias_dims, l.bias, &l.shape.output, l.output);
        if (status == ARM_CMSIS_NN_NO_IMPL_ERROR) {
            rl_case_expect(c, l.output[0] == before, "an untouched output");
            rl_case_end(c);
        } else {
            check(c, &l, status);
        }
    }
    rl_test_stop(c);
}

static void test_1x1(struct rl_case *c)
{
    rl_test_start(c, "convolve_1x1_s4_any_stride_and_depth");
    for (int i = 0; i < 120; i++) {
        struct layer l;
        random_convolution(c, &l);
        struct reference_convolution *r = &l.shape;
        r->height = r->width = 1;
        r->padding = (cmsis_nn_tile){0, 0};
        r->dilation = (cmsis_nn_tile){1, 1};
        if (rl_random_one_in(c, 2)) {
            r->stride = (cmsis_nn_tile){1, 1};
        }
        r->depth = r->input.c = rl_random_in(c, 1, 70);
        r->output.h = (r->input.h - 1) / r->stride.h + 1;
        r->output.w = (r->input.w - 1) / r->stride.w + 1;
        prepare(c, &l);
        if (r->stride.w == 1 && r->stride.h == 1 && rl_random_one_in(c, 2)) {
            convolve(c, &l, arm_convolve_1x1_s4_fast, arm_convolve_1x1_s4_fast_get_buffer_size(&r->input));
        } else if (rl_random_one_in(c, 2)) {
            convolve(c, &l, arm_convolve_1x1_s4, 0);
        } else {
            convolve_by_wrapper(c, &l);
        }
    }
    rl_test_stop(c);
}

// Padding as for the same size of input and output, one more on the right where it is odd: what the function
// is for.
static void test_1_x_n(struct rl_case *c)
{
    rl_test_start(c, "convolve_1_x_n_s4");
    for (int i = 0; i < 120; i++) {
        struct layer l;
        random_convolution(c, &l);
        struct reference_convolution *r = &l.shape;
        r->stride = (cmsis_nn_tile){rl_random_in(c, 1, 4), 1};
        r->depth = r->input.c = r->stride.w == 4 ? rl_random_in(c, 1, 9) : 4 * rl_random_in(c, 1, 5);
        r->input.h = r->output.h = r->height = 1;
        r->dilation = (cmsis_nn_tile){1, 1};
        r->width = rl_random_in(c, 1, 7);
        r->input.w = rl_random_in(c, r->width, 30);
        const bool padded = rl_random_one_in(c, 2);
        r->output.w =
            padded ? (r->input.w + r->stride.w - 1) / r->stride.w : (r->input.w - r->width) / r->stride.w + 1;
        const int32_t total = (r->output.w - 1) * r->stride.w + r->width - r->input.w;
        r->padding = (cmsis_nn_tile){padded && total > 0 ? total / 2 : 0, 0};
        prepare(c, &l);
        const cmsis_nn_conv_params params = convolution_params(&l);
        convolve(c, &l, arm_convolve_1_x_n_s4,
                 arm_convolve_1_x_n_s4_get_buffer_size(&params, &r->input, &l.filter_dims, &r->output));
    }
    rl_test_stop(c);
}

static void depthwise(struct rl_case *c, const struct layer *l, depthwise_function *function, int32_t scratch)
{
    const cmsis_nn_context ctx = rl_case_scratch(c, scratch);
    const struct reference_convolution *r = &l->shape;
    const cmsis_nn_dw_conv_params params = {.input_offset = l->input_offset,
                                            .output_offset = l->output_offset,
                                            .ch_mult = r->output.c / r->input.c,
                                            .stride = r->stride,
                                            .padding = r->padding,
                                            .dilation = r->dilation,
                                            .activation = l->limits};
    check(c, l,
          function(&ctx, &params, &l->quant, &r->input, l->input, &l->filter_dims, l->filter, &l->bias_dims,
                   l->bias, &r->output, l->output));
}

static void random_depthwise(struct rl_case *c, int32_t largest_dilation, struct layer *l)
{
    memset(l, 0, sizeof *l);
    reference_convolution_random(c, 9, rl_random_one_in(c, 8) ? 9 : 4, largest_dilation, &l->shape);
    l->shape.depthwise = true;
    l->shape.depth = 1;
}

static void test_depthwise(struct rl_case *c)
{
    rl_test_start(c, "depthwise_conv_s4_multiplier_1");
    for (int i = 0; i < 150; i++) {
        struct layer l;
        random_depthwise(c, 1, &l);
        struct reference_convolution *r = &l.shape;
        r->input.c = r->output.c = rl_random_one_in(c, 8) ? rl_random_in(c, 60, 140) : rl_random_in(c, 1, 20);
        const bool by_wrapper = rl_random_one_in(c, 2);
        if (by_wrapper) { // which takes several batches elsewhere
            r->input.n = r->output.n = 1;
        }
        prepare(c, &l);
        const cmsis_nn_dw_conv_params params = {
            .ch_mult = 1, .stride = r->stride, .padding = r->padding, .dilation = {1, 1}};
        if (by_wrapper) {
            depthwise(c, &l, arm_depthwise_conv_wrapper_s4,
                      arm_depthwise_conv_wrapper_s4_get_buffer_size(&params, &r->input, &l.filter_dims,
                                                                    &r->output));
        } else {
            depthwise(c, &l, arm_depthwise_conv_s4_opt,
                      arm_depthwise_conv_s4_opt_get_buffer_size(&r->input, &l.filter_dims));
        }
    }
    rl_test_stop(c);
}

// The plain function on an even number of input channels; arm_nn_depthwise_s4.h tells what is special about
// odd ones.
static void test_depthwise_plain(struct rl_case *c)
{
    rl_test_start(c, "depthwise_conv_s4_any_multiplier_dilation_and_batch");
    for (int i = 0; i < 120; i++) {
        struct layer l;
        random_depthwise(c, 2, &l);
        l.shape.input.c = 2 * rl_random_in(c, 1, 6);
        l.shape.output.c = l.shape.input.c * rl_random_in(c, 1, 3);
        prepare(c, &l);
        depthwise(c, &l, arm_depthwise_conv_s4, 0);
    }
    rl_test_stop(c);
}

static void test_fully_connected(struct rl_case *c)
{
    rl_test_start(c, "fully_connected_s4");
    for (int i = 0; i < 200; i++) {
        struct layer l;
        memset(&l, 0, sizeof l);
        struct reference_convolution *r = &l.shape;
        r->height = r->width = 1;
        r->depth = rl_random_one_in(c, 4) ? rl_random_in(c, 1, 200) : rl_random_in(c, 1, 40);
        r->input = (cmsis_nn_dims){rl_random_in(c, 1, 4), 1, 1, r->depth};
        r->output = (cmsis_nn_dims){r->input.n, 1, 1, rl_random_in(c, 1, 30)};
        r->stride = r->dilation = (cmsis_nn_tile){1, 1};
        prepare(c, &l);
        const cmsis_nn_per_tensor_quant_params scale = {l.quant.multiplier[0], l.quant.shift[0]};
        for (size_t k = 0; k < rl_elements(&r->output); k++) {
            const size_t o = k % (size_t)r->output.c;
            int64_t sum = l.bias != NULL ? l.bias[o] : 0;
            for (int32_t j = 0; j < r->depth; j++) {
                sum += r->values[k / (size_t)r->output.c * (size_t)r->depth + (size_t)j] *
                       r->weights[o * (size_t)r->depth + (size_t)j];
            }
            l.expected[k] = rl_reference_output((int32_t)sum, scale.multiplier, scale.shift, l.output_offset,
                                                l.limits.min, l.limits.max);
        }
        const cmsis_nn_fc_params params = {l.input_offset, 0, l.output_offset, l.limits};
        const cmsis_nn_dims filter_dims = {r->depth, 1, 1, r->output.c};
        const cmsis_nn_context none = {NULL, 0};
        check(c, &l,
              arm_fully_connected_s4(&none, &params, &scale, &r->input, l.input, &filter_dims, l.filter,
                                     &l.bias_dims, l.bias, &r->output, l.output));
    }
    rl_test_stop(c);
}

int main(void)
{
    static struct rl_case c;
    test_convolve(&c);
    test_even(&c);
    test_1x1(&c);
    test_1_x_n(&c);
    test_depthwise(&c);
    test_depthwise_plain(&c);
    test_fully_connected(&c);
    return rl_test_finish(&c);
}
