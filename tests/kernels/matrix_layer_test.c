// SPDX-License-Identifier: Apache-2.0
// Layers of rushlight/kernels/ against the functions of CMSIS-NN, whose results other tests compare with the
// definition: prepare, run with any scratch, folded biases, and the sizes of scratch.
#include "arm_nnfunctions.h"
#include "kernels/isa.h"
#include "reference_layer.h"
#include "rushlight/kernels/batch_matmul.h"
#include "rushlight/kernels/depthwise.h"
#include "rushlight/kernels/fully_connected.h"
#include "rushlight/kernels/svdf.h"

#include <string.h>

static struct rl_scratch random_scratch(struct rl_case *c, int32_t asked)
{
    if (rl_random_one_in(c, 3)) {
        return (struct rl_scratch){0};
    }
    const int32_t bytes = rl_random_one_in(c, 2) && asked > 0 ? asked : rl_random_in(c, 1, 3000);
    return (struct rl_scratch){rl_case_scratch(c, bytes).buf, bytes};
}

// Quantization of a layer with `channels` scales.
struct numbers {
    int32_t *multiplier, *shift, *bias; // no bias: NULL
    int32_t input_offset, weight_offset, output_offset;
    cmsis_nn_activation limits;
};

static struct numbers random_numbers(struct rl_case *c, int32_t channels)
{
    struct numbers n = {.multiplier = rl_case_s32(c, (size_t)channels, 0, 0),
                        .shift = rl_case_s32(c, (size_t)channels, 0, 0),
                        .input_offset = rl_random_extreme(c, -127, 128),
                        .weight_offset = rl_random_one_in(c, 2) ? 0 : rl_random_extreme(c, -127, 128),
                        .output_offset = rl_random_extreme(c, -128, 127),
                        .limits = rl_random_limits(c, -128, 127)};
    n.bias = rl_random_one_in(c, 4) ? NULL : rl_case_s32(c, (size_t)channels, -100000, 100000);
    for (int32_t i = 0; i < channels; i++) {
        rl_random_scale(c, &n.multiplier[i], &n.shift[i]);
    }
    return n;
}

static struct rl_fully_connected random_fully_connected(struct rl_case *c, struct numbers *n)
{
    const int32_t rows = rl_random_one_in(c, 4) ? rl_random_in(c, 6, 33) : rl_random_in(c, 1, 5);
    const int32_t depth = rl_random_in(c, 1, rl_random_one_in(c, 4) ? 300 : 40);
    const int32_t channels = rl_random_one_in(c, 8) ? rl_random_in(c, 60, 140) : rl_random_in(c, 1, 20);
    rl_case_begin(c, "%ld rows of %ld, %ld outputs", (long)rows, (long)depth, (long)channels);
    *n = random_numbers(c, channels);
    return (struct rl_fully_connected){.rows = rows,
                                       .depth = depth,
                                       .channels = channels,
                                       .weights = rl_case_s8(c, (size_t)(channels * depth)),
                                       .bias = n->bias,
                                       .scale = {n->multiplier[0], n->shift[0]},
                                       .input_offset = n->input_offset,
                                       .weight_offset = n->weight_offset,
                                       .output_offset = n->output_offset,
                                       .range = {n->limits.min, n->limits.max}};
}

// The result of CMSIS-NN's function, with one scale for all channels.
static void fully_connected_of_cmsis_nn(struct rl_case *c, const struct rl_fully_connected *l, const struct numbers *n,
                                        bool per_channel, const int8_t *input, int8_t *output)
{
    const cmsis_nn_dims input_dims = {l->rows, 1, 1, l->depth}, filter_dims = {l->depth, 1, 1, l->channels};
    const cmsis_nn_dims output_dims = {l->rows, 1, 1, l->channels};
    const cmsis_nn_fc_params params = {l->input_offset, l->weight_offset, l->output_offset, n->limits};
    const cmsis_nn_quant_params quant = {n->multiplier, n->shift, per_channel};
    const cmsis_nn_context ctx = rl_case_scratch(c, arm_fully_connected_s8_get_buffer_size(&filter_dims));
    if (ctx.buf) {
        arm_vector_sum_s8(ctx.buf, l->depth, l->channels, l->weights, l->input_offset, l->weight_offset, l->bias);
    }
    rl_case_expect(c,
                   arm_fully_connected_wrapper_s8(&ctx, &params, &quant, &input_dims, input, &filter_dims, l->weights,
                                                  &output_dims, l->bias, &output_dims, output) == ARM_CMSIS_NN_SUCCESS,
                   "success");
}

