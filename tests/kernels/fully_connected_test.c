// SPDX-License-Identifier: Apache-2.0
// int8 and int4 fully connected layers and row sums against the definition. Both ways to give the bias are checked
// wherever a core takes them: as a bias, and as kernel sums in the scratch.
#include "arm_nnfunctions.h"
#include "support/kernel_test.h"

#include <string.h>

// One layer; every buffer belongs to the case.
struct problem {
    cmsis_nn_fc_params params;
    int32_t *multiplier, *shift;
    bool per_channel;
    cmsis_nn_dims input_dims, filter_dims, bias_dims, output_dims;
    int8_t *input, *filter, *output, *expected;
    int32_t *bias, *sums;
};

static void random_problem(struct rl_case *c, struct problem *p)
{
    memset(p, 0, sizeof *p);
    const int32_t rows = rl_random_one_in(c, 2) ? 1 : rl_random_in(c, 2, rl_random_one_in(c, 3) ? 33 : 7);
    const int32_t depth = rl_random_one_in(c, 4) ? rl_random_in(c, 1, 300) : rl_random_in(c, 1, 40);
    const int32_t channels = rl_random_one_in(c, 8) ? rl_random_in(c, 60, 140) : rl_random_in(c, 1, 20);
    p->per_channel = rl_random_one_in(c, 2);
    p->params.input_offset = rl_random_extreme(c, -127, 128);
    p->params.filter_offset = rl_random_one_in(c, 2) ? 0 : rl_random_extreme(c, -127, 128);
    p->params.output_offset = rl_random_extreme(c, -128, 127);
    p->params.activation.min = rl_random_one_in(c, 2) ? -128 : rl_random_in(c, -128, 0);
    p->params.activation.max = rl_random_one_in(c, 2) ? 127 : rl_random_in(c, p->params.activation.min, 127);
    rl_case_begin(c, "%ld rows of %ld, %ld outputs, filter offset %ld, %s", (long)rows, (long)depth, (long)channels,
                  (long)p->params.filter_offset, p->per_channel ? "per channel" : "per tensor");
    p->input_dims = (cmsis_nn_dims){rows, 1, 1, depth};
    p->filter_dims = (cmsis_nn_dims){depth, 1, 1, channels};
    p->bias_dims = (cmsis_nn_dims){1, 1, 1, channels};
    p->output_dims = (cmsis_nn_dims){rows, 1, 1, channels};

    p->input = rl_case_buffer(c, (size_t)(rows * depth), (size_t)rl_random_in(c, 0, 3));
    p->filter = rl_case_buffer(c, (size_t)(channels * depth), (size_t)rl_random_in(c, 0, 3));
    p->output = rl_case_buffer(c, (size_t)(rows * channels), (size_t)rl_random_in(c, 0, 3));
    p->expected = rl_case_buffer(c, (size_t)(rows * channels), 0);
    rl_random_s8(c, p->input, (size_t)(rows * depth));
    rl_random_s8(c, p->filter, (size_t)(channels * depth));
    const size_t words = (size_t)channels * sizeof(int32_t);
    const size_t scales = p->per_channel ? words : sizeof(int32_t);
    p->bias = rl_random_one_in(c, 4) ? NULL : rl_case_buffer(c, words, 4);
    p->sums = rl_case_buffer(c, words, 4);
    p->multiplier = rl_case_buffer(c, scales, 4);
    p->shift = rl_case_buffer(c, scales, 4);
    const int32_t reach = rl_random_one_in(c, 8) ? 2000000000 : 100000;
    for (int32_t i = 0; p->bias && i < channels; i++) {
        p->bias[i] = rl_random_extreme(c, -reach, reach);
    }
    for (size_t i = 0; i < scales / sizeof(int32_t); i++) {
        rl_random_scale(c, &p->multiplier[i], &p->shift[i]);
    }
}

static int8_t reference_output(const struct problem *p, int32_t row, int32_t channel)
{
    const int32_t depth = p->filter_dims.n;
    const int32_t scale = p->per_channel ? channel : 0;
    int32_t sum = p->bias ? p->bias[channel] : 0;
    for (int32_t k = 0; k < depth; k++) {
        sum += (p->input[row * depth + k] + p->params.input_offset) *
               (p->filter[channel * depth + k] + p->params.filter_offset);
    }
    return rl_reference_output(sum, p->multiplier[scale], p->shift[scale], p->params.output_offset,
                               p->params.activation.min, p->params.activation.max);
}

