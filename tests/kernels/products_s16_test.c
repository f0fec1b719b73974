// SPDX-License-Identifier: Apache-2.0
// Fully connected layers and batched products of int16 against the definition: odd sizes, depths whose sums need 64
// bits, either side repeated along the batch axes.
#include "arm_nnfunctions.h"
#include "support/kernel_test.h"

#include <string.h>

struct scale {
    int32_t multiplier, shift;
    cmsis_nn_activation limits;
};

// Mostly scales that keep results within int16; some saturate all of them.
static struct scale random_scale(struct rl_case *c)
{
    return (struct scale){rl_random_extreme(c, 1 << 30, INT32_MAX),
                          rl_random_one_in(c, 8) ? rl_random_in(c, -31, 3) : rl_random_in(c, -16, -6),
                          rl_random_limits(c, INT16_MIN, INT16_MAX)};
}

static int16_t output_of(const struct scale *s, int64_t sum)
{
    return (int16_t)rl_reference_limited(rl_reference_requantize_s64(sum, s->multiplier, s->shift), s->limits);
}

static int32_t random_depth(struct rl_case *c)
{
    return rl_random_one_in(c, 4) ? rl_random_in(c, 300, 700) : rl_random_in(c, 1, 60);
}

// Two values that a loop of kernels/dsp takes for the end of the row, where it looks for that.
static void place_mark(struct rl_case *c, int16_t *row, int32_t depth)
{
    const int32_t at = rl_random_in(c, 0, (depth - 3) / 8) * 8;
    row[at] = 0;
    row[at + 2] = INT16_MIN;
}

static void test_fully_connected(struct rl_case *c)
{
    rl_test_start(c, "fully_connected_s16");
    for (int i = 0; i < 200; i++) {
        const int32_t rows = rl_random_in(c, 1, 4), depth = random_depth(c);
        const int32_t channels = rl_random_one_in(c, 8) ? rl_random_in(c, 90, 110) : rl_random_in(c, 1, 20);
        const struct scale s = random_scale(c);
        rl_case_begin(c, "%ld rows of %ld, %ld outputs, scale %ld %ld", (long)rows, (long)depth, (long)channels,
                      (long)s.multiplier, (long)s.shift);
        int16_t *input = rl_case_s16(c, (size_t)(rows * depth));
        if (depth > 2 && rl_random_one_in(c, 4)) {
            place_mark(c, input, depth);
        }
        int8_t *filter = rl_case_s8(c, (size_t)(channels * depth));
        const size_t outputs = (size_t)(rows * channels);
        int16_t *output = rl_case_s16(c, outputs), *expected = rl_case_s16(c, outputs);
        int64_t *bias = NULL;
        if (!rl_random_one_in(c, 4)) {
            bias = rl_case_buffer(c, (size_t)channels * sizeof *bias, 8);
            for (int32_t o = 0; o < channels; o++) {
                bias[o] = rl_random_extreme(c, -1000000, 1000000) * (int64_t)rl_random_in(c, 1, 1000);
            }
        }
        for (int32_t at = 0; at < rows * channels; at++) {
            int64_t sum = bias ? bias[at % channels] : 0;
            for (int32_t k = 0; k < depth; k++) {
                sum += input[at / channels * depth + k] * filter[at % channels * depth + k];
            }
            expected[at] = output_of(&s, sum);
        }
        const cmsis_nn_fc_params params = {.activation = s.limits};
        const cmsis_nn_per_tensor_quant_params quant = {s.multiplier, s.shift};
        const cmsis_nn_dims input_dims = {rows, 1, 1, depth}, filter_dims = {depth, 1, 1, channels};
        const cmsis_nn_dims bias_dims = {1, 1, 1, channels}, output_dims = {rows, 1, 1, channels};
        const cmsis_nn_context ctx = rl_case_scratch(c, arm_fully_connected_s16_get_buffer_size(&filter_dims));
        const arm_cmsis_nn_status status = arm_fully_connected_s16(
            &ctx, &params, &quant, &input_dims, input, &filter_dims, filter, &bias_dims, bias, &output_dims, output);
        rl_case_expect(c, status == ARM_CMSIS_NN_SUCCESS, "success");
        rl_case_equal_s16(c, "output", expected, output, outputs);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// Element [row][k] of the matrix that batch (n, h) sees.
static int64_t element(const int16_t *data, const cmsis_nn_dims *dims, int32_t n, int32_t h, int32_t row, int32_t k)
{
    const int32_t own_n = dims->n == 1 ? 0 : n, own_h = dims->h == 1 ? 0 : h;
    return data[((own_n * dims->h + own_h) * dims->w + row) * dims->c + k];
}

static void test_batch_matmul(struct rl_case *c)
{
    rl_test_start(c, "batch_matmul_s16");
    for (int i = 0; i < 150; i++) {
        const int32_t n = rl_random_in(c, 1, 3), h = rl_random_in(c, 1, 3), rows = rl_random_in(c, 1, 9);
        const int32_t columns = rl_random_in(c, 1, 12), depth = rl_random_in(c, 1, 70);
        const cmsis_nn_dims out = {n, h, rows, columns};
        cmsis_nn_dims lhs_dims = {n, h, rows, depth}, rhs_dims = {n, h, columns, depth};
        *(rl_random_one_in(c, 2) ? &lhs_dims.n : &rhs_dims.n) = rl_random_one_in(c, 2) ? 1 : n;
        *(rl_random_one_in(c, 2) ? &lhs_dims.h : &rhs_dims.h) = rl_random_one_in(c, 2) ? 1 : h;
        const struct scale s = random_scale(c);
        rl_case_begin(c, "output [%ld %ld %ld %ld], depth %ld, batches of lhs %ld %ld, of rhs %ld %ld", (long)n,
                      (long)h, (long)rows, (long)columns, (long)depth, (long)lhs_dims.n, (long)lhs_dims.h,
                      (long)rhs_dims.n, (long)rhs_dims.h);
        int16_t *lhs = rl_case_s16(c, rl_elements(&lhs_dims)), *rhs = rl_case_s16(c, rl_elements(&rhs_dims));
        const size_t outputs = rl_elements(&out);
        int16_t *output = rl_case_s16(c, outputs), *expected = rl_case_s16(c, outputs);
        for (size_t at = 0; at < outputs; at++) {
            const int32_t column = (int32_t)at % columns, row = (int32_t)at / columns % rows;
            const int32_t batch = (int32_t)at / (columns * rows);
            int64_t sum = 0;
            for (int32_t k = 0; k < depth; k++) {
                sum += element(lhs, &lhs_dims, batch / h, batch % h, row, k) *
                       element(rhs, &rhs_dims, batch / h, batch % h, column, k);
            }
            expected[at] = output_of(&s, sum);
        }
        const cmsis_nn_bmm_params params = {false, false, {.activation = s.limits}};
        const cmsis_nn_per_tensor_quant_params quant = {s.multiplier, s.shift};
        const cmsis_nn_context none = {NULL, 0};
        const arm_cmsis_nn_status status =
            arm_batch_matmul_s16(&none, &params, &quant, &lhs_dims, lhs, &rhs_dims, rhs, &out, output);
        rl_case_expect(c, status == ARM_CMSIS_NN_SUCCESS, "success");
        rl_case_equal_s16(c, "output", expected, output, outputs);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

int main(void)
{
    static struct rl_case c;
    test_fully_connected(&c);
    test_batch_matmul(&c);
    return rl_test_finish(&c);
}
