// SPDX-License-Identifier: Apache-2.0
// Transposed int8 convolution against the definition: each input adds to a window of the output. Strides may differ,
// and the scratch is exactly what the size functions say.
#include "arm_nnfunctions.h"
#include "rushlight/kernels/transpose_convolution.h"
#include "support/kernel_test.h"

#include <string.h>

struct problem {
    cmsis_nn_transpose_conv_params params;
    cmsis_nn_per_channel_quant_params quant;
    cmsis_nn_dims input_dims, filter_dims, bias_dims, output_dims;
    int8_t *input, *filter, *output, *expected;
    int32_t *bias, *sums;
};

static void random_axis(struct rl_case *c, int32_t *input, int32_t *window, int32_t *stride, int32_t *padding,
                        int32_t *output)
{
    *input = rl_random_in(c, 1, 6);
    *window = rl_random_in(c, 1, 5);
    *stride = rl_random_in(c, 1, 4);
    *padding = rl_random_in(c, 0, *window - 1);
    const int32_t full = (*input - 1) * *stride + *window - *padding;
    // PyTorch's output_padding adds up to stride - 1 outputs behind the last that an input reaches.
    *output = full < 1 ? 1 : rl_random_in(c, full > *padding ? full - *padding : 1, full + *stride - 1);
}

static void random_problem(struct rl_case *c, struct problem *p)
{
    memset(p, 0, sizeof *p);
    random_axis(c, &p->input_dims.h, &p->filter_dims.h, &p->params.stride.h, &p->params.padding.h, &p->output_dims.h);
    random_axis(c, &p->input_dims.w, &p->filter_dims.w, &p->params.stride.w, &p->params.padding.w, &p->output_dims.w);
    const int32_t channels = rl_random_in(c, 1, 9), depth = rl_random_in(c, 1, 24);
    p->input_dims.n = p->output_dims.n = rl_random_in(c, 1, 2);
    p->input_dims.c = p->filter_dims.c = depth;
    p->output_dims.c = p->filter_dims.n = channels;
    p->bias_dims = (cmsis_nn_dims){1, 1, 1, channels};
    p->params.input_offset = rl_random_extreme(c, -127, 128);
    p->params.output_offset = rl_random_extreme(c, -128, 127);
    p->params.dilation = (cmsis_nn_tile){1, 1};
    p->params.activation = (cmsis_nn_activation){-128, 127};
    rl_case_begin(c, "input %ldx%ldx%ld, filter %ldx%ld, stride %ldx%ld, padding %ldx%ld, output %ldx%ldx%ld",
                  (long)p->input_dims.h, (long)p->input_dims.w, (long)depth, (long)p->filter_dims.h,
                  (long)p->filter_dims.w, (long)p->params.stride.h, (long)p->params.stride.w, (long)p->params.padding.h,
                  (long)p->params.padding.w, (long)p->output_dims.h, (long)p->output_dims.w, (long)channels);
    p->input = rl_case_buffer(c, rl_elements(&p->input_dims), (size_t)rl_random_in(c, 0, 3));
    p->filter = rl_case_buffer(c, rl_elements(&p->filter_dims), (size_t)rl_random_in(c, 0, 3));
    p->output = rl_case_buffer(c, rl_elements(&p->output_dims), (size_t)rl_random_in(c, 0, 3));
    p->expected = rl_case_buffer(c, rl_elements(&p->output_dims), 0);
    p->sums = rl_case_buffer(c, rl_elements(&p->output_dims) * sizeof(int32_t), 4);
    rl_random_s8(c, p->input, rl_elements(&p->input_dims));
    rl_random_s8(c, p->filter, rl_elements(&p->filter_dims));
    const size_t words = (size_t)channels * sizeof(int32_t);
    p->bias = rl_random_one_in(c, 4) ? NULL : rl_case_buffer(c, words, 4);
    p->quant.multiplier = rl_case_buffer(c, words, 4);
    p->quant.shift = rl_case_buffer(c, words, 4);
    for (int32_t i = 0; i < channels; i++) {
        rl_random_scale(c, &p->quant.multiplier[i], &p->quant.shift[i]);
        if (p->bias) {
            p->bias[i] = rl_random_extreme(c, -100000, 100000);
        }
    }
}

// Adds the products of one input pixel with one filter tap to the output they meet, if there is one.
static void scatter(const struct problem *p, const int8_t *pixel, int32_t n, int32_t y, int32_t x, const int8_t *tap)
{
    const cmsis_nn_dims *out = &p->output_dims;
    if (y < 0 || y >= out->h || x < 0 || x >= out->w) {
        return;
    }
    const size_t filter_step = (size_t)(p->filter_dims.h * p->filter_dims.w * p->filter_dims.c);
    int32_t *sums = p->sums + ((n * out->h + y) * out->w + x) * out->c;
    for (int32_t channel = 0; channel < out->c; channel++) {
        for (int32_t k = 0; k < p->input_dims.c; k++) {
            sums[channel] += (pixel[k] + p->params.input_offset) * tap[(size_t)channel * filter_step + (size_t)k];
        }
    }
}