static void check(struct rl_case *c, struct problem *p, arm_cmsis_nn_status status)
{
    const int32_t channels = p->output_dims.c;
    for (int32_t row = 0; row < p->input_dims.n; row++) {
        for (int32_t channel = 0; channel < channels; channel++) {
            p->expected[row * channels + channel] = reference_output(p, row, channel);
        }
    }
    rl_case_expect(c, status == ARM_CMSIS_NN_SUCCESS, "success");
    rl_case_equal_s8(c, "output", p->expected, p->output, (size_t)(p->input_dims.n * channels));
    rl_case_end(c);
}

static void fill_sums(struct problem *p)
{
    arm_vector_sum_s8(p->sums, p->filter_dims.n, p->filter_dims.c, p->filter, p->params.input_offset,
                      p->params.filter_offset, p->bias);
}

// Many rows whose values, weights and offsets are all at their limits: the largest sums.
static void test_limits(struct rl_case *c)
{
    rl_test_start(c, "fully_connected_rows_at_the_limits");
    for (int i = 0; i < 64; i++) {
        const int32_t rows = 24, depth = rl_random_in(c, 230, 245), channels = 16;
        struct problem p = {
            .params = {i % 2 == 0 ? -127 : 128, i / 2 % 2 == 0 ? -127 : 128, 3, {-128, 127}},
            .input_dims = {rows, 1, 1, depth},
            .filter_dims = {depth, 1, 1, channels},
            .output_dims = {rows, 1, 1, channels},
        };
        rl_case_begin(c, "depth %ld, offsets %ld and %ld", (long)depth, (long)p.params.input_offset,
                      (long)p.params.filter_offset);
        p.input = rl_case_buffer(c, (size_t)(rows * depth), 0);
        p.filter = rl_case_buffer(c, (size_t)(channels * depth), 0);
        p.output = rl_case_buffer(c, (size_t)(rows * channels), 0);
        p.expected = rl_case_buffer(c, (size_t)(rows * channels), 0);
        p.sums = rl_case_buffer(c, (size_t)channels * sizeof(int32_t), 4);
        memset(p.input, i / 4 % 2 == 0 ? -128 : 127, (size_t)(rows * depth));
        memset(p.filter, i / 8 % 2 == 0 ? -128 : 127, (size_t)(channels * depth));
        int32_t multiplier = 1 << 30, shift = -16;
        p.multiplier = &multiplier;
        p.shift = &shift;
        fill_sums(&p);
        const cmsis_nn_context ctx = {arm_fully_connected_s8_get_buffer_size(&p.filter_dims) > 0 ? p.sums : NULL, 0};
        const cmsis_nn_per_tensor_quant_params quant = {multiplier, shift};
        check(c, &p,
              arm_fully_connected_s8(&ctx, &p.params, &quant, &p.input_dims, p.input, &p.filter_dims, p.filter,
                                     &p.bias_dims, NULL, &p.output_dims, p.output));
    }
    rl_test_stop(c);
}

static arm_cmsis_nn_status run(struct rl_case *c, const struct problem *p, const cmsis_nn_context *ctx,
                               const int32_t *bias)
{
    if (rl_random_one_in(c, 2)) {
        const cmsis_nn_quant_params quant = {p->multiplier, p->shift, p->per_channel};
        return arm_fully_connected_wrapper_s8(ctx, &p->params, &quant, &p->input_dims, p->input, &p->filter_dims,
                                              p->filter, &p->bias_dims, bias, &p->output_dims, p->output);
    }
    if (p->per_channel) {
        const cmsis_nn_per_channel_quant_params quant = {p->multiplier, p->shift};
        return arm_fully_connected_per_channel_s8(ctx, &p->params, &quant, &p->input_dims, p->input, &p->filter_dims,
                                                  p->filter, &p->bias_dims, bias, &p->output_dims, p->output);
    }
    const cmsis_nn_per_tensor_quant_params quant = {*p->multiplier, *p->shift};
    return arm_fully_connected_s8(ctx, &p->params, &quant, &p->input_dims, p->input, &p->filter_dims, p->filter,
                                  &p->bias_dims, bias, &p->output_dims, p->output);
}

