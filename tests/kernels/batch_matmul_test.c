// SPDX-License-Identifier: Apache-2.0
// Batched products of int8 matrices against the definition, with either side repeated along the batch axes.
#include "arm_nnfunctions.h"
#include "support/kernel_test.h"

#include <string.h>

struct problem {
    cmsis_nn_fc_params params;
    cmsis_nn_per_tensor_quant_params quant;
    cmsis_nn_dims lhs_dims, rhs_dims, output_dims;
    int8_t *lhs, *rhs, *output, *expected;
};

static void random_problem(struct rl_case *c, struct problem *p)
{
    memset(p, 0, sizeof *p);
    const int32_t n = rl_random_in(c, 1, 3), h = rl_random_in(c, 1, 3),
                  rows = rl_random_in(c, 1, 9) * (rl_random_one_in(c, 4) ? 3 : 1);
    const int32_t columns = rl_random_in(c, 1, 20), depth = rl_random_in(c, 1, 70);
    p->lhs_dims = (cmsis_nn_dims){rl_random_one_in(c, 3) ? 1 : n, rl_random_one_in(c, 3) ? 1 : h, rows, depth};
    p->rhs_dims = (cmsis_nn_dims){p->lhs_dims.n == n && rl_random_one_in(c, 3) ? 1 : n,
                                  p->lhs_dims.h == h && rl_random_one_in(c, 3) ? 1 : h, columns, depth};
    p->output_dims = (cmsis_nn_dims){n, h, rows, columns};
    p->params.input_offset = rl_random_one_in(c, 4) ? 0 : rl_random_extreme(c, -127, 128);
    p->params.filter_offset = rl_random_one_in(c, 4) ? 0 : rl_random_extreme(c, -127, 128);
    p->params.output_offset = rl_random_extreme(c, -128, 127);
    p->params.activation.min = rl_random_one_in(c, 2) ? -128 : rl_random_in(c, -128, 0);
    p->params.activation.max = rl_random_one_in(c, 2) ? 127 : rl_random_in(c, p->params.activation.min, 127);
    rl_random_scale(c, &p->quant.multiplier, &p->quant.shift);
    rl_case_begin(c, "output [%ld %ld %ld %ld], depth %ld, batches of lhs %ld %ld, of rhs %ld %ld, offsets %ld %ld",
                  (long)n, (long)h, (long)rows, (long)columns, (long)depth, (long)p->lhs_dims.n, (long)p->lhs_dims.h,
                  (long)p->rhs_dims.n, (long)p->rhs_dims.h, (long)p->params.input_offset,
                  (long)p->params.filter_offset);
    p->lhs = rl_case_buffer(c, rl_elements(&p->lhs_dims), (size_t)rl_random_in(c, 0, 3));
    p->rhs = rl_case_buffer(c, rl_elements(&p->rhs_dims), (size_t)rl_random_in(c, 0, 3));
    p->output = rl_case_buffer(c, rl_elements(&p->output_dims), (size_t)rl_random_in(c, 0, 3));
    p->expected = rl_case_buffer(c, rl_elements(&p->output_dims), 0);
    rl_random_s8(c, p->lhs, rl_elements(&p->lhs_dims));
    rl_random_s8(c, p->rhs, rl_elements(&p->rhs_dims));
}

static const int8_t *matrix(const int8_t *data, const cmsis_nn_dims *dims, int32_t n, int32_t h)
{
    return data + ((dims->n == 1 ? 0 : n) * dims->h + (dims->h == 1 ? 0 : h)) * dims->w * dims->c;
}

static void reference(const struct problem *p)
{
    const int32_t rows = p->lhs_dims.w, columns = p->rhs_dims.w, depth = p->rhs_dims.c;
    int8_t *expected = p->expected;
    for (int32_t batch = 0; batch < p->output_dims.n * p->output_dims.h; batch++) {
        const int8_t *a = matrix(p->lhs, &p->lhs_dims, batch / p->output_dims.h, batch % p->output_dims.h);
        const int8_t *b = matrix(p->rhs, &p->rhs_dims, batch / p->output_dims.h, batch % p->output_dims.h);
        for (int32_t i = 0; i < rows * columns; i++) {
            int32_t sum = 0;
            for (int32_t k = 0; k < depth; k++) {
                sum += (a[i / columns * depth + k] + p->params.input_offset) *
                       (b[i % columns * depth + k] + p->params.filter_offset);
            }
            *expected++ = rl_reference_output(sum, p->quant.multiplier, p->quant.shift, p->params.output_offset,
                                              p->params.activation.min, p->params.activation.max);
        }
    }
}

static arm_cmsis_nn_status run(const struct problem *p, const cmsis_nn_context *ctx)
{
    const cmsis_nn_bmm_params params = {false, false, p->params};
    return arm_batch_matmul_s8(ctx, &params, &p->quant, &p->lhs_dims, p->lhs, &p->rhs_dims, p->rhs, &p->output_dims,
                               p->output);
}

static int32_t scratch_bytes(const struct problem *p)
{
    const cmsis_nn_dims filter = {p->rhs_dims.c, 1, 1, p->rhs_dims.w};
    return arm_fully_connected_s8_get_buffer_size(&filter);
}

static void test_products(struct rl_case *c)
{
    rl_test_start(c, "batch_matmul_s8");
    for (int i = 0; i < 200; i++) {
        struct problem p;
        random_problem(c, &p);
        reference(&p);
        const cmsis_nn_context ctx = rl_case_any_scratch(c, scratch_bytes(&p), 1, 4);
        rl_case_expect(c, run(&p, &ctx) == ARM_CMSIS_NN_SUCCESS, "success");
        rl_case_equal_s8(c, "output", p.expected, p.output, rl_elements(&p.output_dims));
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static void test_refused(struct rl_case *c)
{
    rl_test_start(c, "bad_arguments_touch_nothing");
    for (int i = 0; i < 40; i++) {
        struct problem p;
        random_problem(c, &p);
        memcpy(p.expected, p.output, rl_elements(&p.output_dims));
        int32_t bytes = scratch_bytes(&p);
        const bool no_scratch = bytes > 0 && rl_random_one_in(c, 2);
        if (!no_scratch) {
            int32_t *const sizes[4] = {&p.lhs_dims.n, &p.lhs_dims.h, &p.rhs_dims.n, &p.rhs_dims.h};
            *sizes[i % 4] = 4; // neither 1 nor a size that the output can have
        }
        const cmsis_nn_context ctx = {no_scratch || bytes == 0 ? NULL : rl_case_buffer(c, (size_t)bytes, 4), bytes};
        rl_case_expect(c, run(&p, &ctx) == ARM_CMSIS_NN_ARG_ERROR, "an argument error");
        rl_case_equal_s8(c, "output", p.expected, p.output, rl_elements(&p.output_dims));
        rl_case_end(c);
    }
    rl_test_stop(c);
}

int main(void)
{
    static struct rl_case c;
    test_products(&c);
    test_refused(&c);
    return rl_test_finish(&c);
}