static void reference(const struct problem *p)
{
    const cmsis_nn_dims *in = &p->input_dims;
    const size_t count = rl_elements(&p->output_dims);
    for (size_t i = 0; i < count; i++) {
        p->sums[i] = p->bias ? p->bias[i % (size_t)p->output_dims.c] : 0;
    }
    for (int32_t i = 0; i < in->n * in->h * in->w; i++) {
        const int32_t n = i / (in->h * in->w), row = i / in->w % in->h, column = i % in->w;
        for (int32_t tap = 0; tap < p->filter_dims.h * p->filter_dims.w; tap++) {
            const int32_t y = row * p->params.stride.h + tap / p->filter_dims.w - p->params.padding.h;
            const int32_t x = column * p->params.stride.w + tap % p->filter_dims.w - p->params.padding.w;
            scatter(p, p->input + i * in->c, n, y, x, p->filter + tap * in->c);
        }
    }
    for (size_t i = 0; i < count; i++) {
        const size_t channel = i % (size_t)p->output_dims.c;
        p->expected[i] = rl_reference_output(p->sums[i], p->quant.multiplier[channel], p->quant.shift[channel],
                                             p->params.output_offset, -128, 127);
    }
}

static void test_wrapper(struct rl_case *c)
{
    rl_test_start(c, "transpose_conv_wrapper_s8");
    for (int i = 0; i < 200; i++) {
        struct problem p;
        random_problem(c, &p);
        reference(&p);
        const int32_t announced =
            arm_transpose_conv_s8_get_buffer_size(&p.params, &p.input_dims, &p.filter_dims, &p.output_dims);
        const int32_t reversed =
            arm_transpose_conv_s8_get_reverse_conv_buffer_size(&p.params, &p.input_dims, &p.filter_dims);
        const cmsis_nn_context ctx = rl_case_any_scratch(c, announced, 1, 1);
        const cmsis_nn_context reverse = rl_case_any_scratch(c, reversed, 1, 1);
        const arm_cmsis_nn_status status =
            arm_transpose_conv_wrapper_s8(&ctx, &reverse, &p.params, &p.quant, &p.input_dims, p.input, &p.filter_dims,
                                          p.filter, &p.bias_dims, p.bias, &p.output_dims, p.output);
        rl_case_expect(c, status == ARM_CMSIS_NN_SUCCESS, "success");
        rl_case_equal_s8(c, "output", p.expected, p.output, rl_elements(&p.output_dims));
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static void test_without_scratch(struct rl_case *c)
{
    rl_test_start(c, "transpose_conv_s8_without_scratch");
    for (int i = 0; i < 100; i++) {
        struct problem p;
        random_problem(c, &p);
        reference(&p);
        const cmsis_nn_context none = {NULL, 0};
        const arm_cmsis_nn_status status =
            arm_transpose_conv_s8(&none, &none, &p.params, &p.quant, &p.input_dims, p.input, &p.filter_dims, p.filter,
                                  &p.bias_dims, p.bias, &p.output_dims, p.output);
        rl_case_expect(c, status == ARM_CMSIS_NN_SUCCESS, "success");
        rl_case_equal_s8(c, "output", p.expected, p.output, rl_elements(&p.output_dims));
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static void test_refused(struct rl_case *c)
{
    rl_test_start(c, "wrapper_without_scratch_touches_nothing");
    for (int i = 0; i < 20; i++) {
        struct problem p;
        random_problem(c, &p);
        memcpy(p.expected, p.output, rl_elements(&p.output_dims));
        const cmsis_nn_context none = {NULL, 0};
        const arm_cmsis_nn_status status =
            arm_transpose_conv_wrapper_s8(&none, &none, &p.params, &p.quant, &p.input_dims, p.input, &p.filter_dims,
                                          p.filter, &p.bias_dims, p.bias, &p.output_dims, p.output);
        rl_case_expect(c, status == ARM_CMSIS_NN_ARG_ERROR, "an argument error");
        rl_case_equal_s8(c, "output", p.expected, p.output, rl_elements(&p.output_dims));
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static struct rl_scratch any_scratch(struct rl_case *c, int32_t planned)
{
    const int32_t bytes = rl_random_one_in(c, 3) ? 0 : rl_random_extreme(c, 0, planned);
    return (struct rl_scratch){rl_case_scratch(c, bytes).buf, bytes};
}

static void test_layer(struct rl_case *c)
{
    rl_test_start(c, "layer_with_any_scratch");
    for (int i = 0; i < 200; i++) {
        struct problem p;
        random_problem(c, &p);
        reference(&p);
        struct rl_transpose_convolution layer = {
            .input = {p.input_dims.n, p.input_dims.h, p.input_dims.w, p.input_dims.c},
            .output = {p.output_dims.n, p.output_dims.h, p.output_dims.w, p.output_dims.c},
            .filter = {p.filter_dims.h, p.filter_dims.w},
            .stride = {p.params.stride.h, p.params.stride.w},
            .padding = {p.params.padding.h, p.params.padding.w},
            .weights = p.filter,
            .bias = p.bias,
            .scales = {p.quant.multiplier, p.quant.shift},
            .input_offset = p.params.input_offset,
            .output_offset = p.params.output_offset,
            .range = {-128, 127},
        };
        const int32_t planned = rl_transpose_convolution_scratch(&layer, RL_ISA_ANY);
        rl_case_expect(c, rl_transpose_convolution_prepare(&layer) == RL_OK, "a layer that can run");
        rl_transpose_convolution_run(&layer, p.input, p.output, any_scratch(c, planned),
                                     any_scratch(c, rl_transpose_convolution_filters(&layer)));
        rl_case_equal_s8(c, "output", p.expected, p.output, rl_elements(&p.output_dims));
        rl_case_expect(
            c,
            planned >= arm_transpose_conv_s8_get_buffer_size(&p.params, &p.input_dims, &p.filter_dims, &p.output_dims),
            "at least what CMSIS-NN announces");
        rl_case_end(c);
    }
    rl_test_stop(c);
}

int main(void)
{
    static struct rl_case c;
    test_layer(&c);
    test_wrapper(&c);
    test_without_scratch(&c);
    test_refused(&c);
    return rl_test_finish(&c);
}
