// SPDX-License-Identifier: Apache-2.0
// Layers with int4 weights against the definition: every entry, odd shapes, weights of -8 and 7 as often as others,
// scratch of exactly the announced size.
#include "arm_nnfunctions.h"
#include "reference_layer.h"

#include <string.h>

static void prepare_int4(struct rl_case *c, struct reference_layer *l)
{
    reference_layer_prepare(c, INT4_WEIGHTS, !rl_random_one_in(c, 4), l);
}

static void convolve_by_wrapper(struct rl_case *c, const struct reference_layer *l)
{
    const cmsis_nn_conv_params params = reference_layer_convolution(l);
    reference_layer_convolve(
        c, l, arm_convolve_wrapper_s4,
        arm_convolve_wrapper_s4_get_buffer_size(&params, &l->shape.input, &l->filter_dims, &l->shape.output));
}

static void random_convolution(struct rl_case *c, struct reference_layer *l)
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
        struct reference_layer l;
        random_convolution(c, &l);
        prepare_int4(c, &l);
        if (rl_random_one_in(c, 2)) {
            convolve_by_wrapper(c, &l);
        } else {
            reference_layer_convolve(c, &l, arm_convolve_s4,
                                     arm_convolve_s4_get_buffer_size(&l.shape.input, &l.filter_dims));
        }
    }
    rl_test_stop(c);
}

// Only Helium has this function. Other cores return the status for a missing one.
static void test_even(struct rl_case *c)
{
    rl_test_start(c, "convolve_even_s4");
    for (int i = 0; i < 60; i++) {
        struct reference_layer l;
        random_convolution(c, &l);
        l.shape.depth = l.shape.input.c = 2 * rl_random_in(c, 1, 12);
        prepare_int4(c, &l);
        const cmsis_nn_context ctx =
            rl_case_scratch(c, arm_convolve_s4_get_buffer_size(&l.shape.input, &l.filter_dims));
        const cmsis_nn_conv_params params = reference_layer_convolution(&l);
        int8_t before = l.output[0];
        const arm_cmsis_nn_status status =
            arm_convolve_even_s4(&ctx, &params, &l.quant, &l.shape.input, l.input, &l.filter_dims, l.filter,
                                 &l.bias_dims, l.bias, &l.shape.output, l.output);
        if (status == ARM_CMSIS_NN_NO_IMPL_ERROR) {
            rl_case_expect(c, l.output[0] == before, "an untouched output");
            rl_case_end(c);
        } else {
            reference_layer_check(c, &l, status);
        }
    }
    rl_test_stop(c);
}

static void test_1x1(struct rl_case *c)
{
    rl_test_start(c, "convolve_1x1_s4_any_stride_and_depth");
    for (int i = 0; i < 120; i++) {
        struct reference_layer l;
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
        prepare_int4(c, &l);
        if (r->stride.w == 1 && r->stride.h == 1 && rl_random_one_in(c, 2)) {
            reference_layer_convolve(c, &l, arm_convolve_1x1_s4_fast,
                                     arm_convolve_1x1_s4_fast_get_buffer_size(&r->input));
        } else if (rl_random_one_in(c, 2)) {
            reference_layer_convolve(c, &l, arm_convolve_1x1_s4, 0);
        } else {
            convolve_by_wrapper(c, &l);
        }
    }
    rl_test_stop(c);
}