static void run_fully_connected(struct rl_case *c, struct rl_fully_connected *l, const int8_t *input,
                                const int8_t *expected)
{
    const size_t count = (size_t)(l->rows * l->channels);
    int8_t *output = rl_case_s8(c, count);
    rl_case_expect(c, rl_fully_connected_prepare(l) == RL_OK, "a layer that can run");
    rl_fully_connected_run(l, input, output, random_scratch(c, rl_fully_connected_scratch(l, RL_ISA_HERE)));
    rl_case_equal_s8(c, l->folded ? "output, folded" : "output", expected, output, count);
}

static void test_fully_connected(struct rl_case *c)
{
    rl_test_start(c, "fully_connected_layers_with_and_without_folded_biases");
    for (int i = 0; i < 300; i++) {
        struct numbers n;
        struct rl_fully_connected l = random_fully_connected(c, &n);
        const bool per_channel = rl_random_one_in(c, 2);
        const int8_t *input = rl_case_s8(c, (size_t)(l.rows * l.depth));
        int8_t *expected = rl_case_s8(c, (size_t)(l.rows * l.channels));
        int32_t *folded = rl_case_s32(c, (size_t)l.channels, 0, 0);
        fully_connected_of_cmsis_nn(c, &l, &n, per_channel, input, expected);
        if (per_channel) {
            l.scales = (struct rl_scales){n.multiplier, n.shift};
        }
        run_fully_connected(c, &l, input, expected);
        rl_fully_connected_fold(&l, folded);
        l.folded = folded;
        run_fully_connected(c, &l, input, expected);
        rl_case_expect(c,
                       rl_fully_connected_scratch(&l, RL_ISA_ANY) == rl_fully_connected_scratch(&l, RL_ISA_DSP) &&
                           rl_fully_connected_scratch(&l, RL_ISA_MVE) == 0,
                       "scratch for DSP cores only");
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// int8 and int16 results with prepacked weights, against the layer with weights in the usual order.
static void test_prepacked(struct rl_case *c)
{
    rl_test_start(c, "fully_connected_layers_with_prepacked_weights");
    for (int i = 0; i < 200; i++) {
        struct numbers n;
        struct rl_fully_connected l = random_fully_connected(c, &n);
        l.weight_offset = 0;
        l.depth += 3;
        l.channels = 4 * (rl_random_one_in(c, 6) ? rl_random_in(c, 31, 34) : rl_random_in(c, 1, 6));
        n = random_numbers(c, l.channels);
        l.bias = rl_case_s32(c, (size_t)l.channels, -100000, 100000);
        const size_t weights = (size_t)(l.channels * l.depth), count = (size_t)(l.rows * l.channels);
        l.weights = rl_case_s8(c, weights);
        const int8_t *input = rl_case_s8(c, (size_t)(l.rows * l.depth));
        int8_t *expected = rl_case_s8(c, count), *output = rl_case_s8(c, count), *packed = rl_case_s8(c, weights);
        int16_t *expected_s16 = rl_case_buffer(c, count * sizeof(int16_t), 2);
        int16_t *output_s16 = rl_case_buffer(c, count * sizeof(int16_t), 2);
        int32_t *folded = rl_case_s32(c, (size_t)l.channels, 0, 0);
        rl_case_expect(c, rl_fully_connected_prepacks(&l, RL_ISA_DSP) == (weights >= 20), "not a tiny layer");
        rl_case_expect(c, !rl_fully_connected_prepacks(&l, RL_ISA_ANY), "not for any core");
        rl_fully_connected_prepack(&l, packed);
        rl_case_expect(c, rl_fully_connected_prepare(&l) == RL_OK, "a layer that can run");
        rl_fully_connected_run(&l, input, expected, (struct rl_scratch){0});
        struct rl_fully_connected s16 = l;
        s16.input_offset = s16.output_offset = 0;
        s16.scales = (struct rl_scales){n.multiplier, n.shift};
        rl_case_expect(c, rl_fully_connected_prepare(&s16) == RL_OK, "a layer of int16 that can run");
        rl_fully_connected_s8_s16_run(&s16, input, expected_s16);

        rl_fully_connected_fold(&l, folded);
        l.weights = packed;
        l.folded = folded;
        rl_case_expect(c, rl_fully_connected_prepare(&l) == RL_OK, "a prepacked layer that can run");
        rl_fully_connected_prepacked_run(&l, input, output);
        rl_case_equal_s8(c, "output", expected, output, count);
        memset(output, 0, count);
        rl_fully_connected_prepacked_rows_run(&l, input, output);
        rl_case_equal_s8(c, "output of several rows", expected, output, count);
        s16.weights = packed;
        s16.folded = s16.bias;
        rl_fully_connected_prepacked_s16_run(&s16, input, output_s16);
        rl_case_equal_s16(c, "output of int16", expected_s16, output_s16, count);
        l.channels--;
        rl_case_expect(c, !rl_fully_connected_fits_prepacked(&l), "not a multiple of four channels");
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static void test_batch_matmul(struct rl_case *c)
{
    rl_test_start(c, "products_of_matrices");
    for (int i = 0; i < 100; i++) {
        const int32_t rows = rl_random_in(c, 1, 6), depth = rl_random_in(c, 1, 40), columns = rl_random_in(c, 1, 40);
        const int32_t batches = rl_random_in(c, 1, 3), heads = rl_random_in(c, 1, 2);
        rl_case_begin(c, "%ld x %ld x %ld", (long)rows, (long)depth, (long)columns);
        const struct numbers n = random_numbers(c, 1);
        const cmsis_nn_dims left_dims = {1, heads, rows, depth}, right_dims = {batches, 1, columns, depth};
        const cmsis_nn_dims output_dims = {batches, heads, rows, columns}, filter_dims = {depth, 1, 1, columns};
        struct rl_batch_matmul l = {.left = {1, heads, rows, depth},
                                    .right = {batches, 1, columns, depth},
                                    .output = {batches, heads, rows, columns},
                                    .left_offset = n.input_offset,
                                    .right_offset = n.weight_offset,
                                    .output_offset = n.output_offset,
                                    .scale = {*n.multiplier, *n.shift},
                                    .range = {n.limits.min, n.limits.max}};
        const int8_t *left = rl_case_s8(c, rl_elements(&left_dims)), *right = rl_case_s8(c, rl_elements(&right_dims));
        int8_t *expected = rl_case_s8(c, rl_elements(&output_dims)), *output = rl_case_s8(c, rl_elements(&output_dims));
        const cmsis_nn_bmm_params params = {false, false, {n.input_offset, n.weight_offset, n.output_offset, n.limits}};
        const cmsis_nn_per_tensor_quant_params quant = {*n.multiplier, *n.shift};
        const cmsis_nn_context ctx = rl_case_scratch(c, arm_fully_connected_s8_get_buffer_size(&filter_dims));
        arm_batch_matmul_s8(&ctx, &params, &quant, &left_dims, left, &right_dims, right, &output_dims, expected);
        rl_case_expect(c, rl_batch_matmul_prepare(&l) == RL_OK, "a layer that can run");
        struct rl_scratch scratch = {ctx.buf, ctx.size};
        if (rl_random_one_in(c, 2)) {
            scratch = (struct rl_scratch){0};
        }
        rl_batch_matmul_run(&l, left, right, output, scratch);
        rl_case_equal_s8(c, "output", expected, output, rl_elements(&output_dims));
        rl_case_expect(c,
                       rl_batch_matmul_scratch(&l, RL_ISA_ANY) == 4 * columns &&
                           rl_batch_matmul_scratch(&l, RL_ISA_HERE) ==
                               arm_fully_connected_s8_get_buffer_size(&filter_dims),
                       "scratch as announced");
        l.right.n = batches + 1;
        rl_case_expect(c, rl_batch_matmul_prepare(&l) == RL_ERROR_ARGUMENT, "batches that do not go together");
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static struct rl_depthwise depthwise_of(const struct reference_layer *l, enum rl_depthwise_type type)
{
    const struct reference_convolution *r = &l->shape;
    return (struct rl_depthwise){.type = type,
                                 .input = {r->input.n, r->input.h, r->input.w, r->input.c},
                                 .output = {r->output.n, r->output.h, r->output.w, r->output.c},
                                 .filter = {r->height, r->width},
                                 .stride = {r->stride.h, r->stride.w},
                                 .padding = {r->padding.h, r->padding.w},
                                 .dilation = {r->dilation.h, r->dilation.w},
                                 .multiplier = r->output.c / r->input.c,
                                 .weights = l->filter,
                                 .bias = l->bias,
                                 .scales = {l->quant.multiplier, l->quant.shift},
                                 .input_offset = l->input_offset,
                                 .output_offset = l->output_offset,
                                 .range = {l->limits.min, l->limits.max}};
}

static void random_depthwise(struct rl_case *c, enum reference_weights weights, struct reference_layer *l)
{
    memset(l, 0, sizeof *l);
    reference_convolution_random(c, 9, rl_random_one_in(c, 2) ? 3 : 5, 2, &l->shape);
    const int32_t multiplier = rl_random_one_in(c, 2) ? 1 : rl_random_in(c, 2, 9);
    l->shape.depthwise = true;
    l->shape.depth = 1;
    l->shape.input.c = rl_random_in(c, 1, rl_random_one_in(c, 8) ? 70 : 9);
    l->shape.output.c = l->shape.input.c * multiplier;
    reference_layer_prepare(c, weights, !rl_random_one_in(c, 4), l);
}

static int32_t most(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static void check_depthwise_sizes(struct rl_case *c, const struct reference_layer *l, const struct rl_depthwise *layer)
{
    const cmsis_nn_dw_conv_params params = reference_layer_depthwise(l);
    const cmsis_nn_dims *in = &l->shape.input, *filter = &l->filter_dims, *out = &l->shape.output;
    const bool is_s4 = layer->type == RL_DEPTHWISE_S4;
    const int32_t here = is_s4 ? arm_depthwise_conv_wrapper_s4_get_buffer_size(&params, in, filter, out)
                               : arm_depthwise_conv_wrapper_s8_get_buffer_size(&params, in, filter, out);
    const int32_t mve = is_s4 ? arm_depthwise_conv_wrapper_s4_get_buffer_size_mve(&params, in, filter, out)
                              : arm_depthwise_conv_wrapper_s8_get_buffer_size_mve(&params, in, filter, out);
    rl_case_expect(c, rl_depthwise_announced(layer, RL_ISA_HERE) == here, "what CMSIS-NN announces here");
    rl_case_expect(c, rl_depthwise_announced(layer, RL_ISA_MVE) == mve, "what CMSIS-NN announces on Helium");
    rl_case_expect(c,
                   rl_depthwise_scratch(layer, RL_ISA_ANY) >=
                           most(rl_depthwise_scratch(layer, RL_ISA_DSP), rl_depthwise_scratch(layer, RL_ISA_MVE)) &&
                       rl_depthwise_scratch(layer, RL_ISA_ANY) >= rl_depthwise_announced(layer, RL_ISA_ANY),
                   "the most of all");
}

static void test_depthwise(struct rl_case *c)
{
    rl_test_start(c, "depthwise_layers_with_any_scratch");
    for (int i = 0; i < 300; i++) {
        struct reference_layer l;
        const bool is_s4 = i % 3 == 0;
        random_depthwise(c, is_s4 ? INT4_WEIGHTS : INT8_WEIGHTS, &l);
        struct rl_depthwise layer = depthwise_of(&l, is_s4 ? RL_DEPTHWISE_S4 : RL_DEPTHWISE_S8);
        rl_case_expect(c, rl_depthwise_prepare(&layer) == RL_OK, "a layer that can run");
        const struct rl_scratch scratch = random_scratch(c, rl_depthwise_scratch(&layer, RL_ISA_HERE));
        if (is_s4) {
            rl_depthwise_s4_run(&layer, l.input, l.output, scratch);
        } else {
            rl_depthwise_run(&layer, l.input, l.output, scratch);
        }
        rl_case_equal_s8(c, "output", l.expected, l.output, rl_elements(&l.shape.output));
        check_depthwise_sizes(c, &l, &layer);
        layer.output.c++;
        rl_case_expect(c, rl_depthwise_prepare(&layer) == RL_ERROR_ARGUMENT, "a channel too many");
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static void test_svdf(struct rl_case *c)
{
    rl_test_start(c, "svdf_layers_with_and_without_folded_offsets");
    for (int i = 0; i < 100; i++) {
        const int32_t rank = rl_random_in(c, 1, 3), units = rl_random_in(c, 1, 6), features = rank * units;
        const int32_t size = rl_random_in(c, 1, 30), time = rl_random_in(c, 1, 8), batches = rl_random_in(c, 1, 3);
        rl_case_begin(c, "%ld features of %ld, %ld steps", (long)features, (long)size, (long)time);
        const struct numbers n = random_numbers(c, units);
        const size_t states = (size_t)(batches * features * time), outputs = (size_t)(batches * units);
        struct rl_svdf l = {.batches = batches,
                            .input_size = size,
                            .features = features,
                            .time = time,
                            .rank = rank,
                            .feature_weights = rl_case_s8(c, (size_t)(features * size)),
                            .time_weights = rl_case_s8(c, (size_t)(features * time)),
                            .bias = n.bias,
                            .input_offset = n.input_offset,
                            .output_offset = n.output_offset,
                            .state_scale = {*n.multiplier, *n.shift},
                            .scale = {*n.multiplier, *n.shift},
                            .state_range = {INT8_MIN, INT8_MAX},
                            .range = {n.limits.min, n.limits.max}};
        const int8_t *input = rl_case_s8(c, (size_t)(batches * size));
        int8_t *state = rl_case_s8(c, states), *same = rl_case_s8(c, states);
        int8_t *plain = rl_case_s8(c, outputs), *folded = rl_case_s8(c, outputs);
        int32_t *sums = rl_case_s32(c, (size_t)features, 0, 0);
        const struct rl_fully_connected weights = {
            .depth = size, .channels = features, .weights = l.feature_weights, .input_offset = l.input_offset};
        memcpy(same, state, states);
        rl_case_expect(c, rl_svdf_prepare(&l) == RL_OK, "a layer that can run");
        rl_svdf_run(&l, input, state, plain);
        rl_fully_connected_fold(&weights, sums);
        l.folded = sums;
        rl_svdf_run(&l, input, same, folded);
        rl_case_equal_s8(c, "output, folded", plain, folded, outputs);
        rl_case_equal_s8(c, "state, folded", state, same, states);
        l.rank = 0;
        rl_case_expect(c, rl_svdf_prepare(&l) == RL_ERROR_ARGUMENT, "no rank");
        rl_case_end(c);
    }
    rl_test_stop(c);
}

int main(void)
{
    static struct rl_case c;
    test_fully_connected(&c);
    test_prepacked(&c);
    test_batch_matmul(&c);
    test_depthwise(&c);
    test_svdf(&c);
    return rl_test_finish(&c);
}