// As documented: kernel sums where the buffer size says so, and always the bias.
static void test_documented(struct rl_case *c)
{
    rl_test_start(c, "fully_connected_as_documented");
    for (int i = 0; i < 250; i++) {
        struct problem p;
        random_problem(c, &p);
        cmsis_nn_context ctx = {NULL, arm_fully_connected_s8_get_buffer_size(&p.filter_dims)};
        if (ctx.size > 0) {
            fill_sums(&p);
            ctx.buf = p.sums;
        }
        check(c, &p, run(c, &p, &ctx, p.bias));
    }
    rl_test_stop(c);
}

// A program prepared for Helium gives kernel sums and no bias; it runs on every core.
static void test_sums_only(struct rl_case *c)
{
    rl_test_start(c, "fully_connected_kernel_sums_in_place_of_a_bias");
    for (int i = 0; i < 100; i++) {
        struct problem p;
        random_problem(c, &p);
        fill_sums(&p);
        const cmsis_nn_context ctx = {p.sums, 0};
        check(c, &p, run(c, &p, &ctx, NULL));
    }
    rl_test_stop(c);
}

static void test_sums(struct rl_case *c)
{
    rl_test_start(c, "vector_sum");
    for (int i = 0; i < 100; i++) {
        struct problem p;
        random_problem(c, &p);
        const int32_t rows = p.filter_dims.c;
        const int32_t columns = p.filter_dims.n;
        const int32_t offset = rl_random_one_in(c, 4) ? 0 : p.params.input_offset;
        int32_t *expected = rl_case_buffer(c, (size_t)rows * sizeof(int32_t), 4);
        int64_t *wide = rl_case_buffer(c, (size_t)rows * sizeof(int64_t), 8);
        int64_t *wide_bias = rl_case_buffer(c, (size_t)rows * sizeof(int64_t), 8);
        arm_vector_sum_s8(p.sums, columns, rows, p.filter, offset, p.params.filter_offset, p.bias);
        arm_vector_sum_s8_s64(wide, columns, rows, p.filter, offset, wide_bias);
        for (int32_t r = 0; r < rows; r++) {
            int32_t sum = 0;
            for (int32_t k = 0; k < columns; k++) {
                sum += p.filter[r * columns + k];
            }
            const int32_t with_offset = offset * (sum + columns * p.params.filter_offset);
            expected[r] = (p.bias ? p.bias[r] : 0) + with_offset;
            rl_case_expect(c, wide[r] == wide_bias[r] + (int64_t)offset * sum, "the 64-bit sum");
        }
        rl_case_equal_s32(c, "sums", expected, p.sums, (size_t)rows);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// int4 weights, two to a byte across filters; rows from short to longer than any block.
static void test_s4(struct rl_case *c)
{
    rl_test_start(c, "fully_connected_s4");
    for (int i = 0; i < 120; i++) {
        struct problem p;
        random_problem(c, &p);
        const int32_t rows = p.input_dims.n, channels = rl_random_in(c, 1, 7);
        const int32_t depth = rl_random_one_in(c, 8) ? rl_random_in(c, 1000, 2500) : p.filter_dims.n;
        p.params.filter_offset = 0;
        p.filter_dims = (cmsis_nn_dims){depth, 1, 1, channels};
        p.output_dims.c = channels;
        rl_case_begin(c, "%ld rows of %ld, %ld outputs, offset %ld", (long)rows, (long)depth, (long)channels,
                      (long)p.params.input_offset);
        p.input = rl_case_buffer(c, (size_t)(rows * depth), (size_t)rl_random_in(c, 0, 3));
        int8_t *packed = rl_case_buffer(c, (size_t)(channels * depth + 1) / 2, (size_t)rl_random_in(c, 0, 3));
        p.filter = rl_case_buffer(c, (size_t)(channels * depth), 0);
        p.output = rl_case_buffer(c, (size_t)(rows * channels), (size_t)rl_random_in(c, 0, 3));
        p.expected = rl_case_buffer(c, (size_t)(rows * channels), 0);
        p.bias = rl_random_one_in(c, 4) ? NULL : rl_case_buffer(c, (size_t)channels * sizeof(int32_t), 4);
        p.per_channel = false;
        int32_t multiplier, shift;
        rl_random_scale(c, &multiplier, &shift);
        p.multiplier = &multiplier;
        p.shift = &shift;
        rl_random_s8(c, p.input, (size_t)(rows * depth));
        for (int32_t k = 0; k < channels * depth; k++) {
            const int32_t weight = rl_random_extreme(c, -8, 7);
            const int32_t half = k & 1 ? 0xf0 : 0x0f;
            p.filter[k] = (int8_t)weight;
            packed[k / 2] = (int8_t)((packed[k / 2] & ~half) | ((k & 1 ? weight * 16 : weight) & half));
        }
        for (int32_t k = 0; p.bias && k < channels; k++) {
            p.bias[k] = rl_random_extreme(c, -100000, 100000);
        }
        const cmsis_nn_context none = {NULL, 0};
        const cmsis_nn_per_tensor_quant_params quant = {multiplier, shift};
        check(c, &p,
              arm_fully_connected_s4(&none, &p.params, &quant, &p.input_dims, p.input, &p.filter_dims, packed,
                                     &p.bias_dims, p.bias, &p.output_dims, p.output));
    }
    rl_test_stop(c);
}

// Filters whose depth is not a multiple of four, and many of them: those at the same place in a word run together. Rows
// are shorter and longer than one and two blocks.
static void test_words(struct rl_case *c)
{
    rl_test_start(c, "fully_connected_filters_between_words");
    for (int i = 0; i < 24; i++) {
        struct problem p;
        random_problem(c, &p);
        const int32_t most = rl_random_one_in(c, 3) ? 1100 : 60, depth = rl_random_in(c, 1, most);
        const int32_t rows = rl_random_in(c, 1, 2), channels = rl_random_in(c, 12, most > 60 ? 40 : 170);
        p.per_channel = i % 2 == 0;
        p.filter_dims = (cmsis_nn_dims){depth, 1, 1, channels};
        p.input_dims = (cmsis_nn_dims){rows, 1, 1, depth};
        p.output_dims = (cmsis_nn_dims){rows, 1, 1, channels};
        rl_case_begin(c, "%ld rows of %ld, %ld outputs, %s", (long)rows, (long)depth, (long)channels,
                      p.per_channel ? "per channel" : "per tensor");
        p.input = rl_case_s8(c, (size_t)(rows * depth));
        p.filter = rl_case_buffer(c, (size_t)(channels * depth), 4);
        rl_random_s8(c, p.filter, (size_t)(channels * depth));
        p.output = rl_case_buffer(c, (size_t)(rows * channels), (size_t)rl_random_in(c, 0, 3));
        p.expected = rl_case_buffer(c, (size_t)(rows * channels), 0);
        p.bias = rl_random_one_in(c, 4) ? NULL : rl_case_s32(c, (size_t)channels, -100000, 100000);
        p.sums = rl_case_buffer(c, (size_t)channels * sizeof(int32_t), 4);
        p.multiplier = rl_case_s32(c, (size_t)channels, 1 << 30, INT32_MAX);
        p.shift = rl_case_s32(c, (size_t)channels, -12, -5);
        if (rl_random_one_in(c, 3)) {
            p.shift[rl_random_in(c, 0, channels - 1)] = rl_random_in(c, -30, 0);
        }
        fill_sums(&p);
        const cmsis_nn_context ctx = {arm_fully_connected_s8_get_buffer_size(&p.filter_dims) > 0 ? p.sums : NULL, 0};
        check(c, &p, run(c, &p, &ctx, p.bias));
    }
    rl_test_stop(c);
}

static void test_rejected(struct rl_case *c)
{
    rl_test_start(c, "fully_connected_without_scratch");
    for (int i = 0; i < 10; i++) {
        struct problem p;
        random_problem(c, &p);
        const size_t outputs = (size_t)(p.input_dims.n * p.output_dims.c);
        const cmsis_nn_context none = {NULL, 0};
        if (arm_fully_connected_s8_get_buffer_size(&p.filter_dims) == 0) {
            check(c, &p, run(c, &p, &none, p.bias));
            continue;
        }
        memcpy(p.expected, p.output, outputs);
        rl_case_expect(c, run(c, &p, &none, p.bias) == ARM_CMSIS_NN_ARG_ERROR, "ARM_CMSIS_NN_ARG_ERROR");
        rl_case_equal_s8(c, "untouched output", p.expected, p.output, outputs);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

int main(void)
{
    static struct rl_case c;
    test_limits(&c);
    test_documented(&c);
    test_sums_only(&c);
    test_sums(&c);
    test_s4(&c);
    test_words(&c);
    test_rejected(&c);
    return rl_test_finish(&c);
}