// The padding that the function is for: input and output have the same size, and odd padding has one more on the right.
static void test_1_x_n(struct rl_case *c)
{
    rl_test_start(c, "convolve_1_x_n_s4");
    for (int i = 0; i < 120; i++) {
        struct reference_layer l;
        random_convolution(c, &l);
        struct reference_convolution *r = &l.shape;
        r->stride = (cmsis_nn_tile){rl_random_in(c, 1, 4), 1};
        r->depth = r->input.c = r->stride.w == 4 ? rl_random_in(c, 1, 9) : 4 * rl_random_in(c, 1, 5);
        r->input.h = r->output.h = r->height = 1;
        r->dilation = (cmsis_nn_tile){1, 1};
        r->width = rl_random_in(c, 1, 7);
        r->input.w = rl_random_in(c, r->width, 30);
        const bool padded = rl_random_one_in(c, 2);
        r->output.w = padded ? (r->input.w + r->stride.w - 1) / r->stride.w : (r->input.w - r->width) / r->stride.w + 1;
        const int32_t total = (r->output.w - 1) * r->stride.w + r->width - r->input.w;
        r->padding = (cmsis_nn_tile){padded && total > 0 ? total / 2 : 0, 0};
        prepare_int4(c, &l);
        const cmsis_nn_conv_params params = reference_layer_convolution(&l);
        reference_layer_convolve(c, &l, arm_convolve_1_x_n_s4,
                                 arm_convolve_1_x_n_s4_get_buffer_size(&params, &r->input, &l.filter_dims, &r->output));
    }
    rl_test_stop(c);
}

static void random_depthwise(struct rl_case *c, int32_t largest_dilation, struct reference_layer *l)
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
        struct reference_layer l;
        random_depthwise(c, 1, &l);
        struct reference_convolution *r = &l.shape;
        r->input.c = r->output.c = rl_random_one_in(c, 8) ? rl_random_in(c, 60, 140) : rl_random_in(c, 1, 20);
        const bool by_wrapper = rl_random_one_in(c, 2);
        if (by_wrapper) { // which takes several batches elsewhere
            r->input.n = r->output.n = 1;
        }
        prepare_int4(c, &l);
        const cmsis_nn_dw_conv_params params = reference_layer_depthwise(&l);
        if (by_wrapper) {
            reference_layer_convolve_depthwise(
                c, &l, arm_depthwise_conv_wrapper_s4,
                arm_depthwise_conv_wrapper_s4_get_buffer_size(&params, &r->input, &l.filter_dims, &r->output));
        } else {
            reference_layer_convolve_depthwise(c, &l, arm_depthwise_conv_s4_opt,
                                               arm_depthwise_conv_s4_opt_get_buffer_size(&r->input, &l.filter_dims));
        }
    }
    rl_test_stop(c);
}

// The plain function on an even number of input channels; arm_nn_depthwise_s4.h tells what is special about odd ones.
static void test_depthwise_plain(struct rl_case *c)
{
    rl_test_start(c, "depthwise_conv_s4_any_multiplier_dilation_and_batch");
    for (int i = 0; i < 120; i++) {
        struct reference_layer l;
        random_depthwise(c, 2, &l);
        l.shape.input.c = 2 * rl_random_in(c, 1, 6);
        l.shape.output.c = l.shape.input.c * rl_random_in(c, 1, 3);
        prepare_int4(c, &l);
        reference_layer_convolve_depthwise(c, &l, arm_depthwise_conv_s4, 0);
    }
    rl_test_stop(c);
}

static void test_fully_connected(struct rl_case *c)
{
    rl_test_start(c, "fully_connected_s4");
    for (int i = 0; i < 200; i++) {
        struct reference_layer l;
        memset(&l, 0, sizeof l);
        struct reference_convolution *r = &l.shape;
        r->height = r->width = 1;
        r->depth = rl_random_one_in(c, 4) ? rl_random_in(c, 1, 200) : rl_random_in(c, 1, 40);
        r->input = (cmsis_nn_dims){rl_random_in(c, 1, 4), 1, 1, r->depth};
        r->output = (cmsis_nn_dims){r->input.n, 1, 1, rl_random_in(c, 1, 30)};
        r->stride = r->dilation = (cmsis_nn_tile){1, 1};
        prepare_int4(c, &l);
        const cmsis_nn_per_tensor_quant_params scale = {l.quant.multiplier[0], l.quant.shift[0]};
        for (size_t k = 0; k < rl_elements(&r->output); k++) {
            const size_t o = k % (size_t)r->output.c;
            int64_t sum = l.bias ? l.bias[o] : 0;
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
        reference_layer_check(c, &l,
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
